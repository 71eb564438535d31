"""Comparison of the decisions of two rubric versions with people's decisions on the same examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from markscheme.stats.intervals import Floats
from markscheme.stats.shares import grouped_mean

FEWEST_COMPARED = 20
"""Fewest examples with people's own decision on which two versions are compared."""
CHANCE_A_SIDE = 0.025
"""Error probability of each one-sided test, which is divided among the settings tried."""

VersionAnswer = Literal["better", "worse", "not shown", "same decisions", "too few"]


@dataclass(frozen=True)
class PairedDecisions:
    """Shares of examples on which each version decides as people do, and the difference of the shares.

    Attributes:
        n: Number of examples compared.
        before: Number of the compared examples that the old version decides as people do.
        after: Number of the compared examples that the new version decides as people do.
        became_right: Number of examples on which only the new version decides as people do.
        became_wrong: Number of examples on which only the old version decides as people do.
        settings: Number of settings among which the error probability is divided.
        low: Lower limit of the difference of the shares, new minus old; None if too few examples are compared.
        high: Upper limit of that difference; None if too few examples are compared.
    """

    n: int
    before: int
    after: int
    became_right: int
    became_wrong: int
    settings: int
    low: float | None
    high: float | None

    @property
    def shares(self) -> tuple[float, float]:
        """Shares of the compared examples that the new and the old version decide as people do."""
        return self.after / self.n, self.before / self.n

    @property
    def value(self) -> float | None:
        """Share of the new version's decisions that equal people's, minus the old version's; None without decisions."""
        return (self.after - self.before) / self.n if self.n else None

    @property
    def answer(self) -> VersionAnswer:
        """Verdict on the new version's decisions: "better", "worse", "same decisions", "not shown" or "too few"."""
        if self.low is None or self.high is None:
            return "too few"
        if not (self.became_right or self.became_wrong):
            return "same decisions"
        return "better" if self.low > 0 else "worse" if self.high < 0 else "not shown"

    def to_json(self) -> dict[str, Any]:
        """Return the difference between the versions, with its limits, counts and verdict, as plain data."""
        names = ("n", "became_right", "became_wrong", "value", "low", "high", "settings", "answer")
        return {name: getattr(self, name) for name in names}


def paired_decisions(
    people: Floats, old: Floats, new: Floats, groups: Sequence[str] | None = None, *, settings: int = 1
) -> PairedDecisions:
    """Compare the decisions of two rubric versions with people's own decisions.

    Args:
        people: People's decisions, 1 for pass, 0 for fail, nan where there is none, shape (n,).
        old: The old version's decisions, 1, 0 or nan, shape (n,).
        new: The new version's decisions, 1, 0 or nan, shape (n,).
        groups: A name for each example's group, such as a task that several share.
        settings: Number of settings tried on these examples, the new version included and the old version excluded; the
            more there are, the wider is the interval.
    """
    compared = ~np.isnan(people + old + new)
    was_right = old[compared] == people[compared]
    is_right = new[compared] == people[compared]
    n = int(compared.sum())
    among = None if groups is None else [group for group, counts in zip(groups, compared, strict=True) if counts]
    low = high = None
    if n >= FEWEST_COMPARED:
        mean = grouped_mean(is_right.astype(float) - was_right, among)
        level = 1 - CHANCE_A_SIDE / settings
        low = mean.lower(level)
        high = mean.upper(level)
    return PairedDecisions(
        n=n,
        before=int(was_right.sum()),
        after=int(is_right.sum()),
        became_right=int((is_right & ~was_right).sum()),
        became_wrong=int((was_right & ~is_right).sum()),
        settings=settings,
        low=low,
        high=high,
    )


def by_id(values: Mapping[str, float], ids: Sequence[str]) -> Floats:
    """Return the values of the given ids as an array, in their order, with nan for ids that have no value."""
    return np.array([values.get(unit, np.nan) for unit in ids], dtype=np.float64)
