"""Columns of counts are the same whether they are read at once or cell by cell."""

from pathlib import Path

import numpy as np
import pytest

from markscheme.errors import UsageError
from markscheme.features.counts.counts_columns import CountsColumns, counts_columns

PLAIN = "part,set_no,gold,judge,p1,value,n\nscore,3,0.5,,,north,4\nclear,,1,2,,,7\nscore,0,,0.25,1,south,1\n"


def written(tmp_path: Path, text: str) -> CountsColumns:
    path = tmp_path / "counts.csv"
    path.write_bytes(text.encode())
    return counts_columns(path)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        "\ufeff" + PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("score", '"score"'),
        PLAIN.replace(",,", ",null,").replace("\n", "\n\n"),
        PLAIN.replace("0.5", " 0.5 "),
    ],
)
def test_a_counts_file_gives_the_same_numbers_whatever_its_line_ends_and_quotes_and_blanks(
    tmp_path: Path, text: str
) -> None:
    columns = written(tmp_path, text)
    assert columns.parts is not None
    assert [columns.parts[index] for index in columns.part] == ["score", "clear", "score"]
    expected: dict[str, list[float]] = {
        "set_no": [3, np.nan, 0],
        "gold": [0.5, 1, np.nan],
        "judge": [np.nan, 2, 0.25],
        "p1": [np.nan, np.nan, 1],
        "n": [4, 7, 1],
    }
    assert columns.numbers.keys() == expected.keys()
    for name, column in columns.numbers.items():
        np.testing.assert_array_equal(column, expected[name])


def test_the_error_on_a_cell_of_a_counts_file_that_is_not_a_number_quotes_the_cell(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="row 3, column judge must be a number, or empty, got 'two'"):
        written(tmp_path, PLAIN.replace(",2,", ",two,"))


def test_a_parquet_file_of_counts_with_several_row_groups_and_missing_cells_is_read_completely(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="runs where pyarrow is installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="runs where pyarrow is installed")
    n = 10
    gold = [None if i % 3 == 0 else i / n for i in range(n)]
    table = pa.table({"part": ["score"] * n, "gold": pa.array(gold, pa.float64()), "n": pa.array(range(n), pa.int64())})
    parquet.write_table(table, tmp_path / "counts.parquet", row_group_size=3)
    columns = counts_columns(tmp_path / "counts.parquet")
    assert columns.numbers["n"].tolist() == list(range(n))
    assert columns.numbers["gold"].tolist() == pytest.approx([np.nan if x is None else x for x in gold], nan_ok=True)
    assert columns.fault(2, "gold", "must be small").args[0].endswith("row 2, column gold must be small, got 0.1")
