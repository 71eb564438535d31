"""Charts: the picture of a result drawn by matplotlib or Altair, for notebooks."""

from typing import TYPE_CHECKING

from markscheme.report.plot_drawers import PLOT_DRAWERS
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.report.plot_drawers import DrawPlot


def _drawer() -> "DrawPlot":
    from markscheme.features.charts.charts import chart

    return chart


CHARTS = Feature("charts", PLOT_DRAWERS(_drawer))
