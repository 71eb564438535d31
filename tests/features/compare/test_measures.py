"""A choice between judges by a criterion or by decisions."""

import pytest

from markscheme.features.compare.choice import Choice, Contender, choose
from markscheme.ratings.gold import gold_of
from markscheme.rubrics.rubric import Rubric
from tests.calibration.test_measures import ONE_SEED, RUBRIC, World, each_measure, under


def choice_of(world: World, rubric: Rubric = RUBRIC, of: str = "score") -> Choice:
    """Both runs of a world as judges to choose between."""
    contenders = [Contender(f"judge {k}", tuple(under(rubric, run))) for k, run in enumerate(world.runs)]
    return choose(rubric, contenders, gold_of(world.examples(rubric), rubric), of=of)


@each_measure
@pytest.mark.parametrize("seed", ONE_SEED)
def test_judges_compared_by_one_criterion_get_the_figures_that_a_rubric_of_this_criterion_alone_gives(
    seed: int, of: str, rubric: Rubric
) -> None:
    world = World(seed)
    choice, expected = choice_of(world, of=of), choice_of(world, rubric)
    assert (choice.best, choice.recommended) == (expected.best, expected.recommended)
    for standing, twin in zip(choice.standings, expected.standings, strict=True):
        assert standing.agreement == twin.agreement
        assert standing.behind_best == twin.behind_best
        assert standing.labels_needed == twin.labels_needed
    assert choice.baseline == expected.baseline
    assert choice.pairs[0].figures["agreement"] == expected.pairs[0].figures["agreement"]
