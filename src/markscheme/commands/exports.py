"""Exports of features: what `export` writes in place of a rubric's examples."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from markscheme.options.table import AddedOptions
from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.rubrics.rubric import Rubric

ExportOtherwise: TypeAlias = "Callable[[Rubric, Path | None, tuple[str, ...], AddedOptions], int | None]"
"""Exports what the options ask for, of a rubric, a file of examples (None for the rubric's own) and the judges named;
returns None where they ask for nothing of it."""
EXPORTS: Final[OpenTable[ExportOtherwise]] = OpenTable()
"""Exports that are tried, one after the other, before examples are read."""


def export_otherwise(
    rubric: "Rubric", examples: Path | None, judges: tuple[str, ...], added: AddedOptions
) -> int | None:
    """Return the exit status of a feature's own export; None where the options ask for none."""
    statuses = (export(rubric, examples, judges, added) for export in EXPORTS)
    return next((status for status in statuses if status is not None), None)
