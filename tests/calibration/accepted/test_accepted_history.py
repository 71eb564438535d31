"""The history of accepted runs: what a line keeps, what changed between two, and what isn't one."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from markscheme.calibration.accepted.accepted_history import (
    ACCEPTED_RUNS,
    AcceptedPoint,
    keep_point,
    kept_points,
    load_history,
)
from markscheme.errors import RatingError
from markscheme.report.document import Items, Table
from markscheme.report.plot import Plot, PlotPoint, PlotRule
from markscheme.report.sections.history import history_blocks
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


def test_a_run_is_read_as_it_was_kept_and_the_same_ratings_are_one_run(tmp_path: Path) -> None:
    second = replace(FIRST, date="2026-11-09", ratings="d2", fails=None)
    for point in (FIRST, FIRST, second):
        keep_point(point, kept_points(tmp_path), tmp_path)
    assert load_history(tmp_path) == (FIRST, second)


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
def test_what_changed_since_the_run_before_is_named(after: AcceptedPoint, changes: tuple[str, ...]) -> None:
    assert after.changes(FIRST) == changes


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"agreement": {"value": 2}, "fails": "x"}'])
def test_a_line_that_is_no_run_is_named_with_its_place(tmp_path: Path, line: str) -> None:
    (tmp_path / ACCEPTED_RUNS).write_text(json.dumps(FIRST.to_json()) + "\n" + line + "\n")
    with pytest.raises(RatingError, match=rf"{ACCEPTED_RUNS}:2"):
        load_history(tmp_path)


def test_the_picture_marks_each_change_and_has_every_run_in_its_table() -> None:
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


def test_a_single_run_is_a_table_and_none_is_nothing() -> None:
    (table,) = history_blocks([FIRST], None)
    assert isinstance(table, Table)
    assert list(history_blocks([], None)) == []
