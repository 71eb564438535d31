"""Agents: steps read from the spans of any tracer, and checks of an agent's steps by code."""

from functools import partial
from typing import Any

from markscheme.grading.step_checks import CHECKS, StepCheck
from markscheme.prompts.traces import TRACES, TraceSpan
from markscheme.seam import Feature

_CHECKS = ("tool_used", "tool_args", "tool_order", "step_count")


def _spans(value: Any) -> list[TraceSpan]:
    from markscheme.features.agents.spans import spans_in

    return spans_in(value)


def _check(name: str) -> StepCheck:
    from markscheme.features.agents.step_checks import STEP_CHECKS

    return STEP_CHECKS[name]


AGENTS = Feature("agents", TRACES(_spans), CHECKS(*((name, partial(_check, name)) for name in _CHECKS)))
