"""Reading and writing of ratings."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric
from markscheme.errors import RatingError
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.rating import DECLINED_KEYS, Declined, Rated, Rating, RatingReader

RUBRIC = Rubric.from_dict(
    {
        "name": "reply",
        "criteria": [
            {"name": "clarity", "description": "Clear", "weight": 3},
            {"name": "polite", "requirement": "Polite", "weight": 1, "not_applicable": True},
        ],
    }
)


def test_a_rating_that_is_written_to_a_file_and_read_again_is_unchanged() -> None:
    rating = Rating(
        "a",
        "judge",
        "model",
        {
            "clarity": Rated(4.0, "clear", "Done", True, under="f"),
            "polite": Rated(None, "no words to a customer", declined="not applicable"),
        },
        overall=0.75,
        passed=True,
        sample=2,
        at="2026-11-21",
        under="g",
        blind=False,
        note="late",
    )
    line = json.loads(json.dumps(rating.to_json()))
    assert RatingReader(RUBRIC).rating(line) == rating


@pytest.mark.parametrize("declined", DECLINED_KEYS.values())
def test_a_rating_without_a_level_such_as_an_abstention_is_unchanged_after_it_is_written_as_json_and_read(
    declined: Declined,
) -> None:
    rating = Rating("a", "j", "model", {"clarity": Rated(None, "why", declined=declined)})
    assert RatingReader(RUBRIC).rating(rating.to_json()).criteria["clarity"].declined == declined


def test_a_line_of_ratings_may_name_its_rater_by_a_key_named_judge(
    tmp_path: Path,
) -> None:
    path = tmp_path / "judge.jsonl"
    path.write_text('{"id": "a", "judge": "gpt", "criteria": {"clarity": 4}}\n\n{"id": "b", "criteria": {"tone": 1}}\n')
    with pytest.raises(
        RatingError, match=r"judge\.jsonl:3: rubric 'reply' has no criterion 'tone'; it has clarity, polite"
    ):
        load_ratings(path, RUBRIC)
    path.write_text('{"id": "a", "judge": "gpt", "criteria": {"clarity": 4, "polite": null}}\n')
    (rating,) = load_ratings(path, RUBRIC)
    assert (rating.rater, rating.kind, list(rating.criteria)) == ("gpt", "model", ["clarity"])


def test_ratings_by_a_judge_without_a_stated_kind_are_not_taken_for_a_person_s(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "judge": "gpt", "criteria": {"clarity": 4}},
        {"id": "a", "rater": "ann", "criteria": {"clarity": 4}},
    ]
    assert [r.kind for r in load_ratings(_file(tmp_path, *rows), RUBRIC, kind="human")] == ["model", "human"]


def test_a_judge_s_answer_off_the_scale_may_be_kept_as_unreadable_but_a_person_s_is_always_refused(
    tmp_path: Path,
) -> None:
    levels: list[Any] = [9, "good", {"level": "MET", "reason": "so"}, {"level": True}, 4.5]
    rows: list[dict[str, Any]] = [
        {"id": f"e{i}", "judge": "gpt", "criteria": {"clarity": level}} for i, level in enumerate(levels)
    ]
    whole = {"id": "whole", "judge": "gpt", "overall": 70}
    ratings = load_ratings(_file(tmp_path, *rows, whole), RUBRIC, keep_unread=True)
    assert [r.criteria["clarity"].declined for r in ratings[:5]] == ["unread"] * 4 + [None]
    assert ratings[0].criteria["clarity"].reason == "clarity: 9 isn't a level of its scale: 1, 2, 3, 4, 5"
    assert (ratings[5].overall, ratings[5].error) == (None, "overall is a score from 0 to 1, found 70")
    with pytest.raises(RatingError, match=r"ann\.jsonl:1: clarity: 9 isn't a level"):
        load_ratings(_file(tmp_path, rows[0]), RUBRIC)
    with pytest.raises(RatingError, match="9 isn't a level"):
        load_ratings(_file(tmp_path, rows[0] | {"kind": "human"}), RUBRIC, keep_unread=True)


def _file(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "ann.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_of_two_lines_by_one_annotator_on_one_example_the_later_line_counts_on_each_criterion_that_it_rates(
    tmp_path: Path,
) -> None:
    by = {"id": "a", "rater": "ann", "kind": "human"}
    path = _file(
        tmp_path,
        by | {"criteria": {"clarity": 2, "polite": True}, "note": "hm"},
        by | {"criteria": {"clarity": 1}, "sample": 1},
        by | {"criteria": {"clarity": 5}},
    )
    again, first = load_ratings(path, RUBRIC)
    assert (again.sample, again.criteria["clarity"].level) == (1, 1.0)
    assert (first.criteria["clarity"].level, first.criteria["polite"].level, first.note) == (5.0, 1.0, "hm")


def test_a_rater_s_later_line_under_a_new_wording_replaces_the_answer_on_the_reworded_criterion_only(
    tmp_path: Path,
) -> None:
    by = {"id": "a", "rater": "ann", "kind": "human"}
    path = _file(
        tmp_path,
        by | {"criteria": {"clarity": 2, "polite": True}, "overall": 0.2, "under": "old"},
        by | {"criteria": {"clarity": 5}, "under": "new"},
    )
    (rating,) = load_ratings(path, RUBRIC)
    levels = {name: (rated.level, rated.under) for name, rated in rating.criteria.items()}
    assert levels == {"clarity": (5.0, ""), "polite": (1.0, "old")}
    assert (rating.superseded["clarity"].level, rating.superseded["clarity"].under) == (2.0, "old")
    assert rating.overall is None


def test_a_line_that_says_withdrawn_removes_the_rater_s_earlier_rating(tmp_path: Path) -> None:
    by = {"id": "a", "rater": "ann", "kind": "human"}
    path = _file(tmp_path, by | {"criteria": {"clarity": 2}}, by | {"withdrawn": True})
    assert load_ratings(path, RUBRIC) == []


def test_two_identical_lines_of_ratings_by_a_judge_or_an_unnamed_rater_count_as_two_ratings(tmp_path: Path) -> None:
    judge = {"id": "a", "rater": "gpt", "criteria": {"clarity": 2}}
    nobody = {"id": "a", "kind": "human", "criteria": {"clarity": 2}}
    assert len(load_ratings(_file(tmp_path, judge, judge, nobody, nobody), RUBRIC)) == 4


@pytest.mark.parametrize("named", [{"judge": {"value": "judge-1"}}, {"rater": ["ann", "ben"]}])
def test_an_invalid_rater_s_name_is_refused_with_its_file_and_line(tmp_path: Path, named: dict[str, Any]) -> None:
    (tmp_path / "judge.jsonl").write_text(json.dumps({"id": "a", **named, "criteria": {"polite": "MET"}}) + "\n")
    with pytest.raises(RatingError, match=r"judge\.jsonl:1: a rater has a name, found"):
        load_ratings(tmp_path / "judge.jsonl", RUBRIC)
