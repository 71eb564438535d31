"""Families of options as keyword arguments of Python functions: signatures, docstrings and values."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar

from markscheme.options.in_force import reading_families
from markscheme.options.settings import SettingsFile
from markscheme.options.table import AddedOptions, DeclaredOption, families_of, options_of, read_options, unknown_option

_Function = TypeVar("_Function", bound=Callable[..., Any])
BY_NAME = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
"""Kinds of parameters that a call can pass by name."""
_ARGUMENT = "        options: "
"""Beginning of the docstring's line that is replaced by the options of families."""


class CallOptions:
    """Definition of the options that a Python function takes as `**options`, by families of related options.

    Attributes:
        command: The corresponding command, to which features add families.
        families: The families of the core.
        without: Names of options in these families that the function doesn't take as `**options`: it lacks them, or
            has parameters for them.
        parameters: The function's parameters, other than `**options`, by name.
    """

    def __init__(self, command: str, *families: type, without: tuple[str, ...] = ()) -> None:
        """Set which families of options a Python function takes; `describe` later adds the function's parameters.

        Args:
            command: The corresponding command, to which features add families.
            families: The families of the core.
            without: Names of options in these families that the function doesn't take as `**options`.
        """
        self.command = command
        self.families = families
        self.without = without
        self.parameters: tuple[str, ...] = ()

    def read(
        self, written: Mapping[str, Any], settings: SettingsFile, besides: Collection[str] | None = None
    ) -> tuple[AddedOptions, dict[str, Any]]:
        """Split the options of a call by family; return an object for each family, and a dict of all other options.

        Args:
            written: The options that the call sets, by name.
            settings: The settings file, for options that the call doesn't set.
            besides: Names of options of no family that may be set; None to leave such options unchecked.

        Raises:
            UsageError: An option is unknown, or has a value that it can't have.
        """
        others = dict(written)
        values: list[object] = []
        families = (*self.families, *families_of(self.command), *reading_families())
        if besides is not None:
            self._refuse_unknown(written, families, besides)
        for family in families:
            keys = self._options_of(family)
            called = {key: others.pop(key) for key in keys if key in others}
            defaults, named = settings.source_of(family)
            weaker = {key: value for key, value in defaults.items() if key in keys}
            values.append(read_options(family, (called, "`{}`"), (weaker, named), for_all=weaker.keys() - called))
        return AddedOptions(tuple(values)), others

    def _refuse_unknown(self, written: Iterable[str], families: Iterable[type], besides: Collection[str]) -> None:
        of_families = [key for family in families for key in self._options_of(family)]
        for key in written:
            if key not in of_families and key not in besides:
                raise unknown_option(key, dict.fromkeys([*self.parameters, *of_families, *besides]))

    def describe(self, function: _Function) -> _Function:
        """Replace `**options` in a function's signature and docstring by the single options of its families."""
        plain = signature(function)
        added = [
            Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type)
            for family in self.families
            for field in fields(family)
            if field.name in self._options_of(family)
        ]
        self.parameters = tuple(name for name, of_call in plain.parameters.items() if of_call.kind in BY_NAME)
        named = [parameter for parameter in plain.parameters.values() if parameter.kind is not Parameter.VAR_KEYWORD]
        variable = [parameter for parameter in plain.parameters.values() if parameter.kind is Parameter.VAR_KEYWORD]
        function.__signature__ = Signature([*named, *added, *variable], return_annotation=plain.return_annotation)  # type: ignore[attr-defined]
        function.__doc__ = self._with_args(function.__doc__ or "")
        return function

    def _with_args(self, text: str) -> str:
        before, line, after = text.partition(_ARGUMENT)
        entries = "".join(
            f"        {key}: {declared.about[0].upper()}{declared.about[1:]}.\n"
            for family in self.families
            for key, declared in self._options_of(family).items()
        )
        return f"{before}{entries}{line}{after}" if line else text

    def _options_of(self, family: type) -> dict[str, DeclaredOption]:
        return {key: declared for key, declared in options_of(family).items() if key not in self.without}
