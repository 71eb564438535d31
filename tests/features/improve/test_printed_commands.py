"""What `improve` prints to be run."""

import shlex
from pathlib import Path

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.call import parse
from markscheme.options.settings import SettingsFile
from tests.commands.printed_names import NAME, make_project, stays_one_word
from tests.commands.scripted_setting import JUDGE


def test_a_rubric_s_name_with_special_characters_is_quoted_in_printed_commands(tmp_path: Path) -> None:
    stays_one_word(make_project(tmp_path), "improve", NAME, "--plan", "--judge", JUDGE)


def test_the_improve_command_printed_by_calibrate_keeps_only_the_options_that_improve_takes() -> None:
    printed = Commands(
        "reply",
        "--judge gpt",
        examples=Path("more.jsonl"),
        asking={"samples": "--samples 2", "strategy": "-o strategy=holistic"},
        comparing={"split": "--split dev", "gold": "-o gold=human"},
        can_improve=True,
    ).improve()
    assert printed.endswith("--judge gpt --examples more.jsonl --samples 2 -o strategy=holistic -o gold=human")
    _, name, *words = shlex.split(printed)
    parse(name, words, SettingsFile())
