"""What the labels of a rubric allow to try: words, weights or pass mark, and the chances to find something better."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markscheme.features.improve.fitting.chances import chance_of, in_tenths
from markscheme.features.improve.fitting.evidence import LEAST, PER_WEIGHT, DecisionEvidence
from markscheme.features.improve.fitting.own_scores import OwnScores
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


@dataclass(frozen=True)
class TriableChanges:
    """What the labels of a rubric allow to try.

    Attributes:
        setting: The rubric and its labels.
        decisions: People's pass/fail decisions.
        scores: Their overall scores, where decisions don't suffice.
    """

    setting: ImprovableSet
    decisions: DecisionEvidence
    scores: OwnScores | None

    @classmethod
    def of(cls, setting: ImprovableSet, decisions: DecisionEvidence) -> "TriableChanges":
        """Look at scores only where decisions are too few."""
        scores = None if decisions.lack is None else OwnScores.of(setting.rubric, setting.every)
        return cls(setting, decisions, scores if scores is not None and scores.ids else None)

    @property
    def words(self) -> bool:
        """Whether other words can be tried."""
        return not self.setting.lacks

    @property
    def weights(self) -> bool:
        """Whether other weights can be tried."""
        return self.decisions.may_move_weights or self.by_scores

    @property
    def by_scores(self) -> bool:
        """Whether weights can be tried by overall scores."""
        return self.scores is not None and self.scores.lack is None

    @property
    def pass_mark(self) -> bool:
        """Whether another pass mark can be tried."""
        return self.decisions.lack is None

    def to_json(self) -> dict[str, bool]:
        """By what is tried."""
        return {"words": self.words, "weights": self.weights, "pass_mark": self.pass_mark}


def next_steps(triable: TriableChanges) -> tuple[tuple[str, str], ...]:
    """Return what to do next, each step with its command."""
    name = shlex.quote(triable.setting.rubric.name)
    proposer = shlex.quote(DEFAULT.name)
    steps = []
    if triable.pass_mark or triable.weights:
        steps.append(
            ("Weights and mark" if triable.pass_mark else "Weights", f"markscheme improve {name} --numbers --open")
        )
    if triable.words:
        steps.append(("Words", f"markscheme improve {name} --proposer {proposer}"))
    return tuple(steps) or (("Label more", f"markscheme label {name}"),)


def overview_view(triable: TriableChanges) -> doc.Document:
    """Show the evidence, what can be tried, the chances, and the commands."""
    setting = triable.setting
    rubric = setting.rubric
    title = (
        f"{rubric.name} · {counted(len(rubric.criteria), 'criterion', 'criteria')}, pass mark {rubric.pass_mark:g} · "
        f"{counted(setting.dev.n + setting.sealed.n, 'output')}: {setting.dev.n} dev, {setting.sealed.n} held out"
    )
    blocks: list[doc.Block] = [
        doc.Table(("", "Evidence", "Can be tried"), tuple(_evidence(triable))),
        doc.Table(("Chance to find a change that is better", "", ""), tuple(_chances(triable))),
        doc.Facts(next_steps(triable)),
        doc.Notes(("No held-out label was read.",)),
    ]
    return doc.Document(title, "", tuple(blocks))


def _evidence(triable: TriableChanges) -> Iterator[tuple[doc.Line, ...]]:
    setting = triable.setting
    decisions = triable.decisions
    levels = f"levels on {setting.dev.n} dev, {setting.sealed.n} held-out outputs"
    yield "Words", levels, "yes, with a judge" if triable.words else f"no: {setting.lacks}"
    if decisions.lack is not None:
        why = lack_in_words(decisions, decisions.lack)
        if triable.scores is None:
            yield "Weights", why, "no"
            yield "Pass mark", "the same", "no"
            return
        of_scores = f"{counted(len(triable.scores.ids), 'overall score')}, {in_words(triable.scores.raters)}"
        yield "Weights", of_scores, "yes" if triable.by_scores else f"no: {triable.scores.lack}"
        yield "Pass mark", why, "no"
        return
    who = f"{counted(len(decisions.tasks), 'pass/fail decision')}, {in_words(decisions.raters)}"
    yield "Weights", who, "yes" if decisions.may_move_weights else _too_few_columns(decisions)
    yield "Pass mark", f"the same: {decisions.passes} pass, {decisions.fails} fail", "yes"


def _too_few_columns(decisions: DecisionEvidence) -> str:
    k = len(decisions.tuned)
    if k < 2:
        return f"no: {k} of the criteria varies enough, two are needed"
    return f"no: {counted(k, 'weight')} need {PER_WEIGHT * k} decisions"


def _chances(triable: TriableChanges) -> Iterator[tuple[doc.Line, ...]]:
    setting = triable.setting
    decisions = triable.decisions
    alpha = setting.next_alpha
    needed = held_out_needed(alpha)
    if triable.words:
        chance = in_tenths(chance_to_find(setting.sealed.tasks, alpha, PLANNED_SD))
        yield "Words", "10 points of agreement", f"{chance}   ({needed} held out: 8 in 10)"
    if not triable.pass_mark:
        yield "Numbers", "", f"from {LEAST} decisions on"
        return
    n = len(decisions.tasks)
    k = len(decisions.tuned)
    for gain in GAINS:
        more = f"   ({MORE} decisions: {in_tenths(chance_of(gain, MORE, k))})" if n < MORE else ""
        yield "Numbers", gain, f"{in_tenths(chance_of(gain, n, k))}{more}"


def overview_json(triable: TriableChanges) -> dict[str, Any]:
    """Return the overview by the keys of its JSON."""
    setting = triable.setting
    parts = {"dev": setting.dev.n, "test": setting.sealed.n}
    return {
        "schema": 1,
        "rubric": setting.rubric.name,
        "parts": parts,
        "evidence": {**evidence_json(triable.decisions), "levels": parts},
        "can_try": triable.to_json(),
        "numbers": None,
        "next": [command for _, command in next_steps(triable)],
    }
