"""The rubric that is made of Promptfoo's results asks of a text with a scale what the results have: does it pass?"""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.readers.results_project import project_of_results
from markscheme.rubrics.rubric import Rubric

ROW_KEYS = {"promptIdx": 0, "testIdx": 0, "prompt": {"label": "p"}, "provider": {"id": "echo"}}


def results_of(text: str) -> dict[str, Any]:
    """Make Promptfoo's results with one output, graded by one `llm-rubric` with a text."""
    assertion = {"type": "llm-rubric", "value": text, "metric": "tone"}
    component = {"pass": True, "score": 1, "reason": "Good.", "assertion": assertion}
    graded = {"pass": True, "score": 1, "namedScores": {"tone": 1}, "componentResults": [component]}
    row = {
        **ROW_KEYS,
        "vars": {},
        "response": {"output": "Hello."},
        "success": True,
        "score": 1,
        "gradingResult": graded,
    }
    return {"evalId": "e", "results": {"version": 3, "results": [row | {"testCase": {"assert": [assertion]}}]}}


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Is polite", "Is polite"),
        (
            "Rate the tone from 1 to 5. Pass if at least 4.",
            "The response passes by this: Rate the tone from 1 to 5. Pass",
        ),
    ],
)
def test_a_text_that_asks_for_a_score_becomes_a_yes_or_no_question_that_asks_if_the_response_passes(
    tmp_path: Path, text: str, asks: str
) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results_of(text)), encoding="utf-8")
    project = project_of_results(path)
    assert project is not None
    (criterion,) = Rubric.from_yaml(project.files[Path("rubrics/results.yaml")]).criteria
    assert criterion.requirement.startswith(asks)
    assert criterion.scale.is_yes_no
