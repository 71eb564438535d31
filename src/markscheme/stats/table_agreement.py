"""Every statistic of a table of ratings: agreement, reliability, and two-rater statistics pooled over pairs of raters.

A table has shape (n_units, n_raters), nan where a rater gave none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from markscheme.stats.annotators import alternative_annotator_test
from markscheme.stats.coefficients import (
    NamedWeights,
    ScaleKind,
    agreement_family,
    pair_left_out,
)
from markscheme.stats.estimate import Estimate, Reason
from markscheme.stats.intervals import ATANH, Floats, Groups, Integers, jackknife, withhold
from markscheme.stats.rating_patterns import as_table
from markscheme.stats.reliability import icc_family
from markscheme.stats.severity import error_family, macro_family

Pooling: TypeAlias = Literal["mean", "pooled"]

TWO_RATERS_ONLY = ("cohen_kappa", "weighted_kappa", "scott_pi")
MACRO = ("macro_precision", "macro_recall", "macro_f1")


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Statistics of one pair of raters.

    Attributes:
        raters: Names of both raters; a judge comes second.
        units: Number of units that both rated.
        statistics: Statistics of the units that both rated, by name.
    """

    raters: tuple[str, str]
    units: int
    statistics: dict[str, Estimate]


def table_agreement(
    ratings: npt.ArrayLike,
    *,
    levels: npt.ArrayLike,
    scale: ScaleKind,
    raters: Sequence[str],
    weights: NamedWeights | None = None,
    pairs: Pooling | None = None,
    judge: str | None = None,
) -> tuple[dict[str, Estimate], tuple[RaterPair, ...]]:
    """Compute agreement, reliability and association of a table of ratings, each with its 95 % interval.

    Args:
        ratings: Ratings, shape (n_units, n_raters), nan where a rater gave none.
        levels: All levels of the scale, worst first.
        scale: Kind of scale: "nominal", "ordinal" or "interval"; a nominal scale has no means, errors or correlations.
        raters: Names of the raters, in the order of the columns.
        weights: How much disagreements count, as for `agreement_family`.
        pairs: Way to compute statistics of two raters for more: "mean" for their mean over pairs of raters (Light's
            kappa); "pooled" to stack the units of all pairs and leave out a unit's rows together; None not to compute
            them.
        judge: Name of the rater that is the judge; None if all raters are annotators. With a judge, each pair is an
            annotator and the judge, errors are judge minus annotator, and the alternative annotator test is run if
            there are three annotators or more.

    Returns:
        The statistics by name, those of two raters pooled over pairs if `pairs` are requested; and those of each single
        pair of raters, none if pooling isn't requested.

    Raises:
        ValueError: A shape doesn't fit, a rating is off the scale, or the judge isn't a rater.

    Source:
        Light (1971), Psychological Bulletin 76(5), 365-377. doi:10.1037/h0031643; for the alternative annotator test
        Calderon, Reichart and Dror (2025), arXiv:2501.10970.

    Example:
        >>> table = [[1, 1, 2], [2, 2, 2], [3, 3, 1], [1, 2, 1]]
        >>> names = ("ann", "bob", "cy")
        >>> statistics, pairs = table_agreement(table, levels=[1, 2, 3], scale="nominal", raters=names, pairs="mean")
        >>> round(statistics["cohen_kappa"].value, 4), len(pairs)
        (0.2121, 3)
    """
    table = as_table(ratings)
    names = tuple(raters)
    if judge is not None and judge not in names:
        raise ValueError(f"a judge is one of the raters {', '.join(names)}, not {judge!r}")
    shown = _PairStatistics(levels, scale, weights)
    statistics = agreement_family(table, levels=levels, scale=scale, weights=weights, raters=names)
    if scale != "nominal":
        statistics |= icc_family(table, raters=names)
    columns = _pairs(names, judge) if len(names) == 2 or pairs is not None else []
    rater_pairs = tuple(shown.by_pair(table[:, pair], (names[pair[0]], names[pair[1]])) for pair in columns)
    if len(rater_pairs) == 1:
        statistics |= {name: e for name, e in rater_pairs[0].statistics.items() if name not in TWO_RATERS_ONLY}
    elif pairs == "pooled":
        statistics |= shown.pooled(table, columns)
    elif pairs == "mean":
        statistics |= shown.mean(table, columns, rater_pairs)
    if judge is None and (len(names) == 2 or pairs):
        statistics = {name: e for name, e in statistics.items() if name not in MACRO}
    if judge is None and len(names) > 2:
        statistics.pop("signed_error", None)
    if judge is not None:
        judge_place = names.index(judge)
        alternative = alternative_annotator_test(
            np.delete(table, judge_place, axis=1),
            table[:, judge_place],
            closeness="accuracy" if scale == "nominal" else "neg_rmse",
        )
        statistics["alt_winning_rate"] = alternative.winning_rate
        statistics["alt_advantage"] = alternative.advantage
    return statistics, rater_pairs if pairs else ()


def _pairs(names: Sequence[str], judge: str | None) -> list[tuple[int, int]]:
    """List the column indices of each pair of raters; with a judge, only pairs of an annotator and the judge."""
    if judge is None:
        return list(combinations(range(len(names)), 2))
    judge_place = names.index(judge)
    return [(index, judge_place) for index in range(len(names)) if index != judge_place]


@dataclass(frozen=True, slots=True)
class _PairStatistics:
    """Calculator of two-rater statistics: for one pair of raters, for all pairs pooled, or as a mean of pairs."""

    levels: npt.ArrayLike
    scale: ScaleKind
    weights: NamedWeights | None

    def by_pair(self, pair: Floats, raters: tuple[str, str]) -> RaterPair:
        """Compute the statistics of two raters on the units that both rated.

        Args:
            pair: Ratings of the two raters, shape (n_units, 2), nan where missing.
            raters: Names of the two raters.
        """
        complete = pair[~np.isnan(pair).any(axis=1)]
        return RaterPair(raters, len(complete), self._of_two(complete, raters))

    def pooled(self, table: Floats, columns: Sequence[tuple[int, int]]) -> dict[str, Estimate]:
        """Compute the statistics over the units of all pairs, as if from one pair of raters.

        The jackknife leaves out all rows of a unit together.

        Args:
            table: Ratings, shape (n_units, n_raters), nan if missing.
            columns: The indices of the two columns of each pair.
        """
        rows = np.vstack([table[:, pair] for pair in columns])
        unit = np.tile(np.arange(len(table)), len(columns))
        is_complete = ~np.isnan(rows).any(axis=1)
        statistics = self._of_two(rows[is_complete], ("the first", "the second"), unit[is_complete])
        return {name: replace(e, method=f"{e.method}; {len(columns)} pairs pooled") for name, e in statistics.items()}

    def mean(
        self, table: Floats, columns: Sequence[tuple[int, int]], rater_pairs: Sequence[RaterPair]
    ) -> dict[str, Estimate]:
        """Compute the mean of each statistic over the pairs of raters with a common unit, with jackknife intervals.

        To compute an interval, the jackknife leaves each unit out of all pairs at once. If no pair shares a unit, the
        means are undefined.

        Args:
            table: Ratings, shape (n_units, n_raters).
            columns: The two columns of each pair.
            rater_pairs: The statistics of each pair.
        """
        places = [index for index, pair in enumerate(rater_pairs) if pair.units] or range(len(rater_pairs))
        sharing = [rater_pairs[pair_index] for pair_index in places]
        of_sharing = [columns[pair_index] for pair_index in places]
        means = {
            name: self._mean_coefficient(name, table, of_sharing, sharing)
            if name in TWO_RATERS_ONLY
            else withhold(_mean(name, sharing), Reason("mean-over-pairs"))
            for name in sharing[0].statistics
        }
        if len(sharing) == len(rater_pairs):
            return means
        method = f"mean over {len(sharing)} of {len(rater_pairs)} pairs; the others share no unit"
        return {name: replace(estimate, method=method) for name, estimate in means.items()}

    def _of_two(self, pair: Floats, raters: tuple[str, str], unit: Integers | None = None) -> dict[str, Estimate]:
        family = agreement_family(
            pair, levels=self.levels, scale=self.scale, weights=self.weights, groups=unit, raters=raters
        )
        statistics = {name: family[name] for name in TWO_RATERS_ONLY}
        if self.scale == "nominal":
            macro = macro_family(*pair.T, levels=self.levels, groups=unit)
            return statistics | {name: macro[name] for name in MACRO}
        return statistics | error_family(*pair.T, levels=self.levels, groups=unit, raters=raters)

    def _mean_coefficient(
        self, name: str, table: Floats, columns: Sequence[tuple[int, int]], rater_pairs: Sequence[RaterPair]
    ) -> Estimate:
        bare = _mean(name, rater_pairs)
        if bare.value is None:
            return bare
        default: NamedWeights = "identity" if self.scale == "nominal" else "quadratic"
        weights: NamedWeights = "identity" if name == "cohen_kappa" else self.weights or default
        units = Groups.of(None, len(table))
        estimates = [
            pair_left_out(table[:, pair], name, levels=self.levels, weights=weights, groups=units)[1:]
            for pair in columns
        ]
        left_out = np.mean(estimates, axis=0)[(~np.isnan(table)).sum(axis=1) >= 2]
        return jackknife(bare.value, left_out, transform=ATANH, method=bare.method)


def _mean(name: str, rater_pairs: Sequence[RaterPair]) -> Estimate:
    """Compute the mean of a statistic over pairs of raters, without interval; undefined if it is undefined for any."""
    estimates = {pair.raters: pair.statistics[name] for pair in rater_pairs}
    n = min(pair.units for pair in rater_pairs)
    method = f"mean over {len(rater_pairs)} pairs"
    values = [estimate.value for estimate in estimates.values() if estimate.value is not None]
    if len(values) < len(rater_pairs):
        (first, second), why = next((raters, e.undefined) for raters, e in estimates.items() if e.undefined)
        of_pair = Reason("of-a-pair", {"first": first, "second": second, "why": why})
        return Estimate.without_value(of_pair, n=n, method=method)
    return Estimate(sum(values) / len(values), n=n, method=method)
