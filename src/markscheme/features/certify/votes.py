"""Several judges' votes as certainty: which of their decisions need no person."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from markscheme.calibration.decided_labels import decided_labels
from markscheme.calibration.promised import MarkSide, Promised, on_side
from markscheme.features.certify.certificate import Certificate
from markscheme.features.certify.judges import stage_fingerprint
from markscheme.features.certify.ranked_decisions import RankedDecisions, judges_in
from markscheme.features.certify.seen_decisions import SeenDecisions, certified_passes
from markscheme.features.certify.statistics import CERTAINTY_DIGITS, AutomaticPart, ErrorLimit, automatic_part
from markscheme.judges.asking import Asking
from markscheme.judges.registry import open_judge
from markscheme.phrases import counted, in_words, percent
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rating, asked_under
from markscheme.ratings.splits import labelling_digest
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.intervals import Flags

RECOMMENDED = 5
"""Judges from which votes rank decisions finely enough; a judgement. On published answers to trivia and 400 labels,
votes of three judges decided .38 of the responses and votes of seven .76; one judge's decisions tell nothing apart."""
DECIDES_RIGHTLY = 0.85
"""Share of right decisions below which no signal decided anything alone, on 59 published judges."""


@dataclass(frozen=True, kw_only=True)
class TunedVotes(Certificate[AutomaticPart]):
    """What the labels say about letting a panel decide alone where enough of its judges agree.

    Attributes:
        judges: The judges.
        right: Share of labelled examples that the majority decides rightly.
        under: Fingerprint of the question that all judges were asked; "" where the ratings don't say.
    """

    judges: tuple[str, ...]
    right: float
    under: str

    @property
    def sentence(self) -> str:
        """Which decisions need no person, or why all of them do."""
        panel = f"{counted(len(self.judges), 'judge')} vote"
        if not self.n:
            return (
                f"{panel}; withheld: no annotator decided whether these responses pass. `markscheme label RUBRIC "
                "--overall` asks that."
            )
        if self.right < DECIDES_RIGHTLY and not self.is_supported:
            return (
                f"{panel}; everything goes to people: most of the judges decide rightly on {percent(self.right)}, and "
                f"below {percent(DECIDES_RIGHTLY)} more labels hardly help. Improve the judges first."
            )
        parts = " ".join(self._of_part(side, part) for side, part in self.parts.items())
        few = f" With {RECOMMENDED} judges or more, votes tell more decisions apart."
        return f"{panel}. {parts}{few if len(self.judges) < RECOMMENDED else ''}"

    def _of_part(self, side: MarkSide, part: AutomaticPart) -> str:
        whose = "decisions" if side == "both" else side
        if part.certain is None:
            return f"All {whose} go to people: {part.automatic.undefined}."
        least = math.ceil(round(part.certain * len(self.judges), 6))
        automatic = percent(part.automatic.value or 0.0)
        promise = (
            f"{percent(self.promised.error)} of these are wrong, with {percent(self.promised.confidence)} confidence"
        )
        return (
            f"Where {least} of them or more agree, {whose} need no person ({automatic} of all): at most {promise}, "
            f"if what is graded is like these {counted(self.n, 'example')}. {part.errors} of {part.n_automatic} were "
            "wrong."
        )

    @property
    def why_not_written(self) -> str:
        """Why nothing can be written that says which judges to ask; "" where it can."""
        if not self.is_supported:
            return "nothing is certified"
        nameless = [judge for judge in self.judges if ":" not in judge]
        if nameless:
            return f"the ratings of {in_words(nameless)} don't say which judge to ask, as in anthropic:MODEL"
        return "" if self.under else "the ratings don't say by which words of the rubric they were given"

    @property
    def _fingerprint(self) -> str:
        """Of the judges as they would be asked here."""
        asking = Asking(memory=None)
        return stage_fingerprint([open_judge(judge, asking=asking).identity for judge in self.judges])

    def stages(self) -> list[dict[str, Any]]:
        """The one stage of the file, in which all judges are asked."""
        return [
            {
                "judge": "+".join(self.judges),
                "model": [judge.partition(":")[2] for judge in self.judges],
                "fingerprint": self._fingerprint if self.is_supported and not self.why_not_written else "",
                "certainty": "votes",
                "certain": self.certain_by_side(lambda part: part.certain),
            }
        ]

    @property
    def decided(self) -> list[int]:
        """Examples that the panel decides, and those that people do."""
        automatic = sum(part.n_automatic for part in self.certified.values())
        return [automatic, self.n - automatic]


def _is_automatic(panel: RankedDecisions, parts: Mapping[MarkSide, AutomaticPart]) -> Flags:
    """Which examples the panel decides alone, shape (n,)."""
    ranked = np.round(np.nan_to_num(panel.certainty, nan=-np.inf), CERTAINTY_DIGITS)
    automatic = np.zeros(len(ranked), dtype=bool)
    for side, part in parts.items():
        if part.certain is not None:
            automatic |= on_side(side, panel.passes) & (ranked >= part.certain)
    return automatic


def tune_votes(
    rubric: Rubric,
    examples: ExampleSet,
    ratings: Sequence[Rating],
    promised: Promised,
    *,
    kind: Kind | None = None,
    used: Collection[str] = (),
    split: str = "dev",
) -> TunedVotes:
    """Which decisions of several judges need no person, by the share of them that agrees.

    Args:
        rubric: As it is.
        examples: With their labels.
        ratings: Of several judges.
        promised: The promise.
        kind: Only labels of this kind count; None for the strongest there are.
        used: Ids of examples that moved numbers of this rubric earlier; no promise may be based on them.
        split: The part that the labels are of.

    Raises:
        ComparisonError: Nothing is labelled.
    """
    labels = decided_labels(rubric, examples, kind, used)
    panel = RankedDecisions.of_panel(ratings, rubric, labels.ids)
    wrong = labels.wrong(panel.passes)
    is_decided = ~np.isnan(panel.certainty)
    limit = ErrorLimit(promised.error, promised.level)
    parts = {
        side: automatic_part(
            np.where(on_side(side, panel.passes), panel.certainty, math.nan), wrong, limit, labels.groups
        )
        for side in promised.sides
    }
    under = {rating.under for rating in ratings}
    return TunedVotes(
        judges=judges_in(ratings),
        promised=promised,
        parts=parts,
        right=float(1 - wrong[is_decided].mean()) if is_decided.any() else 0.0,
        n=len(wrong),
        groups=labels.n_groups,
        split=split,
        labels=labelling_digest(examples),
        origins=labels.origins,
        pass_shares=certified_passes(labels, _is_automatic(panel, parts), panel.passes),
        seen=SeenDecisions(labels, (panel,)),
        kind=kind,
        under=under.pop() if under == {asked_under(rubric)} else "",
    )
