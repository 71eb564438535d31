"""`markscheme agreement`: every measure of agreement for a table of ratings from anywhere."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag
from markscheme.commands.output import show
from markscheme.errors import naming


def agreement(
    table: Annotated[Path, Parameter(metavar="TABLE.csv", help="the ratings: a table, or any rated file")],
    /,
    *,
    scale: Annotated[Literal["nominal", "ordinal", "interval"] | None, Parameter(metavar="SCALE")] = None,
    levels: Annotated[str | None, Parameter(metavar="A,B,…")] = None,
    weights: Annotated[Literal["identity", "linear", "quadratic"] | None, Parameter(metavar="W")] = None,
    pairs: Annotated[Literal["mean", "pooled"] | None, Parameter(metavar="HOW")] = None,
    rater: Annotated[str | None, Parameter(name="--judge", metavar="RATER")] = None,
    criterion: Annotated[str | None, Parameter(metavar="NAME")] = None,
    json: JsonFlag = False,
) -> int:
    """Measure inter-annotator agreement in a CSV table with a header row, units in rows, raters in columns, and an
    empty cell where a rating is missing. A first column named unit, id or item holds names, not ratings.

    The ratings may also be in any file that `import` reads: ratings, labelled examples, Promptfoo's results, exports.

    Args:
        scale: nominal, ordinal or interval (ordinal for numbers, else nominal)
        levels: the scale's levels, worst first, used or not (default: those that occur); CELL=LEVEL counts a cell as
            that level, CELL= as missing
        weights: cost of a disagreement: identity, linear or quadratic (quadratic if levels have an order)
        pairs: statistics of two raters from more: mean over pairs, or pooled units
        rater: compare this rater with the others (adds the alternative annotator test)
        criterion: of a file that names criteria, the one to compare: its name, score or pass

    Example:
        markscheme agreement ratings.csv --scale ordinal --json
    """
    from markscheme.calibration.run import agreement as agreement_of
    from markscheme.report.views.agreement import json_of, view

    with naming(table):
        measured = agreement_of(
            table, scale, levels=levels, weights=weights, pairs=pairs, judge=rater, criterion=criterion
        )
    show(view(measured), json_of(measured), json=json)
    return 0
