"""The verdict on a judge, what it may be used for, and why, in a sentence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from markscheme.calibration.comparison import Comparison
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.policy import (
    BecauseCode,
    Ruling,
    VerdictName,
    interval_level,
    labels_to_decide,
    ruling,
    side_confidence,
    states_of,
    use_of_ok,
)
from markscheme.calibration.reasons import labels_in_words, reason
from markscheme.ratings.gold import Gold
from markscheme.receipt import Use
from markscheme.stats.agreement_figures import AgreementFigures
from markscheme.stats.decisive_labels import DecisiveLabels, first_labels

PILOT = 20
"""Labelled examples with the judge's ratings from which they say how many more are needed; fewer say too little."""
JUST_ABOVE = 2e-9
"""Added to a tolerance so that differences equal to it, after rounding to 9 decimals, count as agreement."""


@dataclass(frozen=True)
class Decision:
    """The outcome of a calibration.

    Attributes:
        verdict: Whether it agrees well enough.
        use: What it may therefore decide.
        target: The share of examples it must agree on.
        needs_adjustment: Whether the point estimate of agreement is under the target.
        labels: Labels needed on top of those by people, with the chance that they decide; None where the verdict isn't
            open, or labels alone are unlikely to decide it.
        next_step: In a sentence, the labels that an open verdict needs, or what to do where no number would; "" where
            it isn't open.
        settings: How many settings were tried on these labels, this one included.
        because_code: The rule behind the verdict.
        because: Why, in a sentence.
        verdict_with_ties: The verdict if examples exactly at the tolerance counted as agreement; None without any.
    """

    verdict: VerdictName
    use: Use
    target: float
    needs_adjustment: bool
    labels: DecisiveLabels | None
    next_step: str
    settings: int
    because_code: BecauseCode
    because: str
    verdict_with_ties: VerdictName | None = None

    @property
    def labels_needed(self) -> int | None:
        """Labels needed on top of those by people; None where the verdict isn't open, or labels alone don't decide."""
        return None if self.labels is None else self.labels.more

    @property
    def labels_chance(self) -> float | None:
        """The probability that they decide the verdict; None without such a number."""
        return None if self.labels is None else self.labels.chance

    @property
    def level(self) -> float:
        """Level of the interval that decides."""
        return interval_level(self.settings)

    @property
    def is_usable(self) -> bool:
        """Whether the judge can gate or show trends."""
        return self.use in ("gate", "trend")

    @property
    def compares_baseline(self) -> bool:
        """Whether the reason compares the judge, or the annotators, with the baseline."""
        return self.because_code in ("below-constant", "constant-open", "no-signal")


def decide(
    comparison: Comparison,
    *,
    target: float | None = None,
    findings: Sequence[Finding] = (),
    drifted: str = "",
    settings: int = 1,
) -> Decision:
    """The verdict on a judge and what it can decide, by the intervals that are drawn.

    Args:
        comparison: The judge compared with gold.
        target: Share of examples it must agree on; None means the rubric's.
        findings: A judge without skill, or stuck on one level, is not ok however often it agrees.
        drifted: What moved, in a sentence, where that counts against the judge: not where the author's own edit is the
            cause and agreement is no worse. "" where nothing does.
        settings: How many settings were tried on these labels, this one included.
    """
    wanted = comparison.rubric.target if target is None else target
    gold = comparison.gold
    no_merit = next((finding.message for finding in findings if finding.kind.voids_agreement), "")
    ok = use_of_ok(gold.reference, blind=not gold.not_blind)

    def ruled(figures: AgreementFigures) -> Ruling:
        states = states_of(figures, wanted, settings=settings)
        return ruling(states, ok=ok, drifted=bool(drifted), no_skill=bool(no_merit))

    outcome = ruled(comparison.figures)
    at_tolerance = replace(comparison.measure, tolerance=comparison.tolerance + JUST_ABOVE)
    counting_ties = replace(comparison, measure=at_tolerance)
    share = comparison.agreement.value
    voided = {"drift": drifted, "no-skill": no_merit}
    is_open = _is_open(outcome.verdict, ok)
    labels = _labels(comparison, wanted, outcome.because, settings) if is_open else None
    next_step = labels_in_words(labels, comparison, wanted, outcome.because, settings=settings) if is_open else ""
    return Decision(
        verdict=outcome.verdict,
        use=outcome.use,
        target=wanted,
        needs_adjustment=share is None or share < wanted,
        labels=labels,
        next_step=next_step,
        settings=settings,
        because_code=outcome.because,
        because=voided.get(outcome.because) or reason(comparison, wanted, outcome.because),
        verdict_with_ties=ruled(counting_ties.figures).verdict if comparison.ties.count else None,
    )


def labels_to_begin(gold: Gold, target: float, *, settings: int = 1) -> DecisiveLabels | None:
    """The labels for a first verdict, minus those that people gave: before a judge's ratings say how many it takes.

    The judge is assumed halfway between the target and 100 %, and examples of one group slightly correlated.

    Args:
        gold: The labels so far.
        target: Share of examples on which the judge must agree.
        settings: How many settings were tried on these labels.

    Returns:
        Those needed on top, 0 where there are enough; None for a target so high that no number would do.
    """
    sizes = np.array(list(Counter(gold.groups or gold.ids).values()), dtype=np.float64)
    mean_size = float((sizes**2).sum() / sizes.sum()) if len(sizes) else 1.0
    first = first_labels(target, confidence=side_confidence(settings), mean_size=mean_size)
    have = len(gold.ids) if gold.has_people else 0
    return None if first is None else replace(first, more=max(0, first.more - have))


def _is_open(verdict: VerdictName, ok: Use) -> bool:
    """Whether more labels could change what the judge can decide."""
    return verdict == "not-enough-labels" or (verdict == "ok" and ok == "explore")


def _labels(comparison: Comparison, target: float, because: BecauseCode, settings: int) -> DecisiveLabels | None:
    """The labels that an open verdict needs; where too few are there to say, those for a first verdict."""
    figures = comparison.figures
    none_vary = because == "constant-open" and figures.gain.value <= 0
    is_hopeless = because == "few-groups" or none_vary
    if comparison.gold.has_people and (figures.agreement.n >= PILOT or is_hopeless):
        return labels_to_decide(figures, target, because, settings=settings)
    return labels_to_begin(comparison.gold, target, settings=settings)
