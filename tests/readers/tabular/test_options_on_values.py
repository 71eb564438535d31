"""Options that say what the values of a table mean: which of them apply, and how the screen repeats them."""

from typing import Any, TypeAlias

import pytest

from markscheme import calibrate
from markscheme.calibration.table_frames import read_in_memory
from markscheme.errors import UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.reading import TableReading
from markscheme.report.table_words import line_two, notes
from markscheme.report.views.tables import by_criterion

Columns: TypeAlias = dict[str, list[Any]]
ONE_TO_FIVE = [1, 2, 3, 4, 5] * 6
GOOD_FROM_FOUR = ["poor", "poor", "poor", "fine", "fine"] * 6
TWO_CRITERIA: Columns = {
    "judge_tone": ["yes", "no"] * 15,
    "human_tone": ["yes", "no"] * 15,
    "judge_quality": ONE_TO_FIVE,
    "human_quality": ONE_TO_FIVE,
}


def read(columns: Columns, **options: Any) -> TableReading:
    return read_in_memory(columns, ColumnOptions(**options))


def refused(columns: Columns, **options: Any) -> UsageError:
    with pytest.raises(UsageError) as error:
        read(columns, **options)
    return error.value


def test_a_pass_mark_for_the_judge_s_numbers_can_be_combined_with_a_word_by_which_people_pass() -> None:
    columns: Columns = {"judge": ONE_TO_FIVE, "human": GOOD_FROM_FOUR}
    assert "--pass human=fine" in " ".join(refused(columns, pass_mark=4).commands)
    reading = read(columns, pass_mark=4, pass_=("human=fine",))
    assert reading.values[""].levels["judge"] == {"1": 0, "2": 0, "3": 0, "4": 1, "5": 1}
    assert reading.values[""].levels["human"] == {"poor": 0, "fine": 1}


def test_a_passing_word_such_as_from_source_is_not_shown_like_a_pass_mark_from_which_numbers_pass() -> None:
    words = ["from source", "from memory"] * 15
    assert "from source/from memory (from source passes)" in line_two(
        read({"judge": words, "human": words[::-1]}, pass_=("from source",)), ""
    )
    marked = read({"judge": ONE_TO_FIVE, "human": GOOD_FROM_FOUR}, pass_mark=4, pass_=("human=fine",))
    assert "judge: from 4 (stated)" in line_two(marked, "")


@pytest.mark.parametrize("words", [["tone", "facts", "length"], ["low", "medium", "high"]])
def test_a_pass_mark_is_refused_where_the_table_has_words_only(words: list[str]) -> None:
    assert refused({"judge": words * 8, "human": words * 8}, pass_mark=2).code == "option-unused"


@pytest.mark.parametrize(
    ("options", "criterion"),
    [
        ({"pass_mark": 4}, "quality"),
        ({"levels": ("1-5",)}, "quality"),
        ({"scale": ("1-5",)}, "quality"),
        ({"scale": ("judge_quality=1-5", "human_quality=1-5")}, "quality"),
        ({"same": ("5=",)}, "quality"),
        ({"same": ("5 = 4",)}, "quality"),
        ({"pass_": ("yes",)}, "tone"),
    ],
)
def test_an_option_that_fits_the_values_of_one_criterion_leaves_the_other_criteria_as_they_are(
    options: dict[str, Any], criterion: str
) -> None:
    plain = read(TWO_CRITERIA).values
    stated = read(TWO_CRITERIA, **options).values
    assert [name for name in plain if plain[name] != stated[name]] == [criterion]


@pytest.mark.parametrize("options", [{"pass_": ("maybe",)}, {"same": ("6=",)}, {"scale": ("other=1-5",)}])
def test_an_option_that_fits_no_criterion_of_a_table_is_refused(options: dict[str, Any]) -> None:
    assert refused(TWO_CRITERIA, **options).code == "option-unused"


@pytest.mark.parametrize(
    ("options", "key", "value"),
    [
        ({"pass_": ("maybe",)}, "pass_", "maybe"),
        ({"same": ("6 = 5",)}, "same", "6"),
        ({"scale": ("other=1-5",)}, "scale", "other=1-5"),
        ({"pass_mark": 4}, "pass_mark", "4"),
    ],
)
def test_the_error_of_an_option_that_fits_no_value_of_a_table_names_the_option_and_its_value(
    options: dict[str, Any], key: str, value: str
) -> None:
    columns: Columns = {"judge": ["yes", "no"] * 15, "human": ["yes", "no"] * 15}
    facts = refused(columns, **options).facts
    assert (facts["key"], facts["value"]) == (key, value)
    assert str(facts["option"]).endswith(value)


def test_the_worst_of_the_values_stated_to_pass_sets_the_pass_mark() -> None:
    columns: Columns = {"judge": ONE_TO_FIVE, "human": ONE_TO_FIVE}
    assert read(columns, levels=("1-5",), pass_=("4",)).values[""].pass_mark == 0.75
    assert read(columns, levels=("5-1",), pass_=("1", "2")).values[""].pass_mark == 0.75
    assert refused(columns, levels=("1-5",), pass_=("six",)).code == "option-unused"


def test_a_comma_in_numbers_is_read_as_a_decimal_comma_or_as_thousands_by_the_stated_scale() -> None:
    columns: Columns = {"judge": ["1,234", "2,345", "3,111"] * 8, "human": ["1,234", "2,345", "3,111"] * 8}
    assert "decimals or of thousands" in str(refused(columns))
    assert read(columns, scale=("0-5",)).values[""].levels["judge"]["1,234"] == 1.234
    assert read(columns, scale=("0-5000",)).values[""].levels["judge"]["1,234"] == 1234


def test_the_line_on_how_a_table_was_read_names_every_value_that_passes_as_the_table_spells_it() -> None:
    columns: Columns = {"judge": ["Good", "Fine", "Bad"] * 8, "human": ["Good", "Fine", "Bad"] * 8}
    reading = read(columns, pass_=("Fine", "good"))
    assert "judge: Fine/Good/Bad (Fine and Good pass) (stated)" in line_two(reading, "")


def test_columns_on_different_stated_scales_are_each_reported_with_the_ends_of_their_scale() -> None:
    columns: Columns = {"judge": [0, 0.25, 0.5, 0.75, 1] * 6, "human": ONE_TO_FIVE}
    reading = read(columns, scale=("judge=0-1", "human=1-5"))
    assert "judge: read as 0 to 1 (stated) · human: read as 1 to 5 (stated)" in line_two(reading, "")
    columns_read: Any = reading.to_json()["columns"]
    assert [columns_read[name]["ends"] for name in ("judge", "human")] == [(0, 1), (1, 5)]


def test_the_order_of_rows_changes_no_figure_if_two_categories_are_equally_frequent() -> None:
    topics: Columns = {
        "judge": ["tone", "facts", "tone", "facts", "tone", "facts"] * 4,
        "human": ["tone", "tone", "facts", "facts"] * 6,
    }
    turned = {name: cells[1:] + cells[:1] for name, cells in topics.items()}
    figures = [calibrate(table).to_json() for table in (topics, turned)]
    assert figures[0]["agreement_constant"] == figures[1]["agreement_constant"]
    assert figures[0]["gain"] == figures[1]["gain"]
    assert figures[0]["criteria"] == figures[1]["criteria"]


def test_the_line_on_how_a_table_was_read_names_the_columns_of_every_criterion() -> None:
    reading = read(TWO_CRITERIA)
    said = line_two(reading)
    for side in ("judge", "human"):
        assert f"{side}_tone: yes/no (yes passes)" in said
        assert f"{side}_quality: levels 1 to 5 (seen)" in said
    assert said.endswith("30 rows, 30 with both")
    assert "quality" not in line_two(reading, "tone")
    gaps = {**TWO_CRITERIA, "judge_tone": [None, *TWO_CRITERIA["judge_tone"][1:]]}
    assert line_two(read(gaps)).endswith("30 rows, 29 to 30 with both")


def test_the_title_of_a_report_by_criterion_names_the_judge_s_column_of_each_criterion() -> None:
    result: Any = calibrate(TWO_CRITERIA)
    assert by_criterion(result).title == "table · judge_tone, judge_quality · 30 rows"


def test_the_line_on_how_a_table_was_read_names_a_rater_once_if_all_criteria_were_read_the_same() -> None:
    levels = [1, 2, 3, 4, 5, 5] * 6
    rows = [
        {"id": f"e{index}", "rater": rater, "tone": of_rater, "facts": of_rater}
        for index, level in enumerate(levels)
        for rater, of_rater in (("gpt-4", level), ("ann", level if index % 6 else 2))
    ]
    reading = read_in_memory(rows, ColumnOptions(judge=("gpt-4",), human=("ann",)))
    assert [*reading.roles.criteria] == ["tone", "facts"]
    assert line_two(reading).startswith("gpt-4: levels 1 to 5 (seen) · ann: levels 1 to 5 (seen) · id: id")


MARKED: Columns = {
    "judge_a": ["yes", "no"] * 15,
    "human_a": ["yes", "no"] * 15,
    "judge_b": ["yes", "no"] * 15,
    "human_b": ["no", "no", "yes", "no", "yes", "yes"] * 5,
}
READ_AS_RATERS = "read as names of raters, not of criteria"


def test_columns_such_as_judge_a_and_human_a_are_read_as_raters_and_a_note_says_how_to_read_criteria() -> None:
    one = {name: MARKED[name] for name in ("judge_a", "human_a")}
    assert any(note.startswith(f"{READ_AS_RATERS}: a; in --judge") for note in notes(read(one)))
    assert any(note.startswith(f"{READ_AS_RATERS}: a and b; ") for note in notes(read(MARKED)))
    by_criterion = read(MARKED, judge=("judge_*",), human=("human_*",))
    assert [*by_criterion.roles.criteria] == ["a", "b"]
    assert not any(READ_AS_RATERS in note for note in notes(by_criterion))


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("judge_a", "human_b"), {}),
        (("judge_a", "human_a", "human_b"), {}),
        (("judge_a", "human_a"), {"judge": ("judge_a",), "human": ("human_a",)}),
    ],
)
def test_no_note_on_criteria_is_printed_if_letters_in_column_names_differ_or_the_user_names_the_columns(
    names: tuple[str, ...], options: dict[str, Any]
) -> None:
    assert not any(READ_AS_RATERS in note for note in notes(read({name: MARKED[name] for name in names}, **options)))
