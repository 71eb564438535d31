"""Tables of ratings as arrays: one column per rater, with several samples combined by one rule."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import (
    MOST_ANNOTATORS,
    collapsed,
    column_of,
    overall_of,
    rating_table,
    stacked,
)
from markscheme.rubrics.rubric import Rubric
from tests.calibration.made import rating, rubric

ONE = rubric("tone")
RUBRIC = Rubric.from_dict(
    {
        "name": "r",
        "criteria": [
            {"name": "clarity", "description": "Is clear.", "weight": 3},
            {"name": "polite", "requirement": "Is polite.", "weight": 1},
        ],
    }
)
REQUIRED = Rubric.from_dict(
    {"criteria": [{"name": "safe", "requirement": "Is safe.", "required": True}, {"name": "good", "requirement": "G."}]}
)


def tone(unit: str, rater: str, level: float, **more: object) -> Rating:
    return rating(unit, rater, "human", ONE, [level], **more)


def test_an_overall_score_that_is_not_stated_is_computed_if_all_criteria_have_levels() -> None:
    both = {"clarity": Rated(5.0), "polite": Rated(0.0)}
    assert overall_of(Rating("a", "r", "human", both, overall=0.2), RUBRIC) == 0.2
    assert overall_of(Rating("a", "r", "human", both), RUBRIC) == 0.75
    assert overall_of(Rating("a", "r", "human", {"clarity": Rated(5.0)}), RUBRIC) is None
    skipped = {"clarity": Rated(5.0), "polite": Rated(None, declined="not applicable")}
    assert overall_of(Rating("a", "r", "human", skipped), RUBRIC) == 1.0
    declined = {"clarity": Rated(5.0), "polite": Rated(None, declined="abstained")}
    assert overall_of(Rating("a", "r", "human", declined), RUBRIC) is None


def test_a_rating_s_decision_that_is_not_stated_is_derived_from_its_score_and_required_criteria() -> None:
    levels = {"safe": Rated(0.0), "good": Rated(1.0)}
    assert collapsed([Rating("a", "r", "model", levels)], REQUIRED).decision is False
    assert collapsed([Rating("a", "r", "model", levels, passed=True)], REQUIRED).decision is True
    assert collapsed([Rating("a", "r", "model", {"safe": Rated(1.0)})], REQUIRED).decision is None


def test_a_table_of_ratings_has_a_column_for_each_rater_with_nan_for_missing_ratings() -> None:
    ratings = [
        Rating("a", "r1", "human", {"clarity": Rated(4.0)}),
        Rating("b", "r1", "human", {"clarity": Rated(2.0)}),
        Rating("a", "j", "model", {"clarity": Rated(1.0)}, sample=0),
        Rating("a", "j", "model", {"clarity": Rated(2.0)}, sample=1),
        Rating("elsewhere", "j", "model", {"clarity": Rated(5.0)}),
    ]
    table = rating_table(RUBRIC, ("a", "b"), ratings)
    assert [column.name for column in table.columns] == ["r1", "j"]
    np.testing.assert_array_equal(stacked(table.columns, "clarity"), np.array([[4.0, 1.5], [2.0, np.nan]]))
    assert np.isnan(stacked(table.columns)).all()
    apart = rating_table(RUBRIC, ("a", "b"), ratings, samples_apart=True)
    assert [column.name for column in apart.columns] == ["r1 #0", "j #0", "j #1"]


def test_score_and_decision_of_a_judge_that_is_sampled_several_times_follow_from_the_median_levels() -> None:
    samples = [
        Rating("a", "j", "model", {"safe": Rated(safe), "good": Rated(1.0)}, overall=(safe + 1) / 2, passed=passed)
        for safe, passed in ((0.0, True), (1.0, False), (1.0, False))
    ]
    whole_rating = collapsed(samples, REQUIRED)
    assert (dict(whole_rating.levels), whole_rating.score, whole_rating.decision) == (
        {"safe": 1.0, "good": 1.0},
        1.0,
        True,
    )


def test_if_a_judge_gives_an_overall_score_in_each_of_several_samples_the_median_of_these_scores_counts() -> None:
    samples = [Rating("a", "j", "model", {"tone": Rated(3.0)}, overall=score) for score in (0.2, 0.9, 0.8)]
    assert collapsed(samples, ONE).score == 0.8


@pytest.mark.parametrize(("decisions", "decided"), [([True, True, False], True), ([True, False], None)])
def test_if_several_samples_of_a_judge_have_only_decisions_the_majority_decides(
    decisions: list[bool], decided: bool | None
) -> None:
    samples = [Rating("a", "j", "model", passed=passed, sample=k) for k, passed in enumerate(decisions)]
    assert collapsed(samples, ONE).decision is decided


@pytest.mark.parametrize("again", [None, False])
def test_an_annotator_s_only_decision_on_a_whole_response_counts_even_if_the_levels_were_given_twice(
    again: bool | None,
) -> None:
    levels = {"safe": Rated(1.0), "good": Rated(1.0)}
    asked = Rating("a", "ann", "human", levels, passed=False, whole_under="question")
    combined = collapsed([asked, Rating("a", "ann", "human", levels, passed=again, sample=1)], REQUIRED)
    assert (combined.score, combined.decision) == (1.0, False)


def test_of_several_samples_of_a_judge_on_an_unordered_scale_the_most_frequent_level_counts() -> None:
    kinds = Rubric.from_dict(
        {
            "criteria": [
                {
                    "name": "kind",
                    "requirement": "What it is.",
                    "scale_type": "nominal",
                    "options": [{"label": "a", "value": 0}, {"label": "b", "value": 0.5}, {"label": "c", "value": 1}],
                }
            ]
        }
    )
    samples = [Rating("x", "j", "model", {"kind": Rated(level)}) for level in (0.0, 1.0, 1.0, 0.0, 1.0)]
    assert dict(collapsed(samples, kinds).levels) == {"kind": 1.0}
    assert collapsed(samples[:2], kinds).score is None


def test_the_reason_shown_for_several_samples_of_a_judge_comes_from_the_sample_nearest_to_the_median() -> None:
    samples = [tone("a", "j", level, sample=k) for k, level in enumerate([1.0, 5.0, 4.0])]
    column = column_of("judge", samples, ONE, ["a", "b"])
    assert (column.rating(0), column.rating(1)) == (samples[2], None)


def test_a_column_of_the_table_of_annotators_belongs_to_the_same_annotator_on_every_criterion() -> None:
    of = rubric("clarity", "tone")
    people = [
        rating("e0", "ann", "human", of, [1, np.nan]),
        rating("e0", "bob", "human", of, [2, 3]),
        rating("e1", "bob", "human", of, [4, 5]),
    ]
    table = rating_table(of, ["e0", "e1"], people)
    np.testing.assert_array_equal(stacked(table.annotators, "clarity"), np.array([[1, 2], [np.nan, 4]]))
    np.testing.assert_array_equal(stacked(table.annotators, "tone"), np.array([[np.nan, 3], [np.nan, 5]]))


def test_with_very_many_annotators_the_table_has_two_columns_with_each_example_s_first_and_second_rating() -> None:
    n = MOST_ANNOTATORS + 3
    people = [tone(f"e{i}", f"crowd{i}{k}", k + 1) for i in range(n) for k in range(2)]
    table = rating_table(ONE, [f"e{i}" for i in range(n)], people)
    assert stacked(table.annotators, "tone").tolist() == [[1, 2]] * n


def test_selected_rows_of_a_table_of_ratings_keep_ids_and_groups_and_levels_together() -> None:
    table = rating_table(ONE, ["a", "b", "c"], [tone(unit, "p", k + 1) for k, unit in enumerate("abc")])
    table = replace(table, groups=("x", "y", "x"))
    part = table.rows(np.array([True, False, True]))
    assert (part.ids, part.groups) == (("a", "c"), ("x", "x"))
    assert part["p"].levels["tone"].tolist() == [1, 3]
    assert part["p"].used.ids == ["a", "c"]
    hidden = table["p"].where(np.array([True, False, False]))
    np.testing.assert_array_equal(hidden.levels["tone"], np.array([1, np.nan, np.nan]))


def test_asking_a_table_of_ratings_for_an_unknown_rater_raises_an_error_with_the_known_raters() -> None:
    table = rating_table(ONE, ["a"], [tone("a", "p", 3)])
    with pytest.raises(KeyError, match="there are p"):
        table["q"]


def test_equal_ratings_give_equal_columns_whether_or_not_they_share_one_python_object_of_answers() -> None:
    asked = Rubric.from_dict([{"name": "kind", "requirement": "It is kind.", "weight": 1}])
    alike = {level: {"kind": Rated(level)} for level in (0.0, 1.0)}
    ids = [f"t{place}" for place in range(12)]
    shared = [Rating(unit, "j", "model", alike[float(place % 2)]) for place, unit in enumerate(ids)]
    shared[3] = replace(shared[3], passed=False)
    shared[4] = replace(shared[4], overall=0.9)
    shared.append(replace(shared[5], criteria=alike[0.0], sample=1))
    apart = [replace(rating, criteria=dict(rating.criteria)) for rating in shared]
    one, other = column_of("j", shared, asked, ids), column_of("j", apart, asked, ids)
    assert one.scores.tolist() == pytest.approx(other.scores.tolist(), nan_ok=True)
    assert one.passed == other.passed
    assert one.levels["kind"].tolist() == other.levels["kind"].tolist() == [0, 1, 0, 1, 0, 0.5, 0, 1, 0, 1, 0, 1]
    assert (one.passed[3], one.scores[4]) == (False, 0.9)


def test_levels_of_many_examples_are_converted_to_floats_only_when_they_are_read() -> None:
    units = [f"e{place}" for place in range(10_000)]
    ratings = [tone(unit, "p", 1 + place % 5) for place, unit in enumerate(units) if place % 7]
    tracemalloc.start()
    column = column_of("p", RatingCodes.of(ratings), ONE, units)
    before = tracemalloc.get_traced_memory()[0]
    levels = column.levels["tone"]
    assert tracemalloc.get_traced_memory()[0] - before >= levels.nbytes
    tracemalloc.stop()
    assert levels.dtype == np.float64
    assert np.array_equal(levels, [1 + place % 5 if place % 7 else np.nan for place in range(10_000)], equal_nan=True)
