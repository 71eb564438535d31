"""`markscheme compare`: two versions of a rubric, such as itself in another commit."""

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


def diff(here: Path, *options: str, sides: tuple[str, str] = ("clear@HEAD", "clear")) -> tuple[dict[str, Any], int]:
    done = run("markscheme", "compare", *sides, "--json", *options, cwd=here)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode


def test_comparing_an_unchanged_rubric_with_its_earlier_version_finds_no_changes(here: Path) -> None:
    change, status = diff(here)
    assert (status, change["changed"], change["changes"]) == (0, False, [])
    assert (change["before"]["use"], change["after"]) == ("gate", None)


def test_two_rubrics_can_be_given_to_compare_by_name_without_a_path(here: Path) -> None:
    text = (here / "rubrics" / "clear.yaml").read_text(encoding="utf-8")
    (here / "rubrics" / "strict.yaml").write_text(text.replace("weight: 1", "weight: 2", 1), encoding="utf-8")
    change, status = diff(here, sides=("clear", "strict"))
    assert (status, change["changed"]) == (1, True)


def test_comparing_a_reworded_rubric_with_its_committed_version_shows_the_rewording_and_both_verdicts(
    here: Path,
) -> None:
    setting.ask_strictly(here)
    options = ("--judge", setting.JUDGE, "--quiet", "--json", "now.json")
    run("calibrate", "clear", *options, cwd=here, env=setting.environment(here))
    change, status = diff(here, "--report", "now.json")
    assert status == 1
    assert change["reworded"] == {"tone": {"before": "How kind it is", "now": "How strictly kind it is"}}
    assert change["before"]["agreement"]["n"] == change["after"]["agreement"]["n"] == setting.N
    versions = ("clear@HEAD", "clear", "--report", "now.json")
    text = run("markscheme", "compare", *versions, "--markdown", cwd=here).stdout
    assert "| use | can gate |" in text
    assert "reworded tone" in text
    assert "How **strictly** kind it is" in text or "How strictly kind it is" in text


def test_a_printed_command_names_the_judge_of_the_accepted_run_in_the_form_that_users_type(
    here: Path,
) -> None:
    for name in ("card.json", "accepted.json"):
        file = here / "calibration/clear" / name
        written = json.loads(file.read_text(encoding="utf-8"))
        written["judge"]["name"] = "anthropic, claude-haiku-4-5"
        file.write_text(json.dumps(written), encoding="utf-8")
    git(here, "commit", "--all", "--quiet", "--message", "another judge")
    setting.ask_strictly(here)
    text = " ".join(run("markscheme", "compare", "clear@HEAD", "clear", cwd=here).stdout.split())
    assert "Next: markscheme calibrate clear --judge anthropic:claude-haiku-4-5" in text


def test_compare_reports_a_rubric_file_as_new_if_the_named_commit_lacks_it(
    here: Path,
) -> None:
    (here / "rubrics" / "fresh.yaml").write_text("criteria: [{name: a, requirement: The reply is short}]\n")
    fresh = run("markscheme", "compare", "fresh@HEAD", "fresh", "--json", cwd=here)
    assert (fresh.returncode, json.loads(fresh.stdout)["new"]) == (1, True)
    for commit in ("nowhere", "--output=x", "HEAD; touch x"):
        refused = run("markscheme", "compare", f"clear@{commit}", "clear", cwd=here)
        assert (refused.returncode, "there is no commit" in refused.stderr) == (2, True), refused.stderr
    assert not (here / "x").exists()


def test_the_report_option_of_compare_refuses_a_report_that_is_not_on_a_single_judge(here: Path) -> None:
    (here / "other.json").write_text('{"judges": []}')
    done = run("markscheme", "compare", "clear@HEAD", "clear", "--report", "other.json", cwd=here)
    assert (done.returncode, "has no verdict on one judge" in done.stderr) == (2, True)


def test_reading_a_rubric_from_git_runs_no_program_that_the_repository_configures(tmp_path: Path) -> None:
    done = run("markscheme", "compare", "reply@HEAD", "reply", cwd=make_repository(tmp_path))
    assert (done.returncode, "before: Is it polite?" in done.stdout) == (1, True), done.stderr
    assert not (tmp_path / "was-run").exists()


def test_a_version_of_a_rubric_is_named_by_a_commit_or_by_a_path_in_a_commit_or_by_a_file(here: Path) -> None:
    file = here / "rubrics" / "clear.yaml"
    old = here / "old.yaml"
    old.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    setting.ask_strictly(here)
    by_name, _ = diff(here)
    by_path, status = diff(here, sides=("HEAD:rubrics/clear.yaml", "rubrics/clear.yaml"))
    assert (by_path, status) == (by_name, 1)
    of_files, status = diff(here, sides=("old.yaml", "rubrics/clear.yaml"))
    assert (of_files.pop("since"), status) == ("old.yaml", 1)
    by_name.pop("since")
    assert of_files == by_name
    assert of_files["before"]["use"] == "gate"
    same, status = diff(here, sides=("rubrics/clear.yaml", "clear"))
    assert (same["changed"], same["before"], status) == (False, None, 0)


@pytest.mark.parametrize(
    ("typed", "now"),
    [
        ("diff clear", "compare clear@HEAD clear"),
        ("diff clear --since main --report now.json --json", "compare clear@main clear --report now.json --json"),
        (
            "diff rubrics/clear.yaml --since=v1 --markdown out.md",
            "compare v1:rubrics/clear.yaml rubrics/clear.yaml --markdown",
        ),
    ],
)
def test_the_removed_diff_command_prints_the_compare_command_that_replaces_it(typed: str, now: str) -> None:
    done = run("markscheme", *typed.split())
    assert (done.returncode, done.stderr) == (2, f"error: `diff` is part of `compare`:\n  markscheme {now}\n")


def test_compare_refuses_the_report_option_unless_it_is_given_two_versions_of_a_rubric(tmp_path: Path) -> None:
    done = run("markscheme", "compare", "a.jsonl", "b.jsonl", "--report", "now.json", cwd=tmp_path)
    assert (done.returncode, "--report is for two versions" in done.stderr) == (2, True)


@pytest.mark.proof
def test_reports_on_two_judges_are_not_compared_as_versions_of_a_rubric(here: Path) -> None:
    for name in ("before.json", "now.json"):
        options = ("--judge", setting.JUDGE, "--quiet", "--json", name)
        run("calibrate", "clear", *options, cwd=here, env=setting.environment(here))
    done = run("markscheme", "compare", "before.json", "now.json", "--rubric", "clear", cwd=here)
    without = run("markscheme", "compare", "before.json", "now.json", cwd=here)
    assert (done.returncode, without.returncode) == (0, 0), done.stderr + without.stderr


def test_a_rubric_compared_with_itself_is_named_as_the_same_file(tmp_path: Path) -> None:
    rubric = "criteria:\n- {name: polite, requirement: Is polite.}\n"
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(rubric)
    itself = run("markscheme", "compare", "a.yaml", "a.yaml", cwd=tmp_path)
    assert itself.stdout == "Rubric a: both versions are the same file\n"
    copied = run("markscheme", "compare", "a.yaml", "b.yaml", cwd=tmp_path)
    assert copied.stdout == "Rubric b: no change\n"
