"""What the rules of diagnosis look at: each criterion as arrays, and what mending a fault would gain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from markscheme.calibration.comparison import Comparison
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import merits, positions, rating_table, stacked
from markscheme.rubrics.rubric import Criterion, Scale
from markscheme.stats import Estimate
from markscheme.stats.coefficients import Metric, agreement

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

LEAST_SHARED = 30
"""Examples that judge and two people must have rated before people's own noise is told from the judge's."""

WHO = {
    "adjudicated": "the adjudicated labels",
    "people": "people",
    "one-person": "the labels",
    "constructed": "the constructed labels",
    "model": "the model's labels",
}


@dataclass(frozen=True)
class Seen:
    """One criterion as the rules see it; every array has one entry (or row) an example, nan where there is none.

    Attributes:
        criterion: Which.
        gold: Gold levels, shape (n,).
        judge: The judge's levels, shape (n,).
        people: Levels of single people, shape (n, n_people).
        held_to: What the judge's severity is measured against: the mean of people, or gold where it is settled or
            nobody is a person; shape (n,).
        repeats: The judge's levels asking by asking, shape (n, n_samples).
        groups: A number for each example's group, shape (n,); None where nothing is grouped.
    """

    criterion: Criterion
    gold: Floats
    judge: Floats
    people: Floats
    held_to: Floats
    repeats: Floats
    groups: npt.NDArray[np.int64] | None

    @property
    def name(self) -> str:
        """The criterion's."""
        return self.criterion.name

    @property
    def scale(self) -> Scale:
        """The criterion's."""
        return self.criterion.scale

    @cached_property
    def levels(self) -> Floats:
        """The scale's values, worst first, each once."""
        return np.array(sorted(set(self.scale.values)))

    @property
    def span(self) -> float:
        """From the lowest level to the highest."""
        return self.scale.span

    @property
    def step(self) -> float:
        """From a level to the next one, the least of them."""
        return float(np.diff(self.levels).min())

    @property
    def good(self) -> int:
        """1 where a higher level is better, -1 where the criterion is a fault."""
        return 1 if self.criterion.weight > 0 else -1

    @cached_property
    def both(self) -> Flags:
        """Which examples the judge and gold both rated."""
        return np.asarray(np.isfinite(self.judge) & np.isfinite(self.held_to))

    @cached_property
    def pairs(self) -> Floats:
        """Gold and the judge side by side, shape (n, 2); both nan where either is missing."""
        return np.where(self.both[:, None], np.column_stack([self.gold, self.judge]), np.nan)

    @cached_property
    def n(self) -> int:
        """How many these are."""
        return int(self.both.sum())

    @cached_property
    def n_people(self) -> npt.NDArray[np.int64]:
        """How many people rated each example, shape (n,)."""
        return np.asarray(np.isfinite(self.people).sum(axis=1), dtype=np.int64)

    @cached_property
    def several(self) -> bool:
        """Whether enough examples were rated by the judge and by two people."""
        return int((np.isfinite(self.judge) & (self.n_people >= 2)).sum()) >= LEAST_SHARED

    @cached_property
    def asked_again(self) -> int:
        """How many examples the judge rated more than once."""
        return int((np.isfinite(self.repeats).sum(axis=1) >= 2).sum())

    @cached_property
    def given(self) -> Floats:
        """Every level that a person gave where the judge gave one too; where no person did, gold's."""
        people = self.people[self.both]
        return people[np.isfinite(people)] if np.isfinite(people).any() else self.gold[self.both]

    @cached_property
    def errors(self) -> Floats:
        """Judge minus what it is held to, in levels."""
        return self.judge - self.held_to

    @cached_property
    def off(self) -> Floats:
        """How far the judge is off as a share of the range; without order, 1 where it gives another level."""
        if self.scale.ordered:
            return np.abs(self.errors) / self.span
        return np.where(self.both, self.judge != self.gold, np.nan)

    @cached_property
    def alpha(self) -> Estimate:
        """How far people agree with each other beyond chance."""
        return self.people_alpha(0.95)

    def people_alpha(self, level: float) -> Estimate:
        """The same with an interval of another coverage."""
        metric: Metric = "ordinal" if self.scale.ordered and len(self.levels) > 2 else "nominal"
        if not self.on_scale(self.people):
            metric = "interval"
        return agreement(
            self.people, "krippendorff_alpha", levels=self.levels, weights=metric, groups=self.groups, level=level
        )

    def on_scale(self, ratings: Floats) -> bool:
        """Whether every rating is a level of the scale rather than between two."""
        return bool(np.isin(ratings[np.isfinite(ratings)], self.levels).all())

    def position(self, levels: Floats) -> Floats:
        """How far up the scale levels stand, 0 to 1."""
        return positions(self.scale, levels)

    def merit(self, levels: Floats) -> Floats:
        """How good levels are, 0 to 1: for a fault the other way round."""
        return merits(self.criterion, levels)

    def only(self, kept: Flags) -> "Seen":
        """The same with all other examples left out."""
        hidden = ~kept
        return replace(
            self,
            gold=np.where(hidden, np.nan, self.gold),
            judge=np.where(hidden, np.nan, self.judge),
            held_to=np.where(hidden, np.nan, self.held_to),
            people=np.where(hidden[:, None], np.nan, self.people),
            repeats=np.where(hidden[:, None], np.nan, self.repeats),
        )


@dataclass(frozen=True)
class Evidence:
    """A comparison laid out for the rules.

    Attributes:
        comparison: The judge beside gold.
        seen: Each criterion, by name.
        kept: Which examples the rules look at, shape (n,).
    """

    comparison: Comparison
    seen: Mapping[str, Seen]
    kept: Flags = field(repr=False)

    @classmethod
    def of(cls, comparison: Comparison, ratings: Sequence[Rating] = ()) -> "Evidence":
        """The evidence in a comparison.

        Args:
            comparison: The judge beside gold.
            ratings: The judge's; where it was asked several times, what it says of itself.
        """
        gold = comparison.gold
        settled = np.zeros(len(gold.ids), dtype=bool)
        if "adjudicated" in gold.kinds:
            settled = np.array([any(label.kind == "adjudicated" for label in e.labels) for e in gold.examples])
        groups = None if gold.groups is None else np.unique(gold.groups, return_inverse=True)[1].reshape(-1)
        again = rating_table(comparison.rubric, comparison.ids, _asked_again(ratings), samples_apart=True).columns
        seen = {}
        for name, found in comparison.criteria.items():
            of_people = np.where(np.isnan(found.gold), np.nan, _row_mean(found.people))
            seen[name] = Seen(
                criterion=found.criterion,
                gold=found.gold,
                judge=found.judge,
                people=found.people,
                held_to=np.where(
                    settled | np.isnan(of_people) | (not found.criterion.scale.ordered), found.gold, of_people
                ),
                repeats=stacked(again, name) if again else np.full((len(gold.ids), 1), np.nan),
                groups=groups,
            )
        return cls(comparison, seen, np.ones(len(gold.ids), dtype=bool))

    def without(self, hidden: Flags) -> "Evidence":
        """The same evidence with some examples left out."""
        kept = self.kept & ~hidden
        return replace(self, kept=kept, seen={name: seen.only(kept) for name, seen in self.seen.items()})

    @property
    def ids(self) -> tuple[str, ...]:
        """The examples' ids, in order."""
        return self.comparison.gold.ids

    @property
    def who(self) -> str:
        """Who says what the judge is held to, in words."""
        return WHO[self.comparison.gold.reference]

    @property
    def made_up(self) -> bool:
        """Whether no person gave the labels."""
        return self.comparison.gold.reference in ("constructed", "model")

    @property
    def scores_rank(self) -> bool:
        """Whether a higher score is better: not where every criterion is a choice between levels without order."""
        return any(seen.scale.ordered for seen in self.seen.values())

    @cached_property
    def misses(self) -> Floats:
        """Judge minus gold in score, shape (n,)."""
        return np.where(self.kept, self.comparison.misses, np.nan)

    @cached_property
    def n(self) -> int:
        """Examples with both scores, or where there are no scores those that the best-covered criterion has."""
        scored = int(np.isfinite(self.misses).sum())
        return scored or max((seen.n for seen in self.seen.values()), default=0)

    @cached_property
    def error(self) -> float:
        """How far the judge is off, on the criteria by their share of the score; in score where only that is known."""
        by_criterion = sum(abs(self.share(seen)) * mean(seen.off) for seen in self.seen.values())
        return by_criterion or mean(np.abs(self.misses))

    def share(self, seen: Seen) -> float:
        """How far the score moves from one end of the criterion's scale to the other; below 0 for a fault."""
        rubric = self.comparison.rubric
        best = rubric.positive_weight or sum(abs(criterion.weight) for criterion in rubric.criteria)
        return seen.criterion.weight / best

    def gain(self, mended: Mapping[str, Floats]) -> float:
        """How much less the judge would be off with other levels on some criteria; never below 0.

        Args:
            mended: By criterion the levels the judge would have given, shape (n,); nan leaves an example as it is.
        """
        gained = 0.0
        for name, levels in mended.items():
            seen = self.seen[name]
            better = replace(seen, judge=np.where(np.isnan(levels), seen.judge, levels))
            gained += abs(self.share(seen)) * (mean(seen.off) - mean(better.off))
        return max(0.0, gained)


def _row_mean(table: Floats) -> Floats:
    rated = np.isfinite(table).sum(axis=1)
    return np.where(rated > 0, np.nansum(table, axis=1) / np.maximum(rated, 1), np.nan)


def mean(values: Floats) -> float:
    """The mean of what is there; 0 of nothing."""
    there = values[np.isfinite(values)]
    return float(there.mean()) if len(there) else 0.0


def _asked_again(ratings: Sequence[Rating]) -> Sequence[Rating]:
    """The ratings, if any example was rated more than once."""
    return ratings if len({rating.id for rating in ratings}) < len(ratings) else ()
