"""The families of options of the core, which are above the table of families."""

from dataclasses import dataclass

from markscheme.calibration.options import DriftOptions, LabelOptions
from markscheme.judges.options import AskOptions
from markscheme.options.forms import METRIC_AND_NAME
from markscheme.options.table import NAMES_IN_FILES, OPTIONS, Family, setting
from markscheme.seam import Feature


@dataclass(frozen=True, kw_only=True)
class _MetricNames:
    """Other names for metrics of exports."""

    map: tuple[str, ...] = setting(
        (), "another name for a metric of an export", METRIC_AND_NAME, several=True, written=NAMES_IN_FILES
    )


CORE_OPTIONS = Feature(
    "options",
    OPTIONS(
        Family(lambda: AskOptions),
        Family(lambda: LabelOptions),
        Family(lambda: DriftOptions),
        Family(lambda: _MetricNames),
    ),
)
"""What the core itself adds in the way of features: its families of options, in the order of the settings file."""
