"""The picture of the accepted runs: each change is marked, and every run is in its table."""

from dataclasses import replace

import pytest

from markscheme.calibration.accepted.accepted_history import AcceptedPoint
from markscheme.features.status.history import changes_since, history_blocks
from markscheme.report.document import Items, Table
from markscheme.report.plot import Plot, PlotPoint, PlotRule
from markscheme.stats import Estimate

FIRST = AcceptedPoint(
    date="2026-11-03",
    use="explore",
    judge="haiku",
    rubric="r1",
    wordings={"tone": "w1", "answers": "w2"},
    examples=80,
    agreement=Estimate(0.6, 0.5, 0.7),
    false_passes=("a", "b"),
    fails=20,
    ratings="d1",
)


def test_the_plot_of_accepted_runs_marks_each_change_and_its_table_lists_every_run() -> None:
    judge = replace(FIRST, date="2026-11-09", judge="opus", ratings="d2", agreement=Estimate(0.8, 0.7, 0.9))
    words = replace(judge, date="2026-11-12", rubric="r2", wordings={**FIRST.wordings, "tone": "w7"}, ratings="d3")
    plot, items = history_blocks([FIRST, judge, words], 0.8)
    assert isinstance(plot, Plot)
    assert isinstance(items, Items)
    assert [(mark.at, mark.text) for mark in plot.marks if isinstance(mark, PlotRule)] == [
        (0.5, "a"),
        (1.5, "b"),
        (0.8, "target"),
    ]
    assert items.items == (("a: 2026-11-09, judge: opus",), ("b: 2026-11-12, tone reworded",))
    agreed = [mark.y for mark in plot.marks if isinstance(mark, PlotPoint) and mark.role == "judge"]
    wrong = [mark.y for mark in plot.marks if isinstance(mark, PlotPoint) and mark.role == "wrong"]
    assert (agreed, wrong) == ([0.6, 0.8, 0.8], [0.1, 0.1, 0.1])
    assert [row[3] for row in plot.table.rows] == ["2 of 20"] * 3


def test_a_single_accepted_run_has_a_history_with_a_table_and_no_plot() -> None:
    (table,) = history_blocks([FIRST], None)
    assert isinstance(table, Table)
    assert list(history_blocks([], None)) == []


@pytest.mark.parametrize(
    ("after", "changes"),
    [
        (replace(FIRST, date="2026-12-01"), ()),
        (replace(FIRST, judge="opus"), ("judge: opus",)),
        (replace(FIRST, rubric="r2", wordings={"tone": "w9", "answers": "w2"}), ("tone reworded",)),
        (replace(FIRST, rubric="r2", wordings={"tone": "w1", "short": "w3"}), ("short added", "answers removed")),
        (replace(FIRST, rubric="r2"), ("rubric: weights, pass mark or settings",)),
    ],
)
def test_the_history_of_accepted_runs_names_what_changed_between_two_runs(
    after: AcceptedPoint, changes: tuple[str, ...]
) -> None:
    assert changes_since(FIRST, after) == changes
