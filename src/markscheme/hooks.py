"""Promptfoo's hooks: a warm session during the evaluation, and a report on its results afterwards."""

import os
import sys

from markscheme.session.client import socket_path, start, stop

TYPE_CHECKING = False
"""Flag that type checkers assume to be true; importing it from `typing` would cost every assertion milliseconds."""

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def before_all(file: str) -> None:
    """Start the session (a warm process) for the graders next to `file`, so that the first assertion needn't wait."""
    start(folder=os.path.dirname(os.path.abspath(file)))


def after_all(context: "Mapping[str, Any]", file: str) -> None:
    """End the session and print the report to standard error, which Promptfoo shows.

    Errors are printed, not raised: if a hook fails, Promptfoo drops the run before it is saved.

    Args:
        context: The context that Promptfoo passes to its hook, with `results`.
        file: The file that Promptfoo called.
    """
    socket = socket_path(os.path.dirname(os.path.abspath(file)))
    if socket is not None:
        stop(socket)
    from markscheme.report.after_run import lines_after

    for line in lines_after(context):
        print(f"INFO markscheme: {line}", file=sys.stderr)
