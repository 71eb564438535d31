"""Statistics of decisions that judges may make without a person, under a promise about how many are wrong."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaln

from markscheme.phrases import digits_to_tell, percent
from markscheme.stats.decisive_labels import labels_for_decision
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Flags, Floats, Groups, Integers
from markscheme.stats.labels_needed import EVEN
from markscheme.stats.shares import grouped_share, share

STEPS = 25
"""Number of sizes of the automatic part that are tried, spaced evenly from the fewest decisions that could keep the
promise up to all decisions: with 200 labels a step is six decisions."""
CERTAINTY_DIGITS = 9
"""Decimals to which a certainty is rounded, so that 2/3 and 1 - 1/3 are equal. With exact comparison in the search and
a tolerance in use, the promise broke in .24 of draws."""
STEPS_BEFORE = 25
"""Divisor for judges before the last: the first set tried is this fraction of the judge's decisions."""
MOST_STAGES = 3
"""Largest number of judges in a cascade; the level of the promise is divided among them."""
_METHOD = "share automatic, the most certain first"


@dataclass(frozen=True, slots=True)
class ErrorLimit:
    """Limit on the share of wrong automatic decisions, with the significance level at which it is tested.

    Attributes:
        error: The largest share of wrong decisions that is allowed, above 0 and below 1.
        level: Significance level: the largest probability that the test passes although more are wrong, above 0 and
            below 1.

    Raises:
        ValueError: A share is out of range, which is the caller's mistake.
    """

    error: float
    level: float

    def __post_init__(self) -> None:
        if not (0 < self.error < 1 and 0 < self.level < 1):
            raise ValueError(f"error {self.error} and level {self.level} must be above 0 and below 1")

    @property
    def fewest(self) -> int:
        """Smallest number of independent examples or groups that passes the test if none is decided wrongly.

        Example:
            >>> [ErrorLimit(0.05, level).fewest for level in (0.1, 0.05)]
            [45, 59]
        """
        return math.ceil(math.log(self.level) / math.log1p(-self.error))

    def upper(self, wrong: Flags, groups: Integers | None = None) -> float | None:
        """Compute the upper limit of the share of wrong decisions; None without any decision or with too few groups.

        Args:
            wrong: Flags of the wrong decisions, shape (n,).
            groups: Group of each decision, shape (n,); None if each is a group of its own.
        """
        return grouped_share(wrong, groups).upper(1 - self.level)

    def holds(self, wrong: Flags, groups: Integers | None = None) -> bool:
        """Return True if decisions pass the test of this limit; too few groups of decisions never pass.

        Groups without an error don't show how similar the decisions within a group are. Without this rule, a
        promise broke in up to a third of the sets of 24 to 28 tasks in which all decisions of a task are wrong
        together.

        Args:
            wrong: Flags of the wrong decisions, shape (n,).
            groups: Group of each decision, shape (n,); None if each is a group of its own.
        """
        if groups is not None and len(np.unique(groups)) < self.fewest:
            return False
        upper = self.upper(wrong, groups)
        return upper is not None and upper <= self.error + 1e-12


def counted_errors(chosen: Flags, wrong: Flags, groups: Integers | None = None) -> tuple[Flags, Integers | None]:
    """Return the flags that mark errors, and the group numbers, of the automatic decisions only.

    Args:
        chosen: Flags of the automatic decisions, shape (n,).
        wrong: Flags of the wrong decisions, shape (n,).
        groups: Group of each example, shape (n,); None if each is a group of its own.
    """
    return wrong[chosen], None if groups is None else groups[chosen]


def n_independent(chosen: Flags, groups: Integers | None) -> int:
    """Count the independent units among chosen examples: their groups, or the examples if `groups` is None."""
    return int(chosen.sum()) if groups is None else len(np.unique(groups[chosen]))


@dataclass(frozen=True)
class StageDecisions:
    """Decisions of one judge or panel on labelled examples: how certain each is, and whether it is wrong or a pass.

    Attributes:
        certainty: The judge's certainty of each decision, rounded, shape (n,); nan where the judge gives no decision or
            may not decide.
        wrong: Flags of the wrong decisions, shape (n,); ignored where `certainty` is nan.
        passes: Flags of the examples that the judge passes, shape (n,); all False if there is no promise about passes.
    """

    certainty: Floats
    wrong: Flags
    passes: Flags

    @classmethod
    def of(
        cls, certainty: npt.ArrayLike, wrong: npt.ArrayLike, passes: npt.ArrayLike | None = None
    ) -> "StageDecisions":
        """Make the decisions of a judge or panel from arrays of certainties, errors and passes.

        Args:
            certainty: A probability, a share of votes, or a distance from the pass mark for each decision, shape (n,);
                a larger number is more certain.
            wrong: Flags of the wrong decisions, shape (n,).
            passes: Flags of the examples that the judge passes, shape (n,); None if there is no promise about passes.

        Raises:
            ValueError: The shapes of the arrays differ.
        """
        certainties = np.asarray(certainty, dtype=np.float64)
        is_wrong = np.asarray(wrong, dtype=np.float64) == 1
        is_pass = np.zeros(len(certainties), dtype=bool) if passes is None else np.asarray(passes, dtype=bool)
        if certainties.shape != is_wrong.shape or certainties.shape != is_pass.shape:
            raise ValueError(f"certainty, wrong and passes differ in shape: {certainties.shape}, {is_wrong.shape}")
        return cls(np.round(certainties, CERTAINTY_DIGITS), is_wrong, is_pass)

    @property
    def descending(self) -> Floats:
        """Certainties of the decisions, from the greatest to the smallest."""
        return np.sort(self.certainty[~np.isnan(self.certainty)])[::-1]

    def at_least(self, certain: float) -> Flags:
        """Mark the decisions whose certainty is at least `certain`."""
        return np.asarray(np.nan_to_num(self.certainty, nan=-np.inf) >= certain)


@dataclass(frozen=True, slots=True)
class CertifiedCascade:
    """The decisions that judges, asked one after the other, may make alone: thresholds of certainty, errors and limits.

    Attributes:
        limit: The promise about the automatic decisions, and its test.
        of_passes: The second promise, about the automatic passes; None if there is none.
        certain: For each judge, the certainty from which on its decisions are automatic; None if none are.
        stage: For each example, the index of the judge that decides it, from 0; -1 if a person does; shape (n,).
        automatic: Share of examples decided automatically; undefined, with the reason, if everything goes to people.
        errors: Number of wrong automatic decisions. If no decision is automatic, number of wrong ones among the last
            judge's most certain decisions, on which the promise was tested.
        n_automatic: Number of automatic decisions; if there are none, the number of decisions on which the promise was
            tested.
        upper: Upper limit of the share of wrong automatic decisions; None if everything goes to people.
        passes: Number of automatic passes; 0 if passes aren't known.
        wrong_passes: Number of automatic passes that are wrong.
        upper_passes: Upper limit of the share of automatic passes that are wrong; None if there are no passes.
    """

    limit: ErrorLimit
    of_passes: ErrorLimit | None
    certain: tuple[float | None, ...]
    stage: Integers
    automatic: Estimate
    errors: int
    n_automatic: int
    upper: float | None
    passes: int = 0
    wrong_passes: int = 0
    upper_passes: float | None = None

    @property
    def is_certified(self) -> bool:
        """True if the cascade's judges may make some decisions without a person."""
        return any(certain is not None for certain in self.certain)

    @property
    def decided(self) -> tuple[int, ...]:
        """Numbers of examples decided by each judge, in the order of the judges, and last by people."""
        return tuple(int(np.count_nonzero(self.stage == index)) for index in (*range(len(self.certain)), -1))


@dataclass(frozen=True)
class _CascadeOutcome:
    """Outcome of a cascade at given thresholds.

    Attributes:
        stage: Index of the stage that decides each example, shape (n,); below 0 if none does.
        wrong: Flags of the examples that are decided wrongly, shape (n,).
        passes: Flags of the examples that are decided as passes, shape (n,).
    """

    stage: Integers
    wrong: Flags
    passes: Flags

    @property
    def chosen(self) -> Flags:
        """Flags of the examples that are decided automatically."""
        return np.asarray(self.stage >= 0)

    def before(self, index: int, judged: StageDecisions, certain: float) -> "_CascadeOutcome":
        """Return the outcome with one more judge, asked before all judges so far, that decides what it is certain of.

        Args:
            index: Index of the judge, to record where it decides.
            judged: The judge's decisions.
            certain: The least certainty with which it decides.
        """
        first = judged.at_least(certain)
        return _CascadeOutcome(
            np.where(first, index, self.stage),
            np.where(first, judged.wrong, self.wrong),
            np.where(first, judged.passes, self.passes),
        )


@dataclass(frozen=True)
class _Promises:
    """Test of one or two promises about automatic decisions.

    The first promise is that few enough of the decisions are wrong, the second that few enough of the passes among them
    are.

    Attributes:
        limit: Limit on the share of wrong decisions.
        of_passes: Limit on the share of wrong passes; None if only one promise is made.
        groups: Group of each example; None if examples have no groups.
    """

    limit: ErrorLimit
    of_passes: ErrorLimit | None
    groups: Integers | None

    def hold(self, decided: _CascadeOutcome) -> bool:
        chosen = decided.chosen
        if not self.limit.holds(*counted_errors(chosen, decided.wrong, self.groups)):
            return False
        passes = chosen & decided.passes
        return self.of_passes is None or self.of_passes.holds(*counted_errors(passes, decided.wrong, self.groups))

    def could_hold(self, decided: _CascadeOutcome) -> bool:
        """Return True if the promises would hold in the best case, in which every automatic decision is right.

        Args:
            decided: The outcome of the cascade, in which the errors are ignored.
        """
        return self.hold(_CascadeOutcome(decided.stage, np.zeros(len(decided.wrong), dtype=bool), decided.passes))

    def has_enough_passes(self, decided: _CascadeOutcome) -> bool:
        """Return True if there are enough automatic passes for the promise about passes, or no such promise.

        If examples have groups, the groups with an automatic pass are counted instead of the passes.

        Args:
            decided: The outcome of the cascade.
        """
        passes = decided.chosen & decided.passes
        return self.of_passes is None or n_independent(passes, self.groups) >= self.of_passes.fewest


def certified_cascade(
    stages: Sequence[StageDecisions],
    limit: ErrorLimit,
    groups: npt.ArrayLike | None = None,
    *,
    of_passes: ErrorLimit | None = None,
) -> CertifiedCascade:
    """Find thresholds by which judges, asked one after the other, make as many decisions as a promise on errors allows.

    The last judge is tested first, as if it decided alone: on sets of its most certain decisions, from the smallest set
    that could pass the test to the set of all decisions, until a set fails. Then the judge before it is tested by the
    same steps, together with the decisions that the later judges make on the remaining examples; and so on, to the
    first judge. The sizes of the sets are fixed before labels are looked at; decisions of equal certainty are in the
    same sets.

    Each judge's tests are a fixed sequence at `limit.level`: the caller divides the promise's significance level by the
    number of judges. The tests of an earlier judge use thresholds of later judges that were chosen on the same labels.
    That the promise holds nevertheless is shown by simulation, not by a proof.

    Args:
        stages: The judges in the order in which they are asked, cheapest first. An example that one judge can't grade
            goes on to the judges after it.
        limit: The promise, with its significance level divided by the number of judges.
        groups: Name of each example's group, such as its task, whose examples share errors, shape (n,); None if each is
            a group of its own.
        of_passes: A second promise, about the automatic passes alone.

    Raises:
        ValueError: There are no judges, or shapes differ, which is the caller's mistake.

    Source:
        Angelopoulos, Bates, Candès, Jordan and Lei (2021), Learn then Test. arXiv:2110.01052

    Example:
        >>> certainty = np.linspace(0.5, 1, 101)
        >>> cheap = StageDecisions.of(certainty, certainty < 0.8)
        >>> better = StageDecisions.of(certainty[::-1], np.zeros(101))
        >>> cascade = certified_cascade([cheap, better], ErrorLimit(0.05, 0.05))
        >>> cascade.decided, cascade.errors, round(cascade.upper, 3)
        ((40, 61, 0), 0, 0.029)
    """
    if not stages:
        raise ValueError("a cascade has at least one judge")
    n = len(stages[0].certainty)
    in_groups = Groups.of(groups, n)
    promises = _Promises(limit, of_passes, in_groups.number if in_groups.several else None)
    nothing = _CascadeOutcome(np.full(n, -1), np.zeros(n, dtype=bool), np.zeros(n, dtype=bool))
    certain: list[float | None] = [None] * len(stages)
    last = len(stages) - 1
    tried = _tried_sets(nothing, last, stages[last], limit.fewest)
    first = next((index for index, (_, decided) in enumerate(tried) if promises.could_hold(decided)), None)
    current = nothing
    for threshold, decided in tried[first:] if first is not None else ():
        if not promises.hold(decided):
            break
        certain[last], current = threshold, decided
    for index in reversed(range(last)):
        graded = len(stages[index].descending)
        later = current
        for threshold, decided in _tried_sets(later, index, stages[index], max(1, graded // STEPS_BEFORE)):
            if not promises.has_enough_passes(decided):
                continue
            if not promises.hold(decided):
                break
            certain[index], current = threshold, decided
    tested = None if first is None else tried[first][1]
    if current.chosen.any():
        return _certified(promises, tuple(certain), current)
    return _without_automatic_decisions(promises, tuple(certain), stages[last], tested)


def labels_for_first_size(
    certainty: npt.ArrayLike, wrong: npt.ArrayLike, limit: ErrorLimit, groups: npt.ArrayLike | None = None
) -> int | None:
    """Estimate how many labels give an even chance to show that few enough of a judge's surest decisions are wrong.

    Even if none is wrong, the test needs a certain number of labelled decisions: the first set that is tested. The more
    labels there are in all, the smaller is the share of most certain decisions that this set takes. Its errors are
    expected to be as frequent as among the same share of the labels so far (beta-binomial, with Jeffreys' prior). With
    groups, the set is large enough to have decisions of as many groups as the promise needs.

    Args:
        certainty: Certainty of each decision; a larger number is more certain; nan without a decision, shape (n,).
        wrong: Flags of the wrong decisions, shape (n,).
        limit: The promise.
        groups: Name of each example's group, such as its task, shape (n,); examples of one group count as fewer than
            independent ones. None if each example is a group of its own.

    Returns:
        The number of labels; None if no number in `LABEL_COUNTS` would be enough.

    Example:
        >>> sure = np.linspace(1, 0.5, 120)
        >>> labels_for_first_size(sure, np.arange(120) == 50, ErrorLimit(0.05, 0.05))
        160
    """
    judged = StageDecisions.of(certainty, wrong)
    decided = np.flatnonzero(~np.isnan(judged.certainty))
    n = len(judged.certainty)
    if not len(decided):
        return None
    ranking = decided[np.argsort(-judged.certainty[decided], kind="stable")]
    in_groups = Groups.of(groups, n)
    numbers = in_groups.number[decided] if in_groups.several else None
    fewest = limit.fewest * grouped_share(judged.wrong[decided], numbers).design_effect
    groups_reached = _groups_reached(ranking, in_groups.number if in_groups.several else None)

    def chance_of(more: int) -> float:
        in_all = len(decided) * (n + more) / n
        wanted_groups = limit.fewest * len(decided) / in_all
        if in_all < fewest or groups_reached[-1] < wanted_groups:
            return 0.0
        with_groups = int(np.searchsorted(groups_reached, wanted_groups)) + 1
        automatic = ranking[: max(with_groups, round(len(decided) * fewest / in_all))]
        errors = float(judged.wrong[automatic].sum()) + EVEN
        right = len(automatic) - errors + 1.0
        return float(np.exp(betaln(errors, right + limit.fewest) - betaln(errors, right)))

    labels = labels_for_decision(chance_of)
    return None if labels is None or labels.chance < EVEN else n + labels.more


def _groups_reached(ranking: Integers, groups: Integers | None) -> Integers:
    """Count the groups among the k most certain decisions, for k from 1 to the number of decisions, shape (n_decided,).

    Args:
        ranking: Indices of the decisions, the most certain first, shape (n_decided,).
        groups: Group of each decision; None if each is a group of its own.
    """
    if groups is None:
        return np.arange(1, len(ranking) + 1)
    first_of_each = np.unique(groups[ranking], return_index=True)[1]
    is_first = np.zeros(len(ranking), dtype=np.int64)
    is_first[first_of_each] = 1
    return np.cumsum(is_first)


def _tried_sets(
    later: _CascadeOutcome, index: int, judged: StageDecisions, smallest: int
) -> list[tuple[float, _CascadeOutcome]]:
    """Return a judge's thresholds to try, each with the cascade's outcome; [] if the judge decides too few examples.

    Args:
        later: Outcome of the judges that are asked after this one, at the thresholds chosen for them.
        index: Index of this judge in the cascade.
        judged: The decisions of this judge.
        smallest: The fewest decisions that a threshold must leave to this judge.
    """
    descending = judged.descending
    if len(descending) < smallest:
        return []
    sizes = np.unique(np.rint(np.linspace(smallest, len(descending), STEPS)).astype(int))
    thresholds = [float(descending[size - 1]) for size in sizes]
    return [(threshold, later.before(index, judged, threshold)) for threshold in thresholds]


def _certified(promises: _Promises, certain: tuple[float | None, ...], decided: _CascadeOutcome) -> CertifiedCascade:
    chosen = decided.chosen
    passes = chosen & decided.passes
    at_level = promises.of_passes or promises.limit
    return CertifiedCascade(
        limit=promises.limit,
        of_passes=promises.of_passes,
        certain=certain,
        stage=decided.stage,
        automatic=share(chosen, promises.groups, method=_METHOD),
        errors=int(decided.wrong[chosen].sum()),
        n_automatic=int(chosen.sum()),
        upper=promises.limit.upper(*counted_errors(chosen, decided.wrong, promises.groups)),
        passes=int(passes.sum()),
        wrong_passes=int(decided.wrong[passes].sum()),
        upper_passes=at_level.upper(*counted_errors(passes, decided.wrong, promises.groups)) if passes.any() else None,
    )


def _too_many_wrong(
    decided: str, chosen: Flags, tested: "_CascadeOutcome", limit: ErrorLimit, groups: Integers | None
) -> str:
    """Say that too many of a judge's most certain decisions may be wrong to keep a promised limit.

    Args:
        decided: What the decisions are called, "decisions" or "passes".
        chosen: Flags of the decisions, shape (n_examples,).
        tested: The decisions, and which of them are wrong.
        limit: The promise.
        groups: Number of each example's group; None without groups.
    """
    wrong = int(tested.wrong[chosen].sum())
    most = limit.upper(*counted_errors(chosen, tested.wrong, groups))
    digits = digits_to_tell(limit.error, [most])
    may_be = "" if most is None else f", so up to {percent(most, digits)} may be"
    are = "is" if wrong == 1 else "are"
    errors = f"{wrong} of the {int(chosen.sum())} most certain {decided} {are} wrong{may_be}"
    return f"{errors}; at most {percent(limit.error, digits)} asked"


def _without_automatic_decisions(
    promises: _Promises, certain: tuple[float | None, ...], judged: StageDecisions, tested: _CascadeOutcome | None
) -> CertifiedCascade:
    """Return a cascade in which people decide everything, with the reason.

    Args:
        promises: The promises that automatic decisions must keep.
        certain: The threshold of certainty of each judge, which none of its decisions reaches; None for a judge that
            has none.
        judged: The decisions of the last judge to be asked.
        tested: The outcome if only the last judge's most certain decisions were automatic, which gives the reason;
            None if that judge made too few decisions to test any.
    """
    limit = promises.limit
    n = len(judged.certainty)
    graded = len(judged.descending)
    errors = 0
    size = 0
    if tested is None:
        decides = ~np.isnan(judged.certainty)
        why = too_few_labels(
            graded, limit, None if promises.groups is None else n_independent(decides, promises.groups)
        )
        if promises.of_passes is not None and n_independent(decides, promises.groups) >= limit.fewest:
            passes = decides & judged.passes
            n_groups = None if promises.groups is None else n_independent(passes, promises.groups)
            why = too_few_passes(int(passes.sum()), promises.of_passes, n_groups)
    else:
        chosen = tested.chosen
        errors = int(tested.wrong[chosen].sum())
        size = int(chosen.sum())
        why = _too_many_wrong("decisions", chosen, tested, limit, promises.groups)
        if limit.holds(*counted_errors(chosen, tested.wrong, promises.groups)) and promises.of_passes is not None:
            why = _too_many_wrong("passes", chosen & tested.passes, tested, promises.of_passes, promises.groups)
    refused = Estimate.without_value(why, n=n, method=_METHOD)
    return CertifiedCascade(limit, promises.of_passes, certain, np.full(n, -1), refused, errors, size, None)


def automatic_part(
    certainty: npt.ArrayLike, wrong: npt.ArrayLike, limit: ErrorLimit, groups: npt.ArrayLike | None = None
) -> CertifiedCascade:
    """Find how many of a judge's most certain decisions can be automatic under a limit on wrong decisions.

    The result is a cascade with one judge. The numbers of decisions to try are chosen before labels are looked at,
    spread evenly from the fewest that could keep the promise without an error up to all. With groups, numbers that
    couldn't keep it even without an error are left out first.

    Args:
        certainty: Certainty of each decision, as `StageDecisions.of` takes it, shape (n,).
        wrong: Flags of the wrong decisions, shape (n,).
        limit: The promise.
        groups: Name of each example's group, such as its task, whose examples share errors, shape (n,); None if each is
            a group of its own.

    Raises:
        ValueError: The shapes differ, which is the caller's mistake.

    Source:
        Angelopoulos, Bates, Candès, Jordan and Lei (2021), Learn then Test. arXiv:2110.01052

    Example:
        >>> certainty = np.linspace(0.5, 1, 101)
        >>> part = automatic_part(certainty, certainty < 0.6, ErrorLimit(0.05, 0.1))
        >>> round(part.certain[0], 3), part.n_automatic, part.errors, round(part.upper, 3)
        (0.595, 82, 1, 0.047)
    """
    return certified_cascade([StageDecisions.of(certainty, wrong)], limit, groups)


def too_few_labels(decided: int, limit: ErrorLimit, groups: int | None = None) -> str:
    """Return why no promise could hold with so few decisions, even if none of them were wrong.

    Args:
        decided: Number of decisions.
        limit: The promise.
        groups: Number of groups that the decisions are of; None if each is a group of its own.
    """
    promise = f"at most {percent(limit.error)} errors with {percent(1 - limit.level)} confidence"
    return f"not enough {_what_lacks(promise, 'label', 'decision', decided, limit, groups)}"


def too_few_passes(passes: int, of_passes: ErrorLimit, groups: int | None = None) -> str:
    """Return why no promise about passes could hold with so few passes, even if none of them were wrong.

    Args:
        passes: Number of passes.
        of_passes: The promise about passes.
        groups: Number of groups that the passes are of; None if each is a group of its own.
    """
    promise = f"at most {percent(of_passes.error)} wrong passes with {percent(1 - of_passes.level)} confidence"
    return f"not enough {_what_lacks(promise, 'passe', 'passe', passes, of_passes, groups)}"


def _what_lacks(promise: str, noun: str, unit: str, have: int, limit: ErrorLimit, groups: int | None) -> str:
    """Return the end of a sentence "not enough …": what is too few for a promise, examples or groups, and by how many.

    Args:
        promise: The promise in words.
        noun: Word for the examples, such as "label", to which an "s" is added.
        unit: Word for what the promise is about, such as "decision", to which an "s" is added.
        have: Number of units, such as decisions, that there are.
        limit: The promise.
        groups: Number of groups that the units are of; None if each is a group of its own.
    """
    if groups is not None and groups < limit.fewest:
        return f"groups of {noun}s: {promise} takes {unit}s in {limit.fewest} groups, and there are {groups}"
    if have >= limit.fewest:
        return f"groups of {noun}s: {promise} can't be shown by {have} {unit}s, even if none is wrong"
    return f"{noun}s: {promise} takes {limit.fewest} {unit}s without an error, and there are {have}"
