"""Tuning from Python: what labels support is proposed, and written where that is asked for."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from markscheme.features.improve.run_numbers import TuningRequest
from markscheme.rubrics.file import load_rubric
from tests.calibration.labelled_files import RUBRIC, labelled, write_labels


def request_of(folder: Path, lines: list[dict[str, Any]]) -> TuningRequest:
    rubric, labels = write_labels(folder, lines)
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
