"""The report on a look at a stream: what changed, people's pass rate, the judge, the responses and the traffic."""

import shlex
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final

from markscheme.calibration.earlier_runs.accepted_basis import LOOKS_ALARM
from markscheme.calibration.findings.commands import Commands
from markscheme.features.pass_rate.tracked.anchors import FEWEST_ANCHORS, AnchorWatch
from markscheme.features.pass_rate.tracked.audits import ALL_LOOKS
from markscheme.features.pass_rate.tracked.counts import FAILS, PASSES, labels_of_all
from markscheme.features.pass_rate.tracked.look import Look
from markscheme.features.pass_rate.tracked.mix import INPUT_LENGTH, MixShift
from markscheme.features.pass_rate.tracked.plan import (
    PLANNED_AUDITS,
    PLANNED_DROPS,
    PLANNED_STREAMS,
    WIDTH_AFTER,
    AuditPlan,
    JudgeRates,
    audit_plan,
)
from markscheme.features.pass_rate.tracked.run import TrackedRun
from markscheme.features.pass_rate.tracked.watched import (
    PEOPLE_RING,
    REFERENCE_LABELS,
    REFERENCE_WEEKS,
    SHARE_RING,
    UNMOVED,
)
from markscheme.features.pass_rate.tracked.weeks import monday_of
from markscheme.phrases import counted, number, percent, thousands
from markscheme.report.document import Callout, Document, Facts, Notes, Section, Table
from markscheme.report.figures import NONE
from markscheme.report.json import attributes
from markscheme.rubrics.search import typed_name
from markscheme.stats.estimate import Estimate
from markscheme.stats.shares import FEWEST_SHOWN

_FIFTHS: Final = {
    "fifth 1": "the shortest fifth of inputs",
    "fifth 2": "the second shortest fifth of inputs",
    "fifth 3": "the middle fifth of inputs by length",
    "fifth 4": "the second longest fifth of inputs",
    "fifth 5": "the longest fifth of inputs",
}
"""Words for each value of the column of input lengths."""
_DROP: Final = 0.15
"""Drop of people's pass rate for which the first screen says how soon it would be found."""
_HEADS: Final = {
    "judge": "The judge moved, not your responses.",
    "judge and responses": "The judge moved, and responses got worse.",
    "open": "Not told apart yet.",
    "responses or traffic": "Responses or traffic moved, not the judge.",
    "traffic": "The traffic moved.",
    "responses": "Responses got worse.",
    "traffic and responses": "Traffic and responses moved.",
}
"""Headings of the report, by what changed."""
_BY_JUDGE: Final = ("judge", "judge and responses")
"""Causes that name the judge."""
_MOVED_EARLIER: Final = "it moved at an earlier look, and its run was accepted again since"
"""Words for a judge that moved in this period, and didn't since its run was accepted again."""
_BETTER: Final = "Responses got better."
"""Heading of the report if the responses changed and pass more often."""


def view(run: TrackedRun, parts: Mapping[str, Estimate] | None = None) -> Document:
    """Render what a look found in a stream: what changed, people's pass rate, the judge's passes, and the judge itself.

    Args:
        run: The run.
        parts: The pass rate of each part of the stream, by the value of a column; None to show no parts.
    """
    look = run.look
    blocks = [_callout(look), Facts(tuple(_facts(look)))]
    if parts:
        rows = tuple((name, _rate_text(rate)) for name, rate in parts.items())
        blocks.append(Table(("Part", "people would pass (95% CI)"), rows))
    blocks.append(Notes(tuple(_notes(run))))
    named = run.rubric.name if run.stream == "main" else f"{run.rubric.name}, {run.stream}"
    return Document(
        f"Pass rate of {named}{_period(look)}",
        _source(look),
        tuple(blocks),
        (Section("Weeks", (_weeks(look),)),),
        onward=_onward(run),
    )


def _period(look: Look) -> str:
    over = look.over or look.weeks
    if not over:
        return ""
    first = monday_of(over[0].week)
    last = monday_of(over[-1].week) + timedelta(days=6)
    return f", {_day(first, with_year=first.year != last.year)} – {_day(last, with_year=first.year != last.year)}"


def _day(day: date, *, with_year: bool) -> str:
    return f"{day.day} {day:%b}{f' {day.year}' if with_year else ''}"


def _source(look: Look) -> str:
    responses = sum(week.responses for week in look.over)
    drawn = sum(week.audits for week in look.over)
    labelled = sum(week.labelled for week in look.over)
    counted_responses = f"{thousands(responses)} response{'' if responses == 1 else 's'}"
    running = sum(not week.is_over for week in look.weeks)
    still = f" {counted(running, 'week')} not over yet, shown and not counted." if running else ""
    weeks = counted(len(look.over), "week")
    return f"{weeks}, {counted_responses}, {labelled} of {counted(drawn, 'audit')} labelled.{still}"


def _rate_text(rate: Estimate) -> str:
    """Format a pass rate with its interval."""
    if rate.value is None or rate.low is None or rate.high is None:
        return NONE
    return f"{percent(rate.value)} ({_range(rate)})"


def _range(rate: Estimate) -> str:
    assert rate.low is not None
    assert rate.high is not None
    return range_of(rate.low, rate.high)


def range_of(low: float, high: float) -> str:
    """Format two limits, which are shares from 0 to 1, as a range in percent, such as "70–85"."""
    return f"{percent(low).rstrip('%')}–{percent(high).rstrip('%')}"


# --- the answer -------------------------------------------------------------------------------------------------------


def _callout(look: Look) -> Callout:
    if look.named is not None:
        return Callout("open" if look.named == "open" else "bad", _head(look), _what_moved(look))
    rate = look.rate
    alone = _judge_alone(look)
    if rate.value is None:
        waiting = sum(look.waiting.values())
        waits = f"{counted(waiting, 'audit')} wait{'s' if waiting == 1 else ''}" if waiting else str(rate.undefined)
        was = f", was {percent(look.before)}" if look.before is not None else ""
        judge_passes = _in_last_week(look, "last week's ") or (
            None if look.judge_alone is None else percent(look.judge_alone)
        )
        still = _still(look)
        comma = "," if was and still else ""
        passes = _why_no_share(look)
        if judge_passes is not None:
            passes = f"The judge passes {judge_passes}{was}{comma}{still}."
        return Callout("open", "What people would pass isn't known yet.", f"{passes} {waits[:1].upper()}{waits[1:]}.")
    head = f"Nothing moved. People would pass {percent(rate.value)} (95% CI {_range(rate)})."
    if not look.people.reference:
        head = f"People would pass {percent(rate.value)} (95% CI {_range(rate)}). Whether they move shows from now on."
    return Callout("good", head, alone)


def _why_no_share(look: Look) -> str:
    """Return a sentence that too few responses of past weeks are graded to report a share of passes."""
    if any(week.graded for week in look.over):
        return "No week is nine tenths graded yet."
    return "Nothing is graded yet." if look.over else "No week is over yet."


def head_of(named: str, *, better: bool) -> str:
    """Return the heading, such as "Responses got worse.", of the report on a change.

    Args:
        named: The cause of the change, such as "responses" or "judge".
        better: True if responses pass more often than before.
    """
    return _BETTER if named == "responses" and better else _HEADS[named]


def _head(look: Look) -> str:
    assert look.named is not None
    return head_of(look.named, better=look.is_better)


def _still(look: Look) -> str:
    judge = look.judge
    if judge is None or not judge.is_watched:
        return ""
    return f" and didn't move ({sum(judge.flips[-1])} of {sum(judge.sizes)})"


def _judge_alone(look: Look) -> str:
    if look.judge_alone is None:
        return ""
    in_last_week = _in_last_week(look, "")
    last = "" if in_last_week is None else f", last week {in_last_week}"
    return f"The judge alone passes {percent(look.judge_alone)}{last}."


def _in_last_week(look: Look, whose: str) -> str | None:
    """Return the judge's share of passes in the last graded week as text, such as "83%"; None without such a week.

    If the week has few responses, the text is two counts, such as "5 of 6".

    Args:
        look: The look.
        whose: Words before the second of the two counts.
    """
    if look.last_week is None:
        return None
    last = next(week for week in reversed(look.weeks) if week.is_graded)
    few = last.graded < FEWEST_SHOWN
    return f"{last.pool[PASSES]} of {whose}{last.graded}" if few else percent(look.last_week)


def _what_moved(look: Look) -> str:
    sentences = [_of_judge(look), _of_people(look), _of_traffic(look)]
    return " ".join(sentence for sentence in sentences if sentence)


def _of_judge(look: Look) -> str:
    judge = look.judge
    if look.named not in (*_BY_JUDGE, "open"):
        return "The judge didn't move." if judge is not None and judge.is_watched else "The judge isn't watched."
    if _moved_earlier(look):
        return f"{_MOVED_EARLIER[:1].upper()}{_MOVED_EARLIER[1:]}."
    if judge is not None and judge.otherwise_before is not None:
        otherwise, examples = judge.otherwise_before
        return f"Before its run was accepted again, it decided {otherwise} of {examples} accepted examples otherwise."
    if judge is not None and judge.is_unknown_before:
        return "Its run was accepted again in this period, and whether it moved before isn't known."
    if judge is None or not judge.is_watched:
        return f"The judge isn't watched, so it may explain a share that is {_shift(look)}."
    if look.named == "open":
        return f"{_flips(judge)} changed. Next week's look may tell."
    fails, passes = judge.flips[-1]
    if passes >= fails and passes:
        return f"It fails {passes} of {judge.sizes[1]} accepted examples that it passed."
    if fails:
        return f"It passes {fails} of {judge.sizes[0]} accepted examples that it failed."
    name, shift = max((judge.shifts or {}).items(), key=lambda shift_of: abs(shift_of[1]), default=("its levels", 0.0))
    return f"Its levels of {name} are {percent(abs(shift))} of the range {'higher' if shift > 0 else 'lower'}."


def _moved_earlier(look: Look) -> bool:
    """Return True if the alarm is due to a change of the judge from before its accepted run.

    It is from before if the evidence of a change since the run was accepted hasn't reached the alarm threshold.
    """
    return look.named in _BY_JUDGE and not (look.judge is not None and look.judge.has_rung)


def _of_people(look: Look) -> str:
    before = look.rate_before
    since = look.rate_since
    if before is None or before.value is None:
        return "Whether people would pass fewer isn't known: too few audits are labelled."
    if look.people.has_rung and since is not None and since.value is not None:
        return f"People would pass {percent(since.value)} ({_range(since)}), before {percent(before.value)}."
    if look.named == "judge" and look.rate.value is not None:
        return f"People pass as many as before ({_rate_text(look.rate).replace(' (', ', ').rstrip(')')})."
    return ""


def _of_traffic(look: Look) -> str:
    mix = look.mix
    if look.named in ("traffic", "traffic and responses") and mix is not None:
        before = look.before or 0.0
        at_old_mix = percent(before + mix.at_old_mix)
        stays = "as before" if abs(mix.at_old_mix) < 0.01 else f"before {percent(before)}"
        moved = f"{_of_column(mix)} is {percent(mix.share_since)}, was {percent(mix.share_before)}"
        return f"{moved}; at the old mix the judge passes {at_old_mix}, {stays}."
    if look.named == "responses":
        if mix is None:
            return "No column is known that could explain it: the system, or traffic in a way no column shows."
        column = _in_words(mix.column)
        return f"{column[0].upper()}{column[1:]} doesn't explain it: the system, or traffic in a way no column shows."
    if look.named == "responses or traffic":
        return "The judge's share of passes hardly moved, so which of the two isn't known."
    return ""


def _shift(look: Look) -> str:
    shift = look.shift or 0.0
    return f"{number(100 * abs(shift), 0)} points {'higher' if shift > 0 else 'lower'}"


def _flips(judge: AnchorWatch) -> str:
    fails, passes = judge.flips[-1]
    return f"{passes} of {judge.sizes[1]} accepted passes and {fails} of {judge.sizes[0]} fails"


# --- how each of the three stands -------------------------------------------------------------------------------------


def _facts(look: Look) -> Iterator[tuple[str, str]]:
    yield "judge", _MOVED_EARLIER if _moved_earlier(look) else judge_fact(look.judge)
    yield "responses", _responses_fact(look)
    yield "traffic", _traffic_fact(look.traffic, look)


def judge_fact(judge: AnchorWatch | None, *, names_looks: bool = True) -> str:
    """Return a phrase on whether the judge changed on the examples of its accepted run, or why that isn't known.

    Args:
        judge: The evidence on the judge; None if no run is accepted.
        names_looks: True to say over how many looks it moved.
    """
    if judge is None:
        return "not watched: no run is accepted; --accept of calibrate keeps one"
    if sum(judge.sizes) < FEWEST_ANCHORS:
        return f"not watched: {counted(sum(judge.sizes), 'accepted example')}, {FEWEST_ANCHORS} needed"
    if judge.otherwise_before is not None:
        otherwise, examples = judge.otherwise_before
        return f"moved: before its run was accepted again, {otherwise} of {examples} decisions were others"
    if judge.filling and not judge.flips:
        return f"not watched yet: {counted(judge.filling, 'look')} so far; the first ones show how far its runs differ"
    if not judge.is_watched:
        return "not watched yet: --judge looks at the accepted examples"
    if not judge.after:
        return "no look yet: the first ones show how far its runs differ"
    if judge.has_rung:
        over = f", over {counted(len(judge.after), 'look')}" if names_looks else ""
        return f"moved: {_flips(judge)} changed{over}"
    if judge.now > 1:
        return f"one look can't tell, ask again: {_flips(judge)} changed"
    return f"still: {_flips(judge)} changed"


def _responses_fact(look: Look) -> str:
    if not look.people.reference:
        closed = look.closed
        labels = sum(week.labelled for week in closed)
        have = f"{len(closed)} of {REFERENCE_WEEKS} closed weeks, {labels} of {REFERENCE_LABELS} labels"
        return f"nothing to compare with yet: {have}"
    if look.people.has_rung:
        return f"people's rate fell: rang in {look.people.rang_in}"
    if look.named in ("responses", "traffic and responses"):
        goes = "rose" if look.is_better else "fell; labels alone don't show it"
        return f"moved: rang in {look.share.rang_in}, the judge's share {goes}"
    plan = plan_of(look)
    soon = None if plan is None else plan.weeks_half[0]
    if soon is None:
        return f"still: a drop of {number(100 * _DROP, 0)} points wouldn't show with so few audits"
    return f"still: a drop of {number(100 * _DROP, 0)} points shows in about {counted(soon, 'week')}"


def _traffic_fact(traffic: MixShift | None, look: Look) -> str:
    moved = look.named in ("traffic", "traffic and responses")
    if traffic is None:
        return "no column to compare yet" if not look.share.weeks else "no column that could explain a shift"
    if moved and look.mix is not None:
        traffic = look.mix
    shifts = abs(traffic.share_since - traffic.share_before) >= UNMOVED
    state = "moved" if moved else "no effect shown" if shifts else "still"
    is_length = traffic.column == INPUT_LENGTH
    value = _FIFTHS[traffic.value] if is_length else f"{_in_words(traffic.column)} {traffic.value}"
    return f"{state}: largest, {value} {percent(traffic.share_since)}, was {percent(traffic.share_before)}"


def _of_column(mix: MixShift) -> str:
    """Return the beginning of a sentence on the value whose share of responses changed most.

    It is the value or, if the column is the length of inputs, words such as "The shortest fifth of inputs".

    Args:
        mix: The change in the shares of a column's values.
    """
    return f"T{_FIFTHS[mix.value][1:]}" if mix.column == INPUT_LENGTH else mix.value


def _in_words(column: str) -> str:
    return "length of input" if column == INPUT_LENGTH else f"`{column}`"


def judge_rates(look: Look) -> JudgeRates | None:
    """Estimate the judge's rates over the closed weeks; None if its passes have no labels, or its fails have none."""
    if not look.closed:
        return None
    passed, labels, pool = labels_of_all(look.closed)
    if not labels[FAILS] or not labels[PASSES]:
        return None
    shares = passed / labels
    share = float(pool[PASSES] / pool.sum())
    return JudgeRates(share, float(shares[PASSES]), float(shares[FAILS])) if 0 < share < 1 else None


def plan_of(look: Look) -> AuditPlan | None:
    """Compute how soon a drop of people's pass rate by `_DROP` is found with as many audits per week as now.

    Return None if the judge's rates aren't known, if the pass rate is 1, or if it is `_DROP` or lower.
    """
    rates = judge_rates(look)
    if rates is None or rates.good - _DROP <= 0 or rates.good >= 1:
        return None
    audits = sum(week.audits for week in look.closed) / len(look.closed)
    return audit_plan(rates, max(1, round(audits)), [_DROP])


# --- the rest ---------------------------------------------------------------------------------------------------------


def _notes(run: TrackedRun) -> Iterator[str]:
    look = run.look
    if look.because is not None and look.period is not None:
        yield f"Since {look.period}: {look.because}."
    if not run.is_graded:
        not_graded = counted(run.not_graded, "response")
        if not run.added_are_graded:
            not_graded = f"{run.added_not_graded} of {counted(run.added, 'new response')}"
        yield f"{not_graded} not graded: name a judge or the column of its verdicts with --judge, or a larger --budget."
    elif run.not_graded:
        yield f"{counted(run.not_graded, 'response')} not graded yet; --judge with the same file asks about them."
    if run.changed:
        yield f"{counted(run.changed, 'response')} came again under the same id with another content; the first counts."
    if run.not_recomputed:
        yield "looks.jsonl no longer follows from the files: lines of responses or labels are gone or others."
    if look.overdue is not None:
        answer = "the answer is of older weeks" if look.closed else "no week counts yet"
        yield f"Audits of {look.overdue} have waited for over four weeks: {answer}."


def _onward(run: TrackedRun) -> tuple[str, str] | None:
    look = run.look
    commands = Commands.on(run.rubric)
    waiting = sum(look.waiting.values())
    if waiting:
        last = look.over[-1].week
        whose = "last week's" if set(look.waiting) == {last} else "the waiting"
        return f"Next, label {whose} {counted(waiting, 'audit')}", commands.label("--audits")
    judge = look.judge
    is_accepted_again = _moved_earlier(look) or (judge is not None and judge.otherwise_before is not None)
    if look.named in _BY_JUDGE and not is_accepted_again:
        words = "Next, use another judge, or accept this one as it is now"
        return words, commands.calibrate(cache="-o cache=off", accept="--accept --replace", samples="--samples 5")
    next_look_may_tell = look.named == "open" and judge is not None and judge.is_watched and not judge.is_unknown_before
    if look.named is not None and not next_look_may_tell:
        return "Next, say what happened, which begins a new period", _new_period(run)
    return None


def _new_period(run: TrackedRun) -> str:
    """Return the command that begins a new period of the stream; the user adds the reason.

    The period begins with the latest week of which nearly all responses are graded, or with the current one if that
    begins later.
    """
    stream = "" if run.stream == "main" else f" --stream {shlex.quote(run.stream)}"
    monday = max(str(monday_of(max(week.week for week in run.look.weeks if week.is_graded))), run.look.period or "")
    return (
        f"markscheme pass-rate --rubric {shlex.quote(typed_name(run.rubric))} --track --since {monday} "
        f"--because YOUR-REASON{stream}"
    )


def _weeks(look: Look) -> Table:
    rows = tuple(
        (
            week.week,
            str(week.responses),
            percent(week.share) if week.graded else NONE,
            f"{week.labelled} of {week.audits}",
            "running" if not week.is_over else "closed" if week.is_closed else "open",
        )
        for week in look.weeks
    )
    return Table(("Week", "responses", "judge passes", "audits labelled", "counts"), rows)


def view_plan(rates: JudgeRates, plans: list[AuditPlan], name: str) -> Document:
    """Render, for several numbers of audits per week, how wide intervals are and how soon a drop is noticed.

    Args:
        rates: The judge's rates that the plans assume.
        plans: A plan for each number of audits.
        name: Name of the stream.
    """
    rows = tuple(
        (
            str(plan.audits),
            *(f"±{number(100 * width, 0)}" for width in plan.half_widths),
            *(
                f"{_weeks_text(half)} / {_weeks_text(most)}"
                for half, most in zip(plan.weeks_half, plan.weeks_nine_tenths, strict=True)
            ),
        )
        for plan in plans
    )
    headings = ("Audits a week", *(f"after {after} weeks" for after in WIDTH_AFTER))
    drops = PLANNED_DROPS[: len(plans[0].weeks_half)]
    headings += tuple(f"drop of {number(100 * drop, 0)}" for drop in drops)
    about = (
        f"The judge passes {percent(rates.share)}; people pass {percent(rates.of_passes)} of its passes and "
        f"{percent(rates.of_fails)} of its fails."
    )
    notes = (
        "±: half the interval of people's rate, in points. Drops, in points: weeks until half / nine tenths of "
        f"{PLANNED_STREAMS} "
        "simulated streams find one; – where fewer do in two years.",
    )
    return Document(f"Audits a week for {name}", about, (Table(headings, rows), Notes(notes)))


def _weeks_text(weeks: int | None) -> str:
    return NONE if weeks is None else str(weeks)


def plans_of(rates: JudgeRates) -> list[AuditPlan]:
    """Compute for several numbers of audits per week how soon drops of several sizes are noticed."""
    drops = [drop for drop in PLANNED_DROPS if rates.good - drop > 0]
    return [audit_plan(rates, audits, drops) for audits in PLANNED_AUDITS]


def json_of(run: TrackedRun, parts: Mapping[str, Estimate] | None = None) -> dict[str, Any]:
    """Return the look as a dict with the keys of the JSON output.

    Args:
        run: The run that took the look.
        parts: The pass rate for each value of the column that the user names; None if the user names none.
    """
    look = run.look
    judge = look.judge
    return {
        "schema": 1,
        "rubric": run.rubric.name,
        "stream": run.stream,
        "period": {"from": look.period, "because": look.because},
        "weeks": [
            {
                **attributes(week, "week responses graded audits labelled over=is_over closed=is_closed"),
                "judge_alone": week.share if week.graded else None,
            }
            for week in look.weeks
        ],
        "rate": look.rate,
        "rate_level": ALL_LOOKS,
        "judge_alone": look.judge_alone,
        "last_week": look.last_week,
        "moved": look.moved,
        "named": look.named,
        "shift": look.shift,
        "mix": None
        if look.mix is None
        else attributes(look.mix, "column part=explained at_old_mix value was=share_before now=share_since"),
        "evidence": {
            "people": {"now": look.people.now, "ring": PEOPLE_RING, "rang": look.people.rang_in},
            "judge": None if judge is None else {"now": judge.now, "ring": LOOKS_ALARM, "rang": judge.has_rung},
            "share": {"now": look.share.now, "ring": SHARE_RING, "rang": look.share.rang_in},
        },
        "audits": {
            "drawn": sum(week.audits for week in look.weeks),
            "labelled": sum(week.labelled for week in look.weeks),
            "waiting": sum(look.waiting.values()),
            "pi": look.chance,
        },
        "parts": None if parts is None else dict(parts),
        "not_graded": run.not_graded,
        "added": run.added,
        "added_not_graded": run.added_not_graded,
        "changed": run.changed,
    }
