"""Pass rates corrected for the judge's errors, and the risk that a gate on a pass rate fails by chance."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markscheme.calibration.earlier_runs.comparing import LOOK_RECORDS
from markscheme.calibration.results_commands import RESULTS_USES
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.report.after_run import AFTER_RUN, RunReport
from markscheme.report.streams import STREAMS, WatchedStream
from markscheme.rubrics.search import calibrations
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.earlier_runs.run_identity import Accepted
    from markscheme.grading import Grade

FEWEST_RUNS = 2
"""Fewest runs of the same test that show how much its graders vary."""


def _pass_rate() -> CommandFunction:
    from markscheme.features.pass_rate.command import pass_rate

    return pass_rate


def _of_gate_risk(words: Sequence[str]) -> Sequence[str]:
    return ["--at-least" if word == "--threshold" else word.replace("--threshold=", "--at-least=") for word in words]


def _run_summary() -> Callable[[Mapping[str, Any]], RunReport]:
    from markscheme.features.pass_rate.after_run import summarize_run

    return summarize_run


def _watched(start: Path) -> Iterable[WatchedStream]:
    if not calibrations(start):
        return ()
    from markscheme.features.pass_rate.tracked.streams import watched_here

    return watched_here(start)


def _looks(accepted: "Accepted", grades: "Sequence[Grade]", samples: int, judge: str) -> tuple[float, ...]:
    from markscheme.features.pass_rate.tracked.anchors import weigh_looks

    return weigh_looks(accepted, grades, samples, judge)


PASS_RATE = Feature(
    "pass_rate",
    COMMANDS(
        CommandRow(
            "pass-rate",
            "Run",
            "say what people would pass, and whether it moved",
            _pass_rate,
            rank=40,
            heir_of={"gate-risk": _of_gate_risk},
            common="calibration drawn of at-least track audits-per-week since because plan judge details json",
        ),
    ),
    AFTER_RUN((10, _run_summary)),
    STREAMS(_watched),
    LOOK_RECORDS(_looks),
    RESULTS_USES(
        (30, 1, "markscheme pass-rate FILES --calibration verdict.json", "the share that people would pass"),
        (40, FEWEST_RUNS, "markscheme pass-rate FILES --at-least 0.8", "how often a gate fails by chance"),
    ),
)
