"""What became of a judge since its accepted run: as lines for a reader, and as plain data."""

from typing import Any

from markscheme.calibration.drift import Baseline, CriterionDrift, Explanation, GoldChange, Part, ScoreDrift
from markscheme.counts import counted
from markscheme.report.figures import share, signed, with_interval

MOST_IDS = 5


def baseline_lines(baseline: Baseline) -> list[str]:
    """How this run stands beside the accepted one: what was compared, what changed, what moved."""
    lines = [_compared(baseline), _changed(baseline)]
    if baseline.score is not None:
        lines.append(_score(baseline, baseline.score))
    if baseline.criteria:
        lines.append(_verdicts(baseline))
    noisier = [name for name, found in baseline.criteria.items() if (found.changed_p or 1.0) <= baseline.since.level]
    if noisier:
        told = ", ".join(f"{name} ({_flips(baseline.criteria[name])})" for name in noisier)
        lines.append(f"Answers differ from the stored runs more than these do among themselves: {told}")
    if baseline.not_compared:
        told = ", ".join(f"{name} ({why})" for name, why in baseline.not_compared.items())
        lines.append(f"Not compared: {told}")
    return lines


def _compared(baseline: Baseline) -> str:
    since, accepted = baseline.since, baseline.since.accepted
    runs = len(accepted.runs)
    line = f"Since the run accepted on {accepted.date} ({runs} {'run' if runs == 1 else 'runs'} kept): "
    line += f"{counted(baseline.shared, 'example')} alike"
    for count, what in (
        (baseline.other_response, "with another response or input"),
        (baseline.gone, "gone"),
        (baseline.new, "new"),
    ):
        line += f", {count} {what}" if count else ""
    if since.accepting:
        return line + "; this run takes its place"
    of = "" if since.planned is None else f" of {since.planned} planned"
    return f"{line}; comparison {since.run}{of}, alarm at p ≤ {since.level:.2g}"


def _changed(baseline: Baseline) -> str:
    told = "; ".join(change.sentence for change in baseline.changes)
    return f"Changed since: {told}" if told else "Changed since: nothing on record"


def _score(baseline: Baseline, score: ScoreDrift) -> str:
    line = f"Score moved by {with_interval(score.drift.shift, sign=True)} (90%; p {score.drift.moved.mid_p:.2g})"
    if score.by_weights:
        line += f", beside {signed(score.by_weights)} by the new weights alone"
    flipped = score.flipped
    if flipped:
        more = f", and {len(flipped) - MOST_IDS} more" if len(flipped) > MOST_IDS else ""
        line += f"; pass or fail flipped on {len(flipped)} ({', '.join(flipped[:MOST_IDS])}{more})"
    then, now = share(baseline.agreement_then.value), share(baseline.agreement_now.value)
    return f"{line}; agreement with today's labels {then} then, {now} now"


def _verdicts(baseline: Baseline) -> str:
    """The criteria by verdict, the worst verdict first."""
    parts = []
    for verdict in ("drifted", "moved, within margin", "can't tell", "no drift"):
        found = [one for one in baseline.criteria.values() if one.called.verdict == verdict]
        if found:
            told = ", ".join(_criterion(one) for one in found)
            parts.append(f"{verdict.capitalize()}: {told}")
    return ". ".join(parts)


def _criterion(found: CriterionDrift) -> str:
    name, called = found.criterion.name, found.called
    if called.verdict == "no drift":
        return name + (" (watch)" if found.watch else "")
    told = [f"{with_interval(called.drift.shift, sign=True)}, 90%", f"p {called.p:.2g}"]
    if called.needed is not None:
        told.append(f"{counted(called.needed, 'example')} would tell")
    if found.changed.undefined is None:
        told.append(_flips(found))
    if found.watch and called.verdict != "drifted":
        told.append("watch")
    return f"{name} ({'; '.join(told)})"


def _flips(found: CriterionDrift) -> str:
    now, stored = found.changed.flips_now.value, found.changed.flips_stored.value
    return f"{share(now)} of answers differ, {share(stored)} among the stored runs"


# --- plain data -----------------------------------------------------------------------------------------------------


def baseline_json(baseline: Baseline | None) -> dict[str, Any] | None:
    """The comparison with the accepted run, for the JSON of a calibration."""
    if baseline is None:
        return None
    since, accepted = baseline.since, baseline.since.accepted
    return {
        "accepted": {
            "file": str(accepted.path),
            "date": accepted.date,
            "version": accepted.version,
            "use": accepted.use,
            "judge": accepted.setting.judge,
            "runs": len(accepted.runs),
            "split": accepted.split,
        },
        "run": since.run,
        "planned_runs": since.planned,
        "level": since.level,
        "alarm": baseline.alarm,
        "examples": {
            "shared": baseline.shared,
            "other_response": baseline.other_response,
            "gone": baseline.gone,
            "new": baseline.new,
        },
        "agreement": {
            "accepted": accepted.agreement,
            "then": baseline.agreement_then.to_json(),
            "now": baseline.agreement_now.to_json(),
        },
        "score": None if baseline.score is None else _score_json(baseline.score),
        "changes": [change.to_json() for change in baseline.changes],
        "criteria": {name: _criterion_json(found) for name, found in baseline.criteria.items()},
        "not_compared": dict(baseline.not_compared),
    }


def _score_json(score: ScoreDrift) -> dict[str, Any]:
    return {
        "shift": score.drift.shift.to_json(),
        "p": score.drift.moved.mid_p,
        "within_margin": score.drift.affirmed,
        "by_weights": score.by_weights,
        "passes": {
            "more": score.passes.shift * score.passes.n,
            "p": score.passes.mid_p,
            "flipped": list(score.flipped),
        },
    }


def _criterion_json(found: CriterionDrift) -> dict[str, Any]:
    called, changed = found.called, found.changed
    return {
        "verdict": called.verdict,
        "watch": found.watch,
        "n": called.drift.moved.n,
        "needed": called.needed,
        "shift": called.drift.shift.to_json(),
        "margin": called.drift.margin,
        "p": called.p,
        "exact_p": called.drift.moved.exact_p,
        "flips": {"now": changed.flips_now.to_json(), "stored": changed.flips_stored.to_json()},
        "changed": {"excess": changed.excess, "p": found.changed_p, "undefined": changed.undefined},
        "gold": None if found.gold is None else _gold_json(found.gold),
        "causes": _explanation_json(found.explanation),
        "movers": list(found.movers),
    }


def _gold_json(gold: GoldChange) -> dict[str, Any]:
    return {
        "measure": gold.measure,
        "change": gold.change.to_json(),
        "p": gold.p,
        "worse": gold.is_worse,
        "margin": gold.margin,
    }


def _explanation_json(explanation: Explanation) -> dict[str, Any]:
    return {
        "changes": [change.key for change in explanation.changes],
        "separable": explanation.separable,
        "replay": [_part_json(part) for part in explanation.parts],
    }


def _part_json(part: Part) -> dict[str, Any]:
    return {"changes": [change.key for change in part.changes], "shift": part.drift.shift.to_json(), "p": part.p}
