"""Two raters on the same submissions to a Comparison of Estimates: a judge and gold, two judges, then and now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.errors import ComparisonError
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.rating import (
    KINDS,
    PEOPLE,
    Kind,
    Rating,
    RatingTable,
    level_table,
    merits,
    overall_of,
    score_table,
)
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.score import ROUNDING, score_of_levels
from markscheme.stats import Estimate
from markscheme.stats.agreement import Metric, cohen_kappa, two_raters
from markscheme.stats.people import BesidePeople, Ceiling, GoldRule, beside_people, ceiling, gold
from markscheme.stats.severity import agreement_constant, confusion, error_family, within_tolerance, yes_no_family

Floats = npt.NDArray[np.float64]
MOST_RATER_COLUMNS = 6
"""Raters beyond this are compared as first, second, third rating of an example: few pairs of them share enough."""


@dataclass(frozen=True)
class Gold:
    """What a judge is held to: one level a criterion and one score an example, and how they came about.

    Attributes:
        examples: Those that have gold, in order.
        levels: Gold levels by criterion, each of shape (n_examples,); nan where there is none.
        overall: Gold scores, shape (n_examples,); nan where there is none.
        passed: Gold decisions, shape (n_examples,), 1 for pass; nan where there is none.
        kinds: How many raters of each kind labelled.
        reference: What the gold is worth: adjudicated, people, one-person, constructed or model.
        people: Labels of single people, adjudicated ones left aside.
        set_aside: Examples whose labels are of a weaker kind than those that count.
        not_blind: Labels that count and were given with the judge's verdict in sight.
    """

    examples: tuple[Example, ...]
    levels: Mapping[str, Floats]
    overall: Floats
    passed: Floats
    kinds: Mapping[str, int]
    reference: str
    people: tuple[Rating, ...]
    set_aside: int = 0
    not_blind: int = 0

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The examples' ids, in order."""
        return tuple(example.id for example in self.examples)

    @cached_property
    def groups(self) -> list[str] | None:
        """A group for each example, where any names one; an example without is a group of its own."""
        if not any(example.group for example in self.examples):
            return None
        return [f"group {example.group}" if example.group else f"example {example.id}" for example in self.examples]


def gold_of(examples: ExampleSet, rubric: Rubric, *, kind: Kind | None = None, by: GoldRule = "median") -> Gold:
    """The gold of an example set.

    For each criterion the strongest kind of label an example has counts: adjudicated, else people's, else
    constructed, else a model's; several raters of that kind give the level of `by`. Where people have labelled
    any example, those that only others have labelled are set aside.

    Raises:
        ComparisonError: Nothing is labelled, or nothing by `kind`.
    """
    labels = [label for label in examples.labels if kind is None or label.kind == kind]
    allowed = _kinds_that_count(labels) if kind is None else (kind,)
    counted = [label for label in labels if label.kind in allowed]
    if not counted:
        raise ComparisonError(
            f"no example has {'a label' if kind is None else f'labels of kind {kind!r}'} to compare with"
        )
    labelled = {label.id for label in counted}
    kept = tuple(example for example in examples.examples if example.id in labelled)
    ids = tuple(example.id for example in kept)
    levels, used = _gold_levels(counted, ids, rubric, by)
    overall = _gold_overall(counted, ids, rubric, levels, by)
    return Gold(
        examples=kept,
        levels=levels,
        overall=overall,
        passed=_gold_passes(counted, ids, rubric, levels, overall),
        kinds={
            k: len({label.rater for label in counted if label.kind == k})
            for k in KINDS
            if k in {label.kind for label in counted}
        },
        reference=_reference(counted, ids, used),
        people=tuple(label for label in counted if label.kind == "human"),
        set_aside=len({label.id for label in labels} - labelled),
        not_blind=sum(not label.blind for label in counted),
    )


def _kinds_that_count(labels: Iterable[Rating]) -> tuple[str, ...]:
    present = {label.kind for label in labels}
    return PEOPLE if present & set(PEOPLE) else ("constructed", "model")


def _gold_levels(
    labels: Sequence[Rating], ids: tuple[str, ...], rubric: Rubric, by: GoldRule
) -> tuple[dict[str, Floats], set[str]]:
    """For each criterion the level of the strongest kind that labelled it, and the kinds that were used."""
    levels: dict[str, Floats] = {}
    used: set[str] = set()
    of_kind = {kind: [label for label in labels if label.kind == kind] for kind in KINDS}
    for criterion in rubric.criteria:
        found = np.full(len(ids), np.nan)
        for kind in KINDS:
            if not of_kind[kind] or not np.isnan(found).any():
                continue
            table = level_table(of_kind[kind], ids, criterion.name)
            if not table.raters:
                continue
            theirs = gold(table.values, by=by if criterion.scale.ordered else "majority")
            fills = np.isnan(found) & ~np.isnan(theirs)
            found[fills] = theirs[fills]
            used |= {kind} if fills.any() else set()
        levels[criterion.name] = found
    return levels, used


def _gold_overall(
    labels: Sequence[Rating], ids: tuple[str, ...], rubric: Rubric, levels: Mapping[str, Floats], by: GoldRule
) -> Floats:
    """The score given to the whole, by the strongest kind that gave one; else what the gold levels earn."""
    overall = np.full(len(ids), np.nan)
    for kind in KINDS:
        given = [label for label in labels if label.kind == kind and label.overall is not None]
        if given:
            theirs = gold(score_table(given, ids, rubric).values, by="mean" if by == "mean" else "median")
            overall = np.where(np.isnan(overall), theirs, overall)
    row = {unit: place for place, unit in enumerate(ids)}
    skipped: dict[str, set[str]] = {}
    for label in labels:
        skipped.setdefault(label.id, set()).update(
            n for n, r in label.criteria.items() if r.declined == "not applicable"
        )
    for unit in ids:
        place = row[unit]
        if np.isnan(overall[place]):
            earned = _earned({name: found[place] for name, found in levels.items()}, skipped.get(unit, set()), rubric)
            overall[place] = np.nan if earned is None else earned
    return overall


def _earned(levels: Mapping[str, float], skipped: set[str], rubric: Rubric) -> float | None:
    said = {name: float(level) for name, level in levels.items() if not np.isnan(level)}
    if len(said) + len(skipped - said.keys()) < len(rubric.criteria):
        return None
    return score_of_levels(said, rubric, skipped - said.keys())


def _gold_passes(
    labels: Sequence[Rating], ids: tuple[str, ...], rubric: Rubric, levels: Mapping[str, Floats], overall: Floats
) -> Floats:
    """The decision given, by majority of the strongest kind that gave one; else whether score and required criteria
    pass."""
    required = [criterion for criterion in rubric.criteria if criterion.required]
    passed = np.where(np.isnan(overall), np.nan, overall >= rubric.pass_mark - ROUNDING).astype(np.float64)
    for criterion in required:
        fails = np.array(
            [
                not np.isnan(level) and not criterion.passes(criterion.scale.position(level))
                for level in levels[criterion.name]
            ]
        )
        passed = np.where(fails & ~np.isnan(passed), 0.0, passed)
    decided: dict[str, dict[str, list[bool]]] = {}
    for label in labels:
        if label.passed is not None:
            decided.setdefault(label.id, {}).setdefault(label.kind, []).append(label.passed)
    for place, unit in enumerate(ids):
        if unit in decided:
            share = float(np.mean(next(decided[unit][kind] for kind in KINDS if kind in decided[unit])))
            passed[place] = np.nan if share == 0.5 else float(share > 0.5)
    return passed


def _reference(labels: Sequence[Rating], ids: tuple[str, ...], used: set[str]) -> str:
    """What the gold is worth, by its weakest part: nine examples in ten must have two people for it to be people's."""
    kinds = used or {label.kind for label in labels}
    if kinds & {"model", "code"}:
        return "model"
    if "constructed" in kinds:
        return "constructed"
    by_example: dict[str, set[str]] = {}
    for label in labels:
        by_example.setdefault(label.id, set()).add("adjudicated" if label.kind == "adjudicated" else label.rater)
    settled = sum("adjudicated" in raters for raters in by_example.values())
    twice = sum("adjudicated" in raters or len(raters) >= 2 for raters in by_example.values())
    if settled == len(ids):
        return "adjudicated"
    return "people" if twice >= 0.9 * len(ids) else "one-person"


# --- the comparison -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CriterionComparison:
    """A judge beside gold on one criterion.

    Attributes:
        criterion: Which.
        gold: Gold levels, shape (n_examples,), nan where there is none.
        judge: The judge's levels, likewise.
        people: Levels of single people, shape (n_examples, n_people), nan where one gave none; many raters of a few
            examples each stand as first, second, … rating of an example.
        statistics: Estimates by the names of the JSON format; errors in levels.
        ceiling: People beside each other and beside the judge; None unless two people share enough examples.
    """

    criterion: Criterion
    gold: Floats
    judge: Floats
    people: Floats
    statistics: Mapping[str, Estimate]
    ceiling: Ceiling | None = None

    @cached_property
    def levels_given(self) -> list[float]:
        """The levels of the scale, and those between two of them that the middle of several ratings fell on."""
        both = np.concatenate([self.gold, self.judge])
        return sorted({*self.criterion.scale.values, *both[~np.isnan(both)].tolist()})

    @cached_property
    def confusion(self) -> dict[str, Any]:
        """Levels and counts, rows gold and columns judge; a level between two has no place in it."""
        levels = list(dict.fromkeys(self.criterion.scale.values))
        both = ~np.isnan(self.gold) & ~np.isnan(self.judge)
        given = np.concatenate([self.gold[both], self.judge[both]])
        if not np.isin(given, levels).all():
            return {"levels": levels, "matrix": None, "undefined": "a rating lies between two levels"}
        return {"levels": levels, "matrix": confusion(self.gold, self.judge, levels).tolist(), "undefined": None}


@dataclass(frozen=True)
class Comparison:
    """A judge beside gold, per criterion and overall.

    Attributes:
        rubric: What was rated by.
        gold: What the judge is held to.
        judged: The judge's rating of each example of `gold`; None where it gave none.
        scores: The judge's scores, shape (n_examples,), nan where not graded.
        passes: The judge's decisions, shape (n_examples,), 1 for pass, nan where not graded.
        tolerance: How far a score may miss gold and still agree.
        agreement: Share of examples on which the judge agrees.
        agreement_constant: The same share for the best constant score.
        beside: Each person left out beside the judge; None unless two people overlap.
        overall: Estimates of the whole by name; errors in score, 0 to 1.
        criteria: By name.
    """

    rubric: Rubric
    gold: Gold
    judged: tuple[Rating | None, ...]
    scores: Floats
    passes: Floats
    tolerance: float
    agreement: Estimate
    agreement_constant: Estimate
    beside: BesidePeople | None
    overall: Mapping[str, Estimate]
    criteria: Mapping[str, CriterionComparison] = field(default_factory=dict)

    @property
    def agreement_person(self) -> Estimate | None:
        """Agreement of a person with the others, every person left out in turn; None unless two people overlap."""
        return None if self.beside is None else self.beside.together.person

    @cached_property
    def misses(self) -> Floats:
        """Judge minus gold, shape (n_examples,), rounded to 9 decimals; nan where either is missing."""
        return np.round(self.scores - self.gold.overall, 9)

    @cached_property
    def false_passes(self) -> list[str]:
        """Ids of examples the judge passes and gold does not, the farthest off first."""
        return self._parted(judge=1.0, gold=0.0)

    @cached_property
    def false_fails(self) -> list[str]:
        """Ids of examples gold passes and the judge does not, the farthest off first."""
        return self._parted(judge=0.0, gold=1.0)

    def _parted(self, *, judge: float, gold: float) -> list[str]:
        places = np.flatnonzero((self.passes == judge) & (self.gold.passed == gold))
        far = np.nan_to_num(np.abs(self.misses[places]), nan=-1.0)
        return [self.gold.ids[place] for place in places[np.argsort(-far, kind="stable")]]


def compare(rubric: Rubric, truth: Gold, ratings: Iterable[Rating], *, tolerance: float | None = None) -> Comparison:
    """A judge's ratings beside gold.

    Args:
        rubric: What both rated by.
        truth: The gold.
        ratings: The judge's; several samples of an example count as their median.
        tolerance: How far a score may miss; the rubric's where None.

    Raises:
        ComparisonError: The judge rated none of the examples that have gold.
    """
    tolerance = rubric.tolerance if tolerance is None else tolerance
    by_id: dict[str, Rating] = {}
    everything = list(ratings)
    for rating in everything:
        by_id.setdefault(rating.id, rating)
    judged = tuple(by_id.get(unit) for unit in truth.ids)
    if not any(judged):
        raise ComparisonError("the judge rated none of the examples that have labels")
    scores = score_table(everything, truth.ids, rubric).middle
    passes = judge_passes(judged, scores, rubric)
    people = score_table(truth.people, truth.ids, rubric)
    groups = truth.groups
    by_person = levels_by_person(truth.people, truth.ids, rubric)
    return Comparison(
        rubric=rubric,
        gold=truth,
        judged=judged,
        scores=scores,
        passes=passes,
        tolerance=tolerance,
        agreement=within_tolerance(truth.overall, scores, tolerance),
        agreement_constant=agreement_constant(truth.overall, tolerance),
        beside=_beside(people, scores, tolerance, groups),
        overall=_overall(truth, scores, passes, groups),
        criteria={c.name: _criterion(c, truth, everything, by_person[c.name], groups) for c in rubric.criteria},
    )


def levels_by_person(people: Iterable[Rating], ids: Sequence[str], rubric: Rubric) -> dict[str, Floats]:
    """Levels of single people by criterion, each of shape (n_examples, n_people), nan where one gave none.

    A column is one person on every criterion. Where more people rated than can be kept apart, it is the first, second,
    … person who rated an example; who gave several ratings of an example counts with the median.
    """
    labels = list(people)
    row = {unit: place for place, unit in enumerate(ids)}
    column = {rater: place for place, rater in enumerate(dict.fromkeys(label.rater for label in labels))}
    apart = len(column) <= MOST_RATER_COLUMNS
    places: dict[str, dict[str, int]] = {}
    cells: dict[str, dict[tuple[int, int], list[float]]] = {criterion.name: {} for criterion in rubric.criteria}
    for label in labels:
        if label.id not in row:
            continue
        here = places.setdefault(label.id, {})
        place = column[label.rater] if apart else here.setdefault(label.rater, len(here))
        for name, rated in label.criteria.items():
            if rated.level is not None:
                cells[name].setdefault((row[label.id], place), []).append(rated.level)
    most = len(column) if apart else max(map(len, places.values()), default=0)
    return {name: _table_of(found, (len(ids), most)) for name, found in cells.items()}


def _table_of(cells: Mapping[tuple[int, int], Sequence[float]], shape: tuple[int, int]) -> Floats:
    values = np.full(shape, np.nan)
    for cell, found in cells.items():
        values[cell] = found[0] if len(found) == 1 else float(np.median(found))
    return values


def judge_passes(judged: Sequence[Rating | None], scores: Floats, rubric: Rubric) -> Floats:
    """Whether a judge passes each example, 1 or 0: as it said itself, else by score and required criteria; or nan."""
    passes = np.where(np.isnan(scores), np.nan, scores >= rubric.pass_mark - ROUNDING).astype(np.float64)
    for place, rating in enumerate(judged):
        if rating is None:
            continue
        if rating.passed is not None:
            passes[place] = float(rating.passed)
        elif not np.isnan(passes[place]) and _fails_required(rating, rubric):
            passes[place] = 0.0
    return passes


def _fails_required(rating: Rating, rubric: Rubric) -> bool:
    return any(
        criterion.required
        and (rated := rating.criteria.get(criterion.name)) is not None
        and rated.level is not None
        and not criterion.passes(criterion.scale.position(rated.level))
        for criterion in rubric.criteria
    )


def _beside(people: RatingTable, scores: Floats, tolerance: float, groups: list[str] | None) -> BesidePeople | None:
    if not np.any(people.rated_by >= 2):
        return None
    return beside_people(by_place(people.values), scores, tolerance=tolerance, groups=groups)


def by_place(values: Floats) -> Floats:
    """Many raters of a few examples each as first, second, … rating of an example; few raters as they are."""
    if values.shape[1] <= MOST_RATER_COLUMNS:
        return values
    most = int((~np.isnan(values)).sum(axis=1).max(initial=0))
    placed = np.full((len(values), most), np.nan)
    for row, given in zip(placed, values, strict=True):
        there = given[~np.isnan(given)]
        row[: len(there)] = there
    return placed


def _overall(truth: Gold, scores: Floats, passes: Floats, groups: list[str] | None) -> dict[str, Estimate]:
    errors = error_family(truth.overall, scores, groups=groups, levels=[0.0, 1.0])
    decisions = yes_no_family(truth.passed, passes, groups=groups)
    decided = np.column_stack([truth.passed, passes])
    decided[np.isnan(decided).any(axis=1)] = np.nan  # else an ungraded example would count in gold's margin alone
    kappa = cohen_kappa(decided, levels=[0.0, 1.0], groups=groups)
    return {**errors, "pass_kappa": kappa, **decisions}


def _criterion(
    criterion: Criterion, truth: Gold, ratings: Sequence[Rating], people: Floats, groups: list[str] | None
) -> CriterionComparison:
    levels = sorted(set(criterion.scale.values))
    theirs = truth.levels[criterion.name]
    its = level_table(ratings, truth.ids, criterion.name).middle
    ordered = criterion.scale.ordered
    statistics = two_raters(theirs, its, levels=levels, ordered=ordered, groups=groups)
    statistics |= error_family(theirs, its, groups=groups, levels=levels)
    statistics |= yes_no_family(_passes(criterion, theirs), _passes(criterion, its), groups=groups)
    overlap = bool(np.any((~np.isnan(people)).sum(axis=1) >= 2))
    metric: Metric = "nominal" if criterion.scale.is_yes_no or not ordered else "ordinal"
    of_people = ceiling(people, its, levels=levels, metric=metric, groups=groups) if overlap else None
    return CriterionComparison(criterion, theirs, its, people, statistics, of_people)


def _passes(criterion: Criterion, levels: Floats) -> Floats:
    """Whether each level passes the criterion by itself: 1, 0 or nan."""
    return np.where(np.isnan(levels), np.nan, merits(criterion, levels) >= criterion.threshold - ROUNDING).astype(
        np.float64
    )


def overall_scores(ratings: Iterable[Rating], rubric: Rubric) -> dict[str, float]:
    """Each rated submission's score, by id; those without one are left out."""
    return {r.id: score for r in ratings if (score := overall_of(r, rubric)) is not None}
