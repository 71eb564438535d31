"""`markscheme agreement`: every measure of agreement for a table of ratings from anywhere."""

from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.options import Details, JsonFlag
from markscheme.commands.output import show
from markscheme.errors import naming
from markscheme.rubrics.search import calibrations

if TYPE_CHECKING:
    from markscheme.calibration.agreement import Agreement


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
    onward = _onward(table, measured, rater, f" --levels {quote(levels)}" if levels else "")
    show(replace(view(measured), onward=onward), json_of(measured), json=json, details=details)
    return 0


def _onward(table: Path, measured: "Agreement", judge: str | None, options: str) -> tuple[str, str] | None:
    """What to do with the labels: compare the judge that is named with them, else resolve where annotators differ."""
    from markscheme.readers.rated import is_plain_table

    raters = measured.table.raters
    if len(raters) < 2:
        return None
    if not is_plain_table(table):
        return _on_rubric(table, measured)
    people = "".join(f" --human {quote(name)}" for name in raters if name != judge)
    if judge:
        return "Next", Commands(quote(str(table)), f" --judge {quote(judge)}{people}").calibrate()
    both = "both" if len(raters) == 2 else "all"
    words = f"Next, if {both} are annotators, turn their ratings into a rubric with labelled examples"
    return words, Commands(quote(str(table)), f"{people}{options}").init_from_table()


def _on_rubric(labels: Path, measured: "Agreement") -> tuple[str, str] | None:
    """What to do with the labels of a rubric: resolve where annotators differ, or compare a judge with them."""

    folders = calibrations(Path.cwd())
    name = next((name for name, folder in folders.items() if labels.resolve().is_relative_to(folder.resolve())), "")
    if not name:
        return None
    if measured.statistics["exact_agreement"].value == 1:
        return "Next", Commands.on(name).calibrate()
    return "Next, decide which label counts where they differ", Commands.on(name).adjudicate()
