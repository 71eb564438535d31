"""Old entry points, until the commands call views themselves."""

import io

from markscheme.calibration.pass_rates import PassRates
from markscheme.report.terminal import render_terminal
from markscheme.report.views.pass_rate import json_of as pass_rate_json
from markscheme.report.views.pass_rate import view

__all__ = ["pass_rate_json", "pass_rate_text"]


def pass_rate_text(rates: PassRates, reference: str | None = None) -> str:
    """The rates as text."""
    text = io.StringIO()
    render_terminal(view(rates, reference), text)
    return text.getvalue().rstrip()
