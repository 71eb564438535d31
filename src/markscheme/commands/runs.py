"""Examples graded by a judge, once or several times, with progress."""

import asyncio
import sys
from collections.abc import Iterable, Sequence
from typing import Literal

from markscheme.calibration.calibration import Rater
from markscheme.calibration.collect import rating_of
from markscheme.commands.options import AskOptions
from markscheme.commands.progress import progress
from markscheme.errors import BudgetError
from markscheme.grading import Grade, Grading, grade_many
from markscheme.judges.judge import Judge
from markscheme.judges.recorded import RecordedJudge
from markscheme.ratings.examples import Example
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Rubric


async def grade_runs(
    runs: Sequence[Grading],
    examples: Sequence[Example],
    *,
    concurrency: int,
    what: str = "grading",
    quiet: bool = False,
    whole: bool = False,
) -> list[list[Grade]]:
    """The grades of each run in the order of the examples; fewer where the budget ends early, with a warning.

    All runs ask the same judge, which is closed at the end.

    Raises:
        BudgetError: The budget ended before anything was graded, or, with `whole`, before all was.
    """
    total = len(examples) * len(runs)
    submissions = [example.submission for example in examples]
    grades: list[dict[int, Grade]] = [{} for _ in runs]
    try:
        with progress(what, total, quiet=quiet) as shown:
            for grading, graded in zip(runs, grades, strict=True):
                async for place, grade in grade_many(grading, submissions, concurrency=concurrency):
                    graded[place] = grade
                    shown.step()
    except BudgetError as error:
        if whole or not grades[0]:
            raise
        print(f"warning: {error}; {sum(map(len, grades))} of {total} examples are graded", file=sys.stderr)
    finally:
        await runs[0].judge.aclose()
    return [[graded[place] for place in sorted(graded)] for graded in grades]


def rated_by(
    judge: Judge,
    rubric: Rubric,
    examples: Sequence[Example],
    ask: AskOptions,
    *,
    what: str = "grading",
    quiet: bool = False,
    whole: bool = False,
) -> tuple[list[Rating], list[Grade]]:
    """A judge's ratings of examples, and the grades they are from; options and errors are those of `grade_runs`."""
    grading = Grading(rubric, judge, scorers=ask.scorers_for(rubric))
    runs = grade_runs([grading], examples, concurrency=ask.at_once, what=what, quiet=quiet, whole=whole)
    (grades,) = asyncio.run(runs)
    return [rating_of(grade, rubric, str(judge.identity)) for grade in grades], grades


def rater_of(judge: Judge, grades: Iterable[Grade] = ()) -> Rater:
    """A judge as the rater of a calibration, with the models that answered."""
    identity = judge.identity
    models = tuple(sorted({model for grade in grades for model in grade.models}))
    provenance = ""
    if isinstance(judge, RecordedJudge):
        dates = " to ".join(dict.fromkeys(judge.recorded))
        provenance = ": ".join(filter(None, (", ".join(filter(None, (judge.path.name, dates))), judge.provenance)))
    source: Literal["recorded", "live"] = "recorded" if isinstance(judge, RecordedJudge) else "live"
    return Rater(str(identity), identity.fingerprint, source, provenance, identity, models)
