"""Public modules, whose paths programs import, and to which features add names.

Such a module imports the core's names itself, and gets a feature's names when one is first asked for. The stub next to
it, such as `scorers.pyi` next to `scorers.py`, has all names for type checkers.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any, Final

from markscheme.seam import OpenTable

PUBLIC_NAMES: "Final[OpenTable[tuple[str, Callable[[], ModuleType]]]]" = OpenTable()
"""The public path of a module, and a function that loads another module, whose `__all__` lists the names to add to
it."""


def functions_of(module: Mapping[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions `__getattr__` and `__dir__` for a public module.

    Args:
        module: The globals of the module.
    """
    return partial(attribute, module), partial(names, module)


def attribute(module: Mapping[str, Any], name: str) -> Any:
    """Return what a feature adds to a public module under a name; for `__all__`, all public names of the module.

    Args:
        module: The module's globals.
        name: The name that is looked for. It isn't one of the core's, which are found in the module without loading
            features.

    Raises:
        AttributeError: No feature adds this name to the module.
    """
    path = module["__name__"]
    if name == "__all__":
        return [public for public in names(module) if not public.startswith("_")]
    if not name.startswith("__"):
        for source in _sources(path):
            if name in source.__all__:
                return getattr(source, name)
    raise AttributeError(f"module {path!r} has no attribute {name!r}")


def names(module: Mapping[str, Any]) -> list[str]:
    """Return the names that a module defines and those that features add to it, in order."""
    return sorted({*module, *(name for source in _sources(module["__name__"]) for name in source.__all__)})


def _sources(path: str) -> list[ModuleType]:
    """Load the modules in which features define names that they add to a public module."""
    return [load() for of_path, load in PUBLIC_NAMES if of_path == path]
