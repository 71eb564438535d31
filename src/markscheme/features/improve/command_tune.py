"""`markscheme tune`: the numbers of a rubric that labels support changing."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.families import spelled
from markscheme.commands.options import (
    AskFlags,
    Details,
    ExamplesFile,
    GoldKind,
    JsonFlag,
    JudgeName,
    RatingsFiles,
    RubricName,
)
from markscheme.commands.output import TOO_FEW, show, typed
from markscheme.commands.progress import progress
from markscheme.errors import UsageError, naming
from markscheme.files import refuse_unwritable
from markscheme.git import has_uncommitted_changes
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import refuse_table
from markscheme.rubrics.search import find_rubric


def _costs(text: str) -> tuple[float, float]:
    try:
        costs = [float(cost) for cost in text.split(":")]
    except ValueError:
        costs = []
    if len(costs) != 2 or not all(0 < cost < float("inf") for cost in costs):
        raise UsageError(f"`--cost` must be two numbers above 0, for example 1:5, got {text!r}")
    return costs[0], costs[1]


def tune(
    rubric: RubricName,
    /,
    *,
    examples: ExamplesFile = None,
    gold: GoldKind = None,
    ratings: RatingsFiles = (),
    source: Annotated[Literal["human", "judge"] | None, Parameter(metavar="WHO")] = None,
    final: bool = False,
    cost: Annotated[str, Parameter(metavar="FP:FN")] = "1:1",
    write: bool = False,
    force: bool = False,
    details: Details = False,
    json: JsonFlag = False,
    judge: JudgeName = None,
    ask: AskFlags = AskFlags(),
    columns: Annotated[ColumnOptions, spelled(judge=None)] = ColumnOptions(),
) -> int:
    """Find what the labels support changing in a rubric: its wording first, then weights, pass mark and thresholds.
    What isn't supported stays, with the reason. With a dev and a test split, only dev is used until --final. Files of
    several judges, one each, make a panel.

    Args:
        source: use the levels of human or judge (the judge's, if known)
        final: open the test split and try the proposal on it; this is recorded
        cost: cost of a false pass and a false fail (1:1)
        write: write the supported changes into the rubric's file
        force: write even where the file has uncommitted changes

    Example:
        markscheme tune rubrics/code-quality.yaml --ratings judge.jsonl --cost 5:1

    Exit status:
        0 tried, 2 invalid arguments, 3 no judge to ask, 4 not enough labels: too few for the weights, all passes or all
        fails, or passes that score no higher than fails.
    """

    refuse_table(rubric)
    from markscheme.calibration.tuning_labels import TuningLabels
    from markscheme.features.improve.run_numbers import TuningRequest
    from markscheme.features.improve.view_numbers import json_of, view
    from markscheme.rubrics.file import load_rubric

    costs = _costs(cost)
    path = find_rubric(rubric)
    if write:
        refuse_unwritable(path)
        if not force:
            refuse_uncommitted(path)
    loaded = ask.of(load_rubric(path))
    labels = TuningLabels.of(loaded, examples)
    if labels.lacks:
        print(f"error: {labels.lacks}", file=sys.stderr)
        return TOO_FEW
    request = TuningRequest(
        rubric=loaded,
        file=path,
        labels=labels,
        ratings=ratings,
        judge=judge,
        source=source,
        gold=gold,
        costs=costs,
        opens=final,
        writes=write,
        ask=ask,
        columns=columns,
        watch=progress,
    )
    with naming(*ratings):
        run = request.tuned()
    show(view(run, again=typed()), json_of(run), json=json, details=details)
    return TOO_FEW if run.proposal.too_few else 0


def refuse_uncommitted(path: Path) -> None:
    """Refuse a file with uncommitted changes: it would be overwritten."""

    if has_uncommitted_changes(path):
        raise UsageError(f"{path} has uncommitted changes; commit them first, or use --force")
