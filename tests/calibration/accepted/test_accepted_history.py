"""The history file of accepted runs: its lines, and invalid ones."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from markscheme.calibration.accepted.accepted_history import (
    ACCEPTED_RUNS,
    AcceptedPoint,
    keep_point,
    kept_points,
)
from markscheme.errors import RatingError
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


def test_the_history_of_accepted_runs_keeps_each_run_unchanged_and_stores_identical_ratings_only_once(
    tmp_path: Path,
) -> None:
    second = replace(FIRST, date="2026-11-09", ratings="d2", fails=None)
    for point in (FIRST, FIRST, second):
        keep_point(point, kept_points(tmp_path), tmp_path)
    assert kept_points(tmp_path) == [FIRST, second]


def test_an_accepted_run_without_scores_to_compare_is_read_back_unchanged_from_the_history(
    tmp_path: Path,
) -> None:
    point = replace(FIRST, agreement=Estimate(None, undefined="no scores to compare"))
    keep_point(point, [], tmp_path)
    assert kept_points(tmp_path) == [point]


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"agreement": {"value": 2}, "fails": "x"}'])
def test_an_invalid_line_in_the_history_of_accepted_runs_is_reported_with_its_line_number(
    tmp_path: Path, line: str
) -> None:
    (tmp_path / ACCEPTED_RUNS).write_text(json.dumps(FIRST.to_json()) + "\n" + line + "\n")
    with pytest.raises(RatingError, match=rf"{ACCEPTED_RUNS}:2"):
        kept_points(tmp_path)
