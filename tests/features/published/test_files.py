"""Files of published rubrics, and what refusals and notes say of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric, RubricError
from markscheme.errors import RubricWarning
from markscheme.rubrics.reading import published_rubric
from markscheme.rubrics.shape_hints import ShapeOptions

SHAPES: dict[str, tuple[Any, list[tuple[str, str, float]]]] = {
    "criterion under rubric": (
        {"rubric": [{"criterion": "Names the bug", "weight": 1}, {"criterion": "Names the lost lock", "weight": 3}]},
        [("c1", "Names the bug", 1), ("c2", "Names the lost lock", 3)],
    ),
    "points and tags": (
        [
            {"criterion": "Advises to see a doctor", "points": 10, "tags": ["a"]},
            {"criterion": "Is verbose", "points": -5},
        ],
        [("c1", "Advises to see a doctor", 10), ("c2", "Is verbose", -5)],
    ),
    "a task with its rubrics": (
        {"prompt": "x", "rubrics": [{"criterion": "Names causes", "weight": 5, "axis": "a"}]},
        [("c1", "Names causes", 5)],
    ),
    "dimensions in a list": (
        {
            "dimensions": [
                {"name": "tone", "description": "Is it kind?", "weight": 2.0, "anchors": {"1": "rude", "2": "ok"}}
            ]
        },
        [("tone", "Is it kind?", 2)],
    ),
    "dimensions by name": (
        {"dimensions": {"accuracy": {"description": "Is it correct?", "weight": 1.0, "scale": [0, 3]}}},
        [("accuracy", "Is it correct?", 1)],
    ),
    "title and description": (
        [{"title": "Names cause", "description": "Essential Criteria: names the cause.", "weight": 5}],
        [("Names cause", "names the cause.", 5)],
    ),
    "a tree": (
        {
            "requirements": "Reproduced.",
            "weight": 1,
            "sub_tasks": [
                {"id": "b", "requirements": "Code exists.", "weight": 3, "sub_tasks": []},
                {"id": "c", "requirements": "Results match.", "weight": 1, "sub_tasks": []},
            ],
        },
        [("b", "Code exists.", 0.75), ("c", "Results match.", 0.25)],
    ),
    "sentences": (
        ["The answer names Paris.", "The answer is in English."],
        [("c1", "The answer names Paris.", 1), ("c2", "The answer is in English.", 1)],
    ),
    "criteria by name": (
        {"criteria": {"correctness": {"description": "Is it sound?"}}},
        [("correctness", "Is it sound?", 1)],
    ),
    "text property": (
        {"rubrics": [{"rubricId": "r", "rubricContent": {"textProperty": "Addresses the query."}}]},
        [("r", "Addresses the query.", 1)],
    ),
    "words as weights": (
        [
            {"requirement": "Is safe at once", "importance": "critical"},
            {"requirement": "Is short", "importance": "low"},
        ],
        [("c1", "Is safe at once", 4), ("c2", "Is short", 1)],
    ),
    "names with words behind them": (
        [{"Clarity (2 points)": "The reply is clear."}, {"Facts [30%]": "All are right."}, {"Tone": "Is kind."}],
        [("Clarity", "The reply is clear.", 2), ("Facts", "All are right.", 30), ("Tone", "Is kind.", 1)],
    ),
}


def read(data: Any) -> tuple[Rubric, list[str]]:
    with pytest.warns(RubricWarning) as caught:
        rubric = Rubric.from_dict(data)
    return rubric, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.filterwarnings("ignore::markscheme.errors.RubricWarning")
def test_a_published_rubric_loads_with_the_names_and_words_and_weights_of_its_criteria(
    shape: str, tmp_path: Path
) -> None:
    data, expected = SHAPES[shape]
    (tmp_path / "r.json").write_text(json.dumps(data))
    rubric = Rubric.from_file(tmp_path / "r.json")
    assert [(c.name, c.requirement, c.weight) for c in rubric.criteria] == expected


def test_tags_of_a_published_rubric_s_criteria_are_kept_and_change_no_fingerprint() -> None:
    tagged = Rubric.from_dict([{"requirement": "Is kind", "tags": ["tone", "axis:care"]}])
    assert tagged.criteria[0].tags == ("tone", "axis:care")
    assert tagged.fingerprint == Rubric.from_dict([{"requirement": "Is kind"}]).fingerprint


def test_notes_on_a_published_rubric_state_what_was_assumed_and_which_keys_were_not_read() -> None:
    rubric, notes = read([{"criterion": "Is kind to all", "points": 2, "owner": "me"}] * 1)
    assert rubric.criteria[0].scale.is_yes_no
    assert any("criteria without levels are yes/no" in note for note in notes)
    assert [note for note in notes if "not read: owner" in note]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"criterias": [{"requirement": "Is kind"}]}, "did you mean 'criteria'?"),
        ([{"requirement": "Is kind", "wieght": 2}], "did you mean 'weight'?"),
        ([{"criterion": "Is kind", "weight": "spicy"}], "weight 'spicy' isn't a number: --weights spicy=…"),
        ([{"criterion": "Is kind", "rules": {"none": 0}}], "rules holds more than is understood: --leave rules"),
        (
            [{"task_id": task, "criterion": "Is kind", "weight": 1} for task in "ab"],
            "2 tasks (task_id): pass the file to grade",
        ),
        (
            [{"rubric": ["It is kind to all."]}, {"rubric": ["It is short and clear."]}],
            "2 tasks: pass the file to grade",
        ),
    ],
)
def test_the_refusal_of_a_published_rubric_names_the_key_at_fault_and_says_what_to_do(data: Any, problem: str) -> None:
    with pytest.raises(RubricError) as refused:
        Rubric.from_dict(data)
    assert problem in str(refused.value)


def test_a_published_criterion_without_levels_is_yes_or_no() -> None:
    rubric, _ = read({"rubric": [{"criterion": "Names the lost lock", "weight": 1}]})
    assert rubric.criteria[0].scale.is_yes_no


def test_a_published_rubric_cannot_be_edited_and_the_error_names_the_import_command_that_converts_it(
    tmp_path: Path,
) -> None:
    from markscheme.rubrics.edit import Changes, edited

    with pytest.raises(RubricError, match=r"markscheme import FILE --to NAME\.yaml"):
        edited('[{"criterion": "Names the town", "points": 2}]', "json", Changes(pass_mark=0.7))


def test_a_published_pass_mark_on_the_criteria_s_shared_scale_is_converted_with_a_warning(
    tmp_path: Path,
) -> None:
    scoring = {"1": "Wrong", "2": "Mostly wrong", "3": "Some errors", "4": "One error", "5": "Right"}
    tone = {"dimension": "Tone", "description": "Warm and polite", "scoring": scoring}
    data = {"rubric": {"dimensions": [{**tone, "dimension": "Accuracy", "description": "Facts are right"}, tone]}}
    (tmp_path / "r.json").write_text(json.dumps({**data, "pass_threshold": 3.5}), encoding="utf-8")
    with pytest.warns(RubricWarning, match=r"pass_threshold 3\.5 is a mark on the criteria's scale, 1 to 5"):
        rubric = Rubric.from_file(tmp_path / "r.json")
    assert ([criterion.name for criterion in rubric.criteria], rubric.pass_mark) == (["Accuracy", "Tone"], 0.625)
    (tmp_path / "r.json").write_text(json.dumps({**data, "pass_threshold": 7}), encoding="utf-8")
    with pytest.warns(RubricWarning, match="not read: pass_threshold"):
        assert Rubric.from_file(tmp_path / "r.json").pass_mark == Rubric((rubric.criteria[0],)).pass_mark


def test_a_published_rubric_is_refused_if_its_key_of_criteria_holds_a_text_in_place_of_a_list() -> None:
    with pytest.raises(RubricError, match="'score1_description' is a text; the key of the criteria has a list"):
        published_rubric({"score1_description": "It is wrong.", "n": 1}, ShapeOptions(criteria="score1_description"))
