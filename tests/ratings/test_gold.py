"""Combination of an example's labels into gold."""

import numpy as np
import pytest

from markscheme.calibration.comparison.comparison import compare
from markscheme.errors import ComparisonError
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from tests.calibration.made import rating, rubric

ONE = rubric("tone")


def set_of(*labels: tuple[Rating, ...]) -> ExampleSet:
    return ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), truth) for i, truth in enumerate(labels)))


def tone(place: int, rater: str, kind: str, level: float, **more: object) -> Rating:
    return rating(f"e{place}", rater, kind, ONE, [level], **more)  # type: ignore[arg-type]


def test_the_gold_of_an_example_comes_from_its_strongest_kind_of_label() -> None:
    truth = set_of(
        (tone(0, "p", "human", 2), tone(0, "panel", "adjudicated", 5)),
        (tone(1, "p", "human", 3), tone(1, "gpt", "model", 1)),
    )
    gold = gold_of(truth, ONE)
    assert gold.levels["tone"].tolist() == [5, 3]
    assert gold.kinds == {"adjudicated": 1, "human": 1}


def test_examples_without_people_s_labels_are_left_out_of_gold_if_people_labelled_other_examples() -> None:
    truth = set_of((tone(0, "p", "human", 2),), (tone(1, "made", "constructed", 3),), (tone(2, "gpt", "model", 3),))
    gold = gold_of(truth, ONE)
    assert (gold.ids, gold.set_aside, gold.reference) == (("e0",), 2, "one-person")
    assert gold_of(truth, ONE, kind="constructed").ids == ("e1",)


def test_labels_given_by_code_are_gold_if_this_kind_of_label_is_requested() -> None:
    truth = set_of((tone(0, "p", "human", 2), tone(0, "length", "code", 4)))
    gold = gold_of(truth, ONE, kind="code")
    assert (gold.levels["tone"].tolist(), gold.reference) == ([4.0], "model")


def test_the_gold_decision_comes_from_the_strongest_kind_of_label_that_has_a_decision() -> None:
    truth = set_of(
        (
            tone(0, "p", "human", 5, passed=True),
            tone(0, "q", "human", 5, passed=True),
            tone(0, "panel", "adjudicated", 1, passed=False),
        )
    )
    assert gold_of(truth, ONE).decisions.tolist() == [0.0]


@pytest.mark.parametrize(
    ("kinds", "reference"),
    [
        (["adjudicated"], "adjudicated"),
        (["human", "human"], "people"),
        (["human"], "one-person"),
        (["constructed"], "constructed"),
        (["model"], "model"),
        (["constructed", "model"], "constructed"),
    ],
)
def test_the_kind_of_gold_follows_from_who_gave_the_labels(kinds: list[str], reference: str) -> None:
    labels = tuple(tone(0, f"r{i}", kind, 3) for i, kind in enumerate(kinds))
    assert gold_of(set_of(labels), ONE).reference == reference


def test_gold_counts_as_one_person_s_opinion_only_if_over_a_tenth_of_the_examples_have_one_annotator() -> None:
    pairs = [(tone(i, "p", "human", 3), tone(i, "q", "human", 3)) for i in range(9)]
    assert gold_of(set_of(*pairs, (tone(9, "p", "human", 3),)), ONE).reference == "people"
    alone = [(tone(9, "p", "human", 3),), (tone(10, "p", "human", 3),)]
    assert gold_of(set_of(*pairs, *alone), ONE).reference == "one-person"


def test_two_labels_of_one_annotator_on_an_example_do_not_count_as_two_annotators() -> None:
    twice = [(tone(place, "p", "human", 2), tone(place, "p", "human", 3, sample=1)) for place in range(9)]
    once = (tone(9, "p", "human", 2), tone(9, "q", "human", 2))
    assert gold_of(set_of(*twice, once), ONE).reference == "one-person"
    by_two = [(tone(place, "p", "human", 2), tone(place, "q", "human", 3)) for place in range(9)]
    assert gold_of(set_of(*by_two, once), ONE).reference == "people"


@pytest.mark.parametrize(("by", "level"), [("median", 3.5), ("mean", 3.25), ("majority", 4.0)])
def test_levels_by_several_people_are_combined_into_gold_by_the_chosen_rule(by: str, level: float) -> None:
    labels = tuple(tone(0, f"p{i}", "human", x) for i, x in enumerate([2, 3, 4, 4]))
    assert gold_of(set_of(labels), ONE, by=by).levels["tone"].tolist() == [level]  # type: ignore[arg-type]


def test_the_overall_gold_score_is_the_score_that_annotators_gave_or_else_is_computed_from_their_levels() -> None:
    truth = set_of((tone(0, "p", "human", 5, overall=0.4),), (tone(1, "p", "human", 4),))
    gold = gold_of(truth, ONE)
    assert gold.scores.tolist() == [0.4, 0.75]
    assert gold.decisions.tolist() == [0.0, 1.0]


def test_gold_fails_a_response_that_fails_a_required_criterion_whatever_the_gold_score() -> None:
    scale = Scale.numbered(1, 5)
    of = Rubric(
        (Criterion(1.0, "a", name="safe", scale=scale, required=True), Criterion(9.0, "b", name="good", scale=scale))
    )
    truth = ExampleSet((Example(Submission("r", {}, "e0"), (rating("e0", "p", "human", of, [1, 5]),)),))
    gold = gold_of(truth, of)
    assert gold.scores.tolist() == [0.9]
    assert gold.decisions.tolist() == [0.0]


def test_gold_of_examples_without_labels_or_without_labels_of_the_requested_kind_is_refused() -> None:
    with pytest.raises(ComparisonError, match="no example has a label"):
        gold_of(set_of(()), ONE)
    with pytest.raises(ComparisonError, match="adjudicated"):
        gold_of(set_of((tone(0, "p", "human", 3),)), ONE, kind="adjudicated")


YES_NO_ONE = Rubric((Criterion(1.0, "Is it polite?", "polite"),))


def two_say(rubric: Rubric, ana: list[float], ben: list[float], **more: object) -> ExampleSet:
    return set_of(
        (rating("e0", "ana", "human", rubric, ana, **more), rating("e0", "ben", "human", rubric, ben, **more)),
        (rating("e1", "ana", "human", rubric, [1] * len(ana)), rating("e1", "ben", "human", rubric, [1] * len(ana))),
    )


def test_an_even_split_of_annotators_on_a_yes_or_no_criterion_leaves_no_gold_and_counts_in_no_agreement() -> None:
    gold = gold_of(two_say(YES_NO_ONE, [1], [0]), YES_NO_ONE)
    assert np.isnan(gold.levels["polite"]).tolist() == [True, False]
    assert np.isnan(gold.scores).tolist() == [True, False]
    assert np.isnan(gold.decisions).tolist() == [True, False]
    assert gold.even_splits == (("e0", "polite"),)
    for level in (0.0, 1.0):
        compared = compare(
            gold.judged(YES_NO_ONE, [rating(f"e{i}", "j", "model", YES_NO_ONE, [level]) for i in (0, 1)])
        )
        assert (compared.agreement.n, compared.agreement.value) == (1, level)
        assert compared.criteria["polite"].statistics["exact_agreement"].n == 1


def test_the_label_of_an_adjudicator_decides_an_even_split_of_annotators() -> None:
    labels = two_say(YES_NO_ONE, [1], [0]).examples[0].labels
    settled = (*labels, rating("e0", "panel", "adjudicated", YES_NO_ONE, [0]))
    gold = gold_of(set_of(settled), YES_NO_ONE)
    assert (gold.levels["polite"].tolist(), gold.even_splits) == ([0.0], ())


@pytest.mark.parametrize(
    ("weight", "has_score", "has_decision"), [(1.0, True, True), (9.0, False, True), (11.0, False, False)]
)
def test_gold_has_no_score_or_decision_where_an_even_split_of_annotators_could_change_it(
    weight: float, has_score: bool, has_decision: bool
) -> None:
    """One of ten points moves the score by .05 either way, less than the tolerance of .1, nine of 18 by .25; with 11 of
    20 the score is .45 or 1, on either side of the pass mark."""
    rubric = Rubric((Criterion(9.0, "Is it right?", "right"), Criterion(weight, "Is it polite?", "polite")))
    gold = gold_of(two_say(rubric, [1, 1], [1, 0]), rubric)
    assert np.isnan(gold.levels["polite"]).tolist() == [True, False]
    assert (bool(np.isfinite(gold.scores[0])), gold.even_splits) == (has_score, (("e0", "polite"),))
    assert bool(np.isfinite(gold.decisions[0])) == has_decision


def test_an_even_split_of_the_decisions_of_annotators_is_reported() -> None:
    labels = (tone(0, "p", "human", 5, passed=True), tone(0, "q", "human", 5, passed=False))
    gold = gold_of(set_of(labels), ONE)
    assert (np.isnan(gold.decisions).tolist(), gold.even_splits) == ([True], (("e0", "pass or fail"),))
