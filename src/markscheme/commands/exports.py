"""The table of exports that features add to the command `export`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from markscheme.options.table import AddedOptions
from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.rubrics.rubric import Rubric

ExportOtherwise: TypeAlias = "Callable[[Rubric, Path | None, tuple[str, ...], AddedOptions], int | None]"
"""Function that runs the export that the options ask for, given the rubric, the file of examples (None for the rubric's
own) and the judges' names; it returns None if the options ask for none of its exports."""
EXPORTS: Final[OpenTable[ExportOtherwise]] = OpenTable()
"""Exports that are tried, one after the other, before examples are read."""
