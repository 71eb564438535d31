"""LLM judges: one adapter per provider, judges that wrap other judges, and the folder of the cache of replies."""

import os
from pathlib import Path

REPLIES_FILE = "replies.sqlite3"


def cache_folder() -> Path:
    """Return the cache's folder: $MARKSCHEME_CACHE, else $XDG_CACHE_HOME/markscheme, else the platform's default."""
    if named := os.environ.get("MARKSCHEME_CACHE"):
        return Path(named)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "markscheme"
    from platformdirs import user_cache_path  # few commands need the folder

    return user_cache_path("markscheme", appauthor=False)
