"""The command line as a whole: what there is, how it is told, and how faults end."""

import re
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

from markscheme.cli import COMMANDS, GROUPS, module_of
from tests.commands.console import INSTALLED, ROOT, run, run_installed


def test_help_shows_the_commands_in_their_groups() -> None:
    told = run("markscheme", "--help").stdout
    places = [told.index(f"{group}:") for group in GROUPS]
    assert places == sorted(places)
    for group in GROUPS.values():
        for name, summary in group.items():
            assert re.search(rf"^  {name} +{re.escape(summary)}$", told, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_a_summary_an_example_and_a_word_for_every_option(command: str) -> None:
    parser = import_module(module_of(command)).parser()
    assert parser.description
    assert re.search(rf"\b{command}\b", parser.epilog)
    for action in parser._actions:
        assert action.help, f"{command} {action.option_strings or action.dest} is not described"


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_can_speak_json(command: str) -> None:
    parser = import_module(module_of(command)).parser()
    assert any("--json" in action.option_strings for action in parser._actions)


def test_an_unknown_command_or_option_exits_2() -> None:
    assert run("markscheme", "callibrate").returncode == 2
    assert run("markscheme", "calibrate", "code-quality", "--tolerence", "1").returncode == 2


def test_calibrate_is_markscheme_calibrate() -> None:
    assert run_installed("calibrate", "--help").stdout == run_installed("markscheme", "calibrate", "--help").stdout


def test_the_version_is_told() -> None:
    assert re.fullmatch(r"markscheme \d+\.\d+\.\d+\n", run_installed("markscheme", "--version").stdout)


def test_a_reader_that_goes_away_is_no_fault_to_shout_about() -> None:
    script = f"{INSTALLED / 'markscheme'} prompts error-messages | head -c 10"
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (len(done.stdout), done.stderr) == (10, "")


def test_a_broken_installation_never_looks_like_a_rubric_that_needs_adjusting(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise RuntimeError('half installed')")
    done = run("calibrate", "error-messages", env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 70
    assert "RuntimeError: half installed" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: this is a fault of markscheme or of its installation")
