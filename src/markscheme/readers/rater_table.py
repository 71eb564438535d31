"""Read a CSV table of ratings, with units in rows and raters in columns, as numbers."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from markscheme.errors import Fault, RatingError, UsageError
from markscheme.readers.imported import number

UNIT_COLUMNS = ("unit", "id", "item")


@dataclass(frozen=True, slots=True)
class Recoding:
    """The levels of a table of ratings as `--levels` gives them, and cells that count as another level or as missing.

    Attributes:
        levels: Names of the levels, worst first.
        cells: The level that a cell counts as, by its text; "" is a missing rating.
    """

    levels: tuple[str, ...]
    cells: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Self:
        """The recoding in comma-separated entries: LEVEL, or CELL=LEVEL, or CELL= for a missing rating.

        Levels are in the order of their first occurrence.

        Example:
            >>> found = Recoding.parse("no,partly=no,yes,n/a=")
            >>> found.levels, [found.read(cell) for cell in ("no", "partly", "yes", "n/a")]
            (('no', 'yes'), ['no', 'no', 'yes', ''])
            >>> Recoding.parse("1=low,2=low,3=high").read("2.0")
            'low'
        """
        entries = [entry.strip().partition("=") for entry in text.split(",")]
        cells = {cell.strip(): level.strip() for cell, sign, level in entries if sign}
        if not cells:
            return cls(tuple(cell for cell, _, _ in entries), cells)
        named = (level.strip() if sign else cell for cell, sign, level in entries if level.strip() or not sign)
        return cls(tuple(dict.fromkeys(named)), cells)

    def read(self, cell: str) -> str:
        """The level that a cell counts as; a number may be spelt differently than in the entry."""
        if cell in self.cells or not self.cells:
            return self.cells.get(cell, cell)
        value = number(cell)
        if value is None:
            return cell
        return next((level for written, level in self.cells.items() if number(written) == value), cell)


@dataclass(frozen=True)
class RaterTable:
    """Ratings as read: values are numbers, or indexes into `levels` if the levels are words."""

    raters: tuple[str, ...]
    levels: tuple[float | str, ...]
    values: npt.NDArray[np.float64]

    @property
    def codes(self) -> list[float]:
        """The levels as numbers, in order."""
        return [level if isinstance(level, float) else float(place) for place, level in enumerate(self.levels)]


def read_rater_table(path: Path, levels: str | None = None, *, between: bool = True) -> RaterTable:
    """The table in a CSV file.

    Args:
        path: The file.
        levels: The scale's levels, worst first, as `Recoding` reads them; None uses those that occur.
        between: Whether a number between two levels is a valid rating, such as a mean of runs.

    Raises:
        RatingError: It isn't a table, has rows whose length differs from the header's, or a cell that isn't a level.
        UsageError: Invalid levels.
    """
    (_, header), *body = _rows(path)
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
    recoding = Recoding.parse(levels or "")
    rows = [(n, [recoding.read(cell.strip()) for cell in row[skip:]]) for n, row in body]
    return _coded(raters, rows, ",".join(recoding.levels), between, path)


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """The non-empty rows, each with the line on which it ends."""
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


def _coded(
    raters: tuple[str, ...], rows: list[tuple[int, list[str]]], said: str, between: bool, path: Path
) -> RaterTable:
    cells = [(n, cell) for n, row in rows for cell in row if cell]
    if not cells:
        raise RatingError("contains no rating", path=path)
    levels = _named_levels(said) if said else _levels_among(cells, path)
    codes = {cell: _code(cell, levels, between) for _, cell in cells}
    shown = ", ".join(level if isinstance(level, str) else f"{level:g}" for level in levels)
    faults = [Fault(f"{cell!r} is not one of the levels {shown}", n) for n, cell in cells if codes[cell] is None]
    if faults:
        raise RatingError(faults, path=path)
    values = [[codes[cell] if cell else np.nan for cell in row] for _, row in rows]
    return RaterTable(raters, levels, np.array(values, dtype=float))


def _code(cell: str, levels: tuple[float | str, ...], between: bool) -> float | None:
    """A number itself, a word's index; None if it isn't a level."""
    numbers = [level for level in levels if isinstance(level, float)]
    if not numbers:
        return float(levels.index(cell)) if cell in levels else None
    value = number(cell)
    if value is None or not (min(numbers) <= value <= max(numbers) if between else value in numbers):
        return None
    return value


def _named_levels(said: str) -> tuple[float | str, ...]:
    names = tuple(said.split(","))
    numbers = [value for value in map(number, names) if value is not None]
    levels: tuple[float | str, ...] = tuple(numbers) if len(numbers) == len(names) else names
    if len(levels) < 2 or len(set(levels)) < len(levels) or not all(names):
        raise UsageError(f"`--levels` must be two or more different levels, worst first, got {said!r}")
    if numbers == list(levels) and numbers != sorted(numbers):
        raise UsageError(f"`--levels` must list numbers lowest first, got {said!r}")
    return levels


def _levels_among(cells: Sequence[tuple[int, str]], path: Path) -> tuple[float | str, ...]:
    numbers = {cell: number(cell) for _, cell in cells}
    words = [(n, cell) for n, cell in cells if numbers[cell] is None]
    if not words:
        return tuple(sorted({value for value in numbers.values() if value is not None}))
    if len({cell for _, cell in words}) < len(numbers):
        problem = "is not a number, and others are; leave missing cells empty, or give the --levels"
        raise RatingError([Fault(f"{cell!r} {problem}", n) for n, cell in words], path=path)
    return tuple(sorted(numbers))
