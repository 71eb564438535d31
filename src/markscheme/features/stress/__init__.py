"""Stress tests, which show if a judge rates responses differently after changes that shouldn't alter their levels."""

from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.seam import Feature


def _command() -> CommandFunction:
    from markscheme.features.stress.command import stress

    return stress


STRESS = Feature(
    "stress",
    COMMANDS(
        CommandRow(
            "stress",
            "Run",
            "find changes to a response that move a judge and shouldn't",
            _command,
            rank=30,
            common="judge only-changes n examples plan budget details json html",
        )
    ),
)
