"""The table of functions by which features suggest files of a new project from files that are in its folder."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from markscheme.seam import OpenTable


class FoundProject(NamedTuple):
    """Files for a new project that a feature derived from existing files in the project's folder.

    Attributes:
        files: The text of each file, by its path in the project.
        reading: Sentences on what was read and how, for the user to confirm before any file is written.
        next_steps: What the user can do next.
    """

    files: Mapping[Path, str]
    reading: Sequence[str]
    next_steps: Sequence[str]


ProjectSource: TypeAlias = Callable[[Path], FoundProject | None]
PROJECT_SOURCES: Final[OpenTable[ProjectSource]] = OpenTable()
"""Functions that read a folder's configuration as a project; each returns None for a folder without the configuration
that it reads."""
