"""What is to be said of a judge that moved since its accepted run: how far, by what, and the way out."""

from collections.abc import Iterator
from typing import Any

from markscheme.calibration.changes import Setting
from markscheme.calibration.decision import Finding
from markscheme.calibration.drift import Baseline, CriterionDrift, Explanation, GoldChange, Part
from markscheme.stats import Estimate


def drift_findings(baseline: Baseline, now: Setting) -> Iterator[Finding]:
    """Each criterion whose level has drifted, or whose agreement with gold fell, with what can have moved it."""
    whole = sum(abs(criterion.weight) for criterion in now.rubric.criteria)
    for found in baseline.criteria.values():
        share = abs(found.criterion.weight) / whole / found.criterion.scale.span
        if found.called.verdict == "drifted":
            yield _moved_finding(found, baseline, share, now)
        if found.gold is not None and _fell(found.gold, baseline.since.level):
            yield _gold_finding(found, found.gold, baseline, share, now)


def _fell(gold: GoldChange, level: float) -> bool:
    return gold.is_worse and not gold.affirmed and gold.p is not None and gold.p <= level


def _moved_finding(found: CriterionDrift, baseline: Baseline, share: float, now: Setting) -> Finding:
    name, drifted = found.criterion.name, found.called.drift
    shift = drifted.shift.value or 0.0
    message = (
        f"{name}: the judge's level moved by {_signed(shift)}{_interval(drifted.shift)} on {drifted.moved.n} examples "
        f"since the run accepted on {baseline.since.accepted.date}. {_cause_sentence(found.explanation, now)}"
    )
    evidence: dict[str, Any] = {
        "shift": drifted.shift.to_json(),
        "p": found.called.p,
        "level": baseline.since.level,
        "flips_now": found.changed.flips_now.to_json(),
        "flips_stored": found.changed.flips_stored.to_json(),
        "causes": [change.key for change in found.explanation.changes],
        "separable": found.explanation.separable,
    }
    return Finding(
        "drift", name, "high", message, evidence, found.movers, _way_out(found.explanation), abs(shift) * share
    )


def _gold_finding(found: CriterionDrift, gold: GoldChange, baseline: Baseline, share: float, now: Setting) -> Finding:
    name, what = found.criterion.name, gold.measure.replace("_", " ")
    lost = abs(gold.change.value or 0.0)
    message = (
        f"{name}: agreement with gold fell since the run accepted on {baseline.since.accepted.date}: {what} changed by "
        f"{_signed(gold.change.value or 0.0)}{_interval(gold.change)} on the same examples and labels. "
        f"{_cause_sentence(found.explanation, now)}"
    )
    evidence: dict[str, Any] = {
        "measure": gold.measure,
        "change": gold.change.to_json(),
        "p": gold.p,
        "level": baseline.since.level,
        "causes": [change.key for change in found.explanation.changes],
        "separable": found.explanation.separable,
    }
    cost = lost * share if gold.measure == "mae" else 0.0
    return Finding("drift-gold", name, "high", message, evidence, found.movers, _way_out(found.explanation), cost)


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" [{_signed(estimate.low)}, {_signed(estimate.high)}; {estimate.level:.0%}]"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _cause_sentence(explanation: Explanation, now: Setting) -> str:
    """Which changes can explain a shift, in a sentence or two."""
    if not explanation.changes:
        if now.identity is None:
            return "What asked the judge is not on record, so no cause can be named."
        return "Nothing on record changed that could move it: the same name may stand for another model now."
    told = "; ".join(change.sentence for change in explanation.changes)
    if explanation.parts:
        parts = "; ".join(_part(part) for part in explanation.parts)
        lead = "By replay" if explanation.separable else "By replay, not all of it separable"
        return f"{lead}: {parts}."
    return f"What changed: {told}." if explanation.separable else f"Changed at once, not separable: {told}."


def _part(part: Part) -> str:
    names = " and ".join(change.sentence for change in part.changes)
    shift = part.drift.shift
    return f"{names}: {_signed(shift.value or 0.0)}{_interval(shift)}"


def _way_out(explanation: Explanation) -> str:
    if not explanation.changes:
        return "Look at these examples; ask again with --no-cache; if it stays, accept the new run or change the judge."
    if not explanation.separable:
        sides = {change.side for change in explanation.changes}
        if "rubric" in sides and len(sides) > 1 and not explanation.parts:
            return "Add --replay, which asks today's judge by the accepted rubric, or change one thing at a time."
        return "Change one thing at a time and calibrate after each."
    if explanation.changes[0].side == "rubric":
        return "Read these examples: if the new wording is meant so, accept this run; else take it back."
    return "Go back to the judge that was accepted, or read these examples and accept this run."
