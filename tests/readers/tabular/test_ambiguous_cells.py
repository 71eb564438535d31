"""Tables with ambiguous cells or headers, which are refused until an option explains them."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from markscheme import calibrate
from markscheme.calibration.table_frames import read_in_memory
from markscheme.errors import RatingError, UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.reading import TableReading, read_files
from tests.commands.console import run

TOPICS = ["tone", "facts", "length"] * 8


def read(judge: list[Any], human: list[Any], **options: Any) -> TableReading:
    return read_in_memory({"judge": judge, "human": human}, ColumnOptions(**options))


def refused(judge: list[Any], human: list[Any], **options: Any) -> UsageError:
    with pytest.raises(UsageError) as error:
        read(judge, human, **options)
    return error.value


@pytest.mark.parametrize("sign", [";", ", ", " | ", "+"])
def test_several_known_values_in_one_cell_are_refused_because_they_look_like_a_list(sign: str) -> None:
    error = refused([f"tone{sign}facts", *TOPICS[1:]], TOPICS)
    assert (error.code, list(error.columns)) == ("several-values", ["judge"])


def test_a_category_with_an_ampersand_is_not_read_as_a_list_of_categories() -> None:
    categories = ["search & replace", "tone", "facts"] * 8
    assert read(categories, categories).values[""].kind == "categories"


@pytest.mark.parametrize("word", ["skip", "Not sure", "can't tell", "?"])
def test_a_word_such_as_skip_that_only_one_rater_uses_is_refused_until_an_option_says_what_it_means(
    word: str,
) -> None:
    error = refused(TOPICS, [word, *TOPICS[1:]])
    assert error.code == "missing-word"
    left_out = read(TOPICS, [word, *TOPICS[1:]], same=(f"{word}=",))
    assert left_out.with_both("") == len(TOPICS) - 1
    unchanged = read(TOPICS, [word, *TOPICS[1:]], same=(f"{word}={word}",))
    assert unchanged.with_both("") == len(TOPICS)


def test_a_word_such_as_skip_that_both_raters_use_is_read_as_a_category() -> None:
    assert read(["skip", *TOPICS[1:]], ["tone", "skip", *TOPICS[2:]]).with_both("") == len(TOPICS)


def test_a_column_of_a_few_repeated_sentences_is_not_read_as_ratings() -> None:
    answers = ["Open Settings, then Security.", "Call the desk at night."] * 12
    columns = {"expected": answers, "judge": ["pass", "fail"] * 12, "human": ["pass", "pass"] * 12}
    reading = read_in_memory(columns, ColumnOptions())
    assert [side.column.name for side in reading.sides("")] == ["judge", "human"]


def test_a_header_that_spans_two_rows_is_refused_with_the_number_of_the_column_that_lacks_a_name(
    tmp_path: Path,
) -> None:
    rows = [f"t{row},{'yes' if row % 2 else 'no'},no,yes,{'yes' if row % 3 else 'no'}" for row in range(20)]
    (tmp_path / "t.csv").write_text("\n".join([",Judge,,Human,", "id,tone,facts,tone,facts", *rows]))
    with pytest.raises(RatingError, match="header of two rows: column 3"):
        read_files([tmp_path / "t.csv"], ColumnOptions())


def test_a_column_without_a_name_is_called_by_its_position_such_as_column_3(tmp_path: Path) -> None:
    rows = [f"t{row},{'pass' if row % 2 else 'fail'},x,{'pass' if row % 3 else 'fail'},{row}" for row in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["id,judge,,human,", *rows]))
    reading = read_files([tmp_path / "t.csv"], ColumnOptions())
    assert [column.name for column in reading.columns] == ["id", "judge", "column 3", "human", "column 5"]
    assert reading.with_both("") == len(rows)


NUMBERS = [1, 2, 3, 4, 5] * 6


@pytest.mark.parametrize("code", [-1, -9])
def test_a_negative_number_among_ratings_is_refused_since_it_may_mean_not_rated(code: int, tmp_path: Path) -> None:
    error = refused(NUMBERS, [code, *NUMBERS[1:]])
    assert (error.code, dict(error.values)) == ("missing-word", {str(code): 1})
    rows = [f"t{row},{judge},{code if row == 0 else judge}" for row, judge in enumerate(NUMBERS)]
    (tmp_path / "t.csv").write_text("\n".join(["id,judge,human", *rows]))
    counted = []
    for choice in error.choices:
        done = run("calibrate", "t.csv", *shlex.split(choice), "--json", "-", "--quiet", cwd=tmp_path)
        answer = json.loads(done.stdout)
        counted.append((answer["agreement"]["n"], answer["agreement"]["value"]))
    assert counted == [(29, 1.0), (30, pytest.approx(29 / 30))]


@pytest.mark.parametrize("numbers", [[-1, 0, 1] * 8, [-2, -1, 1, 2] * 6, [-1, 0, 1, 2, 3] * 5])
def test_if_a_column_has_numbers_below_and_above_zero_negative_numbers_are_levels_and_not_missing_ratings(
    numbers: list[int],
) -> None:
    reading = read(numbers, [numbers[1], *numbers[1:]])
    assert (reading.values[""].kind, reading.values[""].ends) == ("levels", (min(numbers), max(numbers)))


def test_the_commands_suggested_for_a_table_with_a_cell_that_begins_with_a_dash_run_when_pasted(tmp_path: Path) -> None:
    rows = [f"t{row},{topic},{'-' if row == 0 else topic}" for row, topic in enumerate(TOPICS)]
    (tmp_path / "t.csv").write_text("\n".join(["id,judge,human", *rows]))
    asked = run("calibrate", "t.csv", "--json", "-", "--quiet", cwd=tmp_path)
    commands = [shlex.split(command)[2:] for command in json.loads(asked.stdout)["error"]["commands"]]
    answers = [
        json.loads(run("calibrate", *words, "--quiet", "--json", "-", cwd=tmp_path).stdout) for words in commands
    ]
    assert [answer["agreement"]["n"] for answer in answers[:2]] == [23, 24]


def test_a_title_above_the_header_of_a_csv_file_is_not_taken_for_the_header(tmp_path: Path) -> None:
    titled = "Review of May,,\n,,\nid,judge,human\n" + "".join(
        f"t{row},{word},{word}\n" for row, word in enumerate(TOPICS)
    )
    (tmp_path / "titled.csv").write_text(titled)
    reading = read_files([tmp_path / "titled.csv"], ColumnOptions())
    assert (len(reading.ids), reading.with_both("")) == (24, 24)
    (tmp_path / "gaps.csv").write_text("judge,,\npass,1,x\nfail,2,y\n")
    with pytest.raises(UsageError) as error:
        read_files([tmp_path / "gaps.csv"], ColumnOptions())
    assert error.value.code == "which-columns"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_title_without_delimiters_is_not_taken_for_the_header(delimiter: str, tmp_path: Path) -> None:
    rows = ["id,judge,human", *(f"t{row},{word},{word}" for row, word in enumerate(TOPICS))]
    (tmp_path / "t.csv").write_text("# Review of May\n" + "\n".join(rows).replace(",", delimiter))
    reading = read_files([tmp_path / "t.csv"], ColumnOptions())
    assert (len(reading.ids), reading.with_both("")) == (24, 24)


@pytest.mark.parametrize("rule", ["|---|:---|---:|", "----+-------+-------"])
def test_a_line_drawn_below_the_header_is_no_row_of_a_table(rule: str, tmp_path: Path) -> None:
    rows = ["| id | judge | human |", rule, *(f"| t{row} | {word} | {word} |" for row, word in enumerate(TOPICS))]
    (tmp_path / "t.md").write_text("\n".join(rows))
    reading = read_files([tmp_path / "t.md"], ColumnOptions())
    assert (len(reading.ids), reading.with_both("")) == (24, 24)


def test_rows_of_minus_signs_below_the_header_are_ratings_and_not_a_line(tmp_path: Path) -> None:
    path = tmp_path / "signs.csv"
    path.write_text("judge,human\n" + "-,-\n" * 3 + "+,+\n" * 5)
    assert len(read_files([path], ColumnOptions(levels=("-", "+"))).ids) == 8


def test_a_column_of_durations_is_not_read_as_ratings() -> None:
    took = {"judge_duration": NUMBERS, "human_duration": NUMBERS[::-1]}
    reading = read_in_memory({"judge_score": NUMBERS, "human_score": NUMBERS, **took}, ColumnOptions())
    assert {name: [side.column.name for side in sides] for name, sides in reading.roles.criteria.items()} == {
        "": ["judge_score", "human_score"]
    }


def test_a_header_over_two_rows_is_refused_even_if_a_column_below_it_never_repeats_a_value(
    tmp_path: Path,
) -> None:
    rows = [f"t{row},Reply number {row},{row % 5},4,{row % 3},{row % 2}" for row in range(20)]
    header = [",,Judge,,Human,", "ID,Response,tone,facts,tone,facts"]
    (tmp_path / "t.csv").write_text("\n".join([*header, *rows]))
    with pytest.raises(RatingError, match="header of two rows: column 2"):
        read_files([tmp_path / "t.csv"], ColumnOptions())


def test_an_error_about_an_unknown_word_in_one_column_does_not_mention_n_a_cells_of_another_column() -> None:
    error = refused(["yes", "no", "n/a", "yes"] * 6, ["yes", "no", "no", "??"] * 6)
    assert (error.code, list(error.columns), dict(error.values)) == ("odd-value", ["human"], {"??": 6})


def test_if_the_pass_option_says_no_then_false_is_the_passing_value_in_columns_of_true_and_false() -> None:
    faults = ["true", "false", "false"] * 8
    reading = read_in_memory({"has_error_judge": faults, "has_error_human": faults}, ColumnOptions(pass_=("no",)))
    (values,) = reading.values.values()
    assert set(values.passes.values()) == {"false"}


def test_the_pass_option_can_state_passing_values_for_the_columns_of_each_criterion() -> None:
    levels = {"tone": ["3", "4"] * 12, "facts": ["2", "4"] * 12}
    columns = {f"{criterion}_{side}": cells for criterion, cells in levels.items() for side in ("judge", "human")}
    reading = read_in_memory(columns, ColumnOptions(pass_=tuple(f"{name}=4" for name in columns)))
    assert {name: set(values.passes.values()) for name, values in reading.values.items()} == {
        "tone": {"4"},
        "facts": {"4"},
    }


def test_if_the_judge_uses_numbers_and_people_use_ordered_words_the_refusal_suggests_a_number_for_each_word() -> None:
    agree = ["Disagree", "Neutral", "Agree"] * 8
    error = refused(["2", "3", "4"] * 8, agree)
    assert error.code == "pass-mark"
    (numbered,) = [shlex.split(choice) for choice in error.choices if "--same" in choice]
    assert read(["2", "3", "4"] * 8, agree, same=tuple(numbered[1::2])).with_both("") == len(agree)


def test_a_stated_order_of_levels_without_some_values_of_the_table_is_refused_and_these_values_are_named() -> None:
    error = refused(["2", "3", "4"] * 8, ["low", "high", "low"] * 8, levels=("low", "high"))
    assert (error.code, list(error.columns), set(error.values)) == ("no-place", ["judge"], {"2", "3", "4"})


@pytest.mark.parametrize(
    ("yes", "no"), [("ja", "nein"), ("oui", "non"), ("sí", "no"), ("sì", "no"), ("sim", "não"), ("tak", "nie")]
)
def test_yes_and_no_are_read_as_pass_and_fail_in_several_languages(yes: str, no: str) -> None:
    reading = read(["pass", "fail", "fail"] * 8, [yes, no, yes] * 8)
    assert (reading.values[""].kind, reading.values[""].passes["human"]) == ("decision", yes)


def test_a_table_with_a_column_of_raters_is_refused_if_it_is_unclear_which_column_names_examples() -> None:
    dialogues = [f"dialogue {row // 2}" for row in range(32)]
    columns = {"dialogue": dialogues, "rater": ["ann", "ben"] * 16, "score": ["1", "2", "3", "3"] * 8}
    with pytest.raises(UsageError) as error:
        read_in_memory(columns, ColumnOptions())
    assert (error.value.code, error.value.choices) == ("rater-alone", ("--id COLUMN",))
    with pytest.raises(UsageError) as error:
        read_in_memory({"id": dialogues, "annotator": ["pass", "fail"] * 16}, ColumnOptions())
    assert (error.value.code, error.value.choices) == ("one-rater", ("--judge COLUMN",))


def test_a_column_of_row_ids_is_not_read_as_ratings_in_a_table_with_one_row_per_rating() -> None:
    rows = [str(row) for row in range(1, 9)]
    columns = {"id": rows, "item": ["a", "a", "b", "b"] * 2, "annotator": ["ann", "ben"] * 2 + ["cy", "di"] * 2}
    reading = read_in_memory({**columns, "score": ["1", "2", "3", "3"] * 2}, ColumnOptions())
    assert list(reading.roles.criteria) == [""]


def test_a_table_with_a_column_of_raters_is_refused_until_an_option_names_the_column_of_examples() -> None:
    cases = [str(row // 2) for row in range(40)]
    who = ["ann", "ben"] * 20
    columns = {"sample": cases, "evaluator": who, "verdict": ["pass", "fail", "pass", "pass"] * 10}
    with pytest.raises(UsageError) as error:
        read_in_memory(columns, ColumnOptions(map=("evaluator=rater",)))
    assert (error.value.code, error.value.choices) == ("rater-alone", ("--id COLUMN",))
    reading = read_in_memory(columns, ColumnOptions(map=("evaluator=rater",), id="sample"))
    assert reading.with_both("") == len(cases) / 2


def test_a_column_named_only_after_its_rater_such_as_rating_by_human_names_no_criterion() -> None:
    values = ["good", "bad"] * 12
    reading = read_in_memory({"rating_by_human": values, "rating_by_llm": values}, ColumnOptions())
    assert list(reading.roles.criteria) == [""]


def test_a_copied_row_of_a_table_counts_once_and_a_message_mentions_the_copies(tmp_path: Path) -> None:
    rows = [f"t{row},{'pass' if row % 2 else 'fail'},pass" for row in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["id,judge,human", *rows, *rows[:3]]))
    done = run("calibrate", "t.csv", cwd=tmp_path)
    assert "20 rows, 20 with both" in done.stdout
    assert "counts once: 3 left out" in done.stderr


@pytest.mark.parametrize("is_frame", [False, True])
def test_equal_rows_all_count_if_no_column_of_ids_distinguishes_them(tmp_path: Path, *, is_frame: bool) -> None:
    columns = {
        "task_id": [row // 2 for row in range(40)],
        "judge": ["pass"] * 40,
        "human": ["pass", "fail"] + ["pass"] * 38,
    }
    (tmp_path / "t.csv").write_text(
        "\n".join(",".join(map(str, row)) for row in [list(columns), *zip(*columns.values(), strict=True)])
    )
    reading = (
        read_in_memory(columns, ColumnOptions()) if is_frame else read_files([tmp_path / "t.csv"], ColumnOptions())
    )
    assert reading.with_both("") == 40


def test_the_report_calls_a_column_of_ids_with_an_empty_header_the_column_without_a_name(tmp_path: Path) -> None:
    rows = [f"t{row},{'pass' if row % 2 else 'fail'},pass" for row in range(20)]
    (tmp_path / "t.csv").write_text("\n".join([",judge,human", *rows]))
    assert "id: the column without a name · 20 rows" in " ".join(run("calibrate", "t.csv", cwd=tmp_path).stdout.split())


def test_words_for_yes_and_no_of_several_languages_in_one_column_are_pass_and_fail(tmp_path: Path) -> None:
    words = [("yes", "no"), ("oui", "non"), ("ja", "nein")]
    cells = [words[row % 3][row % 2] for row in range(48)]
    judge = ["fail" if row % 2 else "pass" for row in range(48)]
    assert read(judge, cells).values[""].kind == "decision"
    (tmp_path / "t.csv").write_text("id,judge,human\n" + "".join(f"{i},{judge[i]},{cells[i]}\n" for i in range(48)))
    answer = run("calibrate", "t.csv", cwd=tmp_path)
    assert "(yes, ja and oui pass)" in " ".join(answer.stdout.split())
    assert json.loads(run("calibrate", "t.csv", "--json", "-", cwd=tmp_path).stdout)["agreement"]["value"] == 1.0


def test_the_line_on_how_a_table_was_read_describes_equally_read_columns_only_once(tmp_path: Path) -> None:
    rows = [f"t{row},pass,{','.join('10'[row % 2] for _ in range(8))}" for row in range(40)]
    head = ",".join(["id", "judge", *(f"human{number}" for number in range(1, 9))])
    (tmp_path / "t.csv").write_text("\n".join([head, *rows]) + "\n")
    shown = " ".join(run("calibrate", "t.csv", cwd=tmp_path).stdout.split())
    assert "judge: pass" in shown
    assert "human1, human2, human3 and 5 more: 1/0 (1 passes) · id: id" in shown


def test_the_error_on_verdicts_with_remarks_suggests_to_read_each_verdict_as_the_matching_plain_word() -> None:
    judge = ["PASS - polite", "PASS - short", "FAIL - rude", "FAIL - late"] * 10
    choice, _ = refused(judge, ["fail", "pass"] * 20).choices
    stated = tuple(shlex.split(choice)[1::2])
    assert stated == ("PASS - polite=pass", "PASS - short=pass", "FAIL - rude=fail", "FAIL - late=fail")
    assert read(judge, ["fail", "pass"] * 20, same=stated).values[""].kind == "decision"


def test_a_value_such_as_no_error_that_begins_like_a_verdict_is_not_suggested_to_be_a_verdict() -> None:
    error = refused(["no error", "error"] * 10, ["pass", "partial", "pass", "fail"] * 5)
    assert not [choice for choice in error.choices if "no error=" in choice]


def test_verdicts_with_remarks_are_matched_with_plain_verdicts_even_if_their_column_mixes_both_forms() -> None:
    people = ["PASS - polite", "FAIL: rude", "PASS", "FAIL"] * 6
    (choice,) = refused(["pass", "fail"] * 12, people).choices
    stated = tuple(shlex.split(choice)[1::2])
    assert stated == ("PASS - polite=pass", "FAIL: rude=fail")
    assert read(["pass", "fail"] * 12, people, same=stated).values[""].kind == "decision"


def test_an_unclear_value_is_suggested_as_a_fail_unless_it_contains_a_word_for_pass_such_as_good() -> None:
    people = ["no - late", "unsure", "not good enough", "yes"] * 6
    left_out, decided = refused(["yes", "no"] * 12, people).choices
    assert shlex.split(left_out)[1::2] == ["no - late=no", "unsure=", "not good enough="]
    assert shlex.split(decided)[1::2] == ["no - late=no", "unsure=fail", "not good enough=PASS-OR-FAIL"]


def test_a_verdict_with_a_remark_is_never_matched_with_the_opposite_verdict() -> None:
    error = refused(["PASS - x", "FAIL - y", "unsure"] * 8, ["FAIL: rude", "PASS - polite", "unsure"] * 8)
    assert shlex.split(error.choices[0])[1::2] == ["FAIL: rude=FAIL - y"]


def test_a_pattern_for_judge_columns_skips_columns_of_reasons_unless_the_pattern_contains_such_a_word() -> None:
    columns = {"eval_1": ["pass", "fail"] * 12, "eval_reason": ["It is polite.", "It is rude."] * 12}
    reading = read_in_memory(columns | {"human": ["pass", "fail"] * 12}, ColumnOptions(judge=("eval_*",)))
    assert reading.raters("", judges=True) == ["eval_1"]
    columns = {"notes_a": ["pass", "fail"] * 12, "human": ["pass", "fail"] * 12}
    assert read_in_memory(columns, ColumnOptions(judge=("notes_*",))).raters("", judges=True) == ["notes_a"]


TURNS = range(40)


def test_thumbs_in_a_column_of_feedback_are_ratings_and_not_the_reasons_of_others() -> None:
    thumbs = ["👍" if turn % 3 else "👎" for turn in TURNS]
    rows: list[dict[str, Any]] = [
        {"id": turn, "llm_judge": "pass" if turn % 4 else "fail", "human_feedback": thumbs[turn]} for turn in TURNS
    ]
    assert calibrate(rows).to_json()["read"]["columns"]["human_feedback"]["role"] == "human"
    users: list[dict[str, Any]] = [
        {"id": row["id"], "llm_judge": row["llm_judge"], "user_feedback": thumbs[row["id"]]} for row in rows
    ]
    with pytest.raises(UsageError) as error:
        calibrate(users)
    assert (error.value.code, error.value.columns) == ("which-columns", ("user_feedback",))


def test_numbers_in_a_column_named_after_a_model_are_offered_as_the_judge_s_beside_columns_that_may_be_people_s() -> (
    None
):
    rows = [{"id": turn, "Anna": turn % 5 + 1, "Bob": turn % 5 + 1, "GPT score": turn * 2.5} for turn in TURNS]
    with pytest.raises(UsageError) as error:
        calibrate(rows)
    assert "judge='GPT score', human=['Anna', 'Bob']" in error.value.choices[0]


def test_a_refusal_of_outputs_names_a_column_of_true_and_false_that_may_rate_them() -> None:
    rows = [{"question": f"q{turn}", "answer": f"a{turn}", "is_toxic": turn % 3 == 0} for turn in TURNS]
    with pytest.raises(UsageError) as error:
        calibrate(rows)
    assert (error.value.code, error.value.facts["decided"]) == ("nothing-rated", ["is_toxic"])


def test_columns_named_after_a_model_next_to_people_s_columns_on_the_same_criteria_are_asked_about() -> None:
    rows = [
        {"id": turn, **{f"{rater}_{key}": turn % 4 + 1 for rater in ("human", "gpt") for key in ("tone", "facts")}}
        for turn in TURNS
    ]
    with pytest.raises(UsageError) as error:
        calibrate(rows)
    assert (error.value.code, error.value.columns) == ("which-columns", ("gpt_tone", "gpt_facts"))
    assert "judge='gpt_*'" in error.value.choices[0]
    assert set(calibrate(rows, judge="gpt_*").to_json()["criteria"]) == {"tone", "facts"}


def test_a_column_of_reviewers_names_is_not_compared_with_a_judge_s_verdicts() -> None:
    rows = [
        {
            "id": turn,
            "judge_verdict": "correct" if turn % 3 else "incorrect",
            "reviewer": "ann" if turn % 2 else "bob",
            "review_decision": "correct" if turn % 4 else "incorrect",
        }
        for turn in TURNS
    ]
    with pytest.raises(UsageError) as error:
        calibrate(rows)
    assert (error.value.code, error.value.columns) == ("which-columns", ("review_decision",))


def test_a_model_s_annotation_in_a_table_of_a_row_per_annotator_is_the_judge_s() -> None:
    rows = [
        {
            "item": turn,
            "annotator": name,
            "annotation": (turn + (turn % len(name) == 0)) % 3 + 1,
            "model_annotation": turn % 3 + 1,
        }
        for turn in TURNS
        for name in ("ann", "chris")
    ]
    assert calibrate(rows).to_json()["read"]["columns"]["model_annotation"]["role"] == "judge"


def test_labels_in_a_column_named_annotator_are_no_names_of_raters_where_another_column_has_the_same_values() -> None:
    words = ["safe", "unsafe", "safe"]
    rows = [{"id": turn, "annotator": words[turn % 3], "guard_model": words[turn % 3]} for turn in TURNS]
    with pytest.raises(UsageError) as error:
        calibrate(rows)
    assert error.value.code == "one-rater"
    assert "judge='guard_model'" in error.value.choices[0]
