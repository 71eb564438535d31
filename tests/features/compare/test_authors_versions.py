"""Two versions of a rubric, compared by people's own decisions: the figures, and the command as a user runs it."""

import json
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from markscheme.features.compare.versions.paired_decisions import paired_decisions
from tests.commands.console import run
from tests.stats.shared_numbers import block

RUBRIC = """\
name: plate
passingThreshold: 0.5
criteria:
  - {name: warm, weight: WARM, requirement: WORDS}
  - {name: short, weight: 1, requirement: The reply is short.}
  - {name: exact, weight: 1, requirement: The reply is exact.}
"""
WORDS = "The reply is warm."
JUDGE = """\
import re

def judge(system_prompt, user_prompt):
    n = int(re.search(r'Reply (\\d+)', user_prompt)[1])
    levels = {'warm': n % 2, 'short': n % 4 < 2, 'exact': n % 3 == 0}
    return {'verdicts': {c: {'quote': '', 'reason': 'so', 'level': 'MET' if met else 'UNMET'}
                         for c, met in levels.items()}}
"""
N = 40


def decided(n: int, became_right: int, became_wrong: int, settings: int = 1) -> Any:
    people = np.ones(n)
    old = np.array([0.0] * became_right + [1.0] * (n - became_right))
    new = np.array([1.0] * (n - became_wrong) + [0.0] * became_wrong)
    return paired_decisions(people, old, new, settings=settings)


@pytest.mark.parametrize("place", range(8))
def test_the_difference_in_right_decisions_between_two_rubric_versions_equals_its_reference_value(
    place: int,
) -> None:
    case = block("authors.yaml", "versions")[place]
    compared = decided(case["n"], case["became_right"], case["became_wrong"], case["settings"])
    assert (compared.became_right, compared.became_wrong) == (case["became_right"], case["became_wrong"])
    assert (compared.value, compared.low, compared.high) == pytest.approx(
        (case["value"], case["low"], case["high"]), abs=1e-6
    )
    assert compared.answer.removesuffix("s") == case["answer"].removesuffix("s")


def test_nine_corrected_decisions_and_a_spoiled_one_show_a_better_version_only_if_no_other_setting_was_tried() -> None:
    alone = decided(60, 9, 1)
    assert (alone.low, alone.high, alone.answer) == (
        pytest.approx(0.006965568),
        pytest.approx(0.252013537),
        "better",
    )
    assert decided(60, 1, 9).answer == "worse"
    assert decided(60, 9, 1, settings=2).answer == "not shown"
    assert decided(30, 0, 0).answer == "same decisions"
    assert decided(19, 9, 0).answer == "too few"


def test_two_rubric_versions_are_compared_only_on_examples_that_people_and_both_versions_decided() -> None:
    people = np.array([1.0] * 30 + [np.nan] * 9)
    old = np.array([np.nan] * 2 + [0.0] * 37)
    new = np.array([1.0] * 29 + [np.nan] + [1.0] * 9)
    assert paired_decisions(people, old, new).n == 27


# --- the command ------------------------------------------------------------------------------------------------------


def rubric_text(warm: float, words: str = WORDS) -> str:
    return RUBRIC.replace("WARM", f"{warm:g}").replace("WORDS", words)


def levels_of(index: int) -> tuple[int, int, int]:
    return index % 2, int(index % 4 < 2), int(index % 3 == 0)


class Plate:
    """A rubric whose annotator decides by `warm` alone, with two versions of its weights."""

    def __init__(self, folder: Path, *, n: int = N) -> None:
        self.folder = folder
        self.file = folder / "rubrics" / "plate.yaml"
        self.file.parent.mkdir(parents=True)
        self.file.write_text(rubric_text(1))
        self.home = folder / "calibration" / "plate"
        self.home.mkdir(parents=True)
        lines = []
        for index in range(n):
            levels = dict(zip(("warm", "short", "exact"), levels_of(index), strict=True))
            label = {"rater": "ann", "kind": "human", "pass": bool(levels["warm"]), "criteria": levels}
            lines.append({"id": f"o{index}", "query": f"q{index}", "response": f"Reply {index}", "labels": [label]})
        self.write("calibration/plate/examples.jsonl", lines)
        judged = [
            {
                "id": f"o{index}",
                "rater": "j",
                "kind": "model",
                "criteria": dict(zip(("warm", "short", "exact"), levels_of(index), strict=True)),
            }
            for index in range(n)
        ]
        self.write("j.jsonl", judged)

    def write(self, name: str, lines: Sequence[Mapping[str, Any]]) -> None:
        (self.folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))

    def report(self, name: str, text: str) -> dict[str, Any]:
        """The report on the judge by a version, in a file."""
        self.file.write_text(text)
        options = ("--ratings", "j.jsonl", "--quiet", "--json", name)
        done = run("markscheme", "calibrate", "plate", *options, cwd=self.folder)
        assert done.returncode in (0, 1, 4), done.stderr
        return json.loads((self.folder / name).read_text())  # type: ignore[no-any-return]

    def compare(self, *sides: str) -> tuple[int, dict[str, Any], str]:
        """Exit status, JSON, and standard error."""
        done = run("markscheme", "compare", *sides, "--json", cwd=self.folder)
        return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr

    def git(self, *arguments: str) -> None:
        name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *name, *arguments], cwd=self.folder, check=True, capture_output=True)


@pytest.fixture
def plate(tmp_path: Path) -> Plate:
    return Plate(tmp_path)


@pytest.mark.proof
def test_comparing_two_reports_does_not_depend_on_the_rubric_version_that_is_on_disk(plate: Plate) -> None:
    before = plate.report("before.json", rubric_text(1))
    after = plate.report("after.json", rubric_text(3))
    assert (before["rubric"]["text"], after["rubric"]["text"]) == (rubric_text(1), rubric_text(3))
    answers = []
    for text in (rubric_text(3), rubric_text(1), rubric_text(9)):
        plate.file.write_text(text)
        status, compared, _ = plate.compare("before.json", "after.json")
        assert status == 0
        answers.append(compared)
    assert answers[0] == answers[1] == answers[2]
    decisions = answers[0]["decisions"]
    assert (decisions["n"], decisions["became_wrong"], decisions["answer"]) == (N, 0, "better")
    assert decisions["became_right"] > 7
    assert [side["name"] for side in answers[0]["sides"]] == ["before.json", "after.json"]
    assert answers[0]["recommended"] is None
    _, reverse, _ = plate.compare("after.json", "before.json")
    assert reverse["decisions"]["answer"] == "worse"
    assert reverse["decisions"]["became_wrong"] == decisions["became_right"]


def test_compare_decides_between_two_rubric_files_by_the_levels_that_annotators_gave_and_asks_no_judge(
    plate: Plate,
) -> None:
    (plate.folder / "old.yaml").write_text(rubric_text(1))
    (plate.folder / "new.yaml").write_text(rubric_text(3))
    status, compared, _ = plate.compare("old.yaml", "new.yaml")
    assert (status, compared["decisions"]["answer"]) == (0, "better")
    assert [side["judge"] for side in compared["sides"]] == [None, None]
    shown = run("markscheme", "compare", "old.yaml", "new.yaml", cwd=plate.folder).stdout
    assert shown.startswith("plate: old.yaml → new.yaml · 40 outputs with people's decisions\n")
    assert "new.yaml decides more as people do: 100% against" in shown
    assert "Scores aren't compared: each version makes gold by its own weights." in shown


def test_a_judge_can_be_asked_under_both_versions_of_a_rubric_in_the_run_that_compares_them(plate: Plate) -> None:
    (plate.folder / "old.yaml").write_text(rubric_text(1))
    (plate.folder / "new.yaml").write_text(rubric_text(3))
    (plate.folder / "asked.py").write_text(JUDGE)
    status, compared, error = plate.compare("old.yaml", "new.yaml", "--judge", "function:asked:judge")
    assert status == 0, error
    assert compared["decisions"]["answer"] == "better"
    assert compared["sides"][0]["judge"] == compared["sides"][1]["judge"] == "function:asked:judge"
    assert compared["criteria"]["warm"]["after"] == 1.0


@pytest.mark.skipif(shutil.which("git") is None, reason="runs where git is installed")
def test_rubrics_at_git_revisions_are_compared_as_versions(plate: Plate) -> None:
    plate.git("init", "-q")
    plate.git("add", "-A")
    plate.git("commit", "-qm", "first")
    plate.file.write_text(rubric_text(3))
    plate.git("commit", "-qam", "second")
    for sides in (("plate@HEAD~1", "plate"), ("HEAD~1:rubrics/plate.yaml", "rubrics/plate.yaml")):
        status, compared, error = plate.compare(*sides)
        assert status == 0, error
        assert compared["decisions"]["answer"] == "better"
        assert [side["name"] for side in compared["sides"]] == list(sides)
    status, _, error = plate.compare("plate@nowhere", "plate")
    assert status == 2
    assert "there is no commit 'nowhere' here" in error
    status, _, error = plate.compare("plate@nowhere", "plate", "--judge", "function:asked:judge")
    assert status == 2
    assert "there is no commit 'nowhere' here; name another commit, as in plate@HEAD~1, or a file" in error


def without_text(path: Path) -> None:
    report = json.loads(path.read_text())
    del report["rubric"]["text"]
    path.write_text(json.dumps(report))


@pytest.mark.proof
@pytest.mark.skipif(shutil.which("git") is None, reason="runs where git is installed")
def test_compare_finds_the_rubric_of_a_report_that_lacks_its_text_on_disk_or_in_the_git_history(
    plate: Plate,
) -> None:
    plate.report("before.json", rubric_text(1))
    plate.git("init", "-q")
    plate.git("add", "-A")
    plate.git("commit", "-qm", "first")
    plate.report("after.json", rubric_text(3))
    expected = plate.compare("before.json", "after.json")
    without_text(plate.folder / "before.json")
    without_text(plate.folder / "after.json")
    assert plate.compare("before.json", "after.json") == expected


@pytest.mark.proof
def test_the_error_about_a_report_whose_rubric_version_is_unknown_names_two_ways_to_supply_the_version(
    plate: Plate,
) -> None:
    report = plate.report("before.json", rubric_text(1))
    plate.report("after.json", rubric_text(3))
    without_text(plate.folder / "before.json")
    status, _, error = plate.compare("before.json", "after.json")
    assert status == 2
    digits = report["rubric"]["fingerprint"].removeprefix("sha256:")[:4]
    assert f"before.json was made with another plate ({digits}…): name its file, `before.json=old.yaml`" in error
    again = "markscheme calibrate plate --ratings YOUR-RATINGS.jsonl --json before.json"
    assert f"or calibrate again with the version meant: {again}" in error
    (plate.folder / "old.yaml").write_text(rubric_text(1))
    status, compared, _ = plate.compare("before.json=old.yaml", "after.json")
    assert (status, compared["decisions"]["answer"]) == (0, "better")


def test_compare_suggests_a_working_calibrate_command_for_a_report_whose_rubric_version_is_unknown(
    plate: Plate,
) -> None:
    (plate.folder / "asked.py").write_text(JUDGE)
    calibrated = ("markscheme", "calibrate", "plate", "--judge", "function:asked:judge", "--quiet", "--json")
    for name, warm in (("before.json", 1), ("after.json", 3)):
        plate.file.write_text(rubric_text(warm))
        assert run(*calibrated, name, cwd=plate.folder).returncode in (0, 1, 4)
        without_text(plate.folder / name)
    status, _, error = plate.compare("before.json", "after.json")
    assert status == 2
    command = error.strip().rpartition("the version meant: ")[2]
    assert command == "markscheme calibrate plate --judge function:asked:judge --json before.json"
    plate.file.write_text(rubric_text(1))
    assert run(*shlex.split(command), cwd=plate.folder).returncode in (0, 1, 4)
    status, compared, error = plate.compare("before.json", "after.json=rubrics/plate.yaml")
    assert (status, compared["rubric"]) == (0, "plate"), error


def test_a_reworded_criterion_is_compared_on_examples_that_people_labelled_under_both_wordings(plate: Plate) -> None:
    plate.report("before.json", rubric_text(1))
    plate.report("after.json", rubric_text(1, "The reply is warm and kind."))
    _, compared, _ = plate.compare("before.json", "after.json")
    assert compared["decisions"]["answer"] == "same decisions"
    assert compared["criteria"]["short"]["labelled_under_new"] is None
    shown = run("markscheme", "compare", "before.json", "after.json", cwd=plate.folder).stdout
    assert f"The same decisions on all {N}" in shown
    assert "reworded" in shown


def test_examples_used_to_choose_a_version_are_left_out_when_versions_are_compared(
    plate: Plate,
) -> None:
    plate.report("before.json", rubric_text(1))
    plate.report("after.json", rubric_text(3))
    tuned = {"at": "2026-11-27", "labels": "x", "changed": {}, "ids": [f"o{index}" for index in range(25)]}
    plate.write("calibration/plate/tuned.jsonl", [tuned])
    _, compared, _ = plate.compare("before.json", "after.json")
    assert (compared["left_out"], compared["decisions"]["n"], compared["decisions"]["answer"]) == (25, 15, "too few")
    shown = run("markscheme", "compare", "before.json", "after.json", cwd=plate.folder).stdout
    assert "Label 5 more" in shown
    assert "Left out: 25 outputs that had a part in choosing a version." in shown
    assert "markscheme label plate --pool YOUR-OUTPUTS.jsonl" in shown, "all examples have a decision"
    more = [{"id": "fresh", "response": "A fresh one."}]
    old = (plate.folder / "calibration/plate/examples.jsonl").read_text()
    plate.write("calibration/plate/examples.jsonl", [*map(json.loads, old.splitlines()), *more])
    shown = run("markscheme", "compare", "before.json", "after.json", cwd=plate.folder).stdout
    assert "whole responses: markscheme label plate\n" in shown


def test_compare_refuses_a_report_and_a_rubric_together(plate: Plate) -> None:
    plate.report("before.json", rubric_text(1))
    status, _, error = plate.compare("before.json", "plate")
    assert status == 2
    assert "name two rubrics or two reports" in error
