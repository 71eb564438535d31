"""Print the comment on a pull request: its mark, what changed and the calibration, no longer than GitHub allows.

`python -I comment.py MARK BASE CHANGE [CALIBRATION]`: the commit that is compared with, and files in Markdown.
"""

import re
import sys
from pathlib import Path

LONGEST_COMMENT = 65_536
"""Characters that GitHub takes; we count bytes, of which a text has at least as many."""
LONGEST_CHANGE = 40_000
"""Bytes of what changed, so that the calibration has room too."""
CUT = "\n*This is cut here; the report of this run has the rest.*\n"
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def main(mark: str, base: str, change: str, *calibration: str) -> None:
    """Print the comment."""
    # The commit is named by 40 digits, which say nothing to a reader.
    body = f"{mark}\n{cut(text_of(change).replace(base, 'the base branch'), LONGEST_CHANGE)}"
    for file in calibration:
        before, after = "\n<details><summary>The calibration</summary>\n\n", "\n</details>\n"
        body += f"{before}{cut(text_of(file), LONGEST_COMMENT - size(body + before + after))}{after}"
    sys.stdout.buffer.write(body.encode())


def text_of(file: str) -> str:
    """Read a file, whatever its bytes are."""
    return Path(file).read_bytes().decode(errors="replace")


def size(text: str) -> int:
    """Return the length of a text in bytes."""
    return len(text.encode())


def cut(markdown: str, most: int) -> str:
    """Return whole lines from the beginning of a Markdown text, at most `most` bytes, and close their code block."""
    if size(markdown) <= most:
        return markdown
    kept = ""
    fence = ""
    left = most - size(CUT)
    for line in markdown.split("\n"):
        opened = fence_after(line, fence)
        left -= size(line) + 1
        if left < size(opened) + 1:
            break
        kept += f"{line}\n"
        fence = opened
    closing = f"{fence}\n" if fence else ""
    return f"{kept}{closing}{CUT}"


def fence_after(line: str, fence: str) -> str:
    """Return the fence of the code block that is open after a line, by the one that was open before it; "" for none."""
    match = FENCE.match(line)
    if match is None:
        return fence
    marks = match[1]
    rest = line[match.end() :]
    if not fence:
        return "" if "`" in rest and marks[0] == "`" else marks
    return "" if marks.startswith(fence) and not rest.strip() else fence


if __name__ == "__main__":
    main(*sys.argv[1:])
