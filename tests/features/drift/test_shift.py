"""What a comparison with accepted runs says of one criterion."""

import numpy as np
import pytest

from markscheme.features.drift.shift import adjusted_p, run_verdict
from markscheme.features.drift.statistics import compare_runs


@pytest.mark.parametrize(
    ("examples", "runs", "shift", "p", "verdict"),
    [
        (400, 5, 1.0, 0.01, "drifted"),
        (400, 5, 0.0, 0.01, "moved, within margin"),
        (400, 5, 0.0, 0.9, "no drift"),
        (20, 5, 0.0, 0.9, "can't tell"),
        (400, 1, 0.0, 0.9, "can't tell"),
    ],
)
def test_the_verdict_on_drift_follows_from_the_p_value_and_the_margin_and_the_spread_of_the_accepted_runs(
    examples: int, runs: int, shift: float, p: float, verdict: str
) -> None:
    levels = np.tile([0.0, 1.0, 2.0, 3.0], examples // 4)
    comparison = compare_runs(levels + shift, np.column_stack([levels] * runs), span=4)
    assert run_verdict(comparison, p) == verdict


def test_criteria_without_a_p_value_do_not_count_in_the_adjustment_of_p_values_for_several_tests() -> None:
    assert adjusted_p([0.02, None, 0.03]) == pytest.approx([0.04, None, 0.04])
