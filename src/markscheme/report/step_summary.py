"""Writing of the report to the summary of a GitHub Actions step."""

from pathlib import Path

from markscheme.files import append_text

MOST_BYTES = 1_000_000
"""Largest size in bytes of a step summary; GitHub rejects summaries of more than a mebibyte entirely."""
_CUT = "\n\n*The rest is cut off: a summary may hold a megabyte.*\n"


def append_step_summary(markdown: str, path: Path) -> None:
    """Append Markdown to the file from which GitHub Actions shows a step's summary, cut to the size it accepts.

    Raises:
        OSError: The file cannot be written.
    """
    taken = path.stat().st_size if path.is_file() else 0
    text = f"{markdown.rstrip()}\n\n".encode()
    room = MOST_BYTES - taken
    if len(text) > room:
        cut = _CUT.encode()
        whole = text[: max(0, room - len(cut))].decode(errors="ignore").encode()
        text = whole + cut if whole else b""
    append_text(path, text.decode())
