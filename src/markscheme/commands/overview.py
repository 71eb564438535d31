"""Commands that run without loading the parser: `markscheme --help`, `help settings`, and some without arguments."""

import shutil
import textwrap
from collections.abc import Sequence
from pathlib import Path

from markscheme.commands.table import GROUPS, RARE_GROUP, CommandFunction, all_commands, command_named
from markscheme.judges.kinds import in_words
from markscheme.options.settings import find_settings
from markscheme.options.table import settings_declared

LEFT = 24
"""Width of the column of option names."""


def overview(*, everything: bool) -> str:
    """Return what `markscheme --help` prints; with `everything` also what is rarely needed."""
    commands = all_commands()
    width = max(len(command.name) for command in commands) + 2
    lines = ["usage: markscheme COMMAND [options]", ""]
    lines.append("Grade LLM outputs with weighted rubrics, and measure how far to trust the grades.")
    for group in GROUPS if everything else [group for group in GROUPS if group != RARE_GROUP]:
        listed = [command for command in commands if command.group == group]
        lines += ["", f"{group}:", *(f"  {command.name:<{width}}{command.summary}" for command in listed)]
    if everything:
        lines += ["", "`markscheme --completion bash` (zsh, fish) prints a completion script."]
    lines += ["", "`markscheme COMMAND --help` shows common options, `--help-all` all of them."]
    return "\n".join(lines)


def settings_help() -> str:
    """Return what `markscheme help settings` prints: every key, with its values and what it sets."""
    width = min(shutil.get_terminal_size((80, 40)).columns, 100)
    lines = ["Settings, by -o KEY=VALUE on the commands that have them, or in markscheme.toml or pyproject.toml:", ""]
    for key, declared in settings_declared():
        about = declared.about if declared.is_setting else f"{declared.about}; not in a file"
        text = in_words(f"{about} [{declared.form.allowed}]")
        lines += columns_of(key, text, width)
    return "\n".join(lines)


def typed_alone(argv: Sequence[str]) -> CommandFunction | None:
    """Return a command's function for a call without arguments; None if that needs the parser or the settings file."""
    command = command_named(argv[0]) if len(argv) == 1 else None
    if command is None or command.load_alone is None or find_settings(Path.cwd()).values:
        return None
    return command.load_alone()


def columns_of(name: str, text: str, width: int) -> list[str]:
    """Format a name and its description as two columns, over as many lines as they need.

    Args:
        name: The name.
        text: The description.
        width: Width of the lines, in characters.
    """
    body = textwrap.wrap(text, width - LEFT, break_on_hyphens=False) or [""]
    first = f"  {name}"
    lines = [f"{first:<{LEFT}}{body[0]}"] if len(first) < LEFT - 1 else [first, f"{'':<{LEFT}}{body[0]}"]
    return lines + [f"{'':<{LEFT}}{line}" for line in body[1:]]
