"""Reading of a judge's verdicts whose labels are in another file, a table."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from markscheme.features.pass_rate.people_rate import refuse_several_criteria
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.columns import SideColumn, TableColumn, output_roles
from markscheme.readers.tabular.read_values import read_values
from markscheme.readers.tabular.reading import TableReading, one_of_each_row, read_files
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.roles import Roles
from markscheme.readers.tabular.source import open_sheet


def read_verdicts_and_labels(file: Path, labels: Path, columns: ColumnOptions) -> tuple[TableReading, TableReading]:
    """Read a table of a judge's verdicts, and a table of the judge's verdicts with annotators' labels.

    The meaning of the values is inferred from both tables together.

    Args:
        file: The table of verdicts; its column of verdicts has the name of the judge's column in `labels`.
        labels: The table with the judge's verdicts and annotators' labels of the same rows.
        columns: What the columns and values of both tables mean.

    Returns:
        The table of verdicts, then the table with labels.

    Raises:
        UsageError: A table can't be read, has no column of the judge, or rates several criteria.
        RatingError: A file can't be read.
    """
    labelled = read_files([labels], columns)
    refuse_several_criteria(labelled)
    ((criterion, sides),) = labelled.roles.criteria.items()
    graded = one_of_each_row(open_sheet(file, columns)).columns
    cells_of = {column.name: column.cells for column in graded}
    n_graded = len(graded[0].cells)
    for side in sides:
        if side.is_judge and side.column.name not in cells_of:
            raise refusal("option-unused", columns=list(cells_of), option=f"--judge {side.column.name}")
    verdicts = {side.name: cells_of[side.column.name] if side.is_judge else [""] * n_graded for side in sides}
    together = [_with_cells(side, [*verdicts[side.name], *side.cells]) for side in sides]
    values = {criterion: read_values(together, criterion, columns)}
    roles: dict[str, str] = {
        str(role): name for name, role in reversed(output_roles(graded, replace(columns, human=())).items())
    }
    single: dict[str, str] = {role: roles[role] for role in ("id", "group", "system") if role in roles}
    judges = tuple(_with_cells(side, verdicts[side.name]) for side in sides if side.is_judge)
    ids = cells_of[single["id"]] if "id" in single else [f"row {row}" for row in range(1, n_graded + 1)]
    reading = TableReading(
        file.stem, (file,), columns, tuple(graded), tuple(ids), Roles({criterion: judges}, single), values
    )
    return reading, replace(labelled, values=values)


def _with_cells(side: SideColumn, cells: Sequence[str]) -> SideColumn:
    return replace(side, column=TableColumn(side.column.name, tuple(cells), side.column.file))
