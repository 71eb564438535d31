"""Figures of calibrated tables equal reference figures that were calculated without this package."""

import pytest

from markscheme import calibrate
from tests.reference.tables import TABLES, TableCase

CLOSE = 1e-4
"""Figures are given to four digits."""


def cells(listed: str) -> list[str]:
    """Return the cells of a column."""
    return ["" if word == "-" else word.replace("_", " ") for word in listed.split()]


@pytest.mark.parametrize("case", TABLES, ids=lambda case: case.name)
def test_figures_of_calibrated_tables_equal_the_published_reference_figures(case: TableCase) -> None:
    calibration = calibrate({name: cells(listed) for name, listed in case.columns.items()}, **case.options)
    report = calibration.to_json()
    criterion = next(iter(report["criteria"].values()))
    assert (report["agreement"]["value"], report["agreement"]["n"]) == pytest.approx(
        (case.agreement, case.n), abs=CLOSE
    )
    if case.kappa is not None:
        assert criterion["cohen_kappa"]["value"] == pytest.approx(case.kappa, abs=CLOSE)
    if case.wrong is None:
        assert (report["false_passes"], report["false_fails"]) == (None, None)
        return
    passes, fails = (calibration.comparison.wrong_passes, calibration.comparison.wrong_fails)
    assert (len(report["false_passes"]), passes.of, len(report["false_fails"]), fails.of) == case.wrong
