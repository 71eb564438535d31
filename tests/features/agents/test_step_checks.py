"""Checks of an agent's steps: the values that Promptfoo's trajectory assertions take, and what they find."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from markscheme import ScriptedJudge
from markscheme.errors import UsageError
from markscheme.features.agents.step_checks import STEP_CHECKS
from markscheme.grading import Grading, lacking_inputs
from markscheme.grading.verdict import Unread, Verdict
from markscheme.prompts.steps import AgentStep, steps_of
from markscheme.prompts.submission import Submission
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.scorers import SHIPPED_CHECKS, check_of, run_check, scorer

TRACE: list[dict[str, Any]] = [
    {"role": "user", "content": "Refund order 7."},
    {"name": "find_order", "arguments": {"id": 7, "verbose": True}},
    {"role": "tool", "name": "find_order", "content": "paid"},
    {"name": "refund", "arguments": '{"id": 7, "notes": ["late", "kind"], "trace_id": "x1"}'},
    {"role": "tool", "name": "refund", "content": "done"},
    {"name": "find_order", "arguments": {"id": 8}},
    {"role": "assistant", "content": "Refunded."},
]
STEPS = steps_of({"trace": TRACE})


@pytest.mark.parametrize(
    ("check", "value", "holds", "reason"),
    [
        ("tool_used", "refund", True, "refund was called; called: find_order, refund, find_order"),
        ("tool_used", "Find_*", True, "Find_* was called"),
        ("tool_used", ["refund", "delete"], False, "delete was not called; called: find_order, refund, find_order"),
        ("tool_used", {"name": "find_order", "min": 2, "max": 2}, True, "find_order was called 2 times, 2 expected"),
        ("tool_used", {"pattern": "find*", "max": 1}, False, "find* was called 2 times, 1 expected"),
        ("tool_used", {"name": "delete", "max": 0}, True, "delete was called 0 times, 0 expected"),
        ("tool_used", {"name": "refund", "max": 0}, False, "refund was called once, 0 expected"),
        ("tool_used", {"name": "delete"}, False, "at least 1 expected"),
        ("tool_args", {"name": "refund", "args": {"id": 7}}, True, "refund was called with"),
        ("tool_args", {"name": "find_order", "arguments": {"id": 8}}, True, 'find_order was called with {"id": 8}'),
        ("tool_args", {"name": "refund", "args": {"id": "7"}}, False, "no call of refund had"),
        ("tool_args", {"name": "find_order", "args": {"verbose": 1}}, False, "no call of find_order had"),
        ("tool_args", {"name": "refund", "args": {"notes": ["late"]}}, False, "no call of refund had"),
        ("tool_args", {"name": "find_order", "args": {"id": 7}, "mode": "exact"}, False, "(exact)"),
        (
            "tool_args",
            {"name": "find_order", "args": {"id": 7}, "mode": "exact", "defaults": {"verbose": True}},
            True,
            "was called",
        ),
        (
            "tool_args",
            {"name": "refund", "args": {"id": 7, "notes": ["late", "kind"]}, "mode": "exact", "ignore": "trace*"},
            True,
            "was called",
        ),
        ("tool_args", {"name": "delete", "args": {}}, False, "delete was not called"),
        ("tool_order", ["find_order", "refund"], True, "called in the order find_order, refund"),
        ("tool_order", ["refund", {"name": "find_order"}], True, "called in the order"),
        ("tool_order", ["refund", "refund"], False, "refund was not called in the order"),
        ("tool_order", {"steps": ["find_order", "refund"], "mode": "exact"}, False, "expected exactly"),
        ("tool_order", {"steps": ["find*", "refund", "find*"], "mode": "exact"}, True, "expected exactly"),
        ("step_count", {"max": 5}, True, "5 steps, 0 to 5 expected"),
        ("step_count", {"type": "tool", "max": 2}, False, "3 steps, 0 to 2 expected"),
        ("step_count", {"type": "message", "min": 3}, False, "2 steps, at least 3 expected"),
        ("step_count", {"pattern": "find*", "min": 2, "max": 2}, True, "2 steps, 2 expected"),
    ],
)
def test_each_built_in_check_of_an_agent_s_steps_passes_or_fails_and_gives_the_expected_reason(
    check: str, value: Any, holds: bool, reason: str
) -> None:
    found_holds, found_reason = STEP_CHECKS[check](STEPS, value)
    assert found_holds is holds
    assert reason in found_reason


@pytest.mark.parametrize(
    ("check", "value", "why"),
    [
        ("tool_used", 7, "takes a tool's name, names, or"),
        ("tool_used", [], "takes a tool's name"),
        ("tool_used", {"name": "a", "atleast": 1}, "knows no 'atleast'; it takes name, pattern, min, max"),
        ("tool_used", {"name": "a", "min": -1}, "a whole number from 0, found -1"),
        ("tool_used", {"name": "a", "min": 3, "max": 2}, "is 2, below `min`, 3"),
        ("tool_used", {"min": 1}, "needs a tool's `name`"),
        ("tool_args", {"name": "a"}, "needs `args`"),
        ("tool_args", {"name": "a", "args": {}, "mode": "strict"}, "partial or exact, found 'strict'"),
        ("tool_args", {"name": "a", "args": {}, "defaults": 1}, "values by argument"),
        ("tool_args", {"name": "a", "args": {}, "ignore": [1]}, "a name or a list of names"),
        ("tool_order", "refund", "takes a list of tools"),
        ("tool_order", {"steps": ["a"], "mode": "any"}, "in_order or exact, found 'any'"),
        ("tool_order", [{"max": 1}], "knows no 'max'"),
        ("step_count", {"type": "tool"}, "needs `min` or `max`"),
        ("step_count", {"type": "thought", "max": 1}, "found 'thought'"),
        ("step_count", 5, "takes {min, max, type, name}"),
    ],
)
def test_a_step_check_with_an_invalid_value_is_refused_before_grading(check: str, value: Any, why: str) -> None:
    criterion = Criterion(1.0, "As it should", "steps", check=check, check_value=json.dumps(value))
    with pytest.raises(UsageError, match="criterion 'steps'") as refused:
        check_of(criterion, {})
    assert why in str(refused.value)


def test_a_check_of_an_agent_s_steps_is_refused_if_its_value_is_missing_or_superfluous() -> None:
    with pytest.raises(UsageError, match="'json_valid' takes no value"):
        check_of(Criterion(1.0, "JSON", "form", check="json_valid", check_value="1"), {})
    with pytest.raises(UsageError, match=r"'tool_used' needs a value, as in `check: \{tool_used: …\}`"):
        check_of(Criterion(1.0, "Refunds", "steps", check="tool_used"), {})


RUBRIC = """
inputs: [messages, trace]
criteria:
- {name: refunds, requirement: It refunds., check: {tool_used: refund}}
- {name: short, requirement: It takes few steps., check: {step_count: {type: tool, max: 2}}}
"""


def test_a_rubric_of_checks_of_steps_is_graded_without_asking_a_judge(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(RUBRIC)
    rubric = load_rubric(tmp_path / "agent.yaml")
    grade = asyncio.run(Grading(rubric, ScriptedJudge([])).grade(Submission.of("Done.", {"trace": TRACE})))
    refunds = grade.outcomes["refunds"]
    assert isinstance(refunds, Verdict)
    assert (refunds.level, grade.outcomes["short"]) == (1.0, Verdict("short", 0.0, "3 steps, 0 to 2 expected"))
    changed = RUBRIC.replace("max: 2", "max: 3")
    (tmp_path / "agent.yaml").write_text(changed)
    assert load_rubric(tmp_path / "agent.yaml").fingerprint != rubric.fingerprint


@pytest.mark.parametrize("name", ["messages", "trace"])
def test_a_rubric_that_lists_messages_and_trace_as_inputs_is_satisfied_with_one_of_the_two(name: str) -> None:
    rubric = Rubric((Criterion(1.0, "Safe?", "safe"),), inputs=("query", "messages", "trace"))
    assert lacking_inputs(rubric, Submission.of("Done.", {"query": "?", name: TRACE})) == []
    assert lacking_inputs(rubric, Submission.of("Done.", {name: TRACE})) == ["query"]
    assert lacking_inputs(rubric, Submission.of("Done.", {"query": "?"})) == ["messages", "trace"]


def test_a_check_of_steps_gives_no_verdict_on_a_submission_without_steps() -> None:
    criterion = Criterion(1.0, "Refunds", "steps", check="tool_used", check_value='"refund"')
    nothing = run_check(criterion, Submission("Done."), {})
    assert isinstance(nothing, Unread)
    assert "there is no trace, messages or tool_calls" in nothing.why
    unreadable = run_check(criterion, Submission.of("Done.", {"trace": "searched"}), {})
    assert isinstance(unreadable, Unread)
    assert "trace holds no steps in a form that is known" in unreadable.why
    idle = run_check(criterion, Submission.of("Done.", {"tool_calls": []}), {})
    assert idle == Verdict("steps", 0.0, "refund was not called; no tool was called")


def test_messages_and_tool_calls_are_read_as_steps_only_if_there_is_no_trace() -> None:
    call = {"name": "refund", "arguments": {}}
    assert steps_of({"messages": [call], "tool_calls": [call]}) == (AgentStep("tool call", "refund", "{}"),) * 2
    assert steps_of({"messages": [call], "tool_calls": [call], "trace": [call]}) == steps_of({"trace": [call]})


def test_a_user_defined_check_gets_the_steps_and_the_criterion_s_check_value() -> None:
    @scorer
    def failed(prediction: str, _expected: str | None, *, steps: tuple[AgentStep, ...], value: Any) -> float:
        return float(sum(step.title == value for step in steps) == 2 and prediction == "Done.")

    criterion = Criterion(1.0, "Twice", "twice", check="failed", check_value='"find_order"')
    twice = [step for step in TRACE if "arguments" in step][:1] * 2
    seen = run_check(criterion, Submission.of("Done.", {"trace": twice}), {"failed": failed})
    assert isinstance(seen, Verdict)
    assert seen.level == 1.0


def test_the_built_in_checks_of_steps_are_those_that_the_documentation_lists() -> None:
    assert set(STEP_CHECKS) == {"tool_used", "tool_args", "tool_order", "step_count"}
    assert set(STEP_CHECKS) < set(SHIPPED_CHECKS)
