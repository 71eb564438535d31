"""Tables in which a column n says how many examples each row stands for."""

from pathlib import Path
from typing import Any

import pytest

from markscheme import calibrate
from markscheme.errors import UsageError

COUNTED: list[dict[str, Any]] = [
    {"label": "pass", "verdict": "pass", "n": 60},
    {"label": "pass", "verdict": "fail", "n": 8},
    {"label": "fail", "verdict": "fail", "n": 25},
    {"label": "fail", "verdict": "pass", "n": 7},
]


def each_example(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in ("label", "verdict")} for row in rows for _ in range(row["n"])]


def test_a_table_with_counts_of_rows_has_the_same_figures_as_a_table_of_the_single_examples(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "label,verdict,n\n" + "".join(f"{r['label']},{r['verdict']},{r['n']}\n" for r in COUNTED)
    )
    expected = calibrate(each_example(COUNTED)).to_json()
    for table in (COUNTED, tmp_path / "t.csv"):
        calibration = calibrate(table)
        data = calibration.to_json()
        assert {key: data[key] for key in ("agreement", "overall", "verdict", "decision")} == {
            key: expected[key] for key in ("agreement", "overall", "verdict", "decision")
        }
        assert data["counts"]["examples"] == 100


def test_calibrating_a_data_frame_with_a_column_of_counts_returns_one_row_per_row_of_the_frame() -> None:
    pandas = pytest.importorskip("pandas", reason="runs where pandas is installed")
    frame = calibrate(pandas.DataFrame(COUNTED)).to_frame()
    assert frame["n"].tolist() == [60, 8, 25, 7]
    assert frame["agrees"].tolist() == [True, False, True, False]


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": str(place), **row} for place, row in enumerate(COUNTED)],
        [{"response": f"reply {row['n']}", **row} for row in COUNTED],
        [{**row, "n": f"team {row['n']}"} for row in COUNTED],
    ],
    ids=["ids", "texts", "words"],
)
def test_a_column_named_n_is_not_read_as_counts_if_it_holds_words_or_if_every_row_has_an_id_or_a_text(
    rows: list[dict[str, Any]],
) -> None:
    assert calibrate(rows, judge="verdict", human="label").counts.examples == 4


def test_a_table_with_too_many_counted_examples_is_refused_with_another_way_to_count_them() -> None:
    many = [{**row, "n": 10**6} for row in COUNTED]
    with pytest.raises(UsageError, match=r"4,000,000 examples; 1,000,000 are the most.*large-data.md"):
        calibrate(many)


def test_each_example_of_a_table_with_counts_is_named_by_its_row_in_the_file_and_its_number_in_that_row() -> None:
    assert calibrate(COUNTED).false_passes == [f"row 4 ({example} of 7)" for example in range(1, 8)]


def test_a_column_named_n_with_fractions_is_refused_unless_the_caller_says_that_it_holds_no_counts() -> None:
    fractions = [{**row, "n": row["n"] / 8} for row in COUNTED]
    with pytest.raises(UsageError, match=r"column n counts examples in whole numbers, but has '7.5' in row 1"):
        calibrate(fractions)
    assert calibrate(fractions, map={"n": "query"}).counts.examples == 4


@pytest.mark.parametrize("wrong", ["", "-5", "5.5", "many"])
def test_a_count_that_is_no_whole_number_is_refused_with_its_row(wrong: str) -> None:
    with pytest.raises(UsageError, match=rf"column n counts examples in whole numbers, but has '{wrong}' in row 2"):
        calibrate([{**row, "n": wrong if place == 1 else str(row["n"])} for place, row in enumerate(COUNTED)])


def test_a_data_frame_s_row_with_a_count_of_0_counts_in_no_figure() -> None:
    pandas = pytest.importorskip("pandas", reason="runs where pandas is installed")
    frame = pandas.DataFrame(
        [{**row, "n": 0.0 if place == 0 else float(row["n"])} for place, row in enumerate(COUNTED)]
    )
    calibration = calibrate(frame)
    assert calibration.counts.examples == 40
    assert calibration.to_frame()["agrees"].tolist() == [None, False, True, False]


@pytest.mark.parametrize("first", [0, 1])
def test_a_column_named_n_that_numbers_the_rows_is_not_read_as_counts_of_examples(first: int) -> None:
    rows = [{"label": row["label"], "verdict": row["verdict"]} for row in 2 * COUNTED]
    numbered = [{"n": number, **row} for number, row in enumerate(rows, start=first)]
    assert calibrate(numbered).counts.examples == 8
