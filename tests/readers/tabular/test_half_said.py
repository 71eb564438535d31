"""Cells and headers that say a thing by halves: refused with what is open, until an option says it."""

from pathlib import Path
from typing import Any

import pytest

from markscheme.calibration.table_frames import read_in_memory
from markscheme.errors import RatingError, UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.reading import TableReading, read_files

TOPICS = ["tone", "facts", "length"] * 8


def read(judge: list[Any], human: list[Any], **options: Any) -> TableReading:
    return read_in_memory({"judge": judge, "human": human}, ColumnOptions(**options))


def refused(judge: list[Any], human: list[Any], **options: Any) -> UsageError:
    with pytest.raises(UsageError) as error:
        read(judge, human, **options)
    return error.value


@pytest.mark.parametrize("sign", [";", ", ", " | ", "+"])
def test_values_that_others_have_alone_are_a_list_in_one_cell(sign: str) -> None:
    error = refused([f"tone{sign}facts", *TOPICS[1:]], TOPICS)
    assert (error.code, list(error.columns)) == ("several-values", ["judge"])


def test_a_sign_within_a_category_makes_no_list() -> None:
    categories = ["search & replace", "tone", "facts"] * 8
    assert read(categories, categories).values[""].kind == "categories"


@pytest.mark.parametrize("word", ["skip", "Not sure", "can't tell", "?"])
def test_who_gives_no_answer_is_asked_about_where_one_side_alone_does(word: str) -> None:
    error = refused(TOPICS, [word, *TOPICS[1:]])
    assert error.code == "missing-word"
    left_out = read(TOPICS, [word, *TOPICS[1:]], same=(f"{word}=",))
    assert left_out.with_both("") == len(TOPICS) - 1
    kept = read(TOPICS, [word, *TOPICS[1:]], same=(f"{word}={word}",))
    assert kept.with_both("") == len(TOPICS)


def test_a_word_that_both_sides_use_is_a_category() -> None:
    assert read(["skip", *TOPICS[1:]], ["tone", "skip", *TOPICS[2:]]).with_both("") == len(TOPICS)


def test_sentences_that_repeat_are_a_reference_and_no_rating() -> None:
    answers = ["Open Settings, then Security.", "Call the desk at night."] * 12
    columns = {"expected": answers, "judge": ["pass", "fail"] * 12, "human": ["pass", "pass"] * 12}
    reading = read_in_memory(columns, ColumnOptions())
    assert [side.column.name for side in reading.sides("")] == ["judge", "human"]


def test_a_header_over_two_rows_is_refused_with_the_column_that_lacks_a_name(tmp_path: Path) -> None:
    rows = [f"t{row},{'yes' if row % 2 else 'no'},no,yes,{'yes' if row % 3 else 'no'}" for row in range(20)]
    (tmp_path / "t.csv").write_text("\n".join([",Judge,,Human,", "id,tone,facts,tone,facts", *rows]))
    with pytest.raises(RatingError, match="header of two rows: column 3"):
        read_files([tmp_path / "t.csv"], ColumnOptions())


def test_columns_without_a_name_are_called_by_their_place(tmp_path: Path) -> None:
    rows = [f"t{row},{'pass' if row % 2 else 'fail'},x,{'pass' if row % 3 else 'fail'},{row}" for row in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["id,judge,,human,", *rows]))
    reading = read_files([tmp_path / "t.csv"], ColumnOptions())
    assert [column.name for column in reading.columns] == ["id", "judge", "column 3", "human", "column 5"]
    assert reading.with_both("") == len(rows)
