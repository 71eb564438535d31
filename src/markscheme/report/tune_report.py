"""Old entry points, until the commands call views themselves."""

import io

from markscheme.report.terminal import render_terminal
from markscheme.report.views.tuning import TuneRun, view
from markscheme.report.views.tuning import json_of as tune_json

__all__ = ["TuneRun", "tune_json", "tune_text"]


def tune_text(run: TuneRun) -> str:
    """The report as text."""
    text = io.StringIO()
    render_terminal(view(run), text)
    return text.getvalue().rstrip()
