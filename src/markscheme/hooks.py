"""Promptfoo's hooks: a warm session during the evaluation, and a report on its results afterwards."""

import os
import sys

from markscheme.session.client import socket_path, start, stop

TYPE_CHECKING = False
"""Type checkers take it for true. Importing `typing` for its own would cost every assertion milliseconds."""

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from markscheme.calibration.rates.run_summary import RunWorth

LABELS = "MARKSCHEME_CALIBRATION"
"""A file with the judge's measured errors: output of `calibrate --json`, or results with manual ratings."""
REPORT = "MARKSCHEME_REPORT"
"""The file that the report is written to: JSON if its name ends so, else Markdown."""

LEAST_PASSES = "PROMPTFOO_PASS_RATE_THRESHOLD"
"""Promptfoo's own variable: the pass rate in per cent below which an evaluation fails; 100 without it."""
WIDTH = 400
"""Line width of Promptfoo's log, which breaks longer lines."""


def before_all(file: str) -> None:
    """Start the session for the graders next to `file`, so that the first assertion need not wait for it."""
    start(folder=os.path.dirname(os.path.abspath(file)))


def after_all(context: "Mapping[str, Any]", file: str) -> None:
    """End the session and print the report to standard error, which Promptfoo shows.

    Errors are printed, not raised: Promptfoo would drop a run whose hook fails before it is saved.

    Args:
        context: As Promptfoo passes it, with `results`.
        file: The file that Promptfoo called.
    """
    place = socket_path(os.path.dirname(os.path.abspath(file)))
    if place is not None:
        stop(place)
    try:
        lines = _report(context)
    except Exception as error:
        lines = [f"no summary of this run: {error}"]
    from markscheme.text import escaped

    for line in lines:
        print(f"INFO markscheme: {escaped(line)}", file=sys.stderr)


def _report(context: "Mapping[str, Any]") -> list[str]:
    import io

    from markscheme.promptfoo.select_best import recorded_lines
    from markscheme.report.terminal import render_terminal
    from markscheme.report.views.run_summary import view

    worth = _worth(context)
    text = io.StringIO()
    render_terminal(view(worth), text, WIDTH)
    lines = [line for line in text.getvalue().splitlines() if line]
    lines += recorded_lines(context.get("config"))
    path = os.environ.get(REPORT)
    return [*lines, _written(worth, path)] if path else lines


def _worth(context: "Mapping[str, Any]") -> "RunWorth":
    from functools import partial
    from pathlib import Path

    from markscheme.calibration.rates.decisions import decided_by_tests, read_decided
    from markscheme.calibration.rates.run_summary import run_worth
    from markscheme.errors import MarkschemeError
    from markscheme.promptfoo.results import calibrations, results_of

    raw = context.get("results") or []
    results = results_of(raw, Path(str(context.get("evalId") or "this evaluation")))
    threshold = float(os.environ.get(LEAST_PASSES) or 100) / 100
    worth_by = partial(run_worth, results, calibrations=calibrations(raw), threshold=threshold)
    named = os.environ.get(LABELS)
    if not named:
        return worth_by(decided_by_tests(results))
    try:
        return worth_by(read_decided(Path(named)).table)
    except (MarkschemeError, OSError) as error:
        return worth_by(None, uncorrected=f"{LABELS}: {error}")


def _written(worth: "RunWorth", place: str) -> str:
    """What became of the report that was to be written to a file."""
    try:
        _write(worth, place)
    except OSError as error:
        return f"the report is not written: {error}"
    return f"written to {place}"


def _write(worth: "RunWorth", place: str) -> None:
    from pathlib import Path

    from markscheme.files import write_whole
    from markscheme.report.json import dumps
    from markscheme.report.markdown import render_markdown
    from markscheme.report.views.run_summary import json_of, view

    text = dumps(json_of(worth)) + "\n" if place.endswith(".json") else render_markdown(view(worth))
    write_whole(Path(place), text)
