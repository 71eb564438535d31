"""`markscheme tune` as a user runs it: what is proposed, refused, kept back and written."""

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from markscheme.stats.weighted_scores import weighted_scores
from tests.commands.console import ROOT, run

NAMES = ["readability", "correctness", "efficiency", "maintainability"]
AUTHOR = [0.3, 0.4, 0.2, 0.1]
OTHERS = [0.1, 0.7, 0.1, 0.1]
LONGEST_PATH = 4095
"""Bytes of a path on Linux."""
Mark = Callable[[float], dict[str, Any]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a copy of the shipped rubric and no labels."""
    (tmp_path / "rubrics").mkdir()
    shutil.copy(ROOT / "rubrics" / "code-quality.yaml", tmp_path / "rubrics")
    (tmp_path / "calibration" / "code-quality").mkdir(parents=True)
    return tmp_path


def overall(mark: float) -> dict[str, Any]:
    return {"overall": round(mark, 1)}


def judged_twice(mark: float) -> dict[str, Any]:
    """An overall mark, and an explicit decision that fits the rubric's pass mark."""
    return {"overall": round(mark, 1), "pass": mark >= 0.7}


def label(
    project: Path,
    n: int,
    weights: Sequence[float],
    *,
    seed: int = 5,
    test: int = 0,
    lenient: float = 0.3,
    says: Mark = judged_twice,
    **more: Any,
) -> None:
    """`n` examples on which people weigh levels by `weights`, the last `test` of them kept back; a judge's ratings."""
    draw = np.random.default_rng(seed)
    levels = draw.integers(1, 6, (n, 4))
    marks = np.clip(weighted_scores((levels - 1) / 4, weights) + draw.normal(0, 0.05, n), 0, 1)
    computed = np.abs(marks.round(1) - weighted_scores((levels - 1) / 4, AUTHOR)) < 0.01
    judged = np.clip(np.rint(levels + draw.normal(lenient, 0.5, (n, 4))), 1, 5)
    with (
        (project / "calibration" / "code-quality" / "examples.jsonl").open("w") as examples,
        (project / "judge.jsonl").open("w") as ratings,
    ):
        for i in range(n):
            label: dict[str, Any] = {
                "rater": "a",
                "kind": "human",
                "criteria": dict(zip(NAMES, levels[i].tolist(), strict=True)),
            }
            label |= says(float(marks[i]))
            if "overall" in label and computed[i]:
                label["overall"] = abs(round(label["overall"] - 0.02, 2))  # else it would count as computed from levels
            line = {"id": f"e{i}", "query": "q", "response": f"r{i}", "labels": [label], **more}
            if test:
                line["split"] = "test" if i >= n - test else "dev"
            examples.write(json.dumps(line) + "\n")
            criteria = dict(zip(NAMES, judged[i].tolist(), strict=True))
            ratings.write(json.dumps({"id": f"e{i}", "judge": "j", "criteria": criteria}) + "\n")


def tuned(project: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = run("markscheme", "tune", "rubrics/code-quality.yaml", "--json", *options, cwd=project)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def examples_file(project: Path) -> Path:
    return project / "calibration" / "code-quality" / "examples.jsonl"


def git(project: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)


def test_other_weights_are_proposed_with_held_out_evidence(project: Path) -> None:
    label(project, 160, OTHERS)
    status, report = tuned(project, "--ratings", "judge.jsonl")
    assert (status, report["schema"], report["n"], report["supported"]) == (0, 1, 160, True)
    before, after = report["weights"]["before"], report["weights"]["after"]
    assert before == dict(zip(NAMES, AUTHOR, strict=True))
    assert after["correctness"] > 0.5
    assert sum(after.values()) == pytest.approx(1)
    for measure in ("mae", "agreement", "pass_agreement"):
        assert set(report["held_out"][measure]) == {"before", "after", "difference"}
    assert report["held_out"]["mae"]["difference"]["high"] < 0
    assert report["weights"]["ratios"]["correctness"]["low"] > 1
    assert {"before", "after"} <= report["pass_mark"].keys()


def test_right_weights_are_kept_and_said_to_fit_as_well_as_any(project: Path) -> None:
    label(project, 120, AUTHOR)
    status, report = tuned(project)
    assert (status, report["source"], report["supported"]) == (0, "human", False)
    assert report["weights"]["after"] == report["weights"]["before"]
    assert "your weights fit as well as any" in report["reason"]
    assert report["held_out"]["mae"]["before"]["value"] < 0.06
    text = run("markscheme", "tune", "rubrics/code-quality.yaml", "--details", cwd=project).stdout
    assert "falls by 0% (" in text
    assert "-0" not in text


def test_people_s_levels_and_the_judge_s_are_distinguished(project: Path) -> None:
    label(project, 120, AUTHOR, lenient=0.8)
    _, report = tuned(project, "--ratings", "judge.jsonl")
    assert report["source"] == "judge"
    assert set(report["sources"]) == {"human", "judge"}
    human, judge = (report["sources"][source]["held_out"]["mae"]["before"]["value"] for source in ("human", "judge"))
    assert human < judge
    _, by_people = tuned(project, "--ratings", "judge.jsonl", "--source", "human")
    assert by_people["held_out"] == report["sources"]["human"]["held_out"]
    assert by_people["thresholds"] == {}
    assert set(report["thresholds"]) == set(NAMES)


def test_findings_and_their_edits_come_before_the_weights(project: Path) -> None:
    label(project, 120, AUTHOR, lenient=1.5)
    done = run("markscheme", "tune", "code-quality", "--ratings", "judge.jsonl", "--details", cwd=project)
    assert done.stdout.index("Wording first") < done.stdout.index("Weights\n")
    _, report = tuned(project, "--ratings", "judge.jsonl")
    assert isinstance(report["findings"], list)


def test_a_false_pass_that_costs_more_raises_the_mark(project: Path) -> None:
    label(project, 160, AUTHOR, lenient=0.9, says=lambda mark: {"pass": mark >= 0.7})
    lines = [json.loads(line) for line in examples_file(project).read_text().splitlines()]
    for line in lines:
        line["labels"][0]["criteria"] = {}  # decisions alone: the mark is one for this judge
    examples_file(project).write_text("".join(json.dumps(line) + "\n" for line in lines))
    marks = {}
    for cost in ("1:5", "1:1", "5:1"):
        _, report = tuned(project, "--ratings", "judge.jsonl", "--cost", cost)
        marks[cost] = report["pass_mark"]["after"]
        assert report["pass_mark"]["crossing"]["value"] is not None
        assert report["pass_mark"]["through"] == "judge"
    assert marks["1:5"] <= marks["1:1"] < marks["5:1"]


@pytest.mark.parametrize(
    ("n", "says", "reason"),
    [
        (20, overall, "4 weights need 30"),
        (60, lambda mark: {"pass": True}, "a mark needs 50 labelled examples with 10 of each"),
        (60, lambda mark: {"pass": mark < 0.6}, "the score doesn't order what passes"),
        (60, lambda mark: {}, "no annotator decided pass or fail"),
        (30, lambda mark: {"pass": mark >= 0.6}, "a mark needs 50 with 10 of each"),
    ],
    ids=["few", "one class", "against the score", "no word on the whole", "few passes and fails"],
)
def test_labels_that_do_not_suffice_exit_4_with_the_number_needed(
    project: Path, n: int, says: Mark, reason: str
) -> None:
    label(project, n, AUTHOR, says=says)
    status, report = tuned(project)
    assert status == 4
    assert reason in report["reason"] + report["pass_mark"]["reason"]
    assert report["weights"]["after"] == report["weights"]["before"]


def test_a_rater_who_passes_and_fails_one_example_contradicts_the_label(project: Path) -> None:
    label(project, 60, AUTHOR)
    folder = project / "calibration" / "code-quality" / "ratings"
    folder.mkdir()
    passed = [json.loads(line)["labels"][0]["pass"] for line in examples_file(project).read_text().splitlines()]
    again = [{"id": f"e{i}", "rater": "a", "pass": not before} for i, before in enumerate(passed[:40])]
    (folder / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in again))
    status, report = tuned(project)
    assert len(report["labels"]["contradictory"]) == 40
    assert (status, report["counts"]["marks"], report["weights"]["needed"]) == (4, 20, 30)


def test_raters_who_decide_evenly_against_each_other_leave_an_example_undecided(project: Path) -> None:
    label(project, 60, AUTHOR, says=lambda mark: {"pass": mark >= 0.6})
    lines = [json.loads(line) for line in examples_file(project).read_text().splitlines()]
    for line in lines:
        (first,) = line["labels"]
        line["labels"].append({**first, "rater": "b", "pass": not first["pass"]})
    examples_file(project).write_text("".join(json.dumps(line) + "\n" for line in lines))
    status, report = tuned(project)
    assert (status, len(report["labels"]["torn"]), report["counts"]["passes"]) == (4, 60, 0)
    assert "60 undecided: as many raters passed as failed" in run(
        "markscheme", "tune", "code-quality", cwd=project
    ).stdout  # fmt: skip


def test_one_level_throughout_is_said_and_exits_4(project: Path) -> None:
    label(project, 60, AUTHOR)
    lines = [json.loads(line) for line in examples_file(project).read_text().splitlines()]
    for line in lines:
        line["labels"][0]["criteria"] = dict.fromkeys(NAMES, 3)
        line["labels"][0]["overall"] += 0.01  # 0.5 would count as computed from the levels
    examples_file(project).write_text("".join(json.dumps(line) + "\n" for line in lines))
    status, report = tuned(project)
    assert status == 4
    assert "4 criteria with one level in all 60 examples; label some at other levels, 70 examples" in report["reason"]
    assert "all 60 labelled examples score 0.5" in report["pass_mark"]["reason"]


def test_no_label_at_all_exits_4_with_the_numbers_needed(project: Path) -> None:
    examples_file(project).write_text('{"id": "a", "query": "q", "response": "r"}\n')
    done = run("markscheme", "tune", "code-quality", cwd=project)
    assert (done.returncode, done.stdout) == (4, "")
    assert "weights need 30 examples with an overall mark, a pass mark 50 with 10 passes" in done.stderr
    label(project, 60, AUTHOR)
    done = run("markscheme", "tune", "code-quality", "--gold", "adjudicated", cwd=project)
    assert (done.returncode, "adjudicated" in done.stderr) == (2, True)


def test_a_file_without_ratings_is_a_fault(project: Path) -> None:
    label(project, 60, AUTHOR)
    (project / "judge.jsonl").write_text("")
    done = run("markscheme", "tune", "code-quality", "--ratings", "judge.jsonl", cwd=project)
    assert (done.returncode, done.stderr) == (2, "error: judge.jsonl contains no ratings\n")


def test_a_file_in_which_no_example_is_rated_is_named(project: Path) -> None:
    label(project, 60, AUTHOR)
    failed = ({"id": f"e{i}", "judge": "j", "criteria": {}, "error": "no key"} for i in range(60))
    (project / "judge.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in failed))
    done = run("markscheme", "tune", "code-quality", "--ratings", "judge.jsonl", cwd=project)
    assert done.returncode == 5
    assert done.stderr == "error: judge.jsonl: nothing was graded: all 60 examples failed; no key\n"


def test_passes_and_fails_alone_move_the_mark_and_leave_the_weights(project: Path) -> None:
    label(project, 160, AUTHOR, lenient=0.0, says=lambda mark: {"pass": mark >= 0.5})
    status, report = tuned(project, "--ratings", "judge.jsonl")
    assert (status, report["supported"]) == (0, False)
    assert report["pass_mark"]["after"] < 0.7
    assert report["pass_mark"]["through"] == "people"


def test_a_lenient_judge_moves_no_mark_that_annotators_own_scores_fit(project: Path) -> None:
    label(project, 160, AUTHOR, lenient=1.2, says=lambda mark: {"pass": mark >= 0.7})
    _, report = tuned(project, "--ratings", "judge.jsonl")
    assert report["pass_mark"]["after"] == 0.7
    assert (report["pass_mark"]["through"], report["pass_mark"]["bias"] > 0.1) == ("people", True)


@pytest.mark.parametrize("cost", ["5", "0:1", "1:-1", "a:b", "1:2:3"])
def test_costs_that_are_none_are_refused(project: Path, cost: str) -> None:
    done = run("markscheme", "tune", "code-quality", "--cost", cost, cwd=project)
    assert done.returncode == 2
    assert "must be two numbers above 0" in done.stderr


# --- labels kept back -----------------------------------------------------------------------------------------------


def test_test_labels_have_no_say_before_they_are_opened(project: Path) -> None:
    label(project, 90, OTHERS, test=30)
    _, report = tuned(project, "--ratings", "judge.jsonl")
    file = project / "calibration" / "code-quality" / "examples.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        if line["split"] == "test":
            line["labels"][0]["overall"] = 0.0
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    _, again = tuned(project, "--ratings", "judge.jsonl")
    assert again.pop("test_labels")["labels"] != report.pop("test_labels")["labels"]
    assert again == report
    assert report["counts"]["marks"] == 60
    assert report["final"] is None
    assert not (file.parent / "opened.jsonl").exists()


def test_opening_the_test_labels_is_recorded_and_shown_ever_after(project: Path) -> None:
    label(project, 90, OTHERS, test=30)
    _, first = tuned(project, "--ratings", "judge.jsonl", "--final")
    assert first["final"]["mae"]["after"]["n"] == 30
    assert first["final"]["mae"]["difference"]["value"] < 0
    record = project / "calibration" / "code-quality" / "opened.jsonl"
    (line,) = map(json.loads, record.read_text().splitlines())
    assert line["n"] == 30
    assert line["labels"].startswith("sha256:")
    _, later = tuned(project, "--ratings", "judge.jsonl")
    assert (later["test_labels"]["opened"], later["test_labels"]["labels"]) == (1, line["labels"])
    tuned(project, "--ratings", "judge.jsonl", "--final")
    done = run("markscheme", "tune", "code-quality", "--details", cwd=project)
    assert "looked at 2 times" in done.stdout


@pytest.mark.proof
def test_calibrate_opens_nothing_and_says_how_often_tune_looked(project: Path) -> None:
    label(project, 60, AUTHOR, test=20)
    command = ["calibrate", "code-quality", "--ratings", "judge.jsonl", "--json", "-", "--quiet"]

    def looks() -> list[int]:
        parts = ("dev", "test", "all", "dev")
        reports = [json.loads(run(*command, "--split", part, cwd=project).stdout) for part in parts]
        return [report["test_labels"]["opened"] for report in reports]

    assert looks() == [0, 0, 0, 0]
    assert not (project / "calibration" / "code-quality" / "opened.jsonl").exists()
    for _ in range(2):
        tuned(project, "--ratings", "judge.jsonl", "--final")
    assert looks() == [2, 2, 2, 2]
    assert "looked at 2 times" in run(*command[:4], "--details", cwd=project).stdout


def test_final_without_a_test_split_is_a_fault(project: Path) -> None:
    label(project, 60, AUTHOR)
    done = run("markscheme", "tune", "code-quality", "--final", cwd=project)
    assert done.returncode == 2
    assert '"split": "test"' in done.stderr


def test_a_group_on_both_sides_of_the_split_is_reported(project: Path) -> None:
    label(project, 60, AUTHOR, test=20, group="one task")
    done = run("markscheme", "tune", "code-quality", cwd=project)
    assert "1 groups are in dev and in test" in done.stderr


# --- the doubtful middle --------------------------------------------------------------------------------------------


def asks_of(project: Path) -> list[dict[str, Any]]:
    """The promises on record, next to the labels."""
    path = project / "calibration" / "code-quality" / "asks.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_promise_that_was_not_tested_costs_later_ones_nothing(project: Path) -> None:
    label(project, 60, AUTHOR, lenient=0.0, drawn="chosen")
    tuned(project, "--ratings", "judge.jsonl")
    assert asks_of(project) == []


# --- writing back ---------------------------------------------------------------------------------------------------


def test_write_changes_nothing_but_the_numbers(project: Path) -> None:
    label(project, 160, OTHERS)
    done = run("markscheme", "tune", "rubrics/code-quality.yaml", "--write", "--details", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "-    weight: 0.4" in done.stdout.splitlines()
    before = (ROOT / "rubrics" / "code-quality.yaml").read_text().splitlines()
    after = (project / "rubrics" / "code-quality.yaml").read_text().splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert changed
    for old, new in changed:
        assert old.split(":")[0] == new.split(":")[0]
        assert old.split(":")[0].strip() in ("weight", "passingThreshold", "threshold")


def test_without_write_the_file_stays_as_it_is(project: Path) -> None:
    label(project, 160, OTHERS)
    _, report = tuned(project)
    assert report["diff"]
    assert not report["written"]
    untouched = (ROOT / "rubrics" / "code-quality.yaml").read_bytes()
    assert (project / "rubrics" / "code-quality.yaml").read_bytes() == untouched


def test_uncommitted_changes_are_not_written_over_unasked(project: Path) -> None:
    label(project, 160, OTHERS)
    git(project, "init", "-q")
    git(project, "add", "rubrics")
    git(project, "commit", "-q", "-m", "rubric")
    file = project / "rubrics" / "code-quality.yaml"
    file.write_text(file.read_text() + "# mine\n")
    done = run("markscheme", "tune", "rubrics/code-quality.yaml", "--write", cwd=project)
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert run("markscheme", "tune", "rubrics/code-quality.yaml", "--write", "--force", cwd=project).returncode == 0
    assert file.read_text().endswith("# mine\n")
    git(project, "commit", "-q", "-a", "-m", "tuned")
    assert run("markscheme", "tune", "rubrics/code-quality.yaml", "--write", cwd=project).returncode == 0


def test_a_rubric_that_cannot_be_written_is_refused_before_anything_is_read(project: Path) -> None:
    refuses_to_write(project, "tune")


def refuses_to_write(project: Path, command: str, *options: str) -> None:
    """See that a rubric is refused next to which no other file fits, since its path is as long as paths may be."""
    folder, length = project, LONGEST_PATH - len("/r.yaml")
    while len(str(folder)) < length:
        left = length - len(str(folder)) - 1
        folder /= "d" * (left if left <= 200 else min(200, left - 2))
    folder.mkdir(parents=True)
    file = folder / "r.yaml"
    shutil.copy(ROOT / "rubrics" / "code-quality.yaml", file)
    done = run("markscheme", command, str(file), *options, "--write", cwd=project)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


def test_synthetic_labels_are_not_called_human() -> None:
    done = run("markscheme", "tune", "error-messages", "--details")
    assert done.returncode == 4
    assert "synthetic labels" in done.stdout
    assert "Fitted to the labelled levels" in " ".join(done.stdout.split())
    assert "people's" not in done.stdout.replace("evidence about people", "")
