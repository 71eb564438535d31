"""A pass rate of a variant has the interval of the same passes in every other report."""

from pathlib import Path

from markscheme.features.experiment.definition import ExperimentCase
from markscheme.features.experiment.table import figures, marks_table
from tests.report.test_one_interval import RUBRIC, calibrated


def test_the_judge_s_pass_rate_has_the_same_interval_in_every_report_on_an_experiment(tmp_path: Path) -> None:
    calibration = calibrated(tmp_path, None)
    passes = calibration.comparison.overall["prevalence_judge"]
    cases = [ExperimentCase(f"e{i}", {"query": str(i)}) for i in range(120)]
    rate = figures(marks_table(list(calibration.judge_ratings), cases, RUBRIC), "judge").pass_rate
    assert (rate.value, rate.low, rate.high, rate.n) == (passes.value, passes.low, passes.high, passes.n)
