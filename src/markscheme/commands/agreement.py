"""`markscheme agreement`: every measure of agreement for a table of ratings from anywhere."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag
from markscheme.errors import UsageError

if TYPE_CHECKING:
    from markscheme.readers.rater_table import RaterTable
    from markscheme.stats import Estimate
    from markscheme.stats.table_agreement import TableAgreement

Scale = Literal["nominal", "ordinal", "interval"]


def agreement(
    table: Annotated[Path, Parameter(metavar="TABLE.csv", help="the ratings")],
    /,
    *,
    scale: Annotated[Scale | None, Parameter(metavar="SCALE")] = None,
    levels: Annotated[str | None, Parameter(metavar="A,B,…")] = None,
    weights: Annotated[Literal["identity", "linear", "quadratic"] | None, Parameter(metavar="W")] = None,
    pairs: Annotated[Literal["mean", "pooled"] | None, Parameter(metavar="HOW")] = None,
    judge: Annotated[str | None, Parameter(metavar="RATER")] = None,
    json: JsonFlag = False,
) -> int:
    """Measure inter-annotator agreement in a CSV table with a header row, units in rows, raters in columns, and an
    empty cell where a rating is missing. A first column named unit, id or item holds names, not ratings.

    Args:
        scale: nominal, ordinal or interval (ordinal for numbers, else nominal)
        levels: the scale's levels, worst first, used or not (default: those that occur); CELL=LEVEL counts a cell as
            that level, CELL= as missing
        weights: cost of a disagreement: identity, linear or quadratic (quadratic if levels have an order)
        pairs: statistics of two raters from more: mean over pairs, or pooled units
        judge: compare this rater with the others (adds the alternative annotator test)

    Example:
        markscheme agreement ratings.csv --scale ordinal --json
    """
    from markscheme.readers.rater_table import read_rater_table
    from markscheme.report.json import dumps
    from markscheme.stats.table_agreement import table_agreement

    read = read_rater_table(table, levels, between=scale != "nominal")
    are_words = any(isinstance(level, str) for level in read.levels)
    scale = scale or ("nominal" if are_words else "ordinal")
    if are_words and scale != "nominal" and not levels:
        order = ",".join(map(str, read.levels))
        raise UsageError(f"levels that are words have no order of their own; give it: --levels {order}")
    if are_words and scale == "interval":
        raise UsageError("the levels of an interval scale must be numbers")
    if scale == "nominal" and weights not in (None, "identity"):
        raise UsageError(f"--weights {weights} needs levels with an order; a nominal scale has none")
    if judge is not None and judge not in read.raters:
        raise UsageError(f"`--judge` must be one of the raters {', '.join(read.raters)}, got {judge!r}")
    found = table_agreement(
        read.values, levels=read.codes, scale=scale, raters=read.raters, weights=weights, pairs=pairs, judge=judge
    )
    print(dumps(_json(read, scale, found)) if json else _text(read, scale, found.statistics))
    return 0


def _json(table: "RaterTable", scale: str, found: "TableAgreement") -> dict[str, Any]:
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


def _text(table: "RaterTable", scale: str, statistics: Mapping[str, "Estimate"]) -> str:
    from markscheme.report.figures import with_interval

    width = max(map(len, statistics))
    lines = [f"{len(table.values)} units, {len(table.raters)} raters, {scale} scale of {len(table.levels)} levels", ""]
    for name, estimate in statistics.items():
        said = f"undefined: {estimate.undefined}" if estimate.undefined else with_interval(estimate)
        note = f"  ({estimate.note})" if estimate.note else ""
        lines.append(f"{name:<{width}}  {said}{note}")
    return "\n".join(lines)
