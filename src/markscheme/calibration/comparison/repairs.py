"""Wrong decisions and scores that fixing each criterion would repair, counted on labelled examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.grading.score import ROUNDING, must_pass
from markscheme.ratings.gold import Gold
from markscheme.ratings.table import SAME_AS_LEVELS, Column, RatingTable, positions
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.agreement_figures import DECIMALS, close
from markscheme.stats.distinct import numbered_values
from markscheme.stats.intervals import Flags, Floats
from markscheme.stats.repairs import DecisionChanges, LevelSwap, TermSums, total

FEWEST_CRITERIA = 2
"""Fewest criteria for which repairs are counted: a single criterion would cause every wrong decision."""
A_FIFTH = 0.2
"""Share of the wrong decisions that a criterion must repair before it is a fault worth fixing by itself."""
A_HALF = 0.5
"""Share of the wrong decisions from which on a criterion is the main fault."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of examples on which the judge is wrong: false passes, false fails, and scores that are off.

    Attributes:
        false_passes: Number of examples that the judge passes and people fail.
        false_fails: Number of examples that the judge fails and people pass.
        off: Number of examples on which the judge's score differs from that of people's labels by the tolerance or
            more.
    """

    false_passes: int
    false_fails: int
    off: int

    @property
    def wrong(self) -> int:
        """Number of wrong decisions: false passes plus false fails."""
        return self.false_passes + self.false_fails


@dataclass(frozen=True, slots=True)
class Repair:
    """Decisions and scores that change if gold's level replaces the judge's on one or two criteria.

    Attributes:
        criteria: Names of the criteria on which gold's level replaces the judge's.
        totals: Numbers of false passes, of false fails and of scores that are off, before any repair.
        decided: Number of examples that both people and judge decided, among which changed decisions are counted.
        false_passes: Ids of the false passes that become right, the largest error in score first.
        false_fails: Ids of the false fails that become right, the largest error in score first.
        held_up: Number of right passes that would become fails.
        let_through: Number of right fails that would become passes.
        scores_repaired: Number of scores that are off and would come within the tolerance.
        scores_broken: Number of scores within the tolerance that would leave it.
    """

    criteria: tuple[str, ...]
    totals: Totals
    decided: int
    false_passes: tuple[str, ...]
    false_fails: tuple[str, ...]
    held_up: int
    let_through: int
    scores_repaired: int
    scores_broken: int

    @property
    def examples(self) -> tuple[str, ...]:
        """Ids of the examples whose decision becomes right, false passes first."""
        return self.false_passes + self.false_fails

    @property
    def stopped(self) -> int:
        """Number of false passes that the repair makes right."""
        return len(self.false_passes)

    @property
    def kept(self) -> int:
        """Number of false fails that the repair turns into passes."""
        return len(self.false_fails)

    @property
    def repaired(self) -> int:
        """Number of wrong decisions that the repair makes right."""
        return self.stopped + self.kept

    @property
    def broken(self) -> int:
        """Number of right decisions that the repair makes wrong."""
        return self.held_up + self.let_through

    @property
    def is_idle(self) -> bool:
        """True if decisions were compared, and the repair would correct none of the wrong ones."""
        return self.decided > 0 and not self.repaired

    @property
    def rank(self) -> tuple[int, int, int]:
        """Sort key: false passes repaired, decisions repaired minus broken, then scores repaired minus broken."""
        return self.stopped, self.repaired - self.broken, self.scores_repaired - self.scores_broken

    def reaches(self, share: float, least: int = 0) -> bool:
        """Return True if a fix corrects a given share of the wrong decisions, or that share of the false passes alone.

        Errors that the fix causes are subtracted from what it corrects. Without decisions, wrong scores count.

        Args:
            share: Smallest share of the errors that the fix has to correct, 0 to 1.
            least: Smallest number of errors that the fix has to correct, whatever their share.
        """
        totals = self.totals
        stopped = self.stopped - self.broken
        _, decisions, scores = self.rank
        counts = [(decisions, totals.wrong), (stopped, totals.false_passes)] if self.decided else [(scores, totals.off)]
        return any(net >= max(share * wrong, least) and net > 0 for net, wrong in counts)

    @property
    def is_large(self) -> bool:
        """True if the fix corrects a fifth or more of the wrong decisions, or of the false passes.

        Decisions that the fix makes wrong aren't subtracted. If there are no decisions, the fix has to correct a fifth
        of the scores that are off.
        """
        whole = replace(self, held_up=0, let_through=0, scores_broken=0)
        return whole.reaches(A_FIFTH)

    def to_json(self) -> dict[str, Any]:
        """Return the repair as in the JSON of a calibration."""
        return {
            "false_passes": self.stopped,
            "false_fails": self.kept,
            "broken": self.broken,
            "examples": self.examples,
            "decided": self.decided,
            "scores": {"repaired": self.scores_repaired, "broken": self.scores_broken},
        }


@dataclass(frozen=True, slots=True)
class Repairs:
    """The repairs by fixing each criterion alone; an example that several repairs correct counts in each.

    Attributes:
        totals: Numbers of false passes, of false fails and of scores that are off, before any repair.
        by_criterion: The repair by fixing each criterion alone, by the criterion's name.
        stays_wrong: Ids of the wrong decisions that stay wrong even with gold's level on every criterion; None if
            decisions are counted without ids.
        pair: The repair by the two criteria that together repair most, if no single criterion repairs a fifth of all
            errors; else None.
    """

    totals: Totals
    by_criterion: Mapping[str, Repair]
    stays_wrong: tuple[str, ...] | None
    pair: Repair | None

    def to_json(self) -> dict[str, Any]:
        """Return the repairs as in the JSON of a calibration."""
        totals = self.totals
        return {
            "wrong": totals.wrong,
            "of": {"false_passes": totals.false_passes, "false_fails": totals.false_fails, "scores": totals.off},
            "criteria": self.by_criterion,
            "mark_or_weights": self.stays_wrong,
            "pair": None if self.pair is None else {"criteria": self.pair.criteria, **self.pair.to_json()},
        }


def repairs_of(table: RatingTable, *, judge: str, gold: str, tolerance: float) -> Repairs | None:
    """Count the decisions and scores that change if gold's levels replace the judge's, one criterion at a time.

    Return None for pairs; if the rubric decides no pass or fail, or only one criterion counts; and if the judge's
    scores or decisions don't follow from its levels, such as a grade of the whole response or decisions stated in a
    file.

    Args:
        table: A table with both columns.
        judge: Name of the judge's column.
        gold: Name of the column whose levels replace the judge's.
        tolerance: Scores closer than this agree.
    """
    swap = swap_of(table, judge=judge, gold=gold, tolerance=tolerance)
    if swap is None:
        return None
    counting = _Counting(table.ids, tuple(criterion.name for criterion in table.rubric.decisive), table[judge], swap)
    single = {name: counting.repair(swap.single, [index], index) for index, name in enumerate(counting.criteria)}
    return Repairs(counting.totals, single, counting.named(swap.stays_wrong), counting.pair(list(single.values())))


def swap_of(table: RatingTable, *, judge: str, gold: str, tolerance: float) -> LevelSwap | None:
    """Prepare counts of the decisions that change if gold's levels replace the judge's, criterion by criterion.

    Return None for pairs, for a rubric without pass mark, if fewer than two criteria influence pass or fail, and if no
    example's decision is computed from its levels.

    Args:
        table: A table with both columns.
        judge: Name of the judge's column.
        gold: Name of the column whose levels replace the judge's.
        tolerance: Scores closer than this agree.
    """
    rubric = table.rubric
    if rubric.is_of_pairs or not rubric.decides or len(rubric.decisive) < FEWEST_CRITERIA:
        return None
    swap = _swap(rubric, table[judge], table[gold], tolerance)
    return swap if swap.follows.any() else None


@dataclass(frozen=True)
class _Counting:
    """Counter of the decisions that become right or wrong if gold's levels replace the judge's on some criteria."""

    ids: tuple[str, ...]
    criteria: tuple[str, ...]
    judge: Column
    swap: LevelSwap

    @cached_property
    def totals(self) -> Totals:
        """Numbers of false passes, of false fails and of scores that differ from people's by the tolerance or more.

        They include examples on which the effect of a repair can't be counted, since a level isn't known.
        """
        passes = self.judge.decisions
        people = self.swap.people
        off = close(self.swap.scores, self.judge.scores, self.swap.tolerance) == 0
        return Totals(
            int(((passes == 1) & (people == 0)).sum()), int(((passes == 0) & (people == 1)).sum()), int(off.sum())
        )

    @cached_property
    def _by_error(self) -> npt.NDArray[np.int64]:
        """Indices of the examples, the largest error in score first."""
        far = np.nan_to_num(np.round(np.abs(self.judge.scores - self.swap.scores), DECIMALS), nan=-1.0)
        return np.argsort(-far, kind="stable")

    def named(self, chosen: Flags) -> tuple[str, ...]:
        """Return the ids of the flagged examples, the largest error in score first."""
        return tuple(self.ids[index] for index in self._by_error[chosen[self._by_error]].tolist())

    def repair(self, changes: DecisionChanges, criteria: Sequence[int], column: int) -> Repair:
        """Return the repair that fixing some criteria together makes.

        Args:
            changes: Flags of what changes on each example, with a column for each set of criteria that are fixed
                together.
            criteria: Indices of the criteria.
            column: Index of the column of `changes` for these criteria.
        """
        return Repair(
            tuple(self.criteria[index] for index in criteria),
            self.totals,
            int(changes.counted[:, column].sum()),
            self.named(changes.false_passes[:, column]),
            self.named(changes.false_fails[:, column]),
            int(changes.held_up[:, column].sum()),
            int(changes.let_through[:, column].sum()),
            int(changes.scores_repaired[:, column].sum()),
            int(changes.scores_broken[:, column].sum()),
        )

    def pair(self, single: Sequence[Repair]) -> Repair | None:
        """Return the repair of the two criteria that correct most; None if one alone corrects a fifth of all errors.

        Args:
            single: The repairs of single criteria.
        """
        if any(repair.is_large for repair in single):
            return None
        best = self.swap.best_pair("decisions" if any(repair.decided for repair in single) else "scores")
        return None if best is None else self.repair(self.swap.pairs_with(best[0], [best[1]]), best, 0)


def _swap(rubric: Rubric, judge: Column, gold: Column, tolerance: float) -> LevelSwap:
    of_judge, of_gold = (partial(_terms, column, rubric.decisive, _split(column)) for column in (judge, gold))
    judge_known, gold_known = (_are_known(column, rubric.decisive, _split(column)) for column in (judge, gold))
    before = total(of_judge, len(rubric.decisive))
    return LevelSwap(
        judge=of_judge,
        gold=of_gold,
        before=before,
        is_known=gold_known,
        people=np.where(np.isnan(judge.decisions), np.nan, gold.decisions),
        scores=gold.scores,
        follows=_follows(before, np.all(judge_known, axis=1), judge, rubric),
        passes_from=_passes_from(rubric),
        tolerance=tolerance,
    )


def _passes_from(rubric: Rubric) -> float | None:
    """Return the pass mark, lowered by the rounding errors of scores; None if criteria decide without a score."""
    return rubric.pass_mark - ROUNDING if rubric.has_score else None


def _follows(before: TermSums, is_complete: Flags, judge: Column, rubric: Rubric) -> Flags:
    """Flag examples whose levels are all known; flag none if the judge's scores or decisions don't follow from levels.

    They don't follow if the judge graded the response as a whole, or decided by another rule. Such scores and decisions
    may still equal, by chance, what the levels of some examples give. So one example on which they differ is enough to
    flag none.

    Args:
        before: What the judge's levels contribute to scores and decisions, summed over criteria.
        is_complete: Flags of the examples with a known level on every criterion.
        judge: The judge's ratings.
        rubric: The rubric, with its pass mark.
    """
    decisions = before.decisions(_passes_from(rubric))[:, 0]
    scores = before.scores[:, 0]
    differs = (decisions != judge.decisions) & ~np.isnan(decisions) & ~np.isnan(judge.decisions)
    if rubric.has_score:
        differs |= np.abs(scores - judge.scores) > SAME_AS_LEVELS
    if (is_complete & differs).any():
        return np.zeros(len(is_complete), dtype=bool)
    return np.asarray(is_complete)


def _terms(
    column: Column, criteria: Sequence[Criterion], split: Mapping[str, Flags], chosen: Sequence[int]
) -> TermSums:
    """Return what a rater's levels on some criteria add to scores and decisions, with a column for each criterion.

    Args:
        column: The ratings of gold or of the judge.
        criteria: All criteria that count.
        split: Flags of the examples on which annotators split evenly, so that gold has no level, by criterion.
        chosen: Indices of the criteria.
    """
    terms = [_of_criterion(column, criteria[index], split) for index in chosen]
    return TermSums.of(*(np.column_stack(arrays) for arrays in zip(*terms, strict=True)))


def _of_criterion(column: Column, criterion: Criterion, split: Mapping[str, Flags]) -> tuple[Floats | Flags, ...]:
    """Return what a rater's levels on a criterion add to scores and decisions, as the arguments of `TermSums.of`.

    They are computed once for all examples of equal level.

    Args:
        column: The ratings of the judge or of gold.
        criterion: The criterion.
        split: Flags of the examples on which annotators split evenly, so that their level isn't known, by criterion.
    """
    levels, number = numbered_values(column.levels[criterion.name])
    is_rated = ~np.isnan(levels)
    weights = np.where(is_rated & criterion.has_worth, criterion.weight, 0.0)
    gains = weights * np.nan_to_num(positions(criterion.scale, levels)) if criterion.has_worth else weights
    must = must_pass(criterion)
    position = criterion.scale.position
    passes = [not must or level != level or criterion.passes(position(level)) for level in levels.tolist()]
    is_undecided = _do_not_apply(column, criterion, split) & must
    return gains[number], weights[number], ~np.array(passes, dtype=bool)[number], is_undecided


def _do_not_apply(column: Column, criterion: Criterion, split: Mapping[str, Flags]) -> Flags:
    """Return flags of the examples of which a rater says that a criterion doesn't apply, and gives no level.

    Args:
        column: The rater's column.
        criterion: The criterion.
        split: Flags of the examples on which annotators split evenly, by criterion; these aren't flagged.
    """
    does_not_apply = np.asarray(column.skipped[criterion.name] & np.isnan(column.levels[criterion.name]))
    return does_not_apply & ~split[criterion.name] if criterion.name in split else does_not_apply


def _are_known(column: Column, criteria: Sequence[Criterion], split: Mapping[str, Flags]) -> Flags:
    """Return flags, shape (n_examples, n_criteria), that are true where a level is given or a criterion doesn't apply.

    Args:
        column: One rater's ratings, or gold.
        criteria: The criteria.
        split: Flags of the examples on which annotators split evenly, by criterion; such an example has no level.
    """
    are_known = (~np.isnan(column.levels[c.name]) | _do_not_apply(column, c, split) for c in criteria)
    return np.column_stack(list(are_known))


def _split(column: Column) -> dict[str, Flags]:
    """Return, by criterion, flags of the examples on which annotators split evenly, so that gold has no level."""
    if not isinstance(column, Gold) or not column.even_splits:
        return {}
    rows = {unit: index for index, unit in enumerate(column.ids)}
    flags: dict[str, Flags] = {}
    for unit, over in column.even_splits:
        flags.setdefault(over, np.zeros(len(rows), dtype=bool))[rows[unit]] = True
    return flags
