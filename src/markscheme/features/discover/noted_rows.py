"""Reader of tables whose rows are notes on responses."""

from pathlib import Path

from markscheme.errors import naming
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.columns import output_roles
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.source import open_sheet
from markscheme.readers.tabular.words import REASON_WORDS, name_words

_OF_NOTES = frozenset({"id", "note", "response", "query", "group", "at"})
"""Names that the recognized columns of a table of notes get."""


def noted_rows(path: Path, options: ColumnOptions) -> list[dict[str, str]]:
    """Read the rows of a table with notes, with columns renamed to `id`, `note`, `response` and so on where recognized.

    Raises:
        UsageError: No column is recognized as notes; the message names the option that says which column it is.
        RatingError: The file can't be read.
    """
    with naming(path):
        columns = open_sheet(path, options).columns
        roles = output_roles(columns, options)
        alone = [name for name, role in roles.items() if role == "reason" and REASON_WORDS.issuperset(name_words(name))]
        if "note" not in roles.values() and len(alone) == 1:  # next to a verdict it may be its reason: a note here
            roles[alone[0]] = "note"
        if "note" not in roles.values():
            names = [column.name for column in columns]
            raise refusal("no-notes", columns=names, choices=[("--map", "COLUMN=note")])
    first = {role: name for name, role in reversed(roles.items()) if role in _OF_NOTES}
    called = {column.name: column.name for column in columns} | {name: str(role) for role, name in first.items()}
    by_column = {called[column.name]: column.cells for column in columns}
    count = len(columns[0].cells)
    ids = by_column.get("id") or [f"row {row}" for row in range(1, count + 1)]
    rows = [{name: cells[row] for name, cells in by_column.items() if cells[row]} for row in range(count)]
    return [{**cells, "id": unit} for unit, cells in zip(ids, rows, strict=True)]
