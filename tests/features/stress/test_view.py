"""A cell of the stress report in characters."""

import pytest

from markscheme.features.stress.statistics import NOT_PRESERVING, State, StressCell
from markscheme.features.stress.view import cell_text
from markscheme.stats import Estimate


@pytest.mark.parametrize(
    ("state", "shift", "smallest", "shown"),
    [
        ("finding", Estimate(0.31, 0.2, 0.42), 0.2, "+0.31 moves"),
        ("finding", Estimate(-0.31, -0.42, -0.2), 0.2, "−0.31 moves"),
        ("holds", Estimate(0.02, -0.19, 0.1), 0.2, "within ±0.19"),
        ("unknown", Estimate(0.1, -0.4, 0.5), 0.42, "below 0.42?"),
        ("unknown", Estimate(0.5, -2.0, 3.0), 9.46, "not known"),
        ("unknown", Estimate(0.1, -0.4, 0.5), None, "not known"),
    ],
)
def test_a_stress_report_omits_a_smallest_detectable_effect_larger_than_the_scale(
    state: State, shift: Estimate, smallest: float | None, shown: str
) -> None:
    assert cell_text(StressCell(shift, None, state, smallest), span=4.0) == shown


def test_a_stress_report_shows_a_dash_where_a_perturbation_may_rightly_change_the_level() -> None:
    assert cell_text(NOT_PRESERVING, span=4.0) == "–"
