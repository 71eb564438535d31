"""Properties of reading tables: format, order and extra columns change nothing; swapping the sides swaps results."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme.calibration.table_frames import read_in_memory
from markscheme.errors import MarkschemeError, UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.reading import TableReading, read_files
from tests.readers.tabular.forms import FORMS, Table, write
from tests.readers.tabular.test_frames import FORMS as FRAMES

VOCABULARIES = (
    ["pass", "fail"],
    ["yes", "no"],
    ["1", "2", "3", "4", "5"],
    ["low", "medium", "high"],
    ["refund", "delay", "login"],
    ["0.15", "0.4", "0.85", "0.95"],
)
SAME_TABLE = (
    "csv",
    "tsv",
    "semicolon",
    "pipe",
    "sep",
    "bom",
    "gzip",
    "jsonl",
    "json",
    "json_data",
    "json_columns",
    "xlsx",
    "parquet",
)
"""Forms in which a table of text says the same."""


@st.composite
def tables(draw: Any) -> dict[str, list[str]]:
    """Strategy for tables with a judge's and a person's column in one vocabulary."""
    words = draw(st.sampled_from(VOCABULARIES))
    rows = draw(st.integers(6, 24))
    cells = st.lists(st.sampled_from(words), min_size=rows, max_size=rows)
    return {"id": [f"t{row}" for row in range(rows)], "verdict": draw(cells), "human": draw(cells)}


def read(table: Table, form: str = "csv", options: ColumnOptions | None = None) -> TableReading | str:
    """Read a table from a file; return the reading, or the code of its refusal."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(table, form, Path(folder))
        try:
            return read_files([path], options or ColumnOptions())
        except UsageError as refused:
            return str(refused.code)


def read_written(tables: Mapping[str, Table], options: ColumnOptions | None = None) -> TableReading | str:
    """Read several tables together from files with these names; return the reading, or the code of the refusal."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [write(table, "csv", Path(folder)).rename(Path(folder) / name) for name, table in tables.items()]
        try:
            return read_files(paths, options or ColumnOptions())
        except UsageError as refused:
            return str(refused.code)


def long_rows(table: Table) -> dict[str, list[str]]:
    """Convert a table to one with a row for each rating."""
    raters = {"verdict": "model", "human": "human"}
    rows = [
        (unit, *rater, cell)
        for rater in raters.items()
        for unit, cell in zip(table["id"], table[rater[0]], strict=True)
    ]
    return dict(zip(("id", "rater", "kind", "label"), map(list, zip(*rows, strict=True)), strict=True))


def compared(reading: TableReading | str) -> Any:
    """Return what a reading compares: each id with both levels, and the withheld figures."""
    if isinstance(reading, str):
        return reading
    (values,) = reading.values.values()
    levels = {}
    for side in reading.sides(""):
        by_cell = values.levels[side.column.name]
        pairs = zip(reading.ids, side.column.cells, strict=True)
        levels[side.column.name] = {unit: by_cell.get(cell) for unit, cell in pairs}
    return values.kind, levels, dict(values.withheld)


def named(result: Any) -> Any:
    """Replace categories' numbers, which follow the order of first use, by whether judge and person agree."""
    if isinstance(result, str) or result[0] != "categories":
        return result
    kind, levels, withheld = result
    judge, human = levels["verdict"], levels["human"]
    return kind, {unit: judge[unit] == human[unit] for unit in judge}, withheld


@given(tables(), st.sampled_from(SAME_TABLE))
def test_a_table_is_read_the_same_from_every_file_format(table: dict[str, list[str]], form: str) -> None:
    assert form in FORMS
    assert compared(read(table, form)) == compared(read(table))


@pytest.mark.proof
@given(tables())
def test_a_table_is_read_the_same_whether_it_is_one_file_or_two_files_or_has_one_row_per_rating(
    table: dict[str, list[str]],
) -> None:
    by_side = {f"{name}.csv": {"id": table["id"], name: table[name]} for name in ("verdict", "human")}
    as_one = compared(read(table))
    assert compared(read_written(by_side)) == as_one
    turned = {**by_side, "human.csv": {name: cells[::-1] for name, cells in by_side["human.csv"].items()}}
    assert compared(read_written(turned)) == as_one
    assert named(compared(read_written({"long.csv": long_rows(table)}))) == named(as_one)


@given(tables(), st.randoms(use_true_random=False))
@pytest.mark.proof
def test_the_order_of_rows_and_columns_and_an_unknown_column_do_not_change_how_a_table_is_read(
    table: dict[str, list[str]], random: Any
) -> None:
    order = list(range(len(table["id"])))
    random.shuffle(order)
    names = ["colour", *table]
    random.shuffle(names)
    more = {**table, "colour": [f"shade {row}" for row in order]}
    shuffled = {name: [more[name][row] for row in order] for name in names}
    assert named(compared(read(shuffled))) == named(compared(read(table)))


@given(tables())
@pytest.mark.proof
def test_swapping_the_columns_of_judge_and_people_swaps_the_values_read_for_them(
    table: dict[str, list[str]],
) -> None:
    exchanged = compared(read({"id": table["id"], "human": table["verdict"], "verdict": table["human"]}))
    result = compared(read(table))
    if isinstance(result, str) or isinstance(exchanged, str):
        assert result == exchanged
        return
    assert result[0] == exchanged[0]
    assert result[2] == exchanged[2]
    hits = [result[1]["verdict"][unit] == result[1]["human"][unit] for unit in table["id"]]
    assert hits == [exchanged[1]["verdict"][unit] == exchanged[1]["human"][unit] for unit in table["id"]]


@given(tables())
def test_an_option_that_the_refusal_of_a_table_suggests_does_not_lead_to_the_same_refusal_again(
    table: dict[str, list[str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(table, "csv", Path(folder))
        try:
            read_files([path], ColumnOptions())
        except UsageError as refused:
            code = refused.code
            choices = [choice.split() for choice in refused.choices]
        else:
            return
        for choice in choices:
            pairs = list(zip(choice[::2], choice[1::2], strict=True))
            if any(value.isupper() for _, value in pairs):
                continue
            words: dict[str, Any] = {}
            for option, value in pairs:
                name = {"pass": "pass_"}.get(option[2:], option[2:])
                words[name] = (*words.get(name, ()), value)
            again = read(table, options=ColumnOptions(**words))
            assert again != code, choice


def stated(reading: TableReading) -> ColumnOptions:
    """Convert what the second line of the report says about a table to options."""
    (values,) = reading.values.values()
    by_role: dict[bool, tuple[str, ...]] = {
        is_judge: tuple(side.column.name for side in reading.sides("") if side.is_judge is is_judge)
        for is_judge in (True, False)
    }
    passing = tuple(f"{name}={word}" for name, word in values.passes.items() if word is not None)
    ends = () if values.ends is None or values.kind != "levels" else (f"{values.ends[0]:g}-{values.ends[1]:g}",)
    in_words = (",".join(values.scale.choices),) if values.kind == "levels" and values.ends is None else ()
    return ColumnOptions(
        judge=by_role[True],
        human=by_role[False],
        id=reading.roles.single.get("id"),
        pass_=passing if values.kind == "decision" else (),
        levels=ends or in_words,
    )


@given(tables())
@pytest.mark.proof
def test_reading_a_table_with_the_options_that_its_report_prints_gives_the_same_ratings(
    table: dict[str, list[str]],
) -> None:
    reading = read(table)
    if isinstance(reading, str):
        return
    again = compared(read(table, options=stated(reading)))
    kind, levels, _ = compared(reading)
    assert not isinstance(again, str), again
    assert again[0] == kind
    assert again[1] == levels


@given(tables(), st.sampled_from(["pandas", "rows", "columns", "polars", "pyarrow"]))
@pytest.mark.proof
def test_a_table_in_memory_is_read_the_same_as_its_file(table: dict[str, list[str]], form: str) -> None:
    try:
        in_memory: Any = read_in_memory(FRAMES[form](table), ColumnOptions())
    except UsageError as refused:
        in_memory = str(refused.code)
    assert compared(in_memory) == compared(read(table))


def test_a_fault_that_occurs_in_every_row_of_a_table_is_reported_in_one_message(tmp_path: Path) -> None:
    rows = [f"t{row},pass,1,stray" for row in range(80)]
    (tmp_path / "t.csv").write_text("\n".join(["id,verdict,human", *rows]), encoding="utf-8")
    (tmp_path / "t.json").write_text(json.dumps([{"id": f"t{row}", "verdict": [1, row]} for row in range(80)]))
    (tmp_path / "t.jsonl").write_text("\n".join(["[1, 2]"] * 80))
    for name in ("t.csv", "t.json", "t.jsonl"):
        with pytest.raises(MarkschemeError) as refused:
            read_files([tmp_path / name], ColumnOptions())
        sentences = [line for line in str(refused.value).splitlines() if not line.startswith("  markscheme ")]
        assert len(sentences) == 1, str(refused.value)
        assert len(str(refused.value)) < 500
