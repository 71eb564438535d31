"""Variants compared by preference: each two outputs of a case as a pair, judged in both orders."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from markscheme.calibration.comparison.preferences import order_figures, systems_compared
from markscheme.calibration.requests.pairs import PairsCompared
from markscheme.errors import BudgetError, ComparisonError
from markscheme.features.experiment.definition import Experiment
from markscheme.features.experiment.run import ExperimentRequest, Outputs, submissions
from markscheme.grading import MOST_UNGRADED, Grade, Grading, grade_many
from markscheme.progress import Watch, unwatched
from markscheme.ratings.examples import Example
from markscheme.ratings.from_grades import ratings_of
from markscheme.ratings.pairing import pair_of
from markscheme.ratings.table import column_of


@dataclass(frozen=True)
class PreferenceRun:
    """An experiment whose variants were compared two at a time.

    Attributes:
        experiment: The experiment.
        outputs: The variants' outputs for the cases.
        grades: What the judge said of each pair, by its id.
        compared: Which variant is preferred.
    """

    experiment: Experiment
    outputs: Outputs
    grades: Mapping[str, Grade]
    compared: PairsCompared

    @property
    def too_few_graded(self) -> bool:
        """Whether over a tenth of the pairs could not be judged."""
        return sum(grade.error is not None for grade in self.grades.values()) > MOST_UNGRADED * len(self.grades)


async def prefer(request: ExperimentRequest) -> PreferenceRun:
    """The variants compared two at a time; errors are those of `outputs_and_grading`."""
    outputs, grading = await request.outputs_and_grading()
    return await prefer_outputs(
        request.experiment, outputs, grading, concurrency=request.ask.at_once, watch=request.watch
    )


def pairs_of(experiment: Experiment, outputs: Outputs) -> list[Example]:
    """Each two outputs of a case as a pair; the variants are the systems, and a case's pairs share a group."""
    by_cell = submissions(experiment, outputs)
    pairs = []
    for case in experiment.cases:
        answered = [
            Example(by_cell[variant.name, case.id], group=case.id, system=variant.name)
            for variant in experiment.variants
            if (variant.name, case.id) in by_cell
        ]
        pairs += [pair_of(left, right) for left, right in combinations(answered, 2)]
    return pairs


async def prefer_outputs(
    experiment: Experiment, outputs: Outputs, grading: Grading, *, concurrency: int = 8, watch: Watch = unwatched
) -> PreferenceRun:
    """The variants compared on every case; if the budget runs out, on those that were judged. The judge is closed.

    Raises:
        NoJudge: The judge cannot be used.
        ComparisonError: No case has two outputs, or no pair could be judged.
    """
    pairs = pairs_of(experiment, outputs)
    if not pairs:
        raise ComparisonError("no case has two outputs to compare")
    grades: dict[str, Grade] = {}
    try:
        with watch("comparing", len(pairs)) as shown:
            submitted = [pair.submission for pair in pairs]
            async for place, grade in grade_many(grading, submitted, concurrency=concurrency):
                grades[pairs[place].id] = grade
                shown.step()
    except BudgetError as error:
        for pair in pairs:
            grades.setdefault(pair.id, grading.ungraded(pair.submission, f"not asked: {error}"))
    finally:
        await grading.judge.aclose()
    return PreferenceRun(experiment, outputs, grades, _compared(experiment, pairs, grades, grading))


def _compared(
    experiment: Experiment, pairs: list[Example], grades: Mapping[str, Grade], grading: Grading
) -> PairsCompared:
    rubric = experiment.rubric
    judge = str(grading.judge.identity)
    ratings = [rating for grade in grades.values() for rating in ratings_of(grade, rubric, judge)]
    scores = column_of(judge, ratings, rubric, [pair.id for pair in pairs]).scores
    systems = systems_compared(rubric, pairs, scores, judge)
    if systems is None:
        why = next((grade.error for grade in grades.values() if grade.error), "no output was preferred")
        raise ComparisonError(f"no pair could be judged: {why}")
    orders = order_figures(rubric, pairs, ratings, judge)
    return PairsCompared(rubric, (systems,), () if orders is None else (orders,), systems.n)
