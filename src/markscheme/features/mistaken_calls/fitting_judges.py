"""Judges' columns that can be compared with a table's labels where the column that was read can't."""

import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from inspect import BoundArguments
from pathlib import Path

from markscheme.errors import MarkschemeError, UsageError
from markscheme.phrases import in_words
from markscheme.ratings.column_options import ColumnOptions, as_typed
from markscheme.readers.tabular.columns import is_judges
from markscheme.readers.tabular.reading import read_files
from markscheme.readers.tabular.source import open_sheet


def name_fitting_judges(error: UsageError, bound: BoundArguments) -> None:
    """Add to an error about a table's values the judges' columns that can be compared without a further option.

    Args:
        error: The error. It stays as it is if the user named a judge, or if it asks for one already.
        bound: The arguments of the command.
    """
    columns = next((value for value in bound.arguments.values() if isinstance(value, ColumnOptions)), ColumnOptions())
    names_judge = bool(columns.judge or bound.arguments.get("judge"))
    if error.path is None or not error.columns or names_judge or any("--judge" in choice for choice in error.choices):
        return
    fitting = list(_fitting(Path(error.path), columns, error.columns))
    if fitting:
        error.facts = {**error.facts, "fitting judges": in_words(list(map(repr, fitting)), "or")}
        error.choices = (*(shlex.join(as_typed(("--judge", name))) for name in fitting), *error.choices)


def _fitting(path: Path, options: ColumnOptions, refused: tuple[str, ...]) -> Iterator[str]:
    """Yield the names of judges' columns with which a table can be read.

    Args:
        path: The table.
        options: What the user says of its columns and values.
        refused: Names of the columns that can't be compared.
    """
    with suppress(MarkschemeError):
        listed = open_sheet(path, options).columns
        if not {column.name for column in listed} >= set(refused):
            return
        for name in [column.name for column in listed if is_judges(column) and column.name not in refused]:
            with suppress(UsageError):
                read_files([path], replace(options, judge=(name,)))
                yield name
