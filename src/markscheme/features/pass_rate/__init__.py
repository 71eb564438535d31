"""Pass rates as people would decide, how often a gate on one fails by chance, and both after a run of Promptfoo."""

from collections.abc import Callable, Mapping
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


def _gate_risk() -> CommandFunction:
    from markscheme.features.pass_rate.command_gate_risk import gate_risk

    return gate_risk


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
        CommandRow("gate-risk", "Run", "estimate how often a gate fails though nothing changed", _gate_risk, rank=20),
        CommandRow("pass-rate", "Run", "correct a pass rate for the judge's errors", _pass_rate, rank=40),
    ),
    AFTER_RUN(AfterRunRow(10, _run_summary)),
    RESULTS_USES(
        (30, _pass_rate_of, "the share that people would pass"),
        (40, _gate_risk_of, "how often a gate fails by chance"),
    ),
)
