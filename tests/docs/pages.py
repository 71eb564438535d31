"""Parsing of documentation pages: fenced blocks, and commands in indented lines or code spans."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.commands.console import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FENCE = re.compile(r"^(?P<indent>\s*)(?P<fence>`{3,})\s*(?P<info>.*)$")
TITLE = re.compile(r'title="([^"]+)"')
OURS = r"(?:markscheme|calibrate|npx promptfoo)"
INDENTED = re.compile(rf"^ {{4}}({OURS} .*)$")
SPAN = re.compile(rf"`({OURS} [^`\n]+)`")
STATUS = re.compile(r"#\s*exit (\d+)\s*$")
OUTPUT = "Output"
"""The title of a block that shows what the block before it prints."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page.

    Attributes:
        page: The page it is on.
        line: Line of its opening fence, from 1.
        language: The first word after the fence; "" without one.
        title: Name of the file to store it in, or OUTPUT; None without one.
        text: Its content, without the page's indent.
    """

    page: Path
    line: int
    language: str
    title: str | None
    text: str

    @property
    def place(self) -> str:
        """File and line of the block, for a message."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True, slots=True)
class Command:
    """A command line that a page shows.

    Attributes:
        line: The text of the command.
        status: Exit status that the page states, after the command or below its output; 0 if it states none.
        shown: Lines of output that the page shows; () if it shows none.
    """

    line: str
    status: int = 0
    shown: tuple[str, ...] = ()


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order.

    Raises:
        ValueError: A fence is never closed.
    """
    return list(_blocks(page, page.read_text(encoding="utf-8").split("\n")))


def _blocks(page: Path, lines: list[str]) -> Iterator[Block]:
    at = 0
    while at < len(lines):
        opened = FENCE.match(lines[at])
        if not opened:
            at += 1
            continue
        closing = f"{opened['indent']}{opened['fence']}"
        end = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == closing), None)
        if end is None:
            raise ValueError(f"{page}:{at + 1}: this fence is never closed")
        text = "".join(f"{line.removeprefix(opened['indent'])}\n" for line in lines[at + 1 : end])
        language, _, rest = opened["info"].partition(" ")
        title = TITLE.search(rest)
        yield Block(page, at + 1, language, title[1] if title else None, text)
        at = end + 1


def commands(block: Block) -> list[Command]:
    """Return the commands in a `console` block, each with the output shown below it.

    Raises:
        ValueError: It doesn't open with a command.
    """
    typed_lines: list[Command] = []
    typing = False
    for line in block.text.rstrip("\n").split("\n"):
        if typing:
            typed = f"{typed_lines[-1].line}\n{line.removeprefix('> ')}"
            typed_lines[-1] = _command(typed)
        elif line.startswith("$ "):
            typed_lines.append(_command(line.removeprefix("$ ")))
        elif not typed_lines:
            raise ValueError(f"{block.place}: a console block opens with `$ `, found {line!r}")
        elif ended := STATUS.fullmatch(line):
            typed_lines[-1] = replace(typed_lines[-1], status=int(ended[1]))
        else:
            typed_lines[-1] = replace(typed_lines[-1], shown=(*typed_lines[-1].shown, line.rstrip()))
        typing = (typing or line.startswith("$ ")) and line.endswith("\\")
    return typed_lines


def _command(typed: str) -> Command:
    status = STATUS.search(typed)
    return Command(typed, int(status[1]) if status else 0)


def prose(page: Path) -> list[str]:
    """Return the lines of a page outside its fenced blocks."""
    lines = page.read_text(encoding="utf-8").split("\n")
    fenced = {at for block in blocks(page) for at in range(block.line - 1, block.line + block.text.count("\n") + 1)}
    return [line for at, line in enumerate(lines) if at not in fenced]


def indented(page: Path) -> list[str]:
    """Return the commands in lines of a page that are indented by four spaces."""
    return [match[1] for line in prose(page) if (match := INDENTED.match(line))]


def spans(page: Path) -> list[str]:
    """Return the commands in code spans of a page's sentences."""
    return [span for line in prose(page) for span in SPAN.findall(line)]
