"""Gold, the reference of a comparison: the labels of an example set combined into one column."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import compress
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from markscheme.errors import ComparisonError
from markscheme.grading.score import ROUNDING, decision_of_levels, must_pass
from markscheme.ratings.code_arrays import equal_rows, header_values, rater_numbers, rows_in
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.example_rows import Example, labels_of, taken, values_of
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import KINDS, PEOPLE, Kind
from markscheme.ratings.rating import Rating
from markscheme.ratings.second_labels import LABELLED_TWICE
from markscheme.ratings.table import (
    Column,
    RatingTable,
    coded_levels,
    column_of,
    earned_score,
    groups_of,
    rating_table,
    stacked,
)
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.annotators import GoldRule, gold
from markscheme.stats.intervals import Flags, Floats, group_numbers

GOLD = "gold"
"""Name of the gold column in a table."""
JUDGE = "judge"
"""Name of the judge's column if there is only one judge."""
HALF_PASS = 0.5
"""Share of annotators who decide pass if annotators are evenly split."""
SPLIT_DECISION = "pass or fail"
"""Name for what annotators are split over, if they decided on whole responses."""


@dataclass(frozen=True)
class Gold(Column):
    """The reference that a judge is compared with: each example's gold levels, score and decision, and their labels.

    Attributes:
        examples: The examples that have gold, in order.
        kinds: Number of raters of each kind who labelled.
        reference: The kind of gold: "adjudicated", "people", "one-person", "constructed" or "model".
        people: Labels of single annotators, without adjudicated ones.
        set_aside: Number of examples whose labels are of a weaker kind than those that count.
        not_blind: Number of labels that count and were given with the judge's verdict shown.
        even_splits: For each even split of annotators, which leaves no gold, the example's id, and the yes/no criterion
            or `SPLIT_DECISION` on which they are split.
        annotators: The table of `people`, if gold was made from it; None if it has to be made.
        labelled_twice: Flags of the examples with labels of two annotators or an adjudicated label, shape
            (n_examples,); None if that isn't known, as of an earlier report.
    """

    examples: Sequence[Example]
    kinds: Mapping[str, int]
    reference: str
    people: RatingCodes
    set_aside: int = 0
    not_blind: int = 0
    even_splits: tuple[tuple[str, str], ...] = ()
    annotators: RatingTable | None = None
    labelled_twice: Flags | None = None

    def rows(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> Self:
        places = np.arange(len(self.examples))[chosen].tolist()
        ids = {self.ids[index] for index in places}
        return replace(
            super().rows(chosen),
            examples=taken(self.examples, places),
            even_splits=tuple((unit, over) for unit, over in self.even_splits if unit in ids),
            annotators=None,
            labelled_twice=None if self.labelled_twice is None else self.labelled_twice[chosen],
        )

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Ids of the examples that gold is about, in order."""
        return tuple(values_of(self.examples, "id"))

    @cached_property
    def held_out_ids(self) -> frozenset[str]:
        """Ids of the held-out examples, whose texts people don't read."""
        return frozenset(compress(self.ids, values_of(self.examples, "is_held_out")))

    @cached_property
    def labels(self) -> RatingCodes:
        """All labels of the examples that gold is about, including those that don't count as gold."""
        return labels_of(self.examples)

    def labelled_by(self, kind: str) -> Flags:
        """Return flags, shape (n_examples,), of the examples with a label from a kind of rater, such as "human"."""
        is_labelled = np.zeros(len(self.ids), dtype=bool)
        if all(header.kind != kind for header in self.labels.headers):
            return is_labelled
        rows = rows_in(self.ids, self.labels)
        is_labelled[rows[(rows >= 0) & header_values(self.labels, lambda label: label.kind == kind, bool)]] = True
        return is_labelled

    @cached_property
    def groups(self) -> tuple[str, ...] | None:
        """Group of each example, by name; None if no example names a group."""
        return groups_of(self.ids, values_of(self.examples, "group"))

    @property
    def n(self) -> int:
        """Number of examples with gold."""
        return len(self.examples)

    @property
    def n_groups(self) -> int | None:
        """Number of groups of the examples; None if no example names a group."""
        return None if self.groups is None else group_numbers(self.groups, self.n)[1]

    @property
    def group_sizes(self) -> list[int]:
        """Number of examples in each group; 1 for each example if no example names a group."""
        return list(Counter(self.groups or self.ids).values())

    @property
    def decided(self) -> dict[str, bool]:
        """Gold's decision, True for pass, by the ids of the examples that have one."""
        places = np.flatnonzero(~np.isnan(self.decisions)).tolist()
        return {self.ids[index]: bool(self.decisions[index]) for index in places}

    @property
    def has_people(self) -> bool:
        """True if gold comes from labels that people gave."""
        return self.reference in ("adjudicated", "people", "one-person")

    @property
    def few_labelled_twice(self) -> int | None:
        """Number of examples with two annotators or an adjudicated label, if too few for "people" as `reference`.

        The number is 0 if `reference` isn't "one-person", or if only one annotator labelled; None if it isn't known.
        """
        if self.reference != "one-person" or self.kinds.get("human", 0) < 2:
            return 0
        return None if self.labelled_twice is None else int(self.labelled_twice.sum())

    @cached_property
    def picked_by_hand(self) -> Flags:
        """Flags of the examples that were picked by hand, so that they say nothing about other responses."""
        return np.asarray(values_of(self.examples, "is_picked_by_hand"), dtype=np.bool_)

    @cached_property
    def picked(self) -> Flags:
        """Flags of examples that represent no others: picked by hand, or by verdict with unrecorded chances."""
        if any(values_of(self.examples, "stratum")) or set(values_of(self.examples, "weight")) - {1}:
            return self.picked_by_hand
        return np.asarray(self.picked_by_hand | (np.array(values_of(self.examples, "drawn")) == "by-verdict"))

    @property
    def n_picked(self) -> int:
        """Number of examples picked by hand, or by a judge's verdict with a probability that isn't recorded.

        Such examples aren't a sample from which other outputs can be judged.
        """
        return int(self.picked.sum())

    @property
    def n_answered(self) -> int:
        """Number of examples, except picked ones, whose labels are complete or give a score or a decision.

        An even split of annotators is complete: a person can still settle it.
        """
        answers = [~np.isnan(levels) | self.skipped.get(name, False) for name, levels in self.levels.items()]
        split = np.isin(self.ids, [unit for unit, _ in self.even_splits])
        counts = np.all(answers, axis=0) | ~np.isnan(self.scores) | ~np.isnan(self.decisions) | split
        return int((counts & ~self.picked).sum())

    @property
    def stands_for_outputs(self) -> bool:
        """True if gold can represent all outputs: people gave it, and not all examples were picked."""
        return self.has_people and self.n_picked < len(self.examples)

    def table(self, rubric: Rubric, *columns: Column) -> RatingTable:
        """Return a table with gold, a column for each annotator, and the given columns."""
        people = self.annotators
        if people is None or people.rubric != rubric:
            people = rating_table(rubric, self.ids, self.people)
        return RatingTable(rubric, self.ids, (self, *people.columns, *columns), self.groups, self.examples)

    def judged(self, rubric: Rubric, ratings: Iterable[Rating], name: str = JUDGE) -> RatingTable:
        """Return a table with gold, the annotators, and a judge's ratings as the column `name`."""
        return self.table(rubric, column_of(name, ratings, rubric, self.ids))


def gold_of(examples: ExampleSet, rubric: Rubric, *, kind: Kind | None = None, by: GoldRule = "median") -> Gold:
    """Combine the labels of an example set into its gold.

    For each criterion, the labels of an example's strongest kind count: adjudicated, else annotators', else
    constructed, else a model's. If annotators have labelled any example, examples that only other kinds have labelled
    are excluded. An even split of yes and no leaves no gold for the criterion. It also leaves the example without a
    score or decision, if that depends on the answer.

    Args:
        examples: The examples with their labels.
        rubric: The rubric of the labels.
        kind: The only kind of labels that counts; None for the strongest kind.
        by: Rule by which the labels of several raters are combined, such as "median".

    Raises:
        ComparisonError: No example is labelled, or there are no labels of `kind`.
    """
    labels = examples.labels if kind is None else examples.labels.of_kinds((kind,))
    allowed = _kinds_that_count(labels) if kind is None else (kind,)
    counted = labels.of_kinds(allowed)
    if not counted:
        wanted = "a label" if kind is None else f"labels of kind {kind!r}"
        raise ComparisonError(f"no example has {wanted} to compare with{examples.searched}")
    labelled = set(counted.ids)
    are_labelled = np.fromiter(map(labelled.__contains__, values_of(examples.examples, "id")), dtype=bool)
    labelled_examples = taken(examples.examples, np.flatnonzero(are_labelled).tolist())
    ids = tuple(values_of(labelled_examples, "id"))
    table = rating_table(rubric, ids, counted)
    middles, used = _levels(table, by)
    skipped = {name: np.any([column.skipped[name] for column in table.columns], axis=0) for name in middles}
    splits = _even_splits(rubric, middles, by)
    levels = {name: np.where(splits[name], np.nan, of_criterion) for name, of_criterion in middles.items()}
    combined = _CombinedLevels(rubric, middles, skipped, splits)
    scores = _scores(counted, ids, combined, by)
    passed, are_split = _decisions(counted, ids, combined, scores)
    in_words = {**splits, **_split_categories(table, middles), SPLIT_DECISION: are_split}
    people = counted.of_kinds(("human",))
    reference, is_twice = _reference(counted, ids, used)
    raters: Counter[str] = Counter(kind_of_rater for kind_of_rater, _ in _raters(counted))
    return Gold(
        name=GOLD,
        kind=next(kind for kind in KINDS if kind in allowed),
        levels=coded_levels(levels),
        skipped=skipped,
        scores=scores,
        decisions=passed,
        given=RatingCodes(),
        sources=np.full(len(ids), -1),
        examples=labelled_examples,
        kinds={kind_of_rater: raters[kind_of_rater] for kind_of_rater in KINDS if raters[kind_of_rater]},
        reference=reference,
        people=people,
        set_aside=0 if counted is labels else len(set(labels.ids) - labelled),
        not_blind=sum(times for label, times in counted.header_counts() if not label.blind),
        even_splits=tuple(
            (ids[index], over) for over, are_split in in_words.items() for index in np.flatnonzero(are_split).tolist()
        ),
        annotators=table if people is counted else None,
        labelled_twice=is_twice,
    )


def given_gold(
    rubric: Rubric, examples: Sequence[Example], ratings: Iterable[Rating], *, reference: str, kinds: Mapping[str, int]
) -> Gold:
    """Make gold from the gold ratings, one per example, that an earlier report holds.

    Args:
        rubric: The rubric.
        examples: The examples, in the report's order.
        ratings: The gold ratings.
        reference: The kind of gold, such as "adjudicated" or "people".
        kinds: Number of raters of each kind who labelled.
    """
    column = column_of(GOLD, ratings, rubric, [example.id for example in examples])
    fields_of_column = {of.name: getattr(column, of.name) for of in fields(column)}
    return Gold(**fields_of_column, examples=tuple(examples), kinds=kinds, reference=reference, people=RatingCodes())


def no_gold(rubric: Rubric) -> Gold:
    """Make an empty gold, without any example."""
    return given_gold(rubric, (), (), reference="one-person", kinds={})


def _raters(labels: RatingCodes) -> set[tuple[Kind, str]]:
    """Return all raters who gave at least one of the labels, each as kind and name."""
    return {(label.kind, label.rater) for label, _ in labels.header_counts()}


def _kinds_that_count(labels: RatingCodes) -> tuple[str, ...]:
    present = {kind for kind, _ in _raters(labels)}
    return PEOPLE if present & set(PEOPLE) else ("constructed", "model")


def _levels(table: RatingTable, by: GoldRule) -> tuple[dict[str, Floats], set[str]]:
    """Return gold levels by criterion, each from the example's most trusted kind of rater, and the kinds used."""
    levels: dict[str, Floats] = {}
    used: set[str] = set()
    for criterion in table.rubric.criteria:
        of_criterion = np.full(len(table.ids), np.nan)
        for kind in KINDS:
            of_kind = [column for column in table.columns if column.kind == kind]
            if not of_kind or not np.isnan(of_criterion).any():
                continue
            theirs = gold(stacked(of_kind, criterion.name), by=by if criterion.scale.ordered else "majority")
            fills = np.isnan(of_criterion) & ~np.isnan(theirs)
            of_criterion[fills] = theirs[fills]
            used |= {kind} if fills.any() else set()
        levels[criterion.name] = of_criterion
    return levels, used


def _even_splits(rubric: Rubric, levels: Mapping[str, Floats], by: GoldRule) -> dict[str, Flags]:
    """Return, by criterion, flags of the examples on which annotators split evenly between yes and no.

    Args:
        rubric: The rubric.
        levels: Gold levels by criterion, each of shape (n_examples,); one between yes and no is an even split.
        by: Rule by which the labels of several raters are combined.
    """
    return {
        criterion.name: (
            ~np.isnan(levels[criterion.name]) & ~np.isin(levels[criterion.name], criterion.scale.values)
            if criterion.scale.halves_decide_nothing and by == "median"
            else np.zeros(len(levels[criterion.name]), dtype=bool)
        )
        for criterion in rubric.criteria
    }


def _split_categories(table: RatingTable, levels: Mapping[str, Floats]) -> dict[str, Flags]:
    """Map each criterion whose levels are categories to flags of the examples on which categories tie for most labels.

    An example without a label isn't flagged.
    """
    flags = {}
    for criterion in table.rubric.categories:
        labelled = ~np.isnan(stacked(table.columns, criterion.name)).all(axis=1)
        flags[criterion.name] = labelled & np.isnan(levels[criterion.name])
    return flags


class _CombinedLevels(NamedTuple):
    """Levels to which several raters' labels combine, by example and criterion, and where they are tied.

    Attributes:
        rubric: The rubric.
        levels: Levels by criterion, each of shape (n_examples,): halfway on an even split, nan without a label.
        skipped: Flags of the examples to which a criterion doesn't apply, by criterion.
        splits: Flags of the examples on which annotators split evenly, by criterion.
    """

    rubric: Rubric
    levels: Mapping[str, Floats]
    skipped: Mapping[str, Flags]
    splits: Mapping[str, Flags]

    @property
    def columns(self) -> list[Floats | Flags]:
        """All levels and flags, one array each; examples that are equal in all of them have the same score."""
        return [*self.levels.values(), *self.skipped.values(), *self.splits.values()]

    def answers_at(self, index: int) -> dict[str, float]:
        """Return the levels of the example at an index, by criterion; criteria without a level are left out."""
        answers = {name: float(of_criterion[index]) for name, of_criterion in self.levels.items()}
        return {name: level for name, level in answers.items() if not np.isnan(level)}

    def earned(self, index: int, answers: Mapping[str, float]) -> float | None:
        """Return the score that the example at an index has with these levels."""
        not_applicable = [name for name, does_not_apply in self.skipped.items() if does_not_apply[index]]
        return earned_score(answers, not_applicable, self.rubric)

    def either_way(self, index: int) -> tuple[dict[str, float], dict[str, float]] | None:
        """Return an example's levels with even splits as the worse answer, then as the better one.

        Return None if the example has no even split.
        """
        split = [criterion for criterion in self.rubric.criteria if self.splits[criterion.name][index]]
        if not split:
            return None
        answers = self.answers_at(index)
        worse: dict[str, float] = {}
        better: dict[str, float] = {}
        for criterion in split:
            low, high = criterion.scale.ends
            worse[criterion.name] = low if criterion.weight > 0 else high
            better[criterion.name] = high if criterion.weight > 0 else low
        return {**answers, **worse}, {**answers, **better}

    def score_at(self, index: int) -> float:
        """Return the score of the example at an index; nan if levels are missing, or if even splits decide it."""

        def earned(answers: Mapping[str, float]) -> float:
            score = self.earned(index, answers)
            return np.nan if score is None else score

        outcomes = self.either_way(index)
        width = 0.0 if outcomes is None else earned(outcomes[1]) - earned(outcomes[0])
        return np.nan if width >= 2 * self.rubric.tolerance - ROUNDING else earned(self.answers_at(index))

    def decision_at(self, index: int, score: float | None, *, keeps_score: bool) -> float:
        """Return an example's decision: 1 for pass, 0 for fail, nan if it depends on how even splits are resolved.

        Args:
            index: Index of the example.
            score: The example's score; None if it has none.
            keeps_score: True if the score is independent of how even splits are resolved.
        """
        outcomes = self.either_way(index) or (self.answers_at(index),)
        settled_score = None if score is None or np.isnan(score) else score
        decisions = {
            _passes(answers, settled_score if keeps_score else self.earned(index, answers), self.rubric)
            for answers in outcomes
        }
        return decisions.pop() if len(decisions) == 1 else np.nan


def _scores(labels: RatingCodes, ids: tuple[str, ...], combined: _CombinedLevels, by: GoldRule) -> Floats:
    """Return the gold scores, shape (n_examples,).

    If raters gave an example overall scores, those of the strongest kind of raters are combined: by their mean if `by`
    is "mean", else by their median. Otherwise the score is computed from the gold levels; nan if even splits leave too
    wide a range of possible scores.

    Args:
        labels: All labels.
        ids: Ids of the examples.
        combined: The levels that the labels come to.
        by: Rule by which the labels of several raters are combined.
    """
    scores = np.full(len(ids), np.nan)
    for kind in KINDS:
        scored = labels.of_kinds((kind,)).where(lambda label: label.overall is not None)
        if scored:
            whole = rating_table(combined.rubric, ids, scored)
            theirs = gold(stacked(whole.columns), by="mean" if by == "mean" else "median")
            scores = np.where(np.isnan(scores), theirs, scores)
    first, kind_of_row = equal_rows(combined.columns, len(scores))
    earned = np.array([combined.score_at(index) for index in first.tolist()], dtype=np.float64)
    return np.where(np.isnan(scores), earned[kind_of_row], scores)


def _decisions(
    labels: RatingCodes, ids: tuple[str, ...], combined: _CombinedLevels, scores: Floats
) -> tuple[Floats, Flags]:
    """Return gold's decisions (1 pass, 0 fail, nan none), and flags of examples on which raters' decisions tie.

    If raters gave decisions, the majority of the strongest kind of raters counts, adjudicators before annotators.
    Otherwise the decision follows from score and required criteria; it is nan if raters are evenly split on a level,
    and either level would give another decision.

    Args:
        labels: All labels.
        ids: Ids of the examples.
        combined: Gold's level by example and criterion, combined from all labels.
        scores: Gold's scores.
    """
    rubric = combined.rubric
    passed = np.where(np.isnan(scores), np.nan, scores >= rubric.pass_mark - ROUNDING).astype(np.float64)
    if not rubric.decides:
        passed[:] = np.nan
    needs_levels = any(map(must_pass, rubric.criteria))
    is_split = np.any([combined.splits[criterion.name] for criterion in rubric.criteria], axis=0)
    depends = is_split | (passed == 1) & needs_levels | (not rubric.has_score)
    if rubric.decides and depends.any():
        scored = set(labels.where(lambda label: label.overall is not None).ids)
        is_scored = np.array([unit in scored for unit in ids], dtype=bool)
        first, kind_of_row = equal_rows([*combined.columns, scores, is_scored], len(scores))
        by_levels = np.full(len(first), np.nan)
        for number in np.unique(kind_of_row[depends]).tolist():
            index = first[number]
            keeps_score = bool(is_scored[index]) or not is_split[index]
            score = float(scores[index]) if keeps_score else None
            by_levels[number] = combined.decision_at(index, score, keeps_score=keeps_score)
        passed[depends] = by_levels[kind_of_row[depends]]
    are_split = np.zeros(len(ids), dtype=bool)
    open_still = np.ones(len(ids), dtype=bool)
    for kind in KINDS:
        deciding = labels.of_kinds((kind,)).where(lambda label: label.passed is not None)
        if deciding:
            columns = rating_table(rubric, ids, deciding).columns
            votes = np.column_stack([column.decisions for column in columns])
            decided = open_still & ~np.isnan(votes).all(axis=1)
            share = gold(votes, by="mean")
            are_split |= decided & (share == HALF_PASS)
            passed = np.where(decided, np.where(share == HALF_PASS, np.nan, share > HALF_PASS), passed)
            open_still &= ~decided
    return passed, are_split


def _passes(answers: Mapping[str, float], score: float | None, rubric: Rubric) -> float:
    """Return 1 if an example with these levels and this score passes, 0 if it fails, nan if the rubric can't tell."""
    passes = decision_of_levels(score, answers, rubric)
    return np.nan if passes is None else float(passes)


def _reference(labels: RatingCodes, ids: tuple[str, ...], used: set[str]) -> tuple[str, Flags]:
    """Name the kind of labels that gold comes from, such as "people" or "model": the weakest kind among them.

    Also return flags of the examples with labels of two annotators or an adjudicated label. "people" means that at
    least 90% of the examples have labels of two annotators or are adjudicated, "adjudicated" that all are adjudicated.

    Args:
        labels: The labels that gold is made from; each is of one of the examples `ids`.
        ids: Ids of the examples with gold.
        used: The kinds of labels that count; empty if all of `labels` do.
    """
    raters = _raters(labels)
    kinds = used or {kind for kind, _ in raters}
    is_twice = np.zeros(len(ids), dtype=bool)
    if kinds & {"model", "code"}:
        return "model", is_twice
    if "constructed" in kinds:
        return "constructed", is_twice
    if len({rater for _, rater in raters}) == 1 and not any(kind == "adjudicated" for kind, _ in raters):
        return "one-person", is_twice  # without a set for each example
    rows = rows_in(ids, labels)
    is_settled = np.zeros(len(ids), dtype=bool)
    is_settled[rows[header_values(labels, lambda label: label.kind == "adjudicated", bool)]] = True
    _, number = rater_numbers(labels, lambda label: label.rater)
    one_rater = np.zeros(len(ids), dtype=np.int64)
    one_rater[rows] = number
    is_twice |= is_settled
    is_twice[rows[number != one_rater[rows]]] = True
    if is_settled.all():
        return "adjudicated", is_twice
    return "people" if is_twice.sum() >= LABELLED_TWICE * len(ids) else "one-person", is_twice
