"""What the labels of a rubric allow to try: words, weights or pass mark, and the chances to find something better."""

import shlex
from collections.abc import Iterator
from typing import Any

from markscheme.features.improve.fitting.chances import chance_of, in_tenths
from markscheme.features.improve.fitting.evidence import LEAST, PER_WEIGHT, DecisionEvidence
from markscheme.features.improve.fitting.view import GAINS, evidence_json, lack_in_words
from markscheme.features.improve.selection import (
    PLANNED_SD,
    chance_to_find,
    held_out_needed,
)
from markscheme.features.improve.setting import ImprovableSet
from markscheme.judges.kinds import DEFAULT
from markscheme.phrases import counted, in_words
from markscheme.report import document as doc

MORE = 160
"""Decisions whose chances are shown next to those there are."""


def can_try(setting: ImprovableSet, decisions: DecisionEvidence) -> dict[str, bool]:
    """Return whether words, weights and pass mark can be tried."""
    return {
        "words": not setting.lacks,
        "weights": decisions.may_move_weights,
        "pass_mark": decisions.lack is None,
    }


def next_steps(setting: ImprovableSet, decisions: DecisionEvidence) -> tuple[tuple[str, str], ...]:
    """Return what to do next, each step with its command."""
    name = shlex.quote(setting.rubric.name)
    proposer = shlex.quote(DEFAULT.name)
    possible = can_try(setting, decisions)
    steps = []
    if possible["pass_mark"]:
        steps.append(("Weights and mark", f"markscheme improve {name} --numbers --open"))
    if possible["words"]:
        steps.append(("Words", f"markscheme improve {name} --proposer {proposer}"))
    return tuple(steps) or (("Label more", f"markscheme label {name}"),)


def overview_view(setting: ImprovableSet, decisions: DecisionEvidence) -> doc.Document:
    """Show the evidence, what can be tried, the chances, and the commands."""
    rubric = setting.rubric
    title = (
        f"{rubric.name} · {counted(len(rubric.criteria), 'criterion', 'criteria')}, pass mark {rubric.pass_mark:g} · "
        f"{counted(setting.dev.n + setting.sealed.n, 'output')}: {setting.dev.n} dev, {setting.sealed.n} held out"
    )
    blocks: list[doc.Block] = [
        doc.Table(("", "Evidence", "Can be tried"), tuple(_evidence(setting, decisions))),
        doc.Table(("Chance to find a change that is better", "", ""), tuple(_chances(setting, decisions))),
        doc.Facts(next_steps(setting, decisions)),
        doc.Notes(("No held-out label was read.",)),
    ]
    return doc.Document(title, "", tuple(blocks))


def _evidence(setting: ImprovableSet, decisions: DecisionEvidence) -> Iterator[tuple[doc.Line, ...]]:
    levels = f"levels on {setting.dev.n} dev, {setting.sealed.n} held-out outputs"
    yield "Words", levels, "yes, with a judge" if can_try(setting, decisions)["words"] else f"no: {setting.lacks}"
    if decisions.lack is not None:
        why = lack_in_words(decisions, decisions.lack)
        yield "Weights", why, "no"
        yield "Pass mark", "the same", "no"
        return
    who = f"{counted(len(decisions.tasks), 'pass/fail decision')}, {in_words(decisions.raters)}"
    yield "Weights", who, "yes" if decisions.may_move_weights else _too_few_columns(decisions)
    yield "Pass mark", f"the same: {decisions.passes} pass, {decisions.fails} fail", "yes"


def _too_few_columns(decisions: DecisionEvidence) -> str:
    k = len(decisions.tuned)
    if k < 2:
        return f"no: {k} of the criteria varies enough, two are needed"
    return f"no: {counted(k, 'weight')} need {PER_WEIGHT * k} decisions"


def _chances(setting: ImprovableSet, decisions: DecisionEvidence) -> Iterator[tuple[doc.Line, ...]]:
    alpha = setting.next_alpha
    needed = held_out_needed(alpha)
    if can_try(setting, decisions)["words"]:
        chance = in_tenths(chance_to_find(setting.sealed.tasks, alpha, PLANNED_SD))
        yield "Words", "10 points of agreement", f"{chance}   ({needed} held out: 8 in 10)"
    if not can_try(setting, decisions)["pass_mark"]:
        yield "Numbers", "", f"from {LEAST} decisions on"
        return
    n = len(decisions.tasks)
    k = len(decisions.tuned)
    for gain in GAINS:
        more = f"   ({MORE} decisions: {in_tenths(chance_of(gain, MORE, k))})" if n < MORE else ""
        yield "Numbers", gain, f"{in_tenths(chance_of(gain, n, k))}{more}"


def overview_json(setting: ImprovableSet, decisions: DecisionEvidence) -> dict[str, Any]:
    """Return the overview by the keys of its JSON."""
    parts = {"dev": setting.dev.n, "test": setting.sealed.n}
    return {
        "schema": 1,
        "rubric": setting.rubric.name,
        "parts": parts,
        "evidence": {**evidence_json(decisions), "levels": parts},
        "can_try": can_try(setting, decisions),
        "numbers": None,
        "next": [command for _, command in next_steps(setting, decisions)],
    }
