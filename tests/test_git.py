"""Commits are read from a Git repository without running any program that its configuration names."""

import subprocess
from pathlib import Path

import pytest

from markscheme.git import content_at, has_uncommitted_changes

RUBRIC = "name: reply\ncriteria:\n- {name: a, requirement: Is it polite?}\n"


def git(folder: Path, *arguments: str) -> None:
    options = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *options, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """Make a stranger's repository."""
    return make_repository(tmp_path)


def make_repository(tmp_path: Path) -> Path:
    """Make a repository with a commit and a later change, whose configuration names programs wherever it can."""
    folder = tmp_path / "theirs"
    (folder / "rubrics").mkdir(parents=True)
    rubric = folder / "rubrics" / "reply.yaml"
    rubric.write_text(RUBRIC)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    rubric.write_text(RUBRIC.replace("polite", "kind"))
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho run >> {tmp_path}/was-run\ncat\n")
    program.chmod(0o755)
    (folder / ".gitattributes").write_text("*.yaml diff=theirs filter=theirs\n")
    names = ("core.fsmonitor", "diff.external", "diff.theirs.textconv", "filter.theirs.clean", "core.pager")
    for name in (*names, "core.sshCommand", "filter.theirs.smudge"):
        git(folder, "config", name, str(program))
    return folder


def test_reading_files_from_git_runs_no_program_that_the_repository_configures(theirs: Path, tmp_path: Path) -> None:
    rubric = theirs / "rubrics" / "reply.yaml"
    assert content_at("HEAD", rubric) == RUBRIC.encode()
    assert has_uncommitted_changes(rubric)
    assert not (tmp_path / "was-run").exists()


def test_looking_up_a_file_that_git_does_not_have_returns_none(theirs: Path) -> None:
    assert content_at("HEAD", theirs / "rubrics" / "other.yaml") is None
    assert content_at("HEAD", theirs / "nowhere" / "reply.yaml") is None


def test_line_ends_and_ignored_files_do_not_count_as_uncommitted_changes(theirs: Path, tmp_path: Path) -> None:
    rubric = theirs / "rubrics" / "reply.yaml"
    rubric.write_bytes(RUBRIC.replace("\n", "\r\n").encode())
    assert not has_uncommitted_changes(rubric)
    second_file = theirs / "rubrics" / "other.yaml"
    assert not has_uncommitted_changes(second_file), "it isn't there"
    second_file.write_text(RUBRIC)
    assert has_uncommitted_changes(second_file)
    (theirs / ".gitignore").write_text("other.yaml\n")
    assert not has_uncommitted_changes(second_file)
    outside = tmp_path / "alone.yaml"
    outside.write_text(RUBRIC)
    assert not has_uncommitted_changes(outside)
