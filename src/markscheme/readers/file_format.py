"""One format of rated files, and the table to which features add theirs."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from collections import Counter

    from markscheme.ratings.example_rows import Example
    from markscheme.readers.imported import Columns, Expected, Reading
    from markscheme.readers.peek import Peek
    from markscheme.readers.remarks import Remark
    from markscheme.rubrics.rubric import Rubric

ReadFiles: TypeAlias = "Callable[[Sequence[Peek], Rubric | None, Columns], list[Reading]]"
ReadRemarks: TypeAlias = "Callable[[Sequence[Peek]], tuple[list[Remark], dict[str, Example], Counter[str], list[str]]]"

EXPORTED: Final = 10
"""Rank of exports of tools, which are tried before all else: their own form is narrower than that of a table."""
SAVED: Final = 20
"""Rank of what a page or Promptfoo saves."""
PUBLISHED_SETS: Final = 30
"""Rank of data sets of other packages."""
OURS: Final = 50
"""Rank of our own files and of tables."""


class FileFormat(NamedTuple):
    """One format of rated files.

    Attributes:
        reads: Description of the files for a message; brackets hold how they are recognized.
        is_mine: Whether a file has the format.
        read: The content of files of this format, by a rubric; without one, by the rubric that they name or imply.
        expected: What the caller must expect for a file to have this format; empty for any caller.
        all_are_judges: Whether a person's ratings in it are compared like a judge's, instead of being labels.
        is_of_tool: Whether it is the export of a tool, which names its metrics and its raters.
        states_kinds: Whether it states who labelled, a person or not.
        names_judges: Whether it names its judges.
        read_remarks: Reads the words in the files of one export, its responses by id, counts of what neither can
            hold, and notes; None for other formats.
        times: Yields ids of responses with the time of each, as written; None for a format that has none.
        rank: When it is tried: those of a lower rank first.
    """

    reads: str
    is_mine: "Callable[[Peek], bool]"
    read: ReadFiles
    expected: "tuple[Expected, ...]" = ()
    all_are_judges: bool = False
    is_of_tool: bool = False
    states_kinds: bool = True
    names_judges: bool = True
    read_remarks: "ReadRemarks | None" = None
    times: "Callable[[Peek], Iterator[tuple[str, Any]]] | None" = None
    rank: int = OURS

    @property
    def name(self) -> str:
        """The description without how files are recognized."""
        return self.reads.partition(" (")[0]


LoadFormats: TypeAlias = "Callable[[], Sequence[FileFormat]]"
"""Imports the formats of a feature and returns them."""
FORMATS: OpenTable[LoadFormats] = OpenTable()
"""What loads the formats of each feature; `readers.formats` has the core's."""
