"""Spans of traces, and the table of functions that read them from tracers' formats."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from markscheme.seam import OpenTable


class TraceSpan(NamedTuple):
    """Span of a trace: a model's or tool's call, or another operation, with its input and output.

    Attributes:
        id: "" if it has none.
        parent: The id of the span around it; "" if it is the outermost.
        start: Sorts it among its siblings.
        name: The tool's, if it is a tool's call, else its own.
        is_tool: True if a tool was called.
        received: Its arguments; None if that isn't known.
        gave: Its result; None if that isn't known.
        prompt: The messages that a model got, in OpenAI's form; None if the span holds none.
        answered: The model's messages; None if the span holds none.
        rest: Attributes that nothing here reads, by name.
        events: Name and attributes of its events.
        failure: Why it failed; "" if it didn't.
        seconds: How long it took; None if its start or its end isn't known.
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
