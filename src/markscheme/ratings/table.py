"""Ratings of one set of examples as arrays, with one column per rater.

Only this module converts ratings to arrays and combines several samples of a rater into one rating. A rater's levels,
score and decision are combined in one place, so that all figures follow one rule.
"""

from collections import UserDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from markscheme.grading.score import chance_of_levels, decision_of_levels, score_of_levels
from markscheme.grading.verdict import middle_of
from markscheme.ratings.code_arrays import (
    equal_rows,
    have_answer,
    level_kinds_on,
    rater_numbers,
    rows_in,
)
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.example_rows import Example, taken, values_of
from markscheme.ratings.kinds import PEOPLE
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.distribution import Probabilities, mean_distribution, most_probable
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.stats.annotators import gold
from markscheme.stats.distinct import first_of, numbered, numbered_values
from markscheme.stats.intervals import Flags, Floats, Integers

MOST_ANNOTATORS = 6
"""Largest number of annotators who get a column each. With more, columns are the first, second, … rating of every
example, because few pairs of a crowd share enough examples to compare them individually."""
SAME_AS_LEVELS = 1e-6
"""Largest difference between a given score and that of the same rater's levels with which the score counts as
computed."""


@dataclass(frozen=True)
class Column:
    """One rater's ratings of all examples as arrays; nan where a rating is missing.

    Attributes:
        name: Name of the rater.
        kind: Kind of rater: a person, construction, a model or code.
        levels: Levels by criterion, each of shape (n_examples,).
        skipped: Flags of the examples to which a criterion doesn't apply according to the rater, shape (n_examples,),
            by criterion.
        scores: Scores from 0 to 1, shape (n_examples,).
        decisions: 1 for pass and 0 for fail, shape (n_examples,).
        given: The ratings that the column is made from.
        sources: For each example, the index of the rating that reasons and quotes are taken from, shape (n_examples,);
            of several samples, it is the one nearest to their combination; -1 without a rating.
        probabilities: Probability of each level in the order of the scale, shape (n_examples, n_levels), nan where
            missing, by criterion for which the rater gave probabilities.
        chances: The rater's probability that each example passes, shape (n_examples,), nan where it is unknown; empty
            if it is unknown for all.
    """

    name: str
    kind: str
    levels: Mapping[str, Floats]
    skipped: Mapping[str, Flags]
    scores: Floats
    decisions: Floats
    given: RatingCodes
    sources: Integers
    probabilities: Mapping[str, Floats] = field(default_factory=dict, kw_only=True)
    chances: Floats = field(default_factory=lambda: np.zeros(0), kw_only=True)

    def rows(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> Self:
        """Return the column for the examples chosen by a mask of shape (n_examples,) or by indices."""
        skipped = {name: column[chosen] for name, column in self.skipped.items()}
        return replace(self._changed(lambda values: values[chosen]), skipped=skipped, sources=self.sources[chosen])

    def where(self, chosen: Flags) -> Self:
        """Return the column, equally long, with nan for all examples that aren't chosen."""
        return self._changed(lambda values: np.where(chosen if values.ndim == 1 else chosen[:, None], values, np.nan))

    def _changed(self, change: Callable[[Floats], Floats]) -> Self:
        """Return the column with its levels, scores, decisions and probabilities replaced by what `change` returns.

        Args:
            change: Function that takes an array with a row for each example, and returns its replacement.
        """
        return replace(
            self,
            levels={name: change(column) for name, column in self.levels.items()},
            scores=change(self.scores),
            decisions=change(self.decisions),
            probabilities={name: change(of_levels) for name, of_levels in self.probabilities.items()},
            chances=change(self.chances) if len(self.chances) else self.chances,
        )

    def rating(self, index: int) -> Rating | None:
        """Return the rating that reports quote for an example; None if there is none.

        Args:
            index: Index of the example.
        """
        source = int(self.sources[index])
        return None if source < 0 else self.given[source]

    @property
    def is_given(self) -> Flags:
        """Flags of the examples with a rating by the rater, even one without any answer, shape (n_examples,)."""
        return np.asarray(self.sources >= 0)

    def by_example(self, of_ratings: npt.NDArray[Any], *, without: Any) -> npt.NDArray[Any]:
        """Arrange one value per rating by example; examples that the rater didn't rate get the value `without`."""
        values = np.full(len(self.sources), without, dtype=of_ratings.dtype)
        values[self.is_given] = of_ratings[self.sources[self.is_given]]
        return values

    @cached_property
    def used(self) -> RatingCodes:
        """The ratings that reports quote, one for each example that has a rating, in order."""
        sources = self.sources[self.sources >= 0]
        is_all = np.array_equal(sources, np.arange(len(self.given)))
        return self.given if is_all else self.given.taken(sources.tolist())

    @property
    def passed(self) -> list[bool | None]:
        """Decision on each example, True for a pass; None for an example without a decision."""
        return [None if decision != decision else decision == 1 for decision in self.decisions.tolist()]

    @property
    def is_empty(self) -> bool:
        """True if the column has no level, no score and no decision at all."""
        return not self.rated.any()

    @property
    def rated(self) -> Flags:
        """Flags of the examples that have a level, a score or a decision, shape (n_examples,)."""
        columns = [self.scores, self.decisions, *self.levels.values()]
        return np.asarray(~np.isnan(np.column_stack(columns)).all(axis=1))


@dataclass(frozen=True)
class RatingTable:
    """Ratings of one set of examples as a table with one column per rater.

    Attributes:
        rubric: The rubric of all ratings.
        ids: Ids of the examples, in order.
        columns: A column for each rater; labels, gold, a constant, an earlier run and a prompt variant are columns too.
        groups: Name of each example's group; an example without one is a group of its own; None if no example has one.
        examples: The examples, which say which system wrote each response and how it was drawn; None if that isn't
            needed.
    """

    rubric: Rubric
    ids: tuple[str, ...]
    columns: tuple[Column, ...]
    groups: tuple[str, ...] | None = None
    examples: Sequence[Example] | None = None

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
        """Columns of single annotators, without the column of adjudicated labels."""
        return tuple(column for column in self.columns if column.kind == "human")

    def with_columns(self, *columns: Column) -> "RatingTable":
        """Return the table with columns added; a new column replaces the one of the same name."""
        names = {column.name for column in columns}
        return replace(self, columns=(*(c for c in self.columns if c.name not in names), *columns))

    def rows(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> "RatingTable":
        """Return the table for the examples chosen by a mask of shape (n_examples,) or by indices."""
        places = np.arange(len(self.ids))[chosen].tolist()
        return RatingTable(
            self.rubric,
            tuple(self.ids[index] for index in places),
            tuple(column.rows(chosen) for column in self.columns),
            None if self.groups is None else tuple(self.groups[index] for index in places),
            None if self.examples is None else taken(self.examples, places),
        )


def stacked(columns: Sequence[Column], criterion: str | None = None) -> Floats:
    """Return several raters' levels on a criterion as an array, shape (n_examples, n_columns); scores without one."""
    return np.stack([column.scores if criterion is None else column.levels[criterion] for column in columns]).T


def rating_table(
    rubric: Rubric, ids: Sequence[str], ratings: Iterable[Rating], *, samples_apart: bool = False
) -> RatingTable:
    """Arrange ratings in a table with a row for each given id, and a column for each rater in order of appearance.

    Args:
        rubric: The rubric of the ratings.
        ids: Ids of the examples; ratings of other examples are ignored.
        ratings: The ratings, in any order.
        samples_apart: True to make each sample of a rater a column of its own, named "RATER #SAMPLE", instead of one
            column for all samples.
    """
    codes = RatingCodes.of(ratings)
    rows = rows_in(ids, codes)
    named = column_names(codes, rows, samples_apart=samples_apart)
    arrays = _RatingArrays.of(codes, rubric)
    columns = [arrays.column(name, kind, chosen, rows[chosen], len(ids)) for (name, kind), chosen in named.items()]
    return RatingTable(rubric, tuple(ids), tuple(columns))


def row_by_row(rubric: Rubric, name: str, examples: Sequence[Example], ratings: Iterable[Rating]) -> RatingTable:
    """Make a table with a single column and a row per rating, so that an example rated twice has two rows.

    Args:
        rubric: The rubric of the ratings.
        name: Name of the column.
        examples: The example of each rating.
        ratings: The ratings.
    """
    places = [str(index) for index in range(len(examples))]
    codes = RatingCodes.of(ratings).with_ids({})
    codes.ids = places
    column = column_of(name, codes, rubric, places)
    return RatingTable(rubric, tuple(values_of(examples, "id")), (column,), examples=examples)


def column_of(name: str, ratings: Iterable[Rating], rubric: Rubric, ids: Sequence[str]) -> Column:
    """Make a column from ratings of several examples, as if a single rater had given all of them.

    Args:
        name: Name of the column.
        ratings: The ratings; those of other examples are left out.
        rubric: The rubric of the ratings.
        ids: The id of each row's example.
    """
    codes = RatingCodes.of(ratings)
    rows = rows_in(ids, codes)
    chosen = np.flatnonzero(rows >= 0)
    kind = codes.headers[codes.header_numbers[int(chosen[-1])]].kind if len(chosen) else "model"
    return _RatingArrays.of(codes, rubric).column(name, kind, chosen, rows[chosen], len(ids))


def column_names(codes: RatingCodes, rows: Integers, *, samples_apart: bool) -> dict[tuple[str, str], Integers]:
    """Return the columns that a table should have, by rater and kind, each with the indices of its ratings.

    With very many annotators, columns are the first, second, … annotator of each example instead.

    Args:
        codes: The ratings.
        rows: Row of each rating's example in the table; -1 if it isn't there.
        samples_apart: True for a separate column for each sample of a rater.
    """
    placed = np.flatnonzero(rows >= 0)

    def column(header: Rating) -> tuple[str, str]:
        return (f"{header.rater} #{header.sample}" if samples_apart else header.rater), header.kind

    names, number = rater_numbers(codes, column)
    number = number[placed]
    occurring, nth_occurring = numbered(number, len(names))
    in_order = occurring[np.argsort(first_of(nth_occurring, len(occurring)))].tolist()
    crowds = {kind for kind in PEOPLE if sum(names[index][1] == kind for index in in_order) > MOST_ANNOTATORS}
    columns: dict[tuple[str, str], list[Integers]] = {}
    turn: dict[tuple[str, int], int] = {}
    for index in in_order:
        name, kind = names[index]
        of_rater = placed[number == index]
        if kind not in crowds:
            columns.setdefault((name, kind), []).append(of_rater)
            continue
        nth = np.array([turn.get((kind, row), 0) + 1 for row in rows[of_rater].tolist()])
        turn |= {(kind, row): times for row, times in zip(rows[of_rater].tolist(), nth.tolist(), strict=True)}
        for times in dict.fromkeys(nth.tolist()):
            columns.setdefault((f"{kind} {times}", kind), []).append(of_rater[nth == times])
    return {named: np.concatenate(parts) for named, parts in columns.items()}


@dataclass(frozen=True)
class _RatingArrays:
    """All ratings of a table as arrays of shape (n_ratings,), from which columns are made.

    Attributes:
        codes: The ratings, as whole numbers that represent their raters and answers.
        rubric: The rubric of the ratings.
        kinds: Three arrays for each criterion: the index of each rating's answer among the distinct answers, shape
            (n_ratings,); the level of each distinct answer; and flags of the distinct answers that say that the
            criterion doesn't apply.
        whole: A number for each rating, shape (n_ratings,): equal for ratings that have the same score and decision,
            and both an error or both none.
        is_probable: Flags of the ratings with probabilities of levels, shape (n_ratings,).
    """

    codes: RatingCodes
    rubric: Rubric
    kinds: Mapping[str, tuple[npt.NDArray[Any], Floats, Flags]]
    whole: Integers
    is_probable: Flags

    @classmethod
    def of(cls, codes: RatingCodes, rubric: Rubric) -> Self:
        names = [criterion.name for criterion in rubric.criteria]
        _, whole = rater_numbers(codes, lambda header: (header.overall, header.error is None, header.passed))
        return cls(
            codes,
            rubric,
            {name: level_kinds_on(codes, name) for name in names},
            whole,
            have_answer(codes, lambda rated: rated.probabilities),
        )

    def column(self, name: str, kind: str, chosen: Integers, rows: Integers, n: int) -> Column:
        """Make a column of a table from the chosen ratings; several ratings in one row are combined.

        Args:
            name: Name of the column.
            kind: Kind of the rater, such as "human" or "model".
            chosen: Indices of the ratings.
            rows: The row of each of these ratings.
            n: Number of rows of the table.
        """
        is_alone = np.bincount(rows, minlength=n)[rows] == 1
        is_plain = is_alone & ~self.is_probable[chosen]
        plain = chosen[is_plain]
        of_plain = rows[is_plain]
        scores = np.full(n, np.nan)
        decisions = np.full(n, np.nan)
        sources = np.full(n, -1)
        levels = _CodedValues()
        skipped = _CodedValues()
        for criterion, (of_ratings, levels_of_kinds, skips_of_kinds) in self.kinds.items():
            kinds = np.full(n, len(levels_of_kinds) - 1, dtype=of_ratings.dtype)
            kinds[of_plain] = of_ratings[plain]
            levels[criterion] = (kinds, levels_of_kinds)
            skipped[criterion] = (kinds, skips_of_kinds)
        scores[of_plain], decisions[of_plain] = (values[plain] for values in self._scores_and_decisions)
        sources[of_plain] = plain
        column = Column(name, kind, levels, skipped, scores, decisions, self.codes, sources)
        if is_plain.all():
            return column
        samples: dict[int, list[int]] = {}
        for row, index in zip(rows[~is_plain].tolist(), chosen[~is_plain].tolist(), strict=True):
            samples.setdefault(row, []).append(index)
        return _with_collapsed(column, samples, self.rubric)

    @cached_property
    def _scores_and_decisions(self) -> tuple[Floats, Floats]:
        """Score and decision of each rating; for ratings with equal levels they are computed once."""
        first, kind = equal_rows([self.whole, *(kinds for kinds, _, _ in self.kinds.values())], len(self.codes))
        combined = [self._of_one(index) for index in first.tolist()]
        scores = np.array([np.nan if row.score is None else row.score for row in combined], dtype=np.float64)
        decisions = np.array([np.nan if row.decision is None else row.decision for row in combined], dtype=np.float64)
        return scores[kind], decisions[kind]

    def _of_one(self, index: int) -> "Collapsed":
        header = self.codes.headers[self.codes.header_numbers[index]]
        return _single(header, self.codes.criteria_at(index), self.rubric, {})


def _with_collapsed(column: Column, samples: Mapping[int, Sequence[int]], rubric: Rubric) -> Column:
    """Fill those rows of a column whose rating is combined from several samples, or from probabilities.

    Args:
        column: The column, in which these rows are still empty.
        samples: Indices of the ratings of each such row, by the row's index.
        rubric: The rubric of the ratings.
    """
    distributions: dict[int, Mapping[str, Probabilities]] = {}
    n = len(column.scores)
    chances = np.full(n, np.nan)
    earned: EarnedByLevels = {}
    levels = dict(column.levels)
    skipped = dict(column.skipped)
    for row, indices in samples.items():
        ratings = [column.given[index] for index in indices]
        combined = collapsed(ratings, rubric, earned)
        column.sources[row] = indices[_nearest(ratings, combined, rubric)]
        for criterion, level in combined.levels.items():
            levels[criterion][row] = level
        for criterion in combined.skipped:
            skipped[criterion][row] = True
        column.scores[row] = np.nan if combined.score is None else combined.score
        column.decisions[row] = np.nan if combined.decision is None else combined.decision
        if combined.probabilities:
            distributions[row] = combined.probabilities
            chance = chance_of_levels(combined.probabilities, combined.levels, rubric, combined.skipped)
            chances[row] = np.nan if chance is None else chance
    return replace(
        column,
        levels=coded_levels(levels),
        skipped=skipped,
        probabilities=_stacked_distributions(distributions, rubric, n),
        chances=chances if distributions else column.chances,
    )


def _stacked_distributions(
    distributions: Mapping[int, Mapping[str, Probabilities]], rubric: Rubric, n: int
) -> dict[str, Floats]:
    """Arrange probabilities of levels by criterion, each of shape (n_examples, n_levels).

    Args:
        distributions: Probabilities by the index of the example, then by criterion.
        rubric: The rubric.
        n: Number of examples; those without probabilities get nan.
    """
    of_criteria: dict[str, Floats] = {}
    for criterion in rubric.criteria:
        rows = {id: named[criterion.name] for id, named in distributions.items() if criterion.name in named}
        if rows:
            of_levels = np.full((n, len(criterion.scale.levels)), np.nan)
            of_levels[list(rows)] = list(rows.values())
            of_criteria[criterion.name] = of_levels
    return of_criteria


class _CodedValues(UserDict[str, Any]):
    """Dict of arrays with few different values, which stores these values and the index of each element's value."""

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Return the array under a name, made from its stored values and indices."""
        indices, values = self.data[name]
        return np.asarray(values[indices])


def coded_levels(levels: Mapping[str, Floats]) -> Mapping[str, Floats]:
    """Return raters' levels by criterion in little memory: as small whole numbers, converted to levels on access."""
    coded = _CodedValues()
    for name, column in levels.items():
        values, number = numbered_values(column)
        coded[name] = (number.astype(np.min_scalar_type(len(values))), values)
    return coded


# --- one rater, one example -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Collapsed:
    """One rater's levels, score and decision on an example, combined from all of the rater's samples.

    Attributes:
        levels: The level on each criterion, by the criterion's name.
        skipped: Names of criteria that do not apply.
        score: The score, 0 to 1; None if there is none.
        decision: True for pass, False for fail; None if there is no decision.
        probabilities: Probability of each level, by criterion for which every sample has them.
    """

    levels: Mapping[str, float]
    skipped: frozenset[str]
    score: float | None
    decision: bool | None
    probabilities: Mapping[str, Probabilities] = field(default_factory=dict)


EarnedByLevels: TypeAlias = dict[tuple[tuple[tuple[str, float], ...], frozenset[str]], tuple[float | None, bool | None]]
"""Cache of score and decision by levels and skipped criteria, since thousands of ratings have equal levels."""


def collapsed(samples: Sequence[Rating], rubric: Rubric, earned_by: EarnedByLevels | None = None) -> Collapsed:
    """Combine all samples of a rater on an example into one set of levels, a score and a decision.

    A single sample is used as given. From several samples, each criterion gets the median of their levels (the most
    common level if levels have no order). But if the level of every sample is the most probable one by the sample's own
    probabilities, the criterion gets the level with the highest mean probability. If every criterion then has a level,
    score and decision are computed from these levels. Scores that were given separately from the levels are combined by
    their median. The majority counts of decisions that a person made, or that were given without levels, and an even
    split leaves no decision.

    Args:
        samples: The samples of one rater on one example.
        rubric: The rubric of the ratings.
        earned_by: Cache of scores and decisions computed from levels by the same rubric, which is added to.
    """
    if len(samples) == 1:
        (only,) = samples
        return _single(only, only.criteria, rubric, {} if earned_by is None else earned_by)
    by_sample = [_levels_and_skips(rating.criteria) for rating in samples]
    probabilities = _mean_probabilities(samples, rubric)
    levels = _middle_levels([levels_of_sample for levels_of_sample, _ in by_sample], rubric)
    levels |= _levels_by_mean(samples, probabilities, rubric)
    skipped = frozenset(name for _, names in by_sample for name in names) - levels.keys()
    earned = earned_score(levels, skipped, rubric)
    overalls = [rating.overall for rating in samples if rating.overall is not None]
    is_earned = earned is not None and all(_is_arithmetic(rating, rubric) for rating in samples)
    score = earned if is_earned or not overalls else middle_of(overalls)
    decided = [rating.passed for rating in samples if rating.passed is not None]
    if not decided or (earned is not None and samples[0].kind not in PEOPLE):
        return Collapsed(levels, skipped, score, decision_of_levels(score, levels, rubric), probabilities)
    share = sum(decided) / len(decided)
    return Collapsed(levels, skipped, score, None if share == 0.5 else share > 0.5, probabilities)


def _single(header: Rating, criteria: Mapping[str, Rated], rubric: Rubric, earned_by: EarnedByLevels) -> Collapsed:
    """Convert a rater's only rating of an example to levels, score and decision.

    Score and decision are those that the rating states, or else those that follow from its levels.

    Args:
        header: The rating without its answers: the stated score and decision.
        criteria: The rating's answers by criterion.
        rubric: The rubric.
        earned_by: Cache of the scores and decisions that follow from levels.
    """
    levels, skipped = _levels_and_skips(criteria)
    if _says_score(header):
        score = header.overall
        decision = decision_of_levels(score, levels, rubric)
    else:
        score, decision = _earned(levels, skipped, rubric, earned_by)
    decision = decision if header.passed is None else header.passed
    probabilities = {name: rated.distribution for name, rated in criteria.items() if rated.probabilities}
    return Collapsed(levels, skipped, score, decision, probabilities)


def _earned(
    levels: Mapping[str, float], skipped: frozenset[str], rubric: Rubric, earned_by: EarnedByLevels
) -> tuple[float | None, bool | None]:
    """Return the score and the decision that given levels lead to; None in place of one that they don't give.

    Args:
        levels: Levels by criterion.
        skipped: Names of criteria that a rater said don't apply.
        rubric: The rubric.
        earned_by: Cache of results, by levels and skipped criteria.
    """
    key = (tuple(levels.items()), skipped)
    if key not in earned_by:
        score = earned_score(levels, skipped, rubric)
        earned_by[key] = (score, decision_of_levels(score, levels, rubric))
    return earned_by[key]


def _mean_probabilities(samples: Sequence[Rating], rubric: Rubric) -> dict[str, Probabilities]:
    """Average the samples' probabilities of levels, for each criterion on which all samples state them."""
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
    """Map criteria to their level of highest mean probability, if each sample's level was its own most probable one.

    Args:
        samples: One rater's samples of one example.
        probabilities: Mean over the samples of each level's probability, by criterion.
        rubric: The rubric.
    """
    levels = {}
    for criterion in (rubric.criterion(name) for name in probabilities):
        answers = [rating.criteria[criterion.name] for rating in samples if criterion.name in rating.criteria]
        rated = [answer for answer in answers if answer.level is not None]
        if all(answer.level == most_probable(answer.distribution, criterion) for answer in rated):
            levels[criterion.name] = most_probable(probabilities[criterion.name], criterion)
    return levels


def _nearest(samples: Sequence[Rating], combined: Collapsed, rubric: Rubric) -> int:
    """Return the index of the sample whose levels and score are nearest to the combined answer; the first in a tie."""

    def distance(rating: Rating) -> tuple[bool, float]:
        own_levels = _levels_and_skips(rating.criteria)[0]
        score = overall_of(rating, rubric)
        apart = sum(abs(own_levels[name] - level) for name, level in combined.levels.items() if name in own_levels)
        both_have_scores = score is not None and combined.score is not None
        return not both_have_scores, apart + (
            abs((score or 0.0) - (combined.score or 0.0)) if both_have_scores else 0.0
        )

    return 0 if len(samples) == 1 else min(range(len(samples)), key=lambda index: distance(samples[index]))


def _levels_and_skips(criteria: Mapping[str, Rated]) -> tuple[dict[str, float], frozenset[str]]:
    levels = {name: rated.level for name, rated in criteria.items() if rated.level is not None}
    return levels, frozenset(name for name, rated in criteria.items() if rated.declined == "not applicable")


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
    """Return True if a rating's overall score, if it states one, is the score that its levels give."""
    if rating.overall is None:
        return True
    earned = earned_score(*_levels_and_skips(rating.criteria), rubric)
    return earned is not None and abs(earned - rating.overall) <= SAME_AS_LEVELS


def overall_of(rating: Rating, rubric: Rubric) -> float | None:
    """Return a rating's score, 0 to 1, as stated, else as its levels give it; None if levels are missing."""
    return rating.overall if _says_score(rating) else earned_score(*_levels_and_skips(rating.criteria), rubric)


def _says_score(rating: Rating) -> bool:
    """Return True if a rating states a score or an error, so that no score is computed from its levels."""
    return rating.overall is not None or rating.error is not None


def earned_score(levels: Mapping[str, float], skipped: Collection[str], rubric: Rubric) -> float | None:
    """Compute the score that a response earns by its levels, 0 to 1; None if a criterion that applies has no level.

    Args:
        levels: Levels by criterion.
        skipped: Names of criteria that a rater said don't apply; a criterion with a level applies all the same.
        rubric: The rubric.
    """
    return score_of_levels(levels, rubric, [name for name in skipped if name not in levels])


# --- levels ---------------------------------------------------------------------------------------------------------


def positions(scale: Scale, levels: Floats) -> Floats:
    """Return the position of each level on its scale, from 0 for the lowest level to 1 for the highest."""
    return levels if scale.by_label else np.asarray((levels - min(scale.values)) / scale.span)


def merits(criterion: Criterion, levels: Floats) -> Floats:
    """Return how good each level is, from 0 to 1: its position, inverted for a criterion of negative weight."""
    places = positions(criterion.scale, levels)
    return places if criterion.weight > 0 else np.asarray(1 - places)


def groups_of(ids: Sequence[str], groups: Sequence[str | None]) -> tuple[str, ...] | None:
    """Name the group of each example: "group NAME" or, for an example without one, "example ID".

    Return None if no example has a group.

    Args:
        ids: Ids of the examples.
        groups: Name of each example's group; "" or None for an example without one.
    """
    names = {group: f"group {group}" for group in dict.fromkeys(groups) if group}
    if not names:
        return None
    return tuple(names[group] if group else f"example {unit}" for unit, group in zip(ids, groups, strict=True))
