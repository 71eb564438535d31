"""What moved since the accepted run, the cause first."""

from collections.abc import Iterator
from typing import Any

from markscheme.calibration.drift import Baseline, CriterionDrift, Explanation, GoldChange, Part, ScoreDrift
from markscheme.counts import counted
from markscheme.report.document import Block, Callout, Code, Ids, Line, Name, Notes, Paragraph, Section, Table, mark
from markscheme.report.figures import chance, number, share, signed, with_interval

ORDER = ("drifted", "moved, within margin", "can't tell", "no drift")


def headline(baseline: Baseline) -> Callout | None:
    """Which criterion moved most, and by what; None where none drifted."""
    drifted = [found for found in baseline.criteria.values() if found.called.verdict == "drifted"]
    if not drifted:
        return _gold_headline(baseline)
    worst = max(drifted, key=lambda found: abs(_shift(found)) / found.criterion.scale.span)
    others = f" {len(drifted) - 1} more drifted too." if len(drifted) > 1 else ""
    return _caused(worst, baseline, others)


def _caused(found: CriterionDrift, baseline: Baseline, others: str) -> Callout:
    name, shift = found.criterion.name, _shift(found)
    moved = f"{name} scores {number(abs(shift), 1)} levels {'higher' if shift > 0 else 'lower'}"
    since = f"than in the accepted run of {baseline.since.accepted.date}"
    changes = found.explanation.changes
    sides = {change.side for change in changes}
    listed = "; ".join(change.sentence for change in changes)
    if not changes:
        text = f"{moved} {since}. Nothing on record changed: the provider may serve another model under the same name."
        return Callout("bad", "The judge drifted.", text + others)
    if sides == {"rubric"}:
        return Callout("note", "You changed the rubric.", f"{moved} {since}. Changed: {listed}.{others}")
    if "rubric" in sides and not found.explanation.separable:
        text = f"{moved} {since}. Changed: {listed}. Add --replay to tell which moved it.{others}"
        return Callout("bad", "The judge and the rubric both changed.", text)
    return Callout("bad", "The judge changed.", f"{moved} {since}. Changed: {listed}.{others}")


def _gold_headline(baseline: Baseline) -> Callout | None:
    fallen = [finding.criterion for finding in baseline.findings if finding.code == "drift-gold"]
    if not fallen:
        return None
    names = ", ".join(str(name) for name in fallen)
    since = baseline.since.accepted.date
    return Callout("bad", "Agreement fell.", f"Agreement with the labels on {names} fell since the run of {since}.")


def _shift(found: CriterionDrift) -> float:
    return found.called.drift.shift.value or 0.0


def section(baseline: Baseline | None, command: str) -> Section:
    """This run against the accepted one; without one, how to accept this."""
    title = "Since the accepted run"
    if baseline is None:
        return Section(
            title, (Paragraph((("No accepted run to compare with. Accept this one: ", Code(command)),)),), "drift"
        )
    lines = [*_compared(baseline), *([_score(baseline, baseline.score)] if baseline.score else [])]
    blocks: list[Block] = [Paragraph(tuple(lines))]
    if baseline.criteria:
        blocks.append(_table(baseline))
    notes = list(_notes(baseline))
    return Section(title, (*blocks, *([Notes(tuple(notes))] if notes else [])), "drift")


def _compared(baseline: Baseline) -> Iterator[Line]:
    since, accepted = baseline.since, baseline.since.accepted
    line = f"Accepted run of {accepted.date} ({counted(len(accepted.runs), 'run')}): {baseline.shared} examples shared"
    for count, what in (
        (baseline.other_response, "with another response or input"),
        (baseline.gone, "gone"),
        (baseline.new, "new"),
    ):
        line += f", {count} {what}" if count else ""
    if since.accepting:
        yield f"{line}. This run replaces it."
    else:
        of = "" if since.planned is None else f" of {since.planned} planned"
        yield f"{line}. Comparison {since.run}{of}; alarm at p ≤ {since.level:.2g}."
    changes = "; ".join(change.sentence for change in baseline.changes)
    yield f"Changed since: {changes or 'nothing on record'}."


def _score(baseline: Baseline, score: ScoreDrift) -> Line:
    line = f"Score moved by {with_interval(score.drift.shift, sign=True)} (90% CI; p {score.drift.moved.mid_p:.2g})"
    if score.by_weights:
        line += f", and by {signed(score.by_weights)} from the new weights alone"
    then, now = share(baseline.agreement_then.value), share(baseline.agreement_now.value)
    line += f". Agreement with today's labels: {then} then, {now} now."
    if not score.flipped:
        return line
    return f"{line} Decision flipped on {len(score.flipped)}: ", Ids(score.flipped)


def _table(baseline: Baseline) -> Table:
    ends = [
        abs(limit) / found.criterion.scale.span
        for found in baseline.criteria.values()
        for shift in (found.called.drift.shift,)
        for limit in (shift.value, shift.low, shift.high)
        if limit is not None
    ]
    part = next((part for part in (0.25, 0.5) if max(ends, default=0.0) <= part), 1.0)
    found = sorted(baseline.criteria.values(), key=lambda one: ORDER.index(one.called.verdict))
    headings = ("Criterion", "verdict", "shift, levels (90% CI)", "p", "answers that differ", "moved most")
    return Table(headings, tuple(_row(one, part) for one in found))


def _row(found: CriterionDrift, part: float) -> tuple[Line, ...]:
    called, shift = found.called, found.called.drift.shift
    verdict = called.verdict + (", watch" if found.watch and called.verdict != "drifted" else "")
    if called.needed is not None:
        verdict += f" ({counted(called.needed, 'example')} would tell)"
    drawn = mark(with_interval(shift, sign=True), shift, part * found.criterion.scale.span)
    return (Name(found.criterion.name), verdict, drawn, chance(called.p), _flips(found), Ids(found.movers))


def _flips(found: CriterionDrift) -> str:
    if found.changed.undefined is not None:
        return "–"
    now, stored = found.changed.flips_now.value, found.changed.flips_stored.value
    return f"{share(now)} ({share(stored)} among the accepted runs)"


def _notes(baseline: Baseline) -> Iterator[Line]:
    noisier = [name for name, found in baseline.criteria.items() if (found.changed_p or 1.0) <= baseline.since.level]
    if noisier:
        yield f"Answers differ more than the accepted runs do among themselves: {', '.join(noisier)}."
    if baseline.not_compared:
        yield "Not compared: " + ", ".join(f"{name} ({why})" for name, why in baseline.not_compared.items()) + "."


# --- plain data -----------------------------------------------------------------------------------------------------


def json_of(baseline: Baseline | None) -> dict[str, Any] | None:
    """The comparison with the accepted run, by the keys of the file format."""
    if baseline is None:
        return None
    since, accepted = baseline.since, baseline.since.accepted
    return {
        "accepted": {
            "file": accepted.path,
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
        "examples": {name: getattr(baseline, name) for name in ("shared", "other_response", "gone", "new")},
        "agreement": {
            "accepted": accepted.agreement,
            "then": baseline.agreement_then,
            "now": baseline.agreement_now,
        },
        "score": None if baseline.score is None else _score_json(baseline.score),
        "changes": baseline.changes,
        "criteria": {name: _criterion_json(found) for name, found in baseline.criteria.items()},
        "not_compared": baseline.not_compared,
    }


def _score_json(score: ScoreDrift) -> dict[str, Any]:
    passes = {"more": score.passes.shift * score.passes.n, "p": score.passes.mid_p, "flipped": score.flipped}
    return {
        "shift": score.drift.shift,
        "p": score.drift.moved.mid_p,
        "within_margin": score.drift.affirmed,
        "by_weights": score.by_weights,
        "passes": passes,
    }


def _criterion_json(found: CriterionDrift) -> dict[str, Any]:
    called, changed = found.called, found.changed
    return {
        "verdict": called.verdict,
        "watch": found.watch,
        "n": called.drift.moved.n,
        "needed": called.needed,
        "shift": called.drift.shift,
        "margin": called.drift.margin,
        "p": called.p,
        "exact_p": called.drift.moved.exact_p,
        "flips": {"now": changed.flips_now, "stored": changed.flips_stored},
        "changed": {"excess": changed.excess, "p": found.changed_p, "undefined": changed.undefined},
        "gold": None if found.gold is None else _gold_json(found.gold),
        "causes": _causes_json(found.explanation),
        "movers": found.movers,
    }


def _gold_json(gold: GoldChange) -> dict[str, Any]:
    return {
        "measure": gold.measure,
        "change": gold.change,
        "p": gold.p,
        "worse": gold.is_worse,
        "margin": gold.margin,
    }


def _causes_json(explanation: Explanation) -> dict[str, Any]:
    def part(one: Part) -> dict[str, Any]:
        return {"changes": [change.key for change in one.changes], "shift": one.drift.shift, "p": one.p}

    return {
        "changes": [change.key for change in explanation.changes],
        "separable": explanation.separable,
        "replay": [part(one) for one in explanation.parts],
    }
