"""Spans of traces, and the table of functions that read them from tracers' formats."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from markscheme.seam import OpenTable


class TraceSpan(NamedTuple):
    """Span of a trace: a model's or tool's call, or another operation, with its input and output.

    Attributes:
        id: Id of the span; "" if it has none.
        parent: Id of the span around it; "" if it is the outermost.
        start: Key by which it is sorted among its siblings.
        name: Name of the tool if it is a tool's call, else of the span.
        is_tool: True if a tool was called.
        received: Arguments of the call; None if they aren't known.
        gave: Result of the call; None if it isn't known.
        prompt: Messages that a model received, in OpenAI's form; None if the span has none.
        answered: Messages that a model sent; None if the span has none.
        rest: All other attributes, by name.
        events: Name and attributes of each event.
        failure: Reason why it failed; "" if it didn't.
        seconds: Duration in seconds; None if its start or its end isn't known.
    """

    id: str
    parent: str
    start: tuple[float, str]
    name: str
    is_tool: bool
    received: Any
    gave: Any
    prompt: list[Any] | None
    answered: list[Any] | None
    rest: Mapping[str, Any]
    events: tuple[tuple[str, Any], ...]
    failure: str
    seconds: float | None = None


TRACES: Final[OpenTable[Callable[[Any], list[TraceSpan]]]] = OpenTable()
"""Functions that read the spans of a trace from plain data; they return an empty list for other data."""
