"""Families of options on the command line: the parser sees each option as a parameter of the command, and the command's
function gets an object of the family."""

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from inspect import BoundArguments, Signature, signature
from inspect import Parameter as FunctionParameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

from cyclopts import Parameter

from markscheme.errors import UsageError
from markscheme.files import is_no_file, refuse_overwriting
from markscheme.options.forms import ValueForm
from markscheme.options.in_force import reading_families
from markscheme.options.reading import DamageOptions
from markscheme.options.table import AddedOptions, DeclaredOption, build_options, families_of, options_of
from markscheme.rubrics.search import known_rubrics

if TYPE_CHECKING:
    from cyclopts import Token
    from cyclopts.argument import Argument

_MANY = "..."
"""Ending of an option's value in help, for an option that takes several values after its name."""
KeyedOption: TypeAlias = tuple[str, DeclaredOption, str]
"""An option that `-o KEY=VALUE` alone sets: its key, its declaration, and the name it would be typed by."""
_OF = "__"
"""Separator between the name of a family's parameter and an option's name, in the parameter names that the parser
sees."""


def spelled(**names: str | None) -> Mapping[str, str | None]:
    """Return the names that options of a family have in one command instead of their usual names.

    Args:
        names: The name in the command, such as `--in-batches`, by the attribute of the family that the option sets;
            None if the command lacks the option.

    Example:
        >>> spelled(batch="--in-batches", target=None)
        {'batch': '--in-batches', 'target': None}
    """
    return names


def only(family: type, *keys: str) -> Mapping[str, str | None]:
    """Return names by which a command takes only the options of a family that have the given keys: None for others.

    Example:
        >>> from markscheme.options.reading import DamageOptions
        >>> only(DamageOptions, "skip_damaged"), only(DamageOptions)
        ({}, {'skip_damaged': None})
    """
    return {key: None for key in options_of(family) if key not in keys}


class CommandLine:
    """A command in the form that the parser takes: with a parameter for each option of its families.

    Attributes:
        function: The command's function.
    """

    def __init__(self, command: str, function: Callable[..., int], keys: Container[str] = ()) -> None:
        """Make the parser's signature from the function's parameters and their families of options.

        Args:
            command: The command's name.
            function: Its function, which takes each family of options as a parameter of the family's type, and all
                families that features add as one parameter of the type `AddedOptions`.
            keys: The keys that are set on the command line or in the settings file. An option that only `-o KEY=VALUE`
                sets is left out of the signature unless its key is among these, since the parser is slow with many
                options.
        """
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._own = signature(function, eval_str=True)
        self._families: dict[str, list[type]] = {}
        flags: list[FunctionParameter] = []
        for parameter in self._own.parameters.values():
            kind, names = _family_in(parameter.annotation)
            if kind is AddedOptions or _is_family(kind):
                families = families_of(command) if kind is AddedOptions else [kind]
                self._families[parameter.name] = families
                flags += [flag for family in families for flag in _flags(family, parameter.name, names, keys)]
                continue
            declared = _declared_in(parameter.annotation)
            if declared is None or declared.is_named or parameter.name in keys:
                flags.append(parameter)
        self.__signature__ = Signature(flags)  # which the parser reads
        self.__annotations__ = {flag.name: flag.annotation for flag in flags}

    @property
    def keyed(self) -> Iterator[KeyedOption]:
        """The options that only `-o KEY=VALUE` sets in this command; those for reading files come last."""
        yield from self.keyed_of_families
        if any(issubclass(family, DamageOptions) for families in self._families.values() for family in families):
            for family in reading_families():
                yield from _keyed_options(family, {})

    @property
    def keyed_of_families(self) -> Iterator[KeyedOption]:
        """The options that only `-o KEY=VALUE` sets in this command, without those for reading files."""
        for parameter in self._own.parameters.values():
            if parameter.name in self._families:
                _, names = _family_in(parameter.annotation)
                for family in self._families[parameter.name]:
                    yield from _keyed_options(family, names)
                continue
            declared = _declared_in(parameter.annotation)
            if declared is not None and not declared.is_named:
                yield parameter.name, declared, _name_of(parameter.name, declared)

    def __call__(self, *args: Any, **kwargs: Any) -> int:
        """Call the command's function with the parser's arguments."""
        bound = self.gathered(self.__signature__.bind(*args, **kwargs))
        return self.function(*bound.args, **bound.kwargs)

    def gathered(self, bound: BoundArguments, for_all: Collection[str] = ()) -> BoundArguments:
        """Convert the parser's arguments to the function's, which has one object per family of options.

        Args:
            bound: The parser's arguments.
            for_all: Keys that the settings file sets, for all rubrics, and the command line does not.
        """
        arguments: dict[str, Any] = {}
        for name, parameter in self._own.parameters.items():
            if name not in self._families:
                arguments |= {name: bound.arguments[name]} if name in bound.arguments else {}
                continue
            prefix = f"{name}{_OF}"
            typed = {key[len(prefix) :]: value for key, value in bound.arguments.items() if key.startswith(prefix)}
            families = [family for family in self._families[name] if typed.keys() & options_of(family)]
            values = tuple[object, ...](build_options(family, typed, for_all) for family in families)
            if values:
                is_added = _family_in(parameter.annotation)[0] is AddedOptions
                arguments[name] = AddedOptions(values) if is_added else values[0]
        return BoundArguments(self._own, arguments)


def _is_family(kind: Any) -> bool:
    return isinstance(kind, type) and is_dataclass(kind) and bool(options_of(kind))


def _family_in(annotation: Any) -> tuple[Any, Mapping[str, str | None]]:
    """Return the family of options that a parameter's annotation names, and options that the command renames or lacks.

    These map an option's key to its name, or to None if the command doesn't take the option.
    """
    if get_origin(annotation) is not Annotated:
        return annotation, {}
    kind, *more = get_args(annotation)
    return kind, next((names for names in more if isinstance(names, dict)), {})


def _typed_options(family: type, names: Mapping[str, str | None]) -> Iterator[tuple[str, DeclaredOption]]:
    """Yield the key and the declaration of each of a family's options that a command takes.

    Args:
        family: The family.
        names: Names that options have in this command, by key, where they differ from the key; None for an option that
            the command doesn't take.
    """
    for key, declared in options_of(family).items():
        if declared.is_typed and names.get(key, key) is not None:
            yield key, declared


def _keyed_options(family: type, names: Mapping[str, str | None]) -> Iterator[KeyedOption]:
    """Yield the options of a family that can be set by `-o KEY=VALUE` only.

    Args:
        family: The family's dataclass.
        names: The names that the command has in place of the family's usual ones, as `spelled` returns them.
    """
    for key, declared in _typed_options(family, names):
        if not declared.is_named:
            yield key, declared, _name_of(key, declared, names.get(key))


def _name_of(key: str, declared: DeclaredOption, spelled: str | None = None) -> str:
    return spelled or declared.name or f"--{key.replace('_', '-')}"


def _flags(
    family: type, parameter: str, names: Mapping[str, str | None], keys: Container[str]
) -> Iterator[FunctionParameter]:
    """Yield a parameter for the parser for each option of a family that the parser has to know.

    Args:
        family: The family.
        parameter: Name of the command's parameter that receives the family's options.
        names: Names of flags, by option, where this command has another name than usual; None omits the option.
        keys: The keys set on the command line or in the settings file. An option that has no flag, and that only `-o
            KEY=VALUE` sets, is yielded if its key is one of these.
    """
    types = get_type_hints(family)
    defaults = family()
    for key, declared in _typed_options(family, names):
        if declared.is_named or key in keys:
            yield FunctionParameter(
                f"{parameter}{_OF}{key}",
                FunctionParameter.KEYWORD_ONLY,
                default=getattr(defaults, key),
                annotation=Annotated[types[key], flag(key, declared, names.get(key)), declared],
            )


def flag(key: str, declared: DeclaredOption, spelled: str | None = None) -> Parameter:
    """Convert an option's declaration to a parser's parameter; it is hidden if only `-o KEY=VALUE` sets the option.

    Args:
        key: Name of the option among the family's attributes.
        declared: The declaration.
        spelled: The option as this command spells it, such as "--in-batches"; None for the usual spelling.
    """
    form = declared.form
    return Parameter(
        name=_name_of(key, declared, spelled),
        negative=declared.off or (),
        help=declared.about,
        metavar=declared.value,
        show=declared.is_named,
        consume_multiple=1 if declared.value is not None and declared.value.endswith(_MANY) else None,
        converter=None if form.by_type else _converter(declared),
        validator=_validator(declared) if form.by_type and not form.choices else None,
    )


def _converter(declared: DeclaredOption) -> "Callable[[type, Sequence[Token]], Any]":
    """Make the function by which the parser converts an option's text to its value, by the declaration's `form`."""
    form = declared.form

    def convert(_: type, tokens: "Sequence[Token]") -> Any:
        words = [token.value for token in tokens]
        try:
            typed = [form.typed(word) for word in words]
            parts = [text for value in typed for text in (value if isinstance(value, list) else [value])]
            return form.read(parts if declared.several else typed[-1])
        except (KeyError, TypeError, ValueError, OverflowError):
            raise ValueError("".join(form.refusal(words[-1]))) from None

    return convert


def _validator(declared: DeclaredOption) -> Callable[[type, Any], None]:
    """Make the function by which the parser checks an option's value, by the declaration's `form`."""
    form = declared.form

    def check(_: type, value: Any) -> None:
        for element in value if isinstance(value, tuple) else (value,):
            try:
                element is None or form.read(element)
            except (KeyError, TypeError, ValueError, OverflowError):
                raise ValueError("".join(form.refusal(element))) from None

    return check


def declared_of(argument: "Argument") -> DeclaredOption | None:
    """Return the declaration of a parser's argument that is an option of a family; None for any other argument."""
    return _declared_in(argument.field_info.annotation)


def _declared_in(annotation: Any) -> DeclaredOption | None:
    return next((value for value in get_args(annotation) if isinstance(value, DeclaredOption)), None)


def setting_of(argument: "Argument") -> str:
    """Return the key by which `-o KEY=VALUE` sets a parser's argument; "" if it can't.

    An option of a family is recognized by its declaration, since a command may have another option of that name.
    """
    name = argument.field_info.name
    declared = declared_of(argument)
    if declared is None:
        return name if name in OWN_SETTINGS and argument.parse else ""
    return name.rpartition(_OF)[2] if declared.is_key else ""


OWN_SETTINGS = ("judge",)
"""Settings that commands declare as options of their own."""


# --- files that a command line names ----------------------------------------------------------------------------------


def refuse_lost_files(parameters: Mapping[str, FunctionParameter], arguments: Mapping[str, Any]) -> None:
    """Raise an error if a file to write is also read, is a rubric, or is written for two options.

    Args:
        parameters: The parameters that the parser knows, with their annotations.
        arguments: The parser's arguments, by parameter. Any argument that isn't a file to write may name files that are
            read.

    Raises:
        UsageError: There is such a file; the message names it.
    """
    written = {name: value for name, value in arguments.items() if is_written(parameters[name])}
    of_arguments = (path for name, value in arguments.items() if name not in written for path in paths_in(value))
    read = [*of_arguments, *known_rubrics().values()] if written else []
    option_of: dict[Path, str] = {}
    for name, value in written.items():
        for path in (path for path in paths_in(value) if not is_no_file(path)):
            refuse_overwriting(path, read)
            option = option_name(parameters[name])
            other_option = option_of.setdefault(path.resolve(), option)
            if other_option != option:
                raise UsageError(f"{other_option} and {option} must be two files; both are {path}")


def is_written(parameter: FunctionParameter) -> bool:
    """Return True if the value of a command's parameter is, by its ValueForm, a file that the command writes."""
    marks = get_args(parameter.annotation)
    forms = (mark.form if isinstance(mark, DeclaredOption) else mark for mark in marks)
    return any(isinstance(form, ValueForm) and form.is_written for form in forms)


def option_name(parameter: FunctionParameter) -> str:
    """Return the name of a parameter's option on the command line, such as `--next`."""
    names = (name for mark in get_args(parameter.annotation) if isinstance(mark, Parameter) for name in mark.name or ())
    return next(names, f"--{parameter.name.replace('_', '-')}")


def paths_in(value: Any) -> Iterator[Path]:
    """Yield each value that may be a path, and the path in a judge's KIND:PATH or an input's NAME=@PATH."""
    for element in value if isinstance(value, tuple | list) else (value,):
        if isinstance(element, str | Path) and str(element) not in ("", "-"):
            yield Path(element)
            yield from (Path(path) for mark in (":", "=@") if (path := str(element).partition(mark)[2]))
