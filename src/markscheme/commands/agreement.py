"""`markscheme agreement`: every measure of agreement for a table of ratings from anywhere."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag
from markscheme.commands.output import show
from markscheme.errors import UsageError

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
    from markscheme.report.views.agreement import json_of, view
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
    show(view(read, scale, found), json_of(read, scale, found), json=json)
    return 0
