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
        name: Name of the command, as typed.
        group: Heading under which help lists it.
        summary: Line in that list.
        load: Function that imports the command's function and returns it.
        rank: Position in the group; ranks of the core are multiples of ten, so that there is room between them.
        heir_of: Functions that convert the words typed after a removed command to words for this one, by the removed
            command's name. Several commands may replace one removed command.
        shares: If several commands replace a removed command: the part of its work that this command does, by the
            removed command's name.
        common: Options that `--help` shows, separated by spaces, while only `--help-all` shows all other options; None
            to show all.
        load_alone: Function that imports and returns a function to run the command if nothing is typed after its name
            and no settings apply; it saves loading the parser, which would take longer than the command. None for most
            commands.
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
