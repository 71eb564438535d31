"""Removed commands: their names are answered with the command to type instead."""

from collections.abc import Iterator, Sequence

import pytest

from markscheme import seam
from markscheme.cli import main
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.seam import Feature, offer
from tests.commands.console import run


def _with_number(words: Sequence[str]) -> list[str]:
    return [*words, "--number"]


def _load() -> CommandFunction:
    raise AssertionError("nothing runs the command")


@pytest.fixture
def heirs() -> Iterator[None]:
    """Offer a feature with two commands that replace two removed ones."""
    before = seam.features()
    commands = (
        CommandRow("sum", "Run", "", _load, 1, {"reckon": _with_number, "settle": list}, {"settle": "the figures"}),
        CommandRow("agree", "Run", "", _load, 2, {"settle": list}, {"settle": "who is right"}),
    )
    offer(lambda: (*before, Feature("sums", COMMANDS(*commands))))
    yield
    offer(lambda: before)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["reckon"], "error: `reckon` is part of `sum`:\n  markscheme sum --number\n"),
        (
            ["reckon", "a file", "-o", "seed=3"],
            "error: `reckon` is part of `sum`:\n  markscheme sum 'a file' -o seed=3 --number\n",
        ),
        (
            ["settle", "x"],
            "error: `settle` is part of `sum` (the figures) and `agree` (who is right):\n"
            "  markscheme sum x\n  markscheme agree x\n",
        ),
    ],
)
@pytest.mark.usefixtures("heirs")
def test_a_removed_command_exits_2_and_names_the_commands_that_replace_it(
    typed: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(typed) == 2
    assert capsys.readouterr().err == message


def test_no_command_has_the_name_of_a_removed_command() -> None:
    assert not {old for command in COMMANDS for old in command.heir_of} & {command.name for command in COMMANDS}


@pytest.mark.parametrize(
    ("typed", "now"),
    [
        ("prompts reply", "grade reply --show-prompt"),
        ("prompts reply --missing", "grade reply --missing --show-prompt"),
        ("prompts reply --examples set.jsonl", "grade reply set.jsonl --show-prompt"),
    ],
)
def test_the_removed_prompts_command_prints_the_grade_command_that_replaces_it(typed: str, now: str) -> None:
    done = run("markscheme", *typed.split())
    assert (done.returncode, done.stderr) == (2, f"error: `prompts` is part of `grade`:\n  markscheme {now}\n")


def test_the_show_prompt_option_prints_the_same_whether_or_not_the_file_of_the_rubric_s_examples_is_named() -> None:
    own = run("markscheme", "grade", "error-messages", "--show-prompt")
    examples = "calibration/error-messages/examples.jsonl"
    of_file = run("markscheme", "grade", "error-messages", examples, "--show-prompt")
    assert own.stdout
    assert of_file.stdout == own.stdout
    assert (own.returncode, of_file.returncode) == (0, 0)
