"""The changes (words, weights or pass mark) that a rubric's labels are enough to try, and the chances of success."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markscheme.features.improve.fitting.chances import chances_of, in_tenths, simulated_size
from markscheme.features.improve.fitting.evidence import LEAST, DecisionEvidence
from markscheme.features.improve.fitting.own_scores import OwnScores
from markscheme.features.improve.fitting.run import has_looked
from markscheme.features.improve.fitting.view import (
    columns_in_words,
    counted_evidence,
    evidence_json,
    lack_in_words,
    plural,
    sides_in_words,
)
from markscheme.features.improve.selection import (
    PLANNED_SD,
    chance_to_find,
    held_out_needed,
)
from markscheme.features.improve.setting import ImprovableSet
from markscheme.judges.kinds import DEFAULT
from markscheme.options.in_force import with_reading_options
from markscheme.phrases import counted, in_words
from markscheme.report import document as doc

MORE = 160
"""A larger number of decisions whose chances of success are shown next to the present number's."""


@dataclass(frozen=True)
class TriableChanges:
    """Changes of a rubric that its labels suffice to try: other words, other weights, another pass mark.

    Attributes:
        setting: The rubric and its labels.
        decisions: People's pass/fail decisions on responses, or their preferences between responses.
        scores: People's overall scores, if there are too few decisions; None if decisions suffice, or if there are no
            overall scores.
        ratings: Files of a judge's ratings that the user named, to take levels from.
        judge: The judge that the user named, to ask by other words; None for the default one.
    """

    setting: ImprovableSet
    decisions: DecisionEvidence
    scores: OwnScores | None
    ratings: tuple[Path, ...] = ()
    judge: str | None = None

    @classmethod
    def of(cls, setting: ImprovableSet, decisions: DecisionEvidence) -> "TriableChanges":
        """Collect the labels by which changes can be tried: decisions or, if these are too few, overall scores."""
        takes_scores = decisions.lack is not None and not decisions.is_paired
        scores = OwnScores.of(setting.rubric, setting.every) if takes_scores else None
        return cls(setting, decisions, scores if scores is not None and scores.ids else None)

    @property
    def words(self) -> bool:
        """True if the labels suffice to try other words."""
        return not self.setting.lacks

    @property
    def weights(self) -> bool:
        """True if the labels suffice to fit other weights."""
        return self.decisions.may_move_weights if self.scores is None else self.by_scores

    @property
    def by_scores(self) -> bool:
        """True if weights can be fitted to annotators' overall scores, which are used only if decisions are too few."""
        return self.scores is not None and self.scores.lack is None

    @property
    def pass_mark(self) -> bool:
        """True if the labels suffice to fit another pass mark."""
        return self.scores is None and self.decisions.lack is None and not self.decisions.is_paired

    @property
    def was_opened(self) -> bool:
        """True if weights or pass mark were fitted to exactly these labels before, so that nothing new results."""
        return has_looked(self.setting.every)

    def to_json(self) -> dict[str, bool]:
        """Return, as a dict for JSON, whether the labels suffice to try words, weights and pass mark."""
        return {"words": self.words, "weights": self.weights, "pass_mark": self.pass_mark}


def next_steps(triable: TriableChanges) -> tuple[tuple[str, str], ...]:
    """Return sentences on what can be tried next, each with its command."""
    name = shlex.quote(triable.setting.rubric.name)
    proposer = shlex.quote(DEFAULT.name)
    steps = []
    if triable.pass_mark or triable.weights:
        pairs = triable.decisions.pairs
        command = f"markscheme improve {name} --numbers --open"
        if pairs is not None:
            command = f"markscheme improve {name} --numbers --preferences {shlex.quote(pairs.name)} --open"
        if triable.decisions.judge is not None:
            command = shlex.join(
                [*shlex.split(command), *(w for path in triable.ratings for w in ("--ratings", str(path)))]
            )
        numbers = "Weights and mark" if triable.pass_mark else "Weights"
        if triable.was_opened:
            steps.append(("Smaller gains, and proof of new numbers", triable.setting.label_more))
        steps.append((f"{numbers}, the same answer again" if triable.was_opened else numbers, command))
    if triable.words:
        judge_option = "" if triable.judge is None else f" --judge {shlex.quote(triable.judge)}"
        steps.append(("Words", f"markscheme improve {name} --proposer {proposer}{judge_option}"))
    if not steps:
        return (("Label more", triable.setting.label_more),)
    return tuple((words, with_reading_options(command)) for words, command in steps)


def overview_view(triable: TriableChanges) -> doc.Document:
    """Render the labels, the changes that they suffice to try, the chances of success, and the commands."""
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
        doc.Notes(("No held-out label was read.", *_on_undrawn_parts(setting))),
    ]
    return doc.Document(title, "", tuple(blocks))


def _on_undrawn_parts(setting: ImprovableSet) -> Iterator[doc.Line]:
    """Yield a warning that held-out texts may have been read, if the file of examples isn't divided into parts yet."""
    if setting.is_drawn:
        yield "The labels have no parts yet, and reports show all their texts: those held out may have been read."


def _evidence(triable: TriableChanges) -> Iterator[tuple[doc.Line, ...]]:
    setting = triable.setting
    decisions = triable.decisions
    levels = f"levels on {setting.dev.n} dev, {setting.sealed.n} held-out outputs"
    yield "Words", levels, "yes, with a judge" if triable.words else f"no: {setting.lacks}"
    if triable.scores is not None:
        of_scores = f"{counted(len(triable.scores.ids), 'overall score')}, {in_words(triable.scores.raters)}"
        yield "Weights", of_scores, "yes" if triable.by_scores else f"no: {triable.scores.lack}"
        yield "Pass mark", lack_in_words(decisions), "no"
        return
    if not (triable.pass_mark or triable.weights):
        yield "Weights", lack_in_words(decisions) or columns_in_words(decisions), "no"
        yield "Pass mark", "the same", "no"
        return
    who = f"{counted_evidence(decisions)}, {in_words(decisions.raters)}"
    who += "" if decisions.judge is None else f", with the levels of {decisions.judge}"
    yield "Weights", who, "yes" if decisions.may_move_weights else f"no: {columns_in_words(decisions)}"
    if triable.pass_mark:
        yield "Pass mark", f"the same: {sides_in_words(decisions)}", "yes"
    else:
        yield "Pass mark", "preferences have none", "no"


def _chances(triable: TriableChanges) -> Iterator[tuple[doc.Line, ...]]:
    setting = triable.setting
    decisions = triable.decisions
    alpha = setting.next_alpha
    needed = held_out_needed(alpha)
    if triable.words:
        chance = in_tenths(chance_to_find(setting.sealed.tasks, alpha, PLANNED_SD))
        yield "Words", "10 points of agreement", f"{chance}   ({needed} held out: 8 in 10)"
    if not (triable.pass_mark or triable.weights) or triable.scores is not None:
        yield "Numbers", "", f"from {LEAST} {plural(decisions)} on"
        return
    n = simulated_size(decisions)
    with_more = chances_of(decisions, MORE)
    for gain, chance_now in chances_of(decisions, n).items():
        this = f" with {n}" if n > len(decisions.tasks) else ""
        more = f"   ({MORE} {plural(decisions)}: {in_tenths(with_more[gain])})" if n < MORE else ""
        yield "Numbers", gain, f"{in_tenths(chance_now)}{this}{more}"


def overview_json(triable: TriableChanges) -> dict[str, Any]:
    """Return the overview as a dict with the keys of the JSON output."""
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
