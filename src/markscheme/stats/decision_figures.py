"""Shares of examples on which the judge decides as gold does: overall, on gold's fails, and on gold's passes.

A judge that always passes agrees with gold wherever passes are common, and stops nothing. So each side has a figure of
its own: the share of gold's fails that the judge fails, and the share of gold's passes that it passes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from markscheme.stats.intervals import Flags, Floats, Grouping, Groups
from markscheme.stats.pairs import equal_vectors
from markscheme.stats.shares import GroupedShare, grouped_share
from markscheme.stats.wrong_decisions import RateByVerdict, Stratum

SideRate: TypeAlias = GroupedShare | RateByVerdict


class SideShare(NamedTuple):
    """Share of gold's fails (or of gold's passes) on which the judge decides pass, or decides fail.

    Attributes:
        hits: Number of labelled examples with this decision of gold on which the judge makes the given decision.
        of: Number of labelled examples with this decision of gold on which the judge makes any decision.
        among: Share among these labels alone (`hits` of `of`), with bounds that ignore how the labels were drawn.
        rate: Estimated share, with bounds that respect groups and how the labels were drawn.
    """

    hits: int
    of: int
    among: GroupedShare
    rate: SideRate

    @property
    def is_weighted(self) -> bool:
        """True if the share is weighted by how labels were drawn; else it is simply `hits` / `of`."""
        return self.rate is not self.among

    @property
    def has_few_groups(self) -> bool:
        """True if the share's examples are from fewer than 5 groups, which are too few for bounds."""
        return self.of > 0 and self.among.support == "withheld"

    def lower(self, confidence: float) -> float | None:
        """Return the share's one-sided lower bound at `confidence`; None without examples or with under 5 groups."""
        return None if not self.of or self.has_few_groups else self.rate.lower(confidence)

    def upper(self, confidence: float) -> float | None:
        """Return the share's one-sided upper bound at `confidence`; None without examples or with under 5 groups."""
        return None if not self.of or self.has_few_groups else self.rate.upper(confidence)


@dataclass(frozen=True, slots=True)
class DecisionFigures:
    """Shares of examples on which a judge decides as gold does: overall, on gold's fails, and on gold's passes.

    Attributes:
        same: Share of examples on which judge and gold decide alike.
        stops: Share of gold's fails that the judge fails. Fails that were picked by hand count in this share alone.
        keeps: Share of gold's passes that the judge passes.
    """

    same: GroupedShare
    stops: SideShare
    keeps: SideShare

    @property
    def fails_drawn(self) -> int:
        """Number of labelled examples that gold fails, without those that were picked by hand."""
        return self.same.n - self.keeps.of

    @property
    def share_of_fails(self) -> float:
        """Share of fails to expect among further labels, smoothed so that it is never 0 or 1."""
        return (self.fails_drawn + 0.5) / (self.same.n + 1)


def decision_figures(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    groups: Grouping = None,
    weights: npt.ArrayLike | None = None,
    strata: Sequence[str] | None = None,
) -> DecisionFigures:
    """Compute how often a judge decides as gold does: overall, on gold's fails, and on gold's passes.

    Args:
        gold: Gold's decisions, shape (n,): 1 for pass, 0 for fail, nan if missing.
        judge: The judge's decisions, shape (n,), nan if missing.
        groups: Name of each example's group, such as its task, shape (n,); None without groups.
        weights: Weight of each example, shape (n,), as `drawn_weights` returns them; None for equal weights.
        strata: Name of the stratum that each example was drawn from, "" if it was drawn by the judge's verdict alone;
            None if labels weren't drawn by strata or verdict.

    Example:
        >>> figures = decision_figures([0] * 32 + [1] * 168, [0] * 12 + [1] * 186 + [0] * 2)
        >>> figures.same.value, figures.stops.rate.value, round(figures.stops.upper(0.975), 4)
        (0.89, 0.375, 0.5631)
        >>> figures.keeps.hits, figures.keeps.of
        (166, 168)
    """
    g, j = equal_vectors(gold=gold, judge=judge)
    same = np.where(np.isnan(g + j), np.nan, g == j)
    return DecisionFigures(
        grouped_share(same, groups, weights),
        side_share(g, j, of=0.0, counts=0.0, groups=groups, weights=weights, strata=strata),
        side_share(g, j, of=1.0, counts=1.0, groups=groups, weights=weights, strata=strata),
    )


def side_share(
    gold: Floats,
    judge: Floats,
    *,
    of: float,
    counts: float,
    groups: Grouping = None,
    weights: npt.ArrayLike | None = None,
    strata: Sequence[str] | None = None,
) -> SideShare:
    """Compute the share of gold's fails, or of its passes, on which the judge makes a given decision.

    Args:
        gold: Gold's decisions, shape (n,): 1 for pass, 0 for fail, nan if missing.
        judge: The judge's decisions, shape (n,), nan if missing.
        of: Gold's decision: 0 for fails, 1 for passes.
        counts: The judge's decision that counts as a hit.
        groups: Name of each example's group, such as its task, shape (n,); None without groups.
        weights: Weight of each example, shape (n,), relative to the other examples of its draw; None for equal weights.
        strata: Name of the stratum that each example was drawn from; "" if the strata are the judge's passes and the
            judge's fails. None if labels weren't drawn by strata.
    """
    is_decided = ~np.isnan(judge) & ~np.isnan(gold)
    on_side = is_decided & (gold == of)
    hits = np.where(on_side, judge == counts, np.nan)
    among = grouped_share(hits, groups)
    rate: SideRate = among
    if strata is not None:
        in_question = np.where(is_decided, gold == of, np.nan)
        even = np.ones(len(gold)) if weights is None else np.asarray(weights, dtype=np.float64)
        cells = list(_cells(strata, judge, in_question, even, groups))
        by_verdict = RateByVerdict(
            tuple(stratum for first, stratum in cells if judge[first] == counts),
            tuple(stratum for first, stratum in cells if judge[first] != counts),
        )
        # a random draw: no stratum says what the judge decides, and all examples count equally
        is_random = all(stratum.drawn for _, stratum in cells) and np.allclose(even[is_decided], even.max(initial=0.0))
        rate = among if is_random else by_verdict
    elif weights is not None:
        rate = grouped_share(hits, groups, weights)
    units = Groups.of(groups, len(gold))
    return SideShare(units.count(hits == 1), units.count(on_side), among, rate)


def _cells(
    strata: Sequence[str], judge: Floats, in_question: Floats, weights: Floats, groups: Grouping
) -> Iterator[tuple[int, Stratum]]:
    """Yield a Stratum for each pair of a stratum and a judge's decision that occurs, with its first example's index.

    Args:
        strata: Name of each example's stratum; "" if it was drawn by the judge's verdict alone.
        judge: The judge's decisions.
        in_question: 1 for an example whose gold decision is the one that the share is of (such as fail, for a share of
            gold's fails), 0 for the other gold decision, nan if judge or gold has no decision.
        weights: Weight of each example.
        groups: Group of each example.
    """
    is_decided = ~np.isnan(in_question)
    names = np.array(strata)
    everything = weights[is_decided].sum()
    for name, decision in dict.fromkeys(zip(names[is_decided].tolist(), judge[is_decided].tolist(), strict=True)):
        drawn: Flags = is_decided & (names == name)
        inside: Flags = drawn & (judge == decision)
        wanted = grouped_share(np.where(inside, in_question, np.nan), groups)
        cell = Stratum(float(weights[inside].sum() / everything), wanted)
        if name and inside.sum() < drawn.sum():
            both = grouped_share(np.where(drawn, inside & (in_question == 1), np.nan), groups)
            cell = cell._replace(drawn=(name, float(weights[drawn].sum() / everything), both))
        yield int(inside.argmax()), cell
