"""Make a rubric from outputs: people read them, notes are grouped into modes (kinds of fault), modes are counted."""

from markscheme.calibration.results_commands import RESULTS_USES
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.seam import Feature


def _command() -> CommandFunction:
    from markscheme.features.discover.command import discover

    return discover


DISCOVER = Feature(
    "discover",
    COMMANDS(
        CommandRow(
            "discover",
            "Start here",
            "read outputs, note what is wrong, and write a rubric from it",
            _command,
            rank=30,
            common="pool rater again second share sheet suggest report write details html json",
        )
    ),
    RESULTS_USES((20, 1, "markscheme discover NAME --pool FILES", "read outputs, and note what is wrong")),
)
