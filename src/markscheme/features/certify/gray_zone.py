"""The gray zone around the pass mark, in which a person decides: as narrow as labels support."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from markscheme.calibration.certificates import CertificateEvidence
from markscheme.calibration.decided_labels import RatedLabels, WholeLabels, may_promise
from markscheme.calibration.promised import DecisionOrigins, MarkSide, Promised, on_side
from markscheme.features.certify.band import Band, automatic_band
from markscheme.phrases import counted, percent
from markscheme.rubrics.gray_zone import GrayZone
from markscheme.stats.annotators import NO_DECISION
from markscheme.stats.intervals import Flags, Floats
from markscheme.stats.prevalence import least_labels, promise_for

WIDTHS = (0.01, *(round(0.025 * step, 3) for step in range(1, 15)))
"""Half-widths of the gray zone that are tried; with the narrowest only scores at the mark go to a person."""


@dataclass(frozen=True)
class TunedBand:
    """What the labels say about the gray zone, in which a person decides.

    Attributes:
        before: The author's half-width, or one for each side of the pass mark.
        after: The proposed one; the author's where no promise can be made.
        supported: Whether one can be made.
        reason: Why, or why not, in a sentence.
        bands: The promise with its figures, by the decisions that it is about; empty where there were no labels to test
            it on.
        split: The labels it was tested on.
        lacks_decisions: Whether annotators' labels come to no decision, so that nothing could be tested.
        origins: Where the decisions come from that it was tested on.
    """

    before: float | GrayZone
    after: float | GrayZone
    supported: bool
    reason: str
    bands: Mapping[MarkSide, Band]
    split: str
    lacks_decisions: bool = False
    origins: DecisionOrigins = DecisionOrigins()

    def __post_init__(self) -> None:
        if not self.supported and self.after != self.before:
            raise ValueError("a band that isn't supported is not proposed")


# --- the gray zone --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _FreshLabels:
    """Decisions of judge and annotators on labels that may carry a promise; arrays have one row per example.

    Attributes:
        margins: Score minus pass mark.
        passes: Whether the judge passes it.
        wrong: Whether annotators decided otherwise.
        groups: Names of groups; None without.
        origins: Where annotators' decisions come from.
        left_out: The labels left out, as the end of a sentence; "" where none were.
    """

    margins: Floats
    passes: Flags
    wrong: Flags
    groups: Sequence[str] | None
    origins: DecisionOrigins
    left_out: str

    @classmethod
    def of(cls, data: RatedLabels, evidence: CertificateEvidence, used: Collection[str]) -> "_FreshLabels":
        """Those drawn at random that moved no number before."""
        passed = _decisions_that_count(data.labels, evidence)
        scores = data.scores(evidence.weights)
        measurable = ~np.isnan(scores) & ~np.isnan(passed)
        fresh = measurable & may_promise(data.labels, used)
        decisions = data.decisions(scores, evidence.mark, evidence.rubric)
        aside = int(measurable.sum()) - int(fresh.sum())
        left_out = f"; {aside} labels left out that were chosen by hand or moved these numbers before" if aside else ""
        groups = None if data.groups is None else tuple(np.array(data.groups)[fresh].tolist())
        margins = scores[fresh] - evidence.mark
        origins = DecisionOrigins.of(~np.isnan(data.labels.passed[fresh]))
        return cls(margins, decisions[fresh] == 1, (decisions != passed)[fresh], groups, origins, left_out)

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.margins)

    def band(self, side: MarkSide, promised: Promised) -> Band:
        """The narrowest gray zone, among all decisions or those of one side."""
        confidence = 1 - promised.level
        for_all = promise_for(self.n, alpha=promised.error, confidence=confidence) if side == "both" else "automatic"
        return automatic_band(
            self.margins,
            self.wrong,
            WIDTHS,
            promise=promised.of or for_all,
            alpha=promised.error,
            confidence=confidence,
            groups=self.groups,
            considered=on_side(side, self.passes),
        )


def gray_zone_of(evidence: CertificateEvidence, promised: Promised, used: Collection[str]) -> TunedBand | None:
    """Find the narrowest gray zone whose promise fresh labels confirm; None without a judge.

    Args:
        evidence: What a tuned rubric shows.
        promised: The promise, which knows of those asked for before.
        used: Ids of examples that moved numbers of this rubric earlier; no promise may be based on them.
    """
    data = evidence.rated_on_test or evidence.rated
    if data is None:
        return None
    before = evidence.rubric.ask_within
    split = "dev" if evidence.rated_on_test is None else "test"

    def unchanged(reason: str, bands: Mapping[MarkSide, Band] = MappingProxyType({})) -> TunedBand:
        return TunedBand(before, before, False, reason, bands, split)

    if evidence.rated_on_test is None and evidence.moves_numbers:
        return unchanged(
            "these labels already change the numbers, so they can't test the result too. Write the change first, "
            "then label fresh examples (or add --final, if some were kept as a test split)"
        )
    if np.isnan(_decisions_that_count(data.labels, evidence)).all():
        return replace(unchanged(f"withheld: {NO_DECISION}"), lacks_decisions=True)
    fresh = _FreshLabels.of(data, evidence, used)
    if not fresh.n:
        least = least_labels(0, alpha=promised.error, confidence=1 - promised.level)
        return unchanged(f"no labels are left to try it on; it needs {least} or more, drawn at random{fresh.left_out}")
    bands: dict[MarkSide, Band] = {side: fresh.band(side, promised) for side in promised.sides}
    halved = f" ({_asked_before(promised.further)})" if promised.further else ""
    refused = [_of_side(side, str(band.automatic.undefined)) for side, band in bands.items() if band.half_width is None]
    widths: dict[MarkSide, float] = {
        side: band.half_width for side, band in bands.items() if band.half_width is not None
    }
    if not widths:
        why = f"{'; '.join(refused)}{halved}{fresh.left_out}"
        return replace(unchanged(why, bands), origins=fresh.origins)
    promises = " and ".join(f"at most {percent(promised.error)} of {_whose(side, bands[side])}" for side in widths)
    reason = (
        f"with {percent(promised.confidence)} confidence {promises} are decided wrongly without a person, if what is "
        f"graded is like these {counted(fresh.n, 'labelled example')}{halved}{fresh.left_out}"
    )
    after = _zone(widths)
    return TunedBand(before, after, True, "; ".join([reason, *refused]), bands, split, origins=fresh.origins)


def _decisions_that_count(labels: WholeLabels, evidence: CertificateEvidence) -> Floats:
    """Return the decisions that a gray zone is tested on, shape (n,): explicit ones alone where the numbers move.

    The others follow from the numbers as they were, not as they would be.
    """
    return labels.passed if evidence.moves_numbers else labels.decided


def _asked_before(further: int) -> str:
    return f"{counted(further, 'other promise')} asked of these labels before: tested at 1/{2**further} of the level"


def _of_side(side: MarkSide, why: str) -> str:
    return why if side == "both" else f"{side} all go to a person: {why}"


def _whose(side: MarkSide, band: Band) -> str:
    if band.promise == "all":
        return "all responses"
    return "the automatic decisions" if side == "both" else f"the automatic {side}"


def _zone(widths: Mapping[MarkSide, float]) -> float | GrayZone:
    """The gray zone as a rubric has it; a side without a promise goes to people altogether."""
    if "both" in widths:
        return widths["both"]
    return GrayZone(widths.get("passes", math.inf), widths.get("fails", math.inf))
