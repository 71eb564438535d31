"""The report after a run of Promptfoo: its pass rates with their uncertainty, on screen and in a file."""

import io
import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from markscheme.calibration.rates.decisions import read_decided
from markscheme.errors import MarkschemeError
from markscheme.features.pass_rate.decided_files import decided_by_tests
from markscheme.features.pass_rate.run_summary import RunWorth, run_worth
from markscheme.features.pass_rate.view_run_summary import json_of, view
from markscheme.files import write_whole
from markscheme.plain_data import mapping, objects
from markscheme.promptfoo.results import results_of
from markscheme.report.after_run import RunReport
from markscheme.report.json import dumps
from markscheme.report.markdown import render_markdown
from markscheme.report.terminal import render_terminal

LABELS = "MARKSCHEME_CALIBRATION"
"""Environment variable that names a file with the judge's measured errors: output of `calibrate --json`, or results
with manual ratings."""
REPORT = "MARKSCHEME_REPORT"
"""Environment variable that names the file for the report: JSON if the name ends in .json, else Markdown."""

LEAST_PASSES = "PROMPTFOO_PASS_RATE_THRESHOLD"
"""Promptfoo's environment variable for the pass rate, in per cent, below which an evaluation fails; without it, 100."""
LOG_WIDTH = 400
"""Largest number of characters of a line in Promptfoo's log, which breaks longer lines."""


def summarize_run(context: Mapping[str, Any]) -> RunReport:
    """Compute the summary of a Promptfoo run, as lines to print and a function that saves it.

    Args:
        context: The context that Promptfoo passes to its hook, with `results`.
    """
    worth = _worth(context)
    text = io.StringIO()
    render_terminal(view(worth), text, LOG_WIDTH)
    return RunReport([line for line in text.getvalue().splitlines() if line], partial(_save, worth))


def _save(worth: RunWorth) -> list[str]:
    """Write the summary of a Promptfoo run to the file that MARKSCHEME_REPORT names; return lines about the file.

    Without this environment variable nothing is written, and no lines are returned.
    """
    path = os.environ.get(REPORT)
    return [_written(worth, path)] if path else []


def _worth(context: Mapping[str, Any]) -> RunWorth:
    raw = context.get("results") or []
    results = results_of(raw, Path(str(context.get("evalId") or "this evaluation")))
    threshold = float(os.environ.get(LEAST_PASSES) or 100) / 100
    worth_by = partial(run_worth, results, calibrations=_calibrations(raw), threshold=threshold)
    named = os.environ.get(LABELS)
    if not named:
        return worth_by(decided_by_tests(results))
    try:
        return worth_by(read_decided(Path(named)).table)
    except (MarkschemeError, OSError) as error:
        return worth_by(None, uncorrected=f"{LABELS}: {error}")


def _calibrations(rows: Iterable[Any]) -> dict[str, tuple[str, str | None]]:
    """Return each rubric's calibration, by rubric, as Promptfoo's results state it.

    Each calibration is a pair: a sentence on it, and the use that it allows (None if the results state none).
    """
    by_rubric: dict[str, tuple[str, str | None]] = {}
    for raw in rows:
        for component in objects(mapping(mapping(raw).get("gradingResult")).get("componentResults")):
            metadata = mapping(component.get("metadata"))
            if isinstance(metadata.get("rubric"), str) and isinstance(metadata.get("calibration"), str):
                use = mapping(metadata.get("receipt")).get("use")
                by_rubric.setdefault(
                    metadata["rubric"], (metadata["calibration"], use if isinstance(use, str) else None)
                )
    return by_rubric


def _written(worth: RunWorth, path: str) -> str:
    """Write the summary to a file; return a line on where it is, or on why it couldn't be written."""
    text = dumps(json_of(worth)) + "\n" if path.endswith(".json") else render_markdown(view(worth))
    try:
        write_whole(Path(path), text)
    except OSError as error:
        return f"the report is not written: {error}"
    return f"written to {path}"
