"""Scales on which the lowest number is best: their ends are given worst first, and reports show the table's numbers."""

from typing import Any

import pytest

from markscheme import calibrate
from markscheme.errors import UsageError
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


FAULTY: list[dict[str, Any]] = [
    {"id": str(row), "toxicity_by_judge": (row * 7 % 40) / 40, "toxic_by_human": "yes" if row * 7 % 40 > 21 else "no"}
    for row in range(40)
]
"""Probabilities of a fault, next to people's yes or no on the fault: 18 of 40 have it, at .55 and more."""
SIDES: dict[str, Any] = {"judge": "toxicity_by_judge", "human": "toxic_by_human"}


def test_probabilities_of_a_fault_pass_up_to_the_mark_if_their_scale_is_stated_with_the_lowest_as_the_best() -> None:
    for scale in ("judge=1-0", "toxicity_by_judge=1-0"):
        calibration = calibrate(FAULTY, **SIDES, scale=scale, pass_mark=0.5, pass_="no")
        figures = calibration.to_json()
        assert figures["false_passes"] == []
        assert set(figures["false_fails"]) == {row["id"] for row in FAULTY if row["toxicity_by_judge"] in (0.525,)}
        assert figures["read"]["columns"]["toxicity_by_judge"]["passes"] == "up to 0.5"


def test_a_pass_mark_for_a_judge_s_numbers_does_not_say_whether_people_s_yes_to_a_fault_passes() -> None:
    with pytest.raises(UsageError) as error:
        calibrate(FAULTY, **SIDES, pass_mark=0.5)
    assert error.value.code == "direction"
    assert {command.rpartition("=")[2].strip("')") for command in error.value.commands} == {"no", "yes"}


def test_a_judge_whose_numbers_contradict_people_at_the_pass_mark_is_refused_until_a_scale_says_which_end_is_best() -> (
    None
):
    stated: dict[str, Any] = {**SIDES, "pass_mark": 0.5, "pass_": "toxic_by_human=no"}
    with pytest.raises(UsageError) as error:
        calibrate(FAULTY, **stated)
    assert error.value.code == "reversed"
    assert [command.rpartition("=")[2].strip("')") for command in error.value.commands] == ["1-0", "0-1"]
    assert calibrate(FAULTY, **stated, scale="judge=0-1").to_json()["agreement"]["value"] < 0.1


def test_a_passing_word_for_people_asks_for_the_pass_mark_of_a_judge_s_scores_instead_of_listing_them_all() -> None:
    with pytest.raises(UsageError) as error:
        calibrate(FAULTY, **SIDES, pass_="no")
    assert error.value.code == "pass-mark"


def test_a_passing_value_that_was_stated_is_not_asked_again_where_the_other_column_contradicts_it() -> None:
    rows: list[dict[str, Any]] = [
        {"id": turn, "label": int(turn % 3 == 0), "is_toxic_pred": int(turn % 3 == 0 or turn % 10 == 0)}
        for turn in range(60)
    ]
    with pytest.raises(UsageError) as error:
        calibrate(rows, pass_="is_toxic_pred=0")
    assert (error.value.code, len(error.value.commands)) == ("reversed", 2)
    assert all("label=" in command for command in error.value.commands)
    assert not calibrate(rows, pass_=["is_toxic_pred=0", "label=0"]).to_json()["false_passes"]
