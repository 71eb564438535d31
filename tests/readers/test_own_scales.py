"""Files of ratings in which judges and people use different scales."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from markscheme import agreement
from markscheme.calibration.agreement import Agreement
from markscheme.errors import RatingError, UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.imported import Columns
from markscheme.readers.rated import RatedFiles, columns_from_options, judge_ratings, open_rated
from markscheme.rubrics.rubric import Criterion, Rubric, Scale

PEOPLE = [1, 2, 3, 4, 5]
POSITIONS = [0.0, 0.25, 0.5, 0.75, 1.0]
QUALITY = Rubric((Criterion(1.0, "How good is it?", "quality", Scale.numbered(1, 5)),))


def ratings(path: Path, rater: str, kind: str, values: Sequence[float], *, overall: bool = False) -> Path:
    """Write a file with one rating per value."""
    whole = ({"overall": value} if overall else {"criteria": {"quality": {"level": value}}} for value in values)
    lines = [{"id": f"e{n}", "rater": rater, "kind": kind, **what} for n, what in enumerate(whole)]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def opened(paths: Sequence[Path], rubric: Rubric | None, scales: Mapping[str, tuple[float, float]]) -> RatedFiles:
    return open_rated(paths, rubric, columns=Columns(scales=scales))


@pytest.fixture
def both(tmp_path: Path) -> list[Path]:
    """Write ratings of a perfect judge on a scale from 0 to 1, and of a person from 1 to 5."""
    judge = ratings(tmp_path / "judge.jsonl", "gpt", "model", POSITIONS)
    return [judge, ratings(tmp_path / "people.jsonl", "ana", "human", PEOPLE)]


def test_if_the_scales_of_judge_and_people_are_stated_their_numbers_become_positions_from_0_to_1(
    both: list[Path],
) -> None:
    rated = opened(both, None, {"judge": (0, 1), "human": (1, 5)})
    levels = [[rating.criteria["quality"].level for rating in file.ratings] for file in rated.files]
    assert levels == [POSITIONS, POSITIONS]
    assert rated.rubric.criterion("quality").scale.ends == (0.0, 1.0)


def test_a_judge_s_numbers_on_another_scale_are_converted_to_the_rubric_s_scale_if_both_scales_are_stated(
    both: list[Path],
) -> None:
    with pytest.raises(UsageError, match=r"scale of .quality. is 1 to 5; judge has 0 to 1\..*--scale judge=0\.\.1$"):
        judge_ratings(both[0], QUALITY)
    moved = opened(both, QUALITY, {"judge": (0, 1)})
    levels = [[rating.criteria["quality"].level for rating in file.ratings] for file in moved.files]
    assert levels == [PEOPLE, PEOPLE]


def test_a_scale_stated_for_no_rater_applies_to_all_raters_without_a_scale_of_their_own(
    both: list[Path],
) -> None:
    columns = columns_from_options(ColumnOptions(scale=("1-5", "judge=0-1")))
    assert columns.scales == {"judge": (0, 1), "human": (1, 5), "": (1, 5)}
    rated = open_rated(both, None, columns=columns)
    assert [[rating.criteria["quality"].level for rating in file.ratings] for file in rated.files] == [POSITIONS] * 2


@pytest.mark.parametrize(
    ("values", "named"), [([0, 1, 2, 3, 4], "judge=0..4"), ([0, 1, 1, 0, 1], "judge=0..1")], ids=["from 0", "yes or no"]
)
def test_ratings_off_the_rubric_s_scale_are_converted_to_it_if_their_own_scale_is_stated_and_else_refused(
    values: list[float], named: str, tmp_path: Path
) -> None:
    judge = ratings(tmp_path / "judge.jsonl", "gpt", "model", values)
    with pytest.raises(UsageError, match=rf"scale of .quality. is 1 to 5; .*--scale {re.escape(named)}$"):
        judge_ratings(judge, QUALITY)
    moved = opened([judge], QUALITY, {"judge": (min(values), max(values))})
    levels = [rating.criteria["quality"].level for rating in moved.files[0].ratings]
    assert levels == [1 + 4 * value / max(values) for value in values]


def test_one_level_off_the_scale_is_an_unreadable_rating_and_does_not_suggest_another_scale(tmp_path: Path) -> None:
    judge = ratings(tmp_path / "judge.jsonl", "gpt", "model", [0, 2, 3, 5, 5])
    read = judge_ratings(judge, QUALITY)
    assert [rating.criteria["quality"].level for rating in read if "quality" in rating.criteria][-2:] == [5, 5]


def test_ratings_of_a_severe_judge_on_the_rubric_s_scale_are_not_refused_as_being_on_a_different_scale(
    tmp_path: Path,
) -> None:
    severe = ratings(tmp_path / "judge.jsonl", "gpt", "model", [1, 1, 2, 1.5, 2])
    assert len(judge_ratings(severe, QUALITY)) == 5


def test_a_number_off_the_stated_scale_is_refused_with_its_line(both: list[Path]) -> None:
    with pytest.raises(RatingError, match=r"judge\.jsonl:5: quality: 1 isn't on the scale 0 to 0\.9"):
        opened(both, QUALITY, {"judge": (0, 0.9)})


def test_overall_scores_from_1_to_5_are_refused_in_one_sentence_and_converted_if_their_scale_is_stated(
    tmp_path: Path,
) -> None:
    people = ratings(tmp_path / "people.jsonl", "ana", "human", PEOPLE, overall=True)
    with pytest.raises(UsageError, match=r"overall scores are from 0 to 1; human has 1 to 5\..*human=1\.\.5"):
        opened([people], QUALITY, {})
    moved = opened([people], QUALITY, {"human": (1, 5)})
    assert [rating.overall for rating in moved.files[0].ratings] == POSITIONS


def test_agreement_of_annotators_is_refused_if_their_numbers_are_on_different_scales(
    both: list[Path], tmp_path: Path
) -> None:
    path = tmp_path / "both.jsonl"
    path.write_text("\n".join(file.read_text(encoding="utf-8") for file in both), encoding="utf-8")
    with pytest.raises(UsageError, match="Agreement needs one scale: write both as 0 to 1 first"):
        agreement(path)
    assert isinstance(agreement([{"ana": 1, "ben": 2}, {"ana": 2, "ben": 2}]), Agreement)


def test_many_levels_off_the_scale_are_summarized_instead_of_reported_line_by_line(tmp_path: Path) -> None:
    """Two in five of 3,600 labels are off the scale; the error lists a few and counts the others."""
    path = ratings(tmp_path / "people.jsonl", "ana", "human", [3, 4, 5, 6, 7] * 720)
    with pytest.raises(RatingError) as refusal:
        opened([path], QUALITY, {})
    lines = str(refusal.value).splitlines()
    assert len(lines) == 6
    assert lines[0] == f"{path}:4: quality: 6 isn't a level of its scale: 1, 2, 3, 4, 5"
    assert lines[-1] == f"{path}: and 1435 more lines like line 4"
    assert len(refusal.value.faults) == 1440
