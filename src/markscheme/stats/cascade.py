"""Which decisions a judge may make without a person, under a promise about how many of them are wrong."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from markscheme.phrases import percent
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Flags, Floats, Groups, Integers
from markscheme.stats.pairs import equal_vectors
from markscheme.stats.shares import grouped_share, share

STEPS = 25
"""Sizes of the automatic part that are tried, evenly from the fewest that could keep the promise to all decisions: at
200 labels a step is six decisions."""
CERTAINTY_DIGITS = 9
"""Decimals of a certainty: 2/3 and 1 - 1/3 are one tie. Compared exactly when chosen and with a tolerance in use, the
promise broke in .24 of draws."""
_METHOD = "share automatic, the most certain first"


@dataclass(frozen=True, slots=True)
class ErrorLimit:
    """A limit on the share of wrong decisions, and how sure a test of it must be.

    Attributes:
        error: The largest share that is allowed, above 0 and below 1.
        level: Probability with which a test may pass although more are wrong, above 0 and below 1.

    Raises:
        ValueError: The caller's fault: a share out of range.
    """

    error: float
    level: float

    def __post_init__(self) -> None:
        if not (0 < self.error < 1 and 0 < self.level < 1):
            raise ValueError(f"error {self.error} and level {self.level} must be above 0 and below 1")

    @property
    def fewest(self) -> int:
        """The fewest decisions of independent examples that pass the test, none of them wrong.

        Example:
            >>> [ErrorLimit(0.05, level).fewest for level in (0.1, 0.05)]
            [45, 59]
        """
        return math.ceil(math.log(self.level) / math.log1p(-self.error))

    def upper(self, wrong: Flags, groups: Integers | None = None) -> float | None:
        """The upper limit of the share that is wrong; None without decisions, or with too few groups to tell.

        Args:
            wrong: Whether each decision is wrong, shape (n,).
            groups: Group of each, shape (n,); None where each is its own.
        """
        return grouped_share(wrong, groups).upper(1 - self.level)

    def holds(self, wrong: Flags, groups: Integers | None = None) -> bool:
        """Whether decisions pass the test; arguments as for `upper`."""
        upper = self.upper(wrong, groups)
        return upper is not None and upper <= self.error + 1e-12


def counted_errors(
    chosen: Flags, wrong: Flags, groups: Integers | None = None, *, of_all: bool = False
) -> tuple[Flags, Integers | None]:
    """What the test of a set of automatic decisions counts: whether each is wrong, and its group.

    Args:
        chosen: Which decisions are automatic, shape (n,).
        wrong: Whether each decision is wrong, shape (n,).
        groups: Group of each example, shape (n,); None where each is its own.
        of_all: Whether the errors are counted among all examples, of which a person decides the others rightly.
    """
    if of_all:
        return chosen & wrong, groups
    return wrong[chosen], None if groups is None else groups[chosen]


def first_provable(
    sets: Sequence[Flags], limit: ErrorLimit, groups: Integers | None = None, *, of_all: bool = False
) -> int | None:
    """The place of the first set that passes the test if none of its decisions is wrong; None if none does.

    It is found without looking at labels. Arguments as for `n_that_hold`.
    """
    spotless = np.zeros(len(sets[0]) if len(sets) else 0, dtype=bool)
    provable = (
        place
        for place, chosen in enumerate(sets)
        if limit.holds(*counted_errors(chosen, spotless, groups, of_all=of_all))
    )
    return next(provable, None)


def n_that_hold(
    sets: Iterable[Flags], wrong: Flags, limit: ErrorLimit, groups: Integers | None = None, *, of_all: bool = False
) -> int:
    """How many of a sequence of growing sets pass the test before the first that fails.

    The order is fixed before the labels are seen, so that no test needs a correction.

    Args:
        sets: Which decisions are automatic in each, shape (n,), in the order of the tests.
        wrong: Whether each decision is wrong, shape (n,).
        limit: The test.
        groups: Group of each example, shape (n,); None where each is its own.
        of_all: As for `counted_errors`.

    Source:
        Angelopoulos, Bates, Candès, Jordan and Lei (2021), Learn then Test. arXiv:2110.01052
    """
    held = 0
    for chosen in sets:
        if not limit.holds(*counted_errors(chosen, wrong, groups, of_all=of_all)):
            break
        held += 1
    return held


@dataclass(frozen=True, slots=True)
class AutomaticPart:
    """The decisions that a judge may make alone, and what is known of them.

    Attributes:
        limit: The promise and its test.
        certain: Certainty from which a decision is automatic; None: everything goes to a person.
        automatic: Share of examples decided automatically; undefined where everything goes to a person, with the
            reason.
        errors: Wrong decisions among the automatic ones; where there are none, among the most certain that were tested.
        n_automatic: Examples decided automatically; where there are none, the number that was tested.
        upper: Upper limit of the share that is wrong; None where everything goes to a person.
    """

    limit: ErrorLimit
    certain: float | None
    automatic: Estimate
    errors: int
    n_automatic: int
    upper: float | None


def automatic_part(
    certainty: npt.ArrayLike, wrong: npt.ArrayLike, limit: ErrorLimit, groups: npt.ArrayLike | None = None
) -> AutomaticPart:
    """The largest part of a judge's decisions, the most certain first, that keeps a promise about errors.

    The sizes that are tried are spread evenly from the fewest examples that could pass without an error to all of them,
    before labels are looked at. Decisions of one certainty go together. With groups, sizes that couldn't pass even
    without an error are left out first.

    Args:
        certainty: How certain the judge is of each decision, shape (n,): a probability, a share of votes, or a distance
            from the pass mark, more being more certain; nan where it decides nothing, or may not.
        wrong: Whether each decision is wrong, shape (n,).
        limit: The promise.
        groups: Names of groups that share errors, such as tasks, shape (n,); None where each example is its own.

    Raises:
        ValueError: The caller's fault: shapes that differ.

    Source:
        Angelopoulos, Bates, Candès, Jordan and Lei (2021), Learn then Test. arXiv:2110.01052

    Example:
        >>> certainty = np.linspace(0.5, 1, 101)
        >>> part = automatic_part(certainty, certainty < 0.6, ErrorLimit(0.05, 0.1))
        >>> round(part.certain, 3), part.n_automatic, part.errors, round(part.upper, 3)
        (0.595, 82, 1, 0.047)
    """
    sure, faulty = equal_vectors(certainty=certainty, wrong=wrong)
    ranked = np.round(sure, CERTAINTY_DIGITS)
    in_groups = Groups.of(groups, len(ranked))
    numbers = in_groups.number if in_groups.several else None
    sets = _growing_sets(ranked, limit)
    first = first_provable(sets, limit, numbers)
    if first is None:
        return _nothing(limit, too_few_labels(int((~np.isnan(ranked)).sum()), limit), len(ranked))
    is_wrong = faulty == 1
    held = n_that_hold(sets[first:], is_wrong, limit, numbers)
    largest = sets[first + max(held - 1, 0)]
    errors = int(is_wrong[largest].sum())
    size = int(largest.sum())
    if not held:
        seen = f"{errors} of the {size} most certain decisions {'is' if errors == 1 else 'are'} wrong"
        return _nothing(limit, f"{seen}; at most {percent(limit.error)} asked", len(ranked), errors, size)
    automatic = share(largest, numbers, method=_METHOD)
    upper = limit.upper(*counted_errors(largest, is_wrong, numbers))
    return AutomaticPart(limit, float(ranked[largest].min()), automatic, errors, size, upper)


def _growing_sets(ranked: Floats, limit: ErrorLimit) -> list[Flags]:
    """The automatic decisions at each size that is tried, shape (n,); none where there are too few decisions."""
    descending = np.sort(ranked[~np.isnan(ranked)])[::-1]
    if len(descending) < limit.fewest:
        return []
    sizes = np.unique(np.rint(np.linspace(limit.fewest, len(descending), STEPS)).astype(int))
    return [np.nan_to_num(ranked, nan=-np.inf) >= descending[size - 1] for size in sizes]


def too_few_labels(decided: int, limit: ErrorLimit) -> str:
    """Why so many decisions can't keep a promise, even if none of them is wrong."""
    promise = f"at most {percent(limit.error)} errors with {percent(1 - limit.level)} confidence"
    if decided >= limit.fewest:
        return f"not enough groups of labels: {promise} can't be shown by {decided} decisions, even if none is wrong"
    return f"not enough labels: {promise} takes {limit.fewest} decisions without an error, and there are {decided}"


def _nothing(limit: ErrorLimit, why: str, n: int, errors: int = 0, tested: int = 0) -> AutomaticPart:
    return AutomaticPart(limit, None, Estimate.without_value(why, n=n, method=_METHOD), errors, tested, None)
