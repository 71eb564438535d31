"""Options for reading files, which apply to all reading during a call without being passed from function to function.

A command or Python call sets them by `hold`, and code that reads files gets them by `in_force`.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

from markscheme.options.settings import find_settings
from markscheme.options.table import (
    OPTIONS,
    AddedOptions,
    DeclaredOption,
    OptionSource,
    options_of,
    read_options,
)

_Family = TypeVar("_Family")
_IN_FORCE: ContextVar[AddedOptions] = ContextVar("options of reading", default=AddedOptions())
_REPEATING: ContextVar[Callable[[str], str]] = ContextVar("completion of commands", default=str)


def reading_families() -> list[type]:
    """Return the families of options for reading files, in the order in which help lists them."""
    families = [family for family in OPTIONS if family.is_of_reading]
    return [family.load() for family in sorted(families, key=lambda family: family.rank)]


def reading_options() -> dict[str, DeclaredOption]:
    """Return all options for reading files, by key."""
    return {key: declared for family in reading_families() for key, declared in options_of(family).items()}


def split_reading(
    sources: Sequence[OptionSource], foreign: Container[str] = ()
) -> tuple[AddedOptions, list[OptionSource]]:
    """Separate the options for reading files from all others; return them, an object per family, and the rest.

    Args:
        sources: The sources, the strongest first.
        foreign: Keys that aren't options for reading files. If the sources have no other keys, no feature is loaded.

    Raises:
        UsageError: An option has a value that it can't have.
    """
    if all(key in foreign for written, _ in sources for key in written):
        return AddedOptions(), list(sources)
    families = reading_families()
    values = [options for family in families if (options := _set_of(family, sources)) is not None]
    return AddedOptions(tuple(values)), [_without(families, source) for source in sources]


def _set_of(family: type, sources: Sequence[OptionSource]) -> object | None:
    """Make an object of one family from what the command line and files set; None if no option of the family is set."""
    keys = options_of(family)
    ours = [({key: value for key, value in written.items() if key in keys}, named) for written, named in sources]
    if not any(written for written, _ in ours):
        return None
    return read_options(family, *ours, find_settings(Path.cwd()).source_of(family))


def _without(families: Sequence[type], source: OptionSource) -> OptionSource:
    written, named = source
    return {key: value for key, value in written.items() if not any(key in options_of(f) for f in families)}, named


@contextmanager
def hold(options: AddedOptions, repeating: Callable[[str], str] | None = None) -> Iterator[None]:
    """Make options apply to all files read inside the `with` block, before those of outer blocks.

    Args:
        options: The options for reading files.
        repeating: Function that adds the options to a printed command; None to leave printed commands as they are.
    """
    before = _IN_FORCE.set(AddedOptions((*options.values, *_IN_FORCE.get().values)))
    printed_before = _REPEATING.set(repeating or _REPEATING.get())
    try:
        yield
    finally:
        _IN_FORCE.reset(before)
        _REPEATING.reset(printed_before)


def with_reading_options(command: str) -> str:
    """Return a printed command with the options for reading files that this run was given, if it takes them."""
    return _REPEATING.get()(command)


def in_force(family: type[_Family]) -> _Family | None:
    """Return a family's options set by the innermost `with hold(…)` block that sets any; None if no block does."""
    return next((value for value in _IN_FORCE.get().values if type(value) is family), None)


def typed_reading(typed: Mapping[str, Sequence[str]]) -> AddedOptions:
    """Read the options for reading files that the user typed as `-o KEY=VALUE`.

    Raises:
        UsageError: An option has a value that it can't have.
    """
    if not typed:
        return AddedOptions()
    declared = reading_options()
    written = {
        key: declared[key].read_text(texts[-1], f"-o: `{key}`") for key, texts in typed.items() if key in declared
    }
    return split_reading([(written, "-o: `{}`")])[0]
