"""The table of functions by which features suggest files of a new project from files that are in its folder."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from markscheme.seam import OpenTable


class FoundProject(NamedTuple):
    """Files for a new project that a feature derived from existing files in the project's folder.

    Attributes:
        files: The text of each by its place in the project.
        reading: What was read and how, to be confirmed before anything is written.
        next_steps: How to go on.
    """

    files: Mapping[Path, str]
    reading: Sequence[str]
    next_steps: Sequence[str]


ProjectSource: TypeAlias = Callable[[Path], FoundProject | None]
PROJECT_SOURCES: Final[OpenTable[ProjectSource]] = OpenTable()
"""Functions that read a folder's configuration as a project; each returns None for a folder it knows nothing of."""
