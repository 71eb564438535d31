"""Reads a Git repository without running any program that the repository's own configuration names.

Git runs other programs for many of its commands: a monitor of the folder for `status`, filters and converters for
files, a shell to fetch from a remote. The repository's configuration names these programs, and it comes with the folder
if that was sent as an archive. This module runs none of them: it only reads objects as they are stored.
"""

import os
import subprocess
from pathlib import Path

from markscheme.errors import UsageError

_WITHOUT_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", "protocol.allow=never")
_ENVIRONMENT = {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}


def content_at(commit: str, path: Path) -> bytes | None:
    """Read a file as a commit stores it; None if the commit doesn't have the file."""
    return read_git(path.parent, "cat-file", "blob", f"{commit}:./{path.name}") if path.parent.is_dir() else None


def refuse_uncommitted(path: Path, *, force: bool) -> None:
    """Refuse to overwrite a file with uncommitted changes, unless it is forced.

    Raises:
        UsageError: The file has uncommitted changes.
    """
    if not force and has_uncommitted_changes(path):
        raise UsageError(f"{path} has uncommitted changes; commit them first, or use --force")


def has_uncommitted_changes(path: Path) -> bool:
    """Return True if a file differs from its repository's last commit, not counting ends of lines.

    A file that the commit lacks differs, unless Git ignores it. False for a file outside a repository.
    """
    folder = path.resolve().parent
    if read_git(folder, "rev-parse", "--is-inside-work-tree") != b"true\n":
        return False
    committed = content_at("HEAD", path.resolve())
    if committed is None:
        return path.is_file() and read_git(folder, "check-ignore", "--quiet", "--", path.name) is None
    return committed.replace(b"\r\n", b"\n") != path.read_bytes().replace(b"\r\n", b"\n")


def read_git(folder: Path, *arguments: str) -> bytes | None:
    """Run git and return its output; None if it fails, or isn't installed."""
    try:
        finished = subprocess.run(
            ["git", *_WITHOUT_PROGRAMS, *arguments],
            cwd=folder,
            env={**os.environ, **_ENVIRONMENT},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError:
        return None
    return finished.stdout if finished.returncode == 0 else None
