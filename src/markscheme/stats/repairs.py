"""Changes of decisions and scores if a criterion had gold's levels instead of the judge's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from typing import Any, Final, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from markscheme.stats.agreement_figures import close
from markscheme.stats.intervals import Flags, Floats

SmallCounts: TypeAlias = npt.NDArray[np.integer[Any]]
"""Small counts of criteria, or their differences."""
RANKED: Final = ("false passes", "decisions", "scores")
"""Names of effects by which repairs are ranked, the decisive one first: the columns of `DecisionChanges.ranks`."""


@dataclass(frozen=True, eq=False)
class TermSums:
    """Sums over criteria of what a rater's levels contribute to scores and decisions.

    All are arrays that broadcast to (n_examples, n_replacements), a replacement being one way to replace the judge's
    levels by gold's.

    Attributes:
        gains: Sum of weight times position.
        rewards: Sum of the weights above 0.
        penalties: Sum of the absolute weights below 0.
        weighed: Number of criteria that count for the score.
        rewarding: Number of criteria that count for the score and have a weight above 0.
        fatal: Number of criteria whose level fails the response.
        undecided: Number of criteria that leave the decision open.
    """

    gains: Floats
    rewards: Floats
    penalties: Floats
    weighed: SmallCounts
    rewarding: SmallCounts
    fatal: SmallCounts
    undecided: SmallCounts

    @classmethod
    def of(cls, gains: Floats, weights: Floats, is_fatal: Flags, is_undecided: Flags) -> Self:
        """Compute what each criterion's level contributes to the score and the decision of each example.

        All arrays, those of the result too, have the shape (n_examples, n_criteria).

        Args:
            gains: Weight times position; 0 if the criterion doesn't count for the score.
            weights: Weight; 0 if the criterion has no weight or doesn't apply, so that it doesn't count for the score.
            is_fatal: Flags of levels that fail the response, as on a required criterion that isn't met.
            is_undecided: Flags of levels that leave the decision open, as on a category that doesn't apply.
        """
        return cls(
            gains=gains,
            rewards=np.maximum(weights, 0.0),
            penalties=np.maximum(-weights, 0.0),
            weighed=(weights != 0).astype(np.int16),
            rewarding=(weights > 0).astype(np.int16),
            fatal=is_fatal.astype(np.int16),
            undecided=is_undecided.astype(np.int16),
        )

    def plus(self, added: "TermSums") -> Self:
        """Add other sums to these; arrays of different shapes are broadcast."""
        return type(self)(*(mine + its for mine, its in zip(self._columns, added._columns, strict=True)))

    def minus(self, subtracted: "TermSums") -> Self:
        """Subtract other sums from these; their shapes may differ if they broadcast."""
        return type(self)(*(mine - its for mine, its in zip(self._columns, subtracted._columns, strict=True)))

    @property
    def _columns(self) -> tuple[npt.NDArray[Any], ...]:
        return tuple(getattr(self, field.name) for field in fields(self))

    @property
    def scores(self) -> Floats:
        """The score of each row, 0 to 1, that these sums give; nan where no criterion counts for the score."""
        earns = self.rewarding > 0
        divisor = np.where(earns, self.rewards, np.where(self.weighed > 0, self.penalties, 1.0))
        shares = np.where(earns, 0.0, 1.0) + self.gains / divisor
        return np.where(self.weighed > 0, np.clip(shares, 0.0, 1.0), np.nan)

    def decisions(self, passes_from: float | None) -> Floats:
        """Return the decision on each example that follows from the sums: 1 for pass, 0 for fail, nan for none.

        Args:
            passes_from: Lowest score that passes; None if criteria decide without a score.
        """
        if passes_from is None:
            return np.where(self.undecided > 0, np.nan, self.fatal == 0).astype(np.float64)
        scores = self.scores
        passes = (scores >= passes_from) & (self.fatal == 0)
        return np.where(np.isnan(scores), np.nan, passes).astype(np.float64)


TermsOfCriteria: TypeAlias = Callable[[Sequence[int]], TermSums]
"""Function that returns what a rater's levels on some criteria, given by index, contribute to scores and decisions."""


def total(terms: TermsOfCriteria, n_criteria: int) -> TermSums:
    """Sum over all criteria what a rater's levels on them contribute to scores and decisions.

    Args:
        terms: Function that takes a list of indices of criteria, and returns what the levels on these contribute.
        n_criteria: Number of criteria.
    """
    return reduce(TermSums.plus, (terms([index]) for index in range(n_criteria)))


@dataclass(frozen=True, eq=False)
class DecisionChanges:
    """Flags of the examples whose decision or score changes if some of the judge's levels are replaced by gold's.

    All have the shape (n_examples, n_replacements).

    Attributes:
        counted: Flags of examples on which all required levels and decisions are known.
        false_passes: Flags of false passes that become right.
        false_fails: Flags of false fails that become right.
        held_up: Flags of right passes that would fail.
        let_through: Flags of right fails that would pass.
        scores_repaired: Flags of scores off by the tolerance or more that come within it.
        scores_broken: Flags of scores within the tolerance that leave it.
    """

    counted: Flags
    false_passes: Flags
    false_fails: Flags
    held_up: Flags
    let_through: Flags
    scores_repaired: Flags
    scores_broken: Flags

    @cached_property
    def ranks(self) -> npt.NDArray[np.int64]:
        """Counts by which replacements of levels are ranked, shape (n_replacements, 3).

        The first column counts the false passes that become right. The second counts the decisions that become right,
        minus those that become wrong; the third, the scores that begin to agree, minus those that cease to.
        """
        stopped = self.false_passes.sum(axis=0)
        decisions = stopped + self.false_fails.sum(axis=0) - self.held_up.sum(axis=0) - self.let_through.sum(axis=0)
        scores = self.scores_repaired.sum(axis=0) - self.scores_broken.sum(axis=0)
        return np.column_stack([stopped, decisions, scores]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class LevelSwap:
    """A judge's levels and gold's, to count which decisions and scores change if gold's replace the judge's.

    Attributes:
        judge: Function that, for the indices of criteria, returns the TermSums of the judge's levels on each of them,
            shape (n_examples, n_chosen). It is called for few criteria at a time, to save memory.
        gold: The same function for gold's levels.
        before: Sums over all criteria of what the judge's own levels contribute, shape (n_examples, 1).
        is_known: Flags of examples and criteria for which gold has a level, or states that the criterion doesn't apply,
            shape (n_examples, n_criteria).
        people: People's decisions, 1 for pass and 0 for fail, shape (n_examples,), nan if missing.
        scores: Scores by people's labels, shape (n_examples,).
        follows: Flags of examples on which the judge's score and decision are those of its levels, shape (n_examples,).
        passes_from: Lowest score that passes; None if criteria decide without a score.
        tolerance: Difference below which two scores agree.
    """

    judge: TermsOfCriteria
    gold: TermsOfCriteria
    before: TermSums
    is_known: Flags
    people: Floats
    scores: Floats
    follows: Flags
    passes_from: float | None
    tolerance: float

    def moves(self, criteria: Sequence[int]) -> TermSums:
        """Return what gold's levels contribute minus what the judge's contribute, for criteria at these indices."""
        return self.gold(criteria).minus(self.judge(criteria))

    @cached_property
    def single(self) -> DecisionChanges:
        """Changes of decisions and scores if gold's levels replace the judge's on one criterion alone.

        There is a column for each criterion, in their order.
        """
        alone = (
            self._changes(self.before.plus(self.moves([index])), self.is_known[:, [index]])
            for index in range(self.is_known.shape[1])
        )
        flags = ([getattr(changes, field.name) for field in fields(changes)] for changes in alone)
        return DecisionChanges(*map(np.hstack, zip(*flags, strict=True)))

    def pairs_with(self, criterion: int, others: Sequence[int]) -> DecisionChanges:
        """Compute the changes if gold's levels replace the judge's on a criterion and on each of `others` in turn."""
        after_two = self.before.plus(self.moves([criterion])).plus(self.moves(others))
        return self._changes(after_two, self.is_known[:, [criterion]] & self.is_known[:, others])

    def best_pair(self, by: Literal["decisions", "scores"]) -> tuple[int, int] | None:
        """Find the two criteria whose fixes together repair most.

        To fix a criterion is to replace the judge's levels on it by gold's. Of equal pairs, the first in the order of
        the criteria is best. Return None if no two fixes together repair more than the better one of them alone.

        Args:
            by: What is repaired: decisions or scores.
        """
        column = RANKED.index(by)
        alone = self.single.ranks[:, column]
        among = self._differing.tolist()
        best: tuple[list[int], tuple[int, int]] = ([], (0, 0))
        for index, criterion in enumerate(among[:-1]):
            others = among[index + 1 :]
            ranks = self.pairs_with(criterion, others).ranks
            is_more = ranks[:, column] > np.maximum(np.maximum(alone[criterion], alone[others]), 0)
            for second, rank in zip(np.array(others)[is_more].tolist(), ranks[is_more].tolist(), strict=True):
                best = max(best, (rank, (criterion, second)), key=lambda ranked: ranked[0])
        return best[1] if best[0] else None

    @property
    def _differing(self) -> npt.NDArray[np.int64]:
        """Indices of the criteria on which gold's level in place of the judge's changes any score or decision."""
        differs = []
        for index in range(self.is_known.shape[1]):
            moves = self.moves([index])
            is_moved = (moves.gains != 0) | (moves.weighed != 0) | (moves.fatal != 0) | (moves.undecided != 0)
            differs.append((is_moved[:, 0] & self.follows & self.is_known[:, index]).any())
        return np.flatnonzero(differs)

    @cached_property
    def stays_wrong(self) -> Flags:
        """Flags of the wrong decisions that gold's levels on all criteria would not correct, shape (n_examples,)."""
        decisions = self.before.decisions(self.passes_from)[:, 0]
        with_gold = total(self.gold, self.is_known.shape[1]).decisions(self.passes_from)[:, 0]
        is_known = self.follows & self.is_known.all(axis=1)
        return np.asarray(is_known & (decisions == 1 - self.people) & (with_gold == 1 - self.people))

    def _changes(self, replaced: TermSums, is_known: Flags) -> DecisionChanges:
        people = self.people[:, None]
        decisions = self.before.decisions(self.passes_from)
        then = replaced.decisions(self.passes_from)
        is_comparable = self.follows[:, None] & is_known
        counted = is_comparable & ~np.isnan(people) & ~np.isnan(decisions)
        gold_scores = self.scores[:, None]
        agreed = close(gold_scores, self.before.scores, self.tolerance)
        would_agree = close(gold_scores, replaced.scores, self.tolerance)
        return DecisionChanges(
            counted=counted,
            false_passes=counted & (people == 0) & (decisions == 1) & (then == 0),
            false_fails=counted & (people == 1) & (decisions == 0) & (then == 1),
            held_up=counted & (people == 1) & (decisions == 1) & (then == 0),
            let_through=counted & (people == 0) & (decisions == 0) & (then == 1),
            scores_repaired=is_comparable & (agreed == 0) & (would_agree == 1),
            scores_broken=is_comparable & (agreed == 1) & (would_agree == 0),
        )
