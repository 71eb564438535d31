"""`markscheme diff`: a rubric compared with itself in another commit."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import run
from tests.test_git import make_repository


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@localhost")
    subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, check=True)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A repository whose judge gates by an accepted run, with everything committed."""
    folder = setting.make_setting(tmp_path / "here")
    (folder / ".git").rmdir()
    git(folder, "init", "--quiet")
    run(
        "calibrate",
        "clear",
        "--judge",
        setting.JUDGE,
        "--accept",
        "--quiet",
        cwd=folder,
        env=setting.environment(folder),
    )
    git(folder, "add", "rubrics", "calibration")
    git(folder, "commit", "--quiet", "--message", "accepted")
    return folder


def diff(here: Path, *options: str) -> tuple[dict[str, Any], int]:
    done = run("markscheme", "diff", "clear", "--json", *options, cwd=here)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode


def test_an_unchanged_rubric_has_no_changes(here: Path) -> None:
    change, status = diff(here)
    assert (status, change["changed"], change["changes"]) == (0, False, [])
    assert (change["before"]["use"], change["after"]) == ("gate", None)


def test_a_rewording_is_shown_with_the_verdict_before_and_after(here: Path) -> None:
    setting.ask_strictly(here)
    options = ("--judge", setting.JUDGE, "--quiet", "--json", "now.json")
    run("calibrate", "clear", *options, cwd=here, env=setting.environment(here))
    change, status = diff(here, "--report", "now.json", "--markdown", "change.md")
    assert status == 1
    assert change["reworded"] == {"tone": {"before": "How kind it is", "now": "How strictly kind it is"}}
    assert change["before"]["agreement"]["n"] == change["after"]["agreement"]["n"] == setting.N
    text = (here / "change.md").read_text(encoding="utf-8")
    assert "| use | can gate |" in text
    assert "reworded tone" in text
    assert "How **strictly** kind it is" in text or "How strictly kind it is" in text


def test_a_new_rubric_and_other_commits(here: Path) -> None:
    (here / "rubrics" / "fresh.yaml").write_text("criteria: [{name: a, requirement: The reply is short}]\n")
    fresh = run("markscheme", "diff", "fresh", "--json", cwd=here)
    assert (fresh.returncode, json.loads(fresh.stdout)["new"]) == (1, True)
    for commit in ("nowhere", "--output=x", "HEAD; touch x"):
        refused = run("markscheme", "diff", "clear", f"--since={commit}", cwd=here)
        assert (refused.returncode, "there is no commit" in refused.stderr) == (2, True), refused.stderr
    assert not (here / "x").exists()


def test_a_report_without_a_verdict_is_refused(here: Path) -> None:
    (here / "other.json").write_text('{"judges": []}')
    done = run("markscheme", "diff", "clear", "--report", "other.json", cwd=here)
    assert (done.returncode, "has no verdict on one judge" in done.stderr) == (2, True)


def test_a_repository_runs_no_program_where_it_is_read(tmp_path: Path) -> None:
    done = run("markscheme", "diff", "reply", cwd=make_repository(tmp_path))
    assert (done.returncode, "before: Is it polite?" in done.stdout) == (1, True), done.stderr
    assert not (tmp_path / "was-run").exists()
