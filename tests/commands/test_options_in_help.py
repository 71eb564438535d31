"""The length of each command's help, and where its options are declared."""

from collections import Counter
from inspect import getdoc

import pytest

from markscheme.commands.call import described
from markscheme.commands.help import Option, command_help
from markscheme.commands.table import RARE_GROUP, CommandRow, all_commands
from markscheme.options.settings import SettingsFile

COMMANDS = [row for row in all_commands() if row.group != RARE_GROUP]
MOST_OPTIONS, MOST_LINES, MOST_IN_ALL = 12, 45, 70


def shown(row: CommandRow) -> list[Option]:
    """Return the options that a command's `--help` shows."""
    return [option for option in described(row.name).options if option.names and not option.rare]


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_the_help_of_a_command_fits_a_screen(row: CommandRow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert len(shown(row)) <= MOST_OPTIONS
    printed = command_help(described(row.name), SettingsFile(), everything=False)
    assert len(printed.splitlines()) <= MOST_LINES
    everything = command_help(described(row.name), SettingsFile(), everything=True)
    assert all(f"  {option.names[0]}" in everything for option in described(row.name).options if option.names)


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_the_options_that_a_command_s_short_help_lists_exist(row: CommandRow) -> None:
    names = {name.lstrip("-") for option in described(row.name).options for name in option.names}
    assert {*(row.common or "").split()} <= names


def test_the_short_help_texts_of_sixteen_commands_show_at_most_seventy_different_options() -> None:
    assert len(COMMANDS) == 16
    assert len({option.names[0] for row in COMMANDS for option in shown(row)}) <= MOST_IN_ALL


def test_an_option_that_means_the_same_in_two_commands_is_declared_once() -> None:
    """Options of one command alone are described in its docstring, shared ones where they are declared."""
    declared = Counter(
        (option.names[0], option.help)
        for row in COMMANDS
        for option in described(row.name).options
        if option.names and f": {option.help}" in " ".join((getdoc(row.load()) or "").split())
    )
    assert [option for option, times in declared.items() if times > 1] == []


def test_no_option_gets_an_opposite_generated_by_the_parser_such_as_no_accept_or_empty_only() -> None:
    """The parser would add `--no-accept` to `--accept`, and `--empty-only` to `--only`, which nobody asked for."""
    taken_back = {
        f"{row.name} {name}"
        for row in all_commands()
        for option in described(row.name).options
        for name in option.names
        if name.startswith(("--no-", "--empty-"))
    }
    assert taken_back == set()
