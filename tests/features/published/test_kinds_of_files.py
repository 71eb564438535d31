"""Kinds of rubric files that the readers weren't written for: read right, or refused with a way out, never misread."""

import json
from typing import Any

import pytest

from markscheme.errors import RubricError
from markscheme.features.published.reader import read_published
from markscheme.rubrics.of_rows import RowRubric, rubric_of
from markscheme.rubrics.shape_hints import NOTHING_SAID
from markscheme.rubrics.shapes import PublishedRubric


def read(data: Any) -> PublishedRubric:
    published = read_published(data, NOTHING_SAID)
    assert published is not None
    return published


def own(data: Any) -> RowRubric:
    row = rubric_of(data if isinstance(data, str) else json.dumps(data), None)
    assert isinstance(row, RowRubric), row
    return row


def loaves(*, best: str = "Dense, airy and sour in turn.") -> dict[str, Any]:
    """A row with one criterion whose levels have a key each; one of them has no words."""
    return {
        "id": "bake-1",
        "input": "Describe a rye loaf.",
        "score_rubric": {
            "criteria": "Does the text describe crust, crumb and taste?",
            "score1_description": "None of the three.",
            "score2_description": "",
            "score3_description": best,
        },
        "response": "A dark crust.",
        "human_score": 2,
    }


def annotated(title: str, classes: dict[str, float | None], named: str) -> dict[str, Any]:
    """A criterion whose words and weight are in a mapping inside it; the weight is under its class's name."""
    weights = {f"{'_'.join(name.split())}_weight": weight for name, weight in classes.items()}
    notes = {"criteria_category": "Baking", "criteria_description": title, "weight_class": named}
    return {"id": f"k-{named[:4]}", "title": f"{title[:20]}...", "annotations": {**notes, **weights}}


def test_a_list_of_rows_with_rubrics_is_not_read_as_one_rubric() -> None:
    with pytest.raises(RubricError, match="2 tasks: pass the file to grade"):
        read([loaves(), loaves(best="All three in one sentence.")])


def test_a_published_text_with_a_line_for_each_score_is_read_as_one_criterion() -> None:
    row = own("[Is the crust described?]\nScore 1: Not at all.\nScore 2: In a word.\nScore 3: So that one hears it.")
    (criterion,) = row.rubric.criteria
    assert criterion.requirement == "Is the crust described?"
    assert [(level.value, level.description) for level in criterion.scale.levels] == [
        (1.0, "Not at all."),
        (2.0, "In a word."),
        (3.0, "So that one hears it."),
    ]


def test_a_published_criterion_gets_the_weight_that_the_rubric_gives_its_class_such_as_vital_or_minor() -> None:
    fair = annotated("Names the flour and where it is from", {"vital": 7, "minor": None}, "vital")
    stale = annotated("Says how long the dough has to rest", {"vital": 7, "minor": 2}, "minor")
    harm = annotated("Tells the baker to leave out the salt", {"badly detrimental": 5}, "badly detrimental")
    row = own([fair, stale, harm])
    assert [criterion.weight for criterion in row.rubric.criteria] == [7.0, 2.0, -5.0]
    assert row.rubric.criteria[1].tags == ("Baking", "minor")
    assert row.rubric.criteria[0].requirement == "Names the flour and where it is from"
    assert any("weight_class 'minor' counts, next to vital_weight 7" in note for note in row.notes)
    assert any("weight 5 of the class 'badly detrimental' is read as -5" in note for note in row.notes)


def test_a_note_mentions_a_class_left_out_of_a_published_criterion_and_a_doubtful_negative_weight() -> None:
    row = own([
        {"title": "Oven", "description": "Essential Criteria: Gives the heat of the oven.", "weight": 5},
        {"title": "Claims", "description": "Pitfall Criteria: Avoids claims on health.", "weight": -1},
    ])  # fmt: skip
    assert [criterion.requirement for criterion in row.rubric.criteria] == [
        "Gives the heat of the oven.",
        "Avoids claims on health.",
    ]
    assert any("the class before a criterion's words is left out" in note for note in row.notes)
    assert any("Claims costs points where it is met, and says what a good response does" in note for note in row.notes)


def test_a_published_criterion_whose_polarity_says_that_it_is_a_fault_gets_a_negative_weight() -> None:
    row = own([
        {"id": "flour", "text": "Names the flour of the loaf.", "weight": 2, "polarity": "include"},
        {"id": "salt", "text": "Leaves out the salt.", "weight": 1, "polarity": "avoid"},
        {"id": "claims", "text": "Makes claims on health.", "weight": 3, "is_positive": False},
        {"id": "shape", "text": "Says how it is shaped.", "weight": 1, "polarity": "round"},
    ])  # fmt: skip
    assert [criterion.weight for criterion in row.rubric.criteria] == [2.0, -1.0, -3.0, 1.0]
    assert any("polarity avoid: the weight is read as negative, for a fault" in note for note in row.notes)
    assert any("not read: polarity" in note for note in row.notes)


def test_sections_of_a_published_rubric_keep_their_share_of_the_weight() -> None:
    levels = {0: "burnt", 2: "golden"}
    published = read({
        "batch": "oct",
        "pass_mark": "60%",
        "rubric": [
            {"group": "Crust", "weight": "75%", "items": [
                {"id": "CR-1", "requirement": "The crust is of one colour.", "weight": "80%", "levels": levels},
                {"id": "CR-2", "requirement": "The crust has a pattern.", "weight": "20%", "levels": levels},
                {"id": "CR-9", "enabled": False, "requirement": "The crust sings.", "weight": "10%"},
            ]},
            {"group": "Crumb", "weight": "25%", "items": [
                {"id": "CB-1", "requirement": "The crumb is moist throughout.", "weight": "100%", "levels": levels},
            ]},
        ],
        "penalties": [{"id": "P-1", "requirement": "The loaf was cut while hot.", "deduct": 3}],
    })  # fmt: skip
    criteria = published.data["criteria"]
    assert [(c["name"], round(c["weight"], 6), c["tags"]) for c in criteria] == [
        ("CR-1", 0.6, ["Crust"]),
        ("CR-2", 0.15, ["Crust"]),
        ("CB-1", 0.25, ["Crumb"]),
    ]
    assert published.data["passingThreshold"] == 0.6
    assert {
        "'penalties' holds criteria too, and isn't read",
        "CR-9 is switched off, so it is left out",
        "CR-1: no words for level 1",
        "not read: batch, penalties",
    } <= set(published.notes)


def test_keys_of_a_published_rubric_tree_that_have_no_counterpart_in_markscheme_are_reported() -> None:
    published = read({
        "requirements": "The loaf is right.", "weight": 1, "recipe_id": "rye",
        "sub_tasks": [
            {"id": "a", "requirements": "It rests for a night.", "weight": 2, "sub_tasks": []},
            {"id": "b", "requirements": "It has seeds on top.", "weight": 0, "notes": "out of stock", "sub_tasks": []},
        ],
    })  # fmt: skip
    assert [(c["name"], c["weight"]) for c in published.data["criteria"]] == [("a", 1.0)]
    assert {"b weighs nothing, so it is left out", "not read: notes, recipe_id"} <= set(published.notes)


CELLS = {
    "Crust": ("Pale, and soft to the touch.", "Brown on one side.", "Dark all over, and it cracks."),
    "Crumb": ("Wet.", "", "Even holes."),
}
COLUMNS = ("Poor", "Fair", "Good")
ROWS = {name: dict(zip(COLUMNS, cells, strict=True)) for name, cells in CELLS.items()}


@pytest.mark.parametrize(
    "data",
    [
        [{"criterion": name, **row} for name, row in ROWS.items()],
        [{"criterion": name, **dict(reversed(row.items()))} for name, row in ROWS.items()],
        {"criteria": [{"name": name, **row} for name, row in ROWS.items()]},
        {"criteria": [{"name": name, "description": name, **row} for name, row in ROWS.items()]},
        {"criteria": [{"name": name, "levels": row} for name, row in ROWS.items()]},
        {name: {key: words or "-" for key, words in row.items()} for name, row in ROWS.items()},
    ],
)
def test_columns_named_after_levels_such_as_poor_fair_and_good_are_read_as_the_levels_of_each_criterion(
    data: Any,
) -> None:
    published = read(data)
    assert [criterion["requirement"] for criterion in published.data["criteria"]] == ["Crust", "Crumb"]
    for criterion, words in zip(published.data["criteria"], CELLS.values(), strict=True):
        assert [(level["value"], level["label"]) for level in criterion["levels"]] == [
            (1, "Poor"),
            (2, "Fair"),
            (3, "Good"),
        ]
        said = [level.get("description") for level in criterion["levels"]]
        assert [text for text in said if text not in (None, "-")] == [text for text in words if text]
    assert "levels are numbered by their names: Poor = 1, Fair = 2, Good = 3" in published.notes


def test_points_in_brackets_behind_the_names_of_levels_are_the_values_of_the_levels() -> None:
    published = read(
        [{"criterion": "Crust", "Excellent (10 points)": "Cracks.", "Good (6)": "Brown.", "Poor (0)": "Pale."}]
    )
    (criterion,) = published.data["criteria"]
    assert [(level["value"], level["label"]) for level in criterion["levels"]] == [
        (0, "Poor"),
        (6, "Good"),
        (10, "Excellent"),
    ]
    assert not any("numbered" in note for note in published.notes)


@pytest.mark.parametrize(("best", "weights"), [(6, [6, 10]), (0, [1, 1])])
def test_a_criterion_whose_levels_share_the_highest_points_has_these_points_as_its_weight(
    best: int, weights: list[float]
) -> None:
    published = read(
        [
            {"criterion": "Crust", f"Good ({best})": "Dark.", f"Fair ({best})": "Brown.", "Poor (0)": "Pale."},
            {"criterion": "Crumb", "Good (10)": "Open.", "Fair (5)": "Even.", "Poor (0)": "Dense."},
        ]
    )
    assert [criterion["weight"] for criterion in published.data["criteria"]] == weights
    assert ("the points of a criterion's best level are its weight" in published.notes) == (best > 0)


def test_a_published_criterion_s_weight_is_the_points_of_its_best_level_unless_a_weight_is_stated() -> None:
    published = read(
        [
            {"criterion": "Crust", "Excellent (10)": "Cracks.", "Good (6)": "Brown.", "Poor (0)": "Pale."},
            {"criterion": "Crumb", "Excellent (5)": "Open.", "Good (3)": "", "Poor (1)": "Dense."},
        ]
    )
    values = [[level["value"] for level in criterion["levels"]] for criterion in published.data["criteria"]]
    assert values == [[0, 6, 10], [1, 3, 5]]
    assert [criterion["weight"] for criterion in published.data["criteria"]] == [10, 5]
    assert "the points of a criterion's best level are its weight" in published.notes
    weighted = read(
        [
            {"criterion": "Crust", "weight": 2, "Good (6)": "Dark.", "Fair (3)": "Brown.", "Poor (0)": "Pale."},
            {"criterion": "Crumb", "weight": 1, "Good (3)": "Open.", "Fair (2)": "Even.", "Poor (1)": "Dense."},
        ]
    )
    assert [criterion["weight"] for criterion in weighted.data["criteria"]] == [2, 1]


@pytest.mark.parametrize(
    "cells",
    [
        {"Good": "Brown and dark all over.", "Poor": "Pale and soft to the touch."},
        {"Good": "Brown and dark all over.", "Poor": "Pale and soft to touch.", "Fair": "Brown on one side."},
        {"Red": "Brown and dark all over.", "Green": "Pale and soft to touch.", "Blue": "Brown on one side."},
    ],
)
def test_texts_in_columns_that_form_no_known_scale_of_three_or_more_levels_stay_part_of_the_requirement(
    cells: dict[str, str],
) -> None:
    published = read([{"criterion": "Crust", **cells}])
    (criterion,) = published.data["criteria"]
    assert "levels" not in criterion
    assert all(f"{name}: {text}" in criterion["requirement"] for name, text in cells.items())
    assert any("criteria without levels are yes/no" in note for note in published.notes)
