"""Tables as people write them: clear ones are read, and ambiguous ones are refused with commands to choose from."""

import json
import shlex
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from markscheme.calibration.table_frames import read_in_memory
from markscheme.errors import Fault, RatingError, UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.reading import TableReading, read_files
from markscheme.report.table_words import notes
from tests.commands.console import run

VOTES = ["yes", "no", "yes", "yes"] * 5
OTHERS = ["yes", "no", "no", "yes"] * 5
GRADES = ["1", "2", "3", "4"] * 5
OTHER_GRADES = ["1", "2", "3", "3"] * 5


def read(table: Mapping[str, Sequence[Any]], **options: Any) -> TableReading:
    return read_in_memory(table, ColumnOptions(**options))


def refused(table: Mapping[str, Sequence[Any]], **options: Any) -> UsageError:
    with pytest.raises(UsageError) as error:
        read(table, **options)
    return error.value


def file_of(folder: Path, text: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def levels(reading: TableReading, name: str, criterion: str = "") -> list[float | None]:
    """Return one rater's values, row by row."""
    (cells,) = [s.column.cells for s in reading.sides(criterion) if name in (s.column.name, s.column.file)]
    return [reading.values[criterion].levels[name].get(cell) for cell in cells]


# --- which columns ---------------------------------------------------------------------------------------------------


def test_if_several_columns_may_be_annotators_the_first_suggestion_names_all_of_them_as_annotators() -> None:
    error = refused({"judge": VOTES, "ann": OTHERS, "ben": VOTES})
    assert (error.code, error.choices[0]) == ("which-columns", "--human ann --human ben")
    assert set(error.choices[1:]) == {"--human ann", "--human ben"}


def test_the_error_about_a_column_whose_role_is_unclear_names_the_columns_whose_role_is_known() -> None:
    judged = refused({"gpt_verdict": ["pass", "fail", "pass", "pass"] * 5, "ann_ok": VOTES})
    assert judged.facts["judges"] == ("gpt_verdict",)
    assert judged.columns == ("ann_ok",)
    assert "'gpt_verdict' is a judge's" in str(judged)
    labelled = refused({"human": VOTES, "x": OTHERS})
    assert labelled.facts["people"] == ("human",)
    assert "'human' is people's" in str(labelled)


def test_if_two_column_names_do_not_show_who_rated_the_error_suggests_commands_with_each_as_the_judge() -> None:
    error = refused({"mensch": GRADES, "richter": OTHER_GRADES})
    assert error.choices == (
        "--judge mensch --human richter",
        "--judge richter --human mensch",
        "--human mensch --human richter",
    )


def test_all_words_better_than_a_passing_word_in_a_stated_order_also_pass() -> None:
    words = ["poor", "fine", "best", "poor"] * 5
    options = {"judge": ("a",), "human": ("b",), "levels": ("poor,fine,best",)}
    table = {"a": words, "b": [*words[:-1], "fine"]}
    for named in (("fine",), ("best", "fine"), ("b=fine",)):
        values = read(table, **options, pass_=named).values[""]
        assert (values.kind, values.pass_mark, values.knows_pass) == ("levels", 0.5, True)
    assert not read(table, **options).values[""].knows_pass
    assert refused(table, **options, pass_mark=3.0).code == "option-unused"
    assert refused(table, **options, pass_=("good",)).code == "option-unused"


def test_a_column_of_means_is_not_suggested_as_an_annotator() -> None:
    table = {"r1": GRADES, "r2": OTHER_GRADES, "mean": GRADES, "Average": GRADES}
    assert all("mean" not in choice and "Average" not in choice for choice in refused(table).choices)


def test_a_table_with_a_column_for_each_criterion_and_rater_is_refused_with_a_pattern_for_each_rater() -> None:
    table = {f"{criterion}_{rater}": GRADES for criterion in ("tone", "facts") for rater in ("ann", "ben")}
    error = refused(table)
    assert error.choices == ("--human '*_ann' --human '*_ben'", "--human 'tone_*' --human 'facts_*'")
    assert set(read(table, human=("*_ann", "*_ben")).roles.criteria) == {"tone", "facts"}
    with_judge = {**table, **{f"{criterion}_gpt-4o": GRADES for criterion in ("tone", "facts")}}
    assert refused(with_judge).choices[0] == "--human '*_ann' --human '*_ben' --judge '*_gpt-4o'"


def test_a_pattern_of_column_names_is_not_suggested_if_it_also_matches_a_column_of_notes() -> None:
    table = {f"{criterion}_{rater}": GRADES for criterion in ("tone", "facts") for rater in ("ann", "ben")}
    notes_of_one = {**table, "notes_ann": ["too long", "fine", "ok", "short"] * 5}
    assert refused(notes_of_one).choices == ("--human 'tone_*' --human 'facts_*'",)


def test_a_column_of_percentages_may_hold_ratings_even_if_all_of_them_differ() -> None:
    ours = [f"{number},5 %" for number in range(40, 60)]
    theirs = [f"{number}%" for number in range(41, 60)] + ["40,5%"]
    error = refused({"judge": ours, "ann": theirs, "price": [str(row) for row in range(20)]})
    assert error.choices == ("--human ann",)


def test_if_it_is_unclear_which_of_two_columns_is_the_judge_s_the_error_suggests_options_for_each_case() -> None:
    scores = [f"0,{row + 10}" for row in range(20)]
    error = refused({"text": [f"t{row} or so" for row in range(20)], "checker": ["good one", "bad one"] * 10,
                     "score_x": scores})  # fmt: skip
    assert set(error.choices) == {"--judge checker --human score_x", "--judge score_x --human checker"}
    assert refused({"checker": ["good one", "bad one"] * 10, "score_x": scores}, judge=("score_x",),
                   human=("checker",)).code == "pass-mark"  # fmt: skip


def test_columns_named_after_models_are_suggested_together_as_judges_and_never_as_annotators() -> None:
    words = ["pass", "fail"] * 10
    table = {"human": words, "claude": words, "gpt4": words[::-1], "check": words}
    assert refused(table).choices == (
        "--judge claude --judge gpt4",
        "--judge claude",
        "--judge gpt4",
        "--judge check",
        "--human human --human check",
    )


def test_a_table_with_a_row_per_annotator_may_have_a_column_with_the_judge_s_verdicts() -> None:
    rows = [
        {"id": f"p{row}", "annotator": rater, "vote": vote, "judge_vote": "A" if row % 2 else "B"}
        for row in range(12)
        for rater, vote in (("ann", "A" if row % 3 else "B"), ("ben", "B" if row % 4 else "A"))
    ]
    for options in (ColumnOptions(), ColumnOptions(judge=("judge_vote",))):
        reading = read_in_memory(rows, options)
        assert reading.raters("", judges=True) == ["judge_vote"]
        assert reading.raters("", judges=False) == ["ann", "ben"]
        assert (len(reading.ids), reading.with_both("")) == (12, 12)


@pytest.mark.parametrize("name", ["judge_vote", "llm_verdict", "judge_score"])
@pytest.mark.parametrize("human", [(), ("vote",)])
def test_a_column_such_as_judge_vote_in_a_table_with_a_row_per_annotator_is_read_as_the_judge_s(
    name: str, human: tuple[str, ...]
) -> None:
    rows = _row_of_each_annotator(name)
    for judge in ((), (name,)):
        reading = read_in_memory(rows, ColumnOptions(judge=judge, human=human))
        assert list(reading.roles.criteria) == [""]
        assert reading.raters("", judges=True) == [name]
        assert reading.raters("", judges=False) == ["ann", "ben"]


@pytest.mark.parametrize(("label", "verdict"), [("human_{}", "judge_{}"), ("{}_label", "{}_judge"), ("{}", "judge_{}")])
def test_a_table_with_a_row_per_annotator_and_a_column_per_criterion_may_also_have_columns_of_the_judge(
    label: str, verdict: str
) -> None:
    of_tone, of_facts = _row_of_each_annotator("judge", "tone"), _row_of_each_annotator("judge", "facts", 1)
    rows = [
        {"id": tone["id"], "annotator": tone["annotator"], label.format("tone"): tone["tone"],
         label.format("facts"): facts["facts"], verdict.format("tone"): tone["judge"],
         verdict.format("facts"): facts["judge"]}
        for tone, facts in zip(of_tone, of_facts, strict=True)
    ]  # fmt: skip
    reading = read_in_memory(rows, ColumnOptions())
    assert {name: reading.raters(name, judges=True) for name in reading.roles.criteria} == {
        label.format(name): ["judge"] for name in ("tone", "facts")
    }
    assert {rating.rater for rating in reading.whole_ratings} == {"ann", "ben", "judge"}


def test_a_table_with_a_row_per_annotator_and_criterion_may_have_a_column_with_the_judge_s_verdicts() -> None:
    rows = [
        row | {"criterion": criterion}
        for criterion in ("tone", "facts")
        for row in _row_of_each_annotator("judge", "vote", shift=len(criterion))
    ]
    reading = read_in_memory(rows, ColumnOptions())
    assert {name: reading.raters(name, judges=True) for name in reading.roles.criteria} == {
        "tone": ["judge"], "facts": ["judge"],
    }  # fmt: skip
    cells = {name: next(s.cells for s in reading.sides(name) if s.is_judge) for name in ("tone", "facts")}
    assert cells["tone"] == tuple("BA" * 6)
    assert cells["facts"] == tuple("AB" * 6)


def test_a_judge_s_column_on_a_criterion_that_no_annotator_rated_is_reported_as_unused() -> None:
    rows = [row | {"facts": row["tone"]} for row in _row_of_each_annotator("judge_style", "tone")]
    reading = read_in_memory(rows, ColumnOptions())
    assert not reading.has_judge
    assert list(reading.roles.criteria) == ["tone", "facts"]
    assert reading.roles.aside == ("judge_style",)


def _judged_on_two_criteria(judge: str, *, agreed: bool) -> list[dict[str, str]]:
    """Return rows by annotator with votes on tone and facts, and a judge's columns; `agreed` makes facts undisputed."""
    rows = []
    for tone, facts in zip(_row_of_each_annotator("j", "tone"), _row_of_each_annotator("j", "facts", 1), strict=True):
        of_facts = facts["j"] if agreed else facts["facts"]
        rows.append({key: tone[key] for key in ("id", "annotator", "tone")} | {"facts": of_facts})
        rows[-1] |= {f"{judge}_tone": tone["j"], f"{judge}_facts": facts["j"]}
    return rows


def test_a_criterion_on_which_all_annotators_agree_is_compared_with_its_own_judge_column() -> None:
    reading = read_in_memory(_judged_on_two_criteria("judge", agreed=True), ColumnOptions())
    assert {name: reading.raters(name, judges=True) for name in reading.roles.criteria} == {
        "tone": ["judge"], "facts": ["judge"],
    }  # fmt: skip
    stated = read_in_memory(_judged_on_two_criteria("judge", agreed=True), ColumnOptions(human=("tone", "facts")))
    assert list(stated.roles.criteria) == ["tone", "facts"]


def test_one_pattern_can_name_a_judge_s_columns_of_all_criteria_in_a_table_with_a_row_per_annotator() -> None:
    for agreed in (False, True):
        rows = _judged_on_two_criteria("gpt4", agreed=agreed)
        reading = read_in_memory(rows, ColumnOptions(judge=("gpt4_*",)))
        assert {name: reading.raters(name, judges=True) for name in reading.roles.criteria} == {
            "tone": ["gpt4"], "facts": ["gpt4"],
        }  # fmt: skip
        assert {rating.rater for rating in reading.whole_ratings} == {"ann", "ben", "gpt4"}


def test_in_a_table_with_a_row_per_annotator_a_column_named_as_the_judge_s_is_never_silently_left_out() -> None:
    rows = [row | {"facts": row["tone"]} for row in _row_of_each_annotator("verdict", "tone")]
    with pytest.raises(UsageError) as refusal:
        read_in_memory(rows, ColumnOptions(judge=("verdict",)))
    assert (refusal.value.code, refusal.value.choices) == ("which-columns", ("--human tone", "--human facts"))
    reading = read_in_memory(rows, ColumnOptions(judge=("verdict",), human=("tone",)))
    assert reading.raters("", judges=True) == ["verdict"]


def test_a_judge_s_verdict_may_be_in_only_one_of_an_example_s_rows_but_must_not_differ_between_the_rows() -> None:
    rows = _row_of_each_annotator("judge")
    in_first_row = [row | {"judge": ""} if row["annotator"] == "ben" else row for row in rows]
    for table in (rows, in_first_row):
        reading = read_in_memory(table, ColumnOptions())
        assert (reading.raters("", judges=True), reading.with_both("")) == (["judge"], 12)
    differing = [row | {"judge": "A" if row["annotator"] == "ben" else "B"} for row in rows]
    for options in (ColumnOptions(), ColumnOptions(judge=("judge",))):
        with pytest.raises(UsageError) as refusal:
            read_in_memory(differing, options)
        assert refusal.value.code == "rated-twice"


def test_an_unnamed_index_column_in_a_table_with_a_row_per_annotator_is_read_neither_as_id_nor_as_rating() -> None:
    rows = [{"": index} | row for index, row in enumerate(_row_of_each_annotator("judge"))]
    assert read_in_memory(rows, ColumnOptions()).raters("", judges=True) == ["judge"]


def _row_of_each_metric() -> dict[str, list[str]]:
    """Return a table with a row for each example and metric: ten examples, with a judge's and a person's ratings."""
    return {
        "example_id": [f"x{example}" for example in range(10) for _ in range(2)],
        "metric": ["accuracy", "tone"] * 10,
        "judge_score": ["0", "1"] * 10,
        "human_score": ["1", "1"] * 5 + ["0", "0"] * 5,
    }


@pytest.mark.parametrize("options", [{}, {"judge": ("judge_score",), "human": ("human_score",)}])
def test_a_table_with_a_row_per_example_and_metric_is_compared_by_metric_and_counts_each_example_once(
    options: Any,
) -> None:
    reading = read(_row_of_each_metric(), **options)
    assert (list(reading.roles.criteria), reading.ids) == (["accuracy", "tone"], tuple(f"x{row}" for row in range(10)))
    assert levels(reading, "judge_score", "accuracy") == [0.0] * 10
    assert levels(reading, "human_score", "tone") == [1.0] * 5 + [0.0] * 5


def test_a_table_that_repeats_examples_under_a_single_metric_is_not_read_by_metric() -> None:
    table = _row_of_each_metric()
    assert list(read(table | {"metric": ["accuracy"] * 20}).roles.criteria) == [""]


def test_a_column_named_after_a_model_next_to_rows_per_annotator_is_mentioned_as_possibly_a_judge_s() -> None:
    reading = read_in_memory(_row_of_each_annotator("gpt-4o"), ColumnOptions())
    assert (reading.has_judge, reading.roles.may_rate) == (False, ("gpt-4o",))


def test_the_columns_of_responses_and_of_groups_that_options_name_are_read_in_a_table_with_a_row_per_annotator() -> (
    None
):
    rows = [row | {"text": f"text {row['id']}", "topic": "parcels"} for row in _row_of_each_annotator("judge")]
    reading = read_in_memory(rows, ColumnOptions(response="text", group="topic"))
    first, *_ = reading.plain_examples
    assert (first.submission.response, first.group) == ("text p0", "parcels")


def test_an_option_that_names_a_column_which_a_table_with_a_row_per_annotator_lacks_is_refused() -> None:
    for named in (ColumnOptions(response="nosuch"), ColumnOptions(group="nosuch"), ColumnOptions(id="nosuch")):
        with pytest.raises(UsageError, match="names nothing that is there"):
            read_in_memory(_row_of_each_annotator("judge"), named)


def test_the_response_option_has_no_effect_if_its_column_has_several_values_for_one_example() -> None:
    reading = read_in_memory(_row_of_each_annotator("judge"), ColumnOptions(response="annotator"))
    assert "response" not in reading.roles.single


def _row_of_each_annotator(judge: str, vote: str = "vote", shift: int = 0) -> list[dict[str, str]]:
    """Return a row for each of two annotators' ratings of twelve examples, with the judge's verdict in each row."""
    return [
        {"id": f"p{row}", "annotator": rater, vote: rating, judge: "A" if (row + shift) % 2 else "B"}
        for row in range(12)
        for rater, rating in (("ann", "A" if row % 3 else "B"), ("ben", "B" if row % 4 else "A"))
    ]


# --- what cells say --------------------------------------------------------------------------------------------------


def test_a_thumb_emoji_means_the_same_in_every_skin_tone() -> None:
    thumbs = ["👍", "👎"] * 10
    reading = read(
        {"judge": thumbs, "human": [f"{thumb}{tone}" for thumb, tone in zip(thumbs, "🏽🏿" * 10, strict=True)]}
    )
    assert levels(reading, "judge") == levels(reading, "human")


@pytest.mark.parametrize("form", ["Score: {}/5", "rating = {} out of 5", "{}/5 stars", "{} of 5 points"])
def test_a_rating_such_as_score_4_of_5_or_4_of_5_stars_is_read_as_its_first_number(form: str) -> None:
    grades = [str(1 + row % 5) for row in range(20)]
    reading = read({"judge": [form.format(grade) for grade in grades], "human": grades})
    assert levels(reading, "judge") == levels(reading, "human")


@pytest.mark.parametrize("sign", ["–", "—", "k. A.", "k.A.", "n. a."])
def test_a_cell_with_only_a_dash_or_a_similar_sign_in_a_column_of_numbers_is_a_missing_rating(sign: str) -> None:
    reading = read({"judge": GRADES, "human": [sign, *GRADES[1:]]})
    assert reading.values[""].missing == {"judge": 0, "human": 1}


def test_a_table_is_refused_for_a_question_mark_in_a_cell_but_not_for_a_dash_or_n_a() -> None:
    error = refused({"judge": ["good", "bad"] * 10, "human": ["?", "N/A", "-", "#N/A", *["good", "bad"] * 8]})
    assert (error.code, dict(error.values)) == ("odd-value", {"?": 1})


def test_the_error_on_the_words_none_and_n_a_suggests_a_command_that_reads_both_as_missing_ratings() -> None:
    table = {"judge": ["minor", "major", "none"] * 8, "human": ["minor", "n/a", "none"] * 8}
    missing, values, in_order = refused(table).choices
    pairs = shlex.split(missing)[1::2]
    assert set(pairs) == {"none=", "n/a="}
    assert set(shlex.split(values)[1::2]) == {"none=none", "n/a=n/a"}
    assert shlex.split(in_order) == ["--levels", "WORST,…,BEST"]
    assert read(table, same=tuple(pairs)).with_both("") == 8


def test_for_scores_with_comments_the_suggested_option_reads_only_the_number_before_each_comment() -> None:
    ours = ["4 - good but wordy", "5/5", "2, off", "3-4", "2 - says 14, is 30", *GRADES[5:]]
    error = refused({"judge": ours, "human": GRADES})
    assert error.code == "mixed-form"
    pairs = shlex.split(error.choices[0])[1::2]
    assert set(pairs) == {"4 - good but wordy=4", "5/5=5", "2, off=2", "3-4=", "2 - says 14, is 30=2"}
    assert levels(read({"judge": ours, "human": GRADES}, same=tuple(pairs)), "judge")[:5] == [4, 5, 2, None, 2]


@pytest.mark.parametrize("choice", [0, 1, 2])
def test_if_cells_mix_numbers_and_words_each_suggested_option_makes_all_columns_readable(choice: int) -> None:
    ours = ["4 - good", "5/5", "2, off", "3-4", *GRADES[4:]]
    theirs = ["5/5", "skipped", "1: no A-3", "4/5", *GRADES[4:]]
    error = refused({"judge": ours, "human": theirs})
    assert (error.code, len(error.choices)) == ("mixed-form", 3)
    pairs = [pair.replace("NUMBER", "3") for pair in shlex.split(error.choices[choice])[1::2]]
    assert levels(read({"judge": ours, "human": theirs}, same=tuple(pairs)), "human")[0] == 5


def test_the_answer_neither_agree_nor_disagree_is_read_as_the_middle_of_its_scale() -> None:
    words = ["Strongly disagree", "disagree ", "Neither agree nor disagree", "Agree", "strongly agree"] * 4
    reading = read({"judge": words, "human": words})
    assert levels(reading, "human")[:5] == [0, 0.25, 0.5, 0.75, 1]


def test_a_note_on_a_judge_s_and_people_s_numbers_says_how_to_state_that_the_lowest_number_is_best() -> None:
    beside_judge = read({"judge": GRADES, "human": OTHER_GRADES})
    assert any("--levels 5-1" in note for note in notes(beside_judge))
    assert not any("better" in note for note in notes(read({"rater1": GRADES, "rater2": OTHER_GRADES})))
    assert not any("better" in note for note in notes(read({"judge": GRADES, "human": GRADES}, levels=("5-1",))))


# --- rows and headers ------------------------------------------------------------------------------------------------

ROWS = [f"q{row},an answer,{1 + row % 4},{1 + row % 3}" for row in range(12)]
HEADER = "nr,answer,judge,human"


@pytest.mark.parametrize(
    "below", [["Durchschnitt,,2.5,2"], ["Ø,,2.5,2"], ["Average,,2.5,2", "1 is the best of all grades,,,"]]
)
@pytest.mark.parametrize("is_first", [False, True])
def test_rows_of_averages_and_remarks_above_or_below_the_rated_rows_are_not_read_as_examples(
    below: list[str], is_first: bool, tmp_path: Path
) -> None:
    rows = [*below, *ROWS] if is_first else [*ROWS, *below]
    reading = read_files([file_of(tmp_path, "\n".join([HEADER, *rows]))], ColumnOptions())
    assert len(reading.ids) == len(ROWS)
    assert any("sum up" in note for note in notes(reading))


def test_a_row_of_means_in_a_table_without_texts_is_recognized_by_its_numbers(tmp_path: Path) -> None:
    rows = [f"q{row},{1 + row % 4},{1 + row % 3}" for row in range(12)]
    for last, n in (("mean,2.5,2", 12), ("mean,4,1", 13)):
        path = file_of(tmp_path, "\n".join(["id,judge,human", *rows, last]))
        assert len(read_files([path], ColumnOptions()).ids) == n


@pytest.mark.parametrize(("footer", "n_rows"), [("(3 rows)", 3), ("(4 rows)", 4)])
def test_the_count_of_rows_below_a_table_of_a_database_s_shell_is_not_a_row_if_it_is_their_number(
    tmp_path: Path, footer: str, n_rows: int
) -> None:
    table = " id | human | judge \n----+-------+-------\n a | 1 | 2 \n b | 2 | 2 \n c | 3 | 2 \n"
    reading = read_files([file_of(tmp_path, f"{table}{footer}\n", "t.txt")], ColumnOptions())
    assert len(reading.ids) == n_rows


def test_an_sqlite_file_without_tables_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE gone (a)")
        database.execute("DROP TABLE gone")
        database.commit()
    with pytest.raises(RatingError, match="is an SQLite file without tables") as error:
        read_files([path], ColumnOptions())
    assert str(path) in str(error.value)


def test_a_row_without_ratings_in_a_table_with_ratings_remains_an_example(tmp_path: Path) -> None:
    path = file_of(tmp_path, "\n".join([HEADER, *ROWS, "q99,,,", "total recall,an answer,3,3"]))
    assert len(read_files([path], ColumnOptions()).ids) == len(ROWS) + 2


def test_a_row_with_too_few_delimiters_is_read_with_empty_cells_at_its_end(tmp_path: Path) -> None:
    rows = [f"e{i},{judge},{human},seen" for i, (judge, human) in enumerate(zip(VOTES, OTHERS, strict=True))]
    rows[3] = rows[3].removesuffix(",seen")
    reading = read_files([file_of(tmp_path, "\n".join(["id,judge,human,remark", *rows]))], ColumnOptions())
    assert levels(reading, "human") == [float(vote == "yes") for vote in OTHERS]
    assert "rows with fewer cells than the header end in empty cells" in list(notes(reading))


def test_column_names_under_merged_cells_are_joined_with_the_text_of_the_merged_cell(tmp_path: Path) -> None:
    rows = [f"q{row},{1 + row % 4},{1 + row % 3},{1 + row % 4},{1 + row % 2}" for row in range(12)]
    path = file_of(tmp_path, "\n".join(["id,Tone,,Facts,", ",Ann,Ben,Ann,Ben", *rows]))
    reading = read_files([path], ColumnOptions(human=("* Ann", "* Ben")))
    assert {name: [s.column.name for s in reading.sides(name)] for name in reading.roles.criteria} == {
        "tone": ["Tone Ann", "Tone Ben"],
        "facts": ["Facts Ann", "Facts Ben"],
    }
    assert len(reading.ids) == len(rows)


def test_if_the_first_row_of_a_table_holds_values_it_is_an_example_and_not_a_header(tmp_path: Path) -> None:
    rows = [f"{row},How many are {row}?,{row % 2},{int(row % 3 > 0)},1" for row in range(1, 13)]
    path = file_of(tmp_path, "\n".join(rows))
    with pytest.raises(UsageError) as error:
        read_files([path], ColumnOptions())
    assert "column 3" in error.value.choices[-1]
    reading = read_files([path], ColumnOptions(human=("column 3", "column 4")))
    assert len(reading.ids) == len(rows)
    assert any("not a header" in note for note in notes(reading))


def test_all_sheets_of_a_workbook_with_the_same_columns_are_joined_by_id_on_request(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for rater, ids in (("Ann", range(12)), ("Ben", range(11, 0, -1))):
        sheet = book.create_sheet(rater)
        sheet.append(["id", "rating"])
        for row in ids:
            sheet.append([f"q{row}", "Good" if row % (2 if rater == "Ann" else 3) else "Bad"])
    sheet = book.create_sheet("Legend")
    sheet.append(["word", "meaning"])
    sheet.append(["Good", "as it should be"])
    book.save(tmp_path / "t.xlsx")
    asked = json.loads(run("calibrate", "t.xlsx", "--json", "-", cwd=tmp_path).stdout)["error"]
    assert (asked["code"], asked["commands"][0]) == ("which-table", "markscheme calibrate t.xlsx --table '*'")
    which = json.loads(run("calibrate", "t.xlsx", "--table", "*", "--json", "-", cwd=tmp_path).stdout)["error"]
    answer = json.loads(run(*shlex.split(which["commands"][-1]), "--json", "-", cwd=tmp_path).stdout)
    assert answer["annotators"] == ["Ann", "Ben"]
    assert (answer["agreement_person"]["n"], answer["read"]["rows"]) == (11, 11)


def test_all_sheets_of_a_workbook_are_joined_on_request_if_no_two_have_the_same_columns(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for name, column in (("judge", "verdict"), ("ann", "label")):
        sheet = book.create_sheet(name)
        sheet.append(["id", column])
        for row in range(12):
            sheet.append([f"q{row}", "pass" if row % 2 else "fail"])
    book.save(tmp_path / "t.xlsx")
    answer = json.loads(run("calibrate", "t.xlsx", "--table", "*", "--json", "-", cwd=tmp_path).stdout)
    assert (answer["read"]["rows"], answer["agreement"]["value"]) == (12, 1.0)
    sheet = book.create_sheet("summary")
    sheet.append(["month", "note"])
    sheet.append(["May", "fewer fails"])
    book.save(tmp_path / "t.xlsx")
    refused = json.loads(run("calibrate", "t.xlsx", "--table", "*", "--json", "-", cwd=tmp_path).stdout)["error"]
    assert refused["code"] == "ids-apart"


def test_ids_written_with_a_decimal_point_by_a_spreadsheet_match_the_whole_numbers_of_another_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "ann.csv").write_text("id,label\n" + "".join(f"{row}.0,{row % 2}\n" for row in range(12)))
    (tmp_path / "judge.csv").write_text("id,verdict\n" + "".join(f"{row},{row % 2}\n" for row in range(12)))
    answer = json.loads(run("calibrate", "ann.csv", "judge.csv", "--json", "-", cwd=tmp_path).stdout)
    assert (answer["read"]["rows"], answer["agreement"]["value"]) == (12, 1.0)


# --- faults of every row ---------------------------------------------------------------------------------------------


def test_a_fault_in_many_lines_of_a_table_is_reported_once() -> None:
    same = [Fault("says nothing of who wrote it", line) for line in range(1, 11)]
    others = [Fault(f"has {line} cells", line) for line in range(11, 18)]
    sentences = str(RatingError([*same, *others], path="t.csv")).splitlines()
    assert sentences[0] == "t.csv:1: says nothing of who wrote it; so in 9 more (lines 2, 3, …)"
    assert sentences[1:] == [f"t.csv:{line}: has {line} cells" for line in range(11, 16)] + [
        "t.csv: and 2 more lines like line 11"
    ]


# --- encodings, and files that aren't tables -------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_table_reads_the_same_in_utf_8_and_utf_16_with_and_without_a_byte_order_mark(
    tmp_path: Path, encoding: str
) -> None:
    rows = "".join(
        f"t{index},{judge},{human}\n" for index, (judge, human) in enumerate(zip(VOTES, OTHERS, strict=True))
    )
    path = tmp_path / "t.csv"
    path.write_bytes(f"id,verdict,human\n{rows}".encode(encoding))
    reading = read_files([path], ColumnOptions())
    assert levels(reading, "verdict") == [float(vote == "yes") for vote in VOTES]
    assert levels(reading, "human") == [float(vote == "yes") for vote in OTHERS]


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"<table border=1><tr><th>id</th></tr></table>", "HTML"),
        (b"<!DOCTYPE html><p>Sign in</p>", "HTML"),
        (b"id,verdict\n\0\0\0,\0\n", "binary data"),
    ],
)
def test_a_web_page_or_binary_data_in_a_file_named_like_a_table_is_refused_and_named_as_such(
    tmp_path: Path, raw: bytes, kind: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(raw)
    with pytest.raises(UsageError) as error:
        read_files([path], ColumnOptions())
    assert (error.value.code, error.value.facts["kind"]) == ("not-a-table", kind)
