"""A project whose rubric has a name that is two commands to a shell, and what commands print there."""

import re
from pathlib import Path

from tests.commands.console import run
from tests.commands.scripted_setting import RUBRIC, environment, make_setting

NAME = "a b; echo owned"
IN_QUOTES = re.compile("'[^']*'")


def make_project(folder: Path) -> Path:
    """Make a rubric with labelled examples and a judge, whose name is two commands to a shell."""
    home = make_setting(folder / "here")
    for path in (home / "rubrics" / "clear.yaml", home / "calibration" / "clear"):
        path.rename(path.with_name(NAME + path.suffix))
    (home / "rubrics" / f"{NAME}.yaml").write_text(RUBRIC.replace("name: clear\n", ""), encoding="utf-8")
    return home


def stays_one_word(project: Path, *arguments: str) -> None:
    """Check that the rubric's name is quoted as one word in the commands that a command prints."""
    done = run("markscheme", *arguments, cwd=project, env={**environment(project), "COLUMNS": "1000"})
    printed = (done.stdout + done.stderr).splitlines()
    commands = [after for _, is_command, after in (line.partition("markscheme ") for line in printed) if is_command]
    assert any(NAME in command for command in commands), printed
    assert [command for command in commands if "; echo" in IN_QUOTES.sub("", command)] == []
