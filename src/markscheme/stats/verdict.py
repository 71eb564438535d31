"""Whether a judge can decide: its agreement compared with a target, the best constant score and single annotators.

Takes scores, returns a verdict. All agreement uses one tolerance and all bounds respect groups of examples.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from markscheme.stats.grouped import GroupedMean, GroupedShare, grouped_mean, grouped_share
from markscheme.stats.intervals import Floats
from markscheme.stats.pairs import equal_vectors
from markscheme.stats.patterns import over
from markscheme.stats.planning import CONF, labels_for_difference, labels_to_clear
from markscheme.stats.severity import DECIMALS, close

VerdictName: TypeAlias = Literal["ok", "adjust", "labels-disagree", "not-enough-labels"]
Use: TypeAlias = Literal["gate", "trend", "explore", "none"]
BecauseCode: TypeAlias = Literal[
    "target",
    "drift",
    "no-skill",
    "below-target",
    "below-constant",
    "below-person",
    "as-person",
    "no-signal",
    "target-open",
    "constant-open",
    "person-open",
    "few-groups",
    "no-labels",
]

CONF_CONSTANT = 0.95
MARGIN = 0.10
SHARED = 30
TIES_TO_FLAG = 0.05


@dataclass(frozen=True, slots=True)
class VerdictFigures:
    """The figures a verdict is based on.

    Attributes:
        agreement: Share of examples on which the judge agrees with gold.
        constant: Share on which the best constant score does.
        constant_score: That score; nan without examples.
        gain: Agreement minus that of the constant, paired by example.
        people: Over examples that two or more annotators and the judge scored, the share of pairs of annotators
            who agree with each other.
        judge_people: On the same examples, the share of annotators the judge agrees with.
        constant_people: The same for the constant score that agrees with most annotators.
        judge_minus_person: `judge_people` minus `people`: the judge minus an annotator, each in turn as gold.
        person_minus_constant: `people` minus `constant_people`.
    """

    agreement: GroupedShare
    constant: GroupedShare
    constant_score: float
    gain: GroupedMean
    people: GroupedShare
    judge_people: GroupedShare
    constant_people: GroupedShare
    judge_minus_person: GroupedMean
    person_minus_constant: GroupedMean

    def states(self, target: float) -> "VerdictStates":
        """Which comparisons are shown at `target`."""
        return verdict_states(
            self.agreement,
            self.gain,
            target,
            people=self.people,
            judge_minus_person=self.judge_minus_person,
            person_minus_constant=self.person_minus_constant,
        )


@dataclass(frozen=True, slots=True)
class VerdictStates:
    """What is shown about a judge, each by a one-sided bound at 90 % (against the constant, below it: 95 %).

    Attributes:
        above: Agreement is above the target.
        below: Agreement is below the target.
        beats: Agreement is above the best constant's.
        loses: Agreement is below the best constant's.
        low: Annotators agree with each other on less than the target.
        asgood: The judge is at most 10 points below an annotator.
        worse: The judge is below an annotator, and not as good.
        nosignal: Annotators agree with each other less than with one constant score.
        few_groups: There are too few groups of examples for any bound.
        labelled: Any example was compared.
    """

    above: bool
    below: bool
    beats: bool
    loses: bool
    low: bool = False
    asgood: bool = False
    worse: bool = False
    nosignal: bool = False
    few_groups: bool = False
    labelled: bool = True


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict on a judge, what it may be used for, and the rule behind it.

    Attributes:
        verdict: Whether the judge agrees well enough with the labels.
        use: What it may decide.
        because: The rule, by its code.
    """

    verdict: VerdictName
    use: Use
    because: BecauseCode


@dataclass(frozen=True, slots=True)
class ToleranceTies:
    """Examples whose score differs from gold by exactly the tolerance, which doesn't count as agreement.

    Attributes:
        n: Examples compared.
        count: Those exactly at the tolerance.
        agreement: The share that agrees, without them.
        agreement_with_ties: The share that would agree if they counted.
    """

    n: int
    count: int
    agreement: GroupedShare
    agreement_with_ties: GroupedShare

    @property
    def flagged(self) -> bool:
        """Whether 5 % of the examples or more differ by exactly the tolerance."""
        return self.n > 0 and self.count >= TIES_TO_FLAG * self.n


def verdict_figures(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    people: npt.ArrayLike | None = None,
    *,
    tolerance: float,
    groups: npt.ArrayLike | None = None,
) -> VerdictFigures:
    """The figures a verdict is based on, from scores.

    Args:
        gold: Gold scores, shape (n,), nan = missing.
        judge: The judge's scores, shape (n,), nan = missing.
        people: Scores of single annotators, shape (n, n_people), nan = missing; None where there are none.
        tolerance: Scores closer than this agree, after rounding the difference to 9 decimals.
        groups: A name for each example, shape (n,), where several share a task.

    Returns:
        The best constant is chosen among scores that the judge or an annotator gave, or gold where there are no
        annotators' scores. Figures of annotators are empty (n = 0) where no example has two of them and the judge.

    Raises:
        ValueError: The caller's fault: shapes that differ, or a tolerance that isn't above 0.

    Example:
        >>> figures = verdict_figures([0.1, 0.5, 0.6, 0.9], [0.1, 0.5, 0.6, 0.5], tolerance=0.1)
        >>> figures.agreement.value, figures.constant.value, figures.gain.value
        (0.75, 0.25, 0.5)
    """
    g, j = equal_vectors(gold=gold, judge=judge)
    p = np.full((len(g), 0), np.nan) if people is None else np.asarray(people, dtype=np.float64)
    if p.ndim != 2 or len(p) != len(g):
        raise ValueError(f"people must have shape ({len(g)}, n_people), not {p.shape}")
    given = np.concatenate([j, (p if np.isfinite(p).any() else g).reshape(-1)])
    candidates = np.unique(given[np.isfinite(given)])
    agrees = close(g, j, tolerance)
    constant = _best_constant(np.where(np.isnan(j), np.nan, g), np.ones_like(g), candidates, tolerance)
    constant_agrees = np.where(np.isnan(agrees), np.nan, close(g, np.full_like(g, constant), tolerance))
    shared = np.isfinite(j) & (np.isfinite(p).sum(axis=1) >= 2)
    several = np.where(shared[:, None], p, np.nan)
    for_people = _best_constant_for_people(several, candidates, tolerance)
    by_pairs = pair_agreement(several, tolerance)
    by_judge = agreement_with_people(np.where(shared, j, np.nan), several, tolerance)
    by_constant = agreement_with_people(np.where(shared, for_people, np.nan), several, tolerance)
    return VerdictFigures(
        agreement=grouped_share(agrees, groups),
        constant=grouped_share(constant_agrees, groups),
        constant_score=constant,
        gain=grouped_mean(agrees - constant_agrees, groups),
        people=grouped_share(by_pairs, groups),
        judge_people=grouped_share(by_judge, groups),
        constant_people=grouped_share(by_constant, groups),
        judge_minus_person=grouped_mean(by_judge - by_pairs, groups),
        person_minus_constant=grouped_mean(by_pairs - by_constant, groups),
    )


def verdict_states(
    agreement: GroupedShare,
    gain: GroupedMean,
    target: float,
    *,
    people: GroupedShare | None = None,
    judge_minus_person: GroupedMean | None = None,
    person_minus_constant: GroupedMean | None = None,
) -> VerdictStates:
    """Which comparisons with target, constant and annotators are shown.

    Args:
        agreement: Share of examples on which the judge agrees with gold.
        gain: Agreement minus that of the best constant.
        target: The target agreement, 0 to 1.
        people: Share of pairs of annotators who agree; with fewer than 30 examples it isn't used.
        judge_minus_person: The judge minus an annotator.
        person_minus_constant: An annotator minus the best constant.

    Returns:
        A comparison without a bound is not shown.

    Example:
        >>> states = verdict_states(grouped_share([1] * 90 + [0] * 10), grouped_mean([1] * 50 + [0] * 50), target=0.8)
        >>> states.above, states.beats, states.below
        (True, True, False)
    """
    enough = people is not None and people.n >= SHARED
    person, signal = (judge_minus_person, person_minus_constant) if enough else (None, None)
    asgood = person is not None and _above(person.lower(CONF), -MARGIN)
    return VerdictStates(
        above=_above(agreement.lower(CONF), target),
        below=_below(agreement.upper(CONF), target),
        beats=_above(gain.lower(CONF), 0.0),
        loses=_below(gain.upper(CONF_CONSTANT), 0.0),
        low=people is not None and enough and _below(people.upper(CONF), target),
        asgood=asgood,
        worse=person is not None and not asgood and _below(person.upper(CONF), 0.0),
        nosignal=signal is not None and _below(signal.upper(CONF_CONSTANT), 0.0),
        few_groups=agreement.support == "withheld",
        labelled=agreement.n > 0,
    )


def use_of_ok(reference: str, *, blind: bool = True) -> Use:
    """What a judge with verdict ok may be used for.

    Args:
        reference: What the gold labels are: adjudicated, people (two or more), one-person, constructed or model.
        blind: Whether annotators labelled without seeing the judge's verdict.

    Example:
        >>> use_of_ok("people"), use_of_ok("people", blind=False), use_of_ok("one-person"), use_of_ok("constructed")
        ('gate', 'trend', 'trend', 'explore')
    """
    if reference in ("adjudicated", "people"):
        return "gate" if blind else "trend"
    return "trend" if reference == "one-person" else "explore"


def ruling(states: VerdictStates, *, ok: Use, drifted: bool = False, no_skill: bool = False) -> Ruling:
    """The verdict that follows from what is shown: the first rule that applies.

    Args:
        states: What is shown of the judge.
        ok: What a judge with verdict ok may be used for on these labels.
        drifted: Whether a drift alarm counts against the judge: not where its cause is the author's own edit and
            agreement is no worse.
        no_skill: Whether a finding says that the judge has no skill or always gives one answer.

    Example:
        >>> ruling(VerdictStates(above=True, below=False, beats=True, loses=False), ok="gate")
        Ruling(verdict='ok', use='gate', because='target')
        >>> ruling(VerdictStates(above=False, below=True, beats=False, loses=False), ok="gate").because
        'below-target'
    """
    s = states
    rules: list[tuple[bool, VerdictName, Use, BecauseCode]] = [
        (drifted, "adjust", "none", "drift"),
        (s.above and s.beats and not no_skill, "ok", ok, "target"),
        (s.above and no_skill, "adjust", "none", "no-skill"),
        (s.above and s.loses, "adjust", "none", "below-constant"),
        (s.above, "not-enough-labels", "explore", "constant-open"),
        (s.low and s.asgood and s.beats, "labels-disagree", "trend", "as-person"),
        (s.below and s.worse, "adjust", "none", "below-person"),
        (s.nosignal and not s.beats, "labels-disagree", "explore", "no-signal"),
        (s.loses, "adjust", "none", "below-constant"),
        (s.below and s.low, "not-enough-labels", "explore", "person-open"),
        (s.below, "adjust", "none", "below-target"),
        (not s.labelled, "not-enough-labels", "explore", "no-labels"),
        (s.few_groups, "not-enough-labels", "explore", "few-groups"),
    ]
    for holds, verdict, use, because in rules:
        if holds:
            return Ruling(verdict, use, because)
    return Ruling("not-enough-labels", "explore", "target-open")


def labels_needed(figures: VerdictFigures, target: float, because: BecauseCode) -> int | None:
    """Total labels with which an open verdict would be decided, with 80 % probability.

    Args:
        figures: The figures from the labels so far.
        target: The target agreement, 0 to 1.
        because: The code of the rule behind the verdict.

    Returns:
        Examples in total, more than there are where the verdict is open; None where no number would do, 5,000 wouldn't,
        or the verdict isn't open.
    """
    share, gain = figures.agreement, figures.gain
    states = figures.states(target)
    wanted: list[int | None]
    if because == "target-open":
        wanted = [labels_to_clear(share.value, target, design_effect=share.design_effect)]
        if share.value > target and not states.beats:
            wanted.append(_for_mean(gain, 0.0))
    elif because == "constant-open":
        wanted = [_for_mean(gain, 0.0) if gain.value > 0 else None]
    elif because == "person-open":
        person = figures.judge_minus_person
        wanted = [] if states.asgood else [_for_mean(person, -MARGIN if person.value > -MARGIN else 0.0)]
        wanted += [] if states.beats else [_for_mean(gain, 0.0)]
    else:
        return None
    known = [labels for labels in wanted if labels is not None]
    return max(*known, share.n + 1) if known and len(known) == len(wanted) else None


def tolerance_ties(
    gold: npt.ArrayLike, judge: npt.ArrayLike, *, tolerance: float, groups: npt.ArrayLike | None = None
) -> ToleranceTies:
    """How many examples differ from gold by exactly the tolerance, and the agreement without and with them.

    Args:
        gold: Gold scores, shape (n,), nan = missing.
        judge: The judge's scores, shape (n,), nan = missing.
        tolerance: In the unit of the scores; a difference equal to it after rounding to 9 decimals is a tie.
        groups: A name for each example, shape (n,), where several share a task.

    Raises:
        ValueError: The caller's fault: shapes that differ, or a tolerance that isn't above 0.

    Example:
        >>> ties = tolerance_ties([0.5, 0.5, 0.5, 0.5], [0.6, 0.5, 0.4, 0.9], tolerance=0.1)
        >>> ties.count, ties.agreement.value, ties.agreement_with_ties.value, ties.flagged
        (2, 0.25, 0.75, True)
    """
    g, j = equal_vectors(gold=gold, judge=judge)
    agrees = close(g, j, tolerance)
    tied = np.round(np.abs(g - j), DECIMALS) == round(tolerance, DECIMALS)
    return ToleranceTies(
        n=int(np.isfinite(agrees).sum()),
        count=int(tied.sum()),
        agreement=grouped_share(agrees, groups),
        agreement_with_ties=grouped_share(np.where(tied, 1.0, agrees), groups),
    )


def pair_agreement(people: npt.ArrayLike, tolerance: float) -> Floats:
    """Share of pairs of annotators who agree, per example; nan where fewer than two scored it.

    Args:
        people: Scores of single annotators, shape (n, n_people), nan = missing.
        tolerance: Scores closer than this agree.

    Example:
        >>> pair_agreement([[0.5, 0.5, 0.75], [0.5, float("nan"), 0.5]], 0.1).round(4).tolist()
        [0.3333, 1.0]
    """
    p = np.asarray(people, dtype=np.float64)
    first, second = np.triu_indices(p.shape[1], 1)
    return _mean_known(close(p[:, first], p[:, second], tolerance))


def agreement_with_people(score: npt.ArrayLike, people: npt.ArrayLike, tolerance: float) -> Floats:
    """Share of annotators that a score agrees with, per example; nan where there is none.

    Args:
        score: Shape (n,), or one score for all examples; nan = missing.
        people: Scores of single annotators, shape (n, n_people), nan = missing.
        tolerance: Scores closer than this agree.

    Example:
        >>> agreement_with_people([0.5, 0.25], [[0.5, 0.5, 0.75], [0.25, 0.5, 0.25]], 0.1).round(4).tolist()
        [0.6667, 0.6667]
    """
    p = np.asarray(people, dtype=np.float64)
    one = np.broadcast_to(np.asarray(score, dtype=np.float64), (len(p),))
    return _mean_known(close(one[:, None], p, tolerance))


def _mean_known(values: Floats) -> Floats:
    return over(np.nansum(values, axis=1), np.isfinite(values).sum(axis=1, dtype=np.float64))


def _best_constant_for_people(people: Floats, candidates: Floats, tolerance: float) -> float:
    """The candidate that agrees with the largest share of an example's annotators, on average."""
    count = np.isfinite(people).sum(axis=1, keepdims=True)
    weights = np.broadcast_to(1 / np.maximum(count, 1), people.shape)
    return _best_constant(people.reshape(-1), weights.reshape(-1), candidates, tolerance)


def _best_constant(scores: Floats, weights: Floats, candidates: Floats, tolerance: float) -> float:
    """The candidate that agrees with scores of the most weight, the lowest in a tie; nan without scores."""
    there = np.isfinite(scores)
    if not there.any() or not len(candidates):
        return math.nan
    order = np.argsort(scores[there], kind="stable")
    ordered, so_far = scores[there][order], np.append(0.0, np.cumsum(weights[there][order]))
    reach = tolerance - 0.5 * 10.0**-DECIMALS
    low = np.searchsorted(ordered, candidates - reach, side="left")
    high = np.searchsorted(ordered, candidates + reach, side="right")
    return float(candidates[np.round(so_far[high] - so_far[low], DECIMALS).argmax()])


def _above(bound: float | None, than: float) -> bool:
    return bound is not None and bound > than


def _below(bound: float | None, than: float) -> bool:
    return bound is not None and bound < than


def _for_mean(mean: GroupedMean, bound: float) -> int | None:
    return labels_for_difference(mean.value, bound, mean.spread_towards(bound))
