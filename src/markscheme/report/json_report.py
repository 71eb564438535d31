"""Old entry points, until the commands call views themselves."""

from markscheme.report.json import dumps
from markscheme.report.views.calibration import json_of as calibration_json

__all__ = ["calibration_json", "dumps"]
