"""Warnings of ratings that contradict each other, or their own probabilities."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric
from markscheme.errors import RatingError, RatingWarning
from markscheme.ratings.codes import load_ratings

RUBRIC = Rubric.from_dict({"name": "r", "criteria": [{"name": "good", "requirement": "It is right.", "weight": 1}]})


def rating(id: str, level: Any, **more: Any) -> dict[str, Any]:
    return {"id": id, "rater": "g", "kind": "model", "sample": 0, "criteria": {"good": level}, **more}


def warned(path: Path, lines: list[dict[str, Any]]) -> list[str]:
    """Return the warnings when a file with these lines is read."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RatingWarning)
        assert len(load_ratings(path, RUBRIC)) == len(lines)
    return [str(warning.message).partition(": ")[2] for warning in caught]


def test_if_a_rater_gives_an_example_two_levels_in_one_sample_a_warning_names_the_example(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ratings.jsonl"
    twice = [rating(id, level) for id in ("1", "2") for level in ("MET", "UNMET")]
    assert warned(path, [*twice, rating("3", "MET"), rating("3", "MET")]) == [
        "rates 2 examples twice in one sample, with different levels (1, 2); each counts as a sample of its own"
    ]
    asked_again = [rating("1", "MET", at="2026-11-20"), rating("1", "UNMET", at="2026-11-21")]
    assert warned(path, [*asked_again, rating("2", "MET"), rating("2", "UNMET", sample=1)]) == []


def test_a_rating_whose_level_is_not_the_most_probable_level_causes_a_warning_with_the_example(tmp_path: Path) -> None:
    def of(level: str, met: float) -> dict[str, Any]:
        return {"level": level, "probabilities": {"MET": met, "UNMET": round(1 - met, 3)}}

    lines = [rating("1", of("UNMET", 0.9)), rating("2", of("MET", 0.9)), rating("3", of("MET", 0.5))]
    assert warned(tmp_path / "ratings.jsonl", lines) == [
        "gives 1 example a level that another is likelier than, by the probabilities next to it (1); the level counts"
    ]


def test_a_rating_with_a_time_below_0_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    path.write_text(json.dumps(rating("1", "MET", seconds=-5)) + "\n")
    with pytest.raises(RatingError, match=r"ratings\.jsonl:1: seconds is a time from 0, found -5"):
        load_ratings(path, RUBRIC)
