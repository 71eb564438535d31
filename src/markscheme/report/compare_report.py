"""Old entry points, until the commands call views themselves."""

from typing import IO

from markscheme.calibration.choice import Choice
from markscheme.report.markdown import render_markdown
from markscheme.report.terminal import render_terminal
from markscheme.report.views.choice import json_of as choice_json
from markscheme.report.views.choice import view

__all__ = ["choice_json", "choice_markdown", "print_choice"]


def print_choice(choice: Choice, file: IO[str]) -> None:
    """Write the comparison to `file`."""
    render_terminal(view(choice), file)


def choice_markdown(choice: Choice) -> str:
    """The comparison as Markdown."""
    return render_markdown(view(choice))
