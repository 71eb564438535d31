"""Fits weights to annotators' overall scores, and measures their gain on held-out examples.

A change is proposed only if a test shows that the author's weights fit worse; every gain is measured on examples that
had no part in the fit.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls
from scipy.special import fdtrc, fdtri

from markscheme.features.improve.least_labels import LEAST_FOR_WEIGHTS
from markscheme.phrases import brief, counted
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import LOG, Flags, Floats, Groups, Integers, spread, t_quantile

AUTHOR_WORTH = 40
"""Number of examples that the author's weights count as much as in the fit. In simulations with this number, right
weights got worse by over 2 % in at most .05 of runs, before any test."""
LEAST_PER_WEIGHT = 5
"""Fewest labelled examples for each weight that is fitted; a judgement."""
LEAST_MARKS = 5
"""Fewest different overall scores for a fit; a judgement."""
LEAST_AT_OTHER_LEVELS = 10
"""Fewest examples with other than a criterion's most common level, by which the effect of its weight can be told from
that of other weights."""
LEAST_TO_QUOTE_A_GAIN = 80
"""Fewest examples for which the gain is stated: with fewer it is inflated after the test; with 20, 8.1 % is claimed for
1.4 %."""
WEIGHTS_P = 0.05
"""Significance level of the F-test; at .05, harm above 2 % occurs in at most .02 of simulated runs."""
STEP_OF_THE_TEST = 0.5
"""Share of the way from the author's weights to the fitted ones that is taken if the test passes only just."""
FOLDS, REPEATS = 5, 4
GRAINS = (1.0, 0.05, 0.01)
CORRELATED_CRITERIA = 0.9
"""Correlation of two criteria above which the split of their weight is arbitrary."""
NOTHING = 1e-12
"""Share of the total below which a sum of squares is only rounding error."""


@dataclass(frozen=True, slots=True)
class TunedWeights:
    """Weights that annotators' overall scores support, with the test and the gain behind them.

    Attributes:
        before: The author's weights.
        after: The proposed weights; the author's if no change is supported.
        supported: True if the labels support a change.
        reason: The reason why a change is supported or isn't, in a sentence.
        needed: Number of labelled examples needed to fit weights; None if there were enough.
        p: p-value of the F test that the author's weights fit as well as any other weights; None if the test wasn't
            made.
        gain: Share by which the held-out root mean squared error falls, shrunk for selection; undefined below 80
            examples.
        ratios: Fitted weight divided by the author's, for each criterion; undefined if the weight isn't tuned.
        alike: Pairs of criteria with a correlation above 0.9, between which the split of weight is arbitrary.
    """

    before: tuple[float, ...]
    after: tuple[float, ...]
    supported: bool
    reason: str
    needed: int | None
    p: float | None
    gain: Estimate
    ratios: tuple[Estimate, ...]
    alike: tuple[tuple[int, int, float], ...]

    def __post_init__(self) -> None:
        if not self.supported and self.after != self.before:
            raise ValueError("weights that aren't supported are not proposed")


def fit_weights(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    author: npt.ArrayLike,
    *,
    generator: np.random.Generator,
    fixed: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    significance: float = WEIGHTS_P,
) -> TunedWeights:
    """Propose the weights that annotators' overall scores support, or keep the author's with the reason.

    Args:
        x: Position of each criterion's level, shape (n, k), 0 to 1; nan where there is none. An example counts if every
            tuned criterion has one.
        y: Annotators' overall scores, shape (n,), 0 to 1; nan where there is none.
        author: The author's weights, shape (k,).
        generator: Random generator that splits the examples into folds.
        fixed: Flags of weights that are not tuned, shape (k,), since their criteria are required. Weights of 0, and of
            criteria on which all examples have one level, aren't tuned either.
        groups: Group of each example, shape (n,); groups are held out, or left out, as a whole.
        significance: Significance level of the F test.

    Returns:
        The proposal. The proposed weights lie between the author's and the fitted ones; the clearer the F test, the
        closer they are to the fitted ones (`FTest.step`). They have the signs and the sum of positive weights that the
        author's have, and are rounded as finely.

    Raises:
        ValueError: Shapes don't fit, values are infinite, or there is no weight at all, which is the caller's mistake.

    Source:
        Dawes (1979), American Psychologist 34(7), 571-582. doi:10.1037/0003-066X.34.7.571 Varma and Simon (2006), BMC
        Bioinformatics 7, 91. doi:10.1186/1471-2105-7-91

    Example:
        >>> draw = np.random.default_rng(1)
        >>> x = draw.integers(0, 5, (120, 3)) / 4
        >>> y = np.clip(x @ [0.6, 0.2, 0.2] + draw.normal(0, 0.05, 120), 0, 1)
        >>> tuned = fit_weights(x, y, [0.2, 0.4, 0.4], generator=draw)
        >>> tuned.supported, tuned.after
        (True, (0.55, 0.2, 0.25))
    """
    levels, marks, weights = _checked(x, y, author)
    left_alone = np.zeros(len(weights), dtype=bool) if fixed is None else np.asarray(fixed, dtype=bool)
    if left_alone.shape != weights.shape:
        raise ValueError(f"fixed must have shape {weights.shape} as author has, not {left_alone.shape}")
    marked = ~np.isnan(marks)
    one_level = _one_level(levels[marked]) & (weights != 0) & ~left_alone
    tuned = np.flatnonzero((weights != 0) & ~left_alone & ~one_level)
    is_complete = ~np.isnan(marks) & ~np.isnan(levels[:, tuned]).any(axis=1)
    complete_groups = Groups.of(groups, len(levels)).of_units(is_complete)
    task = _Task(levels[is_complete], marks[is_complete], weights, tuned, complete_groups)
    refusal, needed = _cannot_tune(task, int(left_alone.sum()), int(one_level.sum()))
    if refusal:
        return _unchanged(task, refusal, needed)
    p = FTest.of(task.sums, task.author).p
    after = task.rounded(task.carried(task.sums))
    gain, gained = _held_out_gain(task, generator)
    supported, reason = _decision(p, gained, significance, changed=after != tuple(weights.tolist()))
    return TunedWeights(
        before=tuple(weights.tolist()),
        after=after if supported else tuple(weights.tolist()),
        supported=supported,
        reason=reason,
        needed=None,
        p=p,
        gain=gain,
        ratios=_ratios(task),
        alike=_correlated_criteria(task),
    )


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of squares and products of levels and overall scores, which suffice to compute a regression.

    Attributes:
        n: Number of examples.
        mean: Mean of each level and of the score, shape (k + 1,).
        about_mean: Sums of products of deviations from the means, shape (k + 1, k + 1), the score last.
    """

    n: float
    mean: Floats
    about_mean: Floats

    @classmethod
    def of(cls, levels: Floats, marks: Floats) -> "Sums":
        """Compute a regression's sums from levels, shape (n, k), and overall scores, shape (n,), none missing.

        Args:
            levels: The levels on each criterion.
            marks: The overall scores.
        """
        table = np.column_stack([levels, marks])
        if not len(table):
            return cls(0.0, np.zeros(table.shape[1]), np.zeros((table.shape[1],) * 2))
        centred = table - table.mean(axis=0)
        return cls(float(len(table)), table.mean(axis=0), centred.T @ centred)

    def without(self, levels: Floats, marks: Floats) -> "Sums":
        """Return the sums over all examples except the given ones.

        Args:
            levels: Levels of the examples to leave out, shape (n, k).
            marks: Overall scores of the examples to leave out, shape (n,).
        """
        gone = Sums.of(levels, marks)
        n = self.n - gone.n
        apart = gone.mean - self.mean
        about_mean = self.about_mean - gone.about_mean - np.outer(apart, apart) * gone.n * self.n / n
        return Sums(n, self.mean - apart * gone.n / n, about_mean)

    @property
    def levels(self) -> Floats:
        """Sums over examples of the products of two criteria's deviations from their means, shape (k, k)."""
        return np.asarray(self.about_mean[:-1, :-1])

    @property
    def with_mark(self) -> Floats:
        """Per criterion, the sum of products of its level's and the score's deviations from their means, shape (k,)."""
        return np.asarray(self.about_mean[:-1, -1])

    @property
    def mark(self) -> float:
        """Sum of squares of the overall scores' deviations from their mean."""
        return float(self.about_mean[-1, -1])


@dataclass(frozen=True)
class _Task:
    """Data for fitting weights: levels, overall scores, groups of examples, and which weights may change.

    Attributes:
        levels: Levels of the examples, shape (n, k).
        marks: Annotators' overall scores, shape (n,).
        weights: The author's weights, shape (k,).
        tuned: Indices of the criteria whose weights may change.
        groups: Groups of the examples.
    """

    levels: Floats
    marks: Floats
    weights: Floats
    tuned: Integers
    groups: Groups

    @cached_property
    def signs(self) -> Floats:
        return np.asarray(np.sign(self.weights[self.tuned]), dtype=np.float64)

    @cached_property
    def author(self) -> Floats:
        """Absolute values of the author's weights that may change, shape (n_tuned,)."""
        return np.asarray(np.abs(self.weights[self.tuned]), dtype=np.float64)

    @cached_property
    def upright(self) -> Floats:
        """Levels of the criteria whose weights may change, with the sign reversed where the weight is negative.

        A larger number is thus always better.
        """
        return np.asarray(self.levels[:, self.tuned] * self.signs)

    @cached_property
    def sums(self) -> Sums:
        return Sums.of(self.upright, self.marks)

    def normalised(self, sums: Sums) -> Floats:
        """Fit weights, and scale them to keep the sum of the positive ones; if the fit fails, return the author's.

        Args:
            sums: Sums over the examples that the weights are fitted to.
        """
        fit = ridge(sums, self.author)
        fitted = np.zeros(len(self.author)) if fit is None else fit
        positive = self.signs > 0 if (self.signs > 0).any() else np.ones(len(self.signs), dtype=bool)
        total = float(fitted[positive].sum())
        return fitted * (float(self.author[positive].sum()) / total) if total > 0 else self.author

    def carried(self, sums: Sums) -> Floats:
        """Return the author's weights moved towards those fitted to `sums`, further if the F test has a smaller p."""
        return self.author + FTest.of(sums, self.author).step() * (self.normalised(sums) - self.author)

    def rounded(self, upright: Floats) -> tuple[float, ...]:
        """Return the weights of all criteria; those that were fitted are rounded to multiples of a step, at least one.

        The step is the largest of 1, 0.05 and 0.01 of which all the author's weights are multiples and that is at most
        a third of their mean; 0.01 if none is. The sum of the positive weights is kept if that is possible.

        Args:
            upright: The fitted weights before rounding, without their signs.
        """
        grain = _grain(self.weights)
        steps = _rounded_steps(upright / grain, self.signs)
        weights = self.weights.copy()
        weights[self.tuned] = np.round(steps * grain * self.signs, 9)
        return tuple(weights.tolist())


def _checked(x: npt.ArrayLike, y: npt.ArrayLike, author: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    levels, marks, weights = (np.asarray(v, dtype=np.float64) for v in (x, y, author))
    if levels.ndim != 2 or marks.shape != levels.shape[:1] or weights.shape != levels.shape[1:] or not len(weights):
        raise ValueError(
            f"x, y and author must be (n, k), (n,) and (k,), not {levels.shape}, {marks.shape} and {weights.shape}"
        )
    if np.isinf(levels).any() or np.isinf(marks).any() or not np.isfinite(weights).all():
        raise ValueError("levels, marks and weights must be finite; only levels and marks may be nan")
    return levels, marks, weights


def _one_level(levels: Floats) -> npt.NDArray[np.bool_]:
    """Return a mask of the columns that have only one level, ignoring missing values."""
    return np.array([len(np.unique(column[~np.isnan(column)])) == 1 for column in levels.T])


def _cannot_tune(task: _Task, required: int, one_level: int) -> tuple[str | None, int | None]:
    """Return the reason why weights can't be fitted, and the total number of examples that would be enough.

    Args:
        task: The data to fit weights to.
        required: Number of weights left alone because their criteria are required.
        one_level: Number of weights left alone because all examples have one level.

    Returns:
        The reason, None if weights can be fitted; and the number of examples, those so far included, None if more
        examples wouldn't help.
    """
    n = len(task.marks)
    k = len(task.tuned)
    groups = task.groups.n
    least = max(LEAST_FOR_WEIGHTS, LEAST_PER_WEIGHT * k)
    marks = len(np.unique(task.marks))
    if k < 2:
        return _nothing_to_weigh(task, required, one_level)
    if n < least:
        return f"{n} examples have an overall mark and all levels; {k} weights need {least} such", least
    if marks < LEAST_MARKS:
        requirement = f"weights need {LEAST_MARKS} different ones"
        return (
            f"the overall marks take only {counted(marks, 'value')}, {requirement}: decide pass or fail instead",
            None,
        )
    if groups < FOLDS:
        needed = math.ceil(FOLDS * n / groups)
        formed = f"the examples form only {counted(groups, 'group')}; holding out whole groups needs {FOLDS}"
        return f"{formed}, about {needed} examples in all", needed
    if ridge(task.sums, task.author) is None:
        return "your weights give every example the same score: label some with other levels", n + LEAST_FOR_WEIGHTS
    return None, None


def _nothing_to_weigh(task: _Task, required: int, one_level: int) -> tuple[str, int | None]:
    n = len(task.marks)
    k = len(task.tuned)
    all_weights = len(task.weights)
    if all_weights == 1:
        return "the rubric has one criterion, and a weight counts only against another", None
    causes = []
    if required:
        causes.append(f"{counted(required, 'required criterion', 'required criteria')} kept as they are")
    if one_level:
        causes.append(f"{counted(one_level, 'criterion', 'criteria')} with one level in all {n} examples")
    refusal = f"{k} of {all_weights} weights can be tuned, and one counts only against another: {', '.join(causes)}"
    if k + one_level < 2:
        return refusal, None
    needed = max(LEAST_FOR_WEIGHTS, n + LEAST_AT_OTHER_LEVELS)
    return f"{refusal}; label some at other levels, {needed} examples in all", needed


def _unchanged(task: _Task, reason: str, needed: int | None) -> TunedWeights:
    nothing = Estimate.without_value(reason, n=len(task.marks), method="tuned weights")
    before = tuple(task.weights.tolist())
    return TunedWeights(before, before, False, reason, needed, None, nothing, (nothing,) * len(before), ())


def _decision(p: float, gained: bool, significance: float, *, changed: bool) -> tuple[bool, str]:
    if p > significance:
        return False, f"your weights fit as well as any ({p_in_words(p)})"
    if not changed:
        return False, "rounded as finely as yours, the tuned weights are yours"
    if not gained:
        return False, "on examples held out, the tuned and rounded weights do no better than yours"
    return True, f"the marks follow other weights ({p_in_words(p)})"


def ridge(sums: Sums, author: Floats) -> Floats | None:
    """Fit weights to overall scores, with the author's weights counting as much as a fixed number of examples.

    The fit is a least-squares regression of scores on levels, with an intercept and no weight below 0. It shrinks the
    weights towards a multiple of the author's weights; that multiple is fitted too. No minimum number of examples is
    required, and the weights aren't rescaled.

    Args:
        sums: Sums of the scores and of the levels; the levels of a criterion with a negative weight have their sign
            reversed.
        author: The author's weights, shape (k,), all above 0.

    Returns:
        Weights in the scale of the scores, shape (k,); None if the author's score is equal for all examples.

    Source:
        Hoerl and Kennard (1970), Technometrics 12(1), 55-67. doi:10.1080/00401706.1970.10488634

    Example:
        >>> x = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
        >>> ridge(Sums.of(x, x @ [0.5, 0.5]), np.array([1.0, 1.0])).round(6).tolist()
        [0.5, 0.5]
    """
    k = len(author)
    of_score = float(author @ sums.levels @ author)
    if sums.n < 2 or of_score <= NOTHING * float(author @ author):
        return None
    pull = AUTHOR_WORTH * of_score / (sums.n * k) / float((author**2).mean())
    system = np.zeros((k + 1, k + 1))
    system[:k, :k] = sums.levels + pull * np.eye(k)
    system[:k, k] = system[k, :k] = -pull * author
    system[k, k] = pull * float(author @ author)
    upper = cholesky(system)
    solution, _ = nnls(upper, solve_triangular(upper, np.append(sums.with_mark, 0.0), trans="T"))
    return np.asarray(solution[:k])


@dataclass(frozen=True, slots=True)
class FTest:
    """F test of whether weights fitted freely predict scores better than the author's weights do.

    Attributes:
        ratio: F; 0 if both fit equally well, infinite if only free weights fit exactly.
        more: Numerator degrees of freedom: number of directions in which free weights can differ from the author's.
        spare: Denominator degrees of freedom: number of examples minus the number of fitted parameters.

    Example:
        >>> x = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.5, 0.0]])
        >>> sums = Sums.of(x, x @ [0.2, 0.8])
        >>> FTest.of(sums, np.array([0.2, 0.8])).p
        1.0
        >>> [FTest.of(sums, np.array(author)).step() for author in ([0.2, 0.8], [0.8, 0.2])]
        [0.0, 1.0]
    """

    ratio: float
    more: int
    spare: float

    @classmethod
    def of(cls, sums: Sums, author: Floats) -> "FTest":
        """Test if free weights predict annotators' overall scores better than the author's weights.

        Two linear models are compared: one fits an intercept and a weight for each criterion, the other an intercept
        and a slope on the author's weighted sum of levels. Criteria with collinear levels count once.

        Args:
            sums: Sums over the examples of levels and overall scores.
            author: The author's weights.
        """
        values, vectors = np.linalg.eigh(sums.levels)
        used = values > NOTHING * max(float(values.max()), NOTHING)
        rank = int(used.sum())
        free = sums.mark - float(((vectors[:, used].T @ sums.with_mark) ** 2 / values[used]).sum())
        of_score = float(author @ sums.levels @ author)
        explained = float(author @ sums.with_mark) ** 2 / of_score if of_score > NOTHING else 0.0
        lost = sums.mark - explained - free
        spare = sums.n - rank - 1
        if rank < 2 or spare < 1 or lost <= NOTHING * sums.mark:
            return cls(0.0, 1, 1.0)
        ratio = math.inf if free <= NOTHING * sums.mark else lost / (rank - 1) / (free / spare)
        return cls(ratio, rank - 1, spare)

    @property
    def p(self) -> float:
        """p-value: the probability that free weights fit better by at least this much if the author's are right."""
        if self.ratio <= 0:
            return 1.0
        return 0.0 if math.isinf(self.ratio) else float(fdtrc(self.more, self.spare, self.ratio))

    def step(self, significance: float = WEIGHTS_P) -> float:
        """Compute how far to move from the author's weights towards the fitted ones, 0 to 1.

        A result that passes the test by luck passes it narrowly. So the step is `STEP_OF_THE_TEST` if p is just
        significant. It is the larger, the more clearly the fitted weights predict scores better than the author's.

        Source:
            Sclove, Morris and Radhakrishnan (1972), Annals of Mathematical Statistics 43(5), 1481-1490.
        """
        if self.ratio <= 0:
            return 0.0
        just_significant = float(fdtri(self.more, self.spare, 1 - significance))
        return max(0.0, 1 - (1 - STEP_OF_THE_TEST) * just_significant / self.ratio)


def _folds(task: _Task, generator: np.random.Generator) -> Iterator[tuple[Flags, Sums, Floats]]:
    """Divide the examples into folds, several times, and fit weights to the examples outside each fold.

    Args:
        task: The examples to divide, and which weights may change.
        generator: Generator that puts groups of examples into folds at random.

    Yields:
        Flags of the examples in a fold, the sums over all other examples, and the weights fitted to the others.
    """
    upright = task.upright
    everything = task.sums
    for _ in range(REPEATS):
        part = generator.permutation(task.groups.n)[task.groups.number] % FOLDS
        for fold in range(FOLDS):
            is_held_out = part == fold
            rest = everything.without(upright[is_held_out], task.marks[is_held_out])
            yield is_held_out, rest, np.array(task.rounded(task.carried(rest)))


def _held_out_gain(task: _Task, generator: np.random.Generator) -> tuple[Estimate, bool]:
    """Estimate the share by which tuned weights reduce the held-out error; also return True if they reduce it.

    Args:
        task: The data to fit weights to.
        generator: Random generator that divides the examples into parts, each of which is held out once.
    """
    n = len(task.marks)
    upright = task.upright
    squares = np.zeros((2, n))
    for is_held_out, rest, fitted in _folds(task, generator):
        proposed = fitted[task.tuned] * task.signs
        for side, weights in enumerate((task.author, proposed)):
            errors = _line_errors(rest, weights, upright[is_held_out], task.marks[is_held_out])
            squares[side, is_held_out] += errors**2
    squares /= REPEATS
    saved = squares[0] - squares[1]
    before = float(squares[0].mean())
    method = f"share of RMSE, {REPEATS} times {FOLDS}-fold"
    mean = float(saved.mean())
    if n < LEAST_TO_QUOTE_A_GAIN:
        likely = "likely better" if mean > 0 else "likely no better"
        why = f"{likely}; fewer than {LEAST_TO_QUOTE_A_GAIN} examples don't say by how much"
        return Estimate.without_value(why, n=n, method=method), mean > 0
    sums = np.bincount(task.groups.number, weights=saved)
    sizes = np.bincount(task.groups.number)
    moves = spread((saved.sum() - sums) / (n - sizes))
    reach = t_quantile(moves.df, 0.95) * moves.se
    shrink = max(0.0, 1 - (moves.se / mean) ** 2) if mean else 0.0
    value, low, high = (
        1 - math.sqrt(max(0.0, 1 - x / before)) if before > 0 else 0.0 for x in (mean, mean - reach, mean + reach)
    )
    value *= shrink
    return Estimate(value, min(low, value), max(high, value), n=task.groups.n, method=method), mean > 0


def _line_errors(rest: Sums, weights: Floats, levels: Floats, marks: Floats) -> Floats:
    """Compute how far overall scores are from those that weights predict, by a line fitted to other examples.

    Args:
        rest: Sums over the examples to which the line is fitted.
        weights: Weights of the criteria.
        levels: Levels of the examples to predict, shape (n, k).
        marks: Overall scores of these examples, shape (n,).
    """
    of_score = float(weights @ rest.levels @ weights)
    slope = float(weights @ rest.with_mark) / of_score if of_score > NOTHING else 0.0
    return np.asarray(marks - rest.mean[-1] - slope * ((levels - rest.mean[:-1]) @ weights))


def _ratios(task: _Task) -> tuple[Estimate, ...]:
    """Return each tuned weight divided by the author's weight, with an interval by the jackknife over groups."""
    upright = task.upright
    groups = task.groups
    method = "weight over the author's"
    gone = (groups.number == g if groups.several else slice(g, g + 1) for g in range(groups.n))
    left_out = (task.sums.without(upright[rows], task.marks[rows]) for rows in gone)
    weights_left_out = np.array([task.normalised(sums) / task.author for sums in chain([task.sums], left_out)])
    ratios = [Estimate.without_value("not tuned", n=groups.n, method=method)] * len(task.weights)
    for index, column in zip(task.tuned.tolist(), weights_left_out.T, strict=True):
        ratios[index] = groups.jackknife(column, transform=LOG, level=0.95, method=method)
    return tuple(ratios)


def _correlated_criteria(task: _Task) -> tuple[tuple[int, int, float], ...]:
    """Return the pairs of criteria, among those whose weights may change, whose levels are highly correlated.

    Each pair is two indices of criteria and the correlation.
    """
    products = task.sums.levels
    sd = np.sqrt(np.diag(products))
    correlation = products / np.outer(sd, sd)
    pairs = zip(*np.nonzero(np.triu(correlation > CORRELATED_CRITERIA, 1)), strict=True)
    return tuple((int(task.tuned[i]), int(task.tuned[j]), float(correlation[i, j])) for i, j in pairs)


def _grain(weights: Floats) -> float:
    """Return the largest step, of 1, 0.05 and 0.01, of which all of the author's weights are multiples.

    The step is at most a third of the mean weight: a larger one, such as 1 for the weights 1, 1 and 2, would leave no
    room for changes. If no step fits, it is 0.01.
    """
    finest = float(np.abs(weights[weights != 0]).mean()) / 3
    whole = (g for g in GRAINS if g <= finest and np.abs(weights / g - np.rint(weights / g)).max() < 1e-6)
    return next(whole, GRAINS[-1])


def _rounded_steps(steps: Floats, signs: Floats) -> Floats:
    """Round absolute weights to whole steps, at least 1 each, keeping the sum of the positive weights if possible.

    Args:
        steps: Absolute weights, as multiples of the step to which they are rounded, shape (k,).
        signs: Signs of the weights, shape (k,).
    """
    rounded = np.maximum(np.rint(steps), 1.0)
    positive = np.flatnonzero(signs > 0)
    if not len(positive):
        return rounded
    total = max(round(float(steps[positive].sum())), len(positive))
    while (surplus := float(rounded[positive].sum()) - total) != 0:
        movable = positive if surplus < 0 else positive[rounded[positive] > 1]
        over = (rounded - steps)[movable]
        rounded[movable[np.argmin(over) if surplus < 0 else np.argmax(over)]] -= math.copysign(1.0, surplus)
    return rounded


_LEAST_P = 0.001
"""The smallest p value that is printed as a number."""


def p_in_words(p: float) -> str:
    """Write a p value for use in a sentence.

    >>> p_in_words(1.7e-09), p_in_words(0.0312)
    ('p < 0.001', 'p = 0.031')
    """
    return "p < 0.001" if p < _LEAST_P else f"p = {brief(p)}"
