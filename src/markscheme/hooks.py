"""Promptfoo's hooks: a warm session during the evaluation, and a report on its results afterwards."""

import os
import sys

from markscheme.session.client import socket_path, start, stop

TYPE_CHECKING = False
"""Type checkers take it for true. Importing `typing` for its own would cost every assertion milliseconds."""

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


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
    socket = socket_path(os.path.dirname(os.path.abspath(file)))
    if socket is not None:
        stop(socket)
    try:
        lines = _report(context)
    except Exception as error:
        lines = [f"no summary of this run: {error}"]
    from markscheme.text import escaped

    for line in lines:
        print(f"INFO markscheme: {escaped(line)}", file=sys.stderr)


def _report(context: "Mapping[str, Any]") -> list[str]:
    from markscheme.report.after_run import reports_on

    reports = reports_on(context)
    lines = [line for report in reports for line in report.lines]
    return lines + [line for report in reports for line in report.save()]
