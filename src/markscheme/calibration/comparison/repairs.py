"""What fixing each criterion would change, counted on the labelled examples of a comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from markscheme.ratings.gold import Gold
from markscheme.ratings.table import SAME_AS_LEVELS, Column, positions
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.score import must_pass
from markscheme.stats.agreement_figures import close
from markscheme.stats.intervals import Flags, Floats
from markscheme.stats.repairs import Changes, LevelSwap, ScoreTerms, TermSums

if TYPE_CHECKING:
    from markscheme.calibration.comparison.comparison import Comparison

FEWEST_CRITERIA = 2
"""Criteria from which on it is worth counting: a single one has every wrong decision."""
A_FIFTH = 0.2
"""Share of the wrong decisions that a criterion must repair before it is a fault worth fixing by itself."""
A_HALF = 0.5
"""Share of the wrong decisions from which on a criterion is the main fault."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Examples on which the judge is wrong.

    Attributes:
        false_passes: Those it passes, and people fail.
        false_fails: Those it fails, and people pass.
        off: Those whose scores differ by the tolerance or more.
    """

    false_passes: int
    false_fails: int
    off: int

    @property
    def wrong(self) -> int:
        """Wrong decisions of both kinds."""
        return self.false_passes + self.false_fails


@dataclass(frozen=True, slots=True)
class Repair:
    """Changes by gold's level in the place of the judge's on a criterion, or on two; nothing is estimated.

    Attributes:
        criteria: Which.
        totals: Examples on which the judge is wrong as it is.
        decided: Examples with decisions of people and judge on which this was counted; 0 where there are none.
        false_passes: Ids of the false passes that become right, the largest error in score first.
        false_fails: Ids of the false fails that become right, likewise.
        held_up: How many right passes would fail.
        let_through: How many right fails would pass.
        scores_repaired: How many scores that are off come within the tolerance.
        scores_broken: How many scores within the tolerance leave it.
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
    def broken(self) -> int:
        """How many right decisions become wrong."""
        return self.held_up + self.let_through

    @property
    def is_idle(self) -> bool:
        """Whether no wrong decision becomes right, where there are decisions at all."""
        return self.decided > 0 and not self.examples

    @property
    def rank(self) -> tuple[int, int, int]:
        """False passes repaired, then decisions repaired minus broken, then scores likewise; the most comes first."""
        return len(self.false_passes), len(self.examples) - self.broken, self.scores_repaired - self.scores_broken

    def reaches(self, share: float, least: int = 0) -> bool:
        """Tell whether it repairs a share of the wrong decisions, or of the false passes, less what it breaks.

        Without decisions the scores that are off are counted instead.

        Args:
            share: Of the decisions that are wrong.
            least: How many it must be in any case.
        """
        totals = self.totals
        stopped = len(self.false_passes) - self.broken
        _, decisions, scores = self.rank
        counts = [(decisions, totals.wrong), (stopped, totals.false_passes)] if self.decided else [(scores, totals.off)]
        return any(net >= max(share * wrong, least) and net > 0 for net, wrong in counts)

    @property
    def is_large(self) -> bool:
        """Whether it repairs a fifth of the wrong decisions or of the false passes, whatever it breaks."""
        whole = replace(self, held_up=0, let_through=0, scores_broken=0)
        return whole.reaches(A_FIFTH)

    def to_json(self) -> dict[str, Any]:
        """As in the JSON of a calibration."""
        return {
            "false_passes": len(self.false_passes),
            "false_fails": len(self.false_fails),
            "broken": self.broken,
            "examples": self.examples,
            "decided": self.decided,
            "scores": {"repaired": self.scores_repaired, "broken": self.scores_broken},
        }


@dataclass(frozen=True, slots=True)
class Repairs:
    """What fixing each criterion would change, counted one criterion at a time; counts of several overlap.

    Attributes:
        totals: Examples on which the judge is wrong as it is.
        by_criterion: The change by each criterion alone, by its name.
        stays_wrong: Ids of the wrong decisions that gold's level on every criterion leaves wrong.
        pair: The two criteria that repair most together, where no single one repairs a fifth; None elsewhere.
    """

    totals: Totals
    by_criterion: Mapping[str, Repair]
    stays_wrong: tuple[str, ...]
    pair: Repair | None

    def to_json(self) -> dict[str, Any]:
        """As in the JSON of a calibration."""
        totals = self.totals
        return {
            "wrong": totals.wrong,
            "of": {"false_passes": totals.false_passes, "false_fails": totals.false_fails, "scores": totals.off},
            "criteria": self.by_criterion,
            "mark_or_weights": self.stays_wrong,
            "pair": None if self.pair is None else {"criteria": self.pair.criteria, **self.pair.to_json()},
        }


def repairs_of(comparison: "Comparison") -> Repairs | None:
    """Count what fixing each criterion would change.

    None for pairs, where a single criterion comes to the decision, and where the judge's scores or decisions don't
    follow from its levels: a grade of the whole, or decisions that a file gives.
    """
    rubric = comparison.rubric
    criteria = rubric.decisive
    if rubric.is_of_pairs or not rubric.decides or len(criteria) < FEWEST_CRITERIA:
        return None
    swap = _swap(comparison, criteria)
    if not swap.follows.any():
        return None
    counting = _Counting(comparison, criteria, swap)
    single = {criterion.name: counting.repair(swap.single, [at], at) for at, criterion in enumerate(criteria)}
    stays_wrong = counting.ids(swap.stays_wrong)
    return Repairs(counting.totals, single, stays_wrong, counting.pair(list(single.values())))


@dataclass(frozen=True)
class _Counting:
    """A comparison's repairs as counts and ids."""

    comparison: "Comparison"
    criteria: Sequence[Criterion]
    swap: LevelSwap

    @property
    def totals(self) -> Totals:
        """Examples on which the judge is wrong, whether or not a repair could be counted on them."""
        comparison = self.comparison
        off = close(comparison.reference.scores, comparison.scores, _tolerance(comparison)) == 0
        return Totals(len(comparison.false_passes), len(comparison.false_fails), int(off.sum()))

    def ids(self, chosen: Flags) -> tuple[str, ...]:
        """The ids of some examples, the largest error in score first."""
        far = np.nan_to_num(np.abs(self.comparison.score_errors), nan=-1.0)
        order = np.argsort(-far, kind="stable")
        return tuple(self.comparison.ids[index] for index in order[chosen[order]].tolist())

    def repair(self, changes: Changes, criteria: Sequence[int], column: int) -> Repair:
        """One column of changes, by the criteria whose levels it replaces."""
        return Repair(
            tuple(self.criteria[index].name for index in criteria),
            self.totals,
            int(changes.counted[:, column].sum()),
            self.ids(changes.false_passes[:, column]),
            self.ids(changes.false_fails[:, column]),
            int(changes.held_up[:, column].sum()),
            int(changes.let_through[:, column].sum()),
            int(changes.scores_repaired[:, column].sum()),
            int(changes.scores_broken[:, column].sum()),
        )

    def pair(self, single: Sequence[Repair]) -> Repair | None:
        """The two criteria that repair most together, where no single one repairs a fifth."""
        if any(repair.is_large for repair in single):
            return None
        best = self.swap.best_pair("decisions" if any(repair.decided for repair in single) else "scores")
        return None if best is None else self.repair(self.swap.pairs_with(best[0], [best[1]]), best, 0)


def _swap(comparison: "Comparison", criteria: Sequence[Criterion]) -> LevelSwap:
    rubric = comparison.rubric
    judge = comparison.judge
    reference = comparison.reference
    terms = _terms(judge, criteria)
    return LevelSwap(
        terms,
        _terms(reference, criteria),
        np.where(np.isnan(judge.decisions), np.nan, reference.decisions),
        reference.scores,
        _follows(terms, judge, rubric),
        rubric.pass_mark if rubric.has_score else None,
        _tolerance(comparison),
    )


def _tolerance(comparison: "Comparison") -> float:
    """How close scores agree: as where scores are compared, whatever this comparison is of."""
    return comparison.tolerance if comparison.measure.name == "score" else comparison.rubric.tolerance


def _follows(terms: ScoreTerms, judge: Column, rubric: Rubric) -> Flags:
    """Flag the examples whose score and decision are those of the judge's levels; none where others contradict them.

    A grade of the whole, and a decision by another rule, now and then equal what the levels come to.
    """
    is_complete = terms.is_known.all(axis=1)
    total = TermSums.of(terms).total
    decisions = total.decisions(rubric.pass_mark if rubric.has_score else None)[:, 0]
    scores = total.scores[:, 0]
    differs = (decisions != judge.decisions) & ~np.isnan(decisions) & ~np.isnan(judge.decisions)
    if rubric.has_score:
        differs |= np.abs(scores - judge.scores) > SAME_AS_LEVELS
    if (is_complete & differs).any():
        return np.zeros(len(is_complete), dtype=bool)
    return np.asarray(is_complete)


def _terms(column: Column, criteria: Sequence[Criterion]) -> ScoreTerms:
    split = _split(column)
    terms = [_of_criterion(column, criterion, split.get(criterion.name)) for criterion in criteria]
    return ScoreTerms(*(np.column_stack(arrays) for arrays in zip(*terms, strict=True)))


def _of_criterion(column: Column, criterion: Criterion, split: Flags | None) -> tuple[Floats | Flags, ...]:
    """The terms of one criterion, in the order of `ScoreTerms`."""
    levels = column.levels[criterion.name]
    is_rated = ~np.isnan(levels)
    does_not_apply = column.skipped[criterion.name] & ~is_rated
    if split is not None:
        does_not_apply &= ~split
    weights = np.where(is_rated & criterion.has_worth, criterion.weight, 0.0)
    gains = weights * np.nan_to_num(positions(criterion.scale, levels)) if criterion.has_worth else weights
    must = must_pass(criterion)
    is_fatal = is_rated & ~_passes(criterion, levels) if must else np.zeros_like(is_rated)
    return gains, weights, is_fatal, does_not_apply & must, is_rated | does_not_apply


def _passes(criterion: Criterion, levels: Floats) -> Flags:
    """Whether each level passes the criterion by itself, asked once for each level that was given."""
    given, index = np.unique(levels, return_inverse=True)
    passes = [level == level and criterion.passes(criterion.scale.position(level)) for level in given.tolist()]
    return np.asarray(np.array(passes, dtype=bool)[index.reshape(levels.shape)])


def _split(column: Column) -> dict[str, Flags]:
    """By criterion the examples on which annotators split evenly, so that gold has no level although somebody rated."""
    if not isinstance(column, Gold):
        return {}
    rows = {unit: index for index, unit in enumerate(column.ids)}
    flags: dict[str, Flags] = {}
    for unit, over in column.even_splits:
        flags.setdefault(over, np.zeros(len(rows), dtype=bool))[rows[unit]] = True
    return flags
