"""Pass rates as people would decide, how often a gate on one fails by chance, and both after a run of Promptfoo."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markscheme.calibration.results_uses import (
    FEWEST_RUNS,
    RESULTS_USES,
)
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.report.after_run import AFTER_RUN, AfterRunRow, RunReport
from markscheme.seam import Feature


def _pass_rate() -> CommandFunction:
    from markscheme.features.pass_rate.command import pass_rate

    return pass_rate


def _of_gate_risk(words: Sequence[str]) -> Sequence[str]:
    return ["--at-least" if word == "--threshold" else word.replace("--threshold=", "--at-least=") for word in words]


def _pass_rate_of(files: str, _name: str, _runs: int) -> str:
    """Return the command that corrects the graders' pass rate, by what `calibrate` wrote."""
    return f"markscheme pass-rate {files} --calibration verdict.json"


def _gate_risk_of(files: str, _name: str, runs: int) -> str | None:
    """Return the command for results with repeats, which show how far a run varies."""
    return f"markscheme gate-risk {files} --threshold 0.8" if runs >= FEWEST_RUNS else None


def _run_summary() -> Callable[[Mapping[str, Any]], RunReport]:
    from markscheme.features.pass_rate.after_run import summarize_run

    return summarize_run


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
        ),
    ),
    AFTER_RUN(AfterRunRow(10, _run_summary)),
    RESULTS_USES(
        (30, _pass_rate_of, "the share that people would pass"),
        (40, _gate_risk_of, "how often a gate fails by chance"),
    ),
)
