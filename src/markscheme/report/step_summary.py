"""The report as the summary of a step on GitHub Actions."""

import os
from collections.abc import Mapping
from pathlib import Path

from markscheme.files import append_text

FILE = "GITHUB_STEP_SUMMARY"
MOST_BYTES = 1_000_000
"""GitHub refuses a step's summary above one mebibyte, the whole of it."""
_CUT = "\n\n*The rest is cut off: a summary may hold a megabyte.*\n"


def append_step_summary(markdown: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Append Markdown to the file that $GITHUB_STEP_SUMMARY names; None where it names none.

    Raises:
        OSError: The file cannot be written.
    """
    named = environment.get(FILE)
    if not named:
        return None
    path = Path(named)
    taken = path.stat().st_size if path.is_file() else 0
    text = f"{markdown.rstrip()}\n\n".encode()
    room = MOST_BYTES - taken
    if len(text) > room:
        cut = _CUT.encode()
        kept = text[: max(0, room - len(cut))].decode(errors="ignore").encode()
        text = kept + cut if kept else b""
    append_text(path, text.decode())
    return path
