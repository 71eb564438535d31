"""The table of commands, which help, completion, the reference pages and the command line read."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, get_args

from markscheme.seam import OpenTable

Group = Literal["Start here", "Improve", "Run", "Data", "More"]
"""Heading under which help lists a command, in this order; "More" is for what is rarely needed."""
GROUPS: tuple[Group, ...] = get_args(Group)
RARE_GROUP: Group = "More"
"""The group that only `--help-all` lists."""
CommandFunction: TypeAlias = Callable[..., int]
"""Function that runs a command and returns its exit status; its signature and docstring describe its arguments."""
Retyping: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
"""Function that converts the words typed after a removed command's name to those for the command that replaced it."""


class CommandRow(NamedTuple):
    """A row of the table of commands, with what help and the parser need.

    Attributes:
        name: What is typed.
        group: Under which heading help lists it.
        summary: Its line there.
        load: Imports its function and returns it.
        rank: Its place in the group; ranks of the core are tens, so that there is room between them.
        heir_of: Commands that it took in, by the names that are gone. A name may have several heirs.
        shares: What it took in of a command that has several heirs, by the name that is gone.
        common: The options that `--help` shows, by spaces; None shows all, and others wait for `--help-all`.
        load_alone: Imports what runs it where nothing is typed after its name and no settings are in force, and
            returns that: no parser need be loaded then, which costs more than what it prints. None for most.
    """

    name: str
    group: Group
    summary: str
    load: Callable[[], CommandFunction]
    rank: int
    heir_of: Mapping[str, Retyping] = MappingProxyType({})
    shares: Mapping[str, str] = MappingProxyType({})
    common: str | None = None
    load_alone: Callable[[], CommandFunction] | None = None


def all_commands() -> list[CommandRow]:
    """Return all commands in the order in which help lists them."""
    return sorted(COMMANDS, key=lambda command: (GROUPS.index(command.group), command.rank))


def command_names() -> tuple[str, ...]:
    """Return the names of all commands in the order in which help lists them."""
    return tuple(command.name for command in all_commands())


def command_named(name: str) -> CommandRow | None:
    """Return the row of a command by its name; None if there is no such command."""
    return next((command for command in COMMANDS if command.name == name), None)


# --- the commands of the core -----------------------------------------------------------------------------------------


def _calibrate() -> CommandFunction:
    from markscheme.commands.calibrate import calibrate

    return calibrate


def _grade() -> CommandFunction:
    from markscheme.commands.grade import grade

    return grade


def _of_prompts(words: Sequence[str]) -> list[str]:
    """Convert the arguments of `prompts`, a command that no longer exists, to those of `grade`."""
    return [*(word for word in words if word not in ("--examples", "--json")), "--show-prompt"]


def _session() -> CommandFunction:
    from markscheme.commands.session import session

    return session


def _of_agreement(words: Sequence[str]) -> list[str]:
    """Convert the arguments of `agreement`, a command that no longer exists, to those of `calibrate`."""
    settings = {"--scale": "metric", "--weights": "agreement_weights"}
    typed: list[str] = []
    is_left_out = takes_value = False
    for word in words:
        option, equals, value = word.partition("=")
        if option.startswith("--"):
            is_left_out = option in ("--pairs", "--criterion") and not equals
        elif is_left_out:
            is_left_out = False
            continue
        if option in ("--pairs", "--criterion"):
            continue
        if option in settings:
            typed += ["-o", f"{settings[option]}={value}"]
            takes_value = not equals
            continue
        if takes_value:
            typed[-1] += word
            takes_value = False
            continue
        typed.append(word)
        if word == "--json":
            typed.append("-")
    return typed


COMMANDS = OpenTable(
    CommandRow(
        "calibrate",
        "Start here",
        "compare a judge with human labels: can it decide, what to fix?",
        _calibrate,
        20,
        {"agreement": _of_agreement},
        common="judge ratings human examples require accept samples budget details json markdown html",
    ),
    CommandRow(
        "grade",
        "Run",
        "grade responses with a rubric",
        _grade,
        10,
        {"prompts": _of_prompts},
        common="judge input out show-prompt samples budget batch human details json",
    ),
    CommandRow("session", "More", "start, stop or show the process behind Promptfoo's assertions", _session, rank=40),
)
"""The table of commands."""
