"""The answer on labels that had no part in the search: one opening for both finalists, on record before it is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
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
from markscheme.stats.selection import (
    SelectionTest,
    expected_gain,
    held_out_test,
    kept_share,
    opening_alpha,
    outside_test,
)
from markscheme.stats.severity import close

AGAIN = 1_000
"""Samples of the first opening are counted from here, of the second from twice this: no reply of an earlier run, of
whichever command, answers for them, and a run that was interrupted finds its own."""

Why = Literal["confirmed", "not confirmed", "same scores", "not graded"]


@dataclass(frozen=True)
class Answer:
    """What held-out labels say of the finalists.

    Attributes:
        adopted: The confirmed wording; None where none is, and then no figure is known either.
        why: In one word.
        opening: Which opening of these labels it was; None where none are held out.
        alpha: What it could spend.
        n: Examples compared.
        tasks: Tasks they belong to.
        dropped: Examples that the user's wording leaves ungraded.
        raw: How much closer the adopted wording's scores are, as measured.
        gain: The same as it is to be expected on new examples.
        agreement_gain: Likewise in agreement.
        test: The test's figures.
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
    test: SelectionTest | None = None
    asked_again: bool = True


@dataclass(frozen=True)
class Ledger:
    """Who opens the held-out labels, and under which number.

    Attributes:
        examples: The whole set; its record of openings is kept next to it.
        by: The command.
        at: The day.
        judge: Fingerprint of the judge.
    """

    examples: ExampleSet
    by: str
    at: str
    judge: str

    def open(self, wordings: Sequence[Wording]) -> tuple[int, Opening]:
        """The opening that tests these wordings: one on record where the same test was begun, else a new one."""
        prints = tuple(sorted(wording.rubric.fingerprint for wording in wordings))
        openings = openings_of(self.examples)
        begun = None if openings is None else openings.of_test(prints, self.judge)
        if begun is not None:
            return begun
        number = 1 if openings is None else openings.of_these + 1
        after = open_test_labels(
            self.examples,
            by=self.by,
            at=self.at,
            alpha=opening_alpha(number),
            wordings=prints,
            judge=self.judge,
        )[1]
        return number, after.all[-1]

    def close(self, opening: Opening, adopted: Wording | None) -> None:
        """Put the answer on record, unless it is there."""
        if not opening.decided:
            record_decision(self.examples, opening, None if adopted is None else adopted.rubric.fingerprint)


async def confirm(
    asker: Asker,
    part: TrialPart,
    yours: Rubric,
    wordings: Sequence[Wording],
    ledger: Ledger | None,
    *,
    outside: bool = False,
) -> Answer:
    """Whether one of the wordings is better on labels that had no part in choosing it; this opens them, on record.

    Args:
        asker: Asks the judge.
        part: The held-out examples; with `outside` all of them.
        yours: The user's rubric, which is asked again: two runs of one judge can differ by as much as is looked for.
        wordings: One or two finalists; with `outside` any number, written by somebody who had not seen the labels.
        ledger: Where the opening is noted; None in a set that holds no labels out.
        outside: Whether the wordings were made without these labels.

    Raises:
        BudgetError: The budget ended; the opening stays on record, and the same command goes on from there.
        NothingGraded: The user's wording leaves every example ungraded.
    """
    if ledger is None:
        return await _answer(asker, part, yours, wordings, None, opening_alpha(1), outside=outside)
    number, opening = ledger.open(wordings)
    alpha = opening.alpha if opening.alpha is not None else opening_alpha(number)
    answer = await _answer(asker, part, yours, wordings, number, alpha, outside=outside)
    if opening.decided:  # the labels have answered this question: what they said stands
        named = {wording.rubric.fingerprint: wording for wording in wordings}
        said = named.get(opening.adopted or "")
        return answer if said == answer.adopted else _withheld(answer, said)
    ledger.close(opening, answer.adopted)
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
        return _withheld(known, None, "same scores")
    test = (outside_test if outside else held_out_test)(part.by_task(columns), alpha)
    if test.best is None:
        return _withheld(known, None)
    best = usable[test.best]
    share = kept_share(test.t[test.best])
    hits = _hits(gold, scores[best.name], yours.tolerance) - _hits(gold, own, yours.tolerance)
    return Answer(
        best,
        "confirmed",
        number,
        alpha,
        n,
        tasks,
        dropped,
        raw=test.means[test.best],
        gain=expected_gain(part.by_task(columns[:, test.best]), share, method="gain in MAE"),
        agreement_gain=expected_gain(part.by_task(np.where(graded, hits, np.nan)), share, method="gain in agreement"),
        test=test,
        asked_again=for_yours > 0,
    )


def _hits(gold: Floats, scores: Floats, tolerance: float) -> Floats:
    """1 where a score agrees with gold, 0 where it doesn't or is missing."""
    return np.nan_to_num(close(gold, scores, tolerance))


def _withheld(answer: Answer, adopted: Wording | None, why: Why = "not confirmed") -> Answer:
    """The bare answer: after a no, a figure would tell more of the held-out labels than the no itself."""
    said: Why = "confirmed" if adopted is not None else why
    known = answer.opening, answer.alpha, answer.n, answer.tasks, answer.dropped
    return Answer(adopted, said, *known, asked_again=answer.asked_again)


def _samples(asker: Asker, part: TrialPart, yours: Rubric, number: int) -> tuple[int, int]:
    """Which sample candidates and the user's wording are asked from: past all that earlier runs have kept.

    A recording has the samples it has: the user's wording is taken from the second run where there is one for each
    example, else from the first (0).
    """
    if not isinstance(asker.judge, RecordedJudge):
        return AGAIN * number, AGAIN * number
    rubric, replies = asker.asked(yours), asker.judge.replies
    prompts = first_prompts(rubric, part.gold.examples)
    again = all((prompt.fingerprint, rubric.samples) in replies for prompt in prompts)
    return 0, rubric.samples if again else 0
