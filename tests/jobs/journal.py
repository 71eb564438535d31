"""Journal of the commands that a user types or pastes from the output to get a job done."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

from tests.commands.console import run
from tests.commands.pasted import ANSWERS, commands_on_page, printed_commands
from tests.features.discover_and_improve_and_label.test_authors_loop import ServedPage

UNLABELLED = 2
"""Exit status of a calibration of results without a label, which prints how to get some."""


class Journal:
    """A user's working folder, with the commands typed and pasted there.

    Attributes:
        folder: Where commands run.
        typed: Commands that the person thought of.
        pasted: Printed commands that the person pasted.
        failed: Those that didn't do what they were printed for.
        shown: What the last one printed.
    """

    def __init__(self, folder: Path) -> None:
        """Start a journal without commands."""
        self.folder = folder
        self.typed: list[str] = []
        self.pasted: list[str] = []
        self.failed: list[str] = []
        self.shown = ""

    def type(self, command: str, *, ends: tuple[int, ...] = ANSWERS) -> str:
        """Run a command that the user has to know, and return its output."""
        self.typed.append(command)
        return self._run(command, ends)

    def paste(self, beginning: str, *, more: str = "") -> str:
        """Run the printed command that begins with these words, with options added, and return its output."""
        return self._run(self._printed(beginning) + more, ANSWERS)

    def work_on(self, beginning: str, work: Callable[[ServedPage], object]) -> str:
        """Run the printed command that opens a page, work on the page, and return the command's output."""
        page = ServedPage(self._printed(beginning), self.folder)
        work(page)
        on_page = [*commands_on_page(page.get("progress"))]
        self.shown = page.stop()
        assert on_page == [command for command in printed_commands(self.shown) if command in on_page]
        return self.shown

    def _printed(self, beginning: str) -> str:
        commands = [command for command in printed_commands(self.shown) if command.startswith(beginning)]
        assert commands, f"{beginning} isn't printed: {self.shown}"
        self.pasted.append(commands[0])
        return commands[0]

    def _run(self, command: str, ends: tuple[int, ...]) -> str:
        done = run(*shlex.split(command), cwd=self.folder, env={"COLUMNS": "1000"})
        self.shown = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
        if done.returncode not in ends:
            self.failed.append(f"{command}: {done.returncode}, {done.stderr}")
        return self.shown

    def counts(self) -> tuple[int, int, int, int]:
        """Return the numbers of commands, of different options in them, of pasted commands and of failures."""
        commands = self.typed + self.pasted
        options = {word.partition("=")[0] for command in commands for word in command.split() if word.startswith("-")}
        counted = (len({command.split()[1] for command in commands}), len(options), len(self.pasted), len(self.failed))
        print("{} commands, {} options, {} printed commands pasted, {} failed".format(*counted))
        assert self.failed == []
        return counted
