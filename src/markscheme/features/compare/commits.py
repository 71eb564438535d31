"""Commits of a Git repository, found without running any program that the repository's configuration names."""

from pathlib import Path

from markscheme.git import read_git


def commit_of(revision: str, folder: Path) -> str | None:
    """Find the commit that a revision names in the repository of a folder; None if there is none, or no git."""
    commit = read_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return None if commit is None else commit.decode("ascii").strip()


def commits_of(path: Path) -> list[str]:
    """Return the commits that changed a file, the latest first; none where there is no repository, or no git."""
    commits = read_git(path.parent, "rev-list", "HEAD", "--", path.name) if path.parent.is_dir() else None
    return [] if commits is None else commits.decode("ascii").split()
