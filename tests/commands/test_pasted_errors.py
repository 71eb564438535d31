"""Every command that an error message suggests works when it is run in the same folder."""

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.mistakes import make_project
from tests.commands.pasted import copy_of, paste, printed_commands
from tests.commands.test_pasted_screens import READERS, write_outputs

MODULES = [
    "tests.commands.test_typical_mistakes",
    *(
        f"tests.features.{path.parent.name}.test_typical_mistakes"
        for path in sorted(Path(__file__).parents[1].glob("features/*/test_typical_mistakes.py"))
    ),
]
TYPED = [typed for module in MODULES for typed, *_ in import_module(module).MISTAKES]
OLD_NAMES = [
    "tune support-reply --ratings careful.jsonl",
    "plan support-reply",
    "adjudicate support-reply",
    "agreement people.csv --human ann ben",
    "prompts support-reply",
]
PLACEHOLDERS = {
    **READERS,
    "RUBRIC": "support-reply",
    "NAME": "support-reply",
    "FILES": "careful.jsonl",
    "A": "careful.jsonl",
    "B": "hasty.jsonl",
}
IS_AN_EXAMPLE = "as in: "
"""Stands before a command that shows how one looks, with names of the example."""
STILL_WRONG = {"agreement hasty.jsonl": "it was about a judge's ratings before too, which have no people to agree"}
PEOPLE = "id,ann,ben\n" + "".join(f"{n},{'yes' if n % 2 else 'no'},{'yes' if n % 3 else 'no'}\n" for n in range(30))


@pytest.mark.proof
@pytest.mark.parametrize("typed", [*(t for t in TYPED if t not in STILL_WRONG), *OLD_NAMES])
def test_each_command_that_an_error_message_suggests_works_when_pasted_in_the_same_folder(
    tmp_path: Path, typed: str
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    make_project(here)
    write_outputs(here)
    (here / "people.csv").write_text(PEOPLE)
    env = {"MARKSCHEME_CACHE": str(tmp_path / "cache"), "COLUMNS": "1000", "XDG_RUNTIME_DIR": str(tmp_path)}
    done = run("markscheme", *shlex.split(typed), cwd=here, env=env)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr).splitlines()
    printed = "\n".join(line for line in lines if IS_AN_EXAMPLE not in line)
    faults = [
        fault
        for place, command in enumerate(printed_commands(printed))
        if (fault := paste(command, copy_of(here, tmp_path / f"copy{place}"), PLACEHOLDERS, env))
    ]
    assert faults == []
