"""The section of a report on what drifted since the accepted run, which begins with the cause."""

import math
from collections.abc import Iterator

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.earlier_runs.accepted_basis import FALSE_ALARM
from markscheme.features.drift.account import cause_of, over_looks
from markscheme.features.drift.baseline import Baseline
from markscheme.features.drift.shift import CriterionDrift, ScoreDrift
from markscheme.phrases import brief, counted, signed
from markscheme.report import document as doc
from markscheme.report.figures import chance, share

_ORDER = ("drifted", "moved", "moved, within margin", "can't tell", "no drift")


def headline(baseline: Baseline, decides: str = "gates") -> doc.Callout | None:
    """Render a report's top box on the criterion that drifted most, with the cause; None if no drift is shown.

    If no criterion drifted by itself, but all comparisons together raise an alarm, the callout is on that alarm.

    Args:
        baseline: The comparison with the accepted runs.
        decides: Verb for what the judge does, such as "gates", in the advice to label again before it does that.
    """
    foremost = baseline.foremost
    never = "Don't compare its scores with earlier ones."
    if foremost is None:
        drifted = "The judge drifted: don't use this judge yet."
        return doc.Callout("bad", drifted, f"{baseline.headline} {never}") if baseline.alarm_by_looks else None
    if not baseline.alarm:
        deeds = [cause_of(change) for change in foremost.explanation.changes]
        is_one = len(deeds) == 1
        deed = deeds[0] if is_one else "You changed the rubric"
        moved = baseline.headline_without_cause if is_one else baseline.headline
        return doc.Callout("note", f"{deed}: label again before it {decides}.", f"{moved}{_flipped(baseline)}")
    text = f"{baseline.headline}{_flipped(baseline)}"
    explanation = foremost.explanation
    sides = {change.side for change in explanation.changes}
    if explanation.is_own_edit:
        why = "Agreement fell after you changed the rubric"
    elif not sides:
        why = "The judge drifted" if foremost.has_moved else "Agreement fell"
    elif sides == {"template"}:
        why = "The prompt around the rubric changed"
    else:
        why = "The judge and the rubric both changed" if "rubric" in sides else "The judge changed"
    return doc.Callout("bad", f"{why}: don't use this judge yet.", f"{text} {_answered_question(baseline)} {never}")


def _answered_question(baseline: Baseline) -> str:
    """Say which comparison shows the drift: with an earlier judge, with the accepted run, or all comparisons so far."""
    if baseline.since.accepted is None:
        return f"Shown on the same examples as {baseline.then.judge} rated."
    if "all looks" in baseline.alarm_by:
        return f"Shown in this comparison, and over all {len(baseline.since.looks)} together."
    return "Shown in this comparison with the accepted run."


def in_short(baseline: Baseline) -> str:
    """Return sentences that say that this run shows no drift; "" if it shows drift, or if it is being accepted."""
    since = baseline.since
    if baseline.foremost is not None or since.accepting:
        return ""
    is_whole = not (baseline.new or baseline.gone or baseline.other_response)
    on = "" if is_whole else f" on {counted(baseline.shared, 'example')}"
    tested = [drift.p for drift in baseline.criteria.values()]
    if baseline.score is not None:
        tested.append(baseline.score.drift.moved.p)
    smallest = min((p for p in tested if p is not None and not math.isnan(p)), default=None)
    p_value = "" if smallest is None else f"p {brief(smallest)}; "
    needed = f"({p_value}an alarm needs {brief(since.level)})"
    if since.accepted is None:
        return f"No drift found since {baseline.then.judge}, on {counted(baseline.shared, 'example')} {needed}."
    this_look = f"No drift found since the accepted run of {since.accepted.date}, in this comparison{on} {needed}."
    return this_look if baseline.alarm_by_looks else " ".join(filter(None, (this_look, over_looks(since))))


def _flipped(baseline: Baseline) -> str:
    flipped = baseline.score.n_flipped if baseline.score is not None else 0
    return f" {flipped} of {baseline.shared} pass/fail decisions flipped." if flipped else ""


def section(baseline: Baseline | None, command: str, *, is_usable: bool, samples: int = 1) -> doc.Section:
    """Render the section that compares this run with the accepted runs, or with an earlier judge.

    Args:
        baseline: The comparison; None if there are no accepted runs and no earlier judge.
        command: The command that accepts this run.
        is_usable: True if the judge may decide without review or its scores may be averaged, so that this run is worth
            accepting.
        samples: Number of samples that an option asks for; accepted, each is a run of its own.
    """
    title = "Since the accepted run"
    if baseline is None:
        line: doc.Line = (
            (
                f"No accepted run yet. Accept {'this one' if samples == 1 else f'the {samples} samples as runs'}, and "
                "later runs show whether the judge changed: ",
                doc.Command(command),
            )
            if is_usable
            else "No accepted run yet. Accept one once the judge can gate or be used for trends."
        )
        return doc.Section(title, (doc.Paragraph((line,)),), "drift")
    if baseline.since.accepted is None:
        title = "Since the earlier judge"
    lines = [*_compared(baseline), *([_score(baseline, baseline.score)] if baseline.score else [])]
    blocks: list[doc.Block] = [doc.Paragraph(tuple(lines))]
    if baseline.criteria:
        blocks.append(_table(baseline))
    notes = [*_notes(baseline)]
    if is_usable and baseline.foremost is not None and baseline.foremost.explanation.is_own_edit:
        notes.append(("Once new labels confirm the edit, accept it: ", doc.Command(command)))
    return doc.Section(title, (*blocks, doc.Notes(tuple(notes))), "drift")


def _compared(baseline: Baseline) -> Iterator[doc.Line]:
    since = baseline.since
    yield _ratings_compared(baseline)
    if not since.accepting:
        of = "" if since.planned is None else f" of {since.planned} planned"
        only = "" if since.accepted is None else " Only those with --check count."
        yield (
            f"This is comparison {since.run}{of} with it. The chance of a false alarm over all comparisons is "
            f"{share(FALSE_ALARM)}; this one alarms at p ≤ {brief(since.level)}.{only}"
        )
        if since.looks:
            yield f"{over_looks(since)} {_alarm_sentence(baseline)}"
    changes = "; ".join(change.sentence for change in baseline.changes)
    yield f"Changed since: {changes or 'nothing on record'}."
    yield (
        f"Intervals here are 90% CIs, which say whether a shift is within the margin, {share(since.margin)} of the "
        "scale. An unchanged judge differs a little from run to run; they allow for that."
    )


def _ratings_compared(baseline: Baseline) -> str:
    """Return a sentence on what this run is compared with, and on how many examples."""
    accepted = baseline.since.accepted
    if accepted is None:
        of_score = "" if baseline.score is None else f", {baseline.score.drift.moved.n} of them scored by both"
        return f"Earlier judge {baseline.then.judge}: the same {counted(baseline.shared, 'example')}{of_score}."
    runs = counted(len(accepted.runs), "run")
    line = f"Accepted run of {accepted.date} ({runs}): {counted(baseline.shared, 'example')} shared"
    for count, name in (
        (baseline.other_response, "with another response or input"),
        (baseline.gone, "gone"),
        (baseline.new, "new"),
    ):
        line += f", {count} {name}" if count else ""
    return f"{line}."


def _alarm_sentence(baseline: Baseline) -> str:
    """Return a sentence on whether this comparison, or all comparisons together, raise an alarm."""
    if not baseline.alarm_by:
        return "No alarm, by this comparison or by all."
    return f"Alarm by {' and '.join(name.replace('look', 'comparison') for name in baseline.alarm_by)}."


def _score(baseline: Baseline, score: ScoreDrift) -> doc.Line:
    shift = score.drift.moved.shift
    ends = "" if shift.low is None else f"90% CI {signed(shift.low)} to {signed(shift.high)}, "
    line = f"Change of the mean score: {signed(shift.value)} ({ends}p {brief(score.drift.moved.p)})"
    if score.by_weights:
        line += f", and another {signed(score.by_weights)} from the new weights"
    then = share(baseline.agreement_then.value)
    agreement = share(baseline.agreement_now.value)
    line += f". Share of scores that agree with the current labels: {then} then, {agreement} now."
    if not score.n_flipped:
        return line
    flipped = f"{line} Decision flipped on {score.n_flipped}"
    return f"{flipped}." if score.flipped is None else (f"{flipped}: ", doc.Ids(score.flipped))


def _table(baseline: Baseline) -> doc.Table:
    half = doc.reach(drift.shift for drift in baseline.criteria.values())
    drifts = sorted(baseline.criteria.values(), key=lambda drift: _ORDER.index(drift.verdict))
    headings = ("Criterion", "verdict", "shift, levels (90% CI)", "p", "answers that differ")
    if all(drift.movers is None for drift in drifts):
        return doc.Table(headings, tuple(_row(drift, half) for drift in drifts))
    return doc.Table(
        (*headings, "moved most"), tuple((*_row(drift, half), doc.Ids(drift.movers or ())) for drift in drifts)
    )


def _row(drift: CriterionDrift, half: float) -> tuple[doc.Line, ...]:
    shift = drift.shift
    verdict = drift.verdict + (", watch" if drift.watch and not drift.has_moved else "")
    if drift.needed is not None:
        verdict += f" ({counted(drift.needed, 'example')} would tell)"
    drawn = doc.shift_mark(shift, half)
    return doc.Name(drift.criterion.name), verdict, drawn, chance(drift.p), _flips(drift)


def _flips(drift: CriterionDrift) -> str:
    if drift.changed.undefined is not None:
        return "–"
    flips = drift.changed.flips_now.value
    stored = drift.changed.flips_stored.value
    return f"{share(flips)} ({share(stored)} among the accepted runs)"


def _notes(baseline: Baseline) -> Iterator[doc.Line]:
    yield from baseline.notes
    noisier = [name for name, drift in baseline.criteria.items() if (drift.changed_p or 1.0) <= baseline.since.level]
    if noisier:
        yield f"Answers differ more than the accepted runs do among themselves: {', '.join(noisier)}."
    if baseline.not_compared:
        yield "Not compared: " + ", ".join(f"{name} ({why})" for name, why in baseline.not_compared.items()) + "."


# --- rows of tables ---------------------------------------------------------------------------------------------------


def sections(calibration: Calibration) -> Iterator[doc.Section]:
    """Yield the section on the accepted run for a judge whose runs may be accepted.

    Yield nothing if there is no accepted run yet and this run can't become one, since too few examples were graded.
    """
    accept = calibration.commands.calibrate(accept="--accept")
    baseline = _baseline(calibration)
    is_usable = calibration.decision.is_usable
    is_refused = baseline is None and is_usable and calibration.counts.too_few_graded
    if calibration.rater.may_be_accepted and not is_refused:
        yield section(baseline, accept, is_usable=is_usable, samples=calibration.rater.samples)


def moved(calibration: Calibration, decides: str) -> doc.Callout | None:
    """Return the callout of a calibration on the criterion that drifted most; None if no drift is shown.

    Args:
        calibration: The calibration.
        decides: Verb for what the judge is to do, such as "gates". If the author's own edit moved the judge, the
            callout advises to label again before it gates.
    """
    baseline = _baseline(calibration)
    return None if baseline is None else headline(baseline, decides)


def caveats(calibration: Calibration) -> Iterator[doc.Line]:
    """Yield the sentence that no drift is shown, if the run was compared with accepted runs and shows none."""
    baseline = _baseline(calibration)
    if baseline is not None:
        yield from filter(None, [in_short(baseline)])


def _baseline(calibration: Calibration) -> Baseline | None:
    return calibration.baseline if isinstance(calibration.baseline, Baseline) else None
