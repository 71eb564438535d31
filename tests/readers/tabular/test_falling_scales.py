"""Scales on which the lowest number is best: their ends are given worst first, and reports show the table's numbers."""

from typing import Any

import pytest

from markscheme import calibrate
from markscheme.report.sections.criteria import criterion_headings
from markscheme.report.views.calibration import view

RATED = [(6 - human if row % 7 == 0 else human, human) for row, human in enumerate([1, 2, 3, 4, 5] * 8)]
ROWS: list[dict[str, Any]] = [
    {"id": str(row), "judge": judge, "human": human} for row, (judge, human) in enumerate(RATED)
]
"""Alike but on every seventh row, where the judge's numbers run the other way: 35 of 40, as row 7 has a 3."""


@pytest.mark.parametrize(
    "ends", [{"levels": "5-1"}, {"levels": (5, 1)}, {"scale": (5, 1)}, {"scale": "5-1"}, {"scale": {"": (5, 1)}}]
)
def test_the_ends_of_a_scale_whose_lowest_number_is_best_may_be_given_as_two_numbers_or_as_one_text(
    ends: dict[str, Any],
) -> None:
    figures = calibrate(ROWS, **ends).to_json()
    assert (figures["agreement"]["value"], figures["read"]["columns"]["judge"]["ends"]) == (0.875, [5, 1])


def test_if_the_lowest_number_of_a_scale_is_the_best_numbers_up_to_the_pass_mark_pass() -> None:
    calibration = calibrate(ROWS, levels=(5, 1), pass_mark=2)
    figures = calibration.to_json()
    passing = {row["id"]: (row["judge"] <= 2, row["human"] <= 2) for row in ROWS}
    assert set(figures["false_passes"]) == {unit for unit, sides in passing.items() if sides == (True, False)}
    assert set(figures["false_fails"]) == {unit for unit, sides in passing.items() if sides == (False, True)}
    read_first: Any = view(calibration).brief[0]
    assert read_first.blocks[0].cases[0].head.endswith("judge 1, gold 5")
    assert calibration.rows[14]["judge"] == "1"


@pytest.mark.parametrize(
    ("levels", "unit"), [((5, 1), "bias, of the scale"), ((1, 5), "bias, levels"), ("1,2,3,4,5", "bias, of the scale")]
)
def test_a_table_s_bias_is_in_levels_if_its_values_are_levels_and_a_share_of_the_scale_otherwise(
    levels: Any, unit: str
) -> None:
    calibration = calibrate(ROWS, levels=levels)
    assert criterion_headings(calibration.comparison)[-1] == unit
    (criterion,) = calibration.comparison.criteria.values()
    bias = criterion.statistics["signed_error"].value
    assert bias == pytest.approx(
        sum(h - j for j, h in RATED) / 40 * (1 if unit == "bias, levels" else 0.25) * (-1 if levels != (5, 1) else 1)
    )


def test_a_pass_mark_for_scores_whose_lowest_number_is_best_is_stated_in_the_table_s_own_numbers() -> None:
    rows: list[dict[str, Any]] = [
        {"id": str(row), "judge": row * 3 % 97, "human": row * 3 % 97 + row % 2 * 30} for row in range(40)
    ]
    figures = calibrate(rows, scale=(130, 0), pass_mark=60).to_json()
    false_passes = {row["id"] for row in rows if row["judge"] <= 60 < row["human"]}
    assert set(figures["false_passes"]) == false_passes


def test_the_judge_s_best_number_may_be_the_lowest_while_people_s_best_number_is_the_highest() -> None:
    turned = [{**row, "judge": 6 - row["judge"]} for row in ROWS]
    figures = calibrate(turned, scale={"judge": (5, 1), "human": (1, 5)}).to_json()
    assert figures["agreement"]["value"] == 0.875
