"""`markscheme improve`: new words for a rubric, adopted where labels that were held out confirm them."""

import asyncio
import datetime
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
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
from markscheme.commands.output import TOO_FEW, put, rendered, show, typed
from markscheme.commands.progress import progress
from markscheme.errors import UsageError
from markscheme.features.improve.options import WordingOptions
from markscheme.files import refuse_unwritable
from markscheme.git import has_uncommitted_changes
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import refuse_table
from markscheme.rubrics.search import find_rubric

if TYPE_CHECKING:
    from markscheme.features.improve.outcome import ImprovementRun

NOT_ADOPTED = 1
"""Exit status where the old wording stays."""


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
    html: Annotated[Path | None, Parameter(metavar="FILE")] = None,
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
    from markscheme.features.improve.run import ImprovementRequest
    from markscheme.features.improve.setting import ImprovableSet
    from markscheme.features.improve.view import json_of, plan_json, plan_view, view
    from markscheme.rubrics.file import load_rubric

    refuse_table(rubric)
    columns.refuse(rubric)
    path = find_rubric(rubric)
    refuse_unwritable(html)
    if write:
        refuse_unwritable(path)
        if not force:
            refuse_uncommitted(path)
    _refuse_together(wordings, outside=outside, plan=plan, numbers=numbers)
    odds = _odds(cost)
    if html and not wordings.are_any:
        raise UsageError("--html has two wordings side by side: it goes with --proposer or --candidates")
    if not numbers and (ratings or odds != 1):
        raise UsageError(f"{'--ratings' if ratings else '--cost'} goes with --numbers")
    if not numbers and preferences:
        raise UsageError("--preferences goes with --numbers")
    setting = ImprovableSet.of(
        load_rubric(path),
        labels.examples,
        gold=labels.gold,
        outside=outside,
        opens=open or plan,
        day=datetime.date.today().isoformat(),
    )
    request = ImprovementRequest(
        setting=setting,
        file=path,
        ask=ask,
        judge=judge,
        wordings=wordings,
        opens=open,
        watch=progress,
    )
    if not (wordings.are_any or plan):
        from markscheme.features.improve.fitting.run import NumbersRequest
        from markscheme.features.improve.show_numbers import show_numbers, show_overview

        fit = NumbersRequest(
            rubric=setting.rubric,
            examples=setting.every,
            folder=setting.folder,
            day=setting.day,
            pairs_named=preferences,
            odds=odds,
            ratings=ratings,
            judge=judge,
            ask=ask,
            columns=columns,
            watch=progress,
        )
        if numbers and (open or write):
            return show_numbers(setting, path, fit, write=write, json=json)
        return show_overview(setting, fit, json=json)
    if plan:
        made = request.plan()
        show(plan_view(made), plan_json(made), json=json, details=details)
        return 0
    request = request.compared_as_needed()
    setting = request.setting
    if setting.lacks:
        more = f"label more: {Commands.on(setting.rubric.name).label_next(50)}"
        print(f"error: not enough labels: {setting.lacks}; {more}", file=sys.stderr)
        return TOO_FEW
    setting.refuse_unkept_parts()
    run = request.with_file(asyncio.run(request.run()), write=write)
    if html:
        put(rendered(view(run), "html"), html)
    document = replace(view(run), onward=_onward(run), has_page=True, written=str(html or ""))
    show(document, json_of(run), json=json, details=details)
    return NOT_ADOPTED if run.adopted is None else 0


def _onward(run: "ImprovementRun") -> tuple[str, str] | None:
    """Return what to do next: write a confirmed wording, or test one that did better on dev."""
    if run.adopted is not None:
        return None if run.written else ("Next, write its words into the rubric", f"{typed()} --write")
    if run.answer is None and run.finalists:
        return "Next, test it on the held-out labels, once and on record", f"{typed()} --open"
    return None


def _odds(text: str) -> float:
    """Return the cost of a false pass, where a false fail costs 1."""
    try:
        costs = [float(cost) for cost in text.split(":")]
    except ValueError:
        costs = []
    if len(costs) != 2 or not all(0 < cost < float("inf") for cost in costs):
        raise UsageError(f"`--cost` must be two numbers above 0, for example 1:5, got {text!r}")
    return costs[0] / costs[1]


def refuse_uncommitted(path: Path) -> None:
    """Refuse a file with uncommitted changes: it would be overwritten."""
    if has_uncommitted_changes(path):
        raise UsageError(f"{path} has uncommitted changes; commit them first, or use --force")


def _refuse_together(wordings: WordingOptions, *, outside: bool, plan: bool, numbers: bool) -> None:
    """Refuse options that contradict each other.

    Raises:
        UsageError: It is one.
    """
    if numbers and (wordings.are_any or plan or outside):
        raise UsageError("--numbers tries weights and pass mark alone; leave out the options for words")
    if outside and wordings.proposer:
        raise UsageError("--outside is for wordings written without these labels; a --proposer is shown dev labels")
    if outside and not wordings.candidates and not plan:
        raise UsageError("--outside needs wordings that were written without these labels: --candidates FILE")
