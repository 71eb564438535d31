"""Errors about a file of the wrong kind: they say what the file is, and which command or option takes it."""

from typing import TYPE_CHECKING

from markscheme.errors import EXPLANATIONS, MarkschemeError
from markscheme.seam import Feature

if TYPE_CHECKING:
    from inspect import BoundArguments


def _explain(error: MarkschemeError, command: str, bound: "BoundArguments") -> None:
    from markscheme.features.mistaken_files.explanation import explain

    explain(error, command, bound)


MISTAKEN_FILES = Feature("mistaken_files", EXPLANATIONS(_explain))
