"""Runs commands that output suggests, in the folder where they were printed."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

from tests.commands.console import environment, run, scripts

PROGRAMS = ("markscheme", "calibrate")
SERVING = ("label", "discover")
"""Commands that serve a page until they are stopped."""
WITHOUT_A_PAGE = {"--plan", "--to", "--progress", "--sheet", "--notes", "--report", "--suggest", "--write", "--help"}
TOO_FEW = 4
"""Exit status where labels are too few, which is said as an error where nothing else can be."""
ANSWERS = (0, 1, TOO_FEW)
"""Exit statuses of a command that did what it was to do, whatever the answer."""
HIDDEN = ("script", "style", "title", "svg")
INLINE = ("b", "bdi", "em", "i", "a", "span", "strong", "code", "kbd", "wbr")
PRINTED = re.compile(
    r"`((?:markscheme|calibrate) [^`]+)`|(?:^|[:→] +|^ +|> )((?:markscheme|calibrate) [^`]+?)(?:  +\S.*| \(or .*)?$"
)
"""A command in a sentence, in backticks, or at the end of a line."""


def printed_commands(text: str) -> Iterator[str]:
    """Yield each command that a text prints, once; lines of the text may not be broken."""
    seen = set[str]()
    for line in text.splitlines():
        for match in PRINTED.finditer(line):
            command = (match[1] or match[2]).rstrip(" .")
            if command not in seen:
                seen.add(command)
                yield command


class _PageText(HTMLParser):
    """The text of an HTML page, with code in backticks and a line for every block.

    Attributes:
        text: The words so far.
    """

    def __init__(self) -> None:
        """Begin with nothing read."""
        super().__init__()
        self.text = ""
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle the start of an HTML tag."""
        self._hidden += tag in HIDDEN
        self.text += "`" if tag == "code" else "" if tag in INLINE else "\n"

    def handle_endtag(self, tag: str) -> None:
        """Handle the end of an HTML tag."""
        self._hidden -= tag in HIDDEN
        self.text += "`" if tag == "code" else "" if tag in INLINE else "\n"

    def handle_data(self, data: str) -> None:
        """Add text of the page."""
        self.text += "" if self._hidden else " ".join(data.split("\n"))


def commands_on_page(page: str) -> Iterator[str]:
    """Yield each command that a page prints, once; a script's data has none."""
    reader = _PageText()
    reader.feed(page)
    yield from printed_commands(reader.text)


def paste(command: str, folder: Path, placeholders: Mapping[str, str], env: Mapping[str, str]) -> str:
    """Run a printed command in the folder where it was printed; return what is wrong, or "".

    Args:
        command: What was printed.
        folder: Where.
        placeholders: What a reader puts in place of words, by these words.
        env: Further variables.
    """
    words = [placeholders.get(word, word) for word in shlex.split(command)]
    if words[1:2] and words[1] in SERVING and not WITHOUT_A_PAGE & {*words}:
        return _page_of(words, folder, env)
    done = run(*words, cwd=folder, env=env)
    is_fine = done.returncode in ANSWERS and (done.returncode == TOO_FEW or "error: " not in done.stderr)
    return "" if is_fine else f"{shlex.join(words)}: {done.returncode}, {done.stderr}"


def _page_of(words: list[str], folder: Path, env: Mapping[str, str]) -> str:
    """Start a command that serves a page, and end it; return what is wrong, or ""."""
    program = [str(scripts() / words[0]), *words[1:]]
    with subprocess.Popen(
        program, cwd=folder, env=environment(env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as page:
        assert page.stdout is not None
        announced = page.stdout.readline()
        page.terminate()
        _, message = page.communicate()
    is_fine = announced.rstrip().endswith("open") or (page.returncode == 0 and "error: " not in message)
    return "" if is_fine else f"{shlex.join(words)}: {page.returncode}, {message}"


def faults_of(
    commands: Iterable[str], folder: Path, copies: Path, placeholders: Mapping[str, str], env: Mapping[str, str]
) -> dict[str, str]:
    """Run each printed command in a copy of the folder where it was printed; return what is wrong, by command.

    Args:
        commands: What was printed.
        folder: Where.
        copies: An empty folder for the copies.
        placeholders: As for `paste`.
        env: Further variables.
    """
    tried = {
        command: paste(command, copy_of(folder, copies / f"copy{n}"), placeholders, env)
        for n, command in enumerate(commands)
    }
    return {command: fault for command, fault in tried.items() if fault}


def copy_of(folder: Path, to: Path) -> Path:
    """Copy a project, so that one command changes nothing for the next."""
    return Path(shutil.copytree(folder, to, symlinks=True))
