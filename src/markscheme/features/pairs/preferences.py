"""Figures on ratings of pairs beyond agreement: effects of order and length, and which system is better."""

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from markscheme.features.pairs.davidson import Strengths, cycles, davidson
from markscheme.features.pairs.measure import preferences_of_scores
from markscheme.features.pairs.mirrored import lean_to_first, length_lean, order_flips
from markscheme.ratings.example_rows import Example, values_of
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import column_of, groups_of
from markscheme.rubrics.preference import SHOWN_ORDERS, ShownOrder
from markscheme.rubrics.rubric import Rubric
from markscheme.stats import Estimate
from markscheme.stats.change import sign_flip
from markscheme.stats.intervals import Floats, Integers, mapped
from markscheme.stats.shares import grouped_mean, share

LEAN_TO_NAME = 0.05
"""Smallest lean to the response shown first that is reported: it is preferred 5 points more often than the other
one."""
LEAN_SIGNIFICANT = 0.05
"""Largest p of the sign-flip test at which a lean counts as shown, if no pairs share a group."""


@dataclass(frozen=True, slots=True)
class OrderFigures:
    """Figures on how a rater's preferences depend on the order in which responses are shown, and on their length.

    Attributes:
        rater: Name of the rater.
        pairs: Number of pairs that it rated in a known order.
        in_both: Number of pairs that it rated in both orders.
        flips: Share of the pairs rated in both orders whose preference differs between the orders.
        lean: Share of preferences for the response shown first minus the share of preferences for the response shown
            second, from -1 to 1.
        lean_p: Probability that a rater without a lean would lean as far, by the sign-flip test; None if pairs share
            groups.
        length: Correlation of its preference with the ratio of lengths; above 0 it prefers longer responses.
        flipped: Ids of the pairs whose preference differs between the orders.
    """

    rater: str
    pairs: int
    in_both: int
    flips: Estimate
    lean: Estimate
    lean_p: float | None
    length: Estimate
    flipped: tuple[str, ...] = ()

    @property
    def leans_to_first(self) -> bool:
        """True if the rater significantly prefers the response shown first, by enough to report it."""
        if self.lean.value is None or self.lean.value <= LEAN_TO_NAME:
            return False
        return self.lean.above(0.0) if self.lean_p is None else self.lean_p <= LEAN_SIGNIFICANT

    def to_json(self) -> dict[str, Any]:
        """Return the figures as in the JSON of a calibration."""
        return {
            "rater": self.rater,
            "pairs": self.pairs,
            "in_both_orders": self.in_both,
            "flips": self.flips.to_json(),
            "lean_to_first": {**self.lean.to_json(), "p": self.lean_p},
            "length": self.length.to_json(),
            "flipped": list(self.flipped),
        }


def order_figures(
    rubric: Rubric, examples: Sequence[Example], ratings: Iterable[Rating], rater: str
) -> OrderFigures | None:
    """Compute how order and length affect a rater's preferences; None if no rating records the order shown.

    Args:
        rubric: The rubric of pairs.
        examples: The pairs, with their texts and groups.
        ratings: The rater's ratings, each of a pair in one order.
        rater: Name of the rater.
    """
    ids = [example.id for example in examples]
    listed = [rating for rating in ratings if rating.shown is not None]
    if not listed:
        return None
    by_order = {shown: _preferences(rubric, ids, listed, shown) for shown in SHOWN_ORDERS}
    first, second = (by_order[shown] for shown in SHOWN_ORDERS)
    whole = preferences_of_scores(column_of(rater, listed, rubric, ids).scores, rubric.tie_within)
    groups = groups_of(ids, values_of(examples, "group"))
    are_grouped = groups is not None and len(set(groups)) < len(groups)
    in_both = np.isfinite(first) & np.isfinite(second)
    lean = lean_to_first(first, second, groups=groups)
    leans = np.where(in_both, (second - first) / 2, np.nan)
    return OrderFigures(
        rater=rater,
        pairs=int((np.isfinite(first) | np.isfinite(second)).sum()),
        in_both=int(in_both.sum()),
        flips=order_flips(first, second, groups=groups),
        lean=lean.estimate(method="preference for the response shown first, minus that for the second"),
        lean_p=None if are_grouped else sign_flip(leans).mid_p,
        length=length_lean(2 * whole - 1, _length_ratios(examples), groups=groups),
        flipped=tuple(ids[index] for index in np.flatnonzero(in_both & (first != second)).tolist()),
    )


def _preferences(rubric: Rubric, ids: Sequence[str], ratings: Iterable[Rating], shown: ShownOrder) -> Floats:
    """Return the preferences in ratings with one shown order, as numbers, shape (n_pairs,).

    A number is -1 if the response stored first is preferred, 1 if the second is, 0 for a tie, and nan for a pair
    without a rating in that order.

    Args:
        rubric: The rubric.
        ids: Ids of the pairs.
        ratings: The ratings.
        shown: The order in which the judge saw the responses.
    """
    of_order = [rating for rating in ratings if rating.shown == shown]
    return 2 * preferences_of_scores(column_of(shown, of_order, rubric, ids).scores, rubric.tie_within) - 1


def _length_ratios(examples: Sequence[Example]) -> Floats:
    """Return, for each pair, the logarithm of the second response's length divided by the first's, in characters."""
    lengths = [(len(e.submission.response), len(e.submission.second or "")) for e in examples]
    return np.array([math.log((second + 1) / (first + 1)) for first, second in lengths])


# --- systems --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SystemPair:
    """Comparison of two systems by one rater's preferences between their responses.

    Attributes:
        first: Name of the first system.
        second: Name of the second system.
        n: Number of pairs of their responses.
        prefers_first: Share of these pairs in which the first is preferred.
        ties: Share of these pairs that tie.
        prefers_second: Share of these pairs in which the second is preferred.
        difference: Share in which the first is preferred minus share in which the second is, from -1 to 1.
    """

    first: str
    second: str
    n: int
    prefers_first: Estimate
    ties: Estimate
    prefers_second: Estimate
    difference: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the pair of systems as in the JSON of a comparison of pairs."""
        return {
            "first": self.first,
            "second": self.second,
            "n": self.n,
            "prefers_first": self.prefers_first.to_json(),
            "ties": self.ties.to_json(),
            "prefers_second": self.prefers_second.to_json(),
            "difference": self.difference.to_json(),
        }


@dataclass(frozen=True)
class SystemsCompared:
    """Comparison of the systems that wrote pairs of responses, by the preferences of one rater or by gold.

    Attributes:
        rater: Name of the rater.
        systems: Names of the systems, in alphabetical order; `in_order` has the strongest first.
        pairs: The comparison of each two systems that were compared.
        strengths: Strengths by Davidson's model, for three systems or more; None for two.
        cycles: Number of triples of systems that significantly beat each other in a circle.
        triples: Number of triples that were compared.
        n: Number of pairs of responses.
        n_groups: Number of groups of pairs that share inputs.
    """

    rater: str
    systems: tuple[str, ...]
    pairs: tuple[SystemPair, ...]
    strengths: Strengths | None
    cycles: int
    triples: int
    n: int
    n_groups: int

    @property
    def in_order(self) -> list[int]:
        """Indices of the systems, the strongest first; systems without a finite strength come last."""
        strengths = self.strengths
        if strengths is None:
            return list(range(len(self.systems)))
        values = [estimate.value for estimate in strengths.log_strengths]
        return sorted(range(len(values)), key=lambda index: (values[index] is None, -(values[index] or 0.0)))

    @cached_property
    def leader(self) -> str:
        """Name of the system that is significantly better than every other system; "" if no system is."""
        for name in self.systems:
            rivals = [rival for rival in self.systems if rival != name]
            if rivals and all(self.is_over(name, rival) for rival in rivals):
                return name
        return ""

    def is_over(self, name: str, rival: str) -> bool:
        """Return True if pairs of responses by two systems show that a system is better than its rival.

        Args:
            name: Name of the system.
            rival: Name of the other system.
        """
        difference = self._over(name, rival)
        return difference is not None and difference.above(0.0)

    def rules_out(self, first: str, second: str, difference: float) -> bool:
        """Return True if the interval of the difference between two systems lies wholly above or below `difference`."""
        seen = self._over(first, second)
        return seen is not None and (seen.above(difference) or seen.below(difference))

    def _over(self, name: str, rival: str) -> Estimate | None:
        for pair in self.pairs:
            if (pair.first, pair.second) == (name, rival):
                return pair.difference
            if (pair.second, pair.first) == (name, rival):
                return mapped(pair.difference, operator.neg)
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as in the JSON of a comparison of pairs."""
        strengths = self.strengths
        return {
            "rater": self.rater,
            "n": self.n,
            "groups": self.n_groups,
            "systems": list(self.systems),
            "pairs": [pair.to_json() for pair in self.pairs],
            "strengths": None
            if strengths is None
            else {
                "log_strengths": {
                    name: estimate.to_json()
                    for name, estimate in zip(self.systems, strengths.log_strengths, strict=True)
                },
                "ranks": dict(zip(self.systems, strengths.ranks, strict=True)),
                "log_tie": strengths.log_tie.to_json(),
                "largest_miss": self._largest_miss(strengths),
            },
            "cycles": {"turning": self.cycles, "triples": self.triples},
        }

    def _largest_miss(self, strengths: Strengths) -> dict[str, Any] | None:
        if not strengths.fits:
            return None
        fit = strengths.fits[0]
        names = [self.systems[system] for system in fit.systems]
        return {"systems": names, "n": fit.n, "observed": fit.observed, "expected": fit.expected}


def systems_compared(rubric: Rubric, examples: Sequence[Example], scores: Floats, rater: str) -> SystemsCompared | None:
    """Compare systems by one rater's scores of pairs; None if the pairs don't name the systems that wrote them.

    Args:
        rubric: The rubric of pairs.
        examples: The pairs.
        scores: The rater's scores, shape (n_pairs,), 0 to 1; nan where there is none.
        rater: Name of the rater.
    """
    preference = 2 * preferences_of_scores(scores, rubric.tie_within) - 1
    sides = [example.sides for example in examples]
    named = [bool(s and s[0].system and s[1].system and s[0].system != s[1].system) for s in sides]
    counted = np.array(named, dtype=bool) & np.isfinite(preference)
    if not counted.any():
        return None
    places = np.flatnonzero(counted).tolist()
    written = [tuple(side.system or "" for side in sides[row] or ()) for row in places]
    systems = tuple(sorted({name for pair in written for name in pair}))
    index_of = {name: index for index, name in enumerate(systems)}
    first = np.array([index_of[first_system] for first_system, _ in written])
    second = np.array([index_of[right] for _, right in written])
    groups = groups_of([examples[row].id for row in places], [examples[row].group for row in places])
    chosen = preference[places]
    pairs = [_pair(systems, i, j, first, second, chosen, groups) for i, j in combinations(range(len(systems)), 2)]
    compared = tuple(pair for pair in pairs if pair is not None)
    by_number = {(index_of[pair.first], index_of[pair.second]): pair.difference for pair in compared}
    turning, triples = cycles(by_number, len(systems))
    strengths = davidson(first, second, chosen, n_systems=len(systems), groups=groups) if len(systems) > 2 else None
    n_groups = len(set(groups)) if groups is not None else len(places)
    return SystemsCompared(rater, systems, compared, strengths, turning, triples, len(places), n_groups)


def _pair(
    systems: Sequence[str],
    i: int,
    j: int,
    first: Integers,
    second: Integers,
    preference: Floats,
    groups: Sequence[str] | None,
) -> SystemPair | None:
    as_stored = (first == i) & (second == j)
    turned = (first == j) & (second == i)
    of_both = as_stored | turned
    if not of_both.any():
        return None
    lean = np.where(turned, -preference, preference)[of_both]
    of_groups = None if groups is None else np.array(groups, dtype=object)[of_both]
    shares = [share((lean == level).astype(np.float64), of_groups, of="pairs") for level in (-1.0, 0.0, 1.0)]
    difference = grouped_mean(-lean, of_groups).estimate(method="share for the first minus share for the second")
    return SystemPair(systems[i], systems[j], int(of_both.sum()), shares[0], shares[1], shares[2], difference)


def orders_of_all(
    rubric: Rubric, examples: Sequence[Example], judge: Iterable[Rating], judge_name: str, people: Iterable[Rating]
) -> list[OrderFigures]:
    """Return figures on the effect of the shown order: of the judge, then of annotators whose labels record it."""
    by_rater: dict[str, list[Rating]] = {}
    for label in people:
        by_rater.setdefault(label.rater, []).append(label)
    raters: Mapping[str, Iterable[Rating]] = {judge_name: judge, **by_rater}
    every = (order_figures(rubric, examples, ratings, name) for name, ratings in raters.items())
    return [figures for figures in every if figures is not None]
