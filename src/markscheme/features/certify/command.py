"""`markscheme certify`: which part of the decisions judges may make without people."""

from pathlib import Path
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
from markscheme.commands.output import TOO_FEW, show, typed
from markscheme.commands.progress import progress
from markscheme.errors import UsageError, naming
from markscheme.features.certify.promise import Promise
from markscheme.files import refuse_unwritable
from markscheme.git import has_uncommitted_changes
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import brings_rubrics, names_table, refuse_table
from markscheme.rubrics.search import find_rubric

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
    further promise on the same labels has half the level of the one before. A table with people's
    and judges' columns works instead of a rubric.

    Args:
        write: write who decides what, for `grade --judge cascade`
        ask_within: write it as the rubric's gray zone instead, where a distance from the pass mark ranks decisions
        force: write even where the rubric's file has uncommitted changes

    Example:
        markscheme certify support-reply --judge anthropic:claude-haiku-4-5,anthropic:claude-sonnet-5-5 --write

    Exit status:
        0 a part needs no person, 2 invalid arguments, 3 no judge to ask, 4 none, or not enough labels.
    """
    from markscheme.features.certify.run import certify as certify_rubric
    from markscheme.features.certify.run import certify_table
    from markscheme.features.certify.view import json_of, view

    if brings_rubrics(Path(rubric)):
        refuse_table(rubric)
    if names_table([rubric]):
        if write or ask_within:
            raise UsageError("a table names no judge to ask, so there is nothing to write: certify a rubric")
        run = certify_table(Path(rubric), judge, promise, columns, labels.gold)
    else:
        if ask_within:
            _refuse_to_write(find_rubric(rubric), force=force)
        with naming(*ratings):
            run = certify_rubric(
                ask.rubric(rubric),
                judge,
                promise,
                ratings=ratings,
                examples=labels.examples,
                gold=labels.gold,
                ask=ask,
                columns=columns,
                watch=progress,
                writes=write,
                zone=ask_within,
            )
    show(view(run, typed()), json_of(run), json=json, details=details)
    return 0 if run.certificate.is_supported else TOO_FEW


def _refuse_to_write(path: Path, *, force: bool) -> None:
    """Refuse a rubric's file that can't be written, or whose uncommitted changes would be overwritten.

    Raises:
        UsageError: It is one.
    """
    refuse_unwritable(path)
    if not force and has_uncommitted_changes(path):
        raise UsageError(f"{path} has uncommitted changes; commit them first, or use --force")
