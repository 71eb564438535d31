"""Make a rubric from outputs: people read them, notes are grouped into modes (kinds of fault), modes are counted."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from markscheme.calibration.results_commands import RESULTS_USES
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.options.table import REFUSE_IDLE
from markscheme.seam import Feature

if TYPE_CHECKING:
    from typing import Protocol

    class _Calls(Protocol):
        @property
        def discover(self) -> CommandFunction: ...
        def refuse_idle(self, typed: Collection[str], arguments: Mapping[str, Any]) -> None: ...


def _calls() -> "_Calls":
    from markscheme.features.discover import calls

    return calls


def _refuse_idle(command: str, typed: Collection[str], arguments: Mapping[str, Any]) -> None:
    if command == "discover":
        _calls().refuse_idle(typed, arguments)


DISCOVER = Feature(
    "discover",
    COMMANDS(
        CommandRow(
            "discover",
            "Start here",
            "read outputs, note what is wrong, and write a rubric from it",
            lambda: _calls().discover,
            rank=30,
            common="pool rater again second share sheet suggest report write details html json",
        )
    ),
    RESULTS_USES((20, 1, "markscheme discover NAME --pool FILES", "read outputs, and note what is wrong")),
    REFUSE_IDLE(_refuse_idle),
)
