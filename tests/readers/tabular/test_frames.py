"""Calibration of tables in memory (data frames, rows and columns), and the data frames that it returns."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from markscheme import calibrate
from markscheme.errors import UsageError

VERDICT = "fail pass pass pass fail pass pass pass pass fail pass pass pass fail fail pass pass pass fail fail"
HUMAN = "1 1 1 0 0 1 1 1 0 0 1 1 1 0 0 1 1 1 0 0"
IDS = [f"t{row}" for row in range(20)]
TABLE: dict[str, list[str]] = {"id": IDS, "verdict": VERDICT.split(), "human": HUMAN.split()}
"""Agreement .85, 2 of 8 fails pass, 1 of 12 passes fails: the case `frames` of the worked cases of tables."""
ADDED = ["gold", "judge", "agrees", "gold_pass", "judge_pass", "left_out"]


def polars_frame(table: Mapping[str, Sequence[Any]]) -> Any:
    """Make a polars data frame from a table."""
    polars = pytest.importorskip("polars", reason="runs where polars is installed")
    return polars.DataFrame(table)


FORMS: Mapping[str, Callable[[Mapping[str, Sequence[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": polars_frame,
    "pyarrow": pa.table,
    "rows": lambda table: [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)],
    "columns": lambda table: table,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_table_in_memory_is_calibrated_and_returned_with_columns_of_results(form: str) -> None:
    calibration = calibrate(FORMS[form](TABLE))
    report = calibration.to_json()
    assert (report["agreement"]["value"], report["false_passes"], report["false_fails"]) == (0.85, ["t3", "t8"], ["t0"])
    frame = calibration.to_frame()
    names = frame.column_names if form == "pyarrow" else list(frame.columns)
    assert names == ["id", "verdict", "human", *ADDED]
    assert [row["agrees"] for row in calibration.rows].count(False) == 3


@pytest.mark.parametrize("form", FORMS)
def test_objects_in_the_cells_of_a_column_are_read_as_columns_of_their_keys(form: str) -> None:
    pairs = zip(TABLE["verdict"], TABLE["human"], strict=True)
    labels = [{"judge": {"verdict": verdict}, "human": human} for verdict, human in pairs]
    report = calibrate(FORMS[form]({"id": IDS, "labels": labels})).to_json()
    assert list(report["read"]["columns"]) == ["labels.judge.verdict", "labels.human"]
    assert (report["agreement"]["value"], report["false_passes"]) == (0.85, ["t3", "t8"])


def test_struct_columns_of_a_parquet_file_are_read_as_columns_of_their_keys(tmp_path: Path) -> None:
    labels = [{"judge": v, "human": h} for v, h in zip(TABLE["verdict"], TABLE["human"], strict=True)]
    parquet.write_table(pa.table({"id": [*IDS, "t20"], "labels": [*labels, None]}), tmp_path / "t.parquet")
    report = calibrate(tmp_path / "t.parquet").to_json()
    assert (report["agreement"]["value"], report["read"]["with_both"]) == (0.85, 20)


def test_the_index_of_a_data_frame_gives_the_ids_of_examples_and_is_kept_in_the_returned_frame() -> None:
    index = [f"case-{row}" for row in range(20)]
    frame = pd.DataFrame({"judge_label": VERDICT.split(), "human_label": HUMAN.split()}, index=index)
    calibration = calibrate(frame)
    assert calibration.to_json()["false_passes"] == ["case-3", "case-8"]
    assert list(calibration.to_frame().index) == index


def test_a_polars_lazy_frame_is_read_like_the_data_frame_that_it_evaluates_to() -> None:
    assert calibrate(polars_frame(TABLE).lazy()).to_json() == calibrate(polars_frame(TABLE)).to_json()


def test_columns_of_a_data_frame_may_have_numbers_as_names() -> None:
    frame = pd.DataFrame(TABLE).rename(columns={"verdict": 0, "human": 1})
    assert calibrate(frame, judge="0", human="1").false_passes == ["t3", "t8"]


def test_a_data_frame_with_two_columns_of_one_name_is_refused_with_the_name() -> None:
    frame = pd.DataFrame(TABLE)
    with pytest.raises(UsageError, match="'human' 2 times"):
        calibrate(pd.concat([frame, frame["human"]], axis=1))


@pytest.mark.parametrize("form", FORMS)
def test_a_function_as_judge_of_a_table_is_refused_since_the_table_has_the_judge_s_verdicts(form: str) -> None:
    with pytest.raises(UsageError, match="`judge` is the name of the judge's column"):
        calibrate(FORMS[form](TABLE), judge=len)


@pytest.mark.parametrize("first", [0, "case-", 0.5])
def test_false_passes_and_results_of_a_calibration_can_be_looked_up_in_its_data_frame_by_the_index(
    first: Any,
) -> None:
    index = [first + (str(row) if isinstance(first, str) else row) for row in (*range(10, 20), *range(10))]
    frame = pd.DataFrame({"judge": VERDICT.split(), "human": HUMAN.split()}, index=index)
    calibration = calibrate(frame)
    assert frame.loc[calibration.false_passes].values.tolist() == [["pass", "0"]] * 2
    assert frame.loc[calibration.false_fails].values.tolist() == [["fail", "1"]]
    joined = frame.join(calibration.to_frame()[["gold", "agrees", "left_out"]])
    assert list(joined.index) == index
    assert list(joined.index[~joined.agrees]) == [index[0], index[3], index[8]]


@pytest.mark.parametrize("form", FORMS)
def test_copies_of_a_row_count_as_one_example_and_are_all_returned_with_its_result(form: str) -> None:
    copied = [*range(20), 3, 9]
    table = {name: [cells[row] for row in copied] for name, cells in TABLE.items()}
    calibration = calibrate(FORMS[form](table))
    report = calibration.to_json()
    assert (report["agreement"]["n"], report["false_passes"]) == (20, ["t3", "t8"])
    frame = calibration.to_frame()
    agrees = frame["agrees"].to_pylist() if form == "pyarrow" else list(frame["agrees"])
    assert agrees == [(table["verdict"][row] == "pass") == (table["human"][row] == "1") for row in range(22)]


@pytest.mark.parametrize("form", FORMS)
def test_each_row_of_a_table_with_a_row_per_annotator_is_returned_with_the_result_of_its_example(form: str) -> None:
    table = {
        "id": [f"p{row // 2}" for row in range(24)],
        "annotator": ["ann", "ben"] * 12,
        "label": ["yes" if row // 2 % 3 else "no" for row in range(24)],
        "judge": ["yes" if row // 2 % 4 else "no" for row in range(24)],
    }
    returned = calibrate(FORMS[form](table)).to_frame()
    cells = {
        name: returned[name].to_pylist() if form == "pyarrow" else list(returned[name])
        for name in ("annotator", "agrees")
    }
    assert cells["annotator"] == table["annotator"]
    wrong = [row for row in range(24) if table["label"][row] != table["judge"][row]]
    assert [row for row, agrees in enumerate(cells["agrees"]) if not agrees] == wrong


def test_the_error_on_an_ambiguous_data_frame_names_its_columns_without_printing_the_frame() -> None:
    frame = pd.DataFrame({"gpt4": VERDICT.split(), "ann": HUMAN.split()})
    with pytest.raises(UsageError) as refused:
        calibrate(frame)
    assert (refused.value.code, set(refused.value.columns)) == ("which-columns", {"gpt4", "ann"})
    assert all("human=" in command for command in refused.value.commands)
    assert len(str(refused.value)) < 500


def test_rows_of_a_table_may_come_from_a_generator() -> None:
    rows = [{"id": n, "human": "pass" if n % 3 else "fail", "judge": "pass"} for n in range(30)]
    from_generator = calibrate(row for row in rows)
    assert from_generator.comparison.agreement == calibrate(rows).comparison.agreement
    assert list(from_generator.to_frame()["human"]) == [row["human"] for row in rows]


def test_rows_that_are_objects_are_refused_with_the_functions_that_make_mappings_of_them() -> None:
    with pytest.raises(UsageError, match=r"such as `dataclasses\.asdict\(row\)` or `row\.model_dump\(\)`"):
        calibrate([object()])


def test_columns_of_different_lengths_are_refused_with_the_number_of_values_in_each_column() -> None:
    with pytest.raises(UsageError, match="equally many values, got 2 of 'judge', 1 of 'human'"):
        calibrate({"judge": ["yes", "no"], "human": ["yes"]})
