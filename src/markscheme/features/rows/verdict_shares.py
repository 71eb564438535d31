"""Shares of right and wrong verdicts by a judge on single criteria, if tasks bring criteria of their own.

The unit is a verdict: a response and a criterion. Verdicts on the responses of a task resemble each other, and so do
those on a criterion that several tasks share; intervals allow for whichever of the two makes them wider.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from markscheme.features.rows.two_ways import Codes, wider_share
from markscheme.stats.intervals import Flags, Floats, t_quantile
from markscheme.stats.shares import GroupedShare, drawn_weights, grouped_share

FEWEST_TO_GENERALIZE = 5
"""Fewest different criteria for conclusions on criteria that weren't rated, if some criteria recur."""
CRITERIA_TO_TRUST = 10
"""Fewest different criteria for which an interval isn't marked as approximate."""
FEWEST_TASKS_OF_COEFFICIENTS = 20
"""Fewest tasks for which coefficients have an interval: with 10 tasks it held the truth in .92 of draws, with 20 and
40 in .94."""
HEAVY = 1 / 3
"""Share of the verdicts from which on the largest tenth of the tasks dominates the figures."""


@dataclass(frozen=True, slots=True)
class VerdictShares:
    """Shares of verdicts on criteria in which a judge agrees with gold, and shares of each kind of error.

    Attributes:
        n: Number of verdicts with a level of gold and of the judge.
        tasks: Number of tasks that these verdicts belong to.
        criteria: Number of different criteria among them.
        unseen: True if the shares also hold for criteria that weren't rated. They don't if only a few criteria were
            rated, in several tasks each.
        heavy: True if a tenth of the tasks hold over a third of the verdicts.
        agreement: Share of verdicts with equal levels of judge and gold.
        agreement_of_tasks: Share of verdicts with equal levels, with equal weight for all tasks.
        rho_task: Correlation of hits (verdicts with equal levels) within a task.
        rho_criterion: Correlation of hits within a criterion.
        always_met: Share of verdicts that a judge would get right by always saying MET.
        kappa: Cohen's kappa; nan if gold and judge give only one level.
        mcc: Matthews's correlation coefficient; nan if gold or judge gives only one level.
        kappa_between: Limits of kappa's 95 % interval, from leaving out each task; None with fewer than 20 tasks.
        mcc_between: Limits of the 95 % interval of Matthews's coefficient; None with fewer than 20 tasks.
        false_met: Share of gold's UNMET that the judge calls MET.
        false_unmet: Share of gold's MET that the judge calls UNMET.
        false_credit: Share of the verdicts that earn no credit by gold for which the judge gives credit.
        missed_credit: Share of the verdicts that earn credit by gold for which the judge gives none.
    """

    n: int
    tasks: int
    criteria: int
    unseen: bool
    heavy: bool
    agreement: GroupedShare
    agreement_of_tasks: GroupedShare
    rho_task: float
    rho_criterion: float
    always_met: float
    kappa: float
    mcc: float
    kappa_between: tuple[float, float] | None
    mcc_between: tuple[float, float] | None
    false_met: GroupedShare
    false_unmet: GroupedShare
    false_credit: GroupedShare
    missed_credit: GroupedShare

    @property
    def always_unmet(self) -> float:
        """Share of verdicts that a judge would get right by saying UNMET every time."""
        return 1 - self.always_met

    @property
    def is_rough(self) -> bool:
        """True if the intervals are approximate: there are few criteria, or few tasks have many of the verdicts."""
        return self.heavy or (self.unseen and self.criteria < CRITERIA_TO_TRUST)


def verdict_shares(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    tasks: npt.ArrayLike,
    criteria: npt.ArrayLike,
    *,
    faults: npt.ArrayLike | None = None,
    labelled_shares: npt.ArrayLike | None = None,
) -> VerdictShares:
    """Compare a judge's verdicts on criteria with gold's; intervals allow for related errors in a task or a criterion.

    Args:
        gold: 1 if gold says that the criterion is met, 0 if not, nan where there is no verdict, shape (n,).
        judge: The judge's verdicts, 1, 0 or nan as in `gold`, shape (n,).
        tasks: Name of each verdict's task, shape (n,).
        criteria: Name of each verdict's criterion, shape (n,), equal for criteria with equal words.
        faults: Flags of verdicts on criteria that are faults, which earn credit if they are not met, shape (n,); None
            if there are none.
        labelled_shares: For each verdict, the share of its task's criteria that were labelled, 0 to 1, shape (n,). If
            only some were, each verdict gets a weight, the inverse of this share, which is at most three times the mean
            weight.

    Raises:
        ValueError: The arrays have different lengths, which is the caller's mistake.

    Source:
        Kish (1965), Survey Sampling, section 8.2, for the design effect: of that by task and that by criterion, the
        larger one counts.
        Efron and Stein (1981), Annals of Statistics 9(3), 586-596, for intervals of coefficients by leaving out a task.
        doi:10.1214/aos/1176345462
        Cohen (1960), Educational and Psychological Measurement 20(1), 37-46. doi:10.1177/001316446002000104
        Matthews (1975), Biochimica et Biophysica Acta 405(2), 442-451. doi:10.1016/0005-2795(75)90109-9

    Example:
        >>> met = np.array([1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1], dtype=bool)
        >>> shares = verdict_shares(met, met ^ (np.arange(12) == 3), np.repeat(range(6), 2), range(12))
        >>> shares.n, shares.tasks, shares.unseen, round(shares.agreement.value, 2), round(shares.kappa, 2)
        (12, 6, True, 0.92, 0.82)
    """
    met = np.asarray(gold, dtype=bool)
    judged = np.asarray(judge, dtype=bool)
    is_fault = np.zeros(len(met), dtype=bool) if faults is None else np.asarray(faults, dtype=bool)
    task = codes(tasks)
    criterion = codes(criteria)
    if len({len(array) for array in (met, judged, is_fault, task, criterion)}) > 1:
        raise ValueError("verdicts, tasks, criteria and faults have one length")
    n_criteria = int(criterion.max(initial=-1)) + 1
    unseen = says_of_unseen(task, criterion)
    weights = None if labelled_shares is None else drawn_weights(1 / np.asarray(labelled_shares, dtype=np.float64))

    def among(chosen: Flags, hits: Flags) -> GroupedShare:
        own_weights = None if weights is None else weights[chosen]
        return wider_share(hits[chosen], task[chosen], criterion[chosen] if unseen else None, own_weights)

    every = np.ones(len(met), dtype=bool)
    right = met == judged
    credit = met != is_fault
    credited = judged != is_fault
    sizes = np.bincount(task)
    return VerdictShares(
        n=len(met),
        tasks=len(sizes),
        criteria=n_criteria,
        unseen=unseen,
        heavy=is_heavy(task),
        agreement=among(every, right),
        agreement_of_tasks=_of_tasks_alike(right, task, criterion if unseen else None),
        rho_task=grouped_share(right, task).correlation,
        rho_criterion=grouped_share(right, criterion).correlation,
        always_met=float(met.mean()) if len(met) else math.nan,
        kappa=_kappa(met, judged),
        mcc=_mcc(met, judged),
        kappa_between=_without_a_task(_kappa, met, judged, task),
        mcc_between=_without_a_task(_mcc, met, judged, task),
        false_met=among(~met, judged),
        false_unmet=among(met, ~judged),
        false_credit=among(~credit, credited),
        missed_credit=among(credit, ~credited),
    )


def codes(names: npt.ArrayLike) -> Codes:
    """Convert names to whole numbers, one for each different name."""
    return np.asarray(np.unique(np.asarray(names), return_inverse=True)[1], dtype=np.int64)


def says_of_unseen(tasks: Codes, criteria: Codes) -> bool:
    """Return True if verdicts allow conclusions on criteria other than those rated.

    They don't if only a few different criteria were rated, each in several tasks.

    Args:
        tasks: Number of each verdict's task, shape (n,).
        criteria: Number of each verdict's criterion, shape (n,), equal for equal criteria in several tasks.
    """
    n_criteria = len(np.unique(criteria))
    recur = n_criteria < len(set(zip(tasks.tolist(), criteria.tolist(), strict=True)))
    return not (recur and n_criteria < FEWEST_TO_GENERALIZE)


def is_heavy(tasks: Codes) -> bool:
    """Return True if the tenth of the tasks with the most verdicts holds over a third of all verdicts."""
    return _largest_tenth(np.bincount(tasks)) > HEAVY


def weights_of_tasks_alike(tasks: Codes) -> Floats:
    """Return weights of the verdicts, with a mean of 1, by which each task has the same total weight."""
    weights = 1 / np.bincount(tasks)[tasks]
    return np.asarray(weights / weights.mean())


def _of_tasks_alike(hits: Flags, task: Codes, criterion: Codes | None) -> GroupedShare:
    """Return the share of flagged verdicts, with the same total weight for each task.

    Args:
        hits: Flags of the verdicts that count in the share, such as those on which the judge is right, shape (n,).
        task: Number that names each verdict's task, shape (n,).
        criterion: Number that names each verdict's criterion, shape (n,), for an interval that allows for related
            errors on a criterion too; None to allow for related errors within a task alone.
    """
    return wider_share(hits, task, criterion, weights_of_tasks_alike(task)) if len(hits) else grouped_share(hits)


def _largest_tenth(sizes: Codes) -> float:
    """Return which share of all verdicts belongs to the largest tenth of the tasks.

    Args:
        sizes: Number of verdicts on each task.
    """
    if not len(sizes):
        return 0.0
    largest = np.sort(sizes)[::-1][: math.ceil(len(sizes) / 10)]
    return float(largest.sum() / sizes.sum())


def _kappa(met: Flags, judged: Flags) -> float:
    if not len(met):
        return math.nan
    observed = float((met == judged).mean())
    by_chance = float(met.mean() * judged.mean() + (1 - met.mean()) * (1 - judged.mean()))
    return (observed - by_chance) / (1 - by_chance) if by_chance < 1 else math.nan


def _mcc(met: Flags, judged: Flags) -> float:
    if len(np.unique(met)) < 2 or len(np.unique(judged)) < 2:
        return math.nan
    return float(np.corrcoef(met, judged)[0, 1])


def _without_a_task(
    coefficient: Callable[[Flags, Flags], float], met: Flags, judged: Flags, task: Codes
) -> tuple[float, float] | None:
    """Return the limits of a coefficient's 95 % interval, estimated by leaving out each task once (the jackknife).

    Return None if there are fewer than 20 tasks, or if the coefficient is undefined when one of the tasks is left out.

    Args:
        coefficient: Function that computes the coefficient from the two arrays of flags.
        met: Flags of the verdicts that gold calls MET, shape (n,).
        judged: Flags of the verdicts that the judge calls MET, shape (n,).
        task: Number of each verdict's task, from 0, shape (n,).
    """
    n_tasks = len(np.unique(task))
    whole = coefficient(met, judged)
    if n_tasks < FEWEST_TASKS_OF_COEFFICIENTS or math.isnan(whole):
        return None
    without = np.array([coefficient(met[task != left_out], judged[task != left_out]) for left_out in range(n_tasks)])
    if np.isnan(without).any():
        return None
    se = math.sqrt((n_tasks - 1) / n_tasks * float(((without - without.mean()) ** 2).sum()))
    reach = t_quantile(n_tasks - 1, 0.95) * se
    return max(-1.0, whole - reach), min(1.0, whole + reach)


def tasks_needed(verdicts: int, per_task: float) -> int:
    """Return how many tasks have to be labelled for this many verdicts, at `per_task` verdicts each.

    >>> tasks_needed(40, 8.7), tasks_needed(160, 2.19)
    (5, 74)
    """
    return math.ceil(verdicts / per_task)
