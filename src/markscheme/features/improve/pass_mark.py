"""The pass mark, or a criterion's threshold, that annotators' explicit passes and fails support.

A move is proposed only where a test says that the author's mark fits worse. Decisions derived from scores and the
author's own mark can't show where the mark should be, and must not be passed in.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import erfc, expit, log_expit

from markscheme.phrases import p_in_words, signed
from markscheme.stats.annotators import NO_DECISION
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import IDENTITY, Floats, Groups, Integers, jackknife
from markscheme.stats.least_labels import LEAST_FOR_MARK, LEAST_OF_EACH
from markscheme.stats.pairs import equal_vectors

MARK_P = 0.01
"""Significance of moving the mark, chosen by simulation."""
SLOPE_RIDGE = 0.01
"""Penalty on the slope, which keeps the fit finite where a mark separates all passes from all fails."""
SAME_SCORE = 1e-12
"""Scores closer than this are one score that was rounded twice."""


@dataclass(frozen=True, slots=True)
class TunedMark:
    """What the labels say about a pass mark.

    Attributes:
        before: The author's mark.
        after: The proposed mark; the author's where no move is supported.
        supported: Whether the labels support a move.
        reason: Why, or why not, in a sentence.
        needed: Labelled examples needed to try; None where there were enough.
        p: p-value of the test that the odds of passing at the author's mark equal `cost`.
        crossing: Score at which the fitted odds of passing equal `cost`, before snapping to attainable scores.
    """

    before: float
    after: float
    supported: bool
    reason: str
    needed: int | None
    p: float | None
    crossing: Estimate

    def __post_init__(self) -> None:
        if not self.supported and self.after != self.before:
            raise ValueError("a mark that isn't supported is not proposed")


@dataclass(frozen=True, slots=True)
class MarkProposal:
    """The pass mark that annotators' explicit decisions support, and for whose scores.

    Attributes:
        mark: The proposal, or the author's mark with the reason.
        through: Whose scores the mark was fitted to: annotators' own ("people": a mark for the rubric) or the judge's
            ("judge": a mark for this judge); None without a decision, where there is no test.
        bias: Mean of the judge's scores minus annotators' own, where annotators' decisions fit the author's mark and
            the judge's scores don't; None elsewhere.
    """

    mark: TunedMark
    through: Literal["people", "judge"] | None
    bias: float | None


def propose_pass_mark(
    passed: npt.ArrayLike,
    judge: npt.ArrayLike,
    author: float,
    *,
    people: npt.ArrayLike | None = None,
    cost: float = 1.0,
    attainable: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
) -> MarkProposal:
    """The pass mark that explicit decisions support, fitted to annotators' own scores where there are enough of them.

    A judge that scores too low and a mark that is too high fit the same decisions. Annotators' own scores distinguish
    them: where these fit the author's mark, the judge is at fault and the mark stays.

    Args:
        passed: Explicit decisions of annotators, shape (n,): 1 pass, 0 fail, nan where there is none.
        judge: The judge's scores, shape (n,), 0 to 1; nan where there is none.
        author: The author's mark, 0 to 1.
        people: Annotators' own scores of the same examples, shape (n,); nan where there is none. They are used from 50
            decisions with such a score, with 10 of each.
        cost: Cost of a false pass, where a false fail costs 1.
        attainable: Scores that can occur; by default those that did.
        groups: Which group each example belongs to, shape (n,); whole groups are left out at a time.

    Raises:
        ValueError: The caller's fault: what `fit_pass_mark` rejects.

    Example:
        >>> scores = np.arange(100) / 100
        >>> decided = (scores + 0.1 * np.sin(np.arange(100) * 7) >= 0.5).astype(float)
        >>> low = propose_pass_mark(decided, scores - 0.2, 0.5, people=scores)
        >>> low.mark.supported, low.through, round(low.bias, 2)
        (False, 'people', -0.2)
        >>> propose_pass_mark(decided, scores - 0.2, 0.5).through
        'judge'
    """
    nobody = np.full(np.shape(judge), np.nan)
    h, s, people_decisions = equal_vectors(passed=passed, judge=judge, people=nobody if people is None else people)
    by_judge = fit_pass_mark(s, h, author, cost=cost, attainable=attainable, groups=groups)
    if np.isnan(h).all():
        return MarkProposal(by_judge, None, None)
    if _cannot_move(*_decided(people_decisions, h))[0]:
        return MarkProposal(by_judge, "judge", None)
    by_people = fit_pass_mark(people_decisions, h, author, cost=cost, attainable=attainable, groups=groups)
    if by_people.supported or by_judge.p is None or by_judge.p > MARK_P:
        return MarkProposal(by_people, "people", None)
    both = ~np.isnan(people_decisions) & ~np.isnan(s)
    bias = float((s - people_decisions)[both].mean()) if both.any() else None
    if bias is None:
        return MarkProposal(by_people, "people", None)
    why = f"annotators' decisions fit your pass mark; the judge's scores are biased by {signed(bias)}"
    return MarkProposal(_mark_kept(author, why, None, by_people.p, by_people.crossing), "people", bias)


def fit_pass_mark(
    scores: npt.ArrayLike,
    passed: npt.ArrayLike,
    author: float,
    *,
    cost: float = 1.0,
    attainable: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
) -> TunedMark:
    """The pass mark that annotators' passes and fails support, or the author's with the reason.

    It works for a criterion's threshold too, with positions in place of scores.

    Args:
        scores: Shape (n,), 0 to 1; nan where there is none.
        passed: Whether annotators pass each example, shape (n,): 0 or 1; nan where there is no decision.
        author: The author's mark, 0 to 1.
        cost: Cost of a false pass, where a false fail costs 1.
        attainable: Scores that can occur; by default those that did.
        groups: Which group each example belongs to, shape (n,); whole groups are left out at a time.

    Returns:
        The proposal, lying between two attainable scores.

    Raises:
        ValueError: The caller's fault: shapes that don't fit, infinite scores, verdicts other than 0 and 1, a mark
            outside 0 to 1, or a cost that isn't positive.

    Source:
        Cox (1958), Journal of the Royal Statistical Society B 20(2), 215-242, for logistic regression.

    Example:
        >>> scores = np.arange(0, 100) / 100
        >>> people = (scores + 0.1 * np.sin(np.arange(100) * 7) >= 0.6).astype(float)
        >>> tuned = fit_pass_mark(scores, people, 0.3)
        >>> tuned.supported, 0.55 < tuned.after < 0.65
        (True, True)
    """
    s, h = equal_vectors(scores=scores, passed=passed)
    units = Groups.of(groups, len(s))
    undecided = bool(np.isnan(h).all())
    is_known = ~np.isnan(s) & ~np.isnan(h)
    s, h = _decided(s, h)
    if np.isinf(s).any() or not np.isin(h, (0.0, 1.0)).all() or not 0 <= author <= 1 or not cost > 0:
        raise ValueError("scores must be finite, passed 0 or 1, the mark within 0 to 1 and the cost above 0")
    possible = np.unique(s) if attainable is None else np.unique(np.asarray(attainable, dtype=np.float64))
    refusal, needed = (NO_DECISION, LEAST_FOR_MARK) if undecided else _cannot_move(s, h)
    if refusal:
        return _mark_kept(author, refusal, needed, None, _no_crossing(refusal, len(h)))
    points, place = np.unique(s, return_inverse=True)
    counts = np.zeros((1, len(points), 2))
    np.add.at(counts[0], (place.reshape(-1), h.astype(np.int64)), 1.0)
    goal = math.log(cost)
    free = _logistic(points - author, counts)
    pinned_fit = _logistic(points - author, counts, intercept=goal)
    p = float(erfc(math.sqrt(max(0.0, float(free.loglik[0] - pinned_fit.loglik[0])))))
    if free.slope[0] <= 0:
        reason = (
            f"the score doesn't order what passes: the {int(h.sum())} passes score no higher than the "
            f"{int((1 - h).sum())} fails; a mark needs {LEAST_FOR_MARK} labels that go with the score"
        )
        return _mark_kept(author, reason, None, p, _no_crossing(reason, len(h)))
    known_groups = None if groups is None else units.of_units(is_known)
    crossing = _crossing(points, place.reshape(-1), h, counts, author, goal, known_groups)
    if p > MARK_P:
        return _mark_kept(author, f"the labels don't speak against your mark ({p_in_words(p)})", None, p, crossing)
    mark = snapped_mark(author + (goal - float(free.intercept[0])) / float(free.slope[0]), possible)
    if np.array_equal(possible >= mark - SAME_SCORE, possible >= author - SAME_SCORE):
        return _mark_kept(author, "no attainable score lies between your mark and the better one", None, p, crossing)
    return TunedMark(
        author, mark, True, f"annotators' decisions put the line there ({p_in_words(p)})", None, p, crossing
    )


@dataclass(frozen=True, slots=True)
class _Logistic:
    """Logistic fits, one per set of counts."""

    intercept: Floats
    slope: Floats
    loglik: Floats


def _logistic(x: Floats, counts: Floats, *, intercept: float | None = None) -> _Logistic:
    """Logistic regression of pass on x for each set of fails and passes, shape (n_sets, n_points, 2).

    A ridge on the slope keeps it finite where scores separate passes from fails completely. A given intercept is
    kept.
    """
    fails = counts[..., 0]
    passes = counts[..., 1]
    total = fails + passes
    b0 = np.full(len(counts), 0.0 if intercept is None else intercept)
    b1 = np.zeros(len(counts))

    def objective(b0: Floats, b1: Floats) -> Floats:
        eta = b0[:, None] + b1[:, None] * x
        return np.asarray((passes * log_expit(eta) + fails * log_expit(-eta)).sum(axis=1) - SLOPE_RIDGE / 2 * b1**2)

    best = objective(b0, b1)
    for _ in range(100):
        p = expit(b0[:, None] + b1[:, None] * x)
        residual = passes - total * p
        weight = total * p * (1 - p) + 1e-12
        g0 = residual.sum(axis=1)
        g1 = residual @ x - SLOPE_RIDGE * b1
        h00 = weight.sum(axis=1)
        h01 = weight @ x
        h11 = weight @ (x * x) + SLOPE_RIDGE
        if intercept is None:
            determinant = h00 * h11 - h01**2
            s0 = (h11 * g0 - h01 * g1) / determinant
            s1 = (h00 * g1 - h01 * g0) / determinant
        else:
            s0 = np.zeros_like(g0)
            s1 = g1 / h11
        size = np.ones(len(counts))
        for _ in range(30):
            now = objective(b0 + size * s0, b1 + size * s1)
            worse = now < best - 1e-12
            if not worse.any():
                break
            size = np.where(worse, size / 2, size)
        b0 = b0 + size * s0
        b1 = b1 + size * s1
        best = now
        if max(np.abs(size * s0).max(), np.abs(size * s1).max()) < 1e-10:
            break
    return _Logistic(b0, b1, best)


def _crossing(
    points: Floats,
    place: Integers,
    passed: Floats,
    counts: Floats,
    author: float,
    goal: float,
    groups: Groups | None,
) -> Estimate:
    """Score at which the fitted odds of passing equal the goal, jackknifed over kinds of example, or groups."""

    def crossings(sets: Floats) -> Floats:
        fits = [
            _logistic(points - author, part) for part in np.array_split(sets, max(1, len(sets) * len(points) // 10**6))
        ]
        slope = np.concatenate([fit.slope for fit in fits])
        offset = goal - np.concatenate([fit.intercept for fit in fits])
        crosses = (slope > 0) & (sets.sum(axis=1) > 0).all(axis=1)
        return np.where(crosses, author + offset / np.where(crosses, slope, 1.0), np.nan)

    kind = place * 2 + passed.astype(np.int64)
    if groups is None:
        kinds, times = np.unique(kind, return_counts=True)
        gone = np.eye(len(points) * 2)[kinds]
    else:
        times = np.ones(groups.n, dtype=np.int64)
        gone = np.zeros((groups.n, len(points) * 2))
        np.add.at(gone, (groups.number, kind), 1.0)
    left_out = crossings(counts - gone.reshape(-1, len(points), 2))
    value = float(crossings(counts)[0])
    grouped = groups is not None and groups.several
    return jackknife(value, left_out, counts=times, transform=IDENTITY, method="logistic cut", grouped=grouped)


def _decided(scores: Floats, passed: Floats) -> tuple[Floats, Floats]:
    is_known = ~np.isnan(scores) & ~np.isnan(passed)
    return scores[is_known], passed[is_known]


def _cannot_move(scores: Floats, passed: Floats) -> tuple[str | None, int | None]:
    n = len(passed)
    passes = int(passed.sum())
    rarer = min(passes, n - passes)
    if n >= LEAST_FOR_MARK and rarer >= LEAST_OF_EACH:
        if scores.min() < scores.max():
            return None, None
        needed = n + LEAST_FOR_MARK
        return f"all {n} labelled examples score {scores[0]:g}: label others too, {needed} examples in all", needed
    requirement = f"a mark needs {LEAST_FOR_MARK} labelled examples with {LEAST_OF_EACH} of each"
    if n == 0:
        return f"no example has a score and labels that decide whether it passes; {requirement}", LEAST_FOR_MARK
    if rarer == 0:
        seen = f"all of {n} labelled examples {'pass' if passes else 'fail'}"
        return f"{seen}: label some of the other kind; {requirement}", max(LEAST_FOR_MARK, n + LEAST_OF_EACH)
    needed = max(LEAST_FOR_MARK, n + 1, math.ceil(LEAST_OF_EACH * n / rarer - 1e-9))
    seen = f"{n} labelled examples with {passes} passes and {n - passes} fails"
    return f"{seen}; a mark needs {LEAST_FOR_MARK} with {LEAST_OF_EACH} of each, about {needed} in all", needed


def _no_crossing(why: str, n: int) -> Estimate:
    return Estimate.without_value(why, n=n, method="logistic cut")


def _mark_kept(author: float, reason: str, needed: int | None, p: float | None, crossing: Estimate) -> TunedMark:
    return TunedMark(author, author, False, reason, needed, p, crossing)


def snapped_mark(mark: float, attainable: Floats) -> float:
    """A short number that splits the attainable scores as `mark` does, halfway between its two neighbours."""
    below = attainable[attainable < mark]
    above = attainable[attainable >= mark]
    if not len(below) or not len(above):
        return min(1.0, max(0.0, float(attainable[0] if len(above) else mark)))
    low = float(below[-1])
    high = float(above[0])
    halfway = (low + high) / 2
    return next((r for d in range(2, 9) if low < (r := round(halfway, d)) <= high), halfway)
