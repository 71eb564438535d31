"""A comparison prints the figures that a calibration prints of the same columns."""

import numpy as np
import pytest

from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.calibration.comparison.comparison import compare, shift_between
from markscheme.features.compare.choice import Contender, choose
from markscheme.ratings.gold import gold_of
from markscheme.ratings.table import rating_table
from tests.calibration.test_same_figures import RUBRIC, World, each_seed


@each_seed
def test_calibrate_and_compare_give_the_same_agreement_and_kappa_and_interval(seed: int) -> None:
    world = World(seed)
    truth = gold_of(world.examples, RUBRIC)
    calibrated = {
        name: calibration_of(RUBRIC, world.examples, ratings, Rater(name, "", "ratings")).comparison
        for name, ratings in world.judges.items()
    }
    choice = choose(RUBRIC, [Contender(name, tuple(ratings)) for name, ratings in world.judges.items()], truth)
    (pair,) = choice.pairs
    both = ~np.isnan(calibrated["good"].scores + calibrated["poor"].scores)
    decided = ~np.isnan(calibrated["good"].passes + calibrated["poor"].passes)
    of_scores, of_decisions = (pair.figures[name] for name in ("agreement", "accuracy"))
    for name, figure, decisions, standing in zip(
        world.judges,
        (of_scores.first, of_scores.second),
        (of_decisions.first, of_decisions.second),
        choice.standings,
        strict=True,
    ):
        calibration = calibrated[name]
        shared = compare(truth.judged(RUBRIC, world.judges[name]).rows(both))
        assert figure.value == shared.agreement.value
        assert (figure.low, figure.high, figure.n) == (shared.agreement.low, shared.agreement.high, shared.agreement.n)
        assert standing.agreement == decisions
        assert (
            list(pair.false_passes[name == "poor"])
            == compare(truth.judged(RUBRIC, world.judges[name]).rows(decided)).false_passes
        )
        if both.all():
            assert figure == calibration.agreement
        for criterion in RUBRIC.criteria:
            exact = pair.criteria[criterion.name].exact
            assert exact is not None
            levels = [calibrated[judge].criteria[criterion.name].judge for judge in world.judges]
            if not np.isnan(levels).any():
                mine = exact.second if name == "poor" else exact.first
                assert mine == calibration.criteria[criterion.name].statistics["exact_agreement"]


@pytest.mark.parametrize("seed", range(4))
def test_compare_gives_the_same_shift_between_two_judges_as_the_drift_statistics(
    seed: int,
) -> None:
    world = World(2 * seed)
    marks = [rating for ratings in world.judges.values() for rating in ratings]
    table = rating_table(RUBRIC, [f"e{i}" for i in range(40)], marks)
    choice = choose(RUBRIC, [Contender(name, tuple(ratings)) for name, ratings in world.judges.items()], None)
    (pair,) = choice.pairs
    assert pair.shift == shift_between(table, "good", "poor")
    for criterion in RUBRIC.criteria:
        assert pair.criteria[criterion.name].shift == shift_between(table, "good", "poor", criterion.name)
