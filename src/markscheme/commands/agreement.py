"""`markscheme agreement`: every measure of agreement for a table of ratings from anywhere."""

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from markscheme.commands.options import Parser
from markscheme.errors import Fault, RatingError, UsageError
from markscheme.report.figures import with_interval
from markscheme.report.json_report import dumps
from markscheme.stats import Estimate
from markscheme.stats.agreement import agreement_family
from markscheme.stats.reliability import icc_family
from markscheme.stats.severity import error_family

Scale = Literal["nominal", "ordinal", "interval"]
SCALES: tuple[str, ...] = get_args(Scale)
UNIT_COLUMNS = ("unit", "id", "item")
ASSOCIATION = ("ccc", "pearson", "spearman", "kendall")

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
        "--levels", metavar="A,B,…", help="the scale's levels, worst first, used or not (those that occur)"
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
    table = read_table(arguments.table, arguments.levels)
    are_words = any(isinstance(level, str) for level in table.levels)
    scale: Scale = arguments.scale or ("nominal" if are_words else "ordinal")
    if are_words and scale != "nominal" and not arguments.levels:
        raise UsageError(
            f"levels that are words have no order by themselves; give it: --levels {','.join(map(str, table.levels))}"
        )
    if are_words and scale == "interval":
        raise UsageError("an interval scale has levels that are numbers")
    statistics = measure(table, scale)
    if arguments.json:
        print(dumps(_json(table, scale, statistics)))
    else:
        print(_text(table, scale, statistics))
    return 0


def measure(table: Table, scale: Scale) -> dict[str, Estimate]:
    """All that can be said of the table: agreement always, reliability and association where levels are degrees."""
    found = agreement_family(table.values, levels=table.codes, scale=scale)
    if scale != "nominal":
        found |= icc_family(table.values)
        if len(table.raters) == 2:
            errors = error_family(table.values[:, 0], table.values[:, 1], levels=table.codes)
            found |= {name: errors[name] for name in ASSOCIATION}
    return found


def read_table(path: Path, levels: str | None = None) -> Table:
    """The table in a CSV file.

    Args:
        path: The file.
        levels: The scale's levels, worst first, with commas between; those that occur where None.

    Raises:
        RatingError: No table, rows of another length than the header, a cell that is none of the levels.
    """
    rows = _rows(path)
    header, body = rows[0], rows[1:]
    skip = 1 if header and header[0].strip().casefold() in UNIT_COLUMNS else 0
    raters = tuple(name.strip() for name in header[skip:])
    if len(raters) < 2 or not body:
        raise RatingError(
            "a table of ratings has a header row, two columns of raters or more, and a row for each unit", path=path
        )
    faults = [
        Fault(f"has {len(row)} cells, the header {len(header)}", n)
        for n, row in enumerate(body, 2)
        if len(row) != len(header)
    ]
    if faults:
        raise RatingError(faults, path=path)
    cells = [[cell.strip() for cell in row[skip:]] for row in body]
    return _coded(raters, cells, _levels(cells, levels), path)


def _rows(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RatingError(f"cannot be read: {error}", path=path) from error
    if not rows:
        raise RatingError("is empty", path=path)
    return rows


def _levels(cells: list[list[str]], said: str | None) -> tuple[float | str, ...]:
    names = (
        [name.strip() for name in said.split(",")] if said else sorted({cell for row in cells for cell in row if cell})
    )
    numbers = [_as_number(name) for name in names]
    if all(number is not None for number in numbers):
        known = [number for number in numbers if number is not None]
        return tuple(known) if said else tuple(sorted(set(known)))
    return tuple(names)


def _coded(raters: tuple[str, ...], cells: list[list[str]], levels: tuple[float | str, ...], path: Path) -> Table:
    place = {level: float(level) if isinstance(level, float) else float(n) for n, level in enumerate(levels)}
    are_numbers = all(isinstance(level, float) for level in levels)
    values = np.full((len(cells), len(raters)), np.nan)
    faults = []
    for row, given in enumerate(cells):
        for column, cell in enumerate(given):
            if not cell:
                continue
            value = _as_number(cell) if are_numbers else place.get(cell)
            if value is None or (are_numbers and not min(place.values()) <= value <= max(place.values())):
                faults.append(Fault(f"{cell!r} is none of the levels {', '.join(map(_name, levels))}", row + 2))
            else:
                values[row, column] = value
    if faults:
        raise RatingError(faults, path=path)
    return Table(raters, levels, values)


def _as_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _name(level: float | str) -> str:
    return level if isinstance(level, str) else f"{level:g}"


def _json(table: Table, scale: Scale, statistics: dict[str, Estimate]) -> dict[str, Any]:
    return {
        "schema": 1,
        "units": len(table.values),
        "raters": list(table.raters),
        "scale": scale,
        "levels": list(table.levels),
        "statistics": {name: estimate.to_json() for name, estimate in statistics.items()},
    }


def _text(table: Table, scale: Scale, statistics: dict[str, Estimate]) -> str:
    width = max(map(len, statistics))
    lines = [f"{len(table.values)} units, {len(table.raters)} raters, {scale} scale of {len(table.levels)} levels", ""]
    for name, estimate in statistics.items():
        said = f"undefined: {estimate.undefined}" if estimate.undefined else with_interval(estimate)
        note = f"  ({estimate.note})" if estimate.note else ""
        lines.append(f"{name:<{width}}  {said}{note}")
    return "\n".join(lines)
