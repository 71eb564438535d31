"""Tables and lines of other tools read as ratings, and counts of what can't be imported."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric
from markscheme.errors import RatingError
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.kinds import JUDGES, PEOPLE
from markscheme.ratings.rating import Rating, RatingReader
from markscheme.readers.imported import Columns
from markscheme.readers.rated import RatedFile, open_rated

ONE = Rubric.from_dict({"name": "one", "criteria": [{"name": "good", "requirement": "It is good"}]})
FIVE = Rubric.from_dict({"name": "five", "criteria": [{"name": "clarity", "description": "Clear"}]})
TWO = Rubric.from_dict(
    {
        "name": "two",
        "criteria": [
            {"name": "code-quality", "description": "Well made", "weight": 2},
            {"name": "rude", "requirement": "It is rude", "weight": -1},
        ],
    }
)


BY_NAME = Columns(rater="person", kind="human")


def imported(path: Path, rubric: Rubric = ONE, columns: Columns = BY_NAME, **words: str) -> RatedFile:
    content = open_rated([path], rubric, expected="anything", columns=replace(columns, words=words)).as_one_file
    reader = RatingReader(rubric)
    for rating in content.ratings:  # what is written can be read
        assert reader.rating(json.loads(json.dumps(rating.to_json(), allow_nan=False))).id == rating.id
    return content


def table(folder: Path, text: str, name: str = "t.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def levels_of(rating: Rating) -> dict[str, Any]:
    return {name: rated.level for name, rated in rating.criteria.items()}


# --- tables of a verdict and a label --------------------------------------------------------------------------------

VERDICTS = "id,input,output,verdict,label,reason\ne1,q,a,pass,fail,too kind\ne2,q,b,FAIL,0,\ne3,q,c,yes,Correct,\n"


def test_a_column_named_verdict_is_read_as_a_judge_s_and_a_column_named_label_as_a_person_s(tmp_path: Path) -> None:
    content = imported(table(tmp_path, VERDICTS))
    judge, people = RatingCodes.of(content.ratings).of_kinds(JUDGES), RatingCodes.of(content.ratings).of_kinds(PEOPLE)
    assert [(r.id, r.rater, r.kind, levels_of(r), r.passed) for r in judge] == [
        ("e1", "judge", "model", {"good": 1.0}, True),
        ("e2", "judge", "model", {"good": 0.0}, False),
        ("e3", "judge", "model", {"good": 1.0}, True),
    ]
    assert [(r.rater, r.kind, r.passed) for r in people] == [
        ("person", "human", False), ("person", "human", False), ("person", "human", True)
    ]  # fmt: skip
    assert judge[0].criteria["good"].reason == "too kind"
    assert content.lost == {}


def test_columns_of_inputs_and_outputs_in_a_table_become_examples(tmp_path: Path) -> None:
    content = imported(table(tmp_path, VERDICTS))
    assert content.examples[0].to_json() == {"id": "e1", "inputs": {"query": "q"}, "response": "a"}


def test_with_a_rubric_of_several_criteria_a_column_of_verdicts_is_read_as_decisions_and_not_as_levels(
    tmp_path: Path,
) -> None:
    content = imported(table(tmp_path, VERDICTS), TWO)
    assert [(levels_of(r), r.passed, r.overall) for r in RatingCodes.of(content.ratings).of_kinds(JUDGES)] == [
        ({}, True, None), ({}, False, None), ({}, True, None)
    ]  # fmt: skip


def test_numbers_in_a_table_are_levels_if_the_rubric_has_a_single_criterion_on_a_graded_scale(tmp_path: Path) -> None:
    content = imported(table(tmp_path, "id,verdict,label\ne1,4,5\ne2,3.5,fail\ne3,9,1\n"), FIVE)
    assert [levels_of(r) for r in RatingCodes.of(content.ratings).of_kinds(JUDGES)] == [
        {"clarity": 4.0},
        {"clarity": 3.5},
    ]
    assert [(levels_of(r), r.passed) for r in RatingCodes.of(content.ratings).of_kinds(PEOPLE)] == [
        ({"clarity": 5.0}, None), ({}, False), ({"clarity": 1.0}, None)
    ]  # fmt: skip
    assert content.lost == {"levels '9' of 'clarity', which aren't among 1, 2, 3, 4, 5": 1}


def test_unknown_words_in_a_column_of_levels_are_counted_as_not_imported_unless_the_caller_maps_them(
    tmp_path: Path,
) -> None:
    path = table(tmp_path, "id,verdict,label\ne1,pass,meh\ne2,pass,meh\n")
    assert imported(path).lost == {"levels 'meh' of 'good', which aren't among UNMET, MET": 2}
    mapped = imported(path, meh="fail")
    assert mapped.lost == {}
    assert [r.passed for r in RatingCodes.of(mapped.ratings).of_kinds(PEOPLE)] == [False, False]


def test_columns_with_unusual_names_are_mapped_to_fields_by_the_caller(tmp_path: Path) -> None:
    path = table(tmp_path, "id,gpt says,Ann\ne1,pass,fail\n")
    content = imported(path, columns=Columns({"gpt says": "verdict", "Ann": "label"}, "ann", "adjudicated"))
    assert [(r.rater, r.kind, r.passed) for r in content.ratings] == [
        ("judge", "model", True),
        ("ann", "adjudicated", False),
    ]
    assert content.lost == {}


def test_repeated_ratings_in_a_table_count_as_samples_only_if_a_column_named_run_gives_their_numbers(
    tmp_path: Path,
) -> None:
    runs = imported(table(tmp_path, "id,verdict,run\ne1,pass,1\ne1,fail,2\n"))
    assert [(r.sample, r.passed) for r in runs.ratings] == [(0, True), (1, False)]
    twice = imported(table(tmp_path, "id,verdict\ne1,pass\ne1,fail\n", "u.csv"))
    assert len(twice.ratings) == 1
    assert sum(twice.lost.values()) == 1


def test_pairs_of_responses_are_not_imported_as_ratings(tmp_path: Path) -> None:
    content = imported(table(tmp_path, "id,output_a,output_b,verdict\ne1,x,y,A\n"))
    assert (content.ratings, sum(content.lost.values())) == ((), 1)


def test_rows_without_an_id_get_a_digest_of_their_input_and_response_as_id(tmp_path: Path) -> None:
    content = imported(table(tmp_path, "input,output,label\nq,a,pass\nq,b,pass\n,,pass\n"))
    assert len({r.id for r in content.ratings}) == 2
    assert content.notes == ("rows have no id; each got a digest of its input and response",)
    assert content.lost == {"rows without an id, an input or a response": 1}


@pytest.mark.parametrize("separator", [";", "\t"])
def test_the_separator_of_a_table_is_recognized_from_its_header(tmp_path: Path, separator: str) -> None:
    path = table(tmp_path, VERDICTS.replace(",", separator))
    assert len(imported(path).ratings) == 6


def test_rows_with_another_number_of_cells_than_the_header_are_reported_by_line(tmp_path: Path) -> None:
    with pytest.raises(RatingError, match=r"t\.csv:3: has another number of cells than the header"):
        imported(table(tmp_path, "id,label\ne1,pass\ne2\n"))


def test_a_cell_may_hold_a_long_document(tmp_path: Path) -> None:
    document = "x" * 200_000
    (example,) = imported(table(tmp_path, f"id,response,label\ne1,{document},pass\n")).examples
    assert example.submission.response == document


# --- tables and lines of ratings ------------------------------------------------------------------------------------


def test_a_column_named_like_a_criterion_holds_levels_even_if_the_column_name_is_spelt_differently(
    tmp_path: Path,
) -> None:
    path = table(tmp_path, "id,rater,Code Quality,RUDE,overall,mood\ne1,ann,4,no,0.8,sunny\ne1,ben,2,MET,,\n")
    content = imported(path, TWO)
    assert [(r.rater, r.kind, levels_of(r), r.overall) for r in content.ratings] == [
        ("ann", "human", {"code-quality": 4.0, "rude": 0.0}, 0.8),
        ("ben", "human", {"code-quality": 2.0, "rude": 1.0}, None),
    ]
    assert content.lost == {"cells of column 'mood'": 1}


def test_rows_that_rate_one_criterion_each_are_merged_into_one_rating_per_example(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "id,rater,criterion,level\ne1,ann,code-quality,4\ne1,ann,rude,UNMET\ne1,ann,charm,3\ne2,ann,rude,MET\n",
    )
    content = imported(path, TWO)
    assert [(r.id, levels_of(r)) for r in content.ratings] == [
        ("e1", {"code-quality": 4.0, "rude": 0.0}),
        ("e2", {"rude": 1.0}),
    ]
    assert content.lost == {"ratings of 'charm', which isn't a criterion of the rubric": 1}


def test_json_lines_in_markscheme_s_own_format_are_read_with_all_their_keys(tmp_path: Path) -> None:
    criteria = {"code-quality": {"level": 4, "reason": "neat"}, "rude": {"abstained": "?"}}
    line = {"id": "e1", "judge": "gpt", "criteria": criteria, "overall": 0.7, "pass": True, "at": "2026-11-21"}
    (tmp_path / "r.jsonl").write_text(
        json.dumps(line) + "\n" + json.dumps({"id": "e2", "judge": "gpt", "error": "refused"})
    )
    first, second = imported(tmp_path / "r.jsonl", TWO).ratings
    assert (first.rater, first.kind, first.overall, first.passed, first.at) == ("gpt", "model", 0.7, True, "2026-11-21")
    assert (first.criteria["code-quality"].reason, first.criteria["rude"].declined) == ("neat", "abstained")
    assert (second.error, second.criteria) == ("refused", {})


def test_lines_with_the_keys_gold_and_judge_are_read_as_labels_and_verdicts(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": "e1", "gold": true, "judge": false}\n{"id": "e2", "pass": null}\n')
    content = imported(tmp_path / "r.jsonl")
    assert [(r.rater, r.passed) for r in content.ratings] == [("judge", False), ("person", True)]


def test_a_json_list_is_read_in_the_same_way_as_json_lines(tmp_path: Path) -> None:
    content = imported(table(tmp_path, '[{"id": "e1", "label": "pass"}, {"id": "e2", "label": false}]', "r.json"))
    assert [(r.id, r.passed) for r in content.ratings] == [("e1", True), ("e2", False)]
    with pytest.raises(RatingError, match=r"r\.json: a rating is an object, found 3"):
        imported(table(tmp_path, "[3]", "r.json"))


def test_json_lines_with_an_id_and_a_verdict_are_read_as_labels(tmp_path: Path) -> None:
    path = table(tmp_path, "# by Ann\ne1 pass\ne2\tfail\n\ne3, 1\n", "labels.txt")
    content = imported(path, columns=Columns(rater="ann", kind="human"))
    assert [(r.id, r.rater, r.passed) for r in content.ratings] == [
        ("e1", "ann", True),
        ("e2", "ann", False),
        ("e3", "ann", True),
    ]
    with pytest.raises(RatingError, match=r"labels\.txt:1: a line reads"):
        imported(table(tmp_path, "e1 is good\n", "labels.txt"))


def test_overall_scores_outside_0_to_1_in_a_file_of_ratings_are_counted_as_not_imported(tmp_path: Path) -> None:
    content = imported(table(tmp_path, "id,overall,pass\ne1,7,maybe\ne2,0.5,true\n"), TWO)
    assert [(r.overall, r.passed) for r in content.ratings] == [(0.5, True)]
    assert content.lost == {
        "overall scores that are not from 0 to 1": 1,
        "pass 'maybe', which is neither yes nor no": 1,
    }


@pytest.mark.parametrize(("name", "text"), [("x.json", "{}"), ("x.json", "{"), ("x.pdf", ""), ("x.csv", "id,label\n")])
def test_a_file_that_holds_no_ratings_is_refused_and_the_error_names_the_file(
    tmp_path: Path, name: str, text: str
) -> None:
    with pytest.raises(RatingError, match="x"):
        imported(table(tmp_path, text, name))


# --- nothing is guessed, nothing is lost in silence -----------------------------------------------------------------

THREE = Rubric.from_dict(
    {
        "criteria": [
            {
                "name": "answers",
                "requirement": "It answers.",
                "options": [
                    {"label": "no", "value": 0},
                    {"label": "partly", "value": 0.5},
                    {"label": "yes", "value": 1},
                ],
            }
        ]
    }
)


def test_yes_and_no_are_levels_and_not_decisions_if_the_criterion_has_them_as_levels(tmp_path: Path) -> None:
    path = table(tmp_path, "id,verdict,human\na,yes,no\nb,partly,yes\n")
    content = imported(path, THREE, Columns())
    assert [(r.kind, levels_of(r), r.passed) for r in content.ratings] == [
        ("model", {"answers": 1.0}, None),
        ("human", {"answers": 0.0}, None),
        ("model", {"answers": 0.5}, None),
        ("human", {"answers": 1.0}, None),
    ]
    assert not content.lost


@pytest.mark.parametrize(
    "text", ["id,label\na,pass\n", "id,score\na,0.5\n", "id,good,rater\na,MET,ann\n", "id,gold\na,1\n"]
)
def test_a_file_of_ratings_that_does_not_say_who_rated_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(RatingError, match="--kind human"):
        imported(table(tmp_path, text), ONE, Columns())
    assert {r.kind for r in imported(table(tmp_path, text), ONE, Columns(kind="adjudicated")).ratings} == {
        "adjudicated"
    }


def test_a_rater_of_unknown_kind_is_refused_unless_the_caller_lists_it_as_a_judge(
    tmp_path: Path,
) -> None:
    path = table(tmp_path, "id,good,rater\na,MET,gpt\nb,UNMET,gpt\n")
    assert {r.kind for r in imported(path, ONE, Columns(judges=frozenset(["gpt"]))).ratings} == {"model"}
    mixed = table(tmp_path, "id,good,rater\na,MET,gpt\na,UNMET,ann\n", "mixed.csv")
    with pytest.raises(RatingError, match="1 by ann"):
        imported(mixed, ONE, Columns(judges=frozenset(["gpt"])))


def test_a_column_named_expected_holds_labels_if_all_its_values_are_levels_and_reference_answers_otherwise(
    tmp_path: Path,
) -> None:
    labels = imported(table(tmp_path, "id,output,expected\na,x,MET\nb,y,UNMET\n"), ONE)
    assert [levels_of(r) for r in labels.ratings] == [{"good": 1.0}, {"good": 0.0}]
    assert labels.notes
    assert labels.examples[0].submission.inputs == {}
    texts = imported(table(tmp_path, "id,output,expected\na,x,Paris\nb,y,yes\n", "texts.csv"), ONE)
    assert [example.submission.inputs for example in texts.examples] == [{"reference": "Paris"}, {"reference": "yes"}]


def test_a_column_that_is_named_like_a_criterion_is_read_only_as_the_criterion(tmp_path: Path) -> None:
    label = Rubric.from_dict(
        {"criteria": [{"name": "label", "requirement": "A"}, {"name": "verdict", "requirement": "B"}]}
    )
    content = imported(table(tmp_path, "id,label,verdict\na,MET,UNMET\n"), label)
    (rating,) = content.ratings
    assert (levels_of(rating), rating.passed, rating.kind) == ({"label": 1.0, "verdict": 0.0}, None, "human")


def test_nested_keys_that_are_not_imported_are_counted_by_their_path(tmp_path: Path) -> None:
    lines = [{"id": f"e{k}", "scores": {"good": 1, "other": {"deep": 2}}} for k in range(3)]
    path = table(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "nested.jsonl")
    content = imported(path, ONE)
    assert not content.ratings
    assert content.lost == {"cells of column 'scores.good'": 3, "cells of column 'scores.other.deep'": 3}


def test_the_caller_can_map_columns_to_fields_and_criteria(tmp_path: Path) -> None:
    path = table(tmp_path, "trace,text,Q1\na,hello,MET\n")
    content = imported(path, ONE, Columns({"trace": "id", "text": "response", "Q1": "good"}, "ann", "human"))
    assert [(r.id, r.rater, levels_of(r)) for r in content.ratings] == [("a", "ann", {"good": 1.0})]
    assert [example.submission.response for example in content.examples] == ["hello"]
    assert not content.lost
