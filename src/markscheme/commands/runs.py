"""Examples graded by a judge, once or several times, with progress."""

import sys
from collections.abc import Sequence

from markscheme.calibration.collect import grade_examples
from markscheme.commands.progress import progress
from markscheme.errors import BudgetError
from markscheme.grading import Grade, Grading
from markscheme.ratings.examples import Example


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
    grades: list[dict[int, Grade]] = [{} for _ in runs]
    try:
        with progress(what, total, quiet=quiet) as shown:
            for grading, graded in zip(runs, grades, strict=True):
                async for place, grade in grade_examples(grading, examples, concurrency=concurrency):
                    graded[place] = grade
                    shown.step()
    except BudgetError as error:
        if whole or not grades[0]:
            raise
        print(f"warning: {error}; {sum(map(len, grades))} of {total} examples are graded", file=sys.stderr)
    finally:
        await runs[0].judge.aclose()
    return [[graded[place] for place in sorted(graded)] for graded in grades]
