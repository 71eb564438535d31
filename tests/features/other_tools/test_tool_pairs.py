"""Pairs in exports of tools that compare two responses."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.errors import RatingError
from markscheme.readers.rated import open_rated


def choice(who: str, selected: str | None, **more: Any) -> dict[str, Any]:
    value = {"selected": selected} if selected else {}
    region = {"id": "r", "type": "pairwise", "from_name": "comparison", "to_name": "answer1", "value": value}
    return {"id": who, "completed_by": {"email": who}, "result": [region], **more}


def test_pairwise_tasks_of_label_studio_are_read_as_pairs(tmp_path: Path) -> None:
    task = {
        "id": 7,
        "data": {"prompt": "Where is it?", "answer1": "In Leeds.", "answer2": "Gone."},
        "annotations": [
            choice("ann@example.org", "left"),
            choice("ben@example.org", "right"),
            choice("cy@example.org", None),
            choice("dan@example.org", "left", was_cancelled=True),
        ],
        "predictions": [{**choice("", "left"), "model_version": "judge-1"}],
    }
    (tmp_path / "export.json").write_text(json.dumps([task]))
    read = open_rated([tmp_path / "export.json"])
    (example,) = read.files[0].examples
    assert example.submission.inputs == {"query": "Where is it?"}
    assert (example.submission.response, example.submission.second) == ("In Leeds.", "Gone.")
    levels = {(rating.rater, rating.kind): rating.criteria["preference"].level for rating in read.ratings}
    assert levels["ann@example.org", "human"] == -1.0
    assert levels["ben@example.org", "human"] == 1.0
    assert levels["cy@example.org", "human"] == 0.0
    assert "dan@example.org" not in {rater for rater, _ in levels}
    assert [level for (_, kind), level in levels.items() if kind == "model"] == [-1.0]
    assert read.files[0].lost == {"cancelled annotations": 1}


def compared_runs(folder: Path) -> list[Path]:
    """Write two LangSmith runs that an annotator compared with each other."""
    runs = [
        {"id": run, "run_type": "chain", "inputs": {"question": "Where?"}, "outputs": {"output": text},
         "session_id": f"experiment-{run}"}
        for run, text in (("r1", "In Leeds."), ("r2", "Gone."))
    ]  # fmt: skip
    feedback = [
        {"id": f"f{run}", "run_id": run, "key": "ranked_preference", "score": score, "value": None,
         "feedback_source": {"type": "app", "user_name": "ann"}, "comparative_experiment_id": "c1",
         "feedback_group_id": "g1", "created_at": "2026-11-25"}
        for run, score in (("r1", 1), ("r2", 0))
    ]  # fmt: skip
    (folder / "runs.json").write_text(json.dumps(runs))
    (folder / "feedback.json").write_text(json.dumps(feedback))
    return [folder / "feedback.json", folder / "runs.json"]


def test_comparative_feedback_of_langsmith_is_read_as_a_pair_of_runs(tmp_path: Path) -> None:
    read = open_rated(compared_runs(tmp_path), joined=True)
    (example,) = read.files[0].examples
    (rating,) = read.ratings
    assert (example.submission.response, example.submission.second) == ("In Leeds.", "Gone.")
    assert example.sides is not None
    assert [side.system for side in example.sides] == ["experiment-r1", "experiment-r2"]
    assert (rating.rater, rating.kind, rating.criteria["preference"].level) == ("ann", "human", -1.0)


def test_comparative_feedback_of_langsmith_without_two_scored_runs_is_left_out_and_reported(tmp_path: Path) -> None:
    feedback, runs = compared_runs(tmp_path)
    first, second = json.loads(feedback.read_text())
    of_three = [{**first, "feedback_group_id": "g3", "run_id": run} for run in ("r1", "r2", "r3")]
    unscored = [{**one_run, "feedback_group_id": "g4", "score": None} for one_run in (first, second)]
    elsewhere = [{**first, "feedback_group_id": "g5"}, {**second, "feedback_group_id": "g5", "run_id": "r9"}]
    alone = [{**first, "feedback_group_id": None}]
    feedback.write_text(json.dumps([first, second, *of_three, *unscored, *elsewhere, *alone]))
    read = open_rated([feedback, runs], joined=True)
    assert len(read.ratings) == 1
    assert read.files[0].lost == {
        "comparisons without the scores of two runs": 2,
        "comparisons of runs that aren't in the files": 1,
        "feedback on a run that is compared with no other": 1,
    }


def test_comparative_feedback_of_langsmith_is_refused_without_the_file_of_the_runs_it_compares(tmp_path: Path) -> None:
    feedback, _ = compared_runs(tmp_path)
    with pytest.raises(RatingError, match="name the file of runs"):
        open_rated([feedback])
