"""Two columns of a table compared: the one comparison behind every command."""

import numpy as np
import pytest

from markscheme.calibration.comparison.comparison import Comparison, compare
from markscheme.errors import ComparisonError
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.report.sections.first_screen import agreement_bars
from markscheme.rubrics.rubric import Rubric
from tests.calibration.made import Made, compared, examples, judged, rating, rubric

ONE = rubric("tone")


def set_of(*labels: tuple[Rating, ...]) -> ExampleSet:
    return ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), ratings) for i, ratings in enumerate(labels)))


def tone(place: int, rater: str, kind: str, level: float, **more: object) -> Rating:
    return rating(f"e{place}", rater, kind, ONE, [level], **more)  # type: ignore[arg-type]


def against_gold(given: ExampleSet, judge: list[Rating]) -> Comparison:
    return compare(gold_of(given, ONE).judged(ONE, judge))


def test_a_judge_that_rated_none_of_the_labelled_examples_is_refused() -> None:
    truth = gold_of(set_of((tone(0, "p", "human", 3),)), ONE)
    why = r"rated none of the examples that have labels: no rating has the id of one of these 1 example \(e0\)"
    with pytest.raises(ComparisonError, match=why):
        compare(truth.judged(ONE, [tone(7, "judge", "model", 3)]))


def test_a_judge_that_failed_on_all_labelled_examples_is_refused_with_the_commonest_reasons_for_its_failures() -> None:
    truth = gold_of(set_of(*((tone(i, "p", "human", 3),) for i in range(4))), ONE)
    silent = Rated(None, "nothing to go by", declined="abstained")
    ratings = [
        *(Rating(f"e{i}", "judge", "model", error="refused: no key") for i in range(2)),
        Rating("e2", "judge", "model", {"tone": silent}),
        Rating("e3", "judge", "model"),
    ]
    with pytest.raises(ComparisonError) as caught:
        compare(truth.judged(ONE, ratings))
    assert str(caught.value).partition("labels: ")[2] == (
        "2 × refused: no key; 1 × tone: abstained (nothing to go by); 1 × neither a level, a score nor a decision"
    )


def test_a_difference_of_scores_is_rounded_before_it_is_compared_with_the_tolerance() -> None:
    labelled = set_of(*((tone(i, "p", "human", 3, overall=0.6),) for i in range(3)))
    judge = [Rating(f"e{i}", "judge", "model", overall=score) for i, score in enumerate([0.7, 0.69, 0.5])]
    comparison = against_gold(labelled, judge)
    assert comparison.misses.tolist() == [0.1, 0.09, -0.1]
    assert comparison.agreement.value == pytest.approx(1 / 3)


def test_the_false_passes_of_a_comparison_are_listed_with_the_largest_error_first() -> None:
    labelled = set_of(*((tone(i, "p", "human", level),) for i, level in enumerate([1, 2, 5, 4])))
    comparison = against_gold(labelled, judged(ONE, [[5], [5], [1], [4]]))
    assert comparison.false_passes == ["e0", "e1"]
    assert comparison.false_fails == ["e2"]


def test_several_answers_of_the_judge_on_one_example_count_as_their_median() -> None:
    labelled = set_of((tone(0, "p", "human", 3),))
    askings = [tone(0, "judge", "model", level, sample=i) for i, level in enumerate([1, 5, 4])]
    assert against_gold(labelled, askings).criteria["tone"].judge.tolist() == [4]


def test_an_example_without_a_score_still_counts_on_each_criterion_that_the_judge_rated() -> None:
    of = rubric("clarity", "tone")
    labelled = examples(of, {"p": [[3, 3], [4, 4]]})
    comparison = compared(of, labelled, judged(of, [[3.0, 3.0], [5.0, float("nan")]]))
    assert comparison.agreement.n == 1
    assert comparison.criteria["clarity"].statistics["mae"].n == 2


def test_an_ungraded_response_is_left_out_of_every_kappa() -> None:
    labelled = set_of(*((tone(i, "p", "human", level),) for i, level in enumerate([1, 5, 1, 5, 5, 5, 5])))
    judge = [tone(i, "judge", "model", level) for i, level in enumerate([1, 5, 5])]
    kappa = against_gold(labelled, judge).overall["pass_kappa"]
    assert kappa.value == pytest.approx(0.4)
    assert kappa.n == 3


def test_a_comparison_shows_agreement_between_annotators_only_if_there_are_two_annotators() -> None:
    made = Made(60)
    comparison = compared(made.rubric, examples(made.rubric, made.people), judged(made.rubric, made.judge))
    assert comparison.agreement_person is not None
    assert comparison.criteria["tone"].ceiling is not None
    one = compared(made.rubric, examples(made.rubric, {"p1": made.people["p1"]}), judged(made.rubric, made.judge))
    assert one.agreement_person is None
    assert one.criteria["tone"].ceiling is None


# --- several samples ------------------------------------------------------------------------------------------------

YES_NO = Rubric.from_dict({"name": "works", "criteria": [{"name": "works", "requirement": "It works."}]})


def sampled(samples: list[int], *, with_pass: bool) -> tuple[ExampleSet, list[Rating]]:
    """Make twelve yes/no examples and a judge's samples of each: sample 0 is always wrong, all others are right."""
    given, ratings = [], []
    for place in range(12):
        good = place % 2
        label = rating(f"e{place}", "ann", "human", YES_NO, [good])
        given.append(Example(Submission(f"r{place}", {}, f"e{place}"), (label,)))
        for sample in samples:
            level = good if sample else 1 - good
            passed = bool(level) if with_pass else None
            ratings.append(rating(f"e{place}", "judge", "model", YES_NO, [level], sample=sample, passed=passed))
    return ExampleSet(tuple(given)), ratings


@pytest.mark.parametrize("with_pass", [True, False])
def test_a_judge_s_medians_over_three_samples_are_compared_with_gold_in_scores_and_levels_and_decisions(
    with_pass: bool,
) -> None:
    labelled, ratings = sampled([0, 1, 2], with_pass=with_pass)
    truth = gold_of(labelled, YES_NO)
    comparison = compare(truth.judged(YES_NO, ratings))
    assert comparison.agreement.value == 1
    assert comparison.overall["pass_kappa"].value == 1
    assert comparison.criteria["works"].statistics["cohen_kappa"].value == 1
    assert (comparison.false_passes, comparison.false_fails) == ([], [])


def test_a_judge_that_says_yes_in_one_sample_and_no_in_the_other_agrees_with_neither_label() -> None:
    labelled, ratings = sampled([0, 1], with_pass=True)
    comparison = compare(gold_of(labelled, YES_NO).judged(YES_NO, ratings))
    assert comparison.criteria["works"].judge.tolist() == [0.5] * 12
    assert comparison.agreement.value == 0
    assert comparison.criteria["works"].statistics["cohen_kappa"].value is None


def test_one_judge_can_be_compared_with_another_judge_in_place_of_gold() -> None:
    labelled, right = sampled([1], with_pass=False)
    _, wrong = sampled([0], with_pass=False)
    table = gold_of(labelled, YES_NO).judged(YES_NO, right, "right")
    table = table.with_columns(gold_of(labelled, YES_NO).judged(YES_NO, wrong, "wrong")["wrong"])
    comparison = compare(table, judge="right", gold="wrong")
    assert comparison.agreement.value == 0
    assert comparison.criteria["works"].headline.value == -1
    assert np.array_equal(comparison.misses, np.array([-1.0, 1.0] * 6))
    with pytest.raises(TypeError, match=r"isn.t gold"):
        _ = comparison.gold


def labelled_by(*raters: str) -> Comparison:
    """Compare a judge on twelve examples that ann and ben labelled, and further raters the first four."""
    labels = (
        tuple(tone(i, rater, "human", 1 + i % 3) for rater in ("ann", "ben", *(raters if i < 4 else ())))
        for i in range(12)
    )
    return against_gold(set_of(*labels), [tone(i, "judge", "model", 1 + i % 3) for i in range(12)])


@pytest.mark.parametrize(("further", "averaged"), [((), False), (("cleo",), True), (("cleo", "dan"), True)])
def test_if_some_examples_have_more_annotators_than_others_agreement_is_averaged_over_examples(
    further: tuple[str, ...], averaged: bool
) -> None:
    comparison = labelled_by(*further)
    assert comparison.has_uneven_annotators is averaged
    assert comparison.agreement_person is not None
    assert comparison.agreement_person.method.startswith("agreement of two annotators")
    assert ("averaged over examples" in comparison.agreement_person.method) is averaged
    assert ("averaged over examples" in agreement_bars(comparison, 0.8).caption) is averaged


def test_one_example_with_a_single_annotator_does_not_count_as_uneven_numbers_of_annotators() -> None:
    labels = ((tone(i, "ann", "human", 3), *((tone(i, "ben", "human", 3),) if i else ())) for i in range(6))
    assert not against_gold(set_of(*labels), [tone(i, "judge", "model", 3) for i in range(6)]).has_uneven_annotators
