"""Status: what each rubric's judge can decide, and which judges can be asked in this environment."""

from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.seam import Feature


def _command() -> CommandFunction:
    from markscheme.features.status.command import status

    return status


def _alone() -> CommandFunction:
    from markscheme.features.status.show import show_status

    return show_status


STATUS = Feature(
    "status",
    COMMANDS(
        CommandRow(
            "status",
            "Run",
            "show what each rubric's judge can decide, and usable judges",
            _command,
            rank=50,
            common="html json",
            load_alone=_alone,
        )
    ),
)
