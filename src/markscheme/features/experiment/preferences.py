"""Variants compared by preference: each two outputs of a case as a pair, judged in both orders."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from markscheme.calibration.comparison.comparison import rank_systems
from markscheme.calibration.results import Reported
from markscheme.errors import BudgetError, ComparisonError
from markscheme.features.experiment.definition import Experiment
from markscheme.features.experiment.run import Outputs, submissions
from markscheme.grading import MOST_UNGRADED, Grade, Grading, grade_many
from markscheme.progress import Watch, unwatched
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.from_grades import ratings_of
from markscheme.ratings.pairing import pair_of


async def prefer(
    experiment: Experiment, outputs: Outputs, grading: Grading, *, concurrency: int = 8, watch: Watch = unwatched
) -> tuple[Reported, Mapping[str, Grade]]:
    """Compare every two variants by which one's outputs the judge prefers, then close the judge.

    Returns:
        A report on which variants are preferred, and the grade of each pair by its id.

    Raises:
        NoJudge: The judge cannot be used.
        ComparisonError: No case has two outputs, or no pair could be judged.
    """
    pairs = pairs_of(experiment, outputs)
    grades = await grade_pairs(pairs, grading, concurrency=concurrency, watch=watch)
    return _ranked(experiment, pairs, grades, grading), grades


def too_few_graded(grades: Mapping[str, Grade]) -> bool:
    """Return True if over a tenth of the pairs could not be judged."""
    return sum(grade.error is not None for grade in grades.values()) > MOST_UNGRADED * len(grades)


def pairs_of(experiment: Experiment, outputs: Outputs) -> list[Example]:
    """Make a pair of every two variants' outputs for a case; the variants are its systems, the case its group."""
    by_cell = submissions(experiment, outputs)
    pairs = []
    for case in experiment.cases:
        answered = [
            Example(by_cell[variant.name, case.id], group=case.id, system=variant.name)
            for variant in experiment.variants
            if (variant.name, case.id) in by_cell
        ]
        pairs += [pair_of(first, second) for first, second in combinations(answered, 2)]
    return pairs


async def grade_pairs(
    pairs: Sequence[Example], grading: Grading, *, concurrency: int = 8, watch: Watch = unwatched
) -> dict[str, Grade]:
    """Grade pairs of outputs, then close the judge; if the budget runs out, the remaining pairs stay ungraded.

    Args:
        pairs: The pairs.
        grading: The rubric of pairs with the judge.
        concurrency: Largest number of pairs that are graded at once.
        watch: Shows progress.

    Returns:
        The grade of each pair by its id.

    Raises:
        NoJudge: The judge cannot be used.
        ComparisonError: No case has two outputs.
    """
    if not pairs:
        raise ComparisonError("no case has two outputs to compare")
    grades: dict[str, Grade] = {}
    try:
        with watch("comparing", len(pairs)) as count_step:
            submitted = [pair.submission for pair in pairs]
            async for index, grade in grade_many(grading, submitted, concurrency=concurrency):
                grades[pairs[index].id] = grade
                count_step()
    except BudgetError as error:
        for pair in pairs:
            grades.setdefault(pair.id, grading.ungraded(pair.submission, f"not asked: {error}"))
    finally:
        await grading.judge.aclose()
    return grades


def _ranked(experiment: Experiment, pairs: list[Example], grades: Mapping[str, Grade], grading: Grading) -> Reported:
    rubric = experiment.rubric
    judge = str(grading.judge.identity)
    ratings = [rating for grade in grades.values() for rating in ratings_of(grade, rubric, judge)]
    ranked = rank_systems(rubric, ExampleSet(tuple(pairs)), ratings)
    if ranked is None:
        why = next((grade.error for grade in grades.values() if grade.error), "no output was preferred")
        raise ComparisonError(f"no pair could be judged: {why}")
    return ranked
