"""Every command that a first screen suggests works when it is run in the same folder."""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from markscheme.commands.call import described
from tests.commands.console import run
from tests.commands.pasted import commands_on_page, copy_of, paste, printed_commands
from tests.commands.reply_project import make_project
from tests.commands.screens import CAREFUL, NAME, lines_of, write_lines  # type: ignore[attr-defined]
from tests.commands.test_first_screens import ALL_SCREENS
from tests.docs.checks import options_exist

READERS: Mapping[str, str] = {
    "YOUR-OUTPUTS.jsonl": "own-outputs.jsonl",
    "YOUR-NAME": "ann",
    "SECOND": "zoe",
    "FILE": "own-outputs.jsonl",
    "JUDGE": CAREFUL,
    "anthropic": CAREFUL,
    "anthropic:model": CAREFUL,
}
"""What a reader puts in place of words that only look like a name or a file."""
MADE_BEFORE = ("rated.json", "JUDGE.jsonl")
"""Ends of files that Promptfoo or a judge elsewhere writes before the command is run: only its options are checked."""


def write_outputs(folder: Path) -> None:
    """Write outputs of the user, none of which is labelled."""
    lines = lines_of(folder / "calibration" / NAME / "examples.jsonl")
    rows = [{"id": f"own-{i}", "query": line["query"], "response": line["response"]} for i, line in enumerate(lines)]
    write_lines(folder / "own-outputs.jsonl", [{**row, "id": f"{row['id']}-{n}"} for n in range(10) for row in rows])


def _writes_page(arguments: Sequence[str]) -> bool:
    """Return True if a command could also write a page with `--html`."""
    has_page = any("--html" in option.names for option in described(arguments[0]).options)
    return has_page and "--html" not in arguments and "--json" not in arguments


@pytest.mark.proof
@pytest.mark.parametrize("name", [name for name, screen in ALL_SCREENS.items() if screen.only is None])
def test_each_command_that_a_first_screen_suggests_works_when_pasted_in_the_same_folder(
    tmp_path: Path, name: str
) -> None:
    screen = ALL_SCREENS[name]
    here = tmp_path / "here"
    here.mkdir()
    make_project(here)
    screen.before(here)
    env = {"MARKSCHEME_CACHE": str(tmp_path / "cache"), "COLUMNS": "1000", "XDG_RUNTIME_DIR": str(tmp_path)}
    done = run("markscheme", *screen.arguments, cwd=here, env=env)
    if screen.saved_as:
        (here / screen.saved_as).write_text(done.stdout, encoding="utf-8")
    write_outputs(here)
    shown = done.stderr if screen.saved_as else done.stdout + done.stderr
    commands = [*printed_commands(re.sub(r"\x1b\[[0-9;]*m", "", shown))]
    assert _faults(commands, here, tmp_path, env) == {}


READING = ("skip_damaged=true", "max_image_mb=7.5")
"""Options for reading files, as typed after `-o`."""


def takes_reading(command: str) -> bool:
    """Return True if a command takes the options for reading files."""
    return all(described(command).has_setting(pair.partition("=")[0]) for pair in READING)


@pytest.mark.proof
@pytest.mark.parametrize(
    "name",
    [name for name, screen in ALL_SCREENS.items() if screen.only is None and takes_reading(screen.arguments[0])],
)
def test_each_command_on_a_first_screen_repeats_the_options_for_reading_files_that_the_user_typed(
    tmp_path: Path, name: str
) -> None:
    screen = ALL_SCREENS[name]
    make_project(tmp_path)
    screen.before(tmp_path)
    env = {"MARKSCHEME_CACHE": str(tmp_path / "cache"), "COLUMNS": "1000", "XDG_RUNTIME_DIR": str(tmp_path)}
    typed = [word for pair in READING for word in ("-o", pair)]
    done = run("markscheme", *screen.arguments, *typed, cwd=tmp_path, env=env)
    assert done.returncode == screen.status, done.stderr
    shown = done.stderr if screen.saved_as else done.stdout + done.stderr
    words = [shlex.split(command) for command in printed_commands(re.sub(r"\x1b\[[0-9;]*m", "", shown))]
    reads = [command for command in words if takes_reading(command[1] if command[0] == "markscheme" else command[0])]
    lost = [shlex.join(command) for command in reads if not {*READING} <= {*command}]
    assert lost in ([], ["markscheme status --json"])  # which reads no examples to say what judges need


WITHOUT_A_PAGE = {"improve": "what the labels allow is said on the screen alone"}
WITH_PAGES = [
    name
    for name, screen in ALL_SCREENS.items()
    if screen.only is None and not screen.saved_as and name not in WITHOUT_A_PAGE and _writes_page(screen.arguments)
]


@pytest.mark.proof
@pytest.mark.parametrize("name", WITH_PAGES)
def test_each_command_that_a_page_or_step_summary_suggests_works_in_the_folder_of_the_run(
    tmp_path: Path, name: str
) -> None:
    screen = ALL_SCREENS[name]
    here = tmp_path / "here"
    here.mkdir()
    make_project(here)
    screen.before(here)
    env = {"MARKSCHEME_CACHE": str(tmp_path / "cache"), "COLUMNS": "1000", "XDG_RUNTIME_DIR": str(tmp_path)}
    page = tmp_path / "page.html"
    summary = tmp_path / "summary.md"
    added = {"GITHUB_STEP_SUMMARY": str(summary)}
    done = run("markscheme", *screen.arguments, "--html", str(page), cwd=here, env=env | added)
    assert done.returncode == screen.status, done.stderr
    write_outputs(here)
    on_screen = {*printed_commands(re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr))}
    in_summary = printed_commands(summary.read_text(encoding="utf-8")) if summary.exists() else ()
    written = dict.fromkeys([*commands_on_page(page.read_text(encoding="utf-8")), *in_summary])
    commands = [command for command in written if command not in on_screen]  # which the test of screens pastes
    assert _faults(commands, here, tmp_path, env) == {}


def _faults(commands: Sequence[str], here: Path, tmp_path: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with printed commands, by command; each is pasted into a copy of the folder."""
    tried = {command: _fault(command, here, tmp_path / f"copy{i}", env) for i, command in enumerate(commands)}
    return {command: fault for command, fault in tried.items() if fault}


def _fault(command: str, here: Path, copy: Path, env: Mapping[str, str]) -> str:
    """Return what is wrong with a printed command, or ""."""
    words = shlex.split(command)
    if words[-1].endswith(MADE_BEFORE):
        options_exist(command)
        return ""
    if words[1] == "calibrate" and not any(word.startswith("--") for word in words) and words[2] == NAME:
        command += f" --judge {CAREFUL}"  # where a reader has one that is ready
    if words[1] == "improve":
        command += " --plan"  # which says what would be asked, and asks no model for words
    return paste(command, copy_of(here, copy), READERS, env)
