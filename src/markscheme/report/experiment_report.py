"""Old entry points, until the commands call views themselves."""

from typing import IO

from markscheme.report.markdown import render_markdown
from markscheme.report.terminal import render_terminal
from markscheme.report.views.experiment import ExperimentReport, view
from markscheme.report.views.experiment import csv_of as experiment_csv
from markscheme.report.views.experiment import json_of as experiment_json

__all__ = ["ExperimentReport", "experiment_csv", "experiment_json", "experiment_markdown", "print_experiment"]


def print_experiment(report: ExperimentReport, file: IO[str]) -> None:
    """Write the report to `file`."""
    render_terminal(view(report), file)


def experiment_markdown(report: ExperimentReport) -> str:
    """The report as Markdown."""
    return render_markdown(view(report))
