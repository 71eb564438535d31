"""Judges on the same examples: how they differ, which examples flip, what each costs, and which to choose."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from markscheme.calibration.comparison import Floats, Gold, judge_passes
from markscheme.counts import counted
from markscheme.errors import ComparisonError
from markscheme.judges.judge import Usage
from markscheme.ratings.rating import Rating, level_table, score_table
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.score import ROUNDING
from markscheme.stats import Estimate
from markscheme.stats.agreement import exact_agreement
from markscheme.stats.change import holm, least_n, mean_estimate, shift_interval, sign_flip
from markscheme.stats.intervals import IDENTITY, LOGIT, t_quantile
from markscheme.stats.linking import Link, gain_in_error, gain_in_hits, link_scores, passes_after
from markscheme.stats.severity import mae, signed_error, within_tolerance, yes_no_family

MARGIN = 0.05
"""Share of examples by which a judge may agree less often than the best one and still be no worse."""
ONE_SIDED = 0.90
"""Two-sided level whose lower limit is a one-sided 95 % one."""
MOST_LABELS = 100_000
DECIMALS = 9


@dataclass(frozen=True)
class Contender:
    """A judge among which one is to be chosen.

    Attributes:
        name: As reports call it.
        ratings: Its ratings.
        cost: What asking it cost, as far as it was asked.
        kept: Replies of its that came from the cache and so cost nothing this time.
        asked: Submissions that cost and kept replies were for.
    """

    name: str
    ratings: tuple[Rating, ...]
    cost: Usage = Usage()
    kept: int = 0
    asked: int = 0

    @property
    def usd_per_1000(self) -> float | None:
        """US dollars for a thousand submissions; None where no call was paid for or its price isn't known."""
        if self.cost.usd is None or not self.cost.calls or not self.asked:
            return None
        return self.cost.usd / self.cost.calls * (self.cost.calls + self.kept) / self.asked * 1000


@dataclass(frozen=True)
class Said:
    """What one judge said of the examples, in their order.

    Attributes:
        scores: Shape (n_examples,); nan where not graded.
        passes: 1 for pass, 0 for fail; nan where not graded.
        levels: By criterion, likewise.
    """

    scores: Floats
    passes: Floats
    levels: Mapping[str, Floats]


@dataclass(frozen=True)
class Pair:
    """One figure of two judges on the examples both have it on: each one's, and second minus first."""

    first: Estimate
    second: Estimate
    difference: Estimate


@dataclass(frozen=True)
class CriterionPair:
    """Two judges on one criterion.

    Attributes:
        criterion: Which.
        exact: Exact agreement with gold of either; None without gold.
        between: Share of examples on which the two give the same level.
        shift: Second minus first, in levels.
        p: Chance of such a shift if neither rates higher, exact, after Holm's adjustment over the criteria.
    """

    criterion: Criterion
    exact: Pair | None
    between: Estimate
    shift: Estimate
    p: float


@dataclass(frozen=True)
class Flip:
    """An example that one judge passes and the other fails.

    Attributes:
        id: The example's.
        passes: Whether the second judge passes it.
        scores: First and second; nan where one gave a decision only.
        gold: Whether gold passes it; None where gold doesn't say.
    """

    id: str
    passes: bool
    scores: tuple[float, float]
    gold: bool | None


@dataclass(frozen=True)
class Switch:
    """What goes on meaning something if the second judge takes the first one's place.

    Attributes:
        link: What an old score means.
        passed: Share of old passes that pass now.
        failed: Share of old fails that pass now.
    """

    link: Link
    passed: Estimate
    failed: Estimate


@dataclass(frozen=True)
class Differences:
    """Two judges on the examples that both graded.

    Attributes:
        first: Name of one.
        second: Name of the other.
        n: Examples both graded.
        figures: agreement, mae, signed_error and accuracy (as gold in pass or fail); empty without gold.
        criteria: By name.
        shift: Second minus first, in score, and the exact chance of it if neither scores higher.
        shift_p: That chance.
        flips: Examples whose decision flips, the furthest in score first.
        flips_p: Chance of such a balance of flips if neither is more lenient, exact (McNemar).
        false_passes: Ids of examples that gold fails and the first judge passes, and the same of the second.
        switch: From the first to the second.
    """

    first: str
    second: str
    n: int
    figures: Mapping[str, Pair]
    criteria: Mapping[str, CriterionPair]
    shift: Estimate
    shift_p: float
    flips: tuple[Flip, ...]
    flips_p: float
    false_passes: tuple[tuple[str, ...], tuple[str, ...]]
    switch: Switch


@dataclass(frozen=True)
class Standing:
    """One judge among several, on the examples that all of them graded.

    Attributes:
        name: The judge's.
        agreement: Share of examples on which it agrees with gold; None without gold.
        behind_best: Its agreement minus the best one's, with one-sided 95 % limits; None for the best, or without gold.
        not_worse: Whether the lower limit of that is above minus the margin; None without gold.
        labels_needed: Labels still needed to settle it, if the two go on parting as they do; None where settled or
            unknown.
        false_passes: Examples that gold fails and it passes, counted.
        not_graded: Examples it did not grade, counted.
        usd_per_1000: What a thousand submissions cost; None where not known.
    """

    name: str
    agreement: Estimate | None
    behind_best: Estimate | None
    not_worse: bool | None
    labels_needed: int | None
    false_passes: int
    not_graded: int
    usd_per_1000: float | None

    @property
    def is_worse(self) -> bool:
        """Whether the one-sided 95 % upper limit of its agreement minus the best one's is below 0."""
        return self.behind_best is not None and self.behind_best.high is not None and self.behind_best.high < 0


@dataclass(frozen=True)
class Choice:
    """Several judges beside each other, and which one to choose.

    Attributes:
        rubric: What they rated by.
        examples: How many examples were looked at.
        reference: What the gold is worth; None without gold.
        tolerance: How far a score may miss gold and still agree.
        standings: One a judge, in the order they were named.
        pairs: Each two of them.
        best: The one that agrees with gold most often; None without gold.
        recommended: The cheapest that is not worse than the best; None where that can't be said.
        because: Why, in a sentence.
        notes: What else should be known of the comparison.
    """

    rubric: Rubric
    examples: int
    reference: str | None
    tolerance: float
    standings: tuple[Standing, ...]
    pairs: tuple[Differences, ...]
    best: str | None
    recommended: str | None
    because: str
    notes: tuple[str, ...] = ()


def choose(
    rubric: Rubric,
    contenders: Sequence[Contender],
    truth: Gold | None,
    *,
    tolerance: float | None = None,
    notes: Sequence[str] = (),
) -> Choice:
    """Judges beside each other on the same examples.

    Args:
        rubric: What all of them rated by.
        contenders: Two judges or more, the one in use first.
        truth: Gold; without it only what moved between them is said.
        tolerance: How far a score may miss; the rubric's where None.
        notes: What else should be known of the comparison.

    Raises:
        ComparisonError: No example was rated by all of them.
        ValueError: Fewer than two contenders.
    """
    if len(contenders) < 2:
        raise ValueError(f"a choice is between two judges or more, not {len(contenders)}")
    tolerance = rubric.tolerance if tolerance is None else tolerance
    ids = truth.ids if truth is not None else _shared_ids(contenders)
    groups = truth.groups if truth is not None else None
    said = [_said(contender.ratings, ids, rubric) for contender in contenders]
    _check_common(contenders, said)
    view = _View(rubric, ids, groups, truth, tolerance)
    pairs = tuple(
        view.differences(contenders[i].name, contenders[j].name, said[i], said[j])
        for i, j in combinations(range(len(said)), 2)
    )
    standings = tuple(view.standings(contenders, said))
    best = next((standing.name for standing in standings if standing.agreement and not standing.behind_best), None)
    recommended, because = _recommended(standings, best)
    reference = None if truth is None else truth.reference
    return Choice(rubric, len(ids), reference, tolerance, standings, pairs, best, recommended, because, tuple(notes))


# --- what each said -------------------------------------------------------------------------------------------------


def _shared_ids(contenders: Sequence[Contender]) -> tuple[str, ...]:
    rated = [{rating.id for rating in contender.ratings} for contender in contenders]
    shared = set.intersection(*rated)
    return tuple(dict.fromkeys(rating.id for rating in contenders[0].ratings if rating.id in shared))


def _said(ratings: Sequence[Rating], ids: Sequence[str], rubric: Rubric) -> Said:
    by_id: dict[str, Rating] = {}
    for rating in ratings:
        by_id.setdefault(rating.id, rating)
    scores = score_table(ratings, ids, rubric).middle
    return Said(
        scores=scores,
        passes=judge_passes([by_id.get(unit) for unit in ids], scores, rubric),
        levels={c.name: level_table(ratings, ids, c.name).middle for c in rubric.criteria},
    )


def _check_common(contenders: Sequence[Contender], said: Sequence[Said]) -> None:
    anything = [~np.isnan(np.column_stack([one.scores, one.passes, *one.levels.values()])).all(axis=1) for one in said]
    if not anything or not np.logical_and.reduce(anything).any():
        names = " and ".join(contender.name for contender in contenders)
        raise ComparisonError(f"{names} rated no example in common: no shared id with the same response")


# --- two of them ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _View:
    """The examples on which judges are compared."""

    rubric: Rubric
    ids: tuple[str, ...]
    groups: list[str] | None
    truth: Gold | None
    tolerance: float

    def differences(self, first: str, second: str, one: Said, other: Said) -> Differences:
        scores, passes = other.scores - one.scores, other.passes - one.passes
        return Differences(
            first=first,
            second=second,
            n=int((~np.isnan(scores) | ~np.isnan(passes)).sum()),
            figures=self._figures(one, other),
            criteria=self._criteria(one, other),
            shift=mean_estimate(
                scores, transform=IDENTITY, groups=self.groups, method="mean score, second minus first"
            ),
            shift_p=sign_flip(scores).mid_p,
            flips=self._flips(one, other),
            flips_p=sign_flip(passes).mid_p,
            false_passes=(self.false_passes(one), self.false_passes(other)),
            switch=self._switch(one, other),
        )

    def false_passes(self, said: Said) -> tuple[str, ...]:
        """Ids of examples that gold fails and the judge passes."""
        if self.truth is None:
            return ()
        places = np.flatnonzero((said.passes == 1.0) & (self.truth.passed == 0.0))
        return tuple(self.ids[place] for place in places.tolist())

    def hits(self, scores: Floats) -> Floats:
        """1 where a score agrees with gold, 0 where not, nan where either is missing."""
        if self.truth is None:
            return np.full(len(scores), np.nan)
        miss = np.round(np.abs(scores - self.truth.overall), DECIMALS)
        return np.where(np.isnan(miss), np.nan, miss < self.tolerance).astype(np.float64)

    def agreement(self, scores: Floats) -> Estimate:
        """Share of examples on which scores agree with gold."""
        gold = np.full(len(scores), np.nan) if self.truth is None else self.truth.overall
        return within_tolerance(gold, scores, self.tolerance)

    def _figures(self, one: Said, other: Said) -> dict[str, Pair]:
        if self.truth is None:
            return {}
        gold = np.where(np.isnan(one.scores) | np.isnan(other.scores), np.nan, self.truth.overall)
        passed = np.where(np.isnan(one.passes) | np.isnan(other.passes), np.nan, self.truth.passed)
        misses = one.scores - gold, other.scores - gold
        right = [np.where(np.isnan(passed), np.nan, said.passes == passed).astype(np.float64) for said in (one, other)]
        ends = [0.0, 1.0]
        return {
            "agreement": Pair(
                within_tolerance(gold, one.scores, self.tolerance),
                within_tolerance(gold, other.scores, self.tolerance),
                gain_in_hits(self.hits(one.scores), self.hits(other.scores), groups=self.groups),
            ),
            "mae": Pair(
                mae(gold, one.scores, groups=self.groups, levels=ends),
                mae(gold, other.scores, groups=self.groups, levels=ends),
                gain_in_error(np.abs(misses[0]), np.abs(misses[1]), groups=self.groups),
            ),
            "signed_error": Pair(
                signed_error(gold, one.scores, groups=self.groups, levels=ends),
                signed_error(gold, other.scores, groups=self.groups, levels=ends),
                gain_in_error(misses[0], misses[1], groups=self.groups),
            ),
            "accuracy": Pair(
                yes_no_family(passed, one.passes, groups=self.groups)["accuracy"],
                yes_no_family(passed, other.passes, groups=self.groups)["accuracy"],
                gain_in_hits(right[0], right[1], groups=self.groups),
            ),
        }

    def _criteria(self, one: Said, other: Said) -> dict[str, CriterionPair]:
        tests = [sign_flip(other.levels[c.name] - one.levels[c.name]).mid_p for c in self.rubric.criteria]
        adjusted = holm(tests).tolist()
        return {
            criterion.name: self._criterion(criterion, one.levels[criterion.name], other.levels[criterion.name], p)
            for criterion, p in zip(self.rubric.criteria, adjusted, strict=True)
        }

    def _criterion(self, criterion: Criterion, one: Floats, other: Floats, p: float) -> CriterionPair:
        levels = sorted(set(criterion.scale.values))
        span = levels[-1] - levels[0]
        same = np.where(np.isnan(one) | np.isnan(other), np.nan, one == other).astype(np.float64)
        return CriterionPair(
            criterion=criterion,
            exact=self._exact(criterion, one, other),
            between=mean_estimate(same, transform=LOGIT, groups=self.groups, method="same level"),
            shift=self._shift(other - one, span),
            p=p,
        )

    def _shift(self, differences: Floats, span: float) -> Estimate:
        method = "mean level, second minus first"
        if self.groups is None:
            return shift_interval(differences, span=span, level=0.95, method=method)
        return mean_estimate(differences, transform=IDENTITY, groups=self.groups, method=method)

    def _exact(self, criterion: Criterion, one: Floats, other: Floats) -> Pair | None:
        if self.truth is None:
            return None
        gold = np.where(np.isnan(one) | np.isnan(other), np.nan, self.truth.levels[criterion.name])
        levels = sorted(set(criterion.scale.values))
        there = np.isnan(gold)
        right = [np.where(there, np.nan, said == gold).astype(np.float64) for said in (one, other)]
        each = [
            exact_agreement(np.column_stack([gold, said]), levels=levels, groups=self.groups) for said in (one, other)
        ]
        return Pair(each[0], each[1], gain_in_hits(right[0], right[1], groups=self.groups))

    def _flips(self, one: Said, other: Said) -> tuple[Flip, ...]:
        places = np.flatnonzero(np.abs(other.passes - one.passes) == 1)
        far = np.nan_to_num(np.abs(other.scores - one.scores)[places], nan=-1.0)
        return tuple(self._flip(place, one, other) for place in places[np.argsort(-far, kind="stable")].tolist())

    def _flip(self, place: int, one: Said, other: Said) -> Flip:
        gold = math.nan if self.truth is None else float(self.truth.passed[place])
        return Flip(
            id=self.ids[place],
            passes=bool(other.passes[place]),
            scores=(float(one.scores[place]), float(other.scores[place])),
            gold=None if math.isnan(gold) else bool(gold),
        )

    def _switch(self, one: Said, other: Said) -> Switch:
        mark = self.rubric.pass_mark
        seen = np.unique(one.scores[~np.isnan(one.scores)])
        at = seen if len(seen) <= 5 else np.unique([0.0, 0.25, 0.5, 0.75, 1.0, mark])
        after = passes_after(one.passes, other.passes)
        return Switch(link_scores(one.scores, other.scores, at), after["passed"], after["failed"])

    # all of them

    def standings(self, contenders: Sequence[Contender], said: Sequence[Said]) -> list[Standing]:
        """Each judge's standing, on the examples that all graded."""
        ungraded = [int(np.isnan(one.scores).sum()) for one in said]
        everywhere = ~np.isnan(np.column_stack([one.scores for one in said])).any(axis=1)
        scores = [np.where(everywhere, one.scores, np.nan) for one in said]
        hits = [self.hits(own) for own in scores]
        shares = [float(own[~np.isnan(own)].mean()) if (~np.isnan(own)).any() else math.nan for own in hits]
        known = self.truth is not None and not np.isnan(shares).any()
        best = int(np.argmax(shares)) if known else None
        found = []
        for place, contender in enumerate(contenders):
            behind = None
            if best is not None and place != best:
                behind = gain_in_hits(hits[best], hits[place], groups=self.groups, level=ONE_SIDED)
            not_worse = None if best is None else behind is None or _is_above_margin(behind)
            found.append(
                Standing(
                    name=contender.name,
                    agreement=self.agreement(scores[place]) if best is not None else None,
                    behind_best=behind,
                    not_worse=not_worse,
                    labels_needed=None
                    if behind is None or best is None or not_worse
                    else _still_needed(hits[place] - hits[best]),
                    false_passes=len(self.false_passes(said[place])),
                    not_graded=ungraded[place],
                    usd_per_1000=contender.usd_per_1000,
                )
            )
        return found


def _still_needed(differences: Floats) -> int | None:
    labels = labels_to_tell(differences)
    return None if labels is None else labels - int(np.isfinite(differences).sum())


def labels_to_tell(differences: Floats, *, margin: float = MARGIN) -> int | None:
    """Labels at which two judges that part as these do would be told apart or shown to be no worse; None if none would.

    Args:
        differences: 1, 0 or -1 an example: whether one judge is right where the other isn't, shape (n,); nan = missing.
        margin: By how much the one may be right less often.

    Example:
        >>> labels_to_tell(np.array([1.0, -1.0] + [0.0] * 18))
        125
    """
    d = differences[~np.isnan(differences)]
    if len(d) < 2:
        return None
    apart, variance = float(d.mean()) + margin, float(d.var())

    def tells(n: int) -> bool:
        widened = (n * variance + 2) / (n + 1)
        reach = t_quantile(n + 1, ONE_SIDED) * math.sqrt(widened / (n + 2))
        return reach < abs(apart)

    if apart <= 0 or not tells(MOST_LABELS):
        return None
    return max(least_n(tells), len(d) + 1)


def _is_above_margin(behind: Estimate) -> bool:
    return behind.low is not None and behind.low > -MARGIN + ROUNDING


def _recommended(standings: Sequence[Standing], best: str | None) -> tuple[str | None, str]:
    """The cheapest judge that is not worse than the best, and why; or why none can be named."""
    if best is None:
        return None, "without gold nobody can say which is better: only what moved between them is shown"
    good = [standing for standing in standings if standing.not_worse]
    rule = f"no worse: the one-sided 95% lower limit of agreement minus the best one's lies above −{MARGIN:g}"
    said = f"{_open(standings)} ({rule})"
    if len(good) == 1:
        return best, f"{best} agrees most often, and no other is shown to be no worse{said}"
    unpriced = [standing.name for standing in good if standing.usd_per_1000 is None]
    names = ", ".join(standing.name for standing in good)
    if unpriced:
        costs = f"what {', '.join(unpriced)} costs is not known"
        return None, f"{best} agrees most often and {names} are no worse than that, but {costs}{said}"
    cheapest = min(good, key=lambda standing: standing.usd_per_1000 or 0.0)
    return cheapest.name, f"{cheapest.name} is the cheapest of those that are no worse than the best, {names}{said}"


def _open(standings: Sequence[Standing]) -> str:
    """Which judges can't be told from the best one yet."""
    left = [standing for standing in standings if not standing.not_worse and not standing.is_worse]
    if not left:
        return ""
    named = [
        f"{one.name} (about {counted(one.labels_needed, 'more label')} would tell)" if one.labels_needed else one.name
        for one in left
    ]
    return f"; whether {', '.join(named)} {'is' if len(left) == 1 else 'are'} worse can't be told yet"
