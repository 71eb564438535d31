"""Table of functions that draw a plot as a chart of another library, to which features add theirs."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from markscheme.errors import UsageError
from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.report.plot import Plot

DrawPlot: TypeAlias = "Callable[[Plot], Any]"
"""Function that draws a plot and returns the chart."""
PLOT_DRAWERS: OpenTable[Callable[[], DrawPlot]] = OpenTable()
"""Functions that import a function that draws plots; they are called when a plot is drawn."""


def plot_drawer() -> DrawPlot:
    """Return the function, which a feature provides, that draws a plot as a chart of a plotting library.

    Raises:
        UsageError: No feature offers such a function.
    """
    for load in PLOT_DRAWERS:
        return load()
    raise UsageError("this markscheme draws no charts; `to_html()` has all there is")
