"""Calls of commands that can't be meant: a file of the wrong kind, or an option that would have no effect.

An error says what the file is, and which command or option takes it; or why the option has no effect, and the way out.
"""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from markscheme.errors import EXPLANATIONS, MarkschemeError
from markscheme.options.table import REFUSE_IDLE
from markscheme.seam import Feature

if TYPE_CHECKING:
    from inspect import BoundArguments
    from types import ModuleType


def _modules() -> "tuple[ModuleType, ModuleType]":
    from markscheme.features.mistaken_calls import explanation, idle_options

    return explanation, idle_options


def _explain(error: MarkschemeError, command: str, bound: "BoundArguments") -> None:
    explanation, _ = _modules()
    explanation.explain(error, command, bound)


def _refuse_idle(command: str, typed: Collection[str], arguments: Mapping[str, Any]) -> None:
    _, idle_options = _modules()
    idle_options.refuse_idle(command, typed, arguments)


MISTAKEN_CALLS = Feature("mistaken_calls", EXPLANATIONS(_explain), REFUSE_IDLE(_refuse_idle))
