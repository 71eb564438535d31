"""Agents: steps read from the spans of any tracer, and checks of an agent's steps by code."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from markscheme.grading.step_checks import CHECKS, StepCheck
from markscheme.prompts.traces import TRACES, TraceSpan
from markscheme.seam import Feature

if TYPE_CHECKING:
    from typing import Protocol

    class _Steps(Protocol):
        @property
        def STEP_CHECKS(self) -> Mapping[str, StepCheck]: ...  # noqa: N802 - a constant of the module
        def spans_in(self, value: Any) -> list[TraceSpan]: ...


_CHECKS = ("tool_used", "tool_args", "tool_order", "step_count")


def _steps() -> "_Steps":
    from markscheme.features.agents import steps

    return steps


def _check(name: str) -> StepCheck:
    return _steps().STEP_CHECKS[name]


AGENTS = Feature(
    "agents",
    TRACES(lambda value: _steps().spans_in(value)),
    CHECKS(*((name, partial(_check, name)) for name in _CHECKS)),
)
