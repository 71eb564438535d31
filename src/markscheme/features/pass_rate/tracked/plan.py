"""Plans how many audits per week to label: how wide the interval gets, and how soon a drop is found."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from markscheme.features.pass_rate.tracked.audits import ALL_LOOKS
from markscheme.features.pass_rate.tracked.evidence import HORIZON, evidence
from markscheme.features.pass_rate.tracked.watched import (
    PEOPLE_RING,
    REFERENCE_LABELS,
    REFERENCE_WEEKS,
    people_floor,
    people_growth,
)
from markscheme.stats.intervals import Flags, Floats, Integers
from markscheme.stats.verdict_rates import rate_by_verdict

PLANNED_AUDITS = (10, 20, 30, 50, 100)
"""Numbers of audits per week for which a plan is made."""
PLANNED_DROPS = (0.10, 0.15, 0.20, 0.30)
"""Drops of people's pass rate for which a plan says how soon they are found."""
WIDTH_AFTER = (4, 12, 26)
"""Numbers of weeks after which a plan states the interval's half-width."""
PLANNED_STREAMS = 400
"""Number of streams that are simulated for each plan."""
PLAN_SEED = 3
"""Random seed of a plan, fixed so that it gives equal figures each time."""
DROPS_FROM = (10, 52)
"""First and last week in which a simulated drop begins."""
LABELS_LATE = 1
"""Number of weeks after which a week's audits are labelled, in simulations."""
LARGE_POOL = 1_000_000.0
"""Assumed number of responses in a pool, so large that an interval's width depends only on the labels."""


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """Precision of a number of audits per week: how wide intervals are, and how soon a drop of the rate is noticed.

    Attributes:
        audits: Number of audits per week.
        half_widths: Half the width of the interval of people's rate after 4, 12 and 26 weeks.
        weeks_half: For each drop of people's rate that is planned for, number of weeks until it is noticed in half of
            all streams; None if it takes over two years.
        weeks_nine_tenths: For each of these drops, number of weeks until it is noticed in nine tenths of all streams;
            None if it takes over two years.
    """

    audits: int
    half_widths: tuple[float, ...]
    weeks_half: tuple[int | None, ...]
    weeks_nine_tenths: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class JudgeRates:
    """Rates of a judge: the share that it passes, and the shares of its passes and of its fails that people pass.

    Attributes:
        share: Share of responses that the judge passes.
        of_passes: Share of the judge's passes that people pass.
        of_fails: Share of the judge's fails that people pass.
    """

    share: float
    of_passes: float
    of_fails: float

    @property
    def good(self) -> float:
        """Share of all responses that people pass, whether the judge passes or fails them."""
        return self.share * self.of_passes + (1 - self.share) * self.of_fails

    def after_drop(self, drop: float) -> "JudgeRates":
        """Return the rates after the share of responses that people pass drops, with the judge's accuracy unchanged."""
        good = self.good
        then = good - drop
        passed_good = self.share * self.of_passes / good * then
        passed_bad = self.share * (1 - self.of_passes) / (1 - good) * (1 - then) if good < 1 else 0.0
        share = passed_good + passed_bad
        return JudgeRates(share, passed_good / share, (then - passed_good) / (1 - share))


def audit_plan(
    rates: JudgeRates, audits: int, drops: Sequence[float] = PLANNED_DROPS, *, streams: int = PLANNED_STREAMS
) -> AuditPlan:
    """Simulate how wide intervals are and how soon drops are noticed with a number of audits per week.

    Args:
        rates: The rates of the judge.
        audits: Number of audits per week, whose labels come a week later.
        drops: Drops of the share that people pass, each smaller than that share.
        streams: Number of streams to simulate. With 400, the number of weeks until a drop is found can differ by a
            third between two simulations, if the drop is found in few of the streams.
    """
    by_drop = [_weeks_to_find(rates, audits, drop, streams) for drop in drops]
    return AuditPlan(
        audits,
        tuple(_half_width(rates, audits * after) for after in WIDTH_AFTER),
        tuple(_weeks_until(0.5, weeks) for weeks in by_drop),
        tuple(_weeks_until(0.9, weeks) for weeks in by_drop),
    )


def _half_width(rates: JudgeRates, labels: int) -> float:
    weight = np.array([1 - rates.share, rates.share])
    sizes = weight * labels
    passed = sizes * np.array([rates.of_fails, rates.of_passes])
    rate = rate_by_verdict(passed, sizes, weight * LARGE_POOL, level=ALL_LOOKS)
    assert rate.low is not None
    assert rate.high is not None
    return (rate.high - rate.low) / 2


def _weeks_to_find(rates: JudgeRates, audits: int, drop: float, streams: int) -> Floats:
    """Simulate in how many weeks a drop is found, shape (streams,); infinite if not within two years.

    Args:
        rates: The judge's rates before the drop.
        audits: Number of audits per week.
        drop: How far people's pass rate drops.
        streams: Number of streams to simulate.
    """
    generator = np.random.default_rng(PLAN_SEED)
    begins = np.asarray(generator.integers(DROPS_FROM[0], DROPS_FROM[1], streams, endpoint=True), dtype=np.int64)
    has_dropped = np.arange(1, HORIZON + 1) >= begins[:, None]
    after = rates.after_drop(drop)
    share = np.where(has_dropped, after.share, rates.share)
    passes = generator.binomial(audits, share)
    labels = np.stack([audits - passes, passes], axis=-1)
    chance = np.where(has_dropped[..., None], [after.of_fails, after.of_passes], [rates.of_fails, rates.of_passes])
    passed = generator.binomial(labels, chance)
    return _weeks_from(begins, _alarm_weeks(passed, labels, share))


def _alarm_weeks(passed: Integers, labels: Integers, share: Floats) -> Flags:
    """Flag the weeks in which the evidence of a drop reaches the alarm in simulated streams, shape (streams, weeks).

    Args:
        passed: Number of labels that pass, among the judge's fails and among its passes, shape (streams, weeks, 2).
        labels: Number of all labels, among the judge's fails and among its passes, shape (streams, weeks, 2).
        share: Share of responses that the judge passes, shape (streams, weeks).
    """
    so_far = labels.sum(axis=-1).cumsum(axis=1)
    week = np.arange(HORIZON)
    is_reference = (week < REFERENCE_WEEKS) | (so_far - labels.sum(axis=-1) < REFERENCE_LABELS)
    hits, sizes = ((counts * is_reference[..., None]).sum(axis=1) for counts in (passed, labels))
    passes = (share * is_reference).sum(axis=1) / is_reference.sum(axis=1)
    floor = people_floor(hits, sizes, np.stack([1 - passes, passes], axis=-1) * LARGE_POOL)
    growths = people_growth(passed, labels, share, reference=np.stack([hits, sizes])[:, :, None], floor=floor[:, None])
    growths[is_reference] = 0.0
    return np.asarray(~is_reference & (evidence(growths) >= PEOPLE_RING))


def _weeks_from(begins: Integers, rings: Flags) -> Floats:
    """Count the weeks from each simulated drop to the next alarm, with the wait for labels; infinite if none comes.

    Args:
        begins: The week, from 1, in which the drop begins in each simulated stream, shape (streams,).
        rings: Flags of the weeks with an alarm, shape (streams, weeks).
    """
    since = rings & (np.arange(1, HORIZON + 1) >= begins[:, None])
    first = since.argmax(axis=1) + 1
    return np.where(since.any(axis=1), first - begins + 1.0 + LABELS_LATE, np.inf)


def _weeks_until(share: float, weeks_to_find: Floats) -> int | None:
    """Return after how many weeks a given share of simulated streams has noticed a drop; None if fewer ever do.

    Args:
        share: The share of streams.
        weeks_to_find: Number of weeks after which each stream notices the drop, infinite if it doesn't, shape
            (streams,).
    """
    weeks = float(np.sort(weeks_to_find)[math.ceil(share * len(weeks_to_find)) - 1])
    return int(weeks) if math.isfinite(weeks) else None
