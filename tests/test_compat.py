"""The methods that users of the `rubric` package know are on the one Rubric, and cost nothing inside the package."""

import subprocess
import sys
from pathlib import Path

import pytest

import markscheme
from markscheme.rubrics import rubric as engine

METHODS = ("from_dict", "from_json", "from_yaml", "from_file", "grade", "rubric")


def test_there_is_one_class_of_rubrics_and_one_of_criteria() -> None:
    assert markscheme.Rubric is engine.Rubric
    assert markscheme.Criterion is engine.Criterion


@pytest.mark.parametrize("name", METHODS)
def test_a_rubric_has_the_methods_once_a_public_name_was_used_and_not_before(name: str) -> None:
    code = f"""
from markscheme.rubrics.rubric import Rubric
assert not hasattr(Rubric, {name!r})
from markscheme import load_rubric
assert hasattr(Rubric, {name!r})
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_each_way_to_read_a_rubric_gives_the_same_one(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("- {weight: 2, requirement: Mentions Paris}\n")
    made = markscheme.Rubric.from_dict([{"weight": 2, "requirement": "Mentions Paris"}])
    assert markscheme.Rubric.from_yaml(file.read_text()) == made
    assert markscheme.Rubric.from_json('[{"weight": 2, "requirement": "Mentions Paris"}]') == made
    assert markscheme.Rubric.from_file(file).criteria == made.criteria
    assert made.rubric == list(made.criteria)
