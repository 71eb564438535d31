"""Tries candidate wordings on labelled examples: asks the judge, and compares with the user's wording."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from markscheme.errors import NothingGraded
from markscheme.features.improve.candidates import Wording
from markscheme.features.improve.drawn_parts import task_of
from markscheme.features.improve.fitting.evidence import example_decisions
from markscheme.features.improve.selection import first_size, survivors
from markscheme.grading import MOST_UNGRADED, Grading, grade_many
from markscheme.grading.checks import Scorer
from markscheme.judges.judge import GradingJudge, Usage, replying
from markscheme.judges.rerun import FromSample
from markscheme.progress import Watch
from markscheme.ratings.example_rows import Example
from markscheme.ratings.from_grades import rating_of
from markscheme.ratings.gold import JUDGE, Gold
from markscheme.ratings.rating import Rating
from markscheme.ratings.splits import in_drawn_order
from markscheme.ratings.table import Column, column_of
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.intervals import Flags, Floats

SAME_TRIAL_SCORE = 1e-9
"""Difference below which two scores are equal except for rounding."""
TrialOutcome = Literal["better", "not better", "stopped early", "same scores", "not graded", "not screened"]


# --- examples with gold ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TrialPart:
    """A part of the labelled examples, dev or held out, in the random order in which its tasks are tried.

    Attributes:
        gold: Gold of the examples, with a score for each.
        task: Number of each example's task, shape (n_examples,), rising from 0.
        decided: People's own decisions, shape (n_examples,), if wordings are compared by decisions; None if they are
            compared by scores.
    """

    gold: Gold
    task: tuple[int, ...]
    decided: tuple[float, ...] | None = None

    @classmethod
    def of(cls, gold: Gold) -> "TrialPart":
        """Make a part, dev or held-out, from the examples with a gold score, with their tasks in random order."""
        tasks = [task_of(example) for example in gold.examples]
        scored = np.flatnonzero(~np.isnan(gold.scores)).tolist()
        number = {task: index for index, task in enumerate(in_drawn_order(tasks[row] for row in scored))}
        order = sorted(scored, key=lambda row: (number[tasks[row]], row))
        return cls(gold.rows(np.array(order, dtype=np.int64)), tuple(number[tasks[row]] for row in order))

    def by_decisions(self) -> "TrialPart":
        """Return this part of the labels with only the examples that people passed or failed, to compare decisions."""
        decisions = [own_decision(example) for example in self.gold.examples]
        rows = [index for index, decision in enumerate(decisions) if decision is not None]
        tasks = [self.task[index] for index in rows]
        renumbered = {task: index for index, task in enumerate(dict.fromkeys(tasks))}
        return TrialPart(
            self.gold.rows(np.array(rows, dtype=np.int64)),
            tuple(renumbered[task] for task in tasks),
            tuple(decision for decision in decisions if decision is not None),
        )

    @property
    def truth(self) -> Floats:
        """The values that a judge's ratings are compared with, shape (n_examples,).

        They are people's own decisions if wordings are compared by decisions, else gold scores.
        """
        return self.gold.scores if self.decided is None else np.array(self.decided)

    def compared(self, column: Column) -> Floats:
        """Return a judge's scores or, if wordings are compared by decisions, its decisions, shape (n_examples,)."""
        return column.scores if self.decided is None else column.decisions

    @property
    def n(self) -> int:
        """Number of examples in the part."""
        return len(self.task)

    @property
    def tasks(self) -> int:
        """Number of tasks in the part; each task has the same weight in every figure."""
        return len(set(self.task))

    def first(self, tasks: int) -> Flags:
        """Return a mask of the examples in the first `tasks` tasks, shape (n_examples,)."""
        return np.array(self.task) < tasks

    def by_task(self, values: Floats) -> Floats:
        """Average the examples' values within each task, ignoring nan; shape (n_tasks,) or (n_tasks, k)."""
        task = np.array(self.task)
        rows = values.reshape(self.n, -1)
        has_value = ~np.isnan(rows).any(axis=1)
        means = [rows[has_value & (task == number)].mean(axis=0) for number in sorted(set(task[has_value].tolist()))]
        return np.array(means).reshape(len(means), *values.shape[1:])


def own_decision(example: Example) -> float | None:
    """Return the majority of people's blind pass/fail decisions on a response; None without a majority."""
    blind = [rating.passed for rating in example_decisions(example) if rating.blind]
    share = sum(map(bool, blind)) / len(blind) if blind else 1 / 2
    return None if share == 1 / 2 else float(share > 1 / 2)


def difference(gold: Floats, yours: Floats, theirs: Floats) -> Floats:
    """Return by example how much closer to gold a candidate's score is than the user's; nan if the user's is missing.

    If only the candidate's score is missing, it counts as the worst possible one.

    Args:
        gold: Gold scores, shape (n,).
        yours: The judge's scores by the user's wording, shape (n,), nan if missing.
        theirs: The judge's scores by the candidate, shape (n,), nan if missing.
    """
    missed = np.where(np.isnan(theirs), np.maximum(gold, 1 - gold), np.abs(theirs - gold))
    closer: Floats = np.abs(yours - gold) - missed
    return np.where(np.abs(closer) < SAME_TRIAL_SCORE, 0.0, closer)


def ungraded_share(yours: Floats, theirs: Floats) -> float:
    """Compute the share of examples graded under the user's wording that aren't graded under a candidate.

    Args:
        yours: Scores or decisions under the user's wording, shape (n,), nan if ungraded.
        theirs: Those under the candidate wording, shape (n,).
    """
    graded = ~np.isnan(yours)
    return float(np.isnan(theirs[graded]).mean()) if graded.any() else 0.0


# --- asking ---------------------------------------------------------------------------------------------------------


@dataclass
class Asker:
    """Helper that asks a judge about examples by different wordings, and keeps its ratings so as not to ask twice.

    Attributes:
        judge: The judge; it stays open.
        scorers: Functions that check criteria with a `check`.
        concurrency: Largest number of requests that are made at once.
        configured: Function that returns a rubric with the strategy and samples of this run.
        progress: Function that shows progress, given a description and a number of steps.
        usage: The cost so far.
        graded: Number of examples graded so far.
    """

    judge: GradingJudge
    scorers: Mapping[str, Scorer]
    concurrency: int
    configured: Callable[[Rubric], Rubric]
    progress: Watch
    usage: Usage = Usage()
    graded: int = 0
    _ratings: dict[tuple[str, int], dict[str, Rating]] = field(default_factory=dict)
    _rubrics_tried: dict[str, Rubric] = field(default_factory=dict)

    @property
    def tried(self) -> list[tuple[Rubric, frozenset[str]]]:
        """The wordings that the judge graded with, each with the ids of the examples graded."""
        return [
            (
                rubric,
                frozenset(id for (digest, _), ratings in self._ratings.items() if digest == name for id in ratings),
            )
            for name, rubric in self._rubrics_tried.items()
        ]

    async def column(
        self, rubric: Rubric, part: TrialPart, description: str, *, mask: Flags | None = None, first: int = 0
    ) -> Column:
        """Ask the judge about dev or held-out examples with a wording; return its ratings, nan for examples masked out.

        Args:
            rubric: The rubric with the wording.
            part: The examples.
            description: Description for the progress display.
            mask: Flags of the examples to ask about, shape (n_examples,); None means all.
            first: Sample number under which the judge is asked; another number than before makes a cached judge answer
                again.

        Raises:
            BudgetError: The budget ran out before all examples were graded; the replies so far are kept.
            NoJudge: The judge can't be asked.
        """
        rubric_asked = self.configured(rubric)
        self._rubrics_tried[rubric_asked.fingerprint] = rubric_asked
        ratings = self._ratings.setdefault((rubric_asked.fingerprint, first), {})
        rows = range(part.n) if mask is None else np.flatnonzero(mask).tolist()
        open_still = [part.gold.examples[row].submission for row in rows if part.gold.ids[row] not in ratings]
        judge = FromSample(replying(self.judge), first) if first else self.judge
        grading = Grading(rubric_asked, judge, scorers=self.scorers)
        with self.progress(description, len(open_still)) as count_step:
            async for _, grade in grade_many(grading, open_still, concurrency=self.concurrency):
                ratings[grade.id] = rating_of(grade, rubric_asked, JUDGE)
                self.usage = self.usage + grade.usage
                self.graded = self.graded + 1
                count_step()
        wanted = {part.gold.ids[row] for row in rows}
        return column_of(
            JUDGE, [rating for unit, rating in ratings.items() if unit in wanted], rubric_asked, part.gold.ids
        )


def refuse_ungraded(column: Column) -> Column:
    """Raise an error if the judge graded no example with the user's own wording; else return the ratings.

    Raises:
        NothingGraded: No example is graded.
    """
    if np.isnan(column.scores).all():
        raise NothingGraded([rating.error or "no score" for rating in column.used])
    return column


# --- the screen -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordingTrial:
    """Result of trying a wording on the dev examples.

    Attributes:
        wording: The wording.
        outcome: The result on the dev examples.
        gain: How much closer the judge comes to people with this wording than with the user's, as a mean over the dev
            tasks on which it was tried; None if too little was graded. Wordings are selected by their gain, so it isn't
            an unbiased estimate.
        n: Number of dev examples on which the two wordings were compared.
        detail: An error of the judge, if the outcome is "not graded"; None if it isn't, or if no error is known.
        spread: Standard deviation of the gain over the tasks on which the wording was tried; None for fewer than two.
    """

    wording: Wording
    outcome: TrialOutcome
    gain: float | None
    n: int
    detail: str | None = None
    spread: float | None = None


async def screen(
    asker: Asker, dev: TrialPart, yours: Column, wordings: Sequence[Wording], description: str
) -> list[WordingTrial]:
    """Try wordings on dev tasks: all wordings on a first part of the tasks, the better half of them on the other tasks.

    Args:
        asker: Asks the judge.
        dev: The dev examples.
        yours: The judge's ratings under the user's wording.
        wordings: The wordings to try.
        description: Name of the work, for the progress display.
    """
    first = dev.first(first_size(dev.tasks))
    begun = [await _tried(asker, dev, yours, wording, first, f"{description}, first half") for wording in wordings]
    ranked = sorted((tried for tried in begun if tried.gain is not None), key=lambda tried: -(tried.gain or 0.0))
    going = [tried.wording.name for tried in ranked[: survivors(len(ranked))]]
    everything = np.ones(dev.n, dtype=bool)
    return [
        await _tried(asker, dev, yours, tried.wording, everything, f"{description}, second half")
        if tried.wording.name in going
        else replace(tried, outcome="stopped early" if tried.outcome in ("better", "not better") else tried.outcome)
        for tried in begun
    ]


async def _tried(
    asker: Asker, dev: TrialPart, yours: Column, wording: Wording, mask: Flags, description: str
) -> WordingTrial:
    theirs = await asker.column(wording.rubric, dev, description, mask=mask)
    own_scores = np.where(mask, dev.compared(yours), np.nan)
    n = int((~np.isnan(own_scores)).sum())
    if ungraded_share(own_scores, dev.compared(theirs)) > MOST_UNGRADED:
        errors = [rating.error for rating in theirs.used if rating.error]
        return WordingTrial(wording, "not graded", None, n, errors[0] if errors else None)
    closer = difference(dev.truth, own_scores, dev.compared(theirs))
    by_task = dev.by_task(closer)
    gain = float(by_task.mean()) if n else 0.0
    spread = float(by_task.std(ddof=1)) if len(by_task) > 1 else None
    same = not np.nan_to_num(closer).any()
    return WordingTrial(
        wording, "same scores" if same else "better" if gain > 0 else "not better", gain, n, spread=spread
    )
