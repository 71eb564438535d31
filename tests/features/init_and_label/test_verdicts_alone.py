"""A project made of a judge's verdicts alone leads to labels, and compares the judge with nothing before."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run

VERDICTS = [("pass" if index % 4 else "fail") for index in range(90)]
RATINGS = "calibration/verdicts/ratings/judge.jsonl"


@pytest.fixture
def made(tmp_path: Path) -> list[str]:
    """The lines that `init` prints on a table of verdicts alone."""
    lines = [f"q{index},Reset {index}?,Hold it for {index} s.,{verdict}" for index, verdict in enumerate(VERDICTS)]
    (tmp_path / "verdicts.csv").write_text("\n".join(["id,question,answer,judge", *lines, ""]), encoding="utf-8")
    return run("markscheme", "init", "--from", "verdicts.csv", cwd=tmp_path).stdout.splitlines()


def label_some(folder: Path, n: int) -> None:
    """Store labels of the first so many outputs, equal to the judge's verdicts."""
    labels = [
        {"id": f"q{index}", "rater": "ann", "kind": "human", "criteria": {"label": "MET" if v == "pass" else "UNMET"}}
        for index, v in enumerate(VERDICTS[:n])
    ]
    (folder / RATINGS).with_name("ann.jsonl").write_text("".join(f"{json.dumps(label)}\n" for label in labels))


def test_the_first_step_after_init_from_verdicts_alone_is_to_label_the_outputs(made: list[str]) -> None:
    first, then = made[-2:]
    assert first.startswith("Next: say in rubrics/verdicts.yaml what your annotators look for, then label the outputs:")
    assert first.endswith("`markscheme label verdicts`")
    assert then == f"Then compare the judge with the labels: `markscheme calibrate verdicts --ratings {RATINGS}`"


@pytest.mark.usefixtures("made")
def test_a_judge_is_not_compared_with_its_own_verdicts_and_the_error_says_how_to_label(tmp_path: Path) -> None:
    done = run("calibrate", "verdicts", "--ratings", RATINGS, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the only labels are judge's own" in done.stderr
    assert "; to label them: markscheme label verdicts; " in done.stderr
    plan = run("markscheme", "label", "verdicts", "--plan", cwd=tmp_path).stdout
    assert plan.startswith("verdicts · 0 labelled examples")
    assert "Next: markscheme label verdicts --rater YOUR-NAME" in plan
    by_ann = run("markscheme", "label", "verdicts", "--plan", "--rater", "ann", cwd=tmp_path).stdout
    assert "Next: markscheme label verdicts --rater ann" in by_ann


@pytest.mark.usefixtures("made")
def test_calibrate_asks_for_labels_on_examples_that_only_a_judge_rated_before_labels_on_new_outputs(
    tmp_path: Path,
) -> None:
    label_some(tmp_path, 12)
    done = run("calibrate", "verdicts", "--ratings", RATINGS, cwd=tmp_path)
    screen = " ".join(done.stdout.split())
    assert done.returncode == 4, done.stderr
    assert "Begin with the examples that people haven't labelled: markscheme label verdicts --rater YOUR-NAME" in screen
    assert "YOUR-OUTPUTS" not in screen


@pytest.mark.usefixtures("made")
def test_once_all_examples_are_labelled_the_next_step_is_to_calibrate_the_judge_by_its_stored_verdicts(
    tmp_path: Path,
) -> None:
    label_some(tmp_path, len(VERDICTS))
    progress = run("markscheme", "label", "verdicts", "--progress", cwd=tmp_path).stdout
    assert f"Next: markscheme calibrate verdicts --ratings {RATINGS}" in " ".join(progress.split())
    done = run("calibrate", "verdicts", "--ratings", RATINGS, cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "verdicts · judge · 90 examples, 1 annotator")
