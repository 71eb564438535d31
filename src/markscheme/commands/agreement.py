"""`markscheme agreement`: every measure of agreement for a table of ratings from anywhere."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.options import Details, JsonFlag
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
    details: Details = False,
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
    onward = _onward(table, measured.table.raters, rater)
    show(replace(view(measured), onward=onward), json_of(measured), json=json, details=details)
    return 0


def _onward(table: Path, raters: Sequence[str], judge: str | None) -> tuple[str, str] | None:
    """How to compare a judge among the raters with the others, where they are columns of a table."""
    from markscheme.readers.rated import is_plain_table

    if not is_plain_table(table) or len(raters) < 2:
        return None
    last = judge or raters[-1]
    people = "".join(f" --human {quote(name)}" for name in raters if name != last)
    words = "Next" if judge else f"Next, if {last} is a judge"
    return words, f"markscheme calibrate {quote(str(table))} --judge {quote(last)}{people}"
