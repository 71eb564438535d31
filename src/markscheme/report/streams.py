"""Table of functions that find streams watched over time, for `status` to list and draw; features add theirs."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.report.document import Section


class WatchedStream(NamedTuple):
    """Latest state of a stream of responses, or of a judge on its accepted examples, which are watched over time.

    Attributes:
        line: The state as a line of text.
        data: The state as data for JSON.
        section: Function that makes the section with its plot; only a page needs it.
        key: Key of the list in the JSON of `status` to which `data` belongs.
    """

    line: str
    data: Mapping[str, Any]
    section: "Callable[[], Section]"
    key: str = "streams"


StreamsHere: TypeAlias = Callable[[Path], Iterable[WatchedStream]]
"""Function that yields the watched streams of a working directory."""
STREAMS: OpenTable[StreamsHere] = OpenTable()
"""Functions that find watched streams."""
