"""The verdict on a judge, what it may be used for, and why, in a sentence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from markscheme.calibration.comparison import Comparison, Measure
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.policy import (
    CONSTANT_CONFIDENCE,
    BecauseCode,
    Ruling,
    VerdictName,
    labels_needed,
    ruling,
    states_of,
    use_of_ok,
)
from markscheme.phrases import counted, number, percent
from markscheme.ratings.gold import Gold
from markscheme.receipt import Use
from markscheme.stats.agreement_figures import AgreementFigures
from markscheme.stats.planning import CONF, labels_to_clear, planned_design_effect
from markscheme.stats.shares import FEWEST_SHOWN, GroupedShare

ASSUMED_AGREEMENT = 0.90
"""Agreement that a plan assumes before human labels show it."""
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
        labels_needed: Labels needed on top of the existing ones, with 80 % probability; without human labels, human
            labels from 0, at an assumed agreement. None where the verdict isn't open, or where no number would do.
        because_code: The rule behind the verdict.
        because: Why, in a sentence.
        verdict_with_ties: The verdict if examples exactly at the tolerance counted as agreement; None without any.
    """

    verdict: VerdictName
    use: Use
    target: float
    needs_adjustment: bool
    labels_needed: int | None
    because_code: BecauseCode
    because: str
    verdict_with_ties: VerdictName | None = None

    @property
    def is_usable(self) -> bool:
        """Whether the judge can gate or show trends."""
        return self.use in ("gate", "trend")

    @property
    def compares_baseline(self) -> bool:
        """Whether the reason compares the judge, or the annotators, with the baseline."""
        return self.because_code in ("below-constant", "constant-open", "no-signal")


def decide(
    comparison: Comparison, *, target: float | None = None, findings: Sequence[Finding] = (), drifted: str = ""
) -> Decision:
    """The verdict on a judge and what it can decide, by one-sided bounds that respect groups.

    Args:
        comparison: The judge compared with gold.
        target: Share of examples it must agree on; None means the rubric's.
        findings: A judge without skill, or stuck on one level, is not ok however often it agrees.
        drifted: What moved, in a sentence, where that counts against the judge: not where the author's own edit is the
            cause and agreement is no worse. "" where nothing does.
    """
    wanted = comparison.rubric.target if target is None else target
    figures = comparison.figures
    gold = comparison.gold
    no_merit = next((finding.message for finding in findings if finding.kind.voids_agreement), "")
    ok = use_of_ok(gold.reference, blind=not gold.not_blind)

    def ruled(figures: AgreementFigures) -> Ruling:
        return ruling(states_of(figures, wanted), ok=ok, drifted=bool(drifted), no_skill=bool(no_merit))

    outcome = ruled(figures)
    at_tolerance = replace(comparison.measure, tolerance=comparison.tolerance + JUST_ABOVE)
    counting_ties = replace(comparison, measure=at_tolerance)
    share = comparison.agreement.value
    return Decision(
        verdict=outcome.verdict,
        use=outcome.use,
        target=wanted,
        needs_adjustment=share is None or share < wanted,
        labels_needed=_labels_needed(gold, figures, wanted, outcome.because) if _is_open(outcome.verdict, ok) else None,
        because_code=outcome.because,
        because=_because(figures, comparison.measure, wanted, outcome.because, drifted, no_merit),
        verdict_with_ties=ruled(counting_ties.figures).verdict if comparison.ties.count else None,
    )


def _is_open(verdict: VerdictName, ok: Use) -> bool:
    """Whether more labels could change what the judge can decide."""
    return verdict == "not-enough-labels" or (verdict == "ok" and ok == "explore")


def _labels_needed(gold: Gold, figures: AgreementFigures, target: float, code: BecauseCode) -> int | None:
    if not gold.has_people:
        return labels_if_agreeing(gold, target)
    in_all = labels_needed(figures, target, code)
    return None if in_all is None else in_all - figures.agreement.n


def labels_if_agreeing(gold: Gold, target: float) -> int | None:
    """Total labels needed for a verdict if agreement is 90%, for use where there are no human labels.

    Examples of one group are assumed to be slightly correlated.
    """
    sizes = np.array(list(Counter(gold.groups or gold.ids).values()), dtype=np.float64)
    mean_size = float((sizes**2).sum() / sizes.sum()) if len(sizes) else 1.0
    return labels_to_clear(ASSUMED_AGREEMENT, target, design_effect=planned_design_effect(mean_size))


# --- why ------------------------------------------------------------------------------------------------------------


def _because(
    figures: AgreementFigures, measure: Measure, target: float, code: BecauseCode, drifted: str, no_merit: str
) -> str:
    agreement = figures.agreement
    constant = figures.constant
    share = percent(agreement.value)
    goal = percent(target)
    baseline = percent(constant.value)
    is_shown = f"Agreement is {share}"
    always = f"always answering {measure.in_words(figures.constant_value)}"
    between = f"Two annotators agree on {percent(figures.people.value)}, the judge with an annotator on "
    between += f"{percent(figures.judge_people.value)}."
    match code:
        case "no-labels":
            return "No example has both a label and a judge's score."
        case "few-groups":
            return f"The examples come from only {agreement.n_groups} groups; at least 5 are needed for an interval."
        case "drift":
            return drifted
        case "no-skill":
            return no_merit
        case "target":
            low = f"at least {_bound(agreement.lower(CONF))}"
            return (
                f"{is_shown} ({low} with {percent(CONF)} confidence): above the target of {goal} and above the "
                f"{baseline} of {always}.{_grouped(agreement)}"
            )
        case "below-target":
            most = f"at most {_bound(agreement.upper(CONF))} with {percent(CONF)} confidence"
            return f"{is_shown} ({most}): below the target of {goal}.{_grouped(agreement)}"
        case "below-constant":
            return (
                f"The judge agrees on {share} of examples; {always} would reach {baseline} "
                f"(the judge is worse, with {percent(CONSTANT_CONFIDENCE)} confidence)."
            )
        case "below-person":
            most = f"at most {_bound(agreement.upper(CONF))} with {percent(CONF)} confidence"
            return (
                f"{is_shown} ({most}), below the target of {goal}, and not because annotators disagree: "
                f"{between[0].lower()}{between[1:]}"
            )
        case "as-person":
            return (
                f"{is_shown}, which doesn't reach {goal}. {between} It is at most 10 points below an annotator "
                "and better than one constant score."
            )
        case "no-signal":
            return (
                f"Two annotators agree on only {percent(figures.people.value)} of examples; always giving one score "
                "would "
                f"agree with an annotator on {percent(figures.constant_people.value)} (with gold on {baseline}). "
                "Such labels can't show whether a judge is good."
            )
        case "constant-open":
            return f"{is_shown}, above the target, but {always} would reach {baseline}. Label examples that vary."
        case "person-open":
            return (
                f"{is_shown}, below the target of {goal}, but annotators agree with each other on only "
                f"{percent(figures.people.value)}; these labels can't tell yet which of them is the cause."
            )
        case "target-open":
            interval = agreement.estimate()
            if agreement.n < FEWEST_SHOWN:
                hits = number(agreement.value * agreement.n, 2).removesuffix(".00")
                return f"The judge agrees on {hits} of {counted(agreement.n, 'example')}, too few for a share."
            ci = f"95% CI {_points(interval.low)}–{_points(interval.high)}"
            return f"{is_shown} ({ci}); the target is {goal}.{_grouped(agreement)}"


def _bound(bound: float | None) -> str:
    return "–" if bound is None else percent(bound)


def _points(limit: float | None) -> str:
    return "–" if limit is None else number(100 * limit, 0)


def _grouped(share: GroupedShare) -> str:
    """How much information grouped examples carry, where groups matter."""
    if share.n_groups == share.n:
        return ""
    return (
        f" The {share.n} examples in {share.n_groups} groups carry as much information as about "
        f"{number(share.effective, 0)} independent ones."
    )
