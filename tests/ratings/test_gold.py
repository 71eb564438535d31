"""Labels of an example set settled into gold."""

import pytest

from markscheme.errors import ComparisonError
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.submission import Submission
from tests.calibration.made import rating, rubric

ONE = rubric("tone")


def set_of(*labels: tuple[Rating, ...]) -> ExampleSet:
    return ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), truth) for i, truth in enumerate(labels)))


def tone(place: int, rater: str, kind: str, level: float, **more: object) -> Rating:
    return rating(f"e{place}", rater, kind, ONE, [level], **more)  # type: ignore[arg-type]


def test_the_strongest_kind_an_example_has_is_its_gold() -> None:
    truth = set_of(
        (tone(0, "p", "human", 2), tone(0, "panel", "adjudicated", 5)),
        (tone(1, "p", "human", 3), tone(1, "gpt", "model", 1)),
    )
    gold = gold_of(truth, ONE)
    assert gold.levels["tone"].tolist() == [5, 3]
    assert gold.kinds == {"adjudicated": 1, "human": 1}


def test_where_people_labelled_some_the_others_labels_are_set_aside() -> None:
    truth = set_of((tone(0, "p", "human", 2),), (tone(1, "made", "constructed", 3),), (tone(2, "gpt", "model", 3),))
    gold = gold_of(truth, ONE)
    assert (gold.ids, gold.set_aside, gold.reference) == (("e0",), 2, "one-person")
    assert gold_of(truth, ONE, kind="constructed").ids == ("e1",)


def test_labels_by_code_count_where_they_are_asked_for() -> None:
    truth = set_of((tone(0, "p", "human", 2), tone(0, "length", "code", 4)))
    gold = gold_of(truth, ONE, kind="code")
    assert (gold.levels["tone"].tolist(), gold.reference) == ([4.0], "model")


def test_a_decision_is_that_of_the_strongest_kind_that_gave_one() -> None:
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
def test_what_gold_is_worth_follows_from_who_gave_it(kinds: list[str], reference: str) -> None:
    labels = tuple(tone(0, f"r{i}", kind, 3) for i, kind in enumerate(kinds))
    assert gold_of(set_of(labels), ONE).reference == reference


def test_a_tenth_of_examples_with_one_person_still_counts_as_people_s() -> None:
    pairs = [(tone(i, "p", "human", 3), tone(i, "q", "human", 3)) for i in range(9)]
    assert gold_of(set_of(*pairs, (tone(9, "p", "human", 3),)), ONE).reference == "people"
    alone = [(tone(9, "p", "human", 3),), (tone(10, "p", "human", 3),)]
    assert gold_of(set_of(*pairs, *alone), ONE).reference == "one-person"


@pytest.mark.parametrize(("by", "level"), [("median", 3.5), ("mean", 3.25), ("majority", 4.0)])
def test_several_people_become_one_level_by_the_chosen_rule(by: str, level: float) -> None:
    labels = tuple(tone(0, f"p{i}", "human", x) for i, x in enumerate([2, 3, 4, 4]))
    assert gold_of(set_of(labels), ONE, by=by).levels["tone"].tolist() == [level]  # type: ignore[arg-type]


def test_overall_gold_is_the_given_one_else_what_the_levels_earn() -> None:
    truth = set_of((tone(0, "p", "human", 5, overall=0.4),), (tone(1, "p", "human", 4),))
    gold = gold_of(truth, ONE)
    assert gold.scores.tolist() == [0.4, 0.75]
    assert gold.decisions.tolist() == [0.0, 1.0]


def test_a_failed_required_criterion_fails_gold_whatever_the_score() -> None:
    scale = Scale.numbered(1, 5)
    of = Rubric(
        (Criterion(1.0, "a", name="safe", scale=scale, required=True), Criterion(9.0, "b", name="good", scale=scale))
    )
    truth = ExampleSet((Example(Submission("r", {}, "e0"), (rating("e0", "p", "human", of, [1, 5]),)),))
    gold = gold_of(truth, of)
    assert gold.scores.tolist() == [0.9]
    assert gold.decisions.tolist() == [0.0]


def test_nothing_labelled_is_nothing_to_compare() -> None:
    with pytest.raises(ComparisonError, match="no example has a label"):
        gold_of(set_of(()), ONE)
    with pytest.raises(ComparisonError, match="adjudicated"):
        gold_of(set_of((tone(0, "p", "human", 3),)), ONE, kind="adjudicated")
