"""Import of what annotators give in addition to levels: confidence, notes, reasons for no level, and times."""

import json
from pathlib import Path

from markscheme import Rubric
from markscheme.ratings.rating import Rating
from markscheme.readers.imported import Columns
from markscheme.readers.rated import open_rated
from markscheme.rubrics.rubric import Criterion

RUBRIC = Rubric((Criterion(1.0, "Is it clear?", "clear"), Criterion(1.0, "Is it true?", "true")))


def ratings_of(path: Path, text: str) -> tuple[Rating, ...]:
    path.write_text(text)
    rated = open_rated([path], RUBRIC, expected="anything", columns=Columns(kind="human")).as_one_file
    assert not rated.lost
    return tuple(rated.ratings)


def test_a_row_s_confidence_and_its_reason_for_skipping_a_criterion_are_imported(tmp_path: Path) -> None:
    text = "id,rater,clear,true,confidence,skip_reason,note,seconds\ne1,ana,yes,,low,no source,odd one,12.5\n"
    (rating,) = ratings_of(tmp_path / "labels.csv", text)
    assert (rating.confidence, rating.note, rating.seconds) == ("low", "odd one", 12.5)
    assert rating.criteria["clear"].level == 1.0
    true = rating.criteria["true"]
    assert (true.level, true.declined, true.reason) == (None, "abstained", "no source")


def test_in_a_table_with_a_row_per_criterion_a_comment_becomes_the_reason_of_only_that_criterion(
    tmp_path: Path,
) -> None:
    rows = [
        {"id": "e1", "rater": "ana", "criterion": "clear", "level": 1, "comment": "well put"},
        {"id": "e1", "rater": "ana", "criterion": "true", "skip_reason": "no source", "confidence": 2},
    ]
    (rating,) = ratings_of(tmp_path / "labels.json", json.dumps(rows))
    assert (rating.criteria["clear"].level, rating.criteria["clear"].reason) == (1.0, "well put")
    assert (rating.criteria["true"].declined, rating.criteria["true"].reason) == ("abstained", "no source")
    assert rating.confidence == "2"


def test_lines_of_ratings_keep_the_note_and_the_confidence_and_the_time_from_the_labelling_page(tmp_path: Path) -> None:
    line = Rating("e1", "ana", "human", {}, 0.5, note="odd", confidence="high", seconds=3.0).to_json()
    line = {key: value for key, value in line.items() if key not in ("under", "blind")}
    (rating,) = ratings_of(tmp_path / "ana.jsonl", json.dumps(line) + "\n")
    assert (rating.note, rating.confidence, rating.seconds) == ("odd", "high", 3.0)
