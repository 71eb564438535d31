"""The table of what is watched here over time, which `status` lists and draws; features add theirs."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.report.document import Section


class WatchedStream(NamedTuple):
    """A stream of responses, or a judge on its accepted examples, as it stood at the last look.

    Attributes:
        line: What is said of it, on a line.
        data: The same for JSON.
        section: Makes its picture; only a page needs it.
        key: The list of the JSON that it is in.
    """

    line: str
    data: Mapping[str, Any]
    section: "Callable[[], Section]"
    key: str = "streams"


StreamsHere: TypeAlias = Callable[[Path], Iterable[WatchedStream]]
"""Yields the streams of a working directory."""
STREAMS: OpenTable[StreamsHere] = OpenTable()
"""What finds them."""
