"""Scatter plots, blocks of a document that only HTML pages show."""

from dataclasses import dataclass

from markscheme.report.document import Block
from markscheme.report.plot import PlotPoint


@dataclass(frozen=True)
class Scatter(Block):
    """A scatter plot of the judge's scores against gold's, with the tolerance band and the pass mark."""

    dots: tuple[PlotPoint, ...]
    tolerance: float
    pass_mark: float
    caption: str
