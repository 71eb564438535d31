"""The test of the finalists on held-out labels; that the labels were used is recorded before the judge is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from markscheme.features.improve.candidates import Wording
from markscheme.features.improve.look_records import open_test_labels, record_decision
from markscheme.features.improve.selection import (
    SelectionTest,
    confirmed_gain,
    decisions_test,
    expected_gain,
    held_out_test,
    kept_share,
    opening_alpha,
    outside_test,
)
from markscheme.features.improve.trial import Asker, TrialPart, difference, refuse_ungraded, ungraded_share
from markscheme.grading import MOST_UNGRADED
from markscheme.judges.recorded import RecordedJudge
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.from_grades import first_prompts
from markscheme.ratings.splits import Opening, Openings, labelling_digest, openings_of
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.agreement_figures import close
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats

AGAIN = 1_000
"""First sample number of the first opening of the held-out labels; the second opening starts at twice this number, and
so on. Thus an interrupted run finds its own cached replies, and no run reuses those of another."""

Why = Literal["confirmed", "not confirmed", "same scores", "not graded"]


@dataclass(frozen=True)
class FinalistsResult:
    """Result of testing the best wordings (finalists) on held-out labels: the adopted one if any, and its gain.

    Attributes:
        adopted: The confirmed wording; None if none is confirmed. In that case the figures are None too, so that the
            only thing revealed about the held-out labels is that they confirm no wording.
        why: Code of the reason why a wording is adopted, or none is.
        opening: Number of this test among all tests on the held-out labels, from 1.
        alpha: Significance level of the test.
        n: Number of examples compared.
        tasks: Number of tasks that these examples belong to.
        dropped: Number of examples left out since the judge didn't grade them by the user's wording.
        raw: The measured gain by the adopted wording: the decrease of the scores' distance from gold or, if wordings
            are compared by decisions, the increase of the share of decisions that are the same as people's.
        gain: Expected decrease, on new examples, of the scores' distance from gold with the adopted wording; None if
            wordings were compared by decisions.
        agreement_gain: Expected increase, on new examples, of the share of examples on which the judge agrees with
            gold.
        decisions_gain: Expected increase, on new examples, of the share of decisions that are the same as people's;
            None if wordings were compared by scores.
        asked_again: True if the judge was asked again with the user's wording in this run.
    """

    adopted: Wording | None
    why: Why
    opening: int
    alpha: float
    n: int
    tasks: int
    dropped: int
    raw: float | None = None
    gain: Estimate | None = None
    agreement_gain: Estimate | None = None
    asked_again: bool = True
    decisions_gain: Estimate | None = None


@dataclass(frozen=True)
class Ledger:
    """Record of the tests on the held-out labels, which determines the significance level of the next one.

    Attributes:
        examples: All of the rubric's examples; the tests are recorded next to their file.
        at: The day of the test.
        judge: Fingerprint of the judge.
        outside: True if the test uses all labels, not only held-out ones, since the wordings were written without
            knowing them.
        settings: Number of settings, other than the one in use, that have figures on the held-out labels; at least 1.
        is_kept: False for a set that comes with the package: tests on it aren't recorded, and each counts as the first
            one.
    """

    examples: ExampleSet
    at: str
    judge: str
    outside: bool = False
    settings: int = 1
    is_kept: bool = True

    def alpha(self, opening: int) -> float:
        """Return the significance level of a test of the best wordings (finalists) on held-out labels.

        Each test has half the level of the one before. That level is divided by `settings`, the number of other
        settings that were tried on these labels.

        Args:
            opening: The number of the test, from 1.
        """
        return opening_alpha(opening) / self.settings

    def open(self, wordings: Sequence[Wording]) -> tuple[int, Opening]:
        """Record that a test of these wordings uses held-out labels, or continue such a test that was interrupted.

        Returns:
            The number of the test, from 1, and its record.
        """
        prints = tuple(sorted(wording.rubric.fingerprint for wording in wordings))
        if not self.is_kept:
            labels = labelling_digest(self.examples)
            n = len(self.examples.labelled.examples)
            return 1, Opening(self.at, self._by, labels, n, self.alpha(1), prints, self.judge, decided=False)
        openings = openings_of(self.examples, whole=self.outside)
        begun = None if openings is None else _latest_test(openings, prints, self.judge)
        if begun is not None:
            return begun
        after = open_test_labels(
            self.examples,
            by=self._by,
            at=self.at,
            alpha=self.alpha,
            wordings=prints,
            judge=self.judge,
            whole=self.outside,
        )[1]
        return after.of_these, after.all[-1]

    def decide(self, opening: Opening, adopted: str | None) -> None:
        """Add a test's result to its record.

        Args:
            opening: The record of the test.
            adopted: Fingerprint of the adopted wording; None if none was adopted.
        """
        if self.is_kept:
            record_decision(self.examples, opening, adopted)

    @property
    def _by(self) -> str:
        return "improve --outside" if self.outside else "improve --open"


async def confirm(
    asker: Asker,
    part: TrialPart,
    yours: Rubric,
    wordings: Sequence[Wording],
    ledger: Ledger,
) -> FinalistsResult:
    """Test whether one of the best wordings (finalists) is better on labels that didn't choose it; record their use.

    Args:
        asker: Asks the judge by each wording.
        part: The examples to test on: the held-out ones or, if `ledger.outside` is true, all.
        yours: The user's rubric, with which the judge is asked again, since two runs of one judge can differ by as much
            as the gain.
        wordings: One or two finalists; any number if they were written without knowing the labels.
        ledger: Record of the uses of held-out labels, in which this test is recorded.

    Raises:
        BudgetError: The budget ran out; the test stays on record, and the same command continues it.
        NothingGraded: The judge graded no example by the user's wording.
    """
    number, opening = ledger.open(wordings)
    alpha = opening.alpha if opening.alpha is not None else ledger.alpha(number)
    answer = await _answer(asker, part, yours, wordings, number, alpha, outside=ledger.outside)
    if opening.decided:  # this test has been decided before: that answer holds
        named = {wording.rubric.fingerprint: wording for wording in wordings}
        decided = named.get(opening.adopted or "")
        if decided == answer.adopted:
            return answer
        why: Why = "not confirmed" if decided is None else "confirmed"
        return replace(answer, adopted=decided, why=why, raw=None, gain=None, agreement_gain=None, decisions_gain=None)
    adopted = None if answer.adopted is None else answer.adopted.rubric.fingerprint
    ledger.decide(opening, adopted)
    return answer


async def _answer(
    asker: Asker,
    part: TrialPart,
    yours: Rubric,
    wordings: Sequence[Wording],
    number: int,
    alpha: float,
    *,
    outside: bool,
) -> FinalistsResult:
    where = "all labels" if outside else "held-out labels"
    first, for_yours = _samples(asker, part, yours, number)
    own_scores = part.compared(
        refuse_ungraded(await asker.column(yours, part, f"{where}: your wording, again", first=for_yours))
    )
    scores = {
        wording.name: part.compared(await asker.column(wording.rubric, part, f"{where}: {wording.name}", first=first))
        for wording in wordings
    }
    gold = part.truth
    graded = ~np.isnan(own_scores)
    n = int(graded.sum())
    dropped = int((~graded).sum())
    tasks = len({task for task, is_graded in zip(part.task, graded.tolist(), strict=True) if is_graded})
    usable = [wording for wording in wordings if ungraded_share(own_scores, scores[wording.name]) <= MOST_UNGRADED]
    undecided = FinalistsResult(None, "not graded", number, alpha, n, tasks, dropped, asked_again=for_yours > 0)
    if not usable:
        return undecided
    columns = np.column_stack([difference(gold, own_scores, scores[wording.name]) for wording in usable])
    if not np.nan_to_num(columns).any():
        return replace(undecided, why="same scores")
    test = _test(part, columns, alpha, outside=outside)
    if test.best is None:
        return replace(undecided, why="not confirmed")
    best = usable[test.best]
    t = test.t[test.best]
    if part.decided is not None:
        gain = confirmed_gain(part.by_task(columns[:, test.best]), t, test.critical, method="gain in decisions")
        raw = test.means[test.best]
        return replace(undecided, adopted=best, why="confirmed", raw=raw, decisions_gain=gain)
    share = kept_share(t, test.critical)
    hits = _hits(gold, scores[best.name], yours.tolerance) - _hits(gold, own_scores, yours.tolerance)
    return replace(
        undecided,
        adopted=best,
        why="confirmed",
        raw=test.means[test.best],
        gain=confirmed_gain(part.by_task(columns[:, test.best]), t, test.critical, method="gain in MAE"),
        agreement_gain=expected_gain(part.by_task(np.where(graded, hits, np.nan)), share, method="gain in agreement"),
    )


def _test(part: TrialPart, columns: Floats, alpha: float, *, outside: bool) -> SelectionTest:
    """Test the best wordings (finalists) against the user's: by people's decisions if there are any, else by scores.

    Args:
        part: The examples.
        columns: Differences of each finalist from the user's wording by example, shape (n, k).
        alpha: Significance level.
        outside: True if the wordings were written without these labels, so that there may be any number of them.
    """
    by_task = part.by_task(columns)
    if part.decided is not None:
        return decisions_test(by_task, alpha)
    return outside_test(by_task, alpha) if outside else held_out_test(by_task, alpha)


def _hits(gold: Floats, scores: Floats, tolerance: float) -> Floats:
    """Return 1 for each score that agrees with gold within the tolerance, and 0 for each that doesn't or is missing."""
    return np.nan_to_num(close(gold, scores, tolerance))


def _samples(asker: Asker, part: TrialPart, yours: Rubric, number: int) -> tuple[int, int]:
    """Return the first sample number for candidates, then that for the user's wording.

    The numbers are new, so that no old reply is reused, unless the judge is a recording. Then candidates get the first
    recorded run; the user's wording gets the second run if that has a reply on every example, else the first.

    Args:
        asker: Asker of the judge.
        part: The examples to ask about.
        yours: The user's rubric.
        number: Number of this test on the labels, from 1.
    """
    if not isinstance(asker.judge, RecordedJudge):
        return AGAIN * number, AGAIN * number
    rubric = asker.configured(yours)
    replies = asker.judge.replies
    prompts = first_prompts(rubric, part.gold.examples)
    again = all((prompt.fingerprint, rubric.samples) in replies for prompt in prompts)
    return 0, rubric.samples if again else 0


def _latest_test(openings: Openings, wordings: tuple[str, ...], judge: str | None) -> tuple[int, Opening] | None:
    """Return number, from 1, and record of the latest test of some wordings on the labels as they are today.

    Args:
        openings: The records of looks at the held-out labels.
        wordings: Fingerprints of the wordings.
        judge: Fingerprint of the judge; None if no judge was asked.

    Returns:
        The number and the record; None if there was no such test.
    """
    tests = [
        (ordinal, opening)
        for ordinal, opening in enumerate(openings.earlier, 1)
        if (opening.wordings, opening.judge) == (wordings, judge)
        and (opening.levels == openings.levels if opening.levels else opening.labels == openings.labels)
    ]
    return tests[-1] if tests else None
