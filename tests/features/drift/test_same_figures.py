"""The drift since an accepted run has the figures that calibrate prints of each run."""

from pathlib import Path

import numpy as np
import pytest

from markscheme import Rubric
from markscheme.calibration.accepted.acceptance import accept
from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.calibration.comparison.comparison import compare
from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.features.drift.baseline import Baseline
from tests.calibration.test_measures import ONE_SEED, each_measure
from tests.calibration.test_measures import World as MeasuredWorld
from tests.calibration.test_same_figures import RUBRIC, World, each_seed


@each_seed
def test_both_agreements_in_a_drift_report_equal_those_in_the_calibrations_of_the_compared_runs(
    seed: int, tmp_path: Path
) -> None:
    world = World(seed)
    first = [rating for rating in world.judges["good"] if rating.sample == 0]
    then = calibration_of(RUBRIC, world.examples, first, Rater("good", "", "ratings"))
    accept(then, tmp_path / "accepted.json")
    since = AcceptedBasis(load_accepted(tmp_path / "accepted.json"))
    now = calibration_of(RUBRIC, world.examples, world.judges["poor"], Rater("poor", "", "ratings"), since=since)
    assert isinstance(now.baseline, Baseline)
    assert now.baseline.agreement_then == then.comparison.agreement
    assert now.baseline.agreement_now == now.comparison.agreement
    for name, drift in now.baseline.criteria.items():
        assert drift.gold is not None
        rated = ~np.isnan(then.comparison.criteria[name].judge + now.comparison.criteria[name].judge)
        before, after = (compare(run.comparison.table.rows(rated)).criteria[name].headline.value for run in (then, now))
        assert before is not None
        assert after is not None
        assert drift.gold.change.value == pytest.approx(after - before, abs=1e-12)


@each_measure
@pytest.mark.parametrize("seed", ONE_SEED)
def test_drift_measured_by_one_criterion_equals_the_drift_of_a_rubric_with_only_that_criterion(
    seed: int, of: str, rubric: Rubric, tmp_path: Path
) -> None:
    world = MeasuredWorld(seed)
    (tmp_path / "all").mkdir()
    baseline = world.calibrated(tmp_path / "all", of=of).baseline
    expected = world.calibrated(tmp_path, rubric).baseline
    assert isinstance(baseline, Baseline)
    assert isinstance(expected, Baseline)
    assert baseline.agreement_then == expected.agreement_then
    assert baseline.agreement_now == expected.agreement_now
    assert baseline.score is not None
    assert expected.score is not None
    assert baseline.score.drift == expected.score.drift
