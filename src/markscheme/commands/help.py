"""The help of each command, from its signature and docstring."""

import re
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import cleandoc
from typing import TYPE_CHECKING, NamedTuple

from markscheme.commands.families import CommandLine, KeyedOption, declared_of, setting_of
from markscheme.commands.overview import LEFT, columns_of
from markscheme.commands.table import command_named
from markscheme.judges.kinds import in_words
from markscheme.options.settings import SettingsFile
from markscheme.phrases import counted

if TYPE_CHECKING:
    from cyclopts.argument import Argument, ArgumentCollection

HEADING = re.compile(r"^(Args|Attributes|Example|Exit status|Raises|Returns):$", re.MULTILINE)
ENTRY = re.compile(r"^ {4}(\w+): (.+(?:\n {5}.+)*)", re.MULTILINE)


class Option(NamedTuple):
    """An option or operand of a command, as help describes it.

    Attributes:
        setting: Its key as a setting; "" if it isn't a setting.
        names: The names by which it is typed; empty for an operand.
        value: Name of its value in help; empty for a flag.
        many: True if several values may follow its name.
        help: Its description, with placeholders for names of judges.
        rare: True if only `--help-all` shows it.
        required: True if the command can't run without it.
        is_named: True if it is typed by its name; False if it can only be set by `-o KEY=VALUE`.
    """

    setting: str
    names: tuple[str, ...]
    value: str
    many: bool
    help: str
    rare: bool
    required: bool
    is_named: bool

    @property
    def text(self) -> str:
        """The option's help text, with the names of judges filled in."""
        return in_words(self.help)

    @property
    def typed(self) -> str:
        """The option's name and value as they are typed."""
        return f"{self.names[0]} {self.value}".rstrip() if self.names else self.value


@dataclass(frozen=True)
class Description:
    """The description of a command from its docstring and signature: text, options, example, exit statuses."""

    command: str
    text: str
    options: tuple[Option, ...]
    example: str
    exits: str
    line: CommandLine

    @cached_property
    def keyed(self) -> tuple[Option, ...]:
        """The options that only `-o KEY=VALUE` sets in this command."""
        return tuple(map(_keyed_option, self.line.keyed))

    @property
    def own_settings(self) -> set[str]:
        """Keys that `-o KEY=VALUE` can set in this command, without those of options for reading files."""
        keyed = {key for key, declared, _ in self.line.keyed_of_families if declared.is_key}
        return keyed.union(option.setting for option in self.options if option.setting)

    def has_setting(self, key: str) -> bool:
        """Return True if `-o KEY=VALUE` can set a key in this command."""
        return key in self.own_settings or key in self.settings

    def keyed_as(self, name: str) -> Option | None:
        """Return the option that was typed as `--key` though only `-o KEY=VALUE` sets it; None for any other name."""
        return next((option for option in map(_keyed_option, self.line.keyed) if name in option.names), None)

    @property
    def settings(self) -> tuple[str, ...]:
        """All keys that `-o KEY=VALUE` can set in this command, including those of options for reading files."""
        return tuple(option.setting for option in (*self.options, *self.keyed) if option.setting)

    @property
    def usage(self) -> str:
        """The command's usage line, with its operands and required options."""
        operands = [
            option.value if option.required else f"[{option.value}]" for option in self.options if not option.names
        ]
        needed = [option.typed for option in self.options if option.names and option.required]
        return " ".join(["markscheme", self.command, *operands, *needed, "[options]"])


def describe(command: str, function: CommandLine, arguments: "ArgumentCollection") -> Description:
    """Make the description of a command from its function and the parser's arguments."""
    sections = _sections(function)
    row = command_named(command)
    common = None if row is None or row.common is None else row.common.split()
    texts = _entries(sections)
    options = [_option(argument, texts, common) for argument in arguments if argument.parse and not argument.children]
    return Description(
        command,
        sections[""].strip(),
        tuple(options),
        textwrap.dedent(sections.get("Example", "")).strip(),
        " ".join(sections.get("Exit status", "").split()),
        function,
    )


def _sections(documented: object) -> dict[str, str]:
    """Map the headings of a docstring's sections to their text, with the text before the first heading under ""."""
    text, *rest = HEADING.split(cleandoc(documented.__doc__ or ""))
    return {"": text, **dict(zip(rest[::2], rest[1::2], strict=True))}


def _entries(sections: Mapping[str, str]) -> dict[str, str]:
    """Map each parameter in a docstring's Args section to its text."""
    entries = ENTRY.findall(sections.get("Args", ""))
    return {name: " ".join(text.split()) for name, text in entries}


def _option(argument: "Argument", texts: Mapping[str, str], common: Sequence[str] | None) -> Option:
    parameter = argument.parameter
    declared = declared_of(argument)
    positional = argument.is_positional_only()
    names = () if positional else _names(argument)
    value = parameter.metavar or argument.name.lstrip("-").upper()
    if positional and "tuple" in str(argument.hint):
        value += "..."
    return Option(
        setting_of(argument),
        names,
        "" if argument.hint is bool else value,
        bool(parameter.consume_multiple),
        parameter.help or texts.get(argument.field_info.name, ""),
        common is not None and bool(names) and not {name.lstrip("-") for name in names}.intersection(common),
        argument.required,
        declared is None or declared.is_named,
    )


def _keyed_option(keyed: KeyedOption) -> Option:
    """Make the Option for help on an option that only `-o KEY=VALUE` sets."""
    key, declared, name = keyed
    return Option(
        key if declared.is_key else "",
        (name,) if declared.off is None else (declared.off, name),
        declared.value or "",
        many=False,
        help=declared.about,
        rare=True,
        required=False,
        is_named=False,
    )


def _names(argument: "Argument") -> tuple[str, ...]:
    """Return the names by which an option is typed, with `--no-…` first if it is on by default.

    Other negative names that the parser would make are left out, since commands refuse them.
    """
    if argument.parameter.negative:
        return tuple(reversed(argument.names))
    return tuple(name for name in argument.names if name not in argument.negatives)


def command_help(description: Description, settings: SettingsFile, *, everything: bool) -> str:
    """Return what `markscheme COMMAND --help` prints; with `everything` also the options that are rarely needed."""
    width = min(shutil.get_terminal_size((80, 40)).columns, 100)
    lines = [f"usage: {description.usage}", ""]
    for paragraph in description.text.split("\n\n"):
        lines += [*([paragraph] if "  " in paragraph else textwrap.wrap(" ".join(paragraph.split()), width)), ""]
    rare = [option_of_command for option_of_command in description.options if option_of_command.rare]
    for option in description.options:
        lines += [] if option.rare else _row(option, settings, width)
    if rare and everything:
        lines += ["", "more options:", *(line for option in rare for line in _row(option, settings, width))]
    elif rare:
        lines += [f"{'  --help-all':<{LEFT}}show {counted(len(rare), 'more option')}"]
    if everything and description.settings:
        lines += ["", *_settings_rows(description, settings, width)]
    lines += ["", f"Example: {description.example}"]
    if description.exits:
        lines += textwrap.wrap(f"Exit status: {description.exits}", width)
    return "\n".join(lines)


def _row(option: Option, settings: SettingsFile, width: int) -> list[str]:
    text = option.text
    default = settings.texts(option.setting)
    if default and settings.path is not None:
        text += f" [{settings.path.name}: {', '.join(default)}]"
    return columns_of(option.typed if option.is_named else option.setting, text, width)


def _settings_rows(description: Description, settings: SettingsFile, width: int) -> list[str]:
    """Return the help's lines on `-o`: the options that only `-o` sets, then a list of its other options."""
    named = ", ".join(option.setting for option in description.options if option.setting)
    rows = [line for option in description.keyed for line in _row(option, settings, width)]
    too = textwrap.wrap(f"  and by -o too: {named}", width, subsequent_indent="  ") if named else []
    return ["settings, by -o KEY=VALUE or in markscheme.toml:", *rows, *too]
