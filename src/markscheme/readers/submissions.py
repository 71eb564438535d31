"""Responses to grade from files that hold several: lines, tables, Promptfoo's results and other tools' exports."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markscheme.errors import RatingError, SubmissionError, UsageError, refuse_lines, suggestion
from markscheme.plain_data import ANOTHER_LENGTH, LINES, PARQUET, TABLES, id_of, json_rows
from markscheme.prompts.parts import in_cell
from markscheme.prompts.submission import NO_RESPONSE, RESPONSE_KEYS, Submission, is_missing, submission_of
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.parquet_rows import parquet_rows
from markscheme.ratings.row_form import PACKED, RowForm, form_of_rows
from markscheme.readers.plain_tables import brings_rubrics
from markscheme.row_files import table_rows

if TYPE_CHECKING:
    from markscheme.readers.table_outputs import FileContent

MAGIC_BYTES = 64
"""Number of bytes that are read to recognize a file's format."""
_JSON = (b"[", b"{")
_ONE_RESPONSE = (".txt", ".md")
RESPONSE_COLUMNS = ("response", "output", "answer")
"""Names of columns of a table that may contain the response, in order of preference."""


def holds_several(path: Path) -> bool:
    """Return True if a file holds several responses, in lines, in a table or in another tool's export."""
    return _holds_rows(path) or _is_tool_file(path)


def _holds_rows(path: Path) -> bool:
    """Return True if a file is a table, or JSON lines, with one response in each row."""
    if brings_rubrics(path):
        return True
    form = form_of_rows(path)
    if path.name.casefold().endswith((*LINES, *TABLES, PARQUET)):
        return form in ("lines", "table", "parquet")
    return form == "table" and path.suffix.casefold() not in _ONE_RESPONSE and _has_responses(path)


def _has_responses(path: Path) -> bool:
    """Return True if a table's header, or a first record, has a name for responses such as `response` or `output`."""
    form = form_of_rows(path)
    try:
        rows: Iterator[tuple[int, Any]] = json_rows(path, RatingError) if form == "lines" else _cells(path, form)
        first = next(rows, None)
    except RatingError:
        return False
    return first is not None and isinstance(first[1], Mapping) and any(name in first[1] for name in RESPONSE_COLUMNS)


def _is_tool_file(path: Path) -> bool:
    """Return True if a file holds responses in the format of another tool, such as Promptfoo's results."""
    return _content(path) == "format"


def _content(path: Path, options: ColumnOptions = ColumnOptions()) -> "FileContent":
    """Return the kind of content of a file: "format" for another tool's, "responses", or "other".

    A table or lines of JSON have "responses" if the column of responses has another name than in our own files, such as
    "Model Output"; with a column such as `response` they are "other". Only a JSON or compressed file is searched for
    another tool's format and for a list of responses; any other text is "other".
    """
    is_rows = _holds_rows(path)
    if is_rows:
        is_plain = "response" in options.column_fields.values() or brings_rubrics(path) or _has_responses(path)
    else:
        is_plain = not path.is_file() or not _start(path).startswith((*PACKED, *_JSON))
    if is_plain:
        return "other"
    content: FileContent = _table_outputs().content_of(path, options, is_rows=is_rows)
    return content


def _table_outputs() -> Any:
    from markscheme.readers import table_outputs  # a response in a file of its own needs no reader

    return table_outputs


def holds_sheet(path: Path, options: ColumnOptions) -> bool:
    """Return True if a file is to be read as a table of responses, as a workbook is, and not as a single response.

    A JSON file is read as a table if no tool wrote it, and if the user names its columns or its records have responses.
    Any other text is a single response, even if it looks like a table, unless the user names a table or an encoding.
    """
    content = _content(path, options)
    if not path.is_file() or content == "format":
        return False
    if options.table is not None or "encoding" in options.stated:
        return True
    if _holds_rows(path):
        return content == "responses"
    start = _start(path)
    return start.startswith(PACKED) or content == "responses" or (start[:1] in _JSON and bool(options.column_fields))


def _start(path: Path) -> bytes:
    """Return a file's first bytes, without a byte order mark and leading blanks."""
    with path.open("rb") as file:
        return file.read(MAGIC_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n")


def sheet_submissions(path: Path, options: ColumnOptions) -> Iterator[Submission]:
    """Yield each response, with its inputs, in a table that may be a workbook or in another special form."""
    yield from (example.submission for example in _table_outputs().outputs_in(path, options))


def read_submissions(
    path: Path, fields: Mapping[str, str], shown: Collection[str], notify: Callable[[str], None] | None = None
) -> Iterator[Submission]:
    """Yield each response in a file that holds several, with its inputs.

    Args:
        path: The file.
        fields: The field that a column holds, by the column's name, for columns that aren't named like their field.
        shown: Names of inputs that the rubric shows; other columns of bytes, such as images, are left out.
        notify: Function to call with a sentence about how a table's columns were understood.

    Raises:
        RatingError: No column has the responses, a row has more or fewer cells than the header, a column that `fields`
            names is missing, or an id occurs twice.
        UsageError: The file has ratings and no responses; or `fields` is given for another tool's file, whose fields
            can't be renamed.
    """
    if _is_tool_file(path):
        if fields:
            raise UsageError(f"`--map` is for columns of tables and keys of lines; {path} has its own names")
        yield from _table_outputs().responses_in_export(path)
        return
    line_of_id: dict[str, int] = {}
    for line, submission in _of_rows(path, fields, shown, notify):
        if line_of_id.setdefault(submission.id, line) != line:
            problem = f"the id {submission.id!r} is that of line {line_of_id[submission.id]} already; ids are unique"
            raise RatingError(problem, path=path, line=line)
        yield submission


def in_code(names: Iterable[str]) -> str:
    """Write alternative names for a message, each as code: "`response` or `output`"."""
    return " or ".join(f"`{name}`" for name in names)


# --- rows -----------------------------------------------------------------------------------------------------------


def _of_rows(
    path: Path, fields: Mapping[str, str], shown: Collection[str], notify: Callable[[str], None] | None
) -> Iterator[tuple[int, Submission]]:
    """Yield each row as a submission with its line number.

    Args:
        path: The file.
        fields: The new name of each column that the user renames.
        shown: Names of columns that are inputs even if their cells are bytes, such as images.
        notify: Called with a sentence if the column of responses had to be guessed; None to say nothing.
    """
    form = form_of_rows(path)
    if form == "lines" or brings_rubrics(path):
        yield from _of_lines(path, fields)
        return
    response = ""
    for ordinal, (row_number, cells) in enumerate(_cells(path, form), start=1):
        if cells is None:
            raise RatingError(ANOTHER_LENGTH, path=path, line=row_number)
        row = _renamed(cells, fields, path, names=cells)
        response = response or _response_column(
            path, row, fields, notify, inputs=", ".join(name for name in row if name in shown) or "none"
        )
        inputs = {
            name: in_cell(cell)
            for name, cell in row.items()
            if name not in ("id", response) and (name in shown or not isinstance(cell, bytes))
        }
        id = id_of(row.get("id"), ordinal)
        try:
            fault = NO_RESPONSE if is_missing(row[response]) else ""
            text = "" if fault else in_cell(row[response])
            yield row_number, Submission(text, inputs, id, fault, folder=path.parent)
        except SubmissionError as error:
            refuse_lines(RatingError(str(error), path=path, line=row_number))


def _of_lines(path: Path, fields: Mapping[str, str]) -> Iterator[tuple[int, Submission]]:
    rows = json_rows(path, RatingError) if fields else ()
    names = {name for _, line in rows if isinstance(line, dict) for name in line}
    for line_number, line in json_rows(path, RatingError):
        try:
            row = _renamed(line, fields, path, names=names) if isinstance(line, dict) else line
            is_without = isinstance(row, dict) and not any(key in row for key in RESPONSE_KEYS)
            yield line_number, submission_of({**row, "response": None} if is_without else row, line_number, path.parent)
        except ValueError as error:
            refuse_lines(RatingError(str(error), path=path, line=line_number))


def _cells(path: Path, form: RowForm) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the rows of a table, each with its number; None in place of a row of another length than the header."""
    yield from parquet_rows(path) if form == "parquet" else table_rows(path, RatingError)


def _renamed(row: dict[str, Any], fields: Mapping[str, str], path: Path, *, names: Collection[str]) -> dict[str, Any]:
    """Return a row with its columns renamed as the user asks; raise an error if no row has such a column.

    Args:
        row: The row.
        fields: The field that a column holds, by the column's name.
        path: The file, for messages.
        names: Names of the columns that at least one row of the file has.
    """
    for column in fields:
        if column not in names:
            near = suggestion(column, names, mark="`")
            raise RatingError(f"`--map`: there is no column {column!r}{near}", path=path)
    return {fields.get(name, name): value for name, value in row.items()} if fields else row


def _response_column(
    path: Path, names: Collection[str], fields: Mapping[str, str], say: Callable[[str], None] | None, *, inputs: str
) -> str:
    response = next((name for name in RESPONSE_COLUMNS if name in names), None)
    if response is None:
        raise RatingError(f"expected a column {in_code(RESPONSE_COLUMNS)}, got {', '.join(names)}", path=path, line=1)
    written = {field: column for column, field in fields.items()}
    by = f"column {written.get('id', 'id')}" if "id" in names else "row number"
    if say is not None:
        say(f"{path}: response from column {written.get(response, response)}, id from {by}; inputs: {inputs}")
    return response
