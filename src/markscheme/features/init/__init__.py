"""Graders, a rubric and labelled examples, added to a project."""

from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.seam import Feature


def _command() -> CommandFunction:
    from markscheme.features.init.command import init

    return init


INIT = Feature(
    "init",
    COMMANDS(
        CommandRow(
            "init",
            "Start here",
            "add graders, a rubric and labelled examples to a project",
            _command,
            rank=10,
            common="from judge human skill ci force json",
        )
    ),
)
