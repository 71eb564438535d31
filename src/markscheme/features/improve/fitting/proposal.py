"""Proposes weights and a pass mark that decisions support, with the gain on decisions left out of the fit."""

import hashlib
import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from markscheme.features.improve.fitting.decided import AuthorNumbers, DecidedRows
from markscheme.features.improve.fitting.mark_fit import fitted_mark, mark_test
from markscheme.features.improve.fitting.numbers_fit import ALPHA_WEIGHTS, proposed_weights
from markscheme.features.improve.fitting.score_test import score_test
from markscheme.features.improve.weights import FOLDS, REPEATS, FTest
from markscheme.stats.intervals import Floats

ALPHA_MARK = 0.01
"""Significance level of the first test of the pass mark alone."""
MARK_UNDER_NEW_WEIGHTS = 0.05
"""Significance level of the test that the author's pass mark fits under new weights."""
INTERVAL_WIDTH = 2.5
"""Half-width of the shown interval in standard errors, which allows for the choice among rubrics."""
JUDGED = 1.64
"""Number of standard errors by which a gain must exceed 0 if the levels are a judge's."""
EQUAL_SCORES = 1e-9
"""Difference below which two scores are equal but for rounding."""


@dataclass(frozen=True, slots=True)
class NestedGain:
    """Gain in right decisions by new weights and pass mark, measured on decisions that they weren't fitted to.

    Attributes:
        gain: Share of decisions that become right minus share that become wrong.
        se: Standard error of the gain, over units (examples or groups).
        of_whole_fit: Standard error, over units, of the gain by weights and pass mark that are fitted to all decisions.
            Weights fitted to only a part of the decisions change fewer decisions, often none, so that `se` may be too
            small.
    """

    gain: float
    se: float
    of_whole_fit: float = 0.0

    def exceeds(self, errors: float) -> bool:
        """Return True if the gain exceeds this many of its standard errors."""
        return self.gain > errors * self.se

    @property
    def expected(self) -> tuple[float, float, float]:
        """The gain to expect on new decisions, with the limits of its interval; all 0 without a gain.

        It is the measured gain, lowered since gains that look large by chance are chosen more often.
        """
        if self.gain == 0:
            return 0.0, 0.0, 0.0
        shrunk = self.gain * (1 - self.se**2 / self.gain**2)
        reach = INTERVAL_WIDTH * max(self.se, self.of_whole_fit)
        return shrunk, shrunk - reach, shrunk + reach


@dataclass(frozen=True, slots=True)
class NumbersProposal:
    """Proposed weights and pass mark that decisions support, with the tests behind the proposal.

    Attributes:
        adopted: Numbers that change: weights (with the mark that fits them), or the mark alone; None if none change.
        answer: "better" if the interval of the gain is above 0, else "supported"; None if nothing is adopted.
        test: Test of the author's weights.
        mark_p: p-value of the test of the author's mark; None for preferences.
        weights: Proposed weights of the tuned criteria, shape (k,).
        mark: Proposed pass mark; None for preferences.
        gain: Gain of the adopted numbers, or of the fitted weights if nothing is adopted.
        changed: Number of rows that the proposed numbers decide differently.
    """

    adopted: Literal["weights", "mark"] | None
    answer: Literal["better", "supported"] | None
    test: FTest
    mark_p: float | None
    weights: Floats
    mark: float | None
    gain: NestedGain
    changed: int


def propose_numbers(
    rows: DecidedRows, numbers: AuthorNumbers, *, opening: int = 1, errors: float = 1.0
) -> NumbersProposal:
    """Propose new weights if decisions support them, else just a new pass mark if they support that.

    Args:
        rows: The decisions with levels.
        numbers: The author's weights and pass mark.
        opening: Number of this use of the decisions, from 1; each use after the first halves the significance level.
        errors: Number of standard errors that the gain must exceed; callers pass `JUDGED` if the levels are a judge's.
    """
    rows = rows.in_order()
    divisor = 2 ** (opening - 1)
    test = score_test(rows, numbers)
    own_mark_p = _own_mark_p(rows, numbers)
    changes = _new_numbers(rows, numbers, test)
    gain = _with_whole_fit(nested_gain(rows, numbers), rows, numbers, changes)
    changed = _changed(rows, numbers, changes)
    if test.p <= ALPHA_WEIGHTS / divisor and changed and gain.exceeds(errors):
        return NumbersProposal("weights", _answer(gain), test, own_mark_p, changes.weights, changes.mark, gain, changed)
    if own_mark_p is not None and own_mark_p <= ALPHA_MARK / divisor:
        moved = _with_mark(rows, numbers)
        mark_gain = _with_whole_fit(nested_gain(rows, numbers, mark_alone=True), rows, numbers, moved)
        mark_changed = _changed(rows, numbers, moved)
        if mark_changed and mark_gain.exceeds(errors):
            return NumbersProposal(
                "mark", _answer(mark_gain), test, own_mark_p, moved.weights, moved.mark, mark_gain, mark_changed
            )
    return NumbersProposal(None, None, test, own_mark_p, numbers.weights, numbers.mark, gain, 0)


def nested_gain(rows: DecidedRows, numbers: AuthorNumbers, *, mark_alone: bool = False) -> NestedGain:
    """Measure, by cross-validation, how many more decisions are right if weights and pass mark are refitted.

    The cross-validation is repeated with four orders of the units, drawn from a digest of the units' names.

    Args:
        rows: The decisions with levels.
        numbers: The author's weights and pass mark.
        mark_alone: True to refit only the pass mark.

    Source:
        Varma and Simon (2006), BMC Bioinformatics 7, 91. doi:10.1186/1471-2105-7-91
    """
    won = np.zeros(len(rows.names))
    for repeat in range(1, REPEATS + 1):
        part = _parts(rows, repeat)[rows.units]
        for fold in range(FOLDS):
            inside = rows.selected(part != fold)
            out = rows.selected(part == fold)
            new = (
                _with_mark(inside, numbers)
                if mark_alone
                else _new_numbers(inside, numbers, score_test(inside, numbers))
            )
            won += _cost_saved(out, numbers, new) / REPEATS
    won = won[np.unique(rows.units)]
    return NestedGain(float(won.sum() / rows.weights.sum()), _standard_error(won))


def _with_whole_fit(gain: NestedGain, rows: DecidedRows, before: AuthorNumbers, after: AuthorNumbers) -> NestedGain:
    won = _cost_saved(rows, before, after)[np.unique(rows.units)]
    return replace(gain, of_whole_fit=_standard_error(won))


def _cost_saved(rows: DecidedRows, before: AuthorNumbers, after: AuthorNumbers) -> Floats:
    """Return how much less the wrong decisions cost with new weights and pass mark, for each unit.

    Args:
        rows: People's decisions, each with the levels of its response. Each decision belongs to a unit, which is an
            example or, if examples are in groups, a group.
        before: The author's weights and pass mark.
        after: The new weights and pass mark.
    """
    difference = _costs(rows, before) * (_right(rows, after) - _right(rows, before))
    return np.asarray(np.bincount(rows.units, difference, minlength=len(rows.names)), dtype=np.float64)


def _standard_error(won: Floats) -> float:
    return float(won.std(ddof=1)) / math.sqrt(len(won)) if len(won) > 1 else 0.0


def _parts(rows: DecidedRows, repeat: int) -> npt.NDArray[np.int64]:
    present = np.unique(rows.units)
    digests = [hashlib.sha256(f"{repeat}:{rows.names[unit]}".encode()).hexdigest() for unit in present]
    parts = np.zeros(len(rows.names), dtype=np.int64)
    parts[present[np.argsort(digests)]] = np.arange(len(present)) % FOLDS
    return parts


def _new_numbers(rows: DecidedRows, numbers: AuthorNumbers, test: FTest) -> AuthorNumbers:
    """Return the weights that decisions support, with the pass mark that suits scores with these weights.

    Args:
        rows: The decisions, with levels.
        numbers: The author's weights and pass mark.
        test: F test of fitted weights against the author's.
    """
    weights = proposed_weights(rows, numbers, test)
    changes = replace(numbers, weights=weights, scale=_scale_with(numbers, weights))
    return _with_mark(rows, changes)


def _with_mark(rows: DecidedRows, numbers: AuthorNumbers) -> AuthorNumbers:
    """Return the given weights with a pass mark that is fitted to annotators' decisions.

    Args:
        rows: The decisions, with the levels.
        numbers: The weights and pass mark; returned as they are if there is no pass mark, as for preferences.
    """
    if numbers.mark is None:
        return numbers
    mark = fitted_mark(
        rows.graded(numbers),
        rows.passed,
        rows.weights,
        numbers.mark,
        significance=MARK_UNDER_NEW_WEIGHTS,
        odds=numbers.odds,
    )
    return replace(numbers, mark=mark)


def _scale_with(numbers: AuthorNumbers, weights: Floats) -> float:
    """Return the number by which a weighted sum of positions is divided to get a score, with changed weights.

    Args:
        numbers: The author's weights, and the number by which sums with them are divided.
        weights: Weights that replace the author's, shape (k,).
    """
    counted = numbers.weights > 0 if numbers.base == 0 else np.ones(len(weights), dtype=bool)
    return numbers.scale - float(np.abs(numbers.weights[counted]).sum()) + float(np.abs(weights[counted]).sum())


def _decisions(rows: DecidedRows, numbers: AuthorNumbers) -> Floats:
    """Return the decision by each row's score: 1 to pass or to prefer the first response, ½ for a tie, else 0.

    Args:
        rows: The rows, with levels.
        numbers: Weights and pass mark; without a pass mark, rows are pairs.
    """
    scores = rows.graded(numbers)
    if numbers.mark is None:
        return np.where(np.abs(scores) <= EQUAL_SCORES, 0.5, (scores > 0).astype(np.float64))
    return (scores >= numbers.mark - EQUAL_SCORES).astype(np.float64)


def _right(rows: DecidedRows, numbers: AuthorNumbers) -> Floats:
    return np.asarray(1 - np.abs(rows.passed - _decisions(rows, numbers)))


def share_right(rows: DecidedRows, numbers: AuthorNumbers) -> float:
    """Compute the share of people's decisions or preferences that agree with a score by given weights and pass mark.

    Args:
        rows: The decisions or preferences, with the levels.
        numbers: The weights and pass mark.
    """
    return float(rows.weights @ _right(rows, numbers) / rows.weights.sum())


def _costs(rows: DecidedRows, numbers: AuthorNumbers) -> Floats:
    """Return each row's weight times the cost of deciding it wrongly.

    A false pass costs `numbers.odds` times as much as a false fail, and the mean of the two costs is 1.
    """
    cost = np.where(rows.passed == 0, numbers.odds, 1.0)
    return np.asarray(rows.weights * (cost * 2 / (1 + numbers.odds)))


def _changed(rows: DecidedRows, before: AuthorNumbers, after: AuthorNumbers) -> int:
    return int((_decisions(rows, before) != _decisions(rows, after)).sum())


def _own_mark_p(rows: DecidedRows, numbers: AuthorNumbers) -> float | None:
    if numbers.mark is None:
        return None
    return mark_test(rows.graded(numbers), rows.passed, rows.weights, numbers.mark, numbers.odds)[0]


def _answer(gain: NestedGain) -> Literal["better", "supported"]:
    return "better" if gain.expected[1] > 0 else "supported"
