"""Old entry points, until the commands call views themselves."""

import io

from markscheme.report.terminal import render_terminal
from markscheme.report.views.plan import Plan, view
from markscheme.report.views.plan import json_of as plan_json

__all__ = ["Plan", "plan_json", "plan_text"]


def plan_text(plan: Plan) -> str:
    """The plan as text."""
    text = io.StringIO()
    render_terminal(view(plan), text)
    return text.getvalue().rstrip()
