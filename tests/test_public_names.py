"""What `markscheme` exports, and the methods of Rubric that users of the `rubric` package know."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import markscheme
from markscheme.rubrics import rubric as engine

PUBLIC = [
    *("calibrate", "agreement", "open_judge", "grade", "Grader"),
    *("Rubric", "Panel", "Identity", "Usage", "Rating", "Example", "Calibration"),
]
FROM_DATA = "Rubric.from_dict([{'weight': 2, 'requirement': 'Mentions Paris'}])"
METHODS = {
    "from_dict": f"{FROM_DATA}.criteria[0].weight == 2",
    "from_json": 'Rubric.from_json(\'[{"requirement": "Mentions Paris", "weight": 2}]\').criteria[0].weight == 2',
    "from_yaml": "Rubric.from_yaml('- {weight: 2, requirement: Mentions Paris}').criteria[0].weight == 2",
    "from_file": "Rubric.from_file('rubric.yaml').criteria[0].weight == 2",
    "rubric": f"[criterion.weight for criterion in {FROM_DATA}.rubric] == [2]",
    "grade": f"asyncio.run({FROM_DATA}.grade('Paris', Grader())) == 'Paris, 1 criterion'",
}


@pytest.mark.parametrize("name", PUBLIC)
def test_names_that_users_need_for_the_main_job_are_public(name: str) -> None:
    assert name in markscheme.__all__
    assert getattr(markscheme, name) is not None


def test_type_checkers_know_the_names_that_can_be_imported() -> None:
    declared = re.findall(r" import (\w+) as \1\n", Path(markscheme.__file__).read_text(encoding="utf-8"))
    assert set(markscheme.__all__) <= set(declared)
    assert all(getattr(markscheme, name) is not None for name in declared)


def test_importing_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'calibrat'"):
        _ = markscheme.calibrat


def test_all_public_paths_lead_to_one_class_of_rubrics_and_one_of_criteria() -> None:
    assert markscheme.Rubric is engine.Rubric
    assert markscheme.Criterion is engine.Criterion


@pytest.mark.parametrize("method", METHODS)
def test_a_rubric_has_its_methods_whichever_module_is_imported_first(method: str, tmp_path: Path) -> None:
    (tmp_path / "rubric.yaml").write_text("- {weight: 2, requirement: Mentions Paris}\n")
    code = f"""
import asyncio
from markscheme.rubrics.rubric import Rubric

class Grader:
    async def grade(self, to_grade, rubric, query=None, **options):
        return f"{{to_grade}}, {{len(rubric.criteria)}} criterion"

assert {METHODS[method]}
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


def test_each_way_to_read_a_rubric_gives_the_same_one(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("- {weight: 2, requirement: Mentions Paris}\n")
    rubric = markscheme.Rubric.from_dict([{"weight": 2, "requirement": "Mentions Paris"}])
    assert markscheme.Rubric.from_yaml(file.read_text()) == rubric
    assert markscheme.Rubric.from_json('[{"weight": 2, "requirement": "Mentions Paris"}]') == rubric
    assert markscheme.Rubric.from_file(file).criteria == rubric.criteria
    assert rubric.rubric == list(rubric.criteria)
