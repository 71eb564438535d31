"""The picture of two variants: which cases are drawn, in which order."""

import numpy as np

from markscheme.features.experiment.picture import paired_scores
from markscheme.report.plot import PlotPoint


def test_the_plot_of_two_variants_shows_the_60_cases_with_the_largest_gains_or_losses_in_order_of_gain() -> None:
    scores = [(f"c{place}", 0.5, place / 99) for place in range(100)]
    plot = paired_scores(scores, "old", "new")
    assert plot is not None
    points = [mark for mark in plot.marks if isinstance(mark, PlotPoint)]
    assert len(points) == 120
    gains = [after.y - before.y for before, after in zip(points[::2], points[1::2], strict=True)]
    assert gains == sorted(gains, reverse=True)
    assert len(plot.table.rows) == 100
    assert plot.caption is not None
    assert "50 score higher with new, 50 lower" in plot.caption
    assert paired_scores(scores[:1], "old", "new") is None
    few = paired_scores([("up", 0.2, 0.4), ("same", 0.3, 0.3)], "old", "new")
    assert few is not None
    assert few.caption == "Of 2 cases, 1 scores higher with new, 0 lower."
    assert np.isclose(gains[0], 0.5)
