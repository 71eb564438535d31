"""LLM judges: one adapter per provider, judges that wrap other judges, and the folder of the cache of replies."""

import os
import sys
from pathlib import Path

REPLIES_FILE = "replies.sqlite3"
_BY_PLATFORM = {"darwin": "~/Library/Caches/markscheme", "win32": "~/AppData/Local/markscheme/Cache"}
"""The folder on systems where it isn't in `~/.cache`."""


def cache_folder() -> Path:
    """Return the cache's folder: $MARKSCHEME_CACHE, else $XDG_CACHE_HOME/markscheme, else the platform's default."""
    if named := os.environ.get("MARKSCHEME_CACHE"):
        return Path(named)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "markscheme"
    return Path(os.path.expanduser(_BY_PLATFORM.get(sys.platform, "~/.cache/markscheme")))
