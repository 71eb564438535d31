"""Trees of weights that benchmarks publish, scored as the worked cases say."""

import json
from pathlib import Path

import pytest

from markscheme import Grader, ScriptedJudge
from markscheme.rubrics.of_rows import RowRubric, rubric_of
from tests.worked_cases import cases_in

CASES = Path(__file__).parents[4] / "shared/statistics/rows.yaml"
worked = pytest.mark.skipif(not CASES.is_file(), reason="runs where ../shared/statistics/rows.yaml is there")


@worked
def test_a_rubric_published_as_a_tree_of_weights_gives_the_score_in_the_file_of_reference_values() -> None:
    case = cases_in(CASES)["tree"]
    rubric = rubric_of(json.dumps(case["tree"]), None)
    assert isinstance(rubric, RowRubric)
    weights = {criterion.name: criterion.weight for criterion in rubric.rubric.criteria}
    assert weights == pytest.approx(case["expect"]["weights"], abs=1e-6)
    marks = {"a1": "MET", "a2": "UNMET", "b": "MET"}
    with Grader(None, ScriptedJudge(lambda prompt, _: {name: marks[name] for name in prompt.criteria})) as grader:
        grade = grader.grade_sync("x", rubric=case["tree"])
    assert grade.score == pytest.approx(case["expect"]["score"], abs=1e-6)
