"""Comparison of a judge with gold from counts, with every figure that can be computed without single examples."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.limits import WrongName, decisions_compared
from markscheme.calibration.comparison.measure import OF_DECISION, OF_SCORE, CriterionComparison, Measure
from markscheme.calibration.comparison.repairs import Repairs, Totals
from markscheme.features.counts.counted_repairs import counted_repair
from markscheme.features.counts.counts_file import (
    ANNOTATORS_DECIDE_PART,
    ANNOTATORS_PART,
    DECISION_PART,
    GIVEN_PART,
    NO_ROWS,
    REPAIR_PREFIX,
    SCORE_PART,
    CountedRows,
    CountsFile,
    exact,
)
from markscheme.phrases import counted
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.gold import GOLD, JUDGE, Gold
from markscheme.ratings.table import Column, RatingTable, merits
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats import Estimate
from markscheme.stats.agreement_figures import (
    AgreementFigures,
    AnnotatorShares,
    ToleranceTies,
    agreement_figures,
    close,
    tolerance_ties,
)
from markscheme.stats.coefficients import agreement
from markscheme.stats.decision_figures import DecisionFigures, SideShare, side_share
from markscheme.stats.intervals import Floats, Groups
from markscheme.stats.severity import error_family, yes_no_family
from markscheme.stats.shares import grouped_share

TWICE_LABELLED = 0.9
"""Smallest share of examples with two annotators at which a set counts as labelled twice."""


@dataclass(frozen=True)
class CountedGold(Gold):
    """Gold labels of a counts file, which has no single examples.

    Attributes:
        counts: The counts file's content.
    """

    counts: CountsFile = field(kw_only=True)

    @property
    def n(self) -> int:
        """Number of examples that the counts file counts."""
        return self.counts.examples

    @property
    def n_groups(self) -> int | None:
        """Number of groups of the counted examples; None if the counts name no groups."""
        return self.counts.n_groups

    @property
    def group_sizes(self) -> list[int]:
        """Number of examples in each group, of those that both gold and the judge score.

        If the counts name no groups, the list is [1], which says that each example is a group of its own.
        """
        rates = self.counts.parts.get("rate:agreement")
        if rates is None or not self.counts.n_groups:
            return [1] * min(self.n, 1)
        sizes = np.repeat(rates.judge, rates.n.astype(np.int64))
        return [int(size) for size in sizes.tolist()]

    @property
    def few_labelled_twice(self) -> int:
        """Number of examples that two annotators rated on some criterion, if these are too few for two to count."""
        if self.reference != "one-person":
            return 0
        rows = map(self.counts.rows_of, self.levels)
        return max((round(rows.groups.count((~np.isnan(rows.people)).sum(axis=1) >= 2)) for rows in rows), default=0)

    @property
    def stands_for_outputs(self) -> bool:
        """True if the labels are by annotators; counted examples are then taken as a random sample of outputs."""
        return self.has_people


@dataclass(frozen=True)
class CountedComparison(Comparison):
    """Comparison of a judge with gold from a counts file, which has numbers of examples instead of single ones.

    Attributes:
        counts: The counts file's content.
    """

    counts: CountsFile = field(kw_only=True)

    @cached_property
    def scores_counted(self) -> CountedRows:
        """Rows that count examples by gold's score and the judge's score.

        A counts file rounds scores; here a score such as 0.333333333 is the fraction 1/3 again.
        """
        rows = self.counts.rows_of(SCORE_PART)
        return replace(rows, gold=exact(rows.gold), judge=exact(rows.judge))

    @property
    def graded(self) -> int:
        """Number of examples that the judge graded."""
        rows = self.counts.rows_of(SCORE_PART if self.rubric.has_score else DECISION_PART)
        return rows.groups.count(~np.isnan(rows.judge))

    @property
    def scored(self) -> int:
        """Number of examples with a value to compare (score, decision or level) from both judge and gold."""
        rows = self.rows_compared
        return rows.groups.count(~np.isnan(rows.gold) & ~np.isnan(rows.judge))

    @cached_property
    def rows_compared(self) -> CountedRows:
        """Counted rows with gold's and the judge's value to compare, 0 to 1: score, decision or a criterion's level."""
        of = self.measure.of
        if isinstance(of, Criterion):
            rows = self.counts.rows_of(of.name)
            gold, judge, people = (merits(of, levels) for levels in (rows.gold, rows.judge, rows.people))
            return replace(rows, gold=gold, judge=judge, people=people)
        rows = self.counts.rows_of(DECISION_PART) if of == OF_DECISION else self.scores_counted
        return replace(rows, people=np.full((len(rows.n), 0), np.nan))

    @cached_property
    def _annotator_shares(self) -> AnnotatorShares | None:
        """Shares of annotators who agree with each other, the judge and the best constant; None if not counted."""
        names = {OF_SCORE: ANNOTATORS_PART, OF_DECISION: ANNOTATORS_DECIDE_PART}
        rows = self.counts.parts.get(names.get(self.measure.name, ""))
        if rows is None or isinstance(self.measure.of, Criterion) or not rows.people.shape[1]:
            return None
        return AnnotatorShares(exact(rows.gold), exact(rows.judge), exact(rows.people[:, 0]), rows.groups)

    @property
    def counted_constants(self) -> Floats | tuple[float, ...] | None:
        """Candidates for the best constant answer: all scores given, or all possible values of a decision or level."""
        constants = self.counts.rows_of(GIVEN_PART)
        return exact(constants.gold) if self.measure.name == OF_SCORE and len(constants.n) else self.measure.constants

    @cached_property
    def figures(self) -> AgreementFigures:
        """Shares of agreement behind the verdict: of the judge, of the best constant answer, and of annotators."""
        rows = self.rows_compared
        by_rows = agreement_figures(
            rows.gold,
            rows.judge,
            rows.people if self._annotator_shares is None else self._annotator_shares,
            tolerance=self.tolerance,
            groups=rows.groups,
            constants=self.counted_constants,
        )
        rates = self.counts.parts.get("rate:agreement")
        if rates is None or self.measure.name != OF_SCORE or self.tolerance != self.rubric.tolerance:
            return by_rows
        return replace(by_rows, agreement=grouped_share(*rates.as_rates))

    @cached_property
    def has_uneven_annotators(self) -> bool:
        """True if some pairs of annotators share more examples than others; always False, as counts don't show this."""
        return False

    @cached_property
    def ties(self) -> ToleranceTies:
        """Number of examples whose difference equals the tolerance, and the share of agreement if these agreed.

        In all other figures these examples count as disagreement.
        """
        rows = self.rows_compared
        return tolerance_ties(rows.gold, rows.judge, tolerance=self.tolerance, groups=rows.groups)

    @cached_property
    def decision_figures(self) -> DecisionFigures:
        """Shares of right decisions: of all of them, of gold's fails (stops), and of gold's passes (keeps)."""
        rows = self.counts.rows_of(DECISION_PART)
        by_rows = decisions_compared(rows.judge, rows.gold, groups=rows.groups)
        return replace(by_rows, stops=self._side("stops", by_rows.stops), keeps=self._side("keeps", by_rows.keeps))

    def _side(self, name: str, of_decisions: SideShare) -> SideShare:
        """Return the share of gold's fails that the judge stops (fails too), or of gold's passes that it keeps.

        If the counts file has shares by group, the bounds allow for groups.

        Args:
            name: "stops" for the share of fails, "keeps" for that of passes.
            of_decisions: The share without groups, which is returned if the counts file has no shares by group.
        """
        rates = self.counts.parts.get(f"rate:{name}")
        if rates is None:
            return of_decisions
        share = grouped_share(*rates.as_rates)
        return SideShare(round(float(rates.gold @ rates.n)), round(float(rates.judge @ rates.n)), share, share)

    @cached_property
    def overall(self) -> Mapping[str, Estimate]:
        """Estimates of the judge's error in score, and of its agreement on pass or fail, by name."""
        scores = self.scores_counted
        rows = self.counts.rows_of(DECISION_PART)
        decided = np.column_stack([rows.gold, rows.judge])
        decided[np.isnan(decided).any(axis=1)] = np.nan
        return {
            **error_family(scores.gold, scores.judge, groups=scores.groups, levels=[0.0, 1.0]),
            "pass_kappa": agreement(decided, "cohen_kappa", levels=[0.0, 1.0], groups=rows.groups),
            **yes_no_family(rows.gold, rows.judge, groups=rows.groups),
        }

    def compared_on(self, criterion: Criterion) -> CriterionComparison:
        """Return the comparison of judge and gold on a criterion."""
        rows = self.counts.rows_of(criterion.name)
        return CriterionComparison(
            criterion, rows.gold, rows.judge, lambda: rows.people, rows.groups, self.measure.level_figures
        )

    @cached_property
    def decisions_counted(self) -> tuple[Floats, Floats, Floats]:
        """Gold's and the judge's decision in each counted row, and the row's number of examples."""
        rows = self.counts.rows_of(DECISION_PART)
        return rows.gold, rows.judge, rows.n

    @property
    def values_counted(self) -> tuple[Floats, Floats, Floats]:
        """Gold's and the judge's value to compare in each counted row, and the row's number of examples."""
        rows = self.rows_compared
        return rows.gold, rows.judge, rows.n

    @cached_property
    def repairs(self) -> Repairs | None:
        """For each criterion, how decisions would change if the judge were right on it; None if the file can't say."""
        parts = {
            criterion.name: self.counts.parts.get(f"{REPAIR_PREFIX}{criterion.name}")
            for criterion in self.rubric.decisive
        }
        if not any(rows is not None for rows in parts.values()):
            return None
        totals = self._wrong_totals
        single = {name: counted_repair(name, rows or NO_ROWS, totals) for name, rows in parts.items()}
        return Repairs(totals, single, None, None)

    @property
    def _wrong_totals(self) -> Totals:
        """Numbers of false passes, of false fails, and of scores that differ from gold's by the tolerance or more."""
        rows = self.counts.rows_of(DECISION_PART)
        scores = self.scores_counted
        off = close(scores.gold, scores.judge, self.rubric.tolerance) == 0
        false_passes, false_fails = (
            rows.groups.count((rows.judge == judge) & (rows.gold == 1 - judge)) for judge in (1, 0)
        )
        return Totals(false_passes, false_fails, scores.groups.count(off))

    @cached_property
    def false_passes(self) -> list[str]:
        """Ids of false passes; always empty, as counts hold no ids."""
        return []

    @cached_property
    def false_fails(self) -> list[str]:
        """Ids of false fails; always empty, as counts hold no ids."""
        return []

    def _wrong(self, name: WrongName) -> SideShare:
        figures = self.decision_figures
        side = figures.stops if name == "false_pass" else figures.keeps
        rows = self.counts.rows_of(DECISION_PART)
        rates = self.counts.parts.get("rate:stops" if name == "false_pass" else "rate:keeps")
        if rates is None:
            of_gold = 0.0 if name == "false_pass" else 1.0
            return side_share(rows.gold, rows.judge, of=of_gold, counts=1 - of_gold, groups=rows.groups)
        share, groups = rates.as_rates
        of_wrong = grouped_share(1 - share, groups)
        return SideShare(side.of - side.hits, side.of, of_wrong, of_wrong)


def compare_counts(counts: CountsFile, rubric: Rubric, measure: Measure) -> CountedComparison:
    """Compare a judge with gold on everything that a counts file counts.

    Args:
        counts: The counts file's content.
        rubric: The rubric of the counts.
        measure: The measure by which judge and gold are compared.
    """
    names = [criterion.name for criterion in rubric.criteria]
    nothing = np.zeros(0)
    empty: dict[str, Any] = {
        "levels": dict.fromkeys(names, nothing),
        "skipped": {name: np.zeros(0, dtype=bool) for name in names},
        "scores": nothing,
        "decisions": nothing,
        "given": RatingCodes(),
        "sources": np.zeros(0, dtype=np.int64),
    }
    people = _annotators(counts, rubric)
    gold = CountedGold(
        GOLD,
        "human",
        **empty,
        examples=(),
        kinds={"human": max(1, people)},
        reference="people" if _is_labelled_twice(counts, rubric) else "one-person",
        people=RatingCodes(),
        counts=counts,
    )
    table = RatingTable(rubric, (), (gold, Column(JUDGE, "model", **empty)), examples=())
    return CountedComparison(table, JUDGE, GOLD, measure, counts=counts)


def _annotators(counts: CountsFile, rubric: Rubric) -> int:
    """Return the number of annotators who have any rating in the counts."""
    rated = [~np.isnan(counts.rows_of(criterion.name).people).all(axis=0) for criterion in rubric.criteria]
    return int(np.logical_or.reduce(rated).sum()) if rated else 0


def _is_labelled_twice(counts: CountsFile, rubric: Rubric) -> bool:
    """Return True if, on some criterion, two annotators rated at least nine in ten of the labelled examples."""
    return any(_twice(counts.rows_of(criterion.name)) for criterion in rubric.criteria)


def _twice(rows: CountedRows) -> bool:
    rated = (~np.isnan(rows.people)).sum(axis=1)
    groups: Groups = rows.groups
    return groups.count(rated >= 2) >= TWICE_LABELLED * max(1, groups.count(rated >= 1))


def in_words(counts: CountsFile) -> str:
    """Return a phrase on how many examples and groups were counted, such as "24 examples in 6 groups"."""
    examples = counted(counts.examples, "example")
    return examples if not counts.n_groups else f"{examples} in {counted(counts.n_groups, 'group')}"
