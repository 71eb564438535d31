"""Columns of a table that say what its examples are: which system wrote each, and how it was drawn for labelling."""

from collections.abc import Sequence
from typing import Any

import pytest

from markscheme import calibrate
from markscheme.calibration.calibration import Calibration
from markscheme.report.views.calibration import view
from tests.report.reading import text_of

PASSES = [True, False] * 50


def calibrated(judge: Sequence[bool] = tuple(PASSES), **columns: Sequence[Any]) -> Calibration:
    """Calibrate a judge of a table with two annotators, who pass every other response, and with further columns."""
    words = {True: "pass", False: "fail"}
    rows = [
        {"id": f"t{row}", "judge": words[judged], "human1": words[passed], "human2": words[passed]}
        | {name: cells[row] for name, cells in columns.items()}
        for row, (judged, passed) in enumerate(zip(judge, PASSES, strict=True))
    ]
    calibration = calibrate(rows)
    assert isinstance(calibration, Calibration)
    return calibration


@pytest.mark.parametrize("manner", ["chosen", "by-verdict", "By verdict"])
def test_rows_of_a_table_that_were_drawn_with_unknown_chances_let_no_judge_gate(manner: str) -> None:
    assert calibrated().use == calibrated(drawn=["random"] * 100).use == "gate"
    picked = calibrated(drawn=[manner] * 100)
    assert (picked.use, picked.decision.because_code) == ("trend", "picked")


def test_sampling_weights_in_a_table_count_only_if_another_column_says_how_the_rows_were_drawn() -> None:
    judge = [True] * 10 + PASSES[10:]  # it passes the first five fails
    weights = [9.0 if judged else 1.0 for judged in judge]
    alone, drawn = (calibrated(judge, weight=weights, **more) for more in ({}, {"drawn": ["by-verdict"] * 100}))
    stopped = [c.decision.gate_answer.stops.estimate.value for c in (alone, drawn) if c.decision.gate_answer]
    assert stopped == pytest.approx([45 / 50, 45 / 90]), "a weight without a draw is no weight of an example"


def test_a_judge_that_fails_on_one_system_in_a_table_can_gate_the_responses_of_all_other_systems() -> None:
    systems = ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e"] * 10
    judge = [passed != (system == "c") for passed, system in zip(PASSES, systems, strict=True)]
    calibration = calibrated(judge, system=systems)
    assert [part.called for part in calibration.decision.excepted] == ["system c"]
    assert "Can gate, except system c." in text_of(view(calibration))


def test_each_judge_in_a_table_counts_as_a_tried_setting_even_if_only_one_judge_is_calibrated() -> None:
    words = {True: "pass", False: "fail"}
    rows = [
        {"id": f"t{row}", "judge_a": words[passed], "judge_b": words[row % 3 > 0], "judge_score": row}
        | {"human1": words[passed], "human2": words[passed]}
        for row, passed in enumerate(PASSES)
    ]
    calibration = calibrate(rows, judge="judge_a")
    assert calibration.decision.settings == 2, "a column of other values may be the same judge's"
    without_b = [{name: cell for name, cell in row.items() if name != "judge_b"} for row in rows]
    assert calibrate(without_b, judge="judge_a").decision.settings == 1
