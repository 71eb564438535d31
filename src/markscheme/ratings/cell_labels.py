"""Labels in the cells of a table of examples: levels by criterion, an overall score, and the rater's name."""

from collections.abc import Mapping
from typing import Any, Final

from markscheme.numerals import number_in
from markscheme.rubrics.rubric import Criterion


def label_in_cells(row: Mapping[str, str], criteria: Mapping[str, Criterion]) -> dict[str, Any] | None:
    """Return the label in a table's row as a line of a file of ratings; None if the row has no label.

    Args:
        row: The cells by column, without empty ones.
        criteria: The rubric's criteria, by name.
    """
    levels = {name: _cell(row[name], criterion) for name, criterion in criteria.items() if name in row}
    if not levels and "overall" not in row:
        return None
    label: dict[str, Any] = {"rater": row.get("rater", "author"), "criteria": levels}
    if "kind" in row:
        label["kind"] = row["kind"]
    if "overall" in row:
        label["overall"] = number_or_text(row["overall"])
    return label


def _cell(text: str, criterion: Criterion) -> float | str | bool:
    """Read a level from a table's cell; on a yes/no scale, `true`, `false`, `yes` and `no` mean MET and UNMET."""
    decision = _DECISIONS.get(text.strip().casefold()) if criterion.scale.is_yes_no else None
    return number_or_text(text) if decision is None else decision


_DECISIONS: Final = {"true": True, "yes": True, "false": False, "no": False}
"""What words in cells mean on a yes/no scale, as spreadsheets and people write them."""


def number_or_text(cell: str) -> float | str:
    """Return the number in a table cell, or its text if it isn't a number."""
    number = number_in(cell.strip())
    return cell if number is None else number
