"""Output of `improve`: the changes that the labels are enough to try, a plan, or the result on wordings and numbers."""

import asyncio
import datetime
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from markscheme.calibration.options import LabelOptions
from markscheme.commands.options import AskFlags
from markscheme.commands.output import TOO_FEW, put, rendered, show, typed
from markscheme.commands.progress import progress
from markscheme.errors import UsageError
from markscheme.features.improve.fitting.run import evidence_of, evidence_of_annotators
from markscheme.features.improve.options import WordingOptions
from markscheme.features.improve.outcome import ImprovementRun
from markscheme.features.improve.run import compared_as_needed, improve, plan_improvement, with_file
from markscheme.features.improve.setting import ImprovableSet
from markscheme.features.improve.show_numbers import show_numbers, show_overview
from markscheme.features.improve.view import json_of, plan_json, plan_view, view
from markscheme.files import refuse_unwritable
from markscheme.git import refuse_uncommitted
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import refuse_table
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.search import find_rubric

NOT_ADOPTED = 1
"""Exit status where the old wording stays."""


def print_improvement(
    rubric: str,
    judge: str | None,
    wordings: WordingOptions,
    labels: LabelOptions,
    ask: AskFlags,
    columns: ColumnOptions,
    *,
    open: bool,
    outside: bool,
    numbers: bool,
    pairs_named: str | None,
    cost: str,
    ratings: Sequence[Path],
    write: bool,
    plan: bool,
    force: bool,
    html: Path | None,
    details: bool,
    json: bool,
) -> int:
    """Try other words, weights or pass marks for a rubric, print whether they are better, and return the exit status.

    Args:
        rubric: The name or file of the rubric.
        judge: The judge's name; None for the judge that is set, or else the default one.
        wordings: Source of other wordings.
        labels: Which labels count, and their file.
        ask: How the judge is asked.
        columns: What the columns of files of ratings mean.
        open: True to test the finalists on the held-out labels or, with `numbers`, the fitted weights and pass mark on
            people's decisions.
        outside: True if the candidates were written without knowledge of the labels.
        numbers: True to try weights and pass mark.
        pairs_named: Name of a rubric of pairs whose labels count; None to use decisions.
        cost: The cost of a false pass and of a false fail, as it was typed.
        ratings: Files of a judge's ratings that bring levels.
        write: True to write the adopted words or numbers into the rubric's file.
        plan: True to print only the labels needed and the cost.
        force: True to write even a file with uncommitted changes.
        html: The file of an HTML page to write; None for no page.
        details: True to print the details too.
        json: True to print JSON.
    """
    refuse_table(rubric)
    columns.refuse(rubric)
    path = find_rubric(rubric)
    refuse_unwritable(html)
    if write:
        refuse_unwritable(path)
        refuse_uncommitted(path, force=force)
    _refuse_together(wordings, outside=outside, plan=plan, numbers=numbers)
    odds = _odds(cost)
    _refuse_idle(wordings, html=html, numbers=numbers, ratings=ratings, odds=odds)
    setting = ImprovableSet.of(
        load_rubric(path),
        labels.examples,
        gold=labels.gold,
        outside=outside,
        opens=open or plan,
        day=datetime.date.today().isoformat(),
    )
    if plan:
        made = plan_improvement(setting, wordings, ask, judge)
        show(plan_view(made), plan_json(made), json=json, details=details)
        return 0
    if not wordings.are_any:
        fits = numbers and (open or write)
        evidence = evidence_of(
            evidence_of_annotators(setting.rubric, setting.every, pairs_named),
            setting.every,
            setting.folder,
            ratings=ratings,
            judge=judge if fits else None,
            ask=ask,
            columns=columns,
            watch=progress,
        )
        if not fits:
            return show_overview(setting, evidence, ratings, judge, json=json)
        return show_numbers(setting, path, evidence, odds=odds, write=write, json=json)
    setting = compared_as_needed(setting, path, wordings)
    if setting.lacks:
        print(f"error: not enough labels: {setting.lacks}; label more: {setting.label_more}", file=sys.stderr)
        return TOO_FEW
    setting.refuse_unkept_parts()
    run = asyncio.run(improve(setting, path, wordings, ask, judge, opens=open, watch=progress))
    run = with_file(run, path, setting, write=write)
    options = {"examples": labels.examples, "judge": judge}
    by = "".join(f" --{option} {quote(str(value))}" for option, value in options.items() if value is not None)
    _show_wordings(run, f"markscheme calibrate {quote(rubric)}{by}", html, json=json, details=details)
    return NOT_ADOPTED if run.adopted is None else 0


def _show_wordings(run: ImprovementRun, calibrate: str, html: Path | None, *, json: bool, details: bool) -> None:
    """Print the result of a run that tried wordings, and write a page on it.

    Args:
        run: The run.
        calibrate: The command that calibrates the same judge again.
        html: The page to write; None for none.
        json: True to print JSON.
        details: True to print the details too.
    """
    if html:
        put(rendered(view(run), "html"), html)
    document = replace(view(run), onward=_onward(run, calibrate), has_page=True, written=str(html or ""))
    show(document, json_of(run), json=json, details=details)


def _onward(run: ImprovementRun, calibrate: str) -> tuple[str, str] | None:
    """Return the next step and its command: test a wording that did better on dev, write it, or calibrate by it.

    Args:
        run: The run.
        calibrate: The command that calibrates the same judge again.
    """
    if run.written:
        return "Its words are in the rubric's file now. Next, calibrate the judge by them", calibrate
    if run.adopted is not None:
        return "Next, write its words into the rubric", f"{typed()} --write"
    if run.answer is None and run.finalists:
        return "Next, test it on the held-out labels, once and on record", f"{typed()} --open"
    return None


def _odds(text: str) -> float:
    """Parse the option `--cost`, and return the cost of a false pass relative to a false fail."""
    try:
        costs = [float(cost) for cost in text.split(":")]
    except ValueError:
        costs = []
    if len(costs) != 2 or not all(0 < cost < float("inf") for cost in costs):
        raise UsageError(f"`--cost` must be two numbers above 0, for example 1:5, got {text!r}")
    return costs[0] / costs[1]


def _refuse_idle(
    wordings: WordingOptions, *, html: Path | None, numbers: bool, ratings: Sequence[Path], odds: float
) -> None:
    """Raise UsageError if an option is set that has no effect.

    Args:
        wordings: Options on wordings to try.
        html: The page to write, which needs wordings to show.
        numbers: True if weights and pass mark are to be fitted.
        ratings: Files of a judge's ratings, which only a fit of numbers uses.
        odds: Cost of a false pass relative to a false fail, which only a fit of numbers uses; 1 if it isn't set.

    Raises:
        UsageError: An option has no effect.
    """
    if html and not wordings.are_any:
        raise UsageError("--html has two wordings side by side: it goes with --proposer or --candidates")
    if not numbers and (ratings or odds != 1):
        raise UsageError(f"{'--ratings' if ratings else '--cost'} goes with --numbers")


def _refuse_together(wordings: WordingOptions, *, outside: bool, plan: bool, numbers: bool) -> None:
    """Refuse options that contradict each other.

    Args:
        wordings: Source of other wordings.
        outside: True if `--outside` is given: the wordings were written without these labels.
        plan: True if `--plan` is given.
        numbers: True if `--numbers` is given: weights and pass mark are tried, not words.

    Raises:
        UsageError: Options contradict each other.
    """
    if numbers and (wordings.are_any or plan or outside):
        raise UsageError("--numbers tries weights and pass mark alone; leave out the options for words")
    if outside and wordings.proposer:
        raise UsageError("--outside is for wordings written without these labels; a --proposer is shown dev labels")
    if outside and not wordings.candidates and not plan:
        raise UsageError("--outside needs wordings that were written without these labels: --candidates FILE")
