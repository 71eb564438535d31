"""`markscheme plan`: what to label and what a run costs, before anything is asked."""

import sys
from json import dumps as json_line
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.needs import PROMISED_ERROR, Goal
from markscheme.calibration.options import LabelOptions
from markscheme.commands.families import spelled
from markscheme.commands.options import (
    AS_NEEDED,
    COUNT,
    COUNT_OR_NEEDED,
    WITHIN_1,
    AskFlags,
    JsonTarget,
    JudgeNames,
    RatingsFiles,
    RubricName,
    within,
)
from markscheme.commands.output import write_report
from markscheme.commands.progress import progress
from markscheme.errors import UsageError
from markscheme.features.label.options import PlanOptions
from markscheme.phrases import counted
from markscheme.ratings.column_options import ColumnOptions

if TYPE_CHECKING:
    from markscheme.rubrics.rubric import Rubric


def plan(
    rubric: RubricName,
    /,
    *,
    next: Annotated[int | None, COUNT_OR_NEEDED] = None,
    pool: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    pairs: bool = False,
    labelling: PlanOptions = PlanOptions(),
    details: bool = False,
    width: Annotated[float | None, Parameter(metavar="H", validator=within(0.001, 1))] = None,
    error: Annotated[float | None, Parameter(metavar="E", validator=WITHIN_1)] = None,
    seed: Annotated[int, COUNT, Parameter(metavar="K")] = 1,
    judge: JudgeNames = (),
    ratings: RatingsFiles = (),
    labels: Annotated[LabelOptions, spelled(max_false_pass=None, max_false_fail=None)] = LabelOptions(),
    ask: AskFlags = AskFlags(),
    columns: Annotated[ColumnOptions, spelled(judge=None)] = ColumnOptions(),
    json: JsonTarget = None,
    quiet: bool = False,
) -> int:
    """Say how many labels the verdict needs, and what the next run costs; or choose what to label next.
    Makes no calls. With --next the examples to label go to standard output, ready to append to a set;
    `label --next` draws them and opens the labelling page.

    Args:
        next: print the N outputs of --pool to label next, as examples (as many as the verdict needs)
        pool: outputs that can be labelled: examples, Promptfoo's results, or an export; --ratings can rate them
        pairs: print pairs of --pool's outputs to compare, --next of them: responses of two systems to the same inputs
        details: labels needed for other goals too: intervals, a promise, coefficients
        width: labels needed for intervals of plus or minus H
        error: labels needed to promise that at most this share of automatic decisions is wrong
        seed: random seed (1)
        quiet: print no plan

    Example:
        markscheme plan code-quality --next 20 --pool outputs.jsonl
    """
    from markscheme.features.label.run_plan import HALF_WIDTH, PlanRequest
    from markscheme.features.label.view_plan import json_of, view

    if pairs:
        return _plan_pairs(ask.rubric(rubric), pool, next, seed, columns)
    if (next is None) != (pool is None):
        raise UsageError("--next [N] is how many to label and --pool FILE out of what: give both")
    if json == "-" and next is not None:
        raise UsageError("--next writes the examples to label to standard output; name a file: --json plan.json")
    wanted: dict[Goal, bool] = {
        "width": details or width is not None,
        "promise": details or error is not None,
        "variety": details,
    }
    made = PlanRequest(
        rubric=ask.rubric(rubric),
        examples=labels.examples,
        options=labels,
        judges=judge,
        ratings=ratings,
        pool=pool,
        draws=None if next == AS_NEEDED else next,
        seed=seed,
        annotators=labelling.annotators,
        goals=[goal for goal, is_wanted in wanted.items() if is_wanted],
        half_width=width or HALF_WIDTH,
        error=error or PROMISED_ERROR,
        ask=ask,
        columns=columns,
        watch=progress,
    ).plan()
    draw = made.next
    write_report(
        view(made), lambda: json_of(made), {"json": json}, details=details, quiet=quiet, aside=draw is not None
    )
    for pick in draw.picks if draw is not None else ():
        print(json_line(pick.to_json(), ensure_ascii=False))
    return 0


def _plan_pairs(rubric: "Rubric", pool: Path | None, most: int | None, seed: int, columns: ColumnOptions) -> int:
    """Print pairs of a pool's outputs as examples, and how they are balanced."""
    from markscheme.features.label.run_plan import pairs_in_pool

    if pool is None:
        raise UsageError("--pairs makes pairs of a file of outputs: add --pool FILE")
    at_most = None if most == AS_NEEDED else most
    design = pairs_in_pool(rubric, pool, most=at_most, seed=seed, columns=columns)
    for pair in design.pairs:
        print(json_line(pair.to_json(), ensure_ascii=False))
    times = ", ".join(f"{system} in {n}" for system, n in design.systems.items())
    of = f"{counted(len(design.pairs), 'pair')} of {design.possible} over {counted(design.prompts, 'prompt')}"
    label = Commands.on(rubric.name).label(" --pool FILE")
    print(f"{of}: {times}. Label them: {label}", file=sys.stderr)
    return 0
