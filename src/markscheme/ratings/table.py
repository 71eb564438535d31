"""Ratings of one set of examples as arrays, with one column per rater.

This is the only place where ratings become arrays and where several samples of a rater become one rating. Levels, score
and decision of a rater are combined together, so that all figures follow the same rule.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from markscheme.grading.score import chance_of_levels, decision_of_levels, score_of_levels
from markscheme.grading.verdict import middle_of
from markscheme.ratings.examples import Example
from markscheme.ratings.kinds import PEOPLE
from markscheme.ratings.rating import Rating
from markscheme.rubrics.distribution import Probabilities, mean_distribution, most_probable
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.stats.annotators import gold
from markscheme.stats.intervals import Flags, Floats

MOST_ANNOTATORS = 6
"""Up to this many annotators get a column each; with more, columns are the first, second, … rating of every example,
because few pairs of a crowd share enough examples to compare them individually."""
SAME_AS_LEVELS = 1e-6
"""A given score this close to the score of the same rater's levels was computed, not judged."""


@dataclass(frozen=True)
class Column:
    """One rater's ratings of every example; nan where there is none.

    Attributes:
        name: The rater's.
        kind: Person, construction, model or code.
        levels: By criterion, each of shape (n_examples,).
        skipped: By criterion, whether the rater said that it does not apply, likewise.
        scores: 0 to 1, shape (n_examples,).
        decisions: 1 for pass and 0 for fail, shape (n_examples,).
        ratings: The rating whose words are used for each example; of several samples the one nearest to their
            combination. None where there is none.
        probabilities: By criterion on which the rater gave some, the probability of each level in the scale's order,
            shape (n_examples, n_levels); nan where there is none.
        chances: The rater's probability that each example passes, shape (n_examples,), nan where there is none; empty
            where there is none at all.
    """

    name: str
    kind: str
    levels: Mapping[str, Floats]
    skipped: Mapping[str, Flags]
    scores: Floats
    decisions: Floats
    ratings: tuple[Rating | None, ...]
    probabilities: Mapping[str, Floats] = field(default_factory=dict, kw_only=True)
    chances: Floats = field(default_factory=lambda: np.zeros(0), kw_only=True)

    def rows(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> Self:
        """Return the same column for some of the examples: a mask or indices, shape (n_examples,) or (n_kept,)."""
        return replace(
            self,
            levels={name: column[chosen] for name, column in self.levels.items()},
            skipped={name: column[chosen] for name, column in self.skipped.items()},
            scores=self.scores[chosen],
            decisions=self.decisions[chosen],
            ratings=tuple(self.ratings[index] for index in np.arange(len(self.ratings))[chosen].tolist()),
            probabilities={name: of_levels[chosen] for name, of_levels in self.probabilities.items()},
            chances=self.chances[chosen] if len(self.chances) else self.chances,
        )

    def where(self, chosen: Flags) -> Self:
        """Return the same column with everything about the other examples unknown; the examples stay in place."""
        return replace(
            self,
            levels={name: np.where(chosen, column, np.nan) for name, column in self.levels.items()},
            scores=np.where(chosen, self.scores, np.nan),
            decisions=np.where(chosen, self.decisions, np.nan),
            probabilities={name: np.where(chosen[:, None], p, np.nan) for name, p in self.probabilities.items()},
            chances=np.where(chosen, self.chances, np.nan) if len(self.chances) else self.chances,
        )

    @property
    def passed(self) -> list[bool | None]:
        """Whether the rater passes each example; None where there is no decision."""
        return [None if decision != decision else decision == 1 for decision in self.decisions.tolist()]

    @property
    def is_empty(self) -> bool:
        """Whether the rater gave no level, no score and no decision."""
        return not self.rated.any()

    @property
    def rated(self) -> Flags:
        """Which examples have a level, a score or a decision, shape (n_examples,)."""
        columns = [self.scores, self.decisions, *self.levels.values()]
        return np.asarray(~np.isnan(np.column_stack(columns)).all(axis=1))


@dataclass(frozen=True)
class RatingTable:
    """Ratings of one set of examples by several raters.

    Attributes:
        rubric: The rubric of all of them.
        ids: The examples', in order.
        columns: One per rater; labels, gold, a constant, an earlier run and a prompt variant are all columns.
        groups: A name for each example's group, where any example has one; an example without is its own group.
        examples: What else is known of each row: what wrote it, how it was drawn; None where nothing is asked of it.
    """

    rubric: Rubric
    ids: tuple[str, ...]
    columns: tuple[Column, ...]
    groups: tuple[str, ...] | None = None
    examples: tuple[Example, ...] | None = None

    def __post_init__(self) -> None:
        for column in self.columns:
            if column.scores.shape != (len(self.ids),):
                raise ValueError(f"column {column.name!r} has {len(column.scores)} rows for {len(self.ids)} examples")

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"no column {name!r}; there are {', '.join(column.name for column in self.columns)}")

    @property
    def annotators(self) -> tuple[Column, ...]:
        """The columns of single annotators; adjudicated labels don't count as one."""
        return tuple(column for column in self.columns if column.kind == "human")

    def with_columns(self, *columns: Column) -> "RatingTable":
        """The table with further columns, which replace those of the same name."""
        names = {column.name for column in columns}
        return replace(self, columns=(*(c for c in self.columns if c.name not in names), *columns))

    def rows(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> "RatingTable":
        """A slice of the table: a mask or indices, shape (n_examples,) or (n_kept,)."""
        places = np.arange(len(self.ids))[chosen].tolist()
        return RatingTable(
            self.rubric,
            tuple(self.ids[index] for index in places),
            tuple(column.rows(chosen) for column in self.columns),
            None if self.groups is None else tuple(self.groups[index] for index in places),
            None if self.examples is None else tuple(self.examples[index] for index in places),
        )


def stacked(columns: Sequence[Column], criterion: str | None = None) -> Floats:
    """Levels on a criterion, or scores without one, shape (n_examples, n_columns)."""
    return np.column_stack([column.scores if criterion is None else column.levels[criterion] for column in columns])


def rating_table(
    rubric: Rubric, ids: Sequence[str], ratings: Iterable[Rating], *, samples_apart: bool = False
) -> RatingTable:
    """The table of all ratings of the examples `ids`, columns in the order in which raters first appear.

    Args:
        rubric: The rubric of all of them.
        ids: The examples' ids; ratings of others are ignored.
        ratings: In any order.
        samples_apart: Whether each sample of a rater is a column of its own, named "RATER #SAMPLE", instead of one
            column for all samples of a rater.
    """
    row = {unit: index for index, unit in enumerate(ids)}
    cells: dict[tuple[str, str], dict[int, list[Rating]]] = {}
    for rating in ratings:
        if rating.id in row:
            name = f"{rating.rater} #{rating.sample}" if samples_apart else rating.rater
            cells.setdefault((name, rating.kind), {}).setdefault(row[rating.id], []).append(rating)
    columns = [_column(name, kind, rated, rubric, len(ids)) for (name, kind), rated in _few_annotators(cells).items()]
    return RatingTable(rubric, tuple(ids), tuple(columns))


def row_by_row(rubric: Rubric, name: str, rated: Sequence[tuple[Example, Rating]]) -> RatingTable:
    """A table with a row for each rating, also of the same example, and one column for all of them.

    Args:
        rubric: The rubric of all of them.
        name: Name of the column.
        rated: The ratings, each with its example.
    """
    places = [str(index) for index in range(len(rated))]
    ratings = (replace(rating, id=row) for row, (_, rating) in zip(places, rated, strict=True))
    examples = tuple(example for example, _ in rated)
    column = column_of(name, ratings, rubric, places)
    return RatingTable(rubric, tuple(example.id for example in examples), (column,), examples=examples)


def decision_table(rubric: Rubric, examples: Sequence[Example], **decisions: Sequence[bool | None]) -> RatingTable:
    """A table of decisions alone: a row for each example, and a column for each rater.

    Args:
        rubric: The rubric of the decisions.
        examples: What is known of each row.
        decisions: By rater, whether it passes each example; None where it didn't decide.
    """
    n = len(examples)
    columns = tuple(
        Column(name, "model", {}, {}, np.full(n, np.nan), np.array(column, dtype=np.float64), (None,) * n)
        for name, column in decisions.items()
    )
    return RatingTable(rubric, tuple(example.id for example in examples), columns, examples=tuple(examples))


def column_of(name: str, ratings: Iterable[Rating], rubric: Rubric, ids: Sequence[str]) -> Column:
    """Return one rater's column under a given name; all ratings are assumed to be this rater's."""
    row = {unit: index for index, unit in enumerate(ids)}
    rated: dict[int, list[Rating]] = {}
    kind = "model"
    for rating in ratings:
        if rating.id in row:
            rated.setdefault(row[rating.id], []).append(rating)
            kind = rating.kind
    return _column(name, kind, rated, rubric, len(ids))


def _few_annotators(
    cells: dict[tuple[str, str], dict[int, list[Rating]]],
) -> dict[tuple[str, str], dict[int, list[Rating]]]:
    """Return the same cells, with the annotators of a crowd replaced by the first, second, … annotator of an
    example."""
    crowds = {kind for kind in PEOPLE if sum(k == kind for _, k in cells) > MOST_ANNOTATORS}
    placed: dict[tuple[str, str], dict[int, list[Rating]]] = {}
    filled: dict[tuple[str, int], int] = {}
    for (name, kind), rated in cells.items():
        for id, samples in rated.items():
            if kind in crowds:
                nth = filled[kind, id] = filled.get((kind, id), 0) + 1
                placed.setdefault((f"{kind} {nth}", kind), {})[id] = samples
            else:
                placed.setdefault((name, kind), {})[id] = samples
    return placed


def _column(name: str, kind: str, rated: Mapping[int, Sequence[Rating]], rubric: Rubric, n: int) -> Column:
    names = [criterion.name for criterion in rubric.criteria]
    levels = {criterion: np.full(n, np.nan) for criterion in names}
    skipped = {criterion: np.zeros(n, dtype=bool) for criterion in names}
    scores = np.full(n, np.nan)
    decisions = np.full(n, np.nan)
    ratings: list[Rating | None] = [None] * n
    distributions: dict[int, Mapping[str, Probabilities]] = {}
    chances = np.full(n, np.nan)
    earned: EarnedByLevels = {}
    by_answers: dict[int, Collapsed] = {}
    for id, samples in rated.items():
        combined = _by_same_answers(samples, rubric, earned, by_answers)
        ratings[id] = _nearest(samples, combined, rubric)
        for criterion, level in combined.levels.items():
            levels[criterion][id] = level
        for criterion in combined.skipped:
            skipped[criterion][id] = True
        scores[id] = np.nan if combined.score is None else combined.score
        decisions[id] = np.nan if combined.decision is None else combined.decision
        if combined.probabilities:
            distributions[id] = combined.probabilities
            chance = chance_of_levels(combined.probabilities, combined.levels, rubric, combined.skipped)
            chances[id] = np.nan if chance is None else chance
    column = Column(name, kind, levels, skipped, scores, decisions, tuple(ratings))
    if not distributions:
        return column
    return replace(column, probabilities=_stacked_distributions(distributions, rubric, n), chances=chances)


MOST_KEPT: Final = 1000
"""Answers whose combination is kept: ratings of a table have one mapping for each level, others one each."""


def _by_same_answers(
    samples: Sequence[Rating], rubric: Rubric, earned: "EarnedByLevels", by_answers: "dict[int, Collapsed]"
) -> "Collapsed":
    """Combine the samples of one example; a single rating without a score or decision as an earlier one with the same
    mapping of answers, found by its identity, since the ratings keep it."""
    only = samples[0]
    if len(samples) > 1 or only.overall is not None or only.passed is not None:
        return collapsed(samples, rubric, earned)
    combined = by_answers.get(id(only.criteria))
    if combined is None:
        combined = collapsed(samples, rubric, earned)
        if len(by_answers) < MOST_KEPT:
            by_answers[id(only.criteria)] = combined
    return combined


def _stacked_distributions(
    distributions: Mapping[int, Mapping[str, Probabilities]], rubric: Rubric, n: int
) -> dict[str, Floats]:
    """Map each criterion on which some example has probabilities to an array as Column has it."""
    of_criteria: dict[str, Floats] = {}
    for criterion in rubric.criteria:
        rows = {id: named[criterion.name] for id, named in distributions.items() if criterion.name in named}
        if rows:
            of_levels = np.full((n, len(criterion.scale.levels)), np.nan)
            of_levels[list(rows)] = list(rows.values())
            of_criteria[criterion.name] = of_levels
    return of_criteria


# --- one rater, one example -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Collapsed:
    """The combination of all samples of one rater on one example.

    Attributes:
        levels: By criterion.
        skipped: Criteria that do not apply.
        score: 0 to 1; None where there is none.
        decision: Pass or fail; None where there is none.
        probabilities: Of each level, by criterion on which every sample has them.
    """

    levels: Mapping[str, float]
    skipped: frozenset[str]
    score: float | None
    decision: bool | None
    probabilities: Mapping[str, Probabilities] = field(default_factory=dict)


EarnedByLevels: TypeAlias = dict[tuple[tuple[tuple[str, float], ...], frozenset[str]], tuple[float | None, bool | None]]
"""Score and decision by levels and skipped criteria, which thousands of ratings have in common."""


def collapsed(samples: Sequence[Rating], rubric: Rubric, earned_by: EarnedByLevels | None = None) -> Collapsed:
    """Combine several samples of one rater into levels, score and decision.

    A single sample is used as given. Of several, each criterion has the median level (the majority's where levels have
    no order), or where each sample's is the most probable of its own levels, the most probable by the mean of their
    probabilities. Where that leaves a level for every criterion, the score is computed from these levels, and score and
    required criteria decide. Scores given separately from the levels are combined by their median. Where only decisions
    were given, the majority decides, and an even split is no decision.

    Args:
        samples: Of one rater on one example.
        rubric: Of their levels.
        earned_by: Scores and decisions that were computed before by the same rubric; more are added.
    """
    if len(samples) == 1:
        (only,) = samples
        levels, skipped = _levels_and_skips(only)
        if _says_score(only):
            score = only.overall
            decision = decision_of_levels(score, levels, rubric)
        else:
            score, decision = _earned(levels, skipped, rubric, {} if earned_by is None else earned_by)
        decision = decision if only.passed is None else only.passed
        probabilities = {name: rated.distribution for name, rated in only.criteria.items() if rated.probabilities}
        return Collapsed(levels, skipped, score, decision, probabilities)
    by_sample = [_levels_and_skips(rating) for rating in samples]
    probabilities = _mean_probabilities(samples, rubric)
    levels = _middle_levels([levels_of_sample for levels_of_sample, _ in by_sample], rubric)
    levels |= _levels_by_mean(samples, probabilities, rubric)
    skipped = frozenset(name for _, names in by_sample for name in names) - levels.keys()
    earned = earned_score(levels, skipped, rubric)
    overalls = [rating.overall for rating in samples if rating.overall is not None]
    is_earned = earned is not None and all(_is_arithmetic(rating, rubric) for rating in samples)
    score = earned if is_earned or not overalls else middle_of(overalls)
    decided = [rating.passed for rating in samples if rating.passed is not None]
    if earned is not None or not decided:
        return Collapsed(levels, skipped, score, decision_of_levels(score, levels, rubric), probabilities)
    share = sum(decided) / len(decided)
    return Collapsed(levels, skipped, score, None if share == 0.5 else share > 0.5, probabilities)


def _earned(
    levels: Mapping[str, float], skipped: frozenset[str], rubric: Rubric, earned_by: EarnedByLevels
) -> tuple[float | None, bool | None]:
    """The score and the decision of some levels, computed once for each combination of them."""
    key = (tuple(levels.items()), skipped)
    if key not in earned_by:
        score = earned_score(levels, skipped, rubric)
        earned_by[key] = (score, decision_of_levels(score, levels, rubric))
    return earned_by[key]


def _mean_probabilities(samples: Sequence[Rating], rubric: Rubric) -> dict[str, Probabilities]:
    """Return, by criterion, the mean of the probabilities, where every sample that gives a level has them."""
    means = {}
    for name in (criterion.name for criterion in rubric.criteria):
        answers = [rating.criteria[name] for rating in samples if name in rating.criteria]
        mean = mean_distribution([rated.distribution for rated in answers if rated.level is not None])
        if mean:
            means[name] = mean
    return means


def _levels_by_mean(
    samples: Sequence[Rating], probabilities: Mapping[str, Probabilities], rubric: Rubric
) -> dict[str, float]:
    """The most probable levels by the mean, of criteria on which each sample's level is its own most probable one."""
    levels = {}
    for criterion in (rubric.criterion(name) for name in probabilities):
        answers = [rating.criteria[criterion.name] for rating in samples if criterion.name in rating.criteria]
        rated = [answer for answer in answers if answer.level is not None]
        if all(answer.level == most_probable(answer.distribution, criterion) for answer in rated):
            levels[criterion.name] = most_probable(probabilities[criterion.name], criterion)
    return levels


def _nearest(samples: Sequence[Rating], combined: Collapsed, rubric: Rubric) -> Rating:
    """The sample nearest to the combination of all of them; the first in a tie."""

    def distance(rating: Rating) -> tuple[bool, float]:
        own_levels = _levels_and_skips(rating)[0]
        score = overall_of(rating, rubric)
        apart = sum(abs(own_levels[name] - level) for name, level in combined.levels.items() if name in own_levels)
        both_have_scores = score is not None and combined.score is not None
        return not both_have_scores, apart + (
            abs((score or 0.0) - (combined.score or 0.0)) if both_have_scores else 0.0
        )

    return samples[0] if len(samples) == 1 else min(samples, key=distance)


def _levels_and_skips(rating: Rating) -> tuple[dict[str, float], frozenset[str]]:
    levels = {name: rated.level for name, rated in rating.criteria.items() if rated.level is not None}
    return levels, frozenset(name for name, rated in rating.criteria.items() if rated.declined == "not applicable")


def _middle_levels(by_sample: Sequence[Mapping[str, float]], rubric: Rubric) -> dict[str, float]:
    middle: dict[str, float] = {}
    for criterion in rubric.criteria:
        own_levels = [levels[criterion.name] for levels in by_sample if criterion.name in levels]
        if own_levels:
            level = middle_of(own_levels) if criterion.scale.ordered else float(gold([own_levels], by="majority")[0])
            is_split = level == 0 and criterion.scale.mirrored and criterion.scale.halves_decide_nothing
            if not np.isnan(level) and not is_split:
                middle[criterion.name] = level
    return middle


def _is_arithmetic(rating: Rating, rubric: Rubric) -> bool:
    """Return True if the overall score equals the score of the levels, or none was given."""
    if rating.overall is None:
        return True
    earned = earned_score(*_levels_and_skips(rating), rubric)
    return earned is not None and abs(earned - rating.overall) <= SAME_AS_LEVELS


def overall_of(rating: Rating, rubric: Rubric) -> float | None:
    """The overall score of a rating, 0 to 1: the one given, else that of its levels if each criterion has one."""
    return rating.overall if _says_score(rating) else earned_score(*_levels_and_skips(rating), rubric)


def _says_score(rating: Rating) -> bool:
    """Return True if a rating's overall score is used as it is: one is given, or the rating failed."""
    return rating.overall is not None or rating.error is not None


def earned_score(levels: Mapping[str, float], skipped: Collection[str], rubric: Rubric) -> float | None:
    """The score of some levels, 0 to 1; None unless every criterion has a level or does not apply."""
    return score_of_levels(levels, rubric, [name for name in skipped if name not in levels])


# --- levels ---------------------------------------------------------------------------------------------------------


def positions(scale: Scale, levels: Floats) -> Floats:
    """Return how far up the scale each level is, 0 to 1, any shape; nan where there is none."""
    return levels if scale.by_label else np.asarray((levels - min(scale.values)) / scale.span)


def merits(criterion: Criterion, levels: Floats) -> Floats:
    """Return how good each level is, 0 to 1, any shape: the position, inverted for a criterion of negative weight."""
    places = positions(criterion.scale, levels)
    return places if criterion.weight > 0 else np.asarray(1 - places)


def groups_of(named: Sequence[tuple[str, str | None]]) -> tuple[str, ...] | None:
    """A group for each example, from pairs of its id and its group's name; None where no example names one."""
    if not any(group for _, group in named):
        return None
    return tuple(f"group {group}" if group else f"example {unit}" for unit, group in named)


def shared_ids(ratings: Sequence[Iterable[Rating]]) -> tuple[str, ...]:
    """Ids that occur in each of several sets of ratings, in the order of the first."""
    rated = [dict.fromkeys(rating.id for rating in ratings_of_one) for ratings_of_one in ratings]
    return tuple(unit for unit in rated[0] if all(unit in ids for ids in rated[1:]))
