"""Parsing of command lines in tests, as fast as in a fresh command that hasn't loaded pydantic."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any
from unittest import mock

from cyclopts import App

from markscheme.commands import call

_ASSEMBLED = dict[Any, list[Any]]()
"""The arguments of each command that was parsed."""


@contextmanager
def parsing() -> Iterator[None]:
    """Parse without pydantic, as a fresh command does, and analyze each command's arguments only once.

    Where pydantic is loaded, cyclopts makes a model of it for every option; a fresh command parses before it is.
    """
    parse = call.parse

    def parse_without_pydantic(*line: Any) -> Any:
        pydantic = sys.modules.pop("pydantic", None)
        try:
            return parse(*line)
        finally:
            if pydantic is not None:
                sys.modules["pydantic"] = pydantic

    with (
        mock.patch.object(App, "assemble_argument_collection", _assembled),
        mock.patch.object(call, "parse", parse_without_pydantic),
    ):
        yield


def _assembled(app: App, _assemble: Any = App.assemble_argument_collection, **how: Any) -> Any:
    """Return a command's arguments for its parser to fill, from a cache."""
    if how:
        return _assemble(app, **how)
    key = (app.default_command, app.app_stack.default_parameter)
    if key not in _ASSEMBLED:
        _ASSEMBLED[key] = _assemble(app)
    arguments = copy(_ASSEMBLED[key])
    arguments[:] = map(_untouched, arguments)
    return arguments


def _untouched(argument: Any) -> Any:
    assert not argument.children
    another = copy(argument)
    another.tokens = []
    return another
