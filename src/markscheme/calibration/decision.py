"""The verdict on a judge, what it may be used for, and why, in a sentence."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from markscheme.calibration.comparison import Comparison
from markscheme.ratings.gold import Gold
from markscheme.stats.grouped import GroupedShare
from markscheme.stats.planning import CONF, labels_to_clear, planned_design_effect
from markscheme.stats.verdict import (
    CONF_CONSTANT,
    BecauseCode,
    Ruling,
    Use,
    VerdictFigures,
    VerdictName,
    labels_needed,
    ruling,
    use_of_ok,
)

Severity = Literal["high", "medium", "low"]
ASSUMED_AGREEMENT = 0.90
"""Agreement that a plan assumes before human labels show it."""
JUST_ABOVE = 2e-9
"""Added to a tolerance so that differences equal to it, after rounding to 9 decimals, count as agreement."""
NO_MERIT = ("no-skill", "stuck-judge")
"""Codes of findings with which high agreement doesn't count for the judge."""


@dataclass(frozen=True)
class Finding:
    """A diagnosed fault.

    Attributes:
        code: Its kind, by the names of the JSON format.
        criterion: Which criterion; None for the whole rubric.
        severity: How much it matters.
        message: What was found, in a sentence.
        evidence: The figures behind it.
        examples: Ids of the examples that show it best.
        suggestion: What to edit or do first.
        cost: How much agreement it costs, in score; findings are ranked by it.
    """

    code: str
    criterion: str | None
    severity: Severity
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    suggestion: str = ""
    cost: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """As in the JSON of a calibration."""
        return {name: value for name, value in vars(self).items() if name != "cost"}


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
    figures, gold = comparison.figures, comparison.gold
    no_merit = next((finding.message for finding in findings if finding.code in NO_MERIT), "")
    ok = use_of_ok(gold.reference, blind=not gold.not_blind)

    def ruled(figures: VerdictFigures) -> Ruling:
        return ruling(figures.states(wanted), ok=ok, drifted=bool(drifted), no_skill=bool(no_merit))

    found = ruled(figures)
    counting_ties = replace(comparison, tolerance=comparison.tolerance + JUST_ABOVE)
    share = comparison.agreement.value
    return Decision(
        verdict=found.verdict,
        use=found.use,
        target=wanted,
        needs_adjustment=share is None or share < wanted,
        labels_needed=_labels_needed(gold, figures, wanted, found.because) if _is_open(found.verdict, ok) else None,
        because_code=found.because,
        because=_because(figures, wanted, found.because, drifted, no_merit),
        verdict_with_ties=ruled(counting_ties.figures).verdict if comparison.ties.count else None,
    )


def _is_open(verdict: VerdictName, ok: Use) -> bool:
    """Whether more labels could change what the judge can decide."""
    return verdict == "not-enough-labels" or (verdict == "ok" and ok == "explore")


def _labels_needed(gold: Gold, figures: VerdictFigures, target: float, code: BecauseCode) -> int | None:
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


def _because(figures: VerdictFigures, target: float, code: BecauseCode, drifted: str, no_merit: str) -> str:
    agreement, constant = figures.agreement, figures.constant
    is_shown = f"Agreement is {agreement.value:.0%}"
    always = f"always answering {figures.constant_score:g}"
    between = f"Two annotators agree on {figures.people.value:.0%}, the judge with an annotator on "
    between += f"{figures.judge_people.value:.0%}."
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
                f"{is_shown} ({low} with {CONF:.0%} confidence): above the target of {target:.0%} and above the "
                f"{constant.value:.0%} of {always}.{_grouped(agreement)}"
            )
        case "below-target":
            most = f"at most {_bound(agreement.upper(CONF))} with {CONF:.0%} confidence"
            return f"{is_shown} ({most}): below the target of {target:.0%}.{_grouped(agreement)}"
        case "below-constant":
            return (
                f"The judge agrees on {agreement.value:.0%} of examples; {always} would reach {constant.value:.0%} "
                f"(the judge is worse, with {CONF_CONSTANT:.0%} confidence)."
            )
        case "below-person":
            most = f"at most {_bound(agreement.upper(CONF))} with {CONF:.0%} confidence"
            return (
                f"{is_shown} ({most}), below the target of {target:.0%}, and not because annotators disagree: "
                f"{between[0].lower()}{between[1:]}"
            )
        case "as-person":
            return (
                f"{is_shown}, which doesn't reach {target:.0%}. {between} It is at most 10 points below an annotator "
                "and better than one constant score."
            )
        case "no-signal":
            return (
                f"Two annotators agree on only {figures.people.value:.0%} of examples; always giving one score would "
                f"agree with an annotator on {figures.constant_people.value:.0%} (with gold on {constant.value:.0%}). "
                "Such labels can't show whether a judge is good."
            )
        case "constant-open":
            return (
                f"{is_shown}, above the target, but {always} would reach {constant.value:.0%}. "
                "Label examples that vary."
            )
        case "person-open":
            return (
                f"{is_shown}, below the target of {target:.0%}, but annotators agree with each other on only "
                f"{figures.people.value:.0%}; these labels can't tell yet which of them is the cause."
            )
        case "target-open":
            interval = agreement.estimate()
            ci = f"95% CI {_points(interval.low)}–{_points(interval.high)}"
            return f"{is_shown} ({ci}); the target is {target:.0%}.{_grouped(agreement)}"


def _bound(bound: float | None) -> str:
    return "–" if bound is None else f"{bound:.0%}"


def _points(limit: float | None) -> str:
    return "–" if limit is None else f"{100 * limit:.0f}"


def _grouped(share: GroupedShare) -> str:
    """How much information grouped examples carry, where groups matter."""
    if share.n_groups == share.n:
        return ""
    return (
        f" The {share.n} examples in {share.n_groups} groups carry as much information as about "
        f"{share.effective:.0f} independent ones."
    )
