"""Laws of tables: the form, the order and further columns change no figure; exchanging both sides changes sides."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from markscheme.errors import UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.reading import TableReading, read_files
from tests.readers.tabular.forms import FORMS, Table, write

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
)
"""Forms in which a table of text says the same."""


@st.composite
def tables(draw: Any) -> dict[str, list[str]]:
    """Tables of a judge and a person over one vocabulary."""
    words = draw(st.sampled_from(VOCABULARIES))
    rows = draw(st.integers(6, 24))
    cells = st.lists(st.sampled_from(words), min_size=rows, max_size=rows)
    return {"id": [f"t{row}" for row in range(rows)], "verdict": draw(cells), "human": draw(cells)}


def read(table: Table, form: str = "csv", options: ColumnOptions | None = None) -> TableReading | str:
    """A table as it is read from a file, or the code of its refusal."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(table, form, Path(folder))
        try:
            return read_files([path], options or ColumnOptions())
        except UsageError as refused:
            return str(refused.code)


def compared(reading: TableReading | str) -> Any:
    """What a table compares: each id with both levels, and what is withheld."""
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
    """The same with categories by what agrees, since their numbers follow the order of first use."""
    if isinstance(result, str) or result[0] != "categories":
        return result
    kind, levels, withheld = result
    judge, human = levels["verdict"], levels["human"]
    return kind, {unit: judge[unit] == human[unit] for unit in judge}, withheld


@given(tables(), st.sampled_from(SAME_TABLE))
def test_a_table_is_read_alike_in_every_form(table: dict[str, list[str]], form: str) -> None:
    assert form in FORMS
    assert compared(read(table, form)) == compared(read(table))


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_and_an_unknown_column_change_nothing(
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
def test_both_sides_exchanged_change_places(table: dict[str, list[str]]) -> None:
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
def test_a_choice_of_a_refusal_is_never_refused_for_the_same_reason(table: dict[str, list[str]]) -> None:
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
