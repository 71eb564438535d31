"""Readers of responses in tables and exports, ignoring ratings, for commands that grade, label or read responses."""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

from markscheme.errors import UsageError, naming
from markscheme.prompts.parts import in_cell
from markscheme.prompts.submission import PAIR_NAMES, RESPONSE_KEYS, Submission
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.readers.formats import LIST, PLAIN_LINES, TABLE, format_of
from markscheme.readers.imported import RESPONSES_ALONE
from markscheme.readers.peek import Peek
from markscheme.readers.rated import open_rated
from markscheme.readers.tabular.columns import ColumnRole, output_roles
from markscheme.readers.tabular.reading import one_of_each_row
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.source import open_sheet

_NAMED: Mapping[ColumnRole, str] = {"query": "query", "reference": "reference"}
"""Name of the input for a column of a known role, whatever the table calls it."""
_LEFT_OUT = frozenset({"id", "response", "group", "system", "judge", "human", "reason", "note", "derived", "aside",
                       "split", "blind", "at"})  # fmt: skip
"""Roles of columns that aren't inputs: a judge or a reader mustn't see what others said of a response."""
_NAMES_OF_OURS = frozenset({*RESPONSE_KEYS, *PAIR_NAMES, "rubric", "rubrics", "labels", "rater"})
"""Keys of records that our own readers read: responses, pairs, rows with a rubric, labelled examples and ratings."""
_STATED = frozenset({"response", "id", "query", "group"})
"""Fields of `--map` that only tables of responses have."""


def reads_as_table(path: Path, options: ColumnOptions) -> bool:
    """Return True if responses in a file are to be read as a table, as the user's options or the content say."""
    is_said = options.first_of_tables() is not None or not _STATED.isdisjoint(options.fields.values())
    peek = Peek(path, options)
    return is_said or (peek.shape == "sheet" and format_of(peek, "anything") is TABLE)


def names_responses_otherwise(path: Path, options: ColumnOptions) -> bool:
    """Return True if a table has no column of responses with a name that our own files use."""
    peek = Peek(path, options)
    names = set(chain.from_iterable(peek.records))  # a key inside a record names no response
    is_plain = format_of(peek, "anything") in (LIST, PLAIN_LINES, TABLE)
    if not is_plain or not names or names & _NAMES_OF_OURS:
        return False
    roles = output_roles(open_sheet(path, options).columns, options)
    responses = [name for name, role in roles.items() if role == "response"]
    return not responses or any(name in names or options.response for name in responses)


FileContent: TypeAlias = Literal["format", "responses", "other"]
"""Kind of content of a file: another tool's format, records with responses, or anything else."""


def content_of(path: Path, options: ColumnOptions, *, is_rows: bool) -> FileContent:
    """Return the kind of content of a file: another tool's format, a list of responses, or something else.

    Args:
        path: The file.
        options: The user's options on columns.
        is_rows: True if the file is a table or lines of JSON, which hold responses or something else.
    """
    if is_rows:
        return "responses" if names_responses_otherwise(path, options) else "other"
    peek = Peek(path)
    if format_of(peek, "anything") not in (None, LIST, PLAIN_LINES, TABLE):
        return "format"
    is_list = peek.shape == "json" and not peek.document
    has_records = bool(peek.records) and (is_list or len(peek.records) > 1)
    is_responses = has_records and all(any(key in record for key in RESPONSE_KEYS) for record in peek.records)
    return "responses" if is_responses else "other"


def outputs_in(path: Path, options: ColumnOptions) -> list[Example]:
    """Read the responses in a table, each with its inputs; if several rows have the same id, the first one counts.

    Raises:
        UsageError: No column holds responses; the message names the option that says which column does.
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


def responses_in_export(path: Path) -> Iterator[Submission]:
    """Yield the responses in another tool's export, or in Promptfoo's results.

    Raises:
        UsageError: The file has no responses.
    """
    for file in open_rated([path], expected="examples", columns=RESPONSES_ALONE).files:
        if not file.has_responses:
            raise UsageError(f"{path} is {file.format}: it contains no responses to grade")
        yield from (example.submission for example in file.examples)
