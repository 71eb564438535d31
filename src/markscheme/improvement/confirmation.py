"""The test on held-out labels: one opening for both finalists, recorded before the judge is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from markscheme.calibration.collect import first_prompts
from markscheme.grading import MOST_UNGRADED
from markscheme.improvement.candidates import Wording
from markscheme.improvement.trial import Asker, TrialPart, difference, refuse_ungraded, ungraded_share
from markscheme.judges.recorded import RecordedJudge
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.splits import Opening, open_test_labels, openings_of, record_decision
from markscheme.ratings.table import Floats
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.estimate import Estimate
from markscheme.stats.selection import expected_gain, held_out_test, kept_share, opening_alpha, outside_test
from markscheme.stats.severity import close

AGAIN = 1_000
"""Samples of the first opening are numbered from here, of the second from twice this. So no cached reply of an earlier
run of any command is reused, but an interrupted run finds its own."""

Why = Literal["confirmed", "not confirmed", "same scores", "not graded"]


@dataclass(frozen=True)
class Answer:
    """The result for the finalists on held-out labels.

    Attributes:
        adopted: The confirmed wording; None where none is, and then the figures are withheld too: after a no, a figure
            would reveal more of the held-out labels than the no itself.
        why: The reason, as a code.
        opening: Number of the opening of these labels; None where none are held out.
        alpha: Its significance level.
        n: Examples compared.
        tasks: Tasks they belong to.
        dropped: Examples that the user's wording leaves ungraded.
        raw: How much closer to gold the adopted wording's scores are, as measured.
        gain: The same, as expected on new examples.
        agreement_gain: The expected gain in agreement.
        asked_again: Whether the user's wording was asked again in this run.
    """

    adopted: Wording | None
    why: Why
    opening: int | None
    alpha: float
    n: int
    tasks: int
    dropped: int
    raw: float | None = None
    gain: Estimate | None = None
    agreement_gain: Estimate | None = None
    asked_again: bool = True


@dataclass(frozen=True)
class Ledger:
    """The record of openings of the held-out labels, with the details of a new one.

    Attributes:
        examples: The whole set; its record of openings is kept next to it.
        at: The day.
        judge: Fingerprint of the judge.
    """

    examples: ExampleSet
    at: str
    judge: str

    def open(self, wordings: Sequence[Wording]) -> tuple[int, Opening]:
        """The opening that tests these wordings: one on record where the same test was started, else a new one."""
        prints = tuple(sorted(wording.rubric.fingerprint for wording in wordings))
        openings = openings_of(self.examples)
        begun = None if openings is None else openings.of_test(prints, self.judge)
        if begun is not None:
            return begun
        number = 1 if openings is None else openings.of_these + 1
        after = open_test_labels(
            self.examples,
            by="improve --open",
            at=self.at,
            alpha=opening_alpha(number),
            wordings=prints,
            judge=self.judge,
        )[1]
        return number, after.all[-1]


async def confirm(
    asker: Asker,
    part: TrialPart,
    yours: Rubric,
    wordings: Sequence[Wording],
    ledger: Ledger | None,
    *,
    outside: bool = False,
) -> Answer:
    """Whether one of the wordings is better, on labels that had no part in choosing it; this opens them, on record.

    Args:
        asker: Asks the judge.
        part: The held-out examples; with `outside` all of them.
        yours: The user's rubric, which is asked again: two runs of one judge can differ by as much as the gain.
        wordings: One or two finalists; with `outside` any number, written without knowing the labels.
        ledger: Record of openings; None in a set without held-out labels.
        outside: Whether the wordings were made without these labels.

    Raises:
        BudgetError: The budget ran out; the opening stays on record, and the same command continues from there.
        NothingGraded: The user's wording leaves every example ungraded.
    """
    if ledger is None:
        return await _answer(asker, part, yours, wordings, None, opening_alpha(1), outside=outside)
    number, opening = ledger.open(wordings)
    alpha = opening.alpha if opening.alpha is not None else opening_alpha(number)
    answer = await _answer(asker, part, yours, wordings, number, alpha, outside=outside)
    if opening.decided:  # this test has been decided before: that answer holds
        named = {wording.rubric.fingerprint: wording for wording in wordings}
        said = named.get(opening.adopted or "")
        if said == answer.adopted:
            return answer
        why: Why = "not confirmed" if said is None else "confirmed"
        return replace(answer, adopted=said, why=why, raw=None, gain=None, agreement_gain=None)
    adopted = None if answer.adopted is None else answer.adopted.rubric.fingerprint
    record_decision(ledger.examples, opening, adopted)
    return answer


async def _answer(
    asker: Asker,
    part: TrialPart,
    yours: Rubric,
    wordings: Sequence[Wording],
    number: int | None,
    alpha: float,
    *,
    outside: bool,
) -> Answer:
    where = "all labels" if outside else "held-out labels"
    first, for_yours = _samples(asker, part, yours, number or 1)
    own = refuse_ungraded(await asker.column(yours, part, f"{where}: your wording, again", first=for_yours)).scores
    scores = {
        one.name: (await asker.column(one.rubric, part, f"{where}: {one.name}", first=first)).scores for one in wordings
    }
    gold, graded = part.gold.scores, ~np.isnan(own)
    n, dropped = int(graded.sum()), int((~graded).sum())
    tasks = len({task for task, there in zip(part.task, graded.tolist(), strict=True) if there})
    usable = [one for one in wordings if ungraded_share(own, scores[one.name]) <= MOST_UNGRADED]
    known = Answer(None, "not graded", number, alpha, n, tasks, dropped, asked_again=for_yours > 0)
    if not usable:
        return known
    columns = np.column_stack([difference(gold, own, scores[one.name]) for one in usable])
    if not np.nan_to_num(columns).any():
        return replace(known, why="same scores")
    test = (outside_test if outside else held_out_test)(part.by_task(columns), alpha)
    if test.best is None:
        return replace(known, why="not confirmed")
    best = usable[test.best]
    share = kept_share(test.t[test.best])
    hits = _hits(gold, scores[best.name], yours.tolerance) - _hits(gold, own, yours.tolerance)
    return replace(
        known,
        adopted=best,
        why="confirmed",
        raw=test.means[test.best],
        gain=expected_gain(part.by_task(columns[:, test.best]), share, method="gain in MAE"),
        agreement_gain=expected_gain(part.by_task(np.where(graded, hits, np.nan)), share, method="gain in agreement"),
    )


def _hits(gold: Floats, scores: Floats, tolerance: float) -> Floats:
    """1 where a score agrees with gold, 0 where it doesn't or is missing."""
    return np.nan_to_num(close(gold, scores, tolerance))


def _samples(asker: Asker, part: TrialPart, yours: Rubric, number: int) -> tuple[int, int]:
    """First sample of the candidates and of the user's wording: beyond all that earlier runs have cached.

    A recording has fixed samples: the user's wording uses the second run where there is one for each example, else
    the first (0).
    """
    if not isinstance(asker.judge, RecordedJudge):
        return AGAIN * number, AGAIN * number
    rubric, replies = asker.asked(yours), asker.judge.replies
    prompts = first_prompts(rubric, part.gold.examples)
    again = all((prompt.fingerprint, rubric.samples) in replies for prompt in prompts)
    return 0, rubric.samples if again else 0
