"""A look at a stream of responses: annotators' pass rate, the evidence of a change, and its cause."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from markscheme.features.pass_rate.tracked.anchors import AnchorWatch
from markscheme.features.pass_rate.tracked.audits import ALL_LOOKS, nearly_all
from markscheme.features.pass_rate.tracked.counts import PASSES, WeekCounts, count_weeks, labels_of_all
from markscheme.features.pass_rate.tracked.evidence import HORIZON, evidence, onset, rings_in
from markscheme.features.pass_rate.tracked.mix import MixShift, largest_change, largest_mix_shift
from markscheme.features.pass_rate.tracked.naming import MovedCause, may_be_judge, most_by_judge, name_cause
from markscheme.features.pass_rate.tracked.store import GradedLine, StreamMemory
from markscheme.features.pass_rate.tracked.watched import (
    PEOPLE_RING,
    REFERENCE_LABELS,
    REFERENCE_WEEKS,
    SHARE_RING,
    people_floor,
    people_growth,
    share_growths,
    share_limits,
)
from markscheme.features.pass_rate.tracked.weeks import WEEK, monday_of, week_of
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats
from markscheme.stats.verdict_rates import may_show_rate, rate_by_verdict

WAITED = 4
"""Number of weeks after which audits that still have no labels change the exit status."""


@dataclass(frozen=True)
class Watched:
    """Weekly evidence that people's pass rate of a stream fell, or that the judge's share of passes rose or fell.

    Attributes:
        weeks: The weeks that were looked at, after the reference weeks.
        after: Evidence after each of these weeks: that people's pass rate fell below a floor, or that the judge's share
            of passes rose or fell.
        ring: Alarm threshold: the evidence at which the figure counts as changed.
        begins: The week with which the rise of the evidence begins, so that the change is dated to it; None without
            weeks.
        reference: The weeks that later weeks are compared with; empty as long as there are too few weeks or labels.
    """

    weeks: tuple[str, ...] = ()
    after: tuple[float, ...] = ()
    ring: float = SHARE_RING
    begins: str | None = None
    reference: tuple[str, ...] = ()

    @property
    def has_rung(self) -> bool:
        """True if the evidence reached the alarm threshold in any week of the period."""
        return rings_in(self.after, self.ring) is not None

    @property
    def rang_in(self) -> str | None:
        """The first week in which the evidence reached the alarm threshold; None if it never did."""
        week = rings_in(self.after, self.ring)
        return None if week is None else self.weeks[week - 1]

    @property
    def now(self) -> float | None:
        """Evidence, after the last of `weeks`, that the watched figure has changed; None without such weeks."""
        return self.after[-1] if self.after else None


@dataclass(frozen=True)
class Look:
    """Result of one check of a stream of responses: rates, evidence that something changed, and the cause.

    Attributes:
        weeks: All weeks of the period.
        rate: Share that people would pass over closed weeks. Its interval allows for a look in each week of two years;
            it has no value if it is withheld.
        judge_alone: Share that the judge passes over closed weeks, or over graded weeks if none is closed.
        last_week: Share that the judge passes in the last graded week; None if there is none.
        before: Share that the judge passed in the reference weeks of its share of passes, with which later weeks are
            compared (`share.reference`); None as long as there are none.
        people: The evidence that people's pass rate fell.
        judge: The evidence that the judge changed, from asking it again about the examples of its accepted run; None if
            no run is accepted.
        share: The evidence that the share of new responses that the judge passes changed, whatever the cause.
        named: The cause of the change; None if nothing has changed.
        shift: Shift of the judge's share of passes since the change began; None if nothing has changed.
        mix: The column that explains most of that shift; None if none does.
        rate_before: Share that people passed in the reference weeks of people's rate (`people.reference`).
        rate_since: Share that people pass since the change began, with an interval for a single look.
        people_floor: The rate below which evidence of a fall grows; None as long as there are no reference weeks.
        chance: Probability with which a response is drawn as an audit.
        traffic: The value of a column whose share of responses moved most since the first weeks; None without columns
            or weeks.
        period: The day on which the period begins; None for the first one.
        because: The reason why that period begins.
        waiting: Number of audits without a label in weeks that are over, by week.
    """

    weeks: tuple[WeekCounts, ...]
    rate: Estimate
    judge_alone: float | None
    last_week: float | None
    before: float | None
    people: Watched
    judge: AnchorWatch | None
    share: Watched
    named: MovedCause | None
    shift: float | None
    mix: MixShift | None
    rate_before: Estimate | None
    rate_since: Estimate | None
    people_floor: float | None
    chance: float
    traffic: MixShift | None
    period: str | None
    because: str | None
    waiting: Mapping[str, int]

    @property
    def closed(self) -> tuple[WeekCounts, ...]:
        """The closed weeks, nearly all graded and labelled, whose labels count in the pass rate."""
        return tuple(week for week in self.weeks if week.is_closed)

    @property
    def over(self) -> tuple[WeekCounts, ...]:
        """The weeks of the stream that have ended."""
        return tuple(week for week in self.weeks if week.is_over)

    @property
    def moved(self) -> bool:
        """True if this period had an alarm: on people's pass rate, the judge, or the judge's share of passes."""
        return self.named is not None

    @property
    def is_better(self) -> bool:
        """True if the judge's share of passes rose, and people's pass rate isn't shown to have fallen."""
        return (self.shift or 0.0) > 0 and not self.people.has_rung

    @property
    def overdue(self) -> str | None:
        """The first week after the closed ones, if its audits wait so long for labels that the pass rate is outdated.

        None if no week is overdue. Single audits without a label in closed weeks, such as undecided ones, don't matter.
        """
        since = self.closed[-1].week if self.closed else ""
        waiting = [week for week in self.over if week.week > since and not nearly_all(week.labelled, week.audits)]
        if not waiting or monday_of(self.over[-1].week) - monday_of(waiting[0].week) < WAITED * WEEK:
            return None
        return waiting[0].week


def look_at(
    memory: StreamMemory,
    labels: Mapping[str, bool],
    through: date,
    *,
    anchors: Callable[[date | None, str], AnchorWatch | None] | None = None,
) -> Look:
    """Compute a stream's pass rate by people, and the evidence that the rate, the judge or its verdicts changed.

    Args:
        memory: Everything stored about the stream, with at least its start.
        labels: True for responses that people pass, False for those that they fail, by digest of the id.
        through: The last day that counts; a week that ends later is shown and not counted.
        anchors: Function that returns the evidence that the judge moved. Its arguments are the day from which looks at
            the judge count, None for all looks; and the time from which looks at earlier accepted runs count. None in
            place of the function if the judge isn't watched.
    """
    everything, of_judge = _beginnings(memory, through)
    first = None if everything is None else week_of(everything)
    rows = [
        row for row in memory.graded.values() if (first is None or row.week >= first) and monday_of(row.week) <= through
    ]
    weeks = count_weeks(rows, labels, through)
    counted_rows = _counted_in_time(rows, memory.looks)
    counted = count_weeks(counted_rows, labels, through) if len(counted_rows) < len(rows) else weeks
    closed = [week for week in counted if week.is_closed]
    graded = [week for week in counted if week.is_graded]
    since_judge = [week for week in graded if of_judge is None or week.week >= week_of(of_judge)]
    people, floor = watch_people(closed)
    share = watch_share(since_judge)
    begun = max(line.at for line in memory.decisions if line.kind in ("start", "period"))
    judge = None if anchors is None else anchors(of_judge, begun)
    named, shift, mix = _what_moved(
        people, judge, share, since_judge, counted_rows, judge_had_moved=_named_judge(memory)
    )
    rate_before = None if not people.reference else _one_look([w for w in closed if w.week in people.reference])
    moved_since = people.begins if people.has_rung else share.begins
    since = [week for week in closed if moved_since is not None and week.week >= moved_since]
    period = memory.periods[-1] if memory.periods else None
    return Look(
        weeks=weeks,
        rate=tracked_rate([week for week in weeks if week.is_closed]),
        judge_alone=_share_of([week for week in weeks if week.is_closed] or [week for week in weeks if week.is_graded]),
        last_week=graded[-1].share if graded else None,
        before=_share_of([week for week in graded if week.week in share.reference]),
        people=people,
        judge=judge,
        share=share,
        named=named,
        shift=shift,
        mix=mix,
        rate_before=rate_before,
        rate_since=_one_look(since) if since else None,
        people_floor=floor,
        chance=memory.decisions[-1].chance,
        traffic=largest_change(*_before_and_since(counted_rows, share.reference)),
        period=None if period is None else period.begins,
        because=None if period is None else period.because,
        waiting={
            week.week: week.audits - week.labelled for week in weeks if week.is_over and week.audits > week.labelled
        },
    )


def _beginnings(memory: StreamMemory, through: date) -> tuple[date | None, date | None]:
    """Return the first day that counts for pass rates, and the first that counts for watching the judge.

    Each is None if all days since the beginning of the stream count. After two years without a new period, a new period
    begins automatically.

    Args:
        memory: Everything stored about the stream.
        through: The last day that counts.
    """
    starts = [date.fromisoformat(str(line.begins)) for line in memory.periods if line.restarts == "all"]
    of_judge = [date.fromisoformat(str(line.begins)) for line in memory.periods]
    first = min((row.week for row in memory.graded.values()), default=None)
    begins = max(starts) if starts else None
    oldest = begins or (None if first is None else monday_of(first))
    while oldest is not None and oldest + HORIZON * WEEK <= through - timedelta(days=6):
        oldest += HORIZON * WEEK
        begins = oldest
    return begins, max([day for day in (begins, *of_judge) if day is not None], default=None)


def _counted_in_time(rows: Sequence[GradedLine], looks: Sequence[Mapping[str, object]]) -> list[GradedLine]:
    """Return the responses that arrived before the first look that counted their week.

    Responses that arrive later count only in the pass rate. If a look is dated before all responses of a week that it
    counted, the clock was set back, and the look is ignored for that week.
    """
    arrived: dict[str, str] = {}
    for row in rows:
        arrived[row.week] = min(row.at, arrived.get(row.week, row.at))
    counted: dict[str, str] = {}
    for look in looks:
        weeks = look.get("counted")
        for week in weeks if isinstance(weeks, list) else ():
            if str(look["at"]) >= arrived.get(str(week), ""):
                counted.setdefault(str(week), str(look["at"]))
    return [row for row in rows if row.week not in counted or row.at <= counted[row.week]]


def _before_and_since(
    rows: Sequence[GradedLine], reference: Sequence[str]
) -> tuple[list[GradedLine], list[GradedLine]]:
    """Return the responses of the reference weeks (the first ones), then those of later weeks.

    Both are empty if there are no reference weeks yet.
    """
    if not reference:
        return [], []
    last = max(reference)
    return [row for row in rows if row.week in reference], [row for row in rows if row.week > last]


def tracked_rate(weeks: Sequence[WeekCounts]) -> Estimate:
    """Estimate the share of some weeks' responses that people would pass, with an interval for repeated looks.

    With the stated probability, the intervals of all looks within two years contain the true shares.
    """
    if not weeks:
        return Estimate.without_value("no week is closed yet", n=0, method="by verdict", level=ALL_LOOKS)
    passed, labels, pool = labels_of_all(weeks)
    n = round(float(labels.sum()))
    if not may_show_rate(labels, pool):
        why = f"{n} audits are labelled, too few to show a rate"
        return Estimate.without_value(why, n=n, method="by verdict", level=ALL_LOOKS)
    return rate_by_verdict(passed, labels, pool, level=ALL_LOOKS)


def _one_look(weeks: Sequence[WeekCounts]) -> Estimate:
    passed, labels, pool = labels_of_all(weeks)
    return rate_by_verdict(passed, labels, pool)


def _share_of(weeks: Sequence[WeekCounts]) -> float | None:
    pool = np.sum([week.pool for week in weeks], axis=0) if weeks else np.zeros(3)
    return float(pool[PASSES] / pool.sum()) if pool.sum() else None


def watch_people(closed: Sequence[WeekCounts]) -> tuple[Watched, float | None]:
    """Compute the evidence that people's pass rate over closed weeks fell below a floor, and return the floor too.

    Args:
        closed: The closed weeks. The first ones with enough labels are the reference weeks; the evidence is of the
            weeks after these.

    Returns:
        The evidence, and the floor, the lowest rate that counts as unchanged since the reference weeks; None as long as
        there are too few of these.
    """
    so_far = 0
    for used, week in enumerate(closed, start=1):
        so_far += week.labelled
        if used >= REFERENCE_WEEKS and so_far >= REFERENCE_LABELS:
            break
    else:
        return Watched(ring=PEOPLE_RING), None
    reference = closed[:used]
    later = closed[used:][:HORIZON]
    names = tuple(week.week for week in reference)
    passed, labels = (np.sum([week.by_verdict[k] for week in reference], axis=0) for k in (0, 1))
    pool = np.sum([_fails_and_passes(week) for week in reference], axis=0)
    floor = float(people_floor(passed, labels, pool))
    if not later:
        return Watched(ring=PEOPLE_RING, reference=names), floor
    growths = people_growth(
        [week.by_verdict[0] for week in later],
        [week.by_verdict[1] for week in later],
        [_fails_and_passes(week)[1] / sum(_fails_and_passes(week)) for week in later],
        reference=[passed, labels],
        floor=floor,
    )
    weeks = tuple(week.week for week in later)
    after = tuple(evidence(growths).tolist())
    return Watched(weeks, after, PEOPLE_RING, weeks[onset(growths) - 1], names), floor


def _fails_and_passes(week: WeekCounts) -> tuple[int, int]:
    """Return how many of a week's graded responses the judge doesn't pass, and how many it passes.

    The first number includes responses that the judge leaves to people.
    """
    return week.graded - week.pool[PASSES], week.pool[PASSES]


def watch_share(graded: Sequence[WeekCounts]) -> Watched:
    """Compute the evidence that the judge's share of passes rose or fell over graded weeks."""
    with_verdicts = [week for week in graded if week.conversations]
    if len(with_verdicts) < REFERENCE_WEEKS:
        return Watched()
    reference = with_verdicts[:REFERENCE_WEEKS]
    later = with_verdicts[REFERENCE_WEEKS:][:HORIZON]
    names = tuple(week.week for week in reference)
    if not later:
        return Watched(reference=names)
    moments = [_mean_and_variance(*week.conversation_shares) for week in reference]
    limits = share_limits([mean for mean, _ in moments], [variance for _, variance in moments])
    growths = np.array([share_growths(*week.conversation_shares, limits) for week in later]).swapaxes(0, 1)
    sides = evidence(growths)
    weeks = tuple(week.week for week in later)
    larger = growths[int(sides[:, -1].argmax())]
    return Watched(weeks, tuple(sides.mean(axis=0).tolist()), SHARE_RING, weeks[onset(larger) - 1], names)


def _mean_and_variance(shares: Floats, times: Floats) -> tuple[float, float]:
    """Return the mean share of passes over a week's conversations, and the variance of that mean.

    Args:
        shares: The different shares of passes that conversations have.
        times: Number of conversations with each share.
    """
    n = float(times.sum())
    mean = float(shares @ times) / n
    return mean, float((shares - mean) ** 2 @ times) / n / n


def _named_judge(memory: StreamMemory) -> bool:
    """Return True if an earlier look of this period named the judge as the cause of a change, or as one cause."""
    begun = memory.periods[-1] if memory.periods else None
    begins, at = (None, "") if begun is None else (begun.begins, begun.at)
    named = {look.get("named") for look in memory.looks if look.get("period") == begins and str(look["at"]) >= at}
    return bool(named & {"judge", "judge and responses"})


def _what_moved(
    people: Watched,
    judge: AnchorWatch | None,
    share: Watched,
    graded: Sequence[WeekCounts],
    rows: Sequence[GradedLine],
    *,
    judge_had_moved: bool,
) -> tuple[MovedCause | None, float | None, MixShift | None]:
    """Return the cause of a change, how far the judge's share of passes shifted, and the column that explains it best.

    All three are None if no evidence has reached its threshold. A judge that had moved at an earlier look of the period
    stays the cause, even if it was accepted again since.

    Args:
        people: The evidence on people's pass rate.
        judge: The evidence on the judge, from the examples of its accepted run; None if no run is accepted.
        share: The evidence on the judge's share of passes.
        graded: The weeks whose responses are graded.
        rows: The graded responses.
        judge_had_moved: True if an earlier look of the period showed that the judge had moved.
    """
    judge_rang = judge_had_moved or (judge is not None and judge.has_rung)
    if not (people.has_rung or share.has_rung or judge_rang):
        return None, None, None
    begins = share.begins if share.has_rung or not people.has_rung else people.begins
    before = _share_of([week for week in graded if week.week in share.reference])
    since = _share_of([week for week in graded if begins is not None and week.week >= begins])
    shift = 0.0 if before is None or since is None else since - before
    may_explain = True
    is_known = judge is not None and judge.is_watched and not judge.is_unknown_before
    if judge is not None and before is not None and begins is not None and is_known:
        flipped, examples, own_flips = judge.flips_since(monday_of(begins))
        may_explain = may_be_judge(shift, most_by_judge(shift, before, flipped, examples, own_flips)[1])
    mix = None
    if begins is not None:
        mix = largest_mix_shift(
            [row for row in rows if row.week in share.reference], [row for row in rows if row.week >= begins]
        )
    cause = name_cause(
        judge_rang=judge_rang,
        people_rang=people.has_rung,
        shift=shift,
        judge_may_explain=may_explain,
        by_mix=None if mix is None else mix.explained,
    )
    return cause, shift, mix
