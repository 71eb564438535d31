"""A Calibration as the JSON of the file format: plain data, no NaN."""

import json
import math
from collections.abc import Mapping
from typing import Any

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison import Comparison, CriterionComparison
from markscheme.report.baseline import baseline_json
from markscheme.report.rated import rated_json
from markscheme.stats import Estimate
from markscheme.stats.people import Ceiling

DIGITS = 12
LIMITS = ("value", "low", "high")
"""What an estimate holds in its own unit."""


def calibration_json(calibration: Calibration) -> dict[str, Any]:
    """The calibration by the keys of the file format."""
    comparison, decision, counts = calibration.comparison, calibration.decision, calibration.counts
    return {
        "schema": 1,
        "rubric": {"name": calibration.rubric.name, "fingerprint": calibration.rubric.fingerprint},
        "judge": {
            "name": calibration.rater.name,
            "fingerprint": calibration.rater.fingerprint,
            "source": calibration.rater.source,
            "provenance": calibration.rater.provenance,
        },
        "counts": {
            "examples": counts.examples,
            "graded": counts.graded,
            "abstained": counts.abstained,
            "not_graded": counts.not_graded,
            "from_cache": counts.from_cache,
            "unread": counts.unread,
            "quotes": counts.quotes,
            "quotes_not_found": counts.quotes_not_found,
            "stale_labels": counts.stale_labels,
            "set_aside": counts.set_aside,
        },
        "not_graded_because": calibration.reasons_not_graded,
        "agreement": comparison.agreement.to_json(),
        "agreement_constant": comparison.agreement_constant.to_json(),
        "agreement_person": estimate_json(comparison.agreement_person),
        "tolerance": comparison.tolerance,
        "target": decision.target,
        "examples": list(comparison.gold.ids),
        "rated": rated_json(comparison),
        "drift": [None if math.isnan(miss) else miss for miss in comparison.misses.tolist()],
        "needs_adjustment": decision.needs_adjustment,
        "overall": {
            **{name: estimate.to_json() for name, estimate in comparison.overall.items()},
            "within_tolerance": comparison.agreement.to_json(),
        },
        "criteria": {name: _criterion(criterion) for name, criterion in comparison.criteria.items()},
        "raters": _raters(comparison),
        "false_passes": comparison.false_passes,
        "false_fails": comparison.false_fails,
        "baseline": baseline_json(calibration.baseline),
        "test_labels": None if calibration.openings is None else calibration.openings.to_json(),
        "findings": [finding.to_json() for finding in calibration.findings],
        "slices": [part.to_json() for part in calibration.slices],
        "verdict": decision.verdict,
        "because": decision.because,
        "use": decision.use,
        "labels_needed": decision.labels_needed,
        "cost": calibration.cost.to_json(),
    }


def dumps(data: Mapping[str, Any]) -> str:
    """JSON text that any strict parser reads, its numbers without the dust of binary arithmetic."""
    return json.dumps(without_dust(data), ensure_ascii=False, indent=2, allow_nan=False)


def without_dust(data: Any) -> Any:
    """The same plain data, its numbers to 12 digits that count; the limits of an estimate to 12 decimals as well.

    That is finer than any of the coefficients agrees with the papers it is from, and ends 0.30000000000000004.

    >>> without_dust({"score": 0.1 + 0.2, "p": 1e-14, "shift": {"value": 1e-17, "low": -0.1, "high": 0.1}})
    {'score': 0.3, 'p': 1e-14, 'shift': {'value': 0.0, 'low': -0.1, 'high': 0.1}}
    """
    match data:
        case float():
            return float(f"{data:.{DIGITS}g}")
        case dict():
            fine = {key: without_dust(value) for key, value in data.items()}
            return fine | {key: round(fine[key], DIGITS) for key in LIMITS if isinstance(fine.get(key), float)}
        case list() | tuple():
            return [without_dust(item) for item in data]
    return data


def _criterion(criterion: CriterionComparison) -> dict[str, Any]:
    statistics = {name: estimate.to_json() for name, estimate in criterion.statistics.items()}
    return {**statistics, "confusion": criterion.confusion}


def _raters(comparison: Comparison) -> dict[str, Any]:
    ceilings = {name: c.ceiling for name, c in comparison.criteria.items() if c.ceiling is not None}
    return {
        "kinds": dict(comparison.gold.kinds),
        "reference": comparison.gold.reference,
        "not_blind": comparison.gold.not_blind,
        "ceiling": {name: _ceiling(ceiling) for name, ceiling in ceilings.items()} or None,
    }


def _ceiling(ceiling: Ceiling) -> dict[str, Any]:
    return {
        "people": ceiling.people.to_json(),
        "judge": ceiling.judge.to_json(),
        "gap": ceiling.gap.to_json(),
        "as_good_as_a_person": ceiling.as_good,
    }


def estimate_json(estimate: Estimate | None) -> dict[str, Any] | None:
    """An estimate as JSON has it; null where there is none."""
    return None if estimate is None else estimate.to_json()
