"""A judge asked about examples, for a command that wants its ratings and no report on it."""

from collections.abc import Mapping

from markscheme.calibration.collect import grade_examples, rating_of
from markscheme.commands.progress import progress
from markscheme.grading import Grading
from markscheme.judges.judge import Judge
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Rubric
from markscheme.scorers import Scorer


async def asked(
    rubric: Rubric, judge: Judge, examples: ExampleSet, concurrency: int, scorers: Mapping[str, Scorer]
) -> list[Rating]:
    """The judge's ratings of the examples, in order, criteria with a `check` by the code of that name.

    Raises:
        BudgetError: The budget does not cover them all.
    """
    found: dict[int, Rating] = {}
    try:
        with progress("grading", len(examples.examples)) as shown:
            grading = Grading(rubric, judge, scorers=scorers)
            async for place, grade in grade_examples(grading, examples.examples, concurrency=concurrency):
                found[place] = rating_of(grade, rubric, str(judge.identity))
                shown.step()
    finally:
        await judge.aclose()
    return [found[place] for place in sorted(found)]
