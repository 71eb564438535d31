"""Prints which changes the labels suffice to try, or the result of fitting weights and pass mark to them."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.output import TOO_FEW, show, typed
from markscheme.features.improve.fitting.evidence import DecisionEvidence
from markscheme.features.improve.fitting.run import (
    NumbersRun,
    ScoresRun,
    look_at_decisions,
    look_at_scores,
    with_file,
)
from markscheme.features.improve.fitting.view import (
    lack_in_words,
    numbers_json,
    numbers_view,
    plural,
    scores_json,
    scores_view,
)
from markscheme.features.improve.numbers_overview import TriableChanges, overview_json, overview_view
from markscheme.features.improve.setting import ImprovableSet
from markscheme.phrases import counted
from markscheme.report.document import Document

YOURS_STAY = 1
"""Exit status where no other numbers are adopted."""


def show_overview(
    setting: ImprovableSet, evidence: DecisionEvidence, ratings: Sequence[Path], judge: str | None, *, json: bool
) -> int:
    """Print which changes the labels suffice to try, with the chances of success, and return the exit status.

    Nothing is fitted.

    Args:
        setting: The rubric and its labels.
        evidence: The decisions to fit to.
        ratings: The files of a judge's ratings that brought levels, if any.
        judge: The judge that the user named; None for the default one.
        json: True to print JSON.
    """
    triable = replace(TriableChanges.of(setting, evidence), ratings=tuple(ratings), judge=judge)
    show(overview_view(triable), overview_json(triable), json=json)
    return 0 if any(triable.to_json().values()) else TOO_FEW


def show_numbers(
    setting: ImprovableSet, file: Path, evidence: DecisionEvidence, *, odds: float, write: bool, json: bool
) -> int:
    """Fit weights and pass mark to people's decisions; print the result, and return the exit status.

    If there are too few decisions, weights alone are fitted to people's overall scores.

    Args:
        setting: The rubric with its labels.
        file: The rubric's file.
        evidence: Annotators' decisions on examples, with levels.
        odds: Odds of passing at the pass mark: the cost of a false pass if a false fail costs 1.
        write: True to write the fitted numbers into the rubric's file.
        json: True to print JSON.
    """
    triable = TriableChanges.of(setting, evidence)
    decisions = triable.decisions
    scores = triable.scores
    if not (triable.pass_mark or triable.weights):
        print(f"error: {_lack(triable)}", file=sys.stderr)
        if decisions.pairs is None:
            command = Commands(shlex.quote(setting.rubric.name)).label("-o ask_whole=always")
            print(f"Next, say of each whole response whether it passes: {command}", file=sys.stderr)
        return TOO_FEW
    looked = (
        look_at_decisions(decisions, setting.every, odds=odds, day=setting.day)
        if scores is None
        else look_at_scores(scores, setting.every, day=setting.day)
    )
    run = with_file(looked, file, setting.every, write=write, day=setting.day)
    _, onward = _next_step(run)
    report = {**overview_json(triable), "numbers": _json(run)}
    others = {setting.label_more, *(command for command in report["next"] if "--numbers" in command)}
    report["next"] = [onward, *(command for command in report["next"] if command not in others)]
    show(_view(run), report, json=json)
    return 0 if run.is_adopted else YOURS_STAY


def _lack(triable: TriableChanges) -> str:
    """Return a sentence on which labels are missing to fit weights and pass mark."""
    scores = triable.scores
    also = "" if scores is None else f"; of {counted(len(scores.ids), 'overall score')}: {scores.lack}"
    return f"not enough {plural(triable.decisions)}: {lack_in_words(triable.decisions)}{also}"


def _view(run: NumbersRun | ScoresRun) -> Document:
    if isinstance(run, ScoresRun):
        return scores_view(run, next_step=_next_step(run))
    return numbers_view(run, next_step=_next_step(run))


def _next_step(run: NumbersRun | ScoresRun) -> tuple[str, str]:
    """Return a sentence on the next step, with its command."""
    if run.is_adopted and not run.written:
        return "Next, write them", f"{typed().replace(' --open', '').replace(' --json', '')} --write"
    does = (
        "To prove them, label fresh outputs and compare both versions"
        if run.written
        else "To find smaller gains, label fresh outputs"
    )
    return does, f"markscheme label {shlex.quote(run.evidence.rubric.name)} --pool FILE"


def _json(run: NumbersRun | ScoresRun) -> dict[str, Any]:
    return scores_json(run) if isinstance(run, ScoresRun) else numbers_json(run)
