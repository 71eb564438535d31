"""`compare` on two files of counts."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.features.counts.two_judges import answer, counted_judges


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a rubric, and counts of two judges of the same labels."""
    monkeypatch.chdir(tmp_path)
    return counted_judges(tmp_path)


def test_two_files_of_counts_are_compared(project: Path) -> None:
    compared = json.loads(answer(project, "compare", "old.csv", "new.csv", "--json").stdout)
    assert compared["rubric"]["name"] == "answers"
    for side in ("old", "new"):
        words = ("calibrate", "answers", "--counts", f"{side}.csv", "--json", "-")
        alone = json.loads(answer(project, *words).stdout)
        place = {"old": "first", "new": "second"}[side]
        assert compared["figures"]["agreement"][place] == alone["agreement"]
        level = alone["criteria"]["clear"]["exact_agreement"]
        assert compared["figures"]["clear: same level"][place] == level
    shown = answer(project, "compare", "old.csv", "new.csv", "--rubric", "answers").stdout
    assert "old.csv" in shown
    assert "separate samples" in shown


def test_counts_are_compared_with_counts_of_a_known_rubric_alone(project: Path) -> None:
    (project / "lines.jsonl").write_text('{"id": "e1"}\n')
    mixed = run("markscheme", "compare", "old.csv", "lines.jsonl", cwd=project)
    assert mixed.returncode == 2
    assert "is compared with one other file of counts" in mixed.stderr
    (project / "rubrics" / "answers.yaml").rename(project / "answers.yaml")
    unknown = run("markscheme", "compare", "old.csv", "new.csv", cwd=project)
    assert unknown.returncode == 2
    assert "name it with --rubric" in unknown.stderr
    answer(project, "compare", "old.csv", "new.csv", "--rubric", "answers.yaml")
