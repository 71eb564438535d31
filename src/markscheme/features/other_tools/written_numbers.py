"""Recognition of columns whose levels are written as stars, percentages or like `4/5`, by a rubric's scales."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.formats import LIST, PLAIN_LINES, TABLE, format_of
from markscheme.readers.imported import plain
from markscheme.readers.peek import Peek
from markscheme.readers.tables import LABEL_NAMES, VERDICT
from markscheme.readers.tabular.cells import STARS, written_form
from markscheme.readers.tabular.words import folded
from markscheme.rubrics.rubric import Rubric, Scale
from markscheme.text import folded_word


def written_numbers(files: Sequence[Path], rubric: Rubric, options: ColumnOptions) -> dict[str, str]:
    """Map cells such as `★★★`, `85%` or `4/5` to the numbers that they write, for columns in which each cell does so.

    Args:
        files: The files, of which tables, lines and lists of records are searched.
        rubric: The rubric, whose scales the numbers must fit.
        options: The user's options on columns.
    """
    numbers: dict[str, str] = {}
    for path in files:
        peek = Peek(path, options)
        if format_of(peek, "anything") in (LIST, PLAIN_LINES, TABLE):
            for name in {str(name) for record in peek.records for name in record}:
                scale = _scale_of(options.column_fields.get(name, name), rubric)
                if scale is not None and _numbers_on(scale, _cells(peek.records, name)):
                    numbers |= _numbers_on(scale, _cells([*peek.all_records()], name))
    return numbers


def _scale_of(column: str, rubric: Rubric) -> Scale | None:
    """Return the scale of the levels in a column, by the column's name.

    Return None for a column without levels, and for a scale that is yes/no or has no order.
    """
    by_name = {plain(criterion.name): criterion.scale for criterion in rubric.criteria}
    of_only = rubric.criteria[0].scale if len(rubric.criteria) == 1 else None
    scale = by_name.get(plain(column), of_only if plain(column) in (*VERDICT, *LABEL_NAMES, "level") else None)
    return scale if scale is not None and scale.ordered and not scale.is_yes_no else None


def _cells(records: Sequence[Mapping[str, Any]], name: str) -> set[str]:
    """Return the different texts in a column, without empty ones."""
    return {str(record[name]).strip() for record in records if record.get(name) not in (None, "")}


def _numbers_on(scale: Scale, cells: set[str]) -> dict[str, str]:
    """Map each cell, such as `4/5`, to its number on a scale; {} if cells differ in form, or one isn't on the scale.

    Stars are read if the scale's highest level equals its number of levels. A percentage is read as a number on a scale
    that ends at 100, and as a share on a scale that ends at 1. A number such as `4/5` is read if the scale ends at the
    second number.
    """
    form = written_form({folded(cell) for cell in cells}) if cells else None
    top = scale.values[-1]
    if form is None or form.top not in (None, top) or (set().union(*cells) & {*STARS} and len(scale.values) != top):
        return {}
    if form.is_percent and top not in (1, 100):
        return {}
    whole = 100 if form.is_percent and top == 1 else 1
    numbers = {cell: form.numbers[folded(cell)] / whole for cell in cells}
    are_on_scale = all(scale.values[0] <= number <= top for number in numbers.values())
    return {folded_word(cell): f"{number:g}" for cell, number in numbers.items()} if are_on_scale else {}
