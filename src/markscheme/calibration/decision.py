"""A Comparison to the verdict on a judge, what it may be used for, and Findings with what to edit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from markscheme.calibration.comparison import Comparison
from markscheme.stats.change import least_n
from markscheme.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from markscheme.stats.severity import gain_over_constant

VerdictName = Literal["ok", "adjust", "not-enough-labels"]
Use = Literal["gate", "trend", "explore", "none"]
Severity = Literal["high", "medium", "low"]
CONFIDENCE = 0.90
"""Of each one-sided bound a verdict rests on."""
MOST_LABELS = 100_000
FEWEST_SHARED = 11
"""Examples that two people must have rated for their own agreement to take the target's place; on fewer a judge that
misses none isn't shown to be above the usual target either, while one contradiction more or less moves theirs by
far."""


@dataclass(frozen=True)
class Finding:
    """A diagnosed fault.

    Attributes:
        code: What kind, by the names of the JSON format.
        criterion: Which criterion; None for the whole.
        severity: How much it matters.
        message: What was found, in a sentence.
        evidence: The figures it rests on.
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
        return {
            "code": self.code,
            "criterion": self.criterion,
            "severity": self.severity,
            "message": self.message,
            "evidence": dict(self.evidence),
            "examples": list(self.examples),
            "suggestion": self.suggestion,
        }


@dataclass(frozen=True)
class Decision:
    """What a calibration says of a judge.

    Attributes:
        verdict: Whether it agrees well enough.
        use: What it may therefore decide.
        target: The share of examples it was held to: the one asked for, or people's own where that is lower and rests
            on FEWEST_SHARED examples or more.
        people_are_lower: Whether the target is people's own agreement.
        needs_adjustment: Whether agreement is under the target that was asked for, as a point.
        labels_needed: Labels still needed beside those there are, if agreement stays as it is; None where the verdict
            is settled, or where no number would settle it.
        because: Why, in a sentence.
    """

    verdict: VerdictName
    use: Use
    target: float
    people_are_lower: bool
    needs_adjustment: bool
    labels_needed: int | None
    because: str


def decide(
    comparison: Comparison, *, target: float | None = None, findings: Sequence[Finding] = (), alarm: bool = False
) -> Decision:
    """The verdict on a judge and what it may decide, by exact one-sided 90 % bounds of its agreement.

    Args:
        comparison: The judge beside gold.
        target: Share of examples it has to agree on; the rubric's where None.
        findings: Whose `no-skill` and `dead` stand against an ok.
        alarm: Whether the judge has drifted.
    """
    wanted = comparison.rubric.target if target is None else target
    person = comparison.agreement_person
    own = None if person is None or person.n < FEWEST_SHARED else person.value
    held_to = wanted if own is None else min(own, wanted)
    people_are_lower = held_to < wanted
    share, n = comparison.agreement.value, comparison.agreement.n
    if share is None:
        return Decision(
            "not-enough-labels", "explore", held_to, people_are_lower, True, None, "no example was compared"
        )
    hits = round(share * n)
    lower = clopper_pearson_lower(hits, n, confidence=CONFIDENCE)
    upper = clopper_pearson_upper(hits, n, confidence=CONFIDENCE)
    against = _stands_against(comparison, findings) if lower > held_to else None
    needs_adjustment = share < wanted
    if alarm or upper < held_to or against:
        because = (
            "the judge has drifted since the accepted run"
            if alarm
            else against or f"agreement is below {held_to:.0%} (at most {upper:.0%})"
        )
        return Decision("adjust", "none", held_to, people_are_lower, needs_adjustment, None, because)
    beats = not people_are_lower or _gain_is_shown(comparison)
    if lower > held_to and beats:
        because = f"agreement is above {held_to:.0%} (at least {lower:.0%})"
        use = _use_of_ok(comparison, people_are_lower)
        return Decision("ok", use, held_to, people_are_lower, needs_adjustment, None, because)
    because = (
        f"agreement lies between {lower:.0%} and {upper:.0%}, which doesn't settle whether it reaches {held_to:.0%}"
    )
    if not beats:
        because = "agreement is not yet shown to be above a constant's"
    settled_at = labels_to_settle(share, n, held_to)
    needed = None if settled_at is None else settled_at - n
    return Decision("not-enough-labels", "explore", held_to, people_are_lower, needs_adjustment, needed, because)


def labels_to_settle(share: float, n: int, target: float) -> int | None:
    """Labels it takes in all for this same share to clear the target, or miss it, by its exact bound; None for none."""

    def settled(labels: int) -> bool:
        hits = round(share * labels)
        if share > target:
            return clopper_pearson_lower(hits, labels, confidence=CONFIDENCE) > target
        return clopper_pearson_upper(hits, labels, confidence=CONFIDENCE) < target

    if share == target or not settled(MOST_LABELS):
        return None
    return least_n(settled, start=n + 1)


def _stands_against(comparison: Comparison, findings: Sequence[Finding]) -> str | None:
    """Why high agreement is no merit here, if so."""
    constant = comparison.agreement_constant.value
    if comparison.agreement.value is not None and constant is not None and comparison.agreement.value <= constant:
        return f"agreement is no better than that of a judge that always gives one score ({constant:.0%})"
    for finding in findings:
        if finding.code in ("no-skill", "dead"):
            return finding.message
    return None


def _gain_is_shown(comparison: Comparison) -> bool:
    gain = gain_over_constant(
        comparison.gold.overall,
        comparison.scores,
        comparison.tolerance,
        groups=comparison.gold.groups,
        level=2 * CONFIDENCE - 1,
    )
    return gain.low is not None and gain.low > 0


def _use_of_ok(comparison: Comparison, people_are_lower: bool) -> Use:
    match comparison.gold.reference:
        case "constructed" | "model":
            return "explore"
        case "one-person":
            return "trend"
        case _:
            return "trend" if people_are_lower or comparison.gold.not_blind else "gate"
