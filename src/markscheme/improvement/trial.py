"""Candidate wordings on labelled examples: asking, differences from the user's wording, the dev screen."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

import numpy as np

from markscheme.calibration.collect import rating_of
from markscheme.errors import NothingGraded
from markscheme.grading import MOST_UNGRADED, Grading, grade_many
from markscheme.improvement.candidates import Wording
from markscheme.judges.judge import Judge, Usage
from markscheme.judges.rerun import FromSample
from markscheme.ratings.gold import JUDGE, Gold
from markscheme.ratings.rating import Rating
from markscheme.ratings.splits import in_drawn_order, task_of
from markscheme.ratings.table import Column, Flags, Floats, column_of
from markscheme.rubrics.rubric import Rubric
from markscheme.scorers import Scorer
from markscheme.stats.selection import first_size, survivors

SAME_SCORE = 1e-9
Outcome = Literal["better", "not better", "stopped early", "same scores", "not graded", "not screened"]


# --- examples with gold ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TrialPart:
    """Labelled examples in the order in which they are tried, task by task.

    Attributes:
        gold: Their gold, a score for each.
        task: Number of each example's task, shape (n_examples,), rising from 0.
    """

    gold: Gold
    task: tuple[int, ...]

    @classmethod
    def of(cls, gold: Gold) -> "TrialPart":
        """The examples that have a gold score, in drawn order."""
        tasks = [task_of(example) for example in gold.examples]
        scored = np.flatnonzero(~np.isnan(gold.scores)).tolist()
        number = {task: place for place, task in enumerate(in_drawn_order(tasks[place] for place in scored))}
        order = sorted(scored, key=lambda place: (number[tasks[place]], place))
        return cls(gold.rows(np.array(order, dtype=np.int64)), tuple(number[tasks[place]] for place in order))

    @property
    def n(self) -> int:
        """Examples."""
        return len(self.task)

    @property
    def tasks(self) -> int:
        """Number of tasks; each task counts once in every figure."""
        return len(set(self.task))

    def first(self, tasks: int) -> Flags:
        """Which examples belong to the first `tasks` tasks, shape (n_examples,)."""
        return np.array(self.task) < tasks

    def by_task(self, values: Floats) -> Floats:
        """Mean of each task, shape (n_tasks,) or (n_tasks, k), over the examples that have a value."""
        task, rows = np.array(self.task), values.reshape(self.n, -1)
        there = ~np.isnan(rows).any(axis=1)
        means = [rows[there & (task == one)].mean(axis=0) for one in sorted(set(task[there].tolist()))]
        return np.array(means).reshape(len(means), *values.shape[1:])


def difference(gold: Floats, yours: Floats, theirs: Floats) -> Floats:
    """How much closer to gold a candidate's score is than the user's, shape (n_examples,); nan where yours is missing.

    A score that the candidate lacks counts as the worst possible.
    """
    missed = np.where(np.isnan(theirs), np.maximum(gold, 1 - gold), np.abs(theirs - gold))
    found: Floats = np.abs(yours - gold) - missed
    return np.where(np.abs(found) < SAME_SCORE, 0.0, found)


def ungraded_share(yours: Floats, theirs: Floats) -> float:
    """Share of the examples graded with the user's wording that the candidate leaves ungraded, 0 to 1."""
    graded = ~np.isnan(yours)
    return float(np.isnan(theirs[graded]).mean()) if graded.any() else 0.0


# --- asking ---------------------------------------------------------------------------------------------------------


class Watch(Protocol):
    """Receives progress, one step per example."""

    def step(self) -> None:
        """Count one more example."""
        ...


@dataclass
class Asker:
    """Asks one judge about examples with different wordings, and nothing twice.

    Attributes:
        judge: The judge; it stays open.
        scorers: Code for criteria with a `check`.
        concurrency: Requests in flight at once.
        asked: Applies the strategy and samples of this run to a rubric.
        progress: Shows progress, from a description and a number of steps.
        usage: The cost so far.
        graded: Examples graded so far.
    """

    judge: Judge
    scorers: Mapping[str, Scorer]
    concurrency: int
    asked: Callable[[Rubric], Rubric]
    progress: Callable[[str, int], AbstractContextManager[Watch]]
    usage: Usage = Usage()
    graded: int = 0
    _known: dict[tuple[str, int], dict[str, Rating]] = field(default_factory=dict)

    async def column(
        self, rubric: Rubric, part: TrialPart, what: str, *, kept: Flags | None = None, first: int = 0
    ) -> Column:
        """The judge's column over a part with a wording; nan for examples that are not in `kept`.

        Args:
            rubric: The wording.
            part: The examples.
            what: Description for the progress display.
            kept: Which examples are asked about, shape (n_examples,); None means all.
            first: Number of the sample that this run calls 0.

        Raises:
            BudgetError: The budget ran out before all were graded; what was graded is kept.
            NoJudge: The judge can't be asked.
        """
        asked = self.asked(rubric)
        known = self._known.setdefault((asked.fingerprint, first), {})
        places = range(part.n) if kept is None else np.flatnonzero(kept).tolist()
        open_still = [part.gold.examples[place].submission for place in places if part.gold.ids[place] not in known]
        judge = FromSample(self.judge, first) if first else self.judge
        grading = Grading(asked, judge, scorers=self.scorers)
        with self.progress(what, len(open_still)) as shown:
            async for _, grade in grade_many(grading, open_still, concurrency=self.concurrency):
                known[grade.id] = rating_of(grade, asked, JUDGE)
                self.usage, self.graded = self.usage + grade.usage, self.graded + 1
                shown.step()
        wanted = {part.gold.ids[place] for place in places}
        return column_of(JUDGE, [rating for unit, rating in known.items() if unit in wanted], asked, part.gold.ids)


def refuse_ungraded(column: Column) -> Column:
    """The user's own column, if any example is graded.

    Raises:
        NothingGraded: None is.
    """
    if np.isnan(column.scores).all():
        raise NothingGraded([rating.error or "no score" for rating in column.ratings if rating is not None])
    return column


# --- the screen -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tried:
    """A wording after the screen.

    Attributes:
        wording: Which.
        outcome: The result on dev.
        gain: Mean difference over the dev tasks it was tried on; None where too little was graded. It was selected
            among others on these labels, so it isn't an unbiased estimate.
        n: Dev examples it was compared on.
        detail: Why it was not graded; "" otherwise.
    """

    wording: Wording
    outcome: Outcome
    gain: float | None
    n: int
    detail: str = ""


async def screen(asker: Asker, dev: TrialPart, yours: Column, wordings: Sequence[Wording], what: str) -> list[Tried]:
    """Screen wordings on dev: all on the first half of the tasks, the better half of them on the rest.

    Args:
        asker: Asks the judge.
        dev: The examples that may be looked at.
        yours: The judge's column with the user's wording.
        wordings: To try.
        what: Description for the progress display.
    """
    first = dev.first(first_size(dev.tasks))
    begun = [await _tried(asker, dev, yours, one, first, f"{what}, first half") for one in wordings]
    ranked = sorted((one for one in begun if one.gain is not None), key=lambda one: -(one.gain or 0.0))
    going = [one.wording.name for one in ranked[: survivors(len(ranked))]]
    everything = np.ones(dev.n, dtype=bool)
    return [
        await _tried(asker, dev, yours, one.wording, everything, f"{what}, second half")
        if one.wording.name in going
        else replace(one, outcome="stopped early" if one.outcome in ("better", "not better") else one.outcome)
        for one in begun
    ]


async def _tried(asker: Asker, dev: TrialPart, yours: Column, wording: Wording, kept: Flags, what: str) -> Tried:
    theirs = await asker.column(wording.rubric, dev, what, kept=kept)
    own = np.where(kept, yours.scores, np.nan)
    n = int((~np.isnan(own)).sum())
    if ungraded_share(own, theirs.scores) > MOST_UNGRADED:
        errors = [one.error for one in theirs.ratings if one is not None and one.error]
        return Tried(wording, "not graded", None, n, errors[0] if errors else "")
    found = difference(dev.gold.scores, own, theirs.scores)
    gain = float(dev.by_task(found).mean()) if n else 0.0
    same = not np.nan_to_num(found).any()
    return Tried(wording, "same scores" if same else "better" if gain > 0 else "not better", gain, n)
