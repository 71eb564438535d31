"""What ranks the decisions of one judge, and of several that vote."""

import math

import pytest

from markscheme.features.certify.ranked_decisions import RankedDecisions
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Rubric

IDS = ("a", "b", "c")


def polite() -> Rubric:
    """A rubric of one yes/no criterion."""
    return Rubric.from_dict({"criteria": [{"name": "polite", "requirement": "It is polite."}]})


def test_decisions_of_one_judge_are_ranked_by_their_distance_from_the_pass_mark() -> None:
    ratings = [Rating("a", "j", "model", {"polite": Rated(1)}), Rating("b", "j", "model", {"polite": Rated(0)})]
    mark = polite().pass_mark
    ranked = RankedDecisions.of(ratings, polite(), IDS)
    assert ranked.signal == "distance"
    assert ranked.passes.tolist()[:2] == [True, False]
    assert ranked.certainty.tolist() == pytest.approx([1 - mark, mark, math.nan], nan_ok=True)


def test_decisions_of_several_judges_are_ranked_by_the_share_of_votes_and_an_even_split_decides_nothing() -> None:
    votes = {"a": (1, 1, 1, 0), "b": (1, 1, 0, 0), "c": (0, 0, 0, 0)}
    ratings = [
        Rating(id_, f"j{place}", "model", {"polite": Rated(level)})
        for id_, levels in votes.items()
        for place, level in enumerate(levels)
    ]
    ranked = RankedDecisions.of(ratings, polite(), IDS)
    assert ranked.signal == "votes"
    assert ranked.passes.tolist() == [True, False, False]
    assert ranked.certainty.tolist() == pytest.approx([0.75, math.nan, 1.0], nan_ok=True)
