"""Candidates that change weights or the pass mark, alone or with words, are compared by people's own decisions."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.improve.selection import decisions_test
from markscheme.features.improve.trial import own_decision
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rating
from tests.features.improve.reading import RUBRIC, edit, make_project
from tests.features.improve.test_command import BETTER, Project

N = 90


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Make a project whose rubric weights the second criterion half, while people decide by that criterion only."""
    return decided(make_project(tmp_path, n=N, split=True), range(N))


def decided(folder: Path, numbers: range, **more: Any) -> Project:
    """Add a decision on the whole response to each of some examples."""
    path = folder / "calibration" / "manners" / "examples.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for i in numbers:
        lines[i]["labels"][0] |= {"pass": i % 2 == 1, **more}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Project(folder)


def heavier(project: Project, weight: str) -> str:
    """Write a candidate rubric that gives the second criterion another weight."""
    (project.folder / "other.yaml").write_text(RUBRIC.replace("weight: 0.5", f"weight: {weight}"))
    return "other.yaml"


def test_better_candidate_weights_are_confirmed_by_people_s_decisions_and_written(project: Project) -> None:
    status, report, error = project.improve("--candidates", heavier(project, "4"), "--open", "--write", "--force")
    assert (status, report["adopted"]) == (0, "other"), (report, error)
    assert (report["gain"], report["agreement_gain"]) == (None, None)
    assert report["decisions_gain"]["value"] > 0.1
    assert report["wordings"][0]["numbers"] == {"weights": {"short": 4.0}, "pass_mark": None}
    assert report["held_out"]["decisions_right_by"] > 0.1
    assert "other decides as people do on" in report["because"]
    assert project.rubric.read_text() == RUBRIC.replace("weight: 0.5", "weight: 4.0")
    (tuned,) = (json.loads(line) for line in (project.home / "tuned.jsonl").read_text().splitlines())
    assert tuned["changed"] == {"weights": {"short": 4.0}, "pass_mark": None}
    assert len(tuned["ids"]) == N


def test_worse_candidate_weights_are_not_adopted_and_the_report_names_what_they_change(project: Project) -> None:
    shown = project.shown("--candidates", heavier(project, "0.1"))
    assert "did not do better than yours" in shown or "gives the same decisions" in shown
    assert (
        "weight of short"
        in project.run("improve", "--judge", "function:reader:judge", "--candidates", "other.yaml", "--details").stdout
    )


def test_the_improve_command_compares_all_candidates_by_decisions_if_one_of_them_changes_weights(
    project: Project,
) -> None:
    files = (heavier(project, "4"), project.candidate("better", edit(BETTER)))
    _, report, _ = project.improve("--candidates", *files)
    assert {one["name"]: next(iter(one["dev"])) for one in report["wordings"]} == {
        "other": "decisions_right_by", "better": "decisions_right_by",
    }  # fmt: skip
    assert report["finalists"][0] == "other"


def test_improve_without_enough_decisions_says_how_many_there_are_and_how_many_are_needed(tmp_path: Path) -> None:
    project = decided(make_project(tmp_path, n=N, split=True), range(24))
    done = project.run("improve", "--judge", "function:reader:judge", "--candidates", heavier(project, "4"))
    assert done.returncode == 4
    assert "they were given on 8 dev and 16 held-out outputs, and 10 and 20 are needed" in done.stderr


def test_improve_does_not_use_decisions_that_annotators_gave_while_they_saw_the_judge_s_verdict(tmp_path: Path) -> None:
    project = decided(make_project(tmp_path, n=N, split=True), range(N), blind=False)
    done = project.run("improve", "--judge", "function:reader:judge", "--candidates", heavier(project, "4"))
    assert done.returncode == 4
    assert "were given on 0 dev and 0 held-out outputs" in done.stderr


def test_for_improve_the_majority_s_decision_counts_and_an_even_split_is_no_decision() -> None:
    def example(*decisions: bool) -> Example:
        labels = [Rating("e", f"p{n}", "human", passed=passed) for n, passed in enumerate(decisions)]
        return Example(Submission("reply", id="e"), tuple(labels))

    assert own_decision(example(True, True, False)) == 1.0
    assert own_decision(example(False)) == 0.0
    assert own_decision(example(True, False)) is None
    assert own_decision(example()) is None


@pytest.mark.parametrize(("right", "wrong", "best"), [(9, 1, 0), (7, 0, 0), (6, 0, None), (5, 2, None), (1, 9, None)])
def test_correcting_7_decisions_and_spoiling_none_shows_that_a_candidate_is_better_and_correcting_6_does_not(
    right: int, wrong: int, best: int | None
) -> None:
    rows = [[1.0]] * right + [[-1.0]] * wrong + [[0.0]] * (40 - right - wrong)
    assert decisions_test(rows, 0.025).best == best
