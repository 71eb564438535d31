"""Pairs of responses with preferences, in files of other tools."""

import gzip
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markscheme import calibrate
from markscheme.errors import RatingError, UsageError
from markscheme.readers.imported import Columns
from markscheme.readers.pair_rows import pair_rubric
from markscheme.readers.rated import RatedFiles, open_rated
from markscheme.rubrics.rubric import Rubric
from tests.commands.console import run
from tests.stats.pairs_data import ITEMS

BY_A_PERSON = Columns(kind="human", rater="ann")


def written(folder: Path, name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
    path = folder / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def levels(read: RatedFiles) -> list[float | None]:
    return [rating.criteria["preference"].level for rating in read.ratings]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["A", "tie", "B"], [-1.0, 0.0, 1.0]),
        (["first", "tie", "second"], [-1.0, 0.0, 1.0]),
        ([-1, 0, 1], [-1.0, 0.0, 1.0]),
        ([1, 0, 2], [-1.0, 0.0, 1.0]),
        (["model_a", "tie (bothbad)", "model_b"], [-1.0, 0.0, 1.0]),
    ],
)
def test_preferences_are_read_in_any_of_the_usual_spellings(
    tmp_path: Path, values: Sequence[Any], expected: Sequence[float]
) -> None:
    rows = [
        {"id": f"p{n}", "query": "q", "first": "one", "second": "two", "preference": value}
        for n, value in enumerate(values)
    ]
    assert levels(open_rated([written(tmp_path, "pairs.jsonl", rows)], columns=BY_A_PERSON)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({}, None),
        ({"1": "first", "0": "tie"}, [-1.0, 0.0]),
        ({"1": "second", "0": "first"}, [1.0, -1.0]),
        ({"1": "first", "0": "second"}, [-1.0, 1.0]),
    ],
)
def test_preferences_given_only_as_0_and_1_are_refused_until_the_caller_states_which_response_is_1(
    tmp_path: Path, words: Mapping[str, str], expected: Sequence[float] | None
) -> None:
    rows = [{"id": f"p{n}", "first": "one", "second": "two", "winner": value} for n, value in enumerate((1, 0))]
    path = written(tmp_path, "pairs.jsonl", rows)
    if expected is None:
        with pytest.raises(RatingError, match="`--levels 1=first` or `--levels 1=second`"):
            open_rated([path], columns=BY_A_PERSON)
    else:
        assert levels(open_rated([path], columns=replace(BY_A_PERSON, words=words))) == expected


@pytest.mark.parametrize(("number", "words"), [(1, {}), (0, {}), (0, {"1": "first"})])
def test_preferences_that_are_all_1_or_all_0_are_refused_until_the_caller_says_which_response_the_number_means(
    tmp_path: Path, number: int, words: Mapping[str, str]
) -> None:
    rows = [{"id": f"p{n}", "first": "one", "second": "two", "winner": number} for n in range(2)]
    path = written(tmp_path, "pairs.jsonl", rows)
    with pytest.raises(RatingError, match="which may mean several things"):
        open_rated([path], columns=replace(BY_A_PERSON, words=words))
    meant = replace(BY_A_PERSON, words={str(number): "second"})
    assert levels(open_rated([path], columns=meant)) == [1.0, 1.0]


def test_a_pair_keeps_an_id_that_is_the_number_0(tmp_path: Path) -> None:
    rows = [{"id": 0, "question_id": "q", "first": "one", "second": "two", "winner": "first"}]
    (example,) = open_rated([written(tmp_path, "pairs.jsonl", rows)], columns=BY_A_PERSON).files[0].examples
    assert example.id == "0"


def test_a_response_of_a_pair_keeps_an_id_that_is_the_number_0(tmp_path: Path) -> None:
    sides = {name: {"id": number, "response": name} for number, name in enumerate(("first", "second"))}
    rows = [{"id": "p", **sides, "winner": "first"}]
    (file,) = open_rated([written(tmp_path, "pairs.jsonl", rows)], columns=BY_A_PERSON).files
    assert [side.id for side in file.examples[0].sides or ()] == ["0", "1"]


def test_pairs_of_responses_are_read_from_a_table(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text(
        "id,query,response_a,response_b,model_a,model_b,winner\np1,Hi?,one,two,x,y,model_b\n"
    )
    read = open_rated([tmp_path / "pairs.csv"], columns=BY_A_PERSON)
    (example,) = read.files[0].examples
    assert levels(read) == [1.0]
    assert (example.submission.response, example.submission.second) == ("one", "two")
    assert example.sides is not None
    assert [side.system for side in example.sides] == ["x", "y"]


def test_names_of_columns_of_pairs_may_have_capital_letters(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text(
        "ID,Query,Response_A,Response_B,Model_A,Model_B,Winner\np1,Hi?,one,two,x,y,model_b\n"
    )
    read = open_rated([tmp_path / "pairs.csv"], columns=BY_A_PERSON)
    (example,) = read.files[0].examples
    assert levels(read) == [1.0]
    assert (example.id, example.submission.response, example.submission.second) == ("p1", "one", "two")
    assert not read.files[0].lost


def test_responses_of_an_arena_battle_are_the_last_turns_of_its_two_conversations(tmp_path: Path) -> None:
    def turns(reply: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": "Where is it?"}, {"role": "assistant", "content": reply}]

    row = {
        "question_id": "b1",
        "model_a": "x",
        "model_b": "y",
        "winner": "tie (bothbad)",
        "judge": "arena_user_1",
        "conversation_a": turns("Here."),
        "conversation_b": turns("There."),
        "turn": 1,
        "language": "English",
    }
    read = open_rated([written(tmp_path, "battles.jsonl", [row])], columns=BY_A_PERSON)
    (example,) = read.files[0].examples
    assert example.submission.inputs == {"query": "Where is it?"}
    assert (example.submission.response, example.submission.second) == ("Here.", "There.")
    assert levels(read) == [0.0]


def test_pairs_that_do_not_say_who_judged_them_are_refused_and_the_error_names_the_kind_option(tmp_path: Path) -> None:
    rows = [{"id": "p", "first": "one", "second": "two", "preference": "first"}]
    with pytest.raises(RatingError, match="--kind"):
        open_rated([written(tmp_path, "pairs.jsonl", rows)])


def test_an_unknown_preference_is_refused_with_its_row(tmp_path: Path) -> None:
    rows = [{"id": "p", "first": "one", "second": "two", "preference": "better"}]
    with pytest.raises(RatingError, match="row 1"):
        open_rated([written(tmp_path, "pairs.jsonl", rows)], columns=BY_A_PERSON)


def test_a_file_of_pairs_of_responses_is_refused_if_the_rubric_judges_single_responses(tmp_path: Path) -> None:
    rows = [{"id": "p", "first": "one", "second": "two", "preference": "first"}]
    single = Rubric.from_dict([{"requirement": "It helps."}])
    with pytest.raises(RatingError, match="judges single responses"):
        open_rated([written(tmp_path, "pairs.jsonl", rows)], single, columns=BY_A_PERSON)


def test_labels_on_a_pair_that_also_has_a_winner_are_counted_as_not_imported(tmp_path: Path) -> None:
    label = {"rater": "ana", "criteria": {"helps": "first"}}
    row = {"id": "p", "first": "one", "second": "two", "winner": "first", "labels": [label]}
    (file,) = open_rated([written(tmp_path, "pairs.jsonl", [row])], columns=BY_A_PERSON).files
    assert file.lost == {"'labels' of a pair": 1}


def own_pair(**more: Any) -> dict[str, Any]:
    """Make a line of examples in markscheme's format: a pair with a label on two criteria."""
    label = {"rater": "ana", "kind": "human", "criteria": {"helps": "first", "brief": "second"}}
    sides = {name: {"id": name, "system": name, "response": name} for name in ("first", "second")}
    return {"id": "p", "query": "q", **sides, "labels": [label], **more}


@pytest.mark.parametrize("has_rubric", [True, False])
def test_pairs_in_markscheme_s_own_format_keep_labels_on_every_criterion_and_their_other_fields(
    tmp_path: Path, has_rubric: bool
) -> None:
    path = written(tmp_path, "pairs.jsonl", [own_pair(split="test", weight=2.0, metadata={"language": "de"})])
    (file,) = open_rated([path], pair_rubric(["helps", "brief"]) if has_rubric else None, expected="anything").files
    (example,) = file.examples
    (rating,) = file.ratings
    assert {name: rated.level for name, rated in rating.criteria.items()} == {"helps": -1.0, "brief": 1.0}
    assert (example.split, example.weight, example.metadata) == ("test", 2.0, {"language": "de"})
    assert not file.lost


def test_a_row_of_a_pair_file_with_fewer_than_two_responses_is_refused_with_the_file_s_name(tmp_path: Path) -> None:
    rows = [{"id": "p", "first": "one", "second": "two", "preference": "first"}, {"id": "q", "response": "one"}]
    path = written(tmp_path, "pairs.jsonl", rows)
    with pytest.raises(RatingError, match=r"pairs\.jsonl.*row 2 has no two responses"):
        open_rated([path], columns=BY_A_PERSON)


def test_a_published_data_set_of_pairs_is_read_completely(tmp_path: Path) -> None:
    if not ITEMS.is_file():
        pytest.skip(f"runs where {ITEMS} is there")
    path = tmp_path / "items.jsonl"
    path.write_bytes(gzip.decompress(ITEMS.read_bytes()))
    read = open_rated([path])
    (file,) = read.files
    assert read.rubric.is_of_pairs
    assert len(file.examples) == 999
    raters = {rating.rater for rating in read.ratings}
    assert raters == {"annotator1", "annotator2", "annotator3", "gpt-3.5-turbo", "pandalm-7b"}
    of_judge = [rating for rating in read.ratings if rating.rater == "gpt-3.5-turbo"]
    assert len(of_judge) == 974
    texts = [text for example in file.examples for text in example.submission.texts.values()]
    assert texts.count("true") == 6  # outputs that are the JSON value, as their JSON text
    assert texts.count("") == 54


def test_pairs_without_a_rubric_are_rated_on_a_single_criterion_named_preference() -> None:
    assert [criterion.name for criterion in pair_rubric().criteria] == ["preference"]


def _battles(folder: Path, *columns: str) -> Path:
    """Write a table of twenty battles, of which each column names the winner: b in every second one, else a."""
    winners = ["model_a", "model_b"] * 10
    rows = [
        {"id": str(n), "model_a": "x", "model_b": "y", "response_a": "ra", "response_b": "rb"}
        | dict.fromkeys(columns, winner)
        for n, winner in enumerate(winners)
    ]
    return written(folder, "battles.jsonl", rows)


def test_columns_such_as_human_preference_are_read_as_ratings_by_the_rater_in_the_column_s_name(tmp_path: Path) -> None:
    read = open_rated([_battles(tmp_path, "human_preference", "gpt-4o_preference")], expected="anything")
    assert {(rating.rater, rating.kind) for rating in read.ratings} == {
        ("human_preference", "human"),
        ("gpt-4o_preference", "model"),
    }
    assert len(read.ratings) == 40


@pytest.mark.parametrize(("people", "judge"), [("winner", "judge"), ("preference", "gpt4_preference")])
def test_the_error_on_a_table_with_winners_by_people_and_a_judge_prints_a_command_that_calibrates_the_judge(
    tmp_path: Path, people: str, judge: str
) -> None:
    path = _battles(tmp_path, people, judge)
    read = open_rated([path], expected="anything", columns=Columns(kind="human"))
    assert {(rating.rater, rating.kind) for rating in read.ratings if rating.kind == "model"} == {(judge, "model")}
    done = run("calibrate", path.name, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    command = shlex.split(done.stderr.splitlines()[1])
    assert command[command.index("--human") + 1] == people
    calibrated = run(*command, cwd=tmp_path)
    assert calibrated.returncode in (0, 4)
    assert f"· {judge} · 20 examples" in calibrated.stdout


def test_a_name_in_a_column_called_judge_is_read_as_the_rater_who_chose_the_winner(tmp_path: Path) -> None:
    rows = [{"first": "a", "second": "b", "winner": "first", "judge": judge} for judge in ("gpt-4", "expert_0")]
    read = open_rated([written(tmp_path, "pairs.jsonl", rows)], columns=Columns(kind="human"))
    assert [rating.rater for rating in read.ratings] == ["gpt-4", "expert_0"]


def _rated_pairs(folder: Path, values: Mapping[str, Sequence[object]]) -> Path:
    """Write a table of pairs of responses, with these values in further columns."""
    columns = [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
    rows = [{"id": str(n), "response_a": "ra", "response_b": "rb"} | row for n, row in enumerate(columns)]
    return written(folder, "rated.jsonl", rows)


def test_minus_1_in_a_column_of_preferences_named_after_its_rater_means_the_first_response(tmp_path: Path) -> None:
    values = [-1, 0, 1, -1]
    path = _rated_pairs(tmp_path, {"judge_preference": values, "human_preference": values})
    read = open_rated([path], expected="anything")
    levels = [rating.criteria["preference"].level for rating in read.ratings if rating.kind == "human"]
    assert levels == values


@pytest.mark.parametrize("values", [("A", "B"), (1, 2), (5, 1)])
def test_a_table_with_two_responses_and_columns_judge_and_human_is_calibrated_column_by_column(
    tmp_path: Path, values: tuple[object, object]
) -> None:
    column = [*values] * 10
    calibration = calibrate(_rated_pairs(tmp_path, {"judge": column, "human": column}))
    assert calibration.comparison.agreement.value == 1
    assert calibration.counts.examples == 20


def test_scores_in_a_column_named_judge_are_not_read_as_preferences_next_to_a_column_of_winners(tmp_path: Path) -> None:
    path = _rated_pairs(tmp_path, {"winner": ["A", "B", "A"], "judge": [1, 2, 5]})
    read = open_rated([path], expected="anything", columns=Columns(kind="human"))
    assert {rating.kind for rating in read.ratings} == {"human"}


def test_an_unknown_preference_in_a_column_named_after_its_rater_is_refused_with_its_row(tmp_path: Path) -> None:
    path = _rated_pairs(tmp_path, {"judge_preference": ["A", "unclear"], "human_preference": ["A", "B"]})
    with pytest.raises(RatingError, match="row 2 has the preference 'unclear'"):
        open_rated([path], expected="anything")


def test_a_rater_who_left_out_a_pair_still_counts_on_the_pairs_with_a_preference(tmp_path: Path) -> None:
    path = _rated_pairs(tmp_path, {"judge_preference": ["A", ""], "human_preference": ["A", "B"]})
    read = open_rated([path], expected="anything")
    assert [rating.kind for rating in read.ratings] == ["model", "human", "human"]


def test_a_column_such_as_human_clarity_winner_is_not_read_as_a_rating_of_a_pair(tmp_path: Path) -> None:
    read = open_rated([_battles(tmp_path, "human_winner", "human_clarity_winner")], expected="anything")
    assert {rating.rater for rating in read.ratings} == {"human_winner"}


def test_the_kind_option_applies_only_to_columns_of_pairs_whose_name_states_no_kind_of_rater(tmp_path: Path) -> None:
    read = open_rated(
        [_battles(tmp_path, "winner", "judge_winner")], expected="anything", columns=Columns(kind="human")
    )
    assert {(rating.rater, rating.kind) for rating in read.ratings} == {("author", "human"), ("judge_winner", "model")}


def test_pairs_with_preferences_by_a_judge_and_by_people_are_calibrated_without_a_rubric(tmp_path: Path) -> None:
    calibration = calibrate(_battles(tmp_path, "winner", "judge_winner"), human="winner")
    assert calibration.comparison.agreement.value == 1
    assert calibration.counts.examples == 20


def test_calibrating_pairs_with_one_rater_s_preferences_names_the_command_that_compares_systems(tmp_path: Path) -> None:
    path = _battles(tmp_path, "winner")
    with pytest.raises(UsageError, match=rf"`markscheme compare --pairs {path}` says which system is preferred"):
        calibrate(path, kind="human")
