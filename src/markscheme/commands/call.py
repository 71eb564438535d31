"""Runs a command from its command line: parsing, defaults from settings, and shell completion."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache, partial
from inspect import BoundArguments
from itertools import chain, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin

import cyclopts
from cyclopts import App, CycloptsError, Parameter, Token

from markscheme.commands.families import CommandLine, refuse_lost_files, setting_of
from markscheme.commands.help import Description, Option, command_help, describe
from markscheme.commands.table import CommandFunction, CommandRow, all_commands, command_named, command_names
from markscheme.errors import EXPLANATIONS, MarkschemeError, UsageError, leaving_out_damaged_lines, nearest, suggestion
from markscheme.judges.kinds import in_words
from markscheme.options.forms import ON_SCREEN
from markscheme.options.in_force import hold, reading_options, typed_reading
from markscheme.options.reading import DamageOptions
from markscheme.options.settings import SettingsFile, find_settings
from markscheme.options.table import REFUSE_IDLE, options_of
from markscheme.phrases import in_words as listed_in_words

if TYPE_CHECKING:
    from cyclopts.argument import Argument, ArgumentCollection

HELP, HELP_ALL = ("-h", "--help", "--help-all"), "--help-all"
JSON = "--json"
"""Option that in some commands is a flag, and in others takes a file name as its value."""
SETTING_FLAG = "-o"
"""The option that takes KEY=VALUE, on every command that has settings."""
SHELLS = ("bash", "zsh", "fish")
_ALIKE = 0.75
"""Similarity from which an option is suggested for an unknown one, both without their dashes."""


class _WordedApp(App):
    """A parser whose help texts have judges' names filled in, for shell completion."""

    def assemble_argument_collection(self, **how: Any) -> "ArgumentCollection":
        arguments = super().assemble_argument_collection(**how)
        for argument in arguments:
            worded = Parameter(help=in_words(argument.parameter.help or ""))
            argument.parameter = Parameter.combine(argument.parameter, worded)
        return arguments


def app_with(
    settings: SettingsFile,
    commands: Iterable[CommandRow],
    kind: type[App] = App,
    typed: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> App:
    """Make the parser of the given commands, with defaults from the settings file.

    An option that isn't given by its own name takes its value from `typed`, or else from the settings file.

    Args:
        settings: The settings file.
        commands: The commands.
        kind: Class of the parser.
        typed: Values that were typed as `-o KEY=VALUE`, by key.
    """

    def fill(_: App, __: tuple[str, ...], arguments: "ArgumentCollection") -> None:
        judges = [argument for argument in arguments if setting_of(argument) == "judge"]
        is_its_judge = (
            not any(judge.tokens for judge in judges)
            and "judge" not in typed
            and (bool(judges) or "judge" not in settings.values)
        )
        for argument in arguments:
            key = setting_of(argument)
            if argument.tokens or argument.children:
                continue
            source = SETTING_FLAG if key in typed else str(settings.path)
            texts = typed[key] if key in typed else settings.texts(key) if key != "model" or is_its_judge else ()
            for index, text in enumerate(texts):
                argument.append(Token(keyword=argument.name, value=text, source=source, index=index))

    app = kind(
        name="markscheme",
        help_flags=(),
        version_flags=(),
        config=fill,
        default_parameter=Parameter(negative=(), consume_multiple=False, allow_repeating=True),
        result_action="return_value",
    )
    keys = frozenset({*typed, *settings.values})
    for command in commands:
        function = command_line(command.name, command.load, keys)
        app.command(function, name=command.name, help_flags=(), version_flags=())
    return app


@cache
def command_line(name: str, load: Callable[[], CommandFunction], keys: frozenset[str]) -> CommandLine:
    """Return a command in the form that the parser takes; it is cached.

    Args:
        name: Name of the command.
        load: Function that imports the command's function and returns it.
        keys: Keys that the settings file sets.
    """
    return CommandLine(name, load(), keys)


def call(argv: Sequence[str]) -> int:
    """Run a command line, or print its command's help; return the exit status.

    Raises:
        UsageError: No such command or option, a value that an option cannot have, or an option without effect.
    """
    command, *rest = argv
    if command_named(command) is None:
        raise UsageError(_unknown(command, rest))
    settings = find_settings(Path.cwd())
    options = rest[: rest.index("--")] if "--" in rest else rest
    if any(token in HELP for token in options):
        print(command_help(described(command), settings, everything=HELP_ALL in options))
        return 0
    parsed = parse(command, rest, settings)
    bound = parsed.bound
    for refuse in REFUSE_IDLE if parsed.options - {"--judge"} else ():  # for a judge alone no feature need be loaded
        refuse(command, parsed.options, bound.arguments)
    skips = any(getattr(value, "skip_damaged", False) for value in bound.arguments.values())
    of_command = described(command).own_settings if parsed.typed else ()
    reading = typed_reading({key: texts for key, texts in parsed.typed.items() if key not in of_command})
    with leaving_out_damaged_lines(skips), hold(reading, partial(_repeating, parsed.typed)):
        try:
            status: int = parsed.function(*bound.args, **bound.kwargs)
        except MarkschemeError as error:
            for explain in EXPLANATIONS:
                explain(error, command, bound)
            if isinstance(error, UsageError) and error.code is not None:
                from markscheme.commands.refusals import complete

                complete(error, command, rest, bound.arguments)
            raise
    return status


@cache
def described(command: str) -> Description:
    """Return the description of a command from which its help is made, cached."""
    app = app_with(SettingsFile(), _only(command))[command]
    function = app.default_command
    assert isinstance(function, CommandLine)
    return describe(command, function, app.assemble_argument_collection())


def _only(name: str) -> tuple[CommandRow, ...]:
    """Return a tuple with only the named command, so that no other command is imported; empty if it is unknown."""
    return tuple(command for command in [command_named(name)] if command is not None)


class ParsedLine(NamedTuple):
    """A command line that was parsed.

    Attributes:
        function: The command's function.
        bound: The arguments to call it with.
        typed: The values typed as `-o KEY=VALUE`, by key.
        options: Names of the options that were typed, such as `--target` and `-o KEY`.
    """

    function: CommandFunction
    bound: BoundArguments
    typed: Mapping[str, Sequence[str]]
    options: Set[str]


def parse(command: str, rest: Sequence[str], settings: SettingsFile) -> ParsedLine:
    """Parse the words of a command line, with the settings file's values for options that weren't typed.

    Args:
        command: Name of the command.
        rest: The words after it on the command line.
        settings: The settings file, which has defaults of options.

    Raises:
        UsageError: No such option, a value that an option cannot have, or a file to write that is also read.
    """
    typed, rest = _typed_settings(command, rest)
    _refuse_settings_by_name(command, rest)
    file = _file_after_flag(command, rest)
    if file and not Path(file).exists():  # a file that is there may be an operand
        raise UsageError(_prints_here(file))
    words = _ordered(command, rest)
    try:
        app = app_with(settings, _only(command), typed=typed)
        function, bound, _ = app.parse_args([command, *words], exit_on_error=False, print_error=False, verbose=False)
    except CycloptsError as error:
        is_file = file and isinstance(error, cyclopts.UnusedCliTokensError | cyclopts.CoercionError)
        raise UsageError(_prints_here(file) if is_file else sentence(error)) from error
    assert isinstance(function, CommandLine)
    refuse_lost_files(function.__signature__.parameters, bound.arguments)
    options = {word.partition("=")[0] for word in words[: words.index("--")]}
    options |= {f"{SETTING_FLAG} {key}" for key in typed}
    gathered = function.gathered(bound, settings.values.keys() - typed)
    return ParsedLine(function.function, gathered, typed, options)


def complete(argv: Sequence[str]) -> int:
    """Print a shell's completion script, or the possible next words for such a script; return the exit status.

    Args:
        argv: The words of the command line: `--completion` with a shell, or `__complete` as a completion script calls
            it.
    """
    app = app_with(SettingsFile(), all_commands(), _WordedApp)
    if argv[0] == "__complete":
        app(argv)
        return 0
    if len(argv) != 2 or argv[1] not in SHELLS:
        raise UsageError(f"--completion must name a shell: {', '.join(SHELLS)}")
    shell: Any = argv[1]
    print(app.generate_completion(shell=shell))
    return 0


# --- settings ---------------------------------------------------------------------------------------------------------


def _repeating(typed: Mapping[str, Sequence[str]], command: str) -> str:
    """Add to a printed command the options for reading files that the user typed.

    An option is left out if the command can't take it, or has it already.

    Args:
        typed: The values typed as `-o KEY=VALUE`, by key.
        command: The command to print.
    """
    program, _, rest = command.partition(" ")
    name = rest.partition(" ")[0]
    if not typed or program != "markscheme" or command_named(name) is None:
        return command
    keys = [
        key for key in typed if key in {*reading_options(), *options_of(DamageOptions)} and f" {key}=" not in command
    ]
    pairs = (f"{key}={typed[key][-1]}" for key in keys if described(name).has_setting(key))
    return " ".join((command, *(shlex.join((SETTING_FLAG, pair)) for pair in pairs)))


def _typed_settings(command: str, rest: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Split the words after a command's name into the values typed as `-o KEY=VALUE`, by key, and the other words.

    Raises:
        UsageError: A word after `-o` isn't KEY=VALUE, or the command doesn't know the key.
    """
    typed: dict[str, list[str]] = {}
    others = list[str]()
    words = list(rest)
    while words:
        word = words.pop(0)
        if word == "--":
            others += [word, *words]
            break
        if not word.startswith(SETTING_FLAG):
            others.append(word)
            continue
        pair = word.removeprefix(SETTING_FLAG) or (words.pop(0) if words else "")
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(
                f"`{SETTING_FLAG}` needs KEY=VALUE, got {pair!r}" if pair else f"`{SETTING_FLAG}` needs KEY=VALUE"
            )
        if not described(command).has_setting(key):
            settings = described(command).settings
            instead = suggestion(key, settings, mark="`") or f"; known are {', '.join(settings) or 'none'}"
            raise UsageError(f"`markscheme {command}` has no setting `{key}`{instead}")
        typed.setdefault(key, []).append(value)
    return typed, others


def _refuse_settings_by_name(command: str, words: Sequence[str]) -> None:
    """Raise an error if a setting is typed as `--key`, with the `-o KEY=VALUE` to type instead.

    Raises:
        UsageError: A setting is typed so.
    """
    typed = words[1 : words.index("--")] if "--" in words else words
    names = [word for word in typed if word.startswith("--")]
    if not names:  # to describe a command takes longer than all else here
        return
    named = {name for option in described(command).options for name in option.names}
    for word, after in pairwise((*typed, "")):
        name, equals, value = word.partition("=")
        option = None if name in named or not name.startswith("--") else described(command).keyed_as(name)
        if option is not None:
            pair = f"{option.setting}={_value_by_key(name, option, value if equals else after)}"
            raise UsageError(f"`{name}` is a setting: type `{SETTING_FLAG} {shlex.quote(pair)}`")


def _value_by_key(name: str, option: Option, after: str) -> str:
    """Return the VALUE to suggest in `-o KEY=VALUE` to a user who typed `--KEY`, which isn't an option.

    Args:
        name: The word that was typed, `--KEY` or `--no-KEY`.
        option: The option that `-o KEY=VALUE` sets.
        after: The word that was typed after it; "" if there was none.
    """
    if name.startswith("--no-"):
        return "off"
    if not option.value:
        return "true"
    return after if after and _is_value(after) else option.value


# --- order of words --------------------------------------------------------------------------------------------------


def _ordered(command: str, rest: Sequence[str]) -> list[str]:
    """Sort the words of a command line: first options, each as `--option=value`, then `--` and the operands.

    Thus operands may come between options, and "-" may be a value. If an option's value is optional, the next word is
    taken as the value if it is "-" or, depending on the option, a .json file or a number; otherwise the value is "-".
    An option that takes several values takes all words up to the next option; if the command would then have no
    operand, the last of these words becomes the operand.

    Args:
        command: Name of the command.
        rest: The words after it.
    """
    if all(map(_is_value, rest)):  # to describe a command takes longer than all else here
        return ["--", *rest]
    by_name = {name: option for option in described(command).options for name in option.names}
    options = list[str]()
    operands = list[str]()
    words = list(rest)
    spare = 0
    while words:
        word = words.pop(0)
        if word == "--":
            operands += words
            break
        if _is_value(word):
            operands.append(word)
            continue
        option = by_name.get(word)
        values = list[str]()
        if option is not None and option.value.startswith("["):
            takes = bool(words) and (
                words[0] == "-" or _is_optional_value(option, words[0], has_operand=bool(operands))
            )
            values = [words.pop(0) if takes else "-"]
        elif option is not None and option.value:
            while words and _is_value(words[0]) and (option.many or not values):
                values.append(words.pop(0))
        options += [f"{word}={value}" if word.startswith("--") else f"{word}{value}" for value in values] or [word]
        spare = len(options) if len(values) > 1 else spare
    if spare and not operands:
        operands.append(options.pop(spare - 1).partition("=")[2])
    return [*options, "--", *operands]


def _file_after_flag(command: str, rest: Sequence[str]) -> str:
    """Return the file name that was typed after `--json` although the option takes none in this command; else ""."""
    words = rest[: rest.index("--")] if "--" in rest else rest
    after = (following for word, following in pairwise(words) if word == JSON and following.endswith(".json"))
    joined = (word.removeprefix(f"{JSON}=") for word in words if word.startswith(f"{JSON}="))
    file = next(chain(after, joined), "")
    if not file:  # to describe a command takes longer than all else here
        return ""
    takes_none = any(JSON in option.names and not option.value for option in described(command).options)
    return file if takes_none else ""


def _prints_here(file: str) -> str:
    return f"`{JSON}` prints to standard output here: `{JSON} > {file}` writes it to a file"


def _is_optional_value(option: Option, word: str, *, has_operand: bool) -> bool:
    """Return True if a word can be the value of an option whose value may be left out.

    If help shows the value as [N], it is a number. But once the command's operand was typed, any word that isn't an
    option counts as the value, so that a mistyped number is refused. Every other such option takes a .json file.

    Args:
        option: The option.
        word: The word after the option.
        has_operand: True if the command's operand was typed before the option.
    """
    if option.value != "[N]":
        return word.endswith(".json")
    return bool(word) and _is_value(word) and (has_operand or word.lstrip("-").replace(".", "", 1).isdigit())


def _is_value(word: str) -> bool:
    """Return True if a word isn't an option; "-", negative numbers and files such as `-a.csv` aren't options."""
    is_plain = word == "-" or not word.startswith("-") or word.lstrip("-").replace(".", "", 1).isdigit()
    return is_plain or (not word.startswith("--") and "." in word and Path(word).is_file())


# --- faults ---------------------------------------------------------------------------------------------------------


def _unknown(command: str, rest: Sequence[str]) -> str:
    """Make the error message for an unknown command, with the nearest command or the one that replaced it."""
    heirs = [row for row in all_commands() if command in row.heir_of]
    if not heirs:
        instead = suggestion(command, command_names(), mark="`") or "; `markscheme --help-all` lists all commands"
        return f"unknown command `{command}`{instead}"
    names = [f"`{row.name}` ({row.shares[command]})" if command in row.shares else f"`{row.name}`" for row in heirs]
    retyped = [shlex.join(["markscheme", row.name, *row.heir_of[command](rest)]) for row in heirs]
    return "\n  ".join([f"`{command}` is part of {listed_in_words(names)}:", *retyped])


TYPES = {int: "a whole number", float: "a number", bool: "given without a value", Path: "a path", str: "a text"}


def sentence(error: CycloptsError) -> str:
    """Turn a parser's error into a message that says what is wrong with the command line and what is allowed."""
    match error:
        case cyclopts.UnknownOptionError():
            name = (error.token.keyword or error.token.value).partition("=")[0]
            if name == "--version":
                return "`--version` is no option of a command: `markscheme --version` prints the version"
            command = " ".join(error.command_chain or ())
            shown_arguments = (argument for argument in error.argument_collection if argument.show)
            typed = {flag.lstrip("-"): flag for argument in shown_arguments for flag in argument.names}
            for option in described(command).keyed:
                for hidden in option.names:
                    typed[hidden.lstrip("-")] = f"{SETTING_FLAG} {option.setting}={_value_by_key(hidden, option, '')}"
            near = nearest(name.lstrip("-"), typed, least=_ALIKE)
            instead = f"did you mean `{typed[near]}`?" if near else f"`markscheme {command} --help-all` lists all"
            return f"unknown option `{name}`; {instead}"
        case cyclopts.ValidationError() if error.argument is not None:
            return _refused(error.argument, error.exception_message)
        case cyclopts.CoercionError() if error.argument is not None and error.msg is None:
            return f"{_place(error.argument)} {_allowed(error.argument)}"
        case cyclopts.CoercionError() if error.argument is not None:
            return _refused(error.argument, str(error.msg))
        case cyclopts.MissingArgumentError() if error.argument is not None:
            argument = error.argument
            if error.keyword or argument.tokens:
                screen = f"; {ON_SCREEN}" if ON_SCREEN in (argument.parameter.help or "") else ""
                return f"`{error.keyword or argument.name}` needs a value: {_metavar(argument)}{screen}"
            command = " ".join(error.command_chain or ())
            missing = _metavar(argument) if argument.is_positional_only() else f"`{argument.name} {_metavar(argument)}`"
            example = described(command).example
            are_missing = "are missing" if argument.is_positional_only() and " " in missing else "is missing"
            return f"{missing} {are_missing}, as in: {example}" if example else f"{missing} {are_missing}"
        case cyclopts.RepeatArgumentError():
            return f"`{error.token.keyword}` is given more than once"
        case cyclopts.UnusedCliTokensError():
            return f"unexpected {', '.join(map(repr, error.unused_tokens or ()))}"
    return str(error)


def _refused(argument: "Argument", message: str) -> str:
    """Make the message for a value that its option can't have; a question such as "did you mean" comes last."""
    reason, question, hint = message.partition("; did you mean")
    return f"{_place(argument)} {reason}, got {_as_typed(argument) or repr('')}{question}{hint}"


def _metavar(argument: "Argument") -> str:
    return argument.parameter.metavar or argument.name.lstrip("-").upper()


def _place(argument: "Argument") -> str:
    source = argument.tokens[0].source if argument.tokens else ""
    name = _metavar(argument) if argument.is_positional_only() else f"`{argument.name}`"
    return name if source in ("", "cli") else f"{source}: {name.replace('--', '').replace('-', '_')}"


def _as_typed(argument: "Argument") -> str:
    return ", ".join(token.value for token in argument.tokens)


def _allowed(argument: "Argument") -> str:
    typed = _as_typed(argument)
    literals = [hint for hint in (argument.hint, *get_args(argument.hint)) if get_origin(hint) is Literal]
    choices = [str(choice) for literal in literals for choice in get_args(literal)]
    if choices:
        return f"must be one of {', '.join(choices)}, got {typed!r}{suggestion(typed, choices, mark='`')}"
    hints = (argument.hint, *get_args(argument.hint))
    return f"must be {next(word for kind, word in TYPES.items() if kind in hints)}, got {typed!r}"
