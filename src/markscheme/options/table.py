"""Families of options, declared once and read from the command line, files, environment and Python calls.

A family is a frozen dataclass whose fields are made by `option` or `setting`. The command line, the settings file,
Promptfoo's `config`, pytest and calls from Python fill an object of the family, which is passed on as it is, down to
the statistics. Loading this module is cheap.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

from markscheme.errors import UsageError, suggestion
from markscheme.options.forms import ValueForm
from markscheme.seam import OpenTable

_Family = TypeVar("_Family")
OptionSource: TypeAlias = tuple[Mapping[str, Any], str]
"""Values that a source sets, by key, and a template for a key's name in messages, such as "config.{}"."""


FileTypes: TypeAlias = tuple[type, ...]
WHOLE_IN_FILES: Final = (int,)
NUMBER_IN_FILES: Final = (int, float)
NAMES_IN_FILES: Final = (dict,)
_TYPES: Final[Mapping[FileTypes, str]] = {
    WHOLE_IN_FILES: "a whole number",
    NUMBER_IN_FILES: "a number",
    NAMES_IN_FILES: "a table of names",
}
KEYS_SET_FOR_ALL: Final = {"keys": "set for all"}
"""Metadata by which a family declares its field for the keys that the settings file sets, for all rubrics."""


# --- an option --------------------------------------------------------------------------------------------------------


class DeclaredOption(NamedTuple):
    """The declaration of an option: its help, allowed values, name on the command line, and where it may be set.

    Attributes:
        about: Description for help; placeholders in it, as in `kinds.IN_HELP`, are replaced by judges' names.
        form: The rule for its values.
        value: Name of its value in help; None for a switch.
        name: Its name on the command line; None for the field's name.
        is_typed: True if every command with the family has it; False if a command has an option of its own with that
            name.
        is_setting: True if the settings file may set it.
        is_named: True if it may be typed by its name, and not only as `-o KEY=VALUE`.
        written: The types that its value may have in the settings file; None for any that `form` allows.
        never_in_files: Function that, given a value that only the command line may set, returns a noun for what the
            value names, such as "code", for the error; it returns None for any other value. None if the settings file
            may set every value.
        of_model: True if an experiment may set it for the model that makes the outputs.
        parameter: True if it is a parameter of the model, which a kind of judge takes or refuses.
        several: True if its value is a list of all words that were given.
        opens: True if it says how a judge is opened, so that it can't apply to a judge that is open already.
        goes_with: Name of the option to which it belongs: if a stronger source sets that option, this one is ignored.
            None if it belongs to no other option.
        off: The option of the command line that switches it off, for a switch that is on by default.
        variable: The environment variable that sets it in Promptfoo and pytest; None if there is none.
    """

    about: str
    form: ValueForm
    value: str | None = None
    name: str | None = None
    is_typed: bool = True
    is_setting: bool = False
    is_named: bool = True
    written: FileTypes | None = None
    never_in_files: Callable[[Any], str | None] | None = None
    of_model: bool = False
    parameter: bool = False
    several: bool = False
    opens: bool = False
    goes_with: str | None = None
    off: str | None = None
    variable: str | None = None

    @property
    def is_key(self) -> bool:
        """True if the option can be set by `-o KEY=VALUE`."""
        return self.is_setting or self.never_in_files is not None

    def read(self, written: Any, source: str) -> Any:
        """Convert the value in a source, such as a settings file, to the option's value; None stays None (not set).

        Args:
            written: The value in the source.
            source: Name of the source with the option's key, for the error.

        Raises:
            UsageError: The option can't have that value.
        """
        if written is None:
            return None
        if self.several and self.form.by_type:
            elements = written if isinstance(written, Iterable) and not isinstance(written, str) else (written,)
            return tuple(self._read(partial(self.form.read, element), element, source) for element in elements)
        return self._read(partial(self.form.read, written), written, source)

    def read_text(self, text: str, source: str) -> Any:
        """Convert a typed text to the option's value.

        Args:
            text: The text.
            source: Where the text was typed, such as "-o: `samples`", for the error.

        Raises:
            UsageError: The option can't have that value.
        """
        return self._read(lambda: self.form.read(self.form.typed(text)), text, source)

    def _read(self, reading: Callable[[], Any], written: object, source: str) -> Any:
        try:
            return reading()
        except (KeyError, TypeError, ValueError, OverflowError):
            from markscheme.plain_data import shown

            refusal, question = self.form.refusal(written)
            raise UsageError(f"{source} {refusal}, got {shown(written)}{question}") from None

    def check_in_file(self, key: str, written: Any, source: str) -> None:
        """Raise an error if the settings file sets this option to a value that a settings file may not contain.

        Args:
            key: Name of the option.
            written: The value in the file.
            source: The file and the line, for messages.

        Raises:
            UsageError: The value is of another type, or names something that only the command line may name.
        """
        if self.written is not None and (not isinstance(written, self.written) or isinstance(written, bool)):
            question = self.form.refusal(written)[1]
            raise UsageError(f"{source}: `{key}` must be {_TYPES[self.written]}, got {written!r}{question}")
        value = self.read(written, f"{source}: `{key}`") if self.is_setting else written
        refused = None if self.never_in_files is None else self.never_in_files(value)
        if refused is not None:
            raise UsageError(
                f"{source}: `{key}` must not name {refused} here, got {written!r}; give it on the command line"
            )


def option(default: Any, about: str, form: ValueForm, **more: Any) -> Any:
    """Declare an option, as a field of a family's dataclass.

    Args:
        default: The option's value if no source sets it.
        about: Description of what it sets, for help.
        form: The rule for its values.
        more: Further attributes of `DeclaredOption`.
    """
    return field(default=default, metadata={"option": DeclaredOption(about, form, **more)})


def setting(default: Any, about: str, form: ValueForm, **more: Any) -> Any:
    """Declare an option that the settings file may set, too; it is typed as `-o KEY=VALUE` unless it has a flag.

    Args:
        default: The option's value if it isn't set.
        about: Description of what the option sets, for help.
        form: The rule for the option's values.
        more: Further arguments of `option`.
    """
    return option(default, about, form, **{"is_setting": True, "is_named": False} | more)


# --- a family ---------------------------------------------------------------------------------------------------------


class Family(NamedTuple):
    """A family of options, and the commands that take it.

    Attributes:
        load: Function that imports the family's dataclass and returns it.
        commands: Names of the commands to which a feature adds these options, so that the command's own function
            doesn't declare them.
        rank: The family's position among families in help.
        is_of_reading: True if the options are about reading any file. Every command that reads files takes them, and so
            do Promptfoo's `config`, pytest and calls from Python (`options.in_force`).
    """

    load: Callable[[], type]
    commands: tuple[str, ...] = ()
    rank: int = 0
    is_of_reading: bool = False


RefuseIdle: TypeAlias = Callable[[str, Collection[str], Mapping[str, Any]], None]
"""Function that, given a command, the names of the options that were typed and the arguments, raises UsageError if one
of these options has no effect, with the reason and the way out."""
REFUSE_IDLE: Final[OpenTable[RefuseIdle]] = OpenTable()
"""The table of functions that refuse options without effect, before the command runs."""
_DECLARED: dict[type, Mapping[str, DeclaredOption]] = {}
OPTIONS = OpenTable[Family]()
"""The table of all families of options, to which core and features add theirs, since both import this module."""


def options_of(family: type) -> Mapping[str, DeclaredOption]:
    """Return the options that a family's dataclass declares, by key; empty for any other dataclass."""
    if family not in _DECLARED:
        rows = {declared.name: declared.metadata.get("option") for declared in fields(family)}
        _DECLARED[family] = {key: row for key, row in rows.items() if row is not None}
    return _DECLARED[family]


def families_of(command: str) -> list[type]:
    """Return the families that features add to a command, in the order of help."""
    rows = (family for family in OPTIONS if command in family.commands)
    return [family.load() for family in sorted(rows, key=lambda family: family.rank)]


def settings_declared() -> Iterator[tuple[str, DeclaredOption]]:
    """Yield each option that `-o KEY=VALUE` can set, with its key; those of features come last, as they load late."""
    keys = set[str]()
    for family in OPTIONS:
        for key, declared in options_of(family.load()).items():
            if declared.is_key and key not in keys:
                keys.add(key)
                yield key, declared


def setting_named(key: str) -> DeclaredOption | None:
    """Return the option that `-o KEY=VALUE` sets for a key; None if no family has that key."""
    return next((declared for name, declared in settings_declared() if name == key), None)


@dataclass(frozen=True, slots=True)
class AddedOptions:
    """All options of a call, stored as one object for each family."""

    values: tuple[object, ...] = ()

    def of(self, family: type[_Family]) -> _Family:
        """Return the call's options of a family; the family's defaults if the call sets none."""
        return next((value for value in self.values if type(value) is family), None) or family()


def read_options(family: type[_Family], *sources: OptionSource, for_all: Collection[str] = ()) -> _Family:
    """Read a family's options from several sources, of which earlier ones take precedence.

    Args:
        family: The dataclass.
        sources: The sources, the strongest first.
        for_all: Keys whose values come from the settings file, which is for all rubrics, and not from a stronger
            source.

    Raises:
        UsageError: A key is unknown, or an option has a value that it can't have.
    """
    declared = options_of(family)
    options: dict[str, Any] = {}
    for written, named in sources:
        values = _read_source(declared, written, named)
        late = [key for key in values if declared[key].goes_with in options]
        options = {key: value for key, value in values.items() if key not in late} | options
    return build_options(family, options, for_all)


def build_options(family: type[_Family], values: Mapping[str, Any], for_all: Collection[str]) -> _Family:
    """Build an object of a family from the values of its options.

    Args:
        family: The dataclass.
        values: Values of options by key, also of other families.
        for_all: Keys whose values come from the settings file, which is for all rubrics. The object records them if its
            dataclass has a field for that.
    """
    values_of_family = {key: values[key] for key in options_of(family) if key in values}
    noted = {row.name: frozenset(for_all) for row in fields(cast("type", family)) if row.metadata == KEYS_SET_FOR_ALL}
    return family(**values_of_family, **noted)


def _read_source(declared: Mapping[str, DeclaredOption], written: Mapping[str, Any], named: str) -> dict[str, Any]:
    for key in written:
        if key not in declared:
            raise unknown_option(key, declared)
    values = {key: declared[key].read(value, named.format(key)) for key, value in written.items()}
    return {key: value for key, value in values.items() if value is not None}


def unknown_option(key: object, declared: Mapping[str, object]) -> UsageError:
    """Make the error for an unknown option, with the nearest known name.

    Args:
        key: The unknown name.
        declared: The known options, by name.
    """
    instead = suggestion(str(key), declared, mark="`") or f"; known are {', '.join(declared)}"
    return UsageError(f"unknown option `{key}`{instead}")


def options_in(family: type, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return a family's options that are set by environment variables, which Promptfoo and pytest use.

    Raises:
        UsageError: An option has a value that it can't have.
    """
    by_variable = {key: row for key, row in options_of(family).items() if row.variable is not None}
    texts = {key: environment.get(str(row.variable), "") for key, row in by_variable.items()}
    return {
        key: text == "0" if by_variable[key].off else by_variable[key].read_text(text, str(by_variable[key].variable))
        for key, text in texts.items()
        if text
    }
