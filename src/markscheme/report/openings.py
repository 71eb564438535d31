"""Old entry point, until the commands call views themselves."""

from markscheme.report.views.calibration import openings_line

__all__ = ["openings_line"]
