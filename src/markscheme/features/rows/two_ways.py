"""Intervals of shares and means of verdicts that are grouped both by task and by criterion; the widest one counts."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from markscheme.stats.agreement_figures import AgreementFigures, agreement_figures
from markscheme.stats.intervals import Flags, Floats
from markscheme.stats.shares import GroupedMean, GroupedShare, grouped_share

Codes = npt.NDArray[np.int64]
"""A number for each verdict that identifies the verdict's task or criterion."""
YES_OR_NO = (0.0, 1.0)
"""The two constant answers of the baseline: always unmet and always met."""
SAME_ANSWER = 0.5
"""Distance below which two answers count as equal."""


@dataclass(frozen=True, slots=True)
class _WiderMean(GroupedMean):
    """A mean whose interval is the wider of two: with values grouped by task, and grouped by criterion.

    Attributes:
        otherwise: The same mean with values grouped by criterion, if this one groups them by task, or the reverse.
    """

    otherwise: GroupedMean

    def _bounds(self, confidence: float) -> tuple[float, float]:
        low, high = GroupedMean._bounds(self, confidence)
        other_low, other_high = GroupedMean._bounds(self.otherwise, confidence)
        return min(low, other_low), max(high, other_high)


def wider_share(hits: Flags, tasks: Codes, criteria: Codes | None, weights: Floats | None = None) -> GroupedShare:
    """Return a share of verdicts with the widest of three intervals: those grouped by task, by criterion, and by both.

    The intervals by task and by criterion each assume a correlation within groups that is seldom exceeded. If verdicts
    are related both within tasks and within criteria, neither is wide enough. The interval by both adds up the variance
    due to tasks and that due to criteria, each with the median of its correlation.

    Args:
        hits: Flags of the verdicts in the share, shape (n,).
        tasks: The task of each verdict, shape (n,).
        criteria: The criterion of each verdict, shape (n,); None for intervals by task alone, which say nothing about
            criteria that weren't rated.
        weights: Weight of each verdict, as from `drawn_weights`; None if all count equally.

    Source:
        Kish (1965), Survey Sampling, section 8.2, for the design effect, of which the largest counts. Cameron, Gelbach
        and Miller (2011), Journal of Business & Economic Statistics 29(2), 238-249, for variances of two ways to group
        that add up. doi:10.1198/jbes.2010.07136

    Example:
        >>> hits = np.arange(40) % 8 > 0
        >>> tasks, criteria = np.repeat(np.arange(5), 8), np.tile(np.arange(8), 5)
        >>> wider_share(hits, tasks, criteria).effective < wider_share(hits, tasks, None).effective
        True
    """
    by_task = grouped_share(hits, tasks, weights)
    if criteria is None:
        return by_task
    return _wider(by_task, grouped_share(hits, criteria, weights))


def wider_figures(
    gold: Floats,
    judge: Floats,
    people: Floats,
    tasks: Codes,
    criteria: Codes | None,
    weights: Floats | None = None,
) -> AgreementFigures:
    """Compute a judge's agreement on verdicts, each figure with the wider of two intervals: by task or by criterion.

    Args:
        gold: 1 if gold says that the criterion is met, 0 if not, nan where there is no verdict, shape (n,).
        judge: The judge's verdicts, 1, 0 or nan as in `gold`, shape (n,).
        people: Each annotator's verdicts, 1, 0 or nan as in `gold`, shape (n, n_people).
        tasks: The task of each verdict, shape (n,).
        criteria: The criterion of each verdict, shape (n,); None for intervals by task alone, which say nothing about
            criteria that weren't rated.
        weights: Weight of each verdict, shape (n,); None if all count equally.
    """

    def grouped(groups: Codes) -> AgreementFigures:
        return agreement_figures(
            gold, judge, people, tolerance=SAME_ANSWER, groups=groups, constants=YES_OR_NO, weights=weights
        )

    by_task = grouped(tasks)
    if criteria is None:
        return by_task
    by_criterion = grouped(criteria)
    return AgreementFigures(
        agreement=_wider(by_task.agreement, by_criterion.agreement),
        constant=_wider(by_task.constant, by_criterion.constant),
        constant_value=by_task.constant_value,
        gain=_farther(by_task.gain, by_criterion.gain),
        people=_wider(by_task.people, by_criterion.people),
        judge_people=_wider(by_task.judge_people, by_criterion.judge_people),
        constant_people=_wider(by_task.constant_people, by_criterion.constant_people),
        judge_minus_person=_farther(by_task.judge_minus_person, by_criterion.judge_minus_person),
        person_minus_constant=_farther(by_task.person_minus_constant, by_criterion.person_minus_constant),
    )


def _wider(by_task: GroupedShare, by_criterion: GroupedShare) -> GroupedShare:
    wider = min(by_task, by_criterion, key=lambda share: share.effective)
    if wider.value in YES_OR_NO:  # then neither way to group shows any correlation
        return wider
    alone = wider.effective * (1 + (wider.mean_size - 1) * wider.correlation)
    by_both = 1 + sum((share.mean_size - 1) * share.likely_correlation for share in (by_task, by_criterion))
    return replace(wider, effective=min(wider.effective, alone / by_both))


def _farther(by_task: GroupedMean, by_criterion: GroupedMean) -> GroupedMean:
    return _WiderMean(
        by_task.value,
        by_task.n,
        by_task.n_groups,
        by_task.mean_size,
        by_task.correlation,
        by_task.below,
        by_task.above,
        by_criterion,
    )
