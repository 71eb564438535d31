"""Plots as SVG: where marks are, that words can't become mark-up, and that each has its table below it."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from markscheme.report.document import (
    Curve,
    Document,
    OnPages,
    Section,
    Table,
)
from markscheme.report.drawing import ABOVE, LEFTMOST, RIGHTMOST, drawn
from markscheme.report.html import render_html
from markscheme.report.markdown import render_markdown
from markscheme.report.plot import Axis, Plot, PlotBand, PlotBar, PlotLine, PlotPoint, PlotRule
from markscheme.report.plots import plot_of
from markscheme.report.sections.pictures import annotator_matrix, labels_against_width, score_histogram
from tests.report.hostile import hostile_calibration

HOSTILE = '"><script>window.hit = 1</script>'
MIDDLE = (LEFTMOST + RIGHTMOST) / 2


def marks_on(*marks: object, title: str = "A picture.") -> Plot:
    table = Table(("what", "figure"), ((HOSTILE, "0.5"),))
    return Plot(title, Axis(0, 10, ((0, "0"), (10, "ten"))), Axis.of_shares(), marks, table, height=100)  # type: ignore[arg-type]


def test_each_mark_of_a_plot_is_drawn_at_the_position_of_its_numbers() -> None:
    svg = drawn(
        marks_on(
            PlotPoint(5, 0.5, 0.25, 0.75, "half"),
            PlotLine(((0, 0), (10, 1))),
            PlotBar(0, 5, 0, 1, "all"),
            PlotBand(5, 10),
            PlotRule(0.8, "target"),
        )
    )
    assert f'cx="{MIDDLE:.2f}%" cy="{ABOVE + 50:.1f}"' in svg
    assert (
        f'class="span judge" x1="{MIDDLE:.2f}%" x2="{MIDDLE:.2f}%" y1="{ABOVE + 75:.1f}" y2="{ABOVE + 25:.1f}"' in svg
    )
    assert f'x1="{LEFTMOST:.2f}%" x2="{RIGHTMOST:.2f}%" y1="{ABOVE + 100:.1f}" y2="{ABOVE:.1f}"' in svg
    assert f'width="{(RIGHTMOST - LEFTMOST) / 2:.2f}%" y="{ABOVE:.1f}" height="100.0"' in svg
    assert f'y1="{ABOVE + 20:.1f}" y2="{ABOVE + 20:.1f}"' in svg


def test_a_point_beyond_the_axes_of_a_plot_is_drawn_at_their_ends() -> None:
    assert f'cx="{RIGHTMOST:.2f}%" cy="{ABOVE:.1f}"' in drawn(marks_on(PlotPoint(99, 7)))


class Tags(HTMLParser):
    """Parser that collects the names of a page's elements."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)


def test_hostile_words_in_a_plot_are_shown_as_text() -> None:
    tags = Tags()
    rules = (PlotRule(0.5, HOSTILE), PlotRule(5, HOSTILE, is_upright=True), PlotBand(0, 5))
    tags.feed(drawn(marks_on(*rules, PlotPoint(1, 0.1, says=HOSTILE), PlotBar(1, 2, 0, 1, HOSTILE), title=HOSTILE)))
    assert set(tags.names) == {"svg", "line", "text", "rect", "circle", "title"}


def test_a_page_shows_each_plot_with_its_table_below_and_markdown_shows_neither_plot_nor_table() -> None:
    document = Document("Title", "", (), (Section("Pictures", (OnPages((marks_on(PlotPoint(1, 0.5)),)),), "p"),))
    page = render_html(document)
    assert re.search(r"<svg class=\"plot\".*These figures as a table.*<th scope=\"col\">", page, re.S)
    assert "Pictures" not in render_markdown(document)


@pytest.mark.parametrize(("most", "ticks"), [(0, "0 1"), (1, "0 1"), (13, "0 5 10 15"), (97, "0 20 40 60 80 100")])
def test_an_axis_of_counts_ends_at_the_next_round_number(most: int, ticks: str) -> None:
    axis = Axis.counting(most)
    assert " ".join(words for _, words in axis.ticks) == ticks
    assert axis.high >= max(most, 1)


def test_a_plot_of_curves_has_one_line_for_each_series_and_a_table_of_six_rows() -> None:
    curve = Curve({"as read": tuple(range(60)), "averaged": (1.0,) * 30}, "modes", "outputs", "")
    plot = plot_of(curve)
    assert [len(mark.points) for mark in plot.marks if isinstance(mark, PlotLine)] == [60, 30]
    assert plot.table.headings == ("outputs", "as read", "averaged")
    assert plot.table.rows[-1] == ("60", "59", "–")
    assert len(plot.table.rows) == 6


def test_a_plot_s_axis_is_refused_if_its_two_ends_are_equal() -> None:
    with pytest.raises(ValueError, match=r"an axis from 1\.0 to 1\.0"):
        Axis(1.0, 1.0, ())


def test_the_histogram_of_scores_counts_each_example_as_a_pass_or_a_fail_by_gold_s_decision() -> None:
    comparison = hostile_calibration(60, attacks=["a"]).comparison
    histogram = score_histogram(comparison)
    assert histogram is not None
    fails = sum(int(str(row[1])) for row in histogram.table.rows)
    passes = sum(int(str(row[2])) for row in histogram.table.rows)
    assert (fails, passes) == (int((comparison.gold.decisions == 0).sum()), int((comparison.gold.decisions == 1).sum()))
    drawn_bars = [mark for mark in histogram.marks if isinstance(mark, PlotBar)]
    assert sum(bar.top - bar.base for bar in drawn_bars) == 60
    assert [mark.at for mark in histogram.marks if isinstance(mark, PlotRule)] == [comparison.rubric.pass_mark]


def test_the_histogram_of_scores_counts_a_score_at_the_pass_mark_among_the_passes() -> None:
    comparison = hostile_calibration(60, attacks=["a"]).comparison
    mark = comparison.rubric.pass_mark
    at_the_mark = replace(comparison.judge, scores=np.full(60, np.nextafter(mark, 0.0)))
    columns = tuple(at_the_mark if column is comparison.judge else column for column in comparison.table.columns)
    histogram = score_histogram(replace(comparison, table=replace(comparison.table, columns=columns)))
    assert histogram is not None
    assert {bar.left for bar in histogram.marks if isinstance(bar, PlotBar)} == {mark}


def test_the_plot_of_interval_width_against_the_number_of_labels_lists_each_number_once_in_rising_order() -> None:
    section = labels_against_width(hostile_calibration(60, attacks=["a"]))
    assert section is not None
    (pages,) = section.blocks
    assert isinstance(pages, OnPages)
    (plot,) = pages.blocks
    assert isinstance(plot, Plot)
    labels = [int(str(row[1])) for row in plot.table.rows]
    assert labels == sorted(labels)
    assert len(set(labels)) == len(labels)


def test_the_matrix_of_agreement_between_annotators_is_not_drawn_for_two_annotators() -> None:
    assert annotator_matrix(hostile_calibration(30, attacks=["a"]).comparison) is None
