"""An experiment and `compare` give one difference of the same two columns."""

import pytest

from markscheme.calibration.choice import Contender, choose
from markscheme.calibration.comparison.comparison import shift_between
from markscheme.features.experiment.definition import ExperimentCase
from markscheme.features.experiment.table import between_variants, marks_table
from tests.calibration.test_same_figures import RUBRIC, World


@pytest.mark.parametrize("seed", range(4))
def test_an_experiment_and_compare_print_the_same_difference(seed: int) -> None:
    world = World(2 * seed)  # cases of an experiment have no groups
    marks = [rating for ratings in world.judges.values() for rating in ratings]
    cases = [ExperimentCase(f"e{i}", {"query": str(i)}) for i in range(40)]
    table = marks_table(marks, cases, RUBRIC)
    (difference,) = between_variants(table, cases)
    choice = choose(RUBRIC, [Contender(name, tuple(ratings)) for name, ratings in world.judges.items()], None)
    (pair,) = choice.pairs
    assert difference.shifts["overall"].difference == pair.shift
    for criterion in RUBRIC.criteria:
        assert difference.shifts[criterion.name].difference == pair.criteria[criterion.name].shift
        assert pair.criteria[criterion.name].shift == shift_between(table, "good", "poor", criterion.name)
