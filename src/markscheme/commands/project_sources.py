"""The table of what suggests the files of a new project from those of its folder, to which features add theirs."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from markscheme.seam import OpenTable


class FoundProject(NamedTuple):
    """The files of a project that those of its folder suggest.

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
"""Each returns None for a folder that suggests nothing to it."""
