"""Annotators' decisions about whole responses as arrays, with the criteria's levels from which a fit predicts them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from markscheme.features.improve.fitting.logistic import SLOPE_RIDGE, LogisticFit, fit_logistic
from markscheme.stats.intervals import Floats


@dataclass(frozen=True)
class AuthorNumbers:
    """A rubric's weights and pass mark as its author wrote them, with what is needed to compute scores from them.

    Attributes:
        weights: Weights of the criteria whose weights a fit may change, shape (k,), none of them 0.
        scale: The number that weights are divided by in a score: the sum of the rubric's positive weights, or of all
            weights' absolute values if none is positive.
        mark: The pass mark, 0 to 1; None for preferences.
        base: Score of a response that meets no criterion: 1 if no weight is positive, else 0.
        odds: Odds of passing at the mark, which are the cost of a false pass if a false fail costs 1.
    """

    weights: Floats
    scale: float
    mark: float | None
    base: float = 0.0
    odds: float = 1.0

    @cached_property
    def shares(self) -> Floats:
        """Share of the score that each weight can move, from the worst to the best level, shape (k,)."""
        return np.abs(self.weights) / self.scale


@dataclass(frozen=True)
class DecidedRows:
    """Arrays of decisions and levels, with a row for each rater of an example, or for each preference.

    A criterion is tuned if its weight is fitted.

    Attributes:
        levels: Positions of the levels on the scales of the k tuned criteria, shape (n, k), 0 to 1, with the sign
            reversed for negative weights; for a preference, the first response's minus the second's.
        passed: 1 if the rater passes the response or prefers the first response, else 0, shape (n,).
        remainder: Sum of weight times position over the criteria that aren't tuned, shape (n,).
        units: Number of each row's unit (its example or, with groups, its group), from 0, shape (n,).
        names: Name of each unit, in the order of their numbers.
        weights: Weight of each row, shape (n,): 1/m if its example has m rows.
        paired: True if rows are preferences, so that fits have no intercept.
    """

    levels: Floats
    passed: Floats
    remainder: Floats
    units: npt.NDArray[np.int64]
    names: tuple[str, ...]
    weights: Floats
    paired: bool = False

    def scores(self, numbers: AuthorNumbers) -> Floats:
        """Compute the score of each decided response from its levels by the given weights, shape (n,)."""
        return numbers.base + self.levels @ numbers.shares + self.remainder / numbers.scale

    def graded(self, numbers: AuthorNumbers) -> Floats:
        """Compute each row's score, cut to 0 to 1 as in a grade; for preferences, the difference of two scores, uncut.

        Args:
            numbers: The weights, with what else a score is computed from.
        """
        scores = self.scores(numbers)
        return scores if self.paired else np.clip(scores, 0.0, 1.0)

    def in_order(self) -> "DecidedRows":
        """Return the rows sorted by their values and their units' names.

        Sums over the rows then have the same rounding errors, whatever the order of the examples in a file.
        """
        by_name = np.argsort(np.argsort(self.names))
        columns = [self.weights, self.remainder, self.passed, *self.levels.T, by_name[self.units]]
        return self.selected(np.lexsort(columns))

    def selected(self, rows: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> "DecidedRows":
        """Return the selected rows; units (examples or groups) that lose all their rows keep their name and number.

        Args:
            rows: Flags or indices of the rows to keep.
        """
        return DecidedRows(
            self.levels[rows],
            self.passed[rows],
            self.remainder[rows],
            self.units[rows],
            self.names,
            self.weights[rows],
            self.paired,
        )

    def with_intercept(self, *columns: Floats) -> Floats:
        """Build a design matrix from columns, after a column of ones for the intercept unless rows are preferences."""
        ones = () if self.paired else (np.ones(len(self.passed)),)
        return np.column_stack([*ones, *columns])

    def fitted_line(self, scores: Floats) -> LogisticFit:
        """Fit a logistic regression that predicts the decisions from a score."""
        design = self.with_intercept(scores)
        penalty = np.zeros((design.shape[1], design.shape[1]))
        penalty[-1, -1] = SLOPE_RIDGE
        return fit_logistic(design, self.passed, self.weights, penalty)
