"""The type of a file format, with how it is recognized and read, and the table of formats that features extend."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from collections import Counter

    from markscheme.ratings.example_rows import Example
    from markscheme.readers.imported import Columns, Expected, ImportedFile
    from markscheme.readers.peek import Peek
    from markscheme.readers.remarks import Remark
    from markscheme.rubrics.rubric import Rubric

ReadFiles: TypeAlias = "Callable[[Sequence[Peek], Rubric | None, Columns], list[ImportedFile]]"
ReadRemarks: TypeAlias = "Callable[[Sequence[Peek]], tuple[list[Remark], dict[str, Example], Counter[str], list[str]]]"

EXPORTED: Final = 10
"""Rank of exports of other tools, which are tried first, since their form is narrower than that of a table."""
SAVED: Final = 20
"""Rank of files that a labelling page, Promptfoo, or a command of a feature saves."""
OURS: Final = 50
"""Rank of markscheme's own files and of tables."""


class FileFormat(NamedTuple):
    """Definition of a file format of ratings or examples: how to recognize it, read it, and what it can hold.

    Attributes:
        reads: Description of the files for messages, followed in brackets by how to recognize them.
        is_mine: Function that returns True if a file has the format.
        read: Function that reads files of this format by a rubric or, without one, by the rubric that they name or
            imply.
        expected: What a caller must expect of a file, such as "ratings", for the format to be considered; empty to
            consider it for any caller.
        all_are_judges: True if people's ratings in these files are compared like a judge's, instead of being labels.
        is_of_tool: True if the files are a tool's export that names its metrics and its raters.
        states_kinds: True if the files state for each rating whether a person gave it.
        names_judges: True if the files name their judges.
        read_remarks: Function that reads the files of one export, and returns the comments, the responses by id, the
            number of things of each kind that can't be imported, and notes; None for a format without comments.
        times: Function that yields ids of responses with their times, as written; None for a format without times.
        is_table_too: Function that returns True if a file of this format may be read as a plain table as well; None if
            no file may.
        other_use: What a command other than `calibrate` does with a FILE of this format, for messages; None if there is
            no such command.
        rank: Position in the order in which formats are tried, lowest first.
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
    is_table_too: "Callable[[Peek], bool] | None" = None
    other_use: str | None = None
    rank: int = OURS

    @property
    def name(self) -> str:
        """Description of the format for users, without the part on how its files are recognized."""
        return self.reads.partition(" (")[0]


LoadFormats: TypeAlias = "Callable[[], Sequence[FileFormat]]"
"""Function that imports the formats of a feature and returns them."""
FORMATS: OpenTable[LoadFormats] = OpenTable()
"""Functions that load the formats of each feature; the module `readers.formats` has the core's."""
