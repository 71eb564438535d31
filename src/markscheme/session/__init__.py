"""A warm process that grades for many short-lived processes: its client and its server."""

import os
from collections.abc import Iterator

SETTINGS_FILES = ("markscheme.toml", "pyproject.toml")
"""Names of files with defaults for options, the one that takes precedence first; a session keeps the defaults it
started with."""


def sockets_folder() -> str:
    """Return the folder of this user's sockets, on each of which a session listens; it may not exist."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.path.isdir(runtime):
        return os.path.join(runtime, "markscheme")
    return os.path.join(os.environ.get("TMPDIR") or "/tmp", f"markscheme-{os.getuid()}")  # noqa: S108 - checked by is_private


def is_private(folder: str) -> bool:
    """Return True if a folder belongs to this user and other users can't enter it."""
    about = os.lstat(folder)
    return (about.st_mode & 0o170077) == 0o040000 and about.st_uid == os.getuid()


def session_sockets() -> Iterator[str]:
    """Yield the sockets in the folder of this user's sessions, also those that no session serves any more."""
    folder = sockets_folder()
    if os.path.isdir(folder) and is_private(folder):
        yield from sorted(file.path for file in os.scandir(folder) if file.name.endswith(".sock"))
