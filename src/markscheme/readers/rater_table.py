"""Reader of a CSV table of ratings, with units in rows and raters in columns, as numbers."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.errors import Fault, RatingError, UsageError
from markscheme.phrases import in_words
from markscheme.plain_data import shown
from markscheme.readers.imported import number
from markscheme.readers.recoding import Recoding
from markscheme.readers.tabular.source import cell_text

UNIT_COLUMNS = ("unit", "id", "item")
ROWS_OF_A_FOREIGN_COLUMN = 10
"""Smallest number of rows for which a column whose words occur in no other column isn't read as ratings."""


@dataclass(frozen=True)
class RaterTable:
    """A table of ratings as numbers, with a row per unit and a column per rater.

    Levels that are words are replaced by their index in `levels`.
    """

    raters: tuple[str, ...]
    levels: tuple[float | str, ...]
    values: npt.NDArray[np.float64]

    @property
    def codes(self) -> list[float]:
        """Number in the cells for each level: the level itself or, for levels that are words, its index."""
        return [level if isinstance(level, float) else float(index) for index, level in enumerate(self.levels)]


def read_rater_table(path: Path, levels: str | None = None, *, between: bool = True) -> RaterTable:
    """Read a CSV file of ratings that has a row for each rated unit and a column for each rater.

    Args:
        path: The file.
        levels: Names of the scale's levels, worst first, as `Recoding` reads them; None to use those that occur.
        between: True if a number between two levels is a valid rating, such as a mean of runs.

    Raises:
        RatingError: The file isn't a table, or has a row whose length differs from the header's or a cell that isn't a
            level.
        UsageError: `levels` is invalid.
    """
    return _table(_rows(path), levels or "", path, between=between)


def rater_table_from(
    rows: Iterable[Mapping[str, Any]],
    levels: str | None = None,
    *,
    between: bool = True,
    place: Path | str = "table",
) -> RaterTable:
    """Make a RaterTable from rows in memory, each a mapping of raters to their rating of a unit.

    Args:
        rows: A mapping of rater to rating for each unit.
        levels: Names of the scale's levels, worst first; None to use those that occur.
        between: True if a number between two levels is a valid rating.
        place: Name of the source, for messages.

    Raises:
        RatingError: A row has a cell that isn't a level, or there are fewer than two raters.
        UsageError: `levels` is invalid, or a row isn't a mapping.
    """
    units = list(rows) if isinstance(rows, Iterable) else [rows]
    for row in units:
        if not isinstance(row, Mapping):
            raise UsageError(f"a table is a file or rows such as {{'ann': 1, 'ben': 2}}, got {shown(row)}")
    header = list(dict.fromkeys(str(name) for row in units for name in row))
    body = [(ordinal, [cell_text(row.get(name)) for name in header]) for ordinal, row in enumerate(units, start=1)]
    return _table([(0, header or [""]), *body], levels or "", place, between=between)


def _table(rows: Sequence[tuple[int, list[str]]], levels: str, path: Path | str, *, between: bool) -> RaterTable:
    (_, header), *body = rows
    skip = 1 if header[0].strip().casefold() in UNIT_COLUMNS else 0
    raters = tuple(name.strip() for name in header[skip:])
    if len(raters) < 2 or not body:
        raise RatingError(
            "a table of ratings has a header row, two columns of raters or more, and a row for each unit", path=path
        )
    faults = list(_faults_of_raters(raters))
    faults += [
        Fault(f"has {len(row)} cells, the header {len(header)}", n) for n, row in body if len(row) != len(header)
    ]
    if faults:
        raise RatingError(faults, path=path)
    recoding = Recoding.parse(levels)
    cells = [(n, [recoding.read(cell.strip()) for cell in row[skip:]]) for n, row in body]
    if not levels:
        _refuse_foreign_columns(raters, [row for _, row in cells], path)
    return _coded(raters, cells, ",".join(recoding.levels), between, path)


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """Read the non-empty rows of a CSV file, each with the line on which it ends."""
    if not path.is_file():
        raise UsageError(
            f"there is no file {path}; give a CSV table with a header row, units in rows, raters in columns"
        )
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            rows = [(reader.line_num, row) for row in reader if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RatingError(f"cannot be read: {error}", path=path) from error
    if not rows:
        raise RatingError("is empty", path=path)
    return rows


def _faults_of_raters(raters: Sequence[str]) -> Iterator[Fault]:
    for name, count in Counter(raters).items():
        if not name:
            yield Fault("a rater has no name; a column of names is headed unit, id or item", 1)
        elif count > 1:
            yield Fault(f"{count} raters are named {name!r}", 1)


def _refuse_foreign_columns(raters: Sequence[str], rows: Sequence[Sequence[str]], path: Path | str) -> None:
    """Raise an error if a column doesn't seem to be a rater's, such as one of ids or comments.

    Such a column has words, and no value that another column has too, while at least two other columns share values. A
    short table isn't checked.

    Args:
        raters: Names of the columns.
        rows: Rows of cells, in the order of the columns.
        path: The table, for the message.

    Raises:
        RatingError: There is such a column; the message names it.
    """
    if len(rows) < ROWS_OF_A_FOREIGN_COLUMN:
        return
    values = {rater: {row[index] for row in rows} - {""} for index, rater in enumerate(raters)}
    columns_with = Counter(value for different in values.values() for value in different)
    sharing = [rater for rater, different in values.items() if any(columns_with[value] > 1 for value in different)]
    foreign = [
        rater
        for rater, different in values.items()
        if rater not in sharing and any(number(value) is None for value in different)
    ]
    if foreign and len(sharing) > 1:
        named = in_words(list(map(repr, foreign)))
        others = in_words(list(map(repr, sharing)))
        have = "has" if len(foreign) == 1 else "have"
        raise RatingError(f"{named} {have} no value in common with {others}; leave out what isn't a rater", path=path)


def _coded(
    raters: tuple[str, ...], rows: list[tuple[int, list[str]]], named_levels: str, between: bool, path: Path | str
) -> RaterTable:
    cells = [(n, cell) for n, row in rows for cell in row if cell]
    if not cells:
        raise RatingError("contains no rating", path=path)
    levels = _named_levels(named_levels) if named_levels else _levels_among(cells, path)
    codes = {cell: _code(cell, levels, between) for _, cell in cells}
    shown = ", ".join(level if isinstance(level, str) else f"{level:g}" for level in levels)
    faults = [Fault(f"{cell!r} is not one of the levels {shown}", n) for n, cell in cells if codes[cell] is None]
    if faults:
        raise RatingError(faults, path=path)
    values = [[codes[cell] if cell else np.nan for cell in row] for _, row in rows]
    return RaterTable(raters, levels, np.array(values, dtype=float))


def _code(cell: str, levels: tuple[float | str, ...], between: bool) -> float | None:
    """Return a cell's level as a number: itself or, for a word, its index in `levels`; None if it isn't a level.

    Args:
        cell: The cell.
        levels: The scale's levels, worst first: numbers, or only words.
        between: True if a number between the lowest and the highest level counts, too.
    """
    numbers = [level for level in levels if isinstance(level, float)]
    if not numbers:
        return float(levels.index(cell)) if cell in levels else None
    value = number(cell)
    if value is None or not (min(numbers) <= value <= max(numbers) if between else value in numbers):
        return None
    return value


def _named_levels(listed: str) -> tuple[float | str, ...]:
    names = tuple(listed.split(","))
    numbers = [value for value in map(number, names) if value is not None]
    levels: tuple[float | str, ...] = tuple(numbers) if len(numbers) == len(names) else names
    if len(levels) < 2 or len(set(levels)) < len(levels) or not all(names):
        raise UsageError(f"`levels` must be two or more different levels, worst first, got {listed!r}")
    if numbers == list(levels) and numbers != sorted(numbers):
        raise UsageError(f"`levels` must list numbers lowest first, got {listed!r}")
    return levels


def _levels_among(cells: Sequence[tuple[int, str]], path: Path | str) -> tuple[float | str, ...]:
    numbers = {cell: number(cell) for _, cell in cells}
    words = [(n, cell) for n, cell in cells if numbers[cell] is None]
    if not words:
        return tuple(sorted({value for value in numbers.values() if value is not None}))
    if len({cell for _, cell in words}) < len(numbers):
        problem = "is not a number, and others are; leave missing cells empty, or give the `levels`"
        raise RatingError([Fault(f"{cell!r} {problem}", n) for n, cell in words], path=path)
    return tuple(sorted(numbers))
