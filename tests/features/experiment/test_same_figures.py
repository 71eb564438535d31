"""An experiment gives the difference of the same two columns of a table."""

import pytest

from markscheme.calibration.comparison.comparison import shift_between
from markscheme.features.experiment.definition import ExperimentCase
from markscheme.features.experiment.table import between_variants, marks_table
from tests.calibration.test_same_figures import RUBRIC, World


@pytest.mark.parametrize("seed", range(4))
def test_the_difference_between_two_variants_equals_the_shift_between_two_raters_with_the_same_levels(
    seed: int,
) -> None:
    world = World(2 * seed)  # cases of an experiment have no groups
    marks = [rating for ratings in world.judges.values() for rating in ratings]
    cases = [ExperimentCase(f"e{i}", {"query": str(i)}) for i in range(40)]
    table = marks_table(marks, cases, RUBRIC)
    (difference,) = between_variants(table, cases)
    assert difference.shifts["overall"].difference == shift_between(table, "good", "poor")
    for criterion in RUBRIC.criteria:
        assert difference.shifts[criterion.name].difference == shift_between(table, "good", "poor", criterion.name)
