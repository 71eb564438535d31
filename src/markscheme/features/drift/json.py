"""JSON of a run's comparison with the accepted runs."""

from typing import Any

from markscheme.calibration.earlier_runs.accepted_basis import LOOKS_ALARM, AcceptedBasis
from markscheme.features.drift.shift import CriterionDrift, ScoreDrift
from markscheme.report.json import attributes


def json_of(baseline: Any) -> dict[str, Any]:
    """Return the comparison of a run with the accepted runs (a `Baseline`) as a dict for JSON."""
    accepted = baseline.since.accepted
    keys_of_accepted = "file=path date version use judge=setting.judge split"
    unknown = dict.fromkeys(("file", "date", "version", "use", "split"))
    return {
        "accepted": {
            **(unknown if accepted is None else attributes(accepted, keys_of_accepted)),
            "judge": baseline.then.judge,
            "runs": 1 if accepted is None else len(accepted.runs),
        },
        **attributes(baseline.since, "run planned_runs=planned level"),
        **attributes(baseline, "alarm alarm_by notes samples changes not_compared"),
        "looks": None if not baseline.since.looks else _looks_json(baseline.since),
        "headline": baseline.headline or None,
        "examples": attributes(baseline, "shared other_response gone new"),
        "agreement": {
            "accepted": None if accepted is None else accepted.agreement,
            **attributes(baseline, "then=agreement_then now=agreement_now"),
        },
        "score": None if baseline.score is None else _score_json(baseline.score),
        "criteria": {name: _criterion_json(drift) for name, drift in baseline.criteria.items()},
    }


def _looks_json(since: AcceptedBasis) -> dict[str, Any]:
    return {"count": len(since.looks), "evidence": max(since.looks), "alarm_at": LOOKS_ALARM}


def _score_json(score: ScoreDrift) -> dict[str, Any]:
    passes = {"more": score.passes.shift * score.passes.n, "p": score.passes.mid_p, "flipped": score.flipped}
    return {
        **attributes(score, "shift=drift.moved.shift p=drift.moved.p within_margin=drift.within_margin by_weights"),
        "passes": passes,
    }


def _criterion_json(drift: CriterionDrift) -> dict[str, Any]:
    moved = drift.drift.moved
    gold = drift.gold
    causes = drift.explanation
    compared = "measure change p worse=is_worse margin then=moved.then now=moved.now"
    return {
        **attributes(drift, "verdict watch needed shift margin=drift.margin p exact_p means=drift.means movers"),
        **attributes(moved, "n run_sd runs_alike_p=p_alike"),
        "detectable": moved.detectable if moved.n > 1 else None,
        "flips": attributes(drift.changed, "now=flips_now stored=flips_stored"),
        "changed": {**attributes(drift.changed, "excess undefined"), "p": drift.changed_p},
        "gold": None if gold is None else attributes(gold, compared),
        "causes": {
            "changes": [change.key for change in causes.changes],
            "separable": causes.separable,
            "replay": [
                {"changes": [change.key for change in shift.changes], "shift": shift.drift.moved.shift, "p": shift.p}
                for shift in causes.parts
            ],
        },
    }
