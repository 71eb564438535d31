"""Import of modules that a user names, without opening their folder to other imports.

Python searches every folder of `sys.path` for every import, and libraries try to import much that isn't installed. With
the working directory on `sys.path`, a file `brotli.py` in a stranger's repository would run in every command, with the
keys of the user who opened it. So the folders in which named modules are looked for aren't on `sys.path`. A finder
searches them for only two callers: this module, which imports what the user named, and the modules found this way.
"""

import importlib.util
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import Final

FUNCTION_JUDGE: Final = "function"
"""Kind of judge whose name continues with the code to import, as in `function:module:name`."""
_MACHINERY = ("importlib", "_frozen_importlib")
"""Modules that execute imports, which are skipped to find the module that imports something."""


class _UserCodeFinder:
    """Import finder for the user's modules: those that the user names, and those that they import."""

    def __init__(self) -> None:
        self.folders: list[str] = []
        self._found: set[str] = set()

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,  # noqa: ARG002 - what every finder takes
    ) -> ModuleSpec | None:
        """Find the spec of a top-level module; None inside a package, or if code other than the user's imports it."""
        if path is not None or not self._is_for(_importer(sys._getframe(1))):
            return None
        spec = PathFinder.find_spec(name, self.folders)
        if spec is not None:
            self._found.add(name)
        return spec

    def _is_for(self, importer: str) -> bool:
        return importer == __name__ or importer.partition(".")[0] in self._found


_FINDER = _UserCodeFinder()


def search_for_code(*folders: Path) -> None:
    """Add folders in which Python looks for modules that the user names, if no installed module has the name."""
    for folder in folders:
        name = str(folder.resolve())
        if name not in _FINDER.folders:
            _FINDER.folders.append(name)
    if _FINDER not in sys.meta_path:
        sys.meta_path.append(_FINDER)


def import_user_module(name: str) -> ModuleType:
    """Import the module that the user named.

    Raises:
        ImportError: There is no such module.
        BaseException: The module's code raises an exception.
    """
    return import_module(name)


def names_function(judge: str) -> bool:
    """Return True if a judge's name, or that of a member of a panel, means a Python function to import.

    Example:
        >>> names_function("anthropic"), names_function("function:judges:good"), names_function("openai:m+function:a:b")
        (False, True, True)
    """
    return any(member.strip().partition(":")[0] == FUNCTION_JUDGE for member in judge.split("+"))


def user_spec(name: str) -> ModuleSpec | None:
    """Find the import spec of a top-level module that the user's code imports; None if there is no such module.

    Raises:
        ValueError: The module is loaded and has no spec.
    """
    return importlib.util.find_spec(name)


def _importer(frame: FrameType | None) -> str:
    """Return the name of the module that is executing the current import."""
    while frame is not None:
        name = frame.f_globals.get("__name__")
        if not isinstance(name, str):
            return ""
        if name.partition(".")[0] not in _MACHINERY:
            return name
        frame = frame.f_back
    return ""
