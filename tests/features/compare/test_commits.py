"""Commits that a revision names or that changed a file."""

from pathlib import Path

from markscheme.features.compare.commits import commit_of, commits_of
from tests.test_git import make_repository


def test_looking_up_a_commit_runs_no_program_that_the_repository_configures(tmp_path: Path) -> None:
    folder = make_repository(tmp_path)
    commit = commit_of("HEAD", folder)
    assert commit is not None
    assert commits_of(folder / "rubrics" / "reply.yaml") == [commit]
    assert not (tmp_path / "was-run").exists()


def test_looking_up_a_commit_that_git_does_not_have_returns_none(tmp_path: Path) -> None:
    folder = make_repository(tmp_path)
    assert commit_of("elsewhere", folder) is None
    assert commit_of("--all", folder) is None
    assert commit_of("HEAD", tmp_path) is None
    assert commits_of(tmp_path / "nowhere" / "reply.yaml") == []
