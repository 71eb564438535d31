"""Probabilities of levels in files of ratings, in tables of ratings, and in other tools' tables."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric
from markscheme.errors import RatingError
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import column_of

RUBRIC = Rubric.from_dict(
    {
        "name": "reply",
        "passingThreshold": 1,
        "criteria": [
            {"name": "tone", "requirement": "Polite", "weight": 1},
            {"name": "clarity", "description": "Clear", "weight": 1, "scale": {"min": 1, "max": 3}, "required": True},
        ],
    }
)
CLEAR = {"level": 3, "probabilities": {"1": 0.0, "2": 0.2, "3": 0.8}}


def read(folder: Path, *criteria: dict[str, Any]) -> list[Rating]:
    path = folder / "judge.jsonl"
    lines = [{"id": "a", "rater": "judge", "sample": n, "criteria": named} for n, named in enumerate(criteria)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return list(load_ratings(path, RUBRIC))


def test_probabilities_of_levels_are_read_and_written_without_a_change(tmp_path: Path) -> None:
    (rating,) = read(tmp_path, {"tone": {"level": 1, "probabilities": {"UNMET": 0.07, "MET": 0.93}}})
    assert rating.criteria["tone"].distribution == pytest.approx((0.07, 0.93))
    written = rating.to_json()["criteria"]["tone"]
    assert written["probabilities"] == pytest.approx({"UNMET": 0.07, "MET": 0.93})


def test_a_rating_with_probabilities_but_no_level_has_the_most_probable_level(tmp_path: Path) -> None:
    (rating,) = read(tmp_path, {"tone": {"probabilities": {"met": 0.2, "unmet": 0.8}}, "clarity": CLEAR})
    assert rating.criteria["tone"].level == 0.0
    assert rating.criteria["clarity"].level == 3.0


@pytest.mark.parametrize(
    "probabilities",
    [{"MET": 0.9}, {"MET": 0.9, "UNMET": 0.3}, {"MET": 1.7, "UNMET": -0.7}, {"MET": "0.9", "UNMET": 0.1}, [0.1, 0.9],
     {"MET": 0.5, "UNMET": 0.3, "maybe": 0.2}],
)  # fmt: skip
def test_probabilities_that_are_not_a_distribution_over_the_levels_are_refused_with_their_line(
    tmp_path: Path, probabilities: Any
) -> None:
    with pytest.raises(RatingError, match=r"judge.jsonl:1.*tone: "):
        read(tmp_path, {"tone": {"level": 1, "probabilities": probabilities}})


def test_if_several_samples_have_probabilities_the_level_with_the_highest_mean_probability_counts(
    tmp_path: Path,
) -> None:
    samples = [{"tone": {"probabilities": {"MET": p, "UNMET": 1 - p}}, "clarity": CLEAR} for p in (0.9, 0.45, 0.48)]
    column = column_of("judge", read(tmp_path, *samples), RUBRIC, ["a", "b"])
    assert column.levels["tone"][0] == 1.0  # the median of the votes would be 0
    assert column.probabilities["tone"][0] == pytest.approx((0.39, 0.61))
    assert column.chances[0] == pytest.approx(0.61 * 0.8)
    assert math.isnan(column.chances[1])
    assert column.decisions[0] == 1.0


def test_a_column_of_ratings_without_probabilities_has_no_array_of_probabilities(tmp_path: Path) -> None:
    column = column_of("judge", read(tmp_path, {"tone": 1, "clarity": 3}), RUBRIC, ["a"])
    assert not column.probabilities
    assert not len(column.chances)
