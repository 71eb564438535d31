"""Lint: faults of a rubric's file, and advice on what could be better."""

from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.seam import Feature


def _command() -> CommandFunction:
    from markscheme.features.lint.command import lint

    return lint


LINT = Feature(
    "lint",
    COMMANDS(
        CommandRow(
            "lint",
            "Improve",
            "check rubrics for errors and for what could be better",
            _command,
            rank=50,
            common="allow-advice schema json",
        )
    ),
)
