"""Execution of a page as a story: its blocks, in order, in a folder of the page's own."""

import contextlib
import difflib
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from tests.commands.console import INSTALLED, environment, scripts
from tests.docs.checks import UnknownError, cannot_run, data_is_valid, waits_for_people
from tests.docs.pages import OUTPUT, Block, Command, commands
from tests.real.promptfoo import NODE, QUIET, install_promptfoo

WIDTH = "100"
SECONDS = 300
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*")
PROGRESS = re.compile(r"^[^\n]+: \d+ of \d+\n", re.MULTILINE)
EXPORT = re.compile(r"export (\w+)=(\S+)")


@dataclass
class Story:
    """State while the blocks of a page are executed one after another.

    Attributes:
        folder: Folder in which files are stored and commands run.
        names: Names that its Python programs have defined.
        printed: Output of the last Python program.
        outputs: Output of each command line when it was first run.
        unchecked: Commands that weren't run, by kind; each was checked as far as possible.
        exported: Variables that its commands have exported.
    """

    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str | None = None
    outputs: dict[str, str] = field(default_factory=dict)
    unchecked: dict[str, list[str]] = field(default_factory=dict)
    exported: dict[str, str] = field(default_factory=dict)

    def tell(self, block: Block) -> None:
        """Store, run or check one block.

        Raises:
            AssertionError: It isn't true, or nothing here knows how to check it.
        """
        try:
            if block.title == OUTPUT:
                assert self.printed is not None, "no program printed anything before"
                shows(block.text.splitlines(), self.printed)
            elif block.title is not None:
                self._keep(block, block.title)
            elif block.language in RUNNERS:
                RUNNERS[block.language](self, block)
            else:
                raise UnknownError(f"no check for {block.language!r} without a title")
        except AssertionError as fault:
            raise AssertionError(f"{block.place}: {fault}") from fault

    def _keep(self, block: Block, title: str) -> None:
        place = self.folder / title
        assert place.resolve().is_relative_to(self.folder.resolve()), f"{title} leaves the folder"
        READERS[block.language](block.text)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(block.text, encoding="utf-8")

    def console(self, block: Block) -> None:
        """Run each command, and compare its exit status and output with those on the page."""
        for command in commands(block):
            if why := cannot_run(command.line):
                self.unchecked.setdefault(why, []).append(command.line)
            elif waits_for_people(command.line):
                self._visit(command)
            elif exports := EXPORT.match(command.line):
                self._export(*exports.groups())
            else:
                self._run(command)

    def script(self, block: Block) -> None:
        """Run the lines of a `bash` block, each of which must succeed."""
        typed = "".join(f"$ {line}\n" for line in block.text.replace("\\\n", " ").splitlines() if line.strip())
        self.console(replace(block, text=typed))

    def _run(self, command: Command) -> None:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command.line],
            cwd=self.folder,
            env=environment(self._settings()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == command.status, (
            f"`{command.line}` ended with {done.returncode}, not {command.status}:\n{done.stdout}"
        )
        self.outputs.setdefault(command.line, done.stdout)
        if command.shown:
            shows(command.shown, done.stdout)

    def _visit(self, command: Command) -> None:
        """Start the labelling page, check that it answers, and stop it as its user does."""
        running = subprocess.Popen(
            shlex.split(command.line, comments=True),
            cwd=self.folder,
            env=environment(self._settings()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            assert running.stdout is not None
            printed = ""
            while not (address := ADDRESS.search(printed)) and (line := running.stdout.readline()):
                printed += line
            assert address, f"`{command.line}` tells no address:\n{printed}"
            with urllib.request.urlopen(address[0], timeout=SECONDS) as page:
                assert page.status == 200
            running.send_signal(signal.SIGINT)
            rest, _ = running.communicate(timeout=SECONDS)
        finally:
            running.kill()
            running.wait()
        shows(command.shown or ["..."], printed + rest)

    def _export(self, name: str, value: str) -> None:
        echo = ["bash", "-c", f'printf %s "{value}"']
        done = subprocess.run(echo, cwd=self.folder, capture_output=True, text=True, check=True)
        self.exported[name] = done.stdout

    def _settings(self) -> Mapping[str, str]:
        home = self.folder.parent
        places = (home / "bin", scripts(), INSTALLED, NODE.parent, os.environ["PATH"])
        settings = {
            "COLUMNS": WIDTH,
            "HOME": str(self.folder),
            "MARKSCHEME_CACHE": str(home / "cache"),
            "PATH": os.pathsep.join(map(str, places)),
            "PROMPTFOO_CONFIG_DIR": str(home / "promptfoo"),
            "PROMPTFOO_PYTHON": sys.executable,
        }
        return QUIET | settings | self.exported

    def program(self, block: Block) -> None:
        """Run a Python program with the names that earlier programs defined."""
        printed = io.StringIO()
        before = Path.cwd()
        modules = set(sys.modules)
        path = list(sys.path)
        os.chdir(self.folder)
        sys.path.insert(0, str(self.folder))
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(block.text, block.place, "exec"), self.names)
        finally:
            os.chdir(before)
            sys.path[:] = path
            for name in set(sys.modules) - modules:
                if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(self.folder)):
                    del sys.modules[name]
        self.printed = printed.getvalue()

    def data(self, block: Block) -> None:
        """Check a YAML block by the rules for its kind."""
        data_is_valid(yaml.safe_load(block.text), block.text)

    def json(self, block: Block) -> None:
        """Parse a JSON block."""
        json.loads(block.text)


RUNNERS: Mapping[str, Callable[[Story, Block], None]] = {
    "console": Story.console,
    "bash": Story.script,
    "python": Story.program,
    "yaml": Story.data,
    "json": Story.json,
}
"""How a block without a title is checked, by its language; a block of any other language must have one."""

READERS: Mapping[str, Callable[[str], Any]] = {
    "python": lambda text: compile(text, "page", "exec"),
    "yaml": lambda text: data_is_valid(yaml.safe_load(text), text),
    "json": json.loads,
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
    "csv": str,
    "text": str,
    "toml": tomllib.loads,
}
"""How a block that is a file is read before it is kept: what reads it later is a command or a program of the page."""


def shows(shown: Sequence[str], printed: str) -> None:
    """Check that shown output matches what was printed, whatever the line breaks; `...` matches anything.

    Progress lines are ignored, since only a slow machine prints them.

    Raises:
        AssertionError: It isn't.
    """
    printed = PROGRESS.sub("", printed)
    parts = [" ".join(part.split()) for part in "\n".join(shown).split("...")]
    if not re.fullmatch(" ?.* ?".join(map(re.escape, parts)), " ".join(printed.split())):
        difference = difflib.unified_diff(shown, printed.split("\n"), "the page", "what was printed", lineterm="", n=99)
        raise AssertionError("the page shows something else:\n" + "\n".join(difference))


def promptfoo_command(folder: Path) -> None:
    """Create an `npx` in `folder` that starts the installed Promptfoo."""
    folder.mkdir()
    command = " ".join(f"'{word}'" for word in install_promptfoo().command)
    npx = folder / "npx"
    npx.write_text(f'#!/bin/sh\nshift\nexec {command} "$@"\n', encoding="utf-8")
    npx.chmod(0o755)
