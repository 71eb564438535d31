"""The responses in a table, whatever else it has: for what grades, labels or reads them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from markscheme.errors import naming
from markscheme.parts import in_cell
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.readers.formats import LIST, PLAIN_LINES, TABLE, format_of
from markscheme.readers.peek import Peek
from markscheme.readers.tabular.columns import ColumnRole, output_roles
from markscheme.readers.tabular.reading import one_of_each_row
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.source import open_sheet
from markscheme.readers.tabular.words import REASON_WORDS, name_words
from markscheme.submission import RESPONSE_KEYS, Submission

_NAMED: Mapping[ColumnRole, str] = {"query": "query", "reference": "reference"}
"""What an input is called that a table may call otherwise."""
_LEFT_OUT = frozenset({"id", "response", "group", "system", "judge", "human", "reason", "note", "derived", "aside",
                       "split", "blind", "at"})  # fmt: skip
"""Columns that are no input: who reads or rates a response mustn't see what others said of it."""
_OF_NOTES = frozenset({"id", "note", "response", "query", "group", "at"})
"""What columns of a table of notes are called by, whatever their names."""
_STATED = frozenset({"response", "id", "query", "group"})
"""Fields of `--map` that only a table's responses have."""


def reads_as_table(path: Path, options: ColumnOptions) -> bool:
    """Return whether the responses in a file are those of a table: by what the caller says, or by its content."""
    is_said = options.first_of_tables is not None or not _STATED.isdisjoint(options.fields.values())
    peek = Peek(path, options)
    return is_said or (peek.shape == "sheet" and format_of(peek, "anything") is TABLE)


FileContent: TypeAlias = Literal["format", "responses", "other"]
"""What a file holds: a format that is neither a table nor plain records, records with responses, anything else."""


def content_of_file(path: Path) -> FileContent:
    """Return what a file holds; a single object of JSON is one response, as it is."""
    peek = Peek(path)
    if format_of(peek, "anything") not in (None, LIST, PLAIN_LINES, TABLE):
        return "format"
    is_list = peek.shape == "json" and not peek.document
    has_records = bool(peek.records) and (is_list or len(peek.records) > 1)
    is_responses = has_records and all(any(key in record for key in RESPONSE_KEYS) for record in peek.records)
    return "responses" if is_responses else "other"


def noted_rows(path: Path, options: ColumnOptions) -> list[dict[str, str]]:
    """Return a table's rows with notes, by `id`, `note`, `response` and `query`, and other columns by their names.

    Raises:
        UsageError: No column holds notes; it names the option that says which does.
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


def outputs_in(path: Path, options: ColumnOptions) -> list[Example]:
    """Return the responses in a table, each with its inputs; of rows of one id the first counts.

    Raises:
        UsageError: No column holds responses; it names the option that says which does.
        RatingError: The file can't be read.
    """
    with naming(path):
        columns = one_of_each_row(open_sheet(path, options)).columns
        roles = output_roles(columns, options)
        single = {role: name for name, role in reversed(roles.items())}
        if "response" not in single:
            names = [column.name for column in columns]
            raise refusal("no-responses", columns=names, choices=[("--response", "COLUMN")])
    cells = {column.name: column.cells for column in columns}
    inputs = {name: _NAMED.get(role, name) for name, role in roles.items() if role not in _LEFT_OUT}
    examples: dict[str, Example] = {}
    for row, response in enumerate(cells[single["response"]]):
        if not response.strip():
            continue
        unit = cells[single["id"]][row].strip() if "id" in single else ""
        of_row = {called: in_cell(cells[name][row]) for name, called in inputs.items() if cells[name][row]}
        with naming(path):
            submission = Submission(in_cell(response), of_row, unit or f"row {row + 1}", folder=path.parent)
        about = {key: cells[single[key]][row] if key in single else "" for key in ("group", "system")}
        examples.setdefault(submission.id, Example(submission, group=about["group"], system=about["system"]))
    return list(examples.values())
