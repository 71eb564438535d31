"""Judges compared: differences, flips, cost, and the choice."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from markscheme import Rubric
from markscheme.errors import ComparisonError
from markscheme.features.compare.choice import NO_WORSE_MARGIN, Choice, Contender, choose, labels_to_tell, shared_ids
from markscheme.features.compare.view_choice import callout, view
from markscheme.judges.judge import Usage
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.stats.gains import gain_in_hits
from tests.report.reading import text_of

CRITERIA = [{"name": "polite", "description": "Polite"}, {"name": "short", "requirement": "Short"}]
RUBRIC = Rubric.from_dict({"criteria": CRITERIA})
N = 60


def rating(unit: int, rater: str, polite: float, short: bool, kind: str = "model") -> Rating:
    levels = {"polite": Rated(polite), "short": Rated(float(short))}
    return Rating(f"e{unit}", rater, "human" if kind == "human" else "model", levels)


def labels(n: int = N) -> Gold:
    """Gold that walks through the scale: polite 1 to 5, short every second time."""
    examples = [
        Example(Submission(f"r{i}", {}, f"e{i}"), tuple(rating(i, p, 1 + i % 5, i % 2 == 0, "human") for p in "ab"))
        for i in range(n)
    ]
    return gold_of(ExampleSet(tuple(examples)), RUBRIC)


def judge(name: str, wrong: Sequence[int] = (), *, n: int = N, by: int = 2, usd: float | None = None) -> Contender:
    """A judge that rates as gold does, but `by` levels higher (lower at the top) on the examples in `wrong`."""
    ratings = []
    for i in range(n):
        level = 1 + i % 5
        level += 0 if i not in wrong else by if level + by <= 5 else -by
        ratings.append(rating(i, name, level, i % 2 == 0))
    return Contender(name, tuple(ratings), Usage() if usd is None else Usage(n, 1, 1, usd), submissions=n)


def test_the_difference_in_agreement_of_two_judges_is_computed_over_the_examples_that_both_graded() -> None:
    choice = choose(RUBRIC, [judge("old", range(20)), judge("new", range(10))], labels())
    pair = choice.pairs[0]
    agreement = pair.figures["agreement"]
    assert agreement.first.value == pytest.approx(40 / 60)
    assert agreement.second.value == pytest.approx(50 / 60)
    assert agreement.difference.value == pytest.approx(10 / 60)
    assert agreement.difference.low is not None
    assert agreement.difference.low > 0
    assert pair.n == N


def test_errors_and_exact_agreement_are_reported_for_both_judges_with_their_difference() -> None:
    pair = choose(RUBRIC, [judge("old"), judge("new", range(0, 60, 5))], labels()).pairs[0]
    assert pair.figures["mae"].first.value == 0.0
    assert pair.figures["mae"].second.value == pytest.approx(12 / 60 * 0.25)
    assert pair.figures["signed_error"].difference.value == pytest.approx(0.05)
    polite = pair.criteria["polite"]
    assert polite.exact is not None
    assert polite.exact.first.value == 1.0
    assert polite.exact.second.value == pytest.approx(0.8)
    assert polite.between.value == pytest.approx(0.8)
    assert polite.shift.value == pytest.approx(0.4)
    assert polite.p < 0.001
    assert pair.criteria["short"].p == 1.0


def test_each_judge_s_figures_use_only_examples_that_all_judges_graded() -> None:
    """The first judge is wrong where gold fails and the second has graded nothing."""
    hard = [i for i in range(N) if i % 5 == 0 and i % 2 == 1]
    second = judge("new")
    ratings = tuple(rating for rating in second.ratings if int(rating.id[1:]) not in hard)
    choice = choose(RUBRIC, [judge("old", hard, by=4), replace(second, ratings=ratings)], labels())
    assert [standing.false_passes for standing in choice.standings] == [0, 0]
    assert choice.pairs[0].false_passes == ((), ())
    assert {standing.agreement.n for standing in choice.standings if standing.agreement} == {N - len(hard)}
    assert "of the 54 examples that every judge graded" in choice.notes[-1]


def test_a_comparison_lists_the_examples_with_false_passes_and_those_with_flipped_decisions() -> None:
    wrong = [i for i in range(N) if i % 5 == 0 and i % 2 == 1]  # polite 1 and not short: gold fails them
    pair = choose(RUBRIC, [judge("old"), judge("new", wrong, by=4)], labels()).pairs[0]
    assert pair.false_passes == ((), tuple(f"e{i}" for i in wrong))
    assert {flip.id for flip in pair.flips} == {f"e{i}" for i in wrong}
    assert all(flip.passes and flip.gold is False for flip in pair.flips)
    assert pair.flips_p == pytest.approx(2 * 0.5 ** len(wrong) / 2)


def test_flipped_decisions_are_listed_with_the_largest_change_of_score_first() -> None:
    new = list(judge("new").ratings)
    new[1], new[5] = rating(1, "new", 5, False), rating(5, "new", 5, True)
    pair = choose(RUBRIC, [judge("old"), Contender("new", tuple(new))], labels()).pairs[0]
    assert [(flip.id, flip.scores) for flip in pair.flips] == [("e5", (0.0, 1.0)), ("e1", (0.125, 0.5))]


def test_compare_names_only_the_criteria_on_which_a_shift_between_two_judges_is_shown() -> None:
    same = choose(RUBRIC, [judge("old"), judge("new")], None).pairs[0]
    assert same.moved == "No shift from old to new is shown."
    higher = choose(RUBRIC, [judge("old"), judge("new", range(0, N, 5))], None).pairs[0]
    assert higher.criteria["polite"].p < 0.05
    assert higher.moved.startswith("From old to new moved: polite by +0.40 levels")


def test_compare_without_gold_shows_only_differences_between_the_judges() -> None:
    choice = choose(RUBRIC, [judge("old"), judge("new", range(30))], None)
    pair = choice.pairs[0]
    assert (choice.reference, choice.recommended, choice.best, pair.figures) == (None, None, None, {})
    assert "without labels" in choice.because
    assert pair.criteria["polite"].exact is None
    assert pair.criteria["polite"].between.value == 0.5
    assert pair.flips
    assert all(flip.gold is None for flip in pair.flips)


def test_each_judge_s_cost_is_shown_next_to_its_agreement() -> None:
    contenders = [judge("dear", usd=6.0), judge("cheap", usd=0.6), judge("bad", range(30), usd=0.06)]
    choice = choose(RUBRIC, contenders, labels())
    assert [s.usd_per_1000 for s in choice.standings] == pytest.approx([100.0, 10.0, 1.0])
    assert choice.best == "dear"
    assert (choice.standings[2].not_worse, choice.standings[2].is_worse) == (False, True)


def equals(n: int) -> Choice:
    """Two judges that always agree with gold, one at a tenth of the other's price."""
    return choose(RUBRIC, [judge("dear", n=n, usd=6.0), judge("cheap", n=n, usd=0.6)], labels(n))


def test_few_labels_cannot_show_whether_the_cheaper_judge_is_worse() -> None:
    few = equals(20)
    assert (few.standings[1].not_worse, few.recommended) == (False, "dear")
    assert few.standings[1].labels_needed is not None
    assert 0 < few.standings[1].labels_needed <= 80
    assert "may be worse by 5 points or more" in few.because


def test_with_enough_labels_the_cheapest_judge_that_is_no_worse_than_the_best_is_recommended() -> None:
    many = equals(100)
    assert (many.standings[1].not_worse, many.recommended) == (True, "cheap")
    assert "cheapest" in many.because


def test_no_judge_is_called_cheapest_unless_all_prices_are_known() -> None:
    choice = choose(RUBRIC, [judge("dear", n=100, usd=6.0), judge("cheap", n=100)], labels(100))
    assert (choice.recommended, choice.best) == (None, "dear")
    assert "what cheap costs is not known" in choice.because


def test_the_cost_of_a_judge_is_computed_from_its_live_calls_and_not_lowered_by_cached_replies() -> None:
    half_kept = Contender("a", (), Usage(30, 1, 1, 0.3), from_cache=30, submissions=60)
    assert half_kept.usd_per_1000 == pytest.approx(10.0)
    assert Contender("a", (), Usage(0), from_cache=60, submissions=60).usd_per_1000 is None


def test_a_comparison_of_two_judges_predicts_the_new_judge_s_score_for_each_score_of_the_old_judge() -> None:
    pair = choose(RUBRIC, [judge("old"), judge("new", range(0, 60, 5))], labels()).pairs[0]
    assert pair.link.undefined is None
    assert [point.old for point in pair.link.points] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert all(point.low <= (point.mean.value or 0) <= point.high for point in pair.link.points)
    assert pair.old_passes_that_pass.value == 1.0


def test_judges_with_no_example_in_common_are_not_compared() -> None:
    elsewhere = Contender("new", tuple(rating(i, "new", 3, True) for i in range(100, 120)))
    with pytest.raises(ComparisonError, match="old and new rated no example in common"):
        choose(RUBRIC, [judge("old"), elsewhere], None)
    with pytest.raises(ComparisonError, match="no example in common"):
        choose(RUBRIC, [judge("old"), elsewhere], labels())


def test_choosing_between_judges_is_refused_for_a_single_judge() -> None:
    with pytest.raises(ValueError, match="two judges or more"):
        choose(RUBRIC, [judge("old")], None)


def test_an_example_that_one_of_two_compared_judges_did_not_grade_is_left_out_for_both() -> None:
    ungraded = [
        Rating(r.id, "new", "model", error="no answer") if i < 5 else r for i, r in enumerate(judge("new").ratings)
    ]
    choice = choose(RUBRIC, [judge("old", range(5)), Contender("new", tuple(ungraded))], labels())
    assert [s.not_graded for s in choice.standings] == [0, 5]
    assert choice.pairs[0].n == 55
    assert choice.pairs[0].figures["agreement"].first.value == 1.0
    assert choice.standings[0].agreement is not None
    assert choice.standings[0].agreement.n == 55


def test_each_two_of_three_judges_are_compared() -> None:
    choice = choose(RUBRIC, [judge("a"), judge("b", range(9)), judge("c", range(3))], labels())
    assert [(p.first, p.second) for p in choice.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert choice.best == "a"


@pytest.mark.parametrize("difference", [-1.0, math.nan])
def test_no_number_of_further_labels_is_given_if_one_judge_is_always_worse_or_the_judges_share_no_example(
    difference: float,
) -> None:
    assert labels_to_tell(np.full(30, difference)) is None


def test_labels_needed_to_tell_judges_apart_grow_with_the_number_of_examples_per_task() -> None:
    differences = np.array([1.0, -1.0] + [0.0] * 18)
    alone = labels_to_tell(differences)
    assert labels_to_tell(np.repeat(differences, 3), groups=[f"t{n // 3}" for n in range(60)]) == 3 * (alone or 0)
    assert labels_to_tell(np.zeros(51), groups=[f"t{n // 5}" for n in range(51)]) is None


def test_the_labels_needed_are_enough_to_show_a_judge_no_worse_if_further_examples_are_like_those_so_far() -> None:
    differences = np.array([1.0, -1.0] * 3 + [0.0] * 54)
    needed = labels_to_tell(differences)
    assert needed is not None
    more = np.resize(np.array([1.0, -1.0] * 3 + [0.0] * 54), 60 * math.ceil(needed / 60))
    hits = np.where(more > 0, 1.0, 0.0), np.where(more < 0, 1.0, 0.0)
    settled = gain_in_hits(hits[0], hits[1], level=0.90)
    assert settled.low is not None
    assert settled.low > -NO_WORSE_MARGIN


YES_NO_ONLY = Rubric.from_dict({"criteria": [{"name": "right", "requirement": "It is right."}]})


def decided(fails: int, passes: int) -> Gold:
    """Gold of a yes/no rubric by two annotators: so many fails, then so many passes."""
    examples = [
        Example(
            Submission(f"r{i}", {}, f"e{i}"),
            tuple(Rating(f"e{i}", rater, "human", {"right": Rated(float(i >= fails))}) for rater in "ab"),
        )
        for i in range(fails + passes)
    ]
    return gold_of(ExampleSet(tuple(examples)), YES_NO_ONLY)


def deciding(name: str, n: int, passed: Sequence[int], usd: float) -> Contender:
    """A judge that passes these of n examples and fails the others."""
    rated = (Rating(f"e{i}", name, "model", {"right": Rated(float(i in passed))}) for i in range(n))
    return Contender(name, tuple(rated), Usage(n, 1, 1, usd), submissions=n)


def test_a_judge_that_is_shown_to_be_able_to_gate_is_ranked_before_one_that_agrees_more_often() -> None:
    lets_fails_pass = deciding("lenient", 200, range(11, 200), usd=0.1)
    stops_and_keeps = deciding("even", 200, range(20, 188), usd=6.0)
    choice = choose(YES_NO_ONLY, [lets_fails_pass, stops_and_keeps], decided(20, 180))
    lenient, even = choice.standings
    assert (lenient.gate, even.gate) == ("open", "shown")
    assert lenient.agreement is not None
    assert even.agreement is not None
    assert (lenient.agreement.value, even.agreement.value) == (191 / 200, 188 / 200)
    assert (choice.best, choice.recommended) == ("even", "even")
    assert not choice.agrees_most
    assert "lenient is not" in choice.because
    assert "It is shown to stop and keep enough to gate" in text_of(view(choice))


def test_a_comparison_of_judges_by_decisions_also_shows_the_agreement_of_scores_for_each_pair_of_judges() -> None:
    """The second judge is one level off on six examples, where that changes no decision."""
    near = Contender("near", tuple(rating(i, "near", 1 + i % 5 - (i % 10 == 4), i % 2 == 0) for i in range(N)))
    choice = choose(RUBRIC, [judge("exact"), near], labels())
    assert [s.agreement.value for s in choice.standings if s.agreement] == [1.0, 1.0]
    assert (choice.measure.name, choice.paired.name, choice.baseline) == ("score", "decision", None)
    agreement = choice.pairs[0].figures["agreement"]
    assert (agreement.first.value, agreement.second.value) == (1.0, 54 / 60)
    assert choice.pairs[0].figures["accuracy"].second.value == 1.0


def test_the_recommendation_of_a_judge_is_marked_as_good_only_if_the_other_judge_is_shown_to_be_worse() -> None:
    wrong = {"near": range(2, 15, 5), "far": range(60)}
    shown = {
        name: callout(choose(RUBRIC, [judge("best", usd=1.0), judge(name, wrong[name], usd=2.0)], labels()))
        for name in wrong
    }
    assert [(box.tone, box.head) for box in shown.values()] == [("note", "Choose best."), ("good", "Choose best.")]
    assert ["Whether near is worse isn't known." in str(box.text) for box in shown.values()] == [True, False]


def test_judges_are_compared_by_score_if_the_rubric_makes_no_decision() -> None:
    values = replace(RUBRIC, table_of="values")
    choice = choose(values, [judge("old", range(20)), judge("new", range(10))], labels())
    assert choice.paired == choice.measure
    assert choice.baseline is not None
    assert {s.gate for s in choice.standings} == {None}
    assert [s.trend for s in choice.standings] == ["refused", "open"]


def test_the_best_judge_is_not_recommended_for_a_gate_if_all_judges_let_too_many_fails_pass() -> None:
    contenders = [deciding(name, 200, range(first, 200), usd=1.0) for name, first in (("one", 8), ("two", 12))]
    choice = choose(YES_NO_ONLY, contenders, decided(32, 168))
    assert {s.gate for s in choice.standings} == {"refused"}
    assert choice.why_refused is not None
    assert "20 of the 32" in choice.why_refused
    assert "These are 95% CIs for the 2 settings tried on these labels together." in choice.why_refused
    assert view(choice).blocks[0] == callout(choice)
    assert callout(choice).tone == "bad"


def test_ids_that_all_lists_of_ratings_share_keep_the_order_of_the_first_list() -> None:
    first, second = (
        [rating(unit, rater, 1, True) for unit in units] for rater, units in (("p", (3, 1, 2)), ("q", (1, 2, 4)))
    )
    assert shared_ids([first, second]) == ("e1", "e2")
