"""Scales whose ends aren't stated: figures that depend on the ends, or on a pass mark, are withheld."""

from typing import Any

import pytest

from markscheme import calibrate
from markscheme.calibration.table_frames import read_in_memory
from markscheme.ratings.column_options import ColumnOptions
from markscheme.report.table_words import notes
from markscheme.report.views.calibration import ENDS_UNKNOWN, MARK_UNKNOWN, view

RATED = [(4, 3)] * 10 + [(3, 3)] * 10 + [(5, 5)] * 10 + [(4, 4)] * 6 + [(2, 2)] * 2 + [(4, 2)] * 2
ROWS: list[dict[str, Any]] = [
    {"id": str(row), "judge": judge, "human": human} for row, (judge, human) in enumerate(RATED)
]
"""A scale of 1 to 5 without any 1: 28 of 40 alike; from 3 on, 2 of 4 fails pass."""
DECIDED = ("accuracy", "precision", "recall", "specificity", "f1", "prevalence_gold", "prevalence_judge")
"""Figures of passes and fails."""


def report(**options: Any) -> dict[str, Any]:
    return calibrate(ROWS, **options).to_json()


def test_figures_that_need_a_pass_mark_or_the_ends_of_the_scale_are_withheld_until_these_are_stated() -> None:
    figures = report()
    assert figures["agreement"]["value"] == 0.7
    assert (figures["false_passes"], figures["drift"]) == (None, None)
    unknown = [figures["overall"]["mae"], *(figures["criteria"]["human"][name] for name in ("gwet_ac1", "gwet_ac2"))]
    assert [(figure["value"], figure["undefined"]) for figure in unknown] == [(None, ENDS_UNKNOWN)] * 3
    assert figures["criteria"]["human"]["signed_error"]["value"] == pytest.approx(0.35)
    of_decisions = [figures[of] for figures in (figures["overall"], figures["criteria"]["human"]) for of in DECIDED]
    assert {(figure["value"], figure["undefined"]) for figure in of_decisions} == {(None, MARK_UNKNOWN)}
    assert figures["overall"]["pass_kappa"]["undefined"] == MARK_UNKNOWN
    assert set(figures["rated"]["gold"]["pass"]) == {None}


def test_examples_are_shown_with_their_levels_and_no_pass_or_fail_if_no_pass_mark_is_stated() -> None:
    read_first: Any = view(calibrate(ROWS)).brief[0]
    cases = read_first.blocks[0].cases
    assert cases[0].head == "human: judge 4, gold 2"
    assert all(not case.badges for case in cases)


def test_without_the_levels_option_a_note_says_which_ends_of_the_scale_are_assumed_and_how_to_state_them() -> None:
    ends, direction = notes(read_in_memory(ROWS, ColumnOptions()))
    assert "at 2 and 5" in ends
    assert "--levels 1-5" in ends
    assert "higher numbers are taken to be better" in direction
    assert "--levels 5-1" in direction
    assert not list(notes(read_in_memory(ROWS, ColumnOptions(levels=("1-5",)))))


def test_the_levels_option_printed_for_a_scale_with_negative_numbers_is_accepted_as_printed() -> None:
    rows = [{"id": str(row), "judge": row % 3 - 1, "human": row % 3 - 1} for row in range(30)]
    ends, direction = notes(read_in_memory(rows, ColumnOptions()))
    assert "`--levels=-1..1`" in ends
    assert "`--levels 1..-1`" in direction
    for levels in ("-1..1", "1..-1"):
        assert calibrate(rows, levels=levels).to_json()["agreement"]["value"] == 1
        assert not list(notes(read_in_memory(rows, ColumnOptions(levels=(levels,)))))


@pytest.mark.parametrize("levels", ["1-5", "0-10"])
def test_if_a_pass_mark_and_the_ends_of_the_scale_are_stated_no_figure_is_withheld(levels: str) -> None:
    figures = report(levels=levels, pass_mark=3)
    assert (figures["agreement"]["value"], figures["false_passes"], figures["false_fails"]) == (0.7, ["38", "39"], [])
    assert None not in (figures["overall"]["mae"]["value"], figures["criteria"]["human"]["gwet_ac1"]["value"])


def test_a_stated_pass_mark_also_decides_which_levels_of_the_table_s_criterion_pass() -> None:
    figures = report(levels="1-5", pass_mark=4)
    assert [figures["criteria"]["human"][name] for name in DECIDED] == [figures["overall"][name] for name in DECIDED]
    assert figures["criteria"]["human"]["prevalence_gold"]["value"] == 16 / 40


def test_the_digests_of_responses_in_the_json_are_null_for_a_table_without_responses() -> None:
    assert report()["rated"]["responses"] is None
    answers = [{**row, "response": f"Reply {row['id']}"} for row in ROWS]
    digests = calibrate(answers, judge="judge", human="human").to_json()["rated"]["responses"]
    assert len(set(digests)) == len(ROWS)


def test_ac1_of_annotators_is_withheld_until_the_ends_of_their_scale_are_stated() -> None:
    rows = [{"id": str(row), "rater_1": first, "rater_2": second} for row, (first, second) in enumerate(RATED)]
    stated: tuple[dict[str, Any], ...] = ({}, {"levels": "1-5"})
    values = [calibrate(rows, **ends).to_json()["statistics"]["gwet_ac2"]["value"] for ends in stated]
    assert values[0] is None
    assert values[1] is not None
