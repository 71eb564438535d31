"""What a notebook shows of a calibration: a report of bounded size, a picture, a data frame, counts and sentences."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas
import pytest

from markscheme import Calibration, Rubric, calibrate
from markscheme.errors import UsageError
from markscheme.report import charts, results
from markscheme.report.document import Callout, Document
from markscheme.report.plots import _drawable, plot_of
from tests.calibration.test_run import RUBRIC, rows, verdicts

WRITTEN = "The parcel left on Monday and arrives on Thursday, if the weather holds. " * 20
"""A response of 1.5 kB."""


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    """Close what is drawn, as matplotlib asks."""
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def calibration(n: int = 40, *, wrong: int = 5) -> Calibration:
    """A judge that passes and fails some examples wrongly."""
    texts = [{**row, "response": f"{row['response']}. {WRITTEN}"} for row in rows(n)]
    return calibrate(RUBRIC, texts, ratings=verdicts(n, wrong=wrong))


@pytest.mark.parametrize("n", [12, 400])
def test_a_notebook_keeps_at_most_60_kb_of_a_result(n: int) -> None:
    result = calibration(n)
    shown = result._repr_html_()
    assert len(shown.encode()) <= 60_000
    assert shown.startswith('<iframe srcdoc="')
    assert "to_html() returns the whole page" in shown.replace("`", "").replace("&lt;code&gt;", "").replace(
        "&lt;/code&gt;", ""
    )
    assert WRITTEN[:200] not in shown
    assert len(result.to_html()) > 60_000 or n < 100


def test_a_result_with_60_criteria_still_shows_its_answer_in_60_kb() -> None:
    names = [f"a rather long name of a criterion, number {n}" for n in range(60)]
    rubric = Rubric.from_dict([{"name": f"c{n}", "requirement": name} for n, name in enumerate(names)])
    examples = [
        {
            "id": f"e{i}",
            "response": f"x{i}",
            "labels": [{"rater": "a", "criteria": {c.name: i % 2 for c in rubric.criteria}}],
        }
        for i in range(12)
    ]
    ratings = [{"id": f"e{i}", "criteria": {c.name: (i + 1) % 2 for c in rubric.criteria}} for i in range(12)]
    result = calibrate(rubric, examples, ratings=ratings)
    assert len(result._repr_html_().encode()) <= 60_000
    assert result.decision.verdict in repr(result)


def test_the_answer_alone_is_left_where_a_first_screen_is_too_long() -> None:
    long = replace(Document("title", "source", (Callout("good", "Yes."),)), sections=())
    documents = list(results._ever_shorter(long))
    assert [len(document.blocks) for document in documents] == [1, 2, 2, 1]


def test_confusion_counts_decisions_two_by_two_and_reconciles_with_the_ids() -> None:
    result = calibration()
    counts = result.confusion
    assert counts is not None
    assert counts.table == ((18, 3), (2, 17))
    assert (counts.false_passes, counts.false_fails) == (len(result.false_passes), len(result.false_fails))
    assert sum(map(sum, counts.table)) == result.counts.graded == 40
    assert repr(counts).splitlines()[1].split() == ["judge", "passes", "18", "3"]
    assert "<td>18</td><td>3</td>" in counts._repr_html_()


def test_confusion_of_values_without_a_pass_mark_is_none() -> None:
    scores = [{"id": str(n), "human": n % 5 + 1, "judge": n % 4 + 1} for n in range(40)]
    assert calibrate(scores, judge="judge", human="human").confusion is None


def test_a_frame_has_a_row_an_example_with_text_both_decisions_and_criteria() -> None:
    frame = calibration(wrong=1).to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == [
        "id",
        "text",
        "gold",
        "judge",
        "gold_pass",
        "judge_pass",
        "polite.gold",
        "polite.judge",
    ]
    first = frame.iloc[0].to_dict()
    assert (first["id"], first["gold"], first["judge"], first["gold_pass"], first["judge_pass"]) == (
        "e0",
        0.0,
        1.0,
        False,
        True,
    )
    assert first["text"].startswith("reply 0. The parcel")
    assert len(frame) == 40


def test_a_frame_keeps_the_texts_of_held_out_examples_to_itself() -> None:
    examples = [{**row, "split": "test" if n < 20 else "dev"} for n, row in enumerate(rows())]
    frame = calibrate(RUBRIC, examples, ratings=verdicts()).to_frame()
    assert frame["text"].isna().sum() == 20
    assert frame["gold"].notna().all()


def test_findings_print_as_sentences() -> None:
    (first, *_) = calibration(wrong=15).findings
    assert str(first) == f"{first.message} {first.suggestion}"
    assert repr(first) == f"<{first.severity}: {first}>"
    assert "FindingKind" not in str(calibration(wrong=15).findings)


def test_plot_draws_the_first_picture_with_matplotlib() -> None:
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


def test_every_picture_of_a_page_is_drawn_by_matplotlib_with_each_of_its_points() -> None:
    plots = _plots(calibration())
    assert {"The judge's scores against gold's.", "The judge's scores."} <= {plot.title for plot in plots}
    for plot in plots:
        axes = charts.matplotlib_axes(plot)
        assert axes.get_xlim() == (plot.x.low, plot.x.high)
        bars = [mark for mark in plot.marks if type(mark).__name__ == "PlotBar"]
        assert len(axes.patches) >= len(bars)


def test_every_picture_of_a_page_is_drawn_by_altair_with_each_of_its_points() -> None:
    pytest.importorskip("altair", reason="runs where Altair is installed, which comes with markscheme[test]")
    for plot in _plots(calibration()):
        spec = json.loads(charts.altair_chart(plot).to_json())
        points = [mark for mark in plot.marks if type(mark).__name__ == "PlotPoint"]
        layers = [layer for layer in spec["layer"] if layer["mark"]["type"] == "point"]
        assert [(layer["data"]["values"][0]["x"], layer["data"]["values"][0]["y"]) for layer in layers] == [
            (point.x, point.y) for point in points
        ]


@pytest.mark.parametrize(("installed", "by"), [("matplotlib altair", "Axes"), ("altair", "LayerChart"), ("", None)])
def test_what_is_installed_draws(installed: str, by: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("altair", reason="runs where Altair is installed, which comes with markscheme[test]")
    monkeypatch.setattr(charts, "find_spec", lambda name: name if name in installed.split() else None)
    if by is None:
        with pytest.raises(UsageError, match="draws with matplotlib or Altair, and neither is installed"):
            calibration().plot()
    else:
        assert type(calibration().plot()).__name__ == by
