"""Who decides what: decisions that judges may make one after the other, by labels."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.calibration.decided_labels import decided_labels
from markscheme.calibration.promised import Promised
from markscheme.features.certify.certificate import Certificate
from markscheme.features.certify.certificate_file import CertaintySignal
from markscheme.features.certify.ranked_decisions import RankedDecisions
from markscheme.features.certify.seen_decisions import SeenDecisions
from markscheme.features.certify.statistics import (
    CertifiedCascade,
    ErrorLimit,
    labels_for_first_size,
)
from markscheme.phrases import counted, percent
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rating
from markscheme.ratings.splits import labelling_digest
from markscheme.rubrics.rubric import Rubric

FEWEST_FOR_TWO = 100
"""Labels from which a second judge is offered: with fewer it costs people's time, since the level is split."""


@dataclass(frozen=True)
class CascadeCandidate:
    """A judge that may decide, as it was asked.

    Attributes:
        name: Its name, as it is asked; of a panel, names joined by `+`.
        ratings: Of the labelled examples; of several raters where it is a panel.
        models: The models that answered.
        fingerprint: Of the judge, or of a panel's members; "" where it isn't known.
        usd: What a thousand responses cost, in dollars; None where the price isn't known.
        why_unnamed: Why it can't be asked by a file; "" where it can.
        source: The file that its ratings or replies came from; None where it was asked, or they were read with options.
    """

    name: str
    ratings: Sequence[Rating]
    models: tuple[str, ...] = ()
    fingerprint: str = ""
    usd: float | None = None
    why_unnamed: str = ""
    source: Path | None = None


@dataclass(frozen=True, kw_only=True)
class TunedCascade(Certificate[CertifiedCascade]):
    """What the labels say about letting judges decide one after the other.

    Attributes:
        candidates: The judges, in the order in which they are asked.
        signals: What ranks the decisions of each.
        right: Share of labelled examples that the last judge decides rightly; None where it decides none.
        needed: Labelled examples in all with which the last judge's most certain decisions are as likely as not to keep
            the promise; None where something is certified, or no number would do.
    """

    candidates: tuple[CascadeCandidate, ...]
    signals: tuple[CertaintySignal, ...]
    right: float | None
    needed: int | None

    @property
    def decided(self) -> list[int]:
        """Examples that each judge decides, and then those that people do."""
        by = self.seen.decided_by(self.parts.values())
        return [int(count) for count in np.bincount(by, minlength=len(self.candidates) + 1)]

    @property
    def errors(self) -> int:
        """Wrong decisions among the automatic ones; each example is decided once, by the first judge that may."""
        return self.seen.errors(self.parts.values())

    @property
    def reason(self) -> str:
        """Why everything goes to people, in a sentence; "" where something is certified."""
        if self.is_supported:
            return ""
        whose = {
            "both": "Everything goes to people",
            "passes": "All passes go to people",
            "fails": "All fails go to people",
        }
        reasons = [f"{whose[side]}: {part.automatic.undefined}." for side, part in self.parts.items()]
        return " ".join(reasons)

    def certain(self, place: int) -> float | dict[str, float | None] | None:
        """As `certain_by_side`, of one judge."""
        return self.certain_by_side(lambda part: part.certain[place])

    @property
    def why_not_written(self) -> str:
        """Why nothing can be written that says which judges to ask; "" where it can."""
        if not self.is_supported:
            return "nothing is certified"
        return next((candidate.why_unnamed for candidate in self.candidates if candidate.why_unnamed), "")

    @property
    def sources(self) -> Sequence[Path | None]:
        """As of every certificate."""
        return [candidate.source for candidate in self.candidates]

    def stages(self) -> list[dict[str, Any]]:
        """The judges, as the file has them."""
        return [
            {
                "judge": candidate.name,
                "model": list(candidate.models),
                "fingerprint": candidate.fingerprint,
                "certainty": signal,
                "certain": self.certain(place),
            }
            for place, (candidate, signal) in enumerate(zip(self.candidates, self.signals, strict=True))
        ]

    @property
    def promise(self) -> str:
        """What is promised, in a sentence."""
        whose = {"both": "decisions", "passes": "passes", "fails": "fails"}
        automatic = " and of the automatic ".join(whose[side] for side in self.certified)
        wrong = f"{self.errors} of {sum(self.decided[:-1])} {'was' if self.errors == 1 else 'were'} wrong"
        return (
            f"At most {percent(self.promised.error)} of the automatic {automatic} are wrong, with "
            f"{percent(self.promised.confidence)} confidence, if what you grade is like these examples. {wrong}."
        )

    @property
    def passes_sentence(self) -> str:
        """How many automatic passes are wrong, and what a promise about them takes; "" without passes."""
        part = self.parts.get("both") or self.parts.get("passes")
        if part is None or not part.passes:
            return ""
        seen = f"Of {counted(part.passes, 'automatic pass', 'automatic passes')} {part.wrong_passes} "
        seen += "is wrong" if part.wrong_passes == 1 else "are wrong"
        upper = "" if part.upper_passes is None else f", at most {percent(part.upper_passes)}"
        if self.wrong_passes is not None:
            return f"{seen}{upper}; at most {percent(self.wrong_passes)} is promised."
        limit = ErrorLimit(self.promised.error, part.limit.level)
        missing = limit.fewest - part.passes
        more = f" takes {missing} more passes" if missing > 0 else " may hold"
        return f"{seen}{upper}. A promise about passes alone (--wrong-passes {self.promised.error:g}){more}."


def tune_cascade(
    rubric: Rubric,
    examples: ExampleSet,
    candidates: Sequence[CascadeCandidate],
    promised: Promised,
    *,
    wrong_passes: float | None = None,
    kind: Kind | None = None,
    used: Collection[str] = (),
    split: str = "dev",
) -> TunedCascade:
    """Which decisions of several judges need no person, one judge after the other.

    Args:
        rubric: As it is.
        examples: With their labels.
        candidates: The judges, cheapest first.
        promised: The promise.
        wrong_passes: A promise about the automatic passes alone.
        kind: Only labels of this kind count; None for the strongest there are.
        used: Ids of examples that moved numbers of this rubric earlier; no promise may be based on them.
        split: The part that the labels are of.

    Raises:
        ComparisonError: Nothing is labelled.
    """
    labels = decided_labels(rubric, examples, kind, used)
    ranked = tuple(RankedDecisions.of(candidate.ratings, rubric, labels.ids) for candidate in candidates)
    seen = SeenDecisions(labels, ranked)
    limit = seen.limit(promised)
    parts = seen.thresholds(promised, wrong_passes)
    supported = any(part.is_certified for part in parts.values())
    last_stages = [seen.stage(ranked[-1], side) for side in promised.sides]
    totals = [labels_for_first_size(stage.certainty, stage.wrong, limit, labels.groups) for stage in last_stages]
    last = ranked[-1]
    decides = ~np.isnan(last.certainty)
    right = float((~labels.wrong(last.passes))[decides].mean()) if decides.any() else None
    return TunedCascade(
        candidates=tuple(candidates),
        signals=tuple(decisions.signal for decisions in ranked),
        promised=promised,
        wrong_passes=wrong_passes,
        parts=parts,
        right=right,
        needed=None if supported else min((total for total in totals if total is not None), default=None),
        n=len(labels.ids),
        groups=labels.n_groups,
        split=split,
        labels=labelling_digest(examples),
        origins=labels.origins,
        pass_shares=seen.pass_shares(parts.values()),
        seen=seen,
        kind=kind,
    )
