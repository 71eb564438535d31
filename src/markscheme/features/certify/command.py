"""`markscheme certify`: which part of the decisions judges may make without people."""

from typing import Annotated

from cyclopts import Parameter

from markscheme.calibration.options import LabelOptions
from markscheme.commands.families import only, spelled
from markscheme.commands.options import (
    JUDGE_NAMES,
    AskFlags,
    Details,
    JsonFlag,
    RatingsFiles,
    RubricName,
)
from markscheme.features.certify.promise import Promise
from markscheme.ratings.column_options import ColumnOptions

DECIDERS = (
    f"who decides, cheapest first: A is ranked by its certainty, A,B are asked in turn, A+B+C vote; {JUDGE_NAMES}, "
    "files of ratings, or a table's columns"
)


def certify(
    rubric: RubricName,
    /,
    *,
    judge: Annotated[str | None, Parameter(metavar="A,B", help=DECIDERS)] = None,
    promise: Promise = Promise(),
    ratings: RatingsFiles = (),
    labels: Annotated[LabelOptions, only(LabelOptions, "examples", "gold")] = LabelOptions(),
    write: bool = False,
    ask_within: bool = False,
    force: bool = False,
    details: Details = False,
    json: JsonFlag = False,
    ask: AskFlags = AskFlags(),
    columns: Annotated[ColumnOptions, spelled(judge=None)] = ColumnOptions(),
) -> int:
    """Find which decisions judges may make without people, under a promise about how many of them are wrong.

    The most certain decisions of a judge stand: by its probability of what it decides, by the share of votes of
    several, or by the distance of the score from the pass mark. What no judge is certain enough of goes to people. A
    further promise on some of the same labels has half the level of the one before, also if it is the same one after
    labels were added. A table with people's and judges' columns works instead of a rubric.

    Args:
        write: write who decides what, for `grade --judge cascade`
        ask_within: write it as the rubric's gray zone instead, where a distance from the pass mark ranks decisions
        force: write even where the rubric's file has uncommitted changes

    Example:
        markscheme certify support-reply --judge anthropic:claude-haiku-4-5,anthropic:claude-sonnet-5-5 --write

    Exit status:
        0 a part needs no person, 2 invalid arguments, 3 no judge to ask, 4 none, or not enough labels, 5 a judge
        graded nothing.
    """
    from markscheme.features.certify.print_run import print_certificate

    return print_certificate(
        rubric,
        judge,
        promise,
        labels,
        ask,
        columns,
        ratings=ratings,
        write=write,
        ask_within=ask_within,
        force=force,
        details=details,
        json=json,
    )
