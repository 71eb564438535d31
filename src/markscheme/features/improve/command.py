"""`markscheme improve`: new words for a rubric, adopted if held-out labels confirm that they are better."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from markscheme.calibration.options import LabelOptions
from markscheme.commands.families import only, spelled
from markscheme.commands.options import (
    AskFlags,
    Details,
    JsonFlag,
    JudgeName,
    RatingsFiles,
    RubricName,
)
from markscheme.errors import UsageError
from markscheme.features.improve.options import WordingOptions
from markscheme.options.forms import WRITTEN
from markscheme.ratings.column_options import ColumnOptions


def improve(
    rubric: RubricName,
    /,
    *,
    judge: JudgeName = None,
    wordings: WordingOptions = WordingOptions(),
    open: bool = False,
    outside: bool = False,
    numbers: bool = False,
    preferences: Annotated[str | None, Parameter(metavar="RUBRIC")] = None,
    cost: Annotated[str, Parameter(metavar="FP:FN")] = "1:1",
    ratings: RatingsFiles = (),
    write: bool = False,
    plan: bool = False,
    labels: Annotated[LabelOptions, only(LabelOptions, "examples", "gold")] = LabelOptions(),
    force: bool = False,
    html: Annotated[Path | None, Parameter(metavar="FILE"), WRITTEN] = None,
    details: Details = False,
    json: JsonFlag = False,
    ask: Annotated[AskFlags, spelled(batch="--in-batches")] = AskFlags(),
    columns: Annotated[ColumnOptions, spelled(judge=None)] = ColumnOptions(),
) -> int:
    """Find better words, weights or a better pass mark, and show on labels that had no part in it that they are better.

    Without options it says which of the three the labels allow, and with what chances. --numbers fits weights and pass
    mark to annotators' pass/fail decisions, or weights to overall scores or preferences (--preferences); where
    annotators gave no levels, --ratings or --judge brings a judge's.

    Wordings are compared on dev, a third of the labelled tasks; the rest is held out. --open tests the two best there,
    or looks at decisions, once and on record: every further look at the same labels has to clear a higher bar.

    A candidate is a rubric file that differs in words, weights or pass mark, or a JSON list of edits of words:
    [{"criterion": "polite", "field": "description", "old": "The reply is polite", "new": "The whole reply is polite"}].
    `old` quotes the present words. `field` is description (or requirement), levels[N].description, levels[N].label, or
    guidelines (without criterion); N counts from 0, the worst.

    Args:
        open: test the finalists on the held-out labels, or numbers on the decisions; this is recorded
        outside: the candidates were written without these labels; test all of them on all labels, which is recorded
        numbers: try weights and pass mark on pass/fail decisions
        preferences: try weights on people's preferences between two outputs, the labels of this rubric of pairs
        cost: cost of a false pass and a false fail, for --numbers (1:1)
        write: write the adopted words or numbers into the rubric's file
        plan: show labels needed and cost; make no calls
        force: write even where the file has uncommitted changes
        html: write a page with the wordings side by side

    Example:
        markscheme improve error-messages --candidates shorter.yaml edits.json --outside

    Exit status:
        0 adopted, 1 not, 2 invalid arguments, 3 no judge to ask, 4 not enough labels.
    """
    if not numbers and preferences:
        raise UsageError("--preferences goes with --numbers")
    from markscheme.features.improve.print_run import print_improvement

    return print_improvement(
        rubric,
        judge,
        wordings,
        labels,
        ask,
        columns,
        open=open,
        outside=outside,
        numbers=numbers,
        pairs_named=preferences,
        cost=cost,
        ratings=ratings,
        write=write,
        plan=plan,
        force=force,
        html=html,
        details=details,
        json=json,
    )
