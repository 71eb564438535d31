"""`markscheme agreement`: every measure of agreement for a table of ratings from anywhere."""

import argparse
import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from markscheme.commands.options import Parser
from markscheme.errors import Fault, RatingError, UsageError
from markscheme.readers.recoding import Recoding
from markscheme.report.figures import with_interval
from markscheme.report.json_report import dumps
from markscheme.stats import Estimate
from markscheme.stats.coefficients import NamedWeights
from markscheme.stats.table_agreement import Pooling, TableAgreement, table_agreement

Scale = Literal["nominal", "ordinal", "interval"]
SCALES: tuple[str, ...] = get_args(Scale)
WEIGHTS: tuple[str, ...] = get_args(NamedWeights)
POOLINGS: tuple[str, ...] = get_args(Pooling)
UNIT_COLUMNS = ("unit", "id", "item")

SUMMARY = """Measure how far raters agree: a CSV table with a header row, units in rows, raters in columns, an empty
cell where a rating is missing. A first column named unit, id or item holds names, not ratings."""


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser("agreement", SUMMARY, "markscheme agreement ratings.csv --scale ordinal --json")
    found.add_argument("table", type=Path, metavar="TABLE.csv", help="the ratings")
    found.add_argument(
        "--scale", choices=SCALES, help="nominal, ordinal or interval (ordinal for numbers, else nominal)"
    )
    found.add_argument(
        "--levels",
        metavar="A,B,…",
        help="the scale's levels, worst first, used or not (those that occur); CELL=LEVEL counts a cell as that level, "
        "CELL= as missing",
    )
    found.add_argument("--weights", choices=WEIGHTS, help="cost of a disagreement (quadratic if levels have an order)")
    found.add_argument(
        "--pairs", choices=POOLINGS, help="statistics of two raters from more: mean over pairs, or their units pooled"
    )
    found.add_argument(
        "--judge", metavar="RATER", help="compare this rater with the others (adds the alternative annotator test)"
    )
    found.add_argument("--json", action="store_true", help="the estimates with their intervals, as JSON")
    return found


@dataclass(frozen=True)
class Table:
    """Ratings as read: values are numbers, or places in `levels` where the levels are words."""

    raters: tuple[str, ...]
    levels: tuple[float | str, ...]
    values: npt.NDArray[np.float64]

    @property
    def codes(self) -> list[float]:
        """The levels as numbers, in order."""
        return [level if isinstance(level, float) else float(place) for place, level in enumerate(self.levels)]


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    table = read_table(arguments.table, arguments.levels, between=arguments.scale != "nominal")
    are_words = any(isinstance(level, str) for level in table.levels)
    scale: Scale = arguments.scale or ("nominal" if are_words else "ordinal")
    if are_words and scale != "nominal" and not arguments.levels:
        raise UsageError(
            f"levels that are words have no order by themselves; give it: --levels {','.join(map(str, table.levels))}"
        )
    if are_words and scale == "interval":
        raise UsageError("an interval scale has levels that are numbers")
    if scale == "nominal" and arguments.weights not in (None, "identity"):
        raise UsageError(f"--weights {arguments.weights} needs levels with an order; a nominal scale has none")
    if arguments.judge is not None and arguments.judge not in table.raters:
        raise UsageError(f"--judge must be one of the raters {', '.join(table.raters)}, got {arguments.judge!r}")
    found = table_agreement(
        table.values,
        levels=table.codes,
        scale=scale,
        raters=table.raters,
        weights=arguments.weights,
        pairs=arguments.pairs,
        judge=arguments.judge,
    )
    if arguments.json:
        print(dumps(_json(table, scale, found)))
    else:
        print(_text(table, scale, found.statistics))
    return 0


def read_table(path: Path, levels: str | None = None, *, between: bool = True) -> Table:
    """The table in a CSV file.

    Args:
        path: The file.
        levels: The scale's levels, worst first, as `Recoding` reads them; those that occur where None.
        between: Whether a number between two levels is a rating, as a mean of runs is.

    Raises:
        RatingError: No table, rows of another length than the header, a cell that is none of the levels.
        UsageError: Levels that are none.
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
    """The rows that hold anything, each with the line on which it ends."""
    if not path.is_file():
        raise UsageError(
            f"there is no file {path}; name a CSV table with a header row, units in rows, raters in columns"
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
    raters: tuple[str, ...], rows: list[tuple[int, list[str]]], said: str | None, between: bool, path: Path
) -> Table:
    cells = [(n, cell) for n, row in rows for cell in row if cell]
    if not cells:
        raise RatingError("holds no rating", path=path)
    levels = _named_levels(said) if said else _levels_among(cells, path)
    codes = {cell: _code(cell, levels, between) for _, cell in cells}
    faults = [
        Fault(f"{cell!r} is none of the levels {', '.join(map(_name, levels))}", n)
        for n, cell in cells
        if codes[cell] is None
    ]
    if faults:
        raise RatingError(faults, path=path)
    values = [[codes[cell] if cell else np.nan for cell in row] for _, row in rows]
    return Table(raters, levels, np.array(values, dtype=float))


def _code(cell: str, levels: tuple[float | str, ...], between: bool) -> float | None:
    """A number for itself, a word for its place; None for what is no level."""
    numbers = [level for level in levels if isinstance(level, float)]
    if not numbers:
        return float(levels.index(cell)) if cell in levels else None
    value = _as_number(cell)
    if value is None or not (min(numbers) <= value <= max(numbers) if between else value in numbers):
        return None
    return value


def _named_levels(said: str) -> tuple[float | str, ...]:
    names = [name.strip() for name in said.split(",")]
    numbers = [number for number in map(_as_number, names) if number is not None]
    levels: tuple[float | str, ...] = tuple(numbers) if len(numbers) == len(names) else tuple(names)
    if len(levels) < 2 or len(set(levels)) < len(levels) or not all(names):
        raise UsageError(f"--levels names two or more different levels, worst first; found {said!r}")
    if numbers == list(levels) and numbers != sorted(numbers):
        raise UsageError(f"levels that are numbers stand lowest first; found {said!r}")
    return levels


def _levels_among(cells: Sequence[tuple[int, str]], path: Path) -> tuple[float | str, ...]:
    numbers = {cell: _as_number(cell) for _, cell in cells}
    words = [(n, cell) for n, cell in cells if numbers[cell] is None]
    if not words:
        return tuple(sorted({number for number in numbers.values() if number is not None}))
    if len({cell for _, cell in words}) < len(numbers):
        raise RatingError(
            [
                Fault(
                    f"{cell!r} is no number, and others are; a missing rating is an empty cell, or name the --levels", n
                )
                for n, cell in words
            ],
            path=path,
        )
    return tuple(sorted(numbers))


def _as_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _name(level: float | str) -> str:
    return level if isinstance(level, str) else f"{level:g}"


def _json(table: Table, scale: Scale, found: TableAgreement) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "schema": 1,
        "units": len(table.values),
        "raters": list(table.raters),
        "scale": scale,
        "levels": list(table.levels),
        "statistics": {name: estimate.to_json() for name, estimate in found.statistics.items()},
        "chance": {
            name: {"observed": each.observed, "expected": each.expected}
            for name, each in found.chance.items()
            if each.undefined is None
        },
    }
    if found.pairs:
        shown["pairs"] = [
            {
                "raters": list(pair.raters),
                "units": pair.units,
                "statistics": {name: estimate.to_json() for name, estimate in pair.statistics.items()},
            }
            for pair in found.pairs
        ]
    return shown


def _text(table: Table, scale: Scale, statistics: dict[str, Estimate]) -> str:
    width = max(map(len, statistics))
    lines = [f"{len(table.values)} units, {len(table.raters)} raters, {scale} scale of {len(table.levels)} levels", ""]
    for name, estimate in statistics.items():
        said = f"undefined: {estimate.undefined}" if estimate.undefined else with_interval(estimate)
        note = f"  ({estimate.note})" if estimate.note else ""
        lines.append(f"{name:<{width}}  {said}{note}")
    return "\n".join(lines)
