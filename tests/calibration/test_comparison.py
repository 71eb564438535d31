"""Gold from whoever labelled, and a judge beside it."""

import numpy as np
import pytest

from markscheme.calibration.comparison import MOST_RATER_COLUMNS, by_place, compare, gold_of, levels_by_person
from markscheme.errors import ComparisonError
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.rating import MOST_COLUMNS, Rated, Rating, level_table
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.submission import Submission
from tests.calibration.made import Made, compared, examples, judged, rating, rubric

ONE = rubric("tone")


def set_of(*labels: tuple[Rating, ...]) -> ExampleSet:
    return ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), given) for i, given in enumerate(labels)))


def tone(place: int, rater: str, kind: str, level: float, **more: object) -> Rating:
    return rating(f"e{place}", rater, kind, ONE, [level], **more)  # type: ignore[arg-type]


# --- gold -----------------------------------------------------------------------------------------------------------


def test_the_strongest_kind_an_example_has_is_its_gold() -> None:
    given = set_of(
        (tone(0, "p", "human", 2), tone(0, "panel", "adjudicated", 5)),
        (tone(1, "p", "human", 3), tone(1, "gpt", "model", 1)),
    )
    gold = gold_of(given, ONE)
    assert gold.levels["tone"].tolist() == [5, 3]
    assert gold.kinds == {"adjudicated": 1, "human": 1}


def test_where_people_labelled_some_the_others_labels_are_set_aside() -> None:
    given = set_of((tone(0, "p", "human", 2),), (tone(1, "made", "constructed", 3),), (tone(2, "gpt", "model", 3),))
    gold = gold_of(given, ONE)
    assert (gold.ids, gold.set_aside, gold.reference) == (("e0",), 2, "one-person")
    assert gold_of(given, ONE, kind="constructed").ids == ("e1",)


def test_labels_by_code_count_where_they_are_asked_for() -> None:
    given = set_of((tone(0, "p", "human", 2), tone(0, "length", "code", 4)))
    gold = gold_of(given, ONE, kind="code")
    assert (gold.levels["tone"].tolist(), gold.reference) == ([4.0], "model")


def test_a_decision_is_that_of_the_strongest_kind_that_gave_one() -> None:
    given = set_of(
        (
            tone(0, "p", "human", 5, passed=True),
            tone(0, "q", "human", 5, passed=True),
            tone(0, "panel", "adjudicated", 1, passed=False),
        )
    )
    assert gold_of(given, ONE).passed.tolist() == [0.0]


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
    given = set_of((tone(0, "p", "human", 5, overall=0.4),), (tone(1, "p", "human", 4),))
    gold = gold_of(given, ONE)
    assert gold.overall.tolist() == [0.4, 0.75]
    assert gold.passed.tolist() == [0.0, 1.0]


def test_a_failed_required_criterion_fails_gold_whatever_the_score() -> None:
    scale = Scale.numbered(1, 5)
    of = Rubric(
        (Criterion(1.0, "a", name="safe", scale=scale, required=True), Criterion(9.0, "b", name="good", scale=scale))
    )
    given = ExampleSet((Example(Submission("r", {}, "e0"), (rating("e0", "p", "human", of, [1, 5]),)),))
    gold = gold_of(given, of)
    assert gold.overall.tolist() == [0.9]
    assert gold.passed.tolist() == [0.0]


def test_nothing_labelled_is_nothing_to_compare() -> None:
    with pytest.raises(ComparisonError, match="no example has a label"):
        gold_of(set_of(()), ONE)
    with pytest.raises(ComparisonError, match="adjudicated"):
        gold_of(set_of((tone(0, "p", "human", 3),)), ONE, kind="adjudicated")


# --- comparison -----------------------------------------------------------------------------------------------------


def test_a_judge_that_rated_none_of_the_labelled_is_refused() -> None:
    truth = gold_of(set_of((tone(0, "p", "human", 3),)), ONE)
    with pytest.raises(ComparisonError, match="rated none"):
        compare(ONE, truth, [tone(7, "judge", "model", 3)])


def test_agreement_rounds_the_difference_before_it_is_held_against_the_tolerance() -> None:
    given = set_of(*((tone(i, "p", "human", 3, overall=0.6),) for i in range(3)))
    judge = [Rating(f"e{i}", "judge", "model", overall=score) for i, score in enumerate([0.7, 0.69, 0.5])]
    comparison = compare(ONE, gold_of(given, ONE), judge)
    assert comparison.misses.tolist() == [0.1, 0.09, -0.1]
    assert comparison.agreement.value == pytest.approx(1 / 3)


def test_false_passes_come_farthest_off_first() -> None:
    given = set_of(*((tone(i, "p", "human", level),) for i, level in enumerate([1, 2, 5, 4])))
    comparison = compare(ONE, gold_of(given, ONE), judged(ONE, [[5], [5], [1], [4]]))
    assert comparison.false_passes == ["e0", "e1"]
    assert comparison.false_fails == ["e2"]


def test_several_answers_of_the_judge_count_as_their_median() -> None:
    given = set_of((tone(0, "p", "human", 3),))
    askings = [tone(0, "judge", "model", level, sample=i) for i, level in enumerate([1, 5, 4])]
    assert compare(ONE, gold_of(given, ONE), askings).criteria["tone"].judge.tolist() == [4]


def test_criteria_count_every_example_with_a_level_also_of_an_ungraded_response() -> None:
    of = rubric("clarity", "tone")
    given = examples(of, {"p": [[3, 3], [4, 4]]})
    comparison = compared(of, given, judged(of, [[3.0, 3.0], [5.0, float("nan")]]))
    assert comparison.agreement.n == 1
    assert comparison.criteria["clarity"].statistics["mae"].n == 2


def test_an_ungraded_response_counts_in_no_kappa() -> None:
    given = set_of(*((tone(i, "p", "human", level),) for i, level in enumerate([1, 5, 1, 5, 5, 5, 5])))
    judge = [tone(i, "judge", "model", level) for i, level in enumerate([1, 5, 5])]
    kappa = compare(ONE, gold_of(given, ONE), judge).overall["pass_kappa"]
    assert kappa.value == pytest.approx(0.4)
    assert kappa.n == 3


def test_two_people_give_a_person_left_out_beside_the_judge_and_a_ceiling() -> None:
    made = Made(60)
    comparison = compared(made.rubric, examples(made.rubric, made.people), judged(made.rubric, made.judge))
    assert comparison.agreement_person is not None
    assert comparison.criteria["tone"].ceiling is not None
    one = compared(made.rubric, examples(made.rubric, {"p1": made.people["p1"]}), judged(made.rubric, made.judge))
    assert one.agreement_person is None
    assert one.criteria["tone"].ceiling is None


# --- people as columns ----------------------------------------------------------------------------------------------


def test_a_column_is_one_person_on_every_criterion() -> None:
    of = rubric("clarity", "tone")
    people = [
        rating("e0", "ann", "human", of, [1, np.nan]),
        rating("e0", "bob", "human", of, [2, 3]),
        rating("e1", "bob", "human", of, [4, 5]),
    ]
    tables = levels_by_person(people, ["e0", "e1"], of)
    assert tables["clarity"].tolist()[0] == [1, 2]
    np.testing.assert_array_equal(tables["tone"], [[np.nan, 3], [np.nan, 5]])


def test_a_crowd_stands_as_first_and_second_rating_of_an_example() -> None:
    n = MOST_RATER_COLUMNS + 3
    people = [tone(i, f"crowd{i}{k}", "human", k + 1) for i in range(n) for k in range(2)]
    table = levels_by_person(people, [f"e{i}" for i in range(n)], ONE)["tone"]
    assert table.tolist() == [[1, 2]] * n
    sparse = np.full((n, 2 * n), np.nan)
    for i in range(n):
        sparse[i, 2 * i : 2 * i + 2] = [1, 2]
    assert by_place(sparse).tolist() == table.tolist()


def test_a_table_of_a_crowd_stays_narrow() -> None:
    n = MOST_COLUMNS + 10
    people = [tone(i, f"crowd{i}", "human", 3) for i in range(n)]
    table = level_table(people, [f"e{i}" for i in range(n)], "tone")
    assert table.values.shape == (n, 1)


def test_a_person_who_rated_twice_counts_with_the_median() -> None:
    twice = [Rating("e0", "p", "human", {"tone": Rated(level)}, sample=i) for i, level in enumerate([2.0, 5.0])]
    assert levels_by_person(twice, ["e0"], ONE)["tone"].tolist() == [[3.5]]
