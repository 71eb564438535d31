"""Tuning from Python: what labels support is proposed, and written where that is asked for."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.calibration.requests.tuning import TuningRequest
from markscheme.calibration.tuning_labels import TuningLabels
from markscheme.rubrics.file import load_rubric

RUBRIC = """pass_mark: 0.5
criteria:
- {name: right, description: Is it right?, scale: {min: 1, max: 5}, weight: 0.5}
- {name: brief, description: Is it brief?, scale: {min: 1, max: 5}, weight: 0.5}
"""


def labelled(n: int = 120) -> list[dict[str, Any]]:
    """Examples whose overall marks go by one criterion alone."""
    draw = np.random.default_rng(7)
    lines = []
    for place, (right, brief) in enumerate(draw.integers(1, 6, (n, 2)).tolist()):
        mark = float(np.clip((right - 1) / 4 + draw.normal(0, 0.03), 0, 1).round(2))
        label = {"rater": "a", "criteria": {"right": right, "brief": brief}, "overall": mark, "pass": mark >= 0.5}
        lines.append({"id": f"e{place}", "response": f"answer {place}", "labels": [label]})
    return lines


def request_of(folder: Path, lines: list[dict[str, Any]]) -> TuningRequest:
    (folder / "answers.yaml").write_text(RUBRIC)
    (folder / "examples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rubric = load_rubric(folder / "answers.yaml")
    labels = TuningLabels.of(rubric, folder / "examples.jsonl")
    return TuningRequest(rubric=rubric, file=folder / "answers.yaml", labels=labels)


def test_the_file_changes_only_where_that_is_asked_for(tmp_path: Path) -> None:
    request = request_of(tmp_path, labelled())
    run = request.tuned()
    assert run.proposal.chosen.weights.supported
    assert run.diff
    assert not run.written
    assert (tmp_path / "answers.yaml").read_text() == RUBRIC
    assert replace(request, writes=True).tuned().written
    right, brief = load_rubric(tmp_path / "answers.yaml").criteria
    assert right.weight > 5 * brief.weight


def test_labels_that_are_missing_are_named(tmp_path: Path) -> None:
    unlabelled = [{"id": "e1", "response": "answer"}]
    assert request_of(tmp_path, labelled()).labels.lacks == ""
    assert "no example" in request_of(tmp_path, unlabelled).labels.lacks
