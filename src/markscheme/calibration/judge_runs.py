"""Examples graded by a judge, once or several times, with progress."""

import asyncio
import warnings
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

from markscheme.calibration.calibration import Rater
from markscheme.errors import BudgetError, RatingWarning
from markscheme.grading import Grade, Grading, grade_many, scorers_for
from markscheme.grading.grader import BackgroundLoop
from markscheme.judges.judge import GradingJudge, ways_of
from markscheme.judges.options import AskOptions
from markscheme.judges.panel import Panel
from markscheme.judges.recorded import RecordedJudge
from markscheme.progress import Watch, unwatched
from markscheme.ratings.example_rows import Example
from markscheme.ratings.from_grades import ratings_of
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Rubric

Result = TypeVar("Result")


def run_to_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end and return its result.

    Inside a running event loop, as in a notebook, it runs in another thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    loop = BackgroundLoop()
    try:
        return loop.wait_for(work)
    finally:
        loop.close()


def grading_of_each(judges: Iterable[GradingJudge], rubric: Rubric, ask: AskOptions) -> list[Grading]:
    """Make the grading of a rubric by each of the judges, with the user's own checks by code.

    Raises:
        UsageError: A module with checks can't be imported, or has no check that the rubric names.
    """
    scorers = scorers_for(rubric, ask.scorers)
    return [Grading(rubric, judge, scorers=scorers) for judge in judges]


async def grade_runs(
    runs: Sequence[Grading],
    examples: Sequence[Example],
    *,
    concurrency: int,
    what: str = "grading",
    watch: Watch = unwatched,
    whole: bool = False,
    close: bool = True,
) -> list[list[Grade]]:
    """Grade the examples in each run; return each run's grades in order, fewer if the budget ends early.

    Args:
        runs: The runs, which all ask the same judge.
        examples: The examples to grade.
        concurrency: Number of examples that are graded at once.
        what: Name of the work, for the display of progress.
        watch: Shows progress.
        whole: True if all grades are needed.
        close: True if the judge is closed at the end.

    Raises:
        BudgetError: The budget ended before anything was graded, or, with `whole`, before all was.

    Warns:
        RatingWarning: The budget ended early.
    """
    total = len(examples) * len(runs)
    submissions = [example.submission for example in examples]
    grades: list[dict[int, Grade]] = [{} for _ in runs]
    try:
        with watch(what, total) as count_step:
            for grading, graded in zip(runs, grades, strict=True):
                async for index, grade in grade_many(grading, submissions, concurrency=concurrency):
                    graded[index] = grade
                    count_step()
    except BudgetError as error:
        if whole or not grades[0]:
            raise
        n_graded = sum(grade.error is None for of_run in grades for grade in of_run.values())
        problem = f"{error}; {n_graded} of {total} examples are graded"
        warnings.warn(problem, RatingWarning, stacklevel=2)
    finally:
        if close:
            await runs[0].judge.aclose()
    return [[graded[index] for index in sorted(graded)] for graded in grades]


def rated_by(
    judge: GradingJudge,
    rubric: Rubric,
    examples: Sequence[Example],
    ask: AskOptions,
    *,
    what: str = "grading",
    watch: Watch = unwatched,
    whole: bool = False,
    close: bool = True,
) -> tuple[list[Rating], list[Grade]]:
    """Grade examples with a judge; return its ratings and the grades they were made from.

    Args:
        judge: The judge.
        rubric: The rubric to grade by.
        examples: The examples.
        ask: How the judge is asked.
        what: Name of the work, for the display of progress.
        watch: Shows progress.
        whole: True if all grades are needed, so that an error is raised if the budget ends before.
        close: True to close the judge at the end.
    """
    grading = grading_of_each([judge], rubric, ask)
    runs = grade_runs(grading, examples, concurrency=ask.at_once, what=what, watch=watch, whole=whole, close=close)
    (grades,) = run_to_end(runs)
    rater = str(judge.identity)
    return [rating for grade in grades for rating in ratings_of(grade, rubric, rater)], grades


def rater_of(judge: GradingJudge, grades: Iterable[Grade] = ()) -> Rater:
    """Make the Rater of a calibration from a judge and its grades, with the models that answered."""
    grades = list(grades)
    ways = ways_of(grade.asked_without for grade in grades)
    identity = judge.identity.as_asked(ways)
    models = tuple(sorted({model for grade in grades for model in grade.models}))
    provenance = None
    recording = None
    if isinstance(judge, RecordedJudge):
        recording = judge.path
        dates = " to ".join(dict.fromkeys(judge.recorded))
        provenance = ": ".join(filter(None, (", ".join(filter(None, (judge.path.name, dates))), judge.provenance)))
    source: Literal["recorded", "live"] = "recorded" if isinstance(judge, RecordedJudge) else "live"
    rater = Rater(str(identity), identity.fingerprint, source, provenance, identity, models, recording, ways=ways)
    if not isinstance(judge, Panel):
        return rater
    members = len(judge.judges)
    votes = {
        (grade.id, name): verdict.votes
        for grade in grades
        for name, verdict in grade.verdicts.items()
        if len(verdict.votes) == members
    }
    return replace(rater, members=members, member_votes=votes)
