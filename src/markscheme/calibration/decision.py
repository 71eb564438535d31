"""The verdict on a judge, what it may be used for, and why, in a sentence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.limits import Limit, MostWrong, limits_of
from markscheme.calibration.comparison.policy import (
    BecauseCode,
    Ruling,
    VerdictName,
    interval_level,
    labels_for_limits,
    labels_to_decide,
    ruling,
    side_confidence,
    states_of,
    trend_at_most,
    use_of_ok,
)
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.slices import Slice, known_of
from markscheme.calibration.reasons import labels_in_words, reason
from markscheme.phrases import in_words, percent
from markscheme.ratings.gold import Gold
from markscheme.receipt import Use
from markscheme.stats import Estimate
from markscheme.stats.agreement_figures import AgreementFigures
from markscheme.stats.decisive_labels import first_labels
from markscheme.stats.intervals import Flags
from markscheme.stats.labels_needed import DecisiveLabels

PILOT = 20
"""Labelled examples with the judge's ratings from which they say how many more are needed; fewer say too little."""
MOST_EXCEPTED = 1 / 2
"""Share of the examples that excepted parts may hold: beyond it, the rest isn't what the judge is used on."""
JUST_ABOVE = 2e-9
"""Added to a tolerance so that differences equal to it, after rounding to 9 decimals, count as agreement."""


@dataclass(frozen=True)
class ExceptedPart:
    """A part of the examples that a judge may not decide, though it may decide the rest.

    Attributes:
        by: What the part is by: system, group or a key of the metadata.
        name: The part's.
        agreement: Agreement there.
        elsewhere: The names of the other parts by the same, on which the verdict rests.
    """

    by: str
    name: str
    agreement: Estimate
    elsewhere: tuple[str, ...]

    @property
    def called(self) -> str:
        """The part in a sentence: "system b"."""
        return f"{self.by} {self.name}"


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
        limits: The limits on wrong decisions, with what is shown of each.
        excepted: Parts of the examples for which neither verdict nor use holds; people decide there.
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
    limits: tuple[Limit, ...] = ()
    excepted: tuple[ExceptedPart, ...] = ()
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
    most_wrong: MostWrong | None = None,
    slices: Sequence[Slice] = (),
) -> Decision:
    """The verdict on a judge and what it can decide, by the intervals that are drawn.

    Where the judge is worse on parts of at most half of the examples, which are known before grading, and ok on the
    rest, the verdict is that on the rest, and the parts are excepted. Where it isn't, it can show trends at most.

    Args:
        comparison: The judge compared with gold.
        target: Share of examples it must agree on; None means the rubric's.
        findings: A judge without skill, or stuck on one level, is not ok however often it agrees.
        drifted: What moved, in a sentence, where that counts against the judge: not where the author's own edit is the
            cause and agreement is no worse. "" where nothing does.
        most_wrong: Limits on wrong decisions; None means the rubric's.
        slices: The judge on parts of the examples, with those marked on which it is worse.
    """
    whole = _decided(comparison, target, findings, drifted, most_wrong)
    broken = [weaker for weaker in slices if weaker.stands_out and weaker.part.is_known_before]
    if not broken or whole.because_code == "drift" or _use_of_ok(comparison.gold) == "explore":
        return whole
    inside = np.logical_or.reduce([weaker.part.inside for weaker in broken])
    rest = _decided(_without(comparison, inside), target, findings, drifted, most_wrong)
    if inside.sum() > MOST_EXCEPTED * len(inside) or rest.verdict != "ok":
        return replace(whole, use=trend_at_most(whole.use))
    excepted = tuple(_excepted(comparison, weaker) for weaker in broken)
    return replace(
        rest,
        excepted=excepted,
        because=f"{exceptions(excepted)} {rest.because}",
        needs_adjustment=whole.needs_adjustment,
    )


def _without(comparison: Comparison, inside: Flags) -> Comparison:
    return replace(comparison, table=comparison.table.rows(~inside))


def _excepted(comparison: Comparison, weaker: Slice) -> ExceptedPart:
    by = weaker.part.by
    names = {known_of(example, by) for example in comparison.gold.examples} - {"", weaker.part.name}
    return ExceptedPart(by, weaker.part.name, weaker.agreement, tuple(sorted(names)))


def exceptions(excepted: Sequence[ExceptedPart]) -> str:
    """What a judge does on the parts that people should decide, in a sentence."""
    shares = [f"{percent(part.agreement.value or 0.0)} of {part.agreement.n}" for part in excepted]
    agreements = in_words(
        [f"on {part.called} it agrees on {share}" for part, share in zip(excepted, shares, strict=True)]
    )
    return f"{agreements[:1].upper()}{agreements[1:]}: let people decide there. Elsewhere:"


def _use_of_ok(gold: Gold) -> Use:
    by_hand = gold.picked_by_hand / max(1, len(gold.examples))
    return use_of_ok(gold.reference, blind=not gold.not_blind, by_hand=by_hand)


def _decided(
    comparison: Comparison,
    target: float | None,
    findings: Sequence[Finding],
    drifted: str,
    most_wrong: MostWrong | None,
) -> Decision:
    """The verdict on all examples of a comparison alike."""
    settings = comparison.settings
    limits = limits_of(
        comparison.wrong_passes,
        comparison.wrong_fails,
        most_wrong or MostWrong(comparison.rubric.max_false_pass, comparison.rubric.max_false_fail),
        confidence=side_confidence(settings),
    )
    wanted = comparison.rubric.target if target is None else target
    no_merit = next((finding.message for finding in findings if finding.kind.voids_agreement), "")
    ok = _use_of_ok(comparison.gold)

    def ruled(figures: AgreementFigures) -> Ruling:
        states = states_of(figures, wanted, settings=settings, limits=limits)
        return ruling(states, ok=ok, drifted=bool(drifted), no_skill=bool(no_merit))

    outcome = ruled(comparison.figures)
    at_tolerance = replace(comparison.measure, tolerance=comparison.tolerance + JUST_ABOVE)
    counting_ties = replace(comparison, measure=at_tolerance)
    share = comparison.agreement.value
    voided = {"drift": drifted, "no-skill": no_merit}
    is_open = _is_open(outcome.verdict, ok)
    broken = [limit for limit in limits if limit.state == "broken"] if is_open else []
    labels = None
    if is_open and not broken:
        labels = _labels(comparison, wanted, outcome.because, limits)
    next_step = labels_in_words(labels, comparison, wanted, outcome.because, limits) if is_open else ""
    return Decision(
        verdict=outcome.verdict,
        use=outcome.use,
        target=wanted,
        needs_adjustment=share is None or share < wanted,
        labels=labels,
        next_step=next_step,
        settings=settings,
        limits=limits,
        because_code=outcome.because,
        because=voided.get(outcome.because) or reason(comparison, wanted, outcome.because, limits),
        verdict_with_ties=ruled(counting_ties.figures).verdict if comparison.ties.count else None,
    )


def labels_to_begin(gold: Gold, target: float, *, settings: int = 1) -> DecisiveLabels | None:
    """The labels for a first verdict, minus those that people gave: before a judge's ratings say how many it takes.

    The judge is assumed halfway between the target and 100 %, and examples of one group slightly correlated.

    Args:
        gold: The labels so far; those of hand-picked examples don't count.
        target: Share of examples on which the judge must agree.
        settings: How many settings were tried on these labels.

    Returns:
        Those needed on top, 0 where there are enough; None for a target so high that no number would do.
    """
    sizes = np.array(list(Counter(gold.groups or gold.ids).values()), dtype=np.float64)
    mean_size = float((sizes**2).sum() / sizes.sum()) if len(sizes) else 1.0
    first = first_labels(target, confidence=side_confidence(settings), mean_size=mean_size)
    have = len(gold.ids) - gold.picked_by_hand if gold.has_people else 0
    return None if first is None else replace(first, more=max(0, first.more - have))


def _is_open(verdict: VerdictName, ok: Use) -> bool:
    """Whether more labels could change what the judge can decide."""
    return verdict == "not-enough-labels" or (verdict == "ok" and ok == "explore")


def _labels(
    comparison: Comparison, target: float, because: BecauseCode, limits: Sequence[Limit]
) -> DecisiveLabels | None:
    """The labels that an open verdict needs; where too few are there to say, those for a first verdict."""
    figures = comparison.figures
    none_vary = because == "constant-open" and figures.gain.value <= 0
    is_hopeless = because == "few-groups" or none_vary
    if comparison.gold.stands_for_outputs and (figures.agreement.n >= PILOT or is_hopeless):
        if because == "limit-open":
            return labels_for_limits(limits)
        return labels_to_decide(figures, target, because, settings=comparison.settings)
    return labels_to_begin(comparison.gold, target, settings=comparison.settings)
