"""Weekly counts of a stream of responses: by the judge's verdict, of labels, and of conversations."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from markscheme.features.pass_rate.tracked.audits import effective_labels, is_closed, nearly_all
from markscheme.features.pass_rate.tracked.store import GradedLine, digest, rows_in_weeks
from markscheme.features.pass_rate.tracked.weeks import is_over
from markscheme.stats.intervals import Floats

FAILS, PASSES, LEFT = range(3)
"""Indices of every count: responses that the judge fails, that it passes, and that it leaves to people."""


@dataclass(frozen=True)
class WeekCounts:
    """Counts of one week of a stream: responses by verdict, audits and their labels, and conversations.

    Attributes:
        week: The ISO week.
        responses: Number of all responses.
        pool: Numbers of graded responses, by verdict.
        audits: Number of audited responses.
        labels: Number of labels that pass, and number of all labels. The key is the judge's verdict on the responses,
            and the probability with which they were drawn as audits.
        conversations: Number of conversations. The key is how many responses of the conversation the judge passes, and
            how many have a verdict.
        is_over: True if the week has ended.
    """

    week: str
    responses: int
    pool: tuple[int, int, int]
    audits: int
    labels: Mapping[tuple[int, float], tuple[int, int]]
    conversations: Mapping[tuple[int, int], int]
    is_over: bool

    @property
    def graded(self) -> int:
        """Number of the week's responses that the judge passes, fails or leaves to people."""
        return sum(self.pool)

    @property
    def labelled(self) -> int:
        """Number of the week's audits that people have labelled."""
        return sum(n for _, n in self.labels.values())

    @property
    def is_graded(self) -> bool:
        """True if the week is over, and nearly all its responses have a verdict."""
        return self.is_over and self.responses > 0 and nearly_all(self.graded, self.responses)

    @property
    def is_closed(self) -> bool:
        """True if the week is over, nearly all its responses have a verdict, and nearly all its audits a label."""
        return (
            self.is_over
            and self.responses > 0
            and is_closed(responses=self.responses, graded=self.graded, audits=self.audits, labelled=self.labelled)
        )

    @property
    def share(self) -> float:
        """Share of the responses decided by the judge that it passes; 0 if it decides none."""
        decided = self.pool[FAILS] + self.pool[PASSES]
        return self.pool[PASSES] / decided if decided else 0.0

    @property
    def by_verdict(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Numbers of passing labels and of all labels.

        Each is a pair: for the responses that the judge doesn't pass, then for those that it passes.
        """
        sides = [[0, 0], [0, 0]]
        for (verdict, _), (passed, n) in self.labels.items():
            side = sides[verdict == PASSES]
            side[0] += passed
            side[1] += n
        (x0, n0), (x1, n1) = sides
        return (x0, x1), (n0, n1)

    @property
    def conversation_shares(self) -> tuple[Floats, Floats]:
        """Shares of responses that pass within a conversation, and the number of the week's conversations with each.

        A share is listed once for each number of responses: 1 of 2 and 2 of 4 are two entries.
        """
        cells = sorted(self.conversations.items())
        return np.array([p / n for (p, n), _ in cells]), np.array([times for _, times in cells], dtype=np.float64)


def count_weeks(rows: Iterable[GradedLine], labels: Mapping[str, bool], through: date) -> tuple[WeekCounts, ...]:
    """Count the responses, audits and labels of each week that has any responses, the earliest first.

    Args:
        rows: The stored lines of the stream's responses.
        labels: True for responses that people pass, False for those that they fail, by digest of the id.
        through: The last day that is over.
    """
    return tuple(_count(week, of_week, labels, through) for week, of_week in rows_in_weeks(rows).items())


def _count(week: str, rows: Sequence[GradedLine], labels: Mapping[str, bool], through: date) -> WeekCounts:
    pool = [0, 0, 0]
    cells: dict[tuple[int, float], list[int]] = {}
    groups: dict[str, list[int]] = {}
    audits = 0
    for row in rows:
        audits += row.is_audited
        if not row.is_graded:
            continue
        verdict = LEFT if row.passes is None else int(row.passes)
        pool[verdict] += 1
        if verdict != LEFT:
            group = groups.setdefault(row.id if row.group is None else row.group, [0, 0])
            group[0] += verdict
            group[1] += 1
        if row.is_audited and row.id in labels:
            cell = cells.setdefault((verdict, row.chance), [0, 0])
            cell[0] += labels[row.id]
            cell[1] += 1
    return WeekCounts(
        week,
        len(rows),
        (pool[FAILS], pool[PASSES], pool[LEFT]),
        audits,
        {cell: (passed, n) for cell, (passed, n) in sorted(cells.items())},
        Counter((passed, n) for passed, n in groups.values()),
        is_over(week, through),
    )


def labels_of_all(weeks: Iterable[WeekCounts]) -> tuple[Floats, Floats, Floats]:
    """Add up several weeks by the judge's verdict: labels that pass, all labels, and responses.

    Each array has a number for each verdict: fail, pass and, if the judge leaves responses to people, left to people.
    Labels drawn with unequal chances are converted to the number with equal chances that is as informative.
    """
    pool = np.zeros(3)
    cells: dict[int, dict[float, Floats]] = {FAILS: {}, PASSES: {}, LEFT: {}}
    for week in weeks:
        pool += week.pool
        for (verdict, chance), counts in week.labels.items():
            cells[verdict][chance] = cells[verdict].get(chance, np.zeros(2)) + counts
    worth = np.array([_effective(cells[verdict]) for verdict in (FAILS, PASSES, LEFT)])
    used = np.array([True, True, pool[LEFT] > 0])
    return worth[used, 0], worth[used, 1], pool[used]


def _effective(cells: Mapping[float, Floats]) -> tuple[float, float]:
    if len(cells) == 1:
        ((passed, n),) = (counts.tolist() for counts in cells.values())
        return passed, n
    if not cells:
        return 0.0, 0.0
    counts = np.array(list(cells.values()))
    return effective_labels(counts[:, 0], counts[:, 1], list(cells))


def labels_by_digest(decided: Mapping[str, bool]) -> dict[str, bool]:
    """Map the digest of each response's id to people's decision on the response."""
    return {digest(unit): passed for unit, passed in decided.items()}
