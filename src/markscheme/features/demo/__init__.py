"""An offline tour: simulated raters, and a planted fault that is found."""

from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.seam import Feature


def _command() -> CommandFunction:
    from markscheme.features.demo.command import demo

    return demo


DEMO = Feature(
    "demo",
    COMMANDS(
        CommandRow(
            "demo",
            "Start here",
            "offline tour: what agreement is worth, and a planted fault found",
            _command,
            rank=50,
            common="plant n keep details json",
        )
    ),
)
