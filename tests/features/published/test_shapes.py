"""Rubrics in the shapes in which people publish them."""

import re
from pathlib import Path
from typing import Any

import pytest

from markscheme.errors import RubricError
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
def test_published_rubrics_in_many_shapes_are_read_as_a_person_read_them(case: dict[str, Any]) -> None:
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
