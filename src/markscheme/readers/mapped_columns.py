"""Check that the columns which options such as `--map COLUMN=FIELD` name are in the files that they are about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from markscheme.errors import UsageError, suggestion
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.formats import LIST, PLAIN_LINES, TABLE, format_of
from markscheme.readers.imported import ITEMS, plain, taken_out
from markscheme.readers.peek import Peek
from markscheme.readers.tabular.source import json_records


def refuse_unknown_columns(files: Sequence[Path], options: ColumnOptions) -> None:
    """Raise an error if an option says what a column holds, and no row of any of the files has that column.

    Raises:
        UsageError: Names the column, and the nearest one.
    """
    stated = replace(options, map=tuple(options.stated.get("map", ())))
    missing = {column: name for column, name in stated.column_fields.items() if column not in options.sides}
    names: dict[str, None] = {}
    for peek in (Peek(path, options) for path in files if missing and path.is_file()):
        for record in _records(peek) if format_of(peek, "anything") in (TABLE, PLAIN_LINES, LIST) else ():
            names |= dict.fromkeys(map(str, record))
            missing = {column: name for column, name in missing.items() if not _has_value(record, column)}
            if not missing:
                return
    for column, name in missing.items() if names else ():
        option = f"--map {column}={name}" if column in options.fields else f"--{name} {column}"
        hint = suggestion(column, names, mark="`") or f"; there are {', '.join(names)}"
        raise UsageError(f"`{option}`: no row has this column{hint}")


def _records(peek: Peek) -> Iterable[Mapping[str, Any]]:
    """Return the records of a file.

    For a table, the first is a record with None in every column, so that columns without values are known, too.
    """
    if peek.shape == "json":
        return json_records(peek.data, peek.path, peek.options)
    return chain([dict.fromkeys(peek.header)], peek.all_records())


def _has_value(record: Mapping[str, Any], column: str) -> bool:
    """Return True if a record has a value in a column, whose name may be a path into objects and lists."""
    path = column.partition(ITEMS)[0]
    return plain(path) in map(plain, map(str, record)) or taken_out(dict(record), path)[1] is not None
