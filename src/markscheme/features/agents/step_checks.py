"""Checks of an agent's steps by code, with the values that Promptfoo's `trajectory:` assertions take."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

from markscheme.grading.step_checks import StepCheck
from markscheme.prompts.steps import SPAN_RESULT, TOOL_CALL, TOOL_RESULT, AgentStep

STEP_TYPES = ("tool", "message", "span")
_MESSAGE_ROLES = ("user", "assistant", "system", "developer")
MOST_LISTED = 20
"""Largest number of tool calls that a check's reason lists."""


def tool_used(steps: Sequence[AgentStep], value: Any) -> tuple[bool, str]:
    """Return True if the expected tools were called; also return a sentence with the reason.

    Args:
        steps: All steps.
        value: A name or a list of names, in which * matches anything: every named tool must have been called. Or `{name
            | pattern, min, max}`: the number of calls of this tool must be within the limits; `min` is 1 by default, or
            0 if `max` is 0.

    Raises:
        ValueError: The value isn't one of these.
    """
    called = _calls(steps)
    if isinstance(value, Mapping):
        pattern = _pattern_in(value, "tool_used", ("min", "max"))
        limits = _Limits.of(value, "tool_used", least=1)
        count = sum(_matches(step, pattern) for step in called)
        return limits.hold(count), f"{pattern} was called {_times(count)}, {limits.words} expected"
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"tool_used takes a tool's name, names, or {{name, min, max}}; found {json.dumps(value)}")
    missing = [name for name in names if not any(_matches(step, name) for step in called)]
    if missing:
        return False, f"{', '.join(missing)} was not called; {_listed(called)}"
    return True, f"{', '.join(names)} was called; {_listed(called)}"


def tool_args(steps: Sequence[AgentStep], value: Any) -> tuple[bool, str]:
    """Check that a call of a tool had the expected arguments; return True if one had, and a sentence on the calls.

    Args:
        steps: All steps.
        value: `{name | pattern, args, mode, defaults, ignore}`. `args` are the expected arguments. With `mode: partial`
            (the default) a call may have further arguments, with `exact` it may not. An argument with its value in
            `defaults` counts as left out. Arguments named in `ignore`, where * matches anything, don't count.

    Raises:
        ValueError: The value isn't such an object.
    """
    pattern = _pattern_in(value, "tool_args", ("args", "arguments", "mode", "defaults", "ignore"))
    if "args" not in value and "arguments" not in value:
        raise ValueError("tool_args needs `args`, the arguments expected")
    expected = value.get("args", value.get("arguments"))
    mode = value.get("mode", "partial")
    defaults = value.get("defaults", {})
    ignored = value.get("ignore", [])
    ignored = [ignored] if isinstance(ignored, str) else ignored
    if mode not in ("partial", "exact"):
        raise ValueError(f"`mode` of tool_args is partial or exact, found {mode!r}")
    if not isinstance(defaults, Mapping):
        raise ValueError("`defaults` of tool_args are values by argument")
    if not isinstance(ignored, list) or not all(isinstance(name, str) and name for name in ignored):
        raise ValueError("`ignore` of tool_args is a name or a list of names")
    calls = [step for step in _calls(steps) if _matches(step, pattern)]
    same = _equal if mode == "exact" else _includes
    wanted = _compared_arguments(expected, {}, ignored)
    for call in calls:
        if same(_compared_arguments(call.called_with, defaults, ignored), wanted):
            return True, f"{call.title} was called with {json.dumps(call.called_with, default=str)}"
    if not calls:
        return False, f"{pattern} was not called; {_listed(_calls(steps))}"
    seen = "; ".join(json.dumps(call.called_with, default=str) for call in calls[:MOST_LISTED])
    return False, f"no call of {pattern} had {json.dumps(expected)} ({mode}); it had {seen}"


def tool_order(steps: Sequence[AgentStep], value: Any) -> tuple[bool, str]:
    """Check that tools were called in the expected order; return True if they were, and a sentence on the calls.

    Args:
        steps: All steps.
        value: A list of names or `{name | pattern}`, or `{steps: […], mode}`: with `mode: in_order` (the default) other
            calls may come between, with `exact` these are all calls.

    Raises:
        ValueError: The value isn't one of these.
    """
    sequence = value.get("steps") if isinstance(value, Mapping) else value
    mode = value.get("mode", "in_order") if isinstance(value, Mapping) else "in_order"
    if isinstance(value, Mapping):
        _refuse_others(value, "tool_order", ("steps", "mode"))
    if not isinstance(sequence, list) or not sequence:
        raise ValueError("tool_order takes a list of tools, or {steps: [...], mode: in_order | exact}")
    if mode not in ("in_order", "exact"):
        raise ValueError(f"`mode` of tool_order is in_order or exact, found {mode!r}")
    patterns = [_pattern_in(raw, "tool_order", ()) for raw in sequence]
    called = _calls(steps)
    listed = ", ".join(patterns)
    if mode == "exact":
        fits = len(called) == len(patterns) and all(map(_matches, called, patterns))
        return fits, f"expected exactly {listed}; {_listed(called)}"
    remaining = iter(called)
    late = next((p for p in patterns if not any(_matches(step, p) for step in remaining)), None)
    if late is not None:
        return False, f"{late} was not called in the order {listed}; {_listed(called)}"
    return True, f"called in the order {listed}; {_listed(called)}"


def step_count(steps: Sequence[AgentStep], value: Any) -> tuple[bool, str]:
    """Check that the number of steps is within limits; return True if it is, and a sentence that gives the number.

    A call and its result are one step.

    Args:
        steps: All steps.
        value: `{min, max, type, name | pattern}`, at least one of the limits; `type` is tool, message or span.

    Raises:
        ValueError: The value isn't such an object.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"step_count takes {{min, max, type, name}}, found {json.dumps(value)}")
    _refuse_others(value, "step_count", ("min", "max", "type", "name", "pattern"))
    limits = _Limits.of(value, "step_count", least=0)
    if not {"min", "max"} & value.keys():
        raise ValueError("step_count needs `min` or `max`")
    kind = value.get("type")
    if kind is not None and kind not in STEP_TYPES:
        raise ValueError(f"`type` of step_count is {', '.join(STEP_TYPES)}; found {kind!r}")
    pattern = _pattern_in(value, "step_count", ("min", "max", "type")) if {"name", "pattern"} & value.keys() else None
    kinds = (kind,) if kind else STEP_TYPES
    counted = [step for step in steps if kind_of(step) in kinds and (pattern is None or _matches(step, pattern))]
    count = len(counted)
    return limits.hold(count), f"{count} {'step' if count == 1 else 'steps'}, {limits.words} expected"


STEP_CHECKS: Mapping[str, StepCheck] = {
    "tool_used": tool_used,
    "tool_args": tool_args,
    "tool_order": tool_order,
    "step_count": step_count,
}
"""Built-in checks of steps, by name."""


def kind_of(step: AgentStep) -> str | None:
    """Return a step's kind, `tool`, `message` or `span`; None for a result, which belongs to the step before."""
    if step.role in (TOOL_RESULT, SPAN_RESULT):
        return None
    if step.role == TOOL_CALL:
        return "tool"
    return "message" if step.role in _MESSAGE_ROLES else "span"


def _calls(steps: Sequence[AgentStep]) -> list[AgentStep]:
    return [step for step in steps if step.role == TOOL_CALL]


def _listed(called: Sequence[AgentStep]) -> str:
    """Return the tool calls in order as text, for the reason that a check gives."""
    if not called:
        return "no tool was called"
    more = f" and {len(called) - MOST_LISTED} more" if len(called) > MOST_LISTED else ""
    return f"called: {', '.join(step.title for step in islice(called, MOST_LISTED))}{more}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _pattern_in(value: Any, check: str, others: Sequence[str]) -> str:
    """Return the pattern of tool names in a check's value: the value itself, or its entry `pattern` or `name`.

    Args:
        value: The value.
        check: Name of the check, for messages.
        others: Further keys that the value may have.
    """
    if isinstance(value, str) and value:
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"{check} needs a tool's `name`, found {json.dumps(value)}")
    _refuse_others(value, check, ("name", "pattern", *others))
    pattern = value.get("pattern") or value.get("name")
    if not isinstance(pattern, str):
        raise ValueError(f"{check} needs a tool's `name`, or a `pattern` of names")
    return pattern


def _matches(step: AgentStep, pattern: str) -> bool:
    """Return True if a step's title, such as a tool's name, matches a pattern with * and ?, ignoring case."""
    return fnmatchcase(step.title.casefold(), pattern.casefold())


@dataclass(frozen=True)
class _Limits:
    """The lowest and highest count that a check of steps allows."""

    low: int
    high: int | None

    @classmethod
    def of(cls, value: Mapping[str, Any], check: str, least: int) -> "_Limits":
        """Read the limits from the keys `min` and `max` of a check's value.

        Args:
            value: The value.
            check: Name of the check, for messages.
            least: The lower limit if there is no `min`, unless `max` is 0.
        """
        for key in ("min", "max"):
            limit = value.get(key, 0)
            if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
                raise ValueError(f"`{key}` of {check} is a whole number from 0, found {json.dumps(limit)}")
        high = value.get("max")
        low = value.get("min", 0 if high == 0 else least)
        if high is not None and high < low:
            raise ValueError(f"`max` of {check} is {high}, below `min`, {low}")
        return cls(low, high)

    def hold(self, count: int) -> bool:
        """Return True if a count is within the limits."""
        return self.low <= count and (self.high is None or count <= self.high)

    @property
    def words(self) -> str:
        """The limits in words, such as "1 to 3", for the reason that a check of steps gives."""
        if self.high is None:
            return f"at least {self.low}"
        return f"{self.low} to {self.high}" if self.low < self.high else f"{self.high}"


def _refuse_others(value: Mapping[str, Any], check: str, allowed: Sequence[str]) -> None:
    unknown = [key for key in value if key not in allowed]
    if unknown:
        raise ValueError(f"{check} knows no {unknown[0]!r}; it takes {', '.join(allowed)}")


def _compared_arguments(arguments: Any, defaults: Mapping[str, Any], ignored: Sequence[str]) -> Any:
    """Return the arguments of a tool call that are to be compared: not ignored, and not equal to their default."""
    if not isinstance(arguments, Mapping):
        return arguments
    return {
        key: value
        for key, value in arguments.items()
        if not any(fnmatchcase(str(key), name) for name in ignored)
        and not (key in defaults and _equal(value, defaults[key]))
    }


def _equal(actual: Any, expected: Any) -> bool:
    """Return True if two values of JSON are equal: 1 equals 1.0, but not true."""
    if isinstance(actual, bool) or isinstance(expected, bool):
        return actual is expected
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        return actual.keys() == expected.keys() and all(_equal(actual[key], expected[key]) for key in expected)
    if isinstance(actual, list) and isinstance(expected, list):
        return len(actual) == len(expected) and all(map(_equal, actual, expected))
    return bool(actual == expected)


def _includes(actual: Any, expected: Any) -> bool:
    """Return True if a value includes the expected one: objects may have further keys, lists no further items."""
    if isinstance(expected, Mapping):
        return isinstance(actual, Mapping) and all(
            key in actual and _includes(actual[key], value) for key, value in expected.items()
        )
    if isinstance(expected, list):
        is_as_long = isinstance(actual, list) and len(actual) == len(expected)
        return is_as_long and all(map(_includes, actual, expected))
    return _equal(actual, expected)
