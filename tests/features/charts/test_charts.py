"""Pictures of results as charts: whichever library is installed draws every point of each."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from markscheme import Calibration, calibrate
from markscheme.errors import UsageError
from markscheme.features.charts import charts
from markscheme.report import results
from markscheme.report.plots import _drawable, plot_of
from tests.calibration.test_api import RUBRIC, rows, verdicts


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    """Close what is drawn, as matplotlib asks."""
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def calibration() -> Calibration:
    """A judge that passes and fails some examples wrongly."""
    return calibrate(RUBRIC, rows(), ratings=verdicts(wrong=5))


def test_the_plot_method_of_a_calibration_draws_its_first_chart_with_matplotlib() -> None:
    result = calibration()
    axes = result.plot()
    names = [tick.get_text() for tick in axes.get_xticklabels()]
    assert names == ["decisions", "stops", "keeps", "annotators", "least"]
    points = {
        float(line.get_xdata()[0]): float(line.get_ydata()[0])
        for line in axes.get_lines()
        if len(line.get_ydata()) == 1
    }
    assert points[0] == pytest.approx(35 / 40)
    assert points[1] == pytest.approx(17 / 20)
    assert points[2] == pytest.approx(18 / 20)


def _plots(result: Calibration) -> list[Any]:
    view = results.CALIBRATION_REPORTER.view(result)
    return [plot_of(block) for block in _drawable((*view.blocks, *view.sections))]


def test_matplotlib_can_draw_every_plot_of_a_report_with_each_of_its_points() -> None:
    plots = _plots(calibration())
    assert {"The judge's scores against gold's.", "The judge's scores."} <= {plot.title for plot in plots}
    for plot in plots:
        axes = charts.matplotlib_axes(plot)
        assert axes.get_xlim() == (plot.x.low, plot.x.high)
        bars = [mark for mark in plot.marks if type(mark).__name__ == "PlotBar"]
        assert len(axes.patches) >= len(bars)


def test_a_plot_drawn_by_altair_has_each_point_of_the_report_s_plot() -> None:
    pytest.importorskip("altair", reason="runs where Altair is installed, which comes with markscheme[test]")
    for plot in _plots(calibration()):
        spec = json.loads(charts.altair_chart(plot).to_json())
        points = [mark for mark in plot.marks if type(mark).__name__ == "PlotPoint"]
        layers = [layer for layer in spec["layer"] if layer["mark"]["type"] == "point"]
        assert [(layer["data"]["values"][0]["x"], layer["data"]["values"][0]["y"]) for layer in layers] == [
            (point.x, point.y) for point in points
        ]


@pytest.mark.parametrize(("installed", "by"), [("matplotlib altair", "Axes"), ("altair", "LayerChart"), ("", None)])
def test_the_plot_method_of_a_calibration_uses_matplotlib_or_altair_and_fails_if_neither_is_installed(
    installed: str, by: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("altair", reason="runs where Altair is installed, which comes with markscheme[test]")
    monkeypatch.setattr(charts, "find_spec", lambda name: name if name in installed.split() else None)
    if by is None:
        with pytest.raises(UsageError, match="draws with matplotlib or Altair, and neither is installed"):
            calibration().plot()
    else:
        assert type(calibration().plot()).__name__ == by
