"""DeepEval's GEval metrics, as people keep them in files: a criterion with steps, parameters and levels."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.shape_hints import NOTHING_SAID
from markscheme.rubrics.shapes import RUBRIC_SHAPES

STEPS = ["Check whether the facts contradict the expected output.", "Penalize omissions."]
OUTCOMES = [
    {"score_range": [0, 2], "expected_outcome": "Wrong."},
    {"score_range": [3, 9], "expected_outcome": "Partly right."},
    {"score_range": [10, 10], "expected_outcome": "Right."},
]


def read(data: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    (shape,) = RUBRIC_SHAPES
    published = shape.read(data, NOTHING_SAID)
    assert published is not None
    assert shape.shows(data)
    return dict(published.data), published.notes


def test_a_g_eval_metric_is_read_as_a_rubric_of_one_criterion_with_levels_from_0_to_10() -> None:
    rubric, notes = read(
        {
            "name": "Correctness",
            "criteria": "Is it correct?",
            "evaluation_params": ["LLMTestCaseParams.INPUT", "actual_output", "expectedOutput", "tools_called"],
            "threshold": 0.7,
            "model": "gpt-4.1",
        }
    )
    (criterion,) = rubric["criteria"]
    assert (criterion["name"], criterion["requirement"]) == ("Correctness", "Is it correct?")
    assert [level["value"] for level in criterion["levels"]] == list(range(11))
    assert (rubric["inputs"], rubric["passingThreshold"]) == (["query", "reference"], 0.7)
    assert notes == ("not read: evaluation parameter tools_called, model",)


@pytest.mark.parametrize("criteria", [{}, {"criteria": "Is it correct?"}], ids=["steps alone", "steps and a text"])
def test_evaluation_steps_of_g_eval_become_part_of_the_criterion_s_requirement(
    criteria: dict[str, str],
) -> None:
    rubric, _ = read({"name": "Correctness", **criteria, "evaluation_steps": STEPS, "rubric": OUTCOMES})
    (criterion,) = rubric["criteria"]
    steps = f"1. {STEPS[0]}\n2. {STEPS[1]}"
    assert criterion["requirement"] == (f"{criteria['criteria']}\nEvaluation steps:\n{steps}" if criteria else steps)
    assert [(level["value"], level["description"]) for level in criterion["levels"]] == [
        (1, "Wrong."),
        (6, "Partly right."),
        (10, "Right."),
    ]


@pytest.mark.parametrize("key", [None, "metrics"])
def test_several_metrics_of_g_eval_become_criteria_each_with_its_own_threshold(key: str | None) -> None:
    metrics = [
        {"name": "Correctness", "criteria": "Is it correct?", "threshold": 0.8},
        {"name": "Tone", "evaluation_steps": STEPS, "strict_mode": True},
    ]
    rubric, _ = read(metrics if key is None else {key: metrics})
    first, second = rubric["criteria"]
    assert (first["name"], first["threshold"], second["name"], second["binary"]) == ("Correctness", 0.8, "Tone", True)
    assert "passingThreshold" not in rubric


def test_a_file_with_a_metric_of_g_eval_is_loaded_as_a_rubric(tmp_path: Path) -> None:
    file = tmp_path / "coherence.json"
    file.write_text(json.dumps({"name": "Coherence", "criteria": "Is it coherent?", "rubric": OUTCOMES}))
    rubric = load_rubric(file)
    assert [level.description for level in rubric.criterion("Coherence").scale.levels] == [
        "Wrong.",
        "Partly right.",
        "Right.",
    ]
