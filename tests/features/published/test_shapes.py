"""Rubrics in the shapes in which people publish them."""

import re
from pathlib import Path
from typing import Any

import pytest

from markscheme.errors import RubricError, RubricWarning
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.shape_hints import NOTHING_SAID, ShapeOptions
from markscheme.rubrics.shapes import RUBRIC_SHAPES, PublishedRubric
from tests.worked_cases import cases_under

CASES = Path(__file__).parents[4] / "shared/statistics/rows.yaml"
pytestmark = pytest.mark.skipif(not CASES.is_file(), reason="runs where ../shared/statistics/rows.yaml is there")


def cases() -> list[Any]:
    return cases_under(CASES, "readers")


def read(data: Any, options: ShapeOptions = NOTHING_SAID) -> PublishedRubric | None:
    (shape,) = RUBRIC_SHAPES
    return shape.read(data, options)


def _levels(criterion: dict[str, Any]) -> dict[str, Any]:
    levels = [[level["value"], level.get("description", "")] for level in criterion.get("levels", ())]
    return {"levels": levels} if levels else {}


def facts_of(refusal: str) -> tuple[list[str], str]:
    """Return what a refusal quotes, and the way out that it ends with."""
    return re.findall(r"'[^']*'", refusal), refusal.rpartition(": ")[2]


@pytest.mark.parametrize("case", cases(), ids=lambda case: str(case["name"]))
def test_published_rubrics_of_many_forms_are_read_with_the_criteria_that_a_person_read_in_them(
    case: dict[str, Any],
) -> None:
    if "refused" in case:
        with pytest.raises(RubricError) as refused:
            read(case["file"])
        assert facts_of(str(refused.value)) == facts_of(case["refused"])
        return
    published = read(case["file"])
    assert published is not None
    criteria = published.data["criteria"]
    shown = [
        {
            "name": criterion.get("name", f"c{index}"),
            "text": criterion["requirement"],
            "weight": pytest.approx(criterion["weight"], abs=1e-6),
            **(
                {"levels": [[v["value"], v.get("description", "")] for v in criterion["levels"]]}
                if criterion.get("levels")
                else {}
            ),
            **{key: criterion[key] for key in ("tags", "required", "threshold", "not_applicable") if key in criterion},
        }
        for index, criterion in enumerate(criteria, start=1)
    ]
    assert shown == case["expect"]
    assert set(case.get("notes", [])) <= set(published.notes)
    not_read = [note for note in case.get("notes", []) if note.startswith("not read")]
    assert not case.get("notes") or [n for n in published.notes if n.startswith("not read")] == not_read


def test_items_of_a_section_become_criteria_if_their_points_add_up_to_those_of_the_section_and_else_levels() -> None:
    parts = [{"text": "Describes the apparatus used", "points": 8}, {"text": "Explains each control", "points": 4}]
    sections = [
        {"section": "Method", "points": 12, "items": parts},
        {"section": "Style", "points": 3, "items": [{"text": "Is brief and to the point", "points": 3}]},
    ]
    with pytest.warns(RubricWarning):
        rubric = Rubric.from_dict({"sections": sections})
    assert [(criterion.weight, criterion.tags) for criterion in rubric.criteria] == [
        (8.0, ("Method",)), (4.0, ("Method",)), (3.0, ("Style",))
    ]  # fmt: skip
    ratings = [{"description": "Describes the apparatus", "points": 5}, {"description": "Does not", "points": 0}]
    canvas = [{"description": "Method of the report", "points": 5, "ratings": ratings}]
    assert [level.value for level in Rubric.from_dict(canvas).criteria[0].scale.levels] == [0.0, 5.0]


def test_groups_of_criteria_in_a_published_rubric_may_list_criteria_as_plain_texts() -> None:
    groups = {
        "quality": {"weight": 40, "criteria": ["Facts in the answer are correct", "Sources are named in it"]},
        "form": {"weight": 60, "criteria": ["The answer is well structured"]},
    }
    with pytest.warns(RubricWarning):
        rubric = Rubric.from_dict({"evaluation": groups})
    assert [(criterion.weight, criterion.tags) for criterion in rubric.criteria] == [
        (20.0, ("quality",)), (20.0, ("quality",)), (60.0, ("form",))
    ]  # fmt: skip
