"""Criteria with categories: compared by equality, without score or bias; decisions exist only if some labels pass."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from markscheme import ScriptedJudge
from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.options import LabelOptions
from markscheme.errors import RubricError, UsageError
from markscheme.grading import Grade, Grading, grade_json
from markscheme.grading.score import Score, weigh
from markscheme.grading.verdict import Abstention, Verdict, worse
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.from_grades import rating_of
from markscheme.ratings.rating import Rated, Rating, RatingReader
from markscheme.report.markdown import render_markdown
from markscheme.report.views.calibration import json_of, view
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from tests.reference import categories as worked
from tests.stats.shared_numbers import block

ABC = Scale.of_categories(["a", "b", "c"])
KIND = Rubric((Criterion(1.0, "What the reply does.", "kind", ABC),), name="kind")
PASSING = replace(KIND, criteria=(replace(KIND.criteria[0], passing=("a", "B")),))
TENTHS = Scale.numbered(0, 20)
MIXED = replace(KIND, criteria=(*KIND.criteria, Criterion(1.0, "How well it does it.", "how", TENTHS)))


def rating(unit: str, rater: str, rubric: Rubric, *answers: str | float | None) -> Rating:
    """Make a rating from labels and levels in the order of the criteria; None means that there is none."""
    criteria = {}
    for criterion, answer in zip(rubric.criteria, answers, strict=True):
        level = criterion.scale.named(answer) if isinstance(answer, str) else None
        value = level.value if level is not None else answer
        if not isinstance(value, str) and value is not None:
            criteria[criterion.name] = Rated(value)
    return Rating(unit, rater, "model" if rater == "judge" else "human", criteria)


def calibrated(
    rubric: Rubric,
    judge: Sequence[tuple[str | float | None, ...]],
    people: Mapping[str, Sequence[tuple[str | float | None, ...]]],
    of: str | None = None,
) -> Calibration:
    units = [f"e{place}" for place in range(len(judge))]
    examples = []
    for place, unit in enumerate(units):
        labels = tuple(rating(unit, person, rubric, *answers[place]) for person, answers in people.items())
        examples.append(Example(Submission("x", {}, unit), labels))
    ratings = [rating(unit, "judge", rubric, *answers) for unit, answers in zip(units, judge, strict=True)]
    rater = Rater("judge", "", "ratings")
    return calibration_of(rubric, ExampleSet(tuple(examples)), ratings, rater, options=LabelOptions(of=of))


def alone(labels: Sequence[str]) -> list[tuple[str | float | None, ...]]:
    return [(label,) for label in labels]


WORKED = calibrated(KIND, alone(worked.JUDGE), {f"p{n}": alone(who) for n, who in enumerate(worked.ANNOTATORS)})


def test_the_gold_category_is_the_most_frequent_category_and_is_missing_if_annotators_split_evenly() -> None:
    levels = WORKED.comparison.gold.levels["kind"]
    labels = [None if math.isnan(level) else ABC.level_name(level) for level in levels]
    assert tuple(labels) == worked.GOLD
    assert WORKED.comparison.gold.even_splits == (("e1", "kind"), ("e7", "kind"))


def test_the_hand_calculated_figures_on_categories_in_the_tests_equal_those_in_the_file_of_reference_values() -> None:
    alone_case, mixed = block("verdict3.yaml", "unordered")
    assert alone_case["judge"] == worked.JUDGE
    assert alone_case["people"] == list(worked.ANNOTATORS)
    assert alone_case["gold"] == list(worked.GOLD)
    assert (alone_case["agreement"], alone_case["people_agree"]) == ([*worked.AGREEMENT], [*worked.ANNOTATORS_AGREE])
    constant = alone_case["best_constant"]
    assert (constant["taken"], constant["hits"], constant["of"]) == worked.CONSTANT
    assert mixed["tolerance"] == MIXED.tolerance
    pairs = zip(mixed["judge"], mixed["gold"], mixed["agree"], strict=True)
    assert [(tuple(judge), tuple(gold), bool(agree)) for judge, gold, agree in pairs] == list(worked.MIXED)


def test_agreement_on_categories_is_the_share_of_examples_with_equal_categories() -> None:
    comparison = WORKED.comparison
    hits, n = worked.AGREEMENT
    assert (comparison.agreement.value, comparison.agreement.n) == (hits / n, n)
    label, of_constant, n_constant = worked.CONSTANT
    assert comparison.measure.in_words(comparison.figures.constant_value) == label
    assert (comparison.agreement_constant.value, comparison.agreement_constant.n) == (
        of_constant / n_constant,
        n_constant,
    )
    person = comparison.agreement_person
    assert person is not None
    assert (person.value, person.n) == (worked.ANNOTATORS_AGREE[0] / worked.ANNOTATORS_AGREE[1], 10)


def test_judge_and_gold_agree_on_an_example_only_if_their_categories_are_equal_and_their_scores_close() -> None:
    judge = [(label, score * 20) for (label, score), _, _ in worked.MIXED]
    gold = [(label, score * 20) for _, (label, score), _ in worked.MIXED]
    comparison = calibrated(MIXED, judge, {"p": gold}).comparison
    assert comparison.hits.tolist() == [float(agree) for _, _, agree in worked.MIXED]
    assert comparison.scores.tolist() == [score for (_, score), _, _ in worked.MIXED]
    assert comparison.misses.tolist() == [-0.05, 0.0, 0.3]
    assert comparison.measure.in_words(float(comparison.judge_values[1])) == "b, 0.5"


def test_the_order_in_which_categories_are_listed_changes_no_figure() -> None:
    changed = replace(KIND, criteria=(replace(KIND.criteria[0], scale=Scale.of_categories(["c", "a", "b"])),))
    people = {f"p{n}": alone(who) for n, who in enumerate(worked.ANNOTATORS)}
    turned = calibrated(changed, alone(worked.JUDGE), people).comparison
    comparison = WORKED.comparison
    assert turned.agreement == comparison.agreement
    assert turned.agreement_constant == comparison.agreement_constant
    assert turned.agreement_person == comparison.agreement_person
    assert turned.criteria["kind"].statistics["cohen_kappa"] == comparison.criteria["kind"].statistics["cohen_kappa"]


def test_a_rubric_of_categories_gives_no_score_and_no_decision_and_no_bias() -> None:
    comparison = WORKED.comparison
    assert np.isnan(comparison.scores).all()
    assert np.isnan(comparison.gold.decisions).all()
    assert (comparison.false_passes, comparison.false_pass_rate.value) == ([], None)
    assert comparison.criteria["kind"].statistics["signed_error"].value is None
    assert WORKED.counts.graded == 10


def test_no_report_shows_the_internal_number_of_a_category() -> None:
    report = json_of(WORKED)
    assert report["criteria"]["kind"]["confusion"]["levels"] == ["a", "b", "c"]
    assert report["rated"]["judge"]["criteria"]["kind"] == worked.JUDGE
    assert report["rated"]["gold"]["criteria"]["kind"] == list(worked.GOLD)
    assert [row["gold_level.kind"] for row in WORKED.ratings] == list(worked.GOLD)
    text = render_markdown(view(WORKED))
    assert "judge a, gold b" in text
    assert "False passes" not in text


def test_a_criterion_with_categories_gives_pass_or_fail_decisions_if_the_rubric_says_which_categories_pass() -> None:
    calibration = calibrated(PASSING, alone("abca"), {"p": alone("accc")}, of="decision")
    comparison = calibration.comparison
    assert comparison.passes.tolist() == [1, 1, 0, 1]
    assert comparison.reference.decisions.tolist() == [1, 0, 0, 0]
    assert comparison.false_passes == ["e1", "e3"]
    assert comparison.agreement.n == 4


def test_comparing_decisions_on_categories_is_refused_if_the_rubric_does_not_say_which_categories_pass() -> None:
    with pytest.raises(UsageError, match=r"categories alone.*passes: \[label, …\]"):
        calibrated(KIND, alone("abca"), {"p": alone("accc")}, of="decision")


@pytest.mark.parametrize(
    ("label", "level", "outcome"),
    [("a", 20, (1.0, True, ())), ("c", 20, (1.0, False, ("kind",))), ("a", 4, (0.2, False, ()))],
)
def test_a_category_never_changes_the_score_but_a_category_not_listed_as_passing_fails_the_response(
    label: str, level: float, outcome: tuple[float, bool, tuple[str, ...]]
) -> None:
    rubric = replace(MIXED, criteria=(PASSING.criteria[0], MIXED.criteria[1]))
    answers = {"kind": Verdict("kind", ABC.values["abc".index(label)]), "how": Verdict("how", level)}
    score = weigh(answers, rubric)
    assert isinstance(score, Score)
    assert (score.score, score.passed, score.failed_required) == outcome


def test_a_rubric_with_one_criterion_of_categories_gives_scores_only_if_it_lists_the_categories_that_pass() -> None:
    assert weigh({"kind": Verdict("kind", 0.5)}, KIND) is None
    passes = weigh({"kind": Verdict("kind", 0.5)}, PASSING)
    assert isinstance(passes, Score)
    assert (passes.score, passes.passed) == (1.0, True)
    assert weigh({"kind": Abstention("kind", "unclear")}, PASSING) == "kind: the judge abstained: unclear"


def test_of_two_categories_that_a_judge_answers_the_failing_category_counts_or_none_if_no_category_fails() -> None:
    both = (Verdict("kind", 0.0), Verdict("kind", 1.0))
    assert worse(*both, KIND.criteria[0]) == Abstention("kind", "it answered a and c")
    chosen = worse(*both, PASSING.criteria[0])
    assert isinstance(chosen, Verdict)
    assert chosen.level == 1.0


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"passing": ("d",)}, "passes has 'd', which isn't among the labels a, b, c"),
        ({"required": True}, "none of its categories passes or fails"),
        ({"passing": ("1",), "scale": Scale.numbered(1, 3)}, "it goes with scale_type nominal"),
    ],
)
def test_a_criterion_with_categories_is_refused_if_it_has_a_key_that_needs_ordered_levels(
    changes: dict[str, object], why: str
) -> None:
    with pytest.raises(RubricError, match=why):
        replace(KIND.criteria[0], **changes)  # type: ignore[arg-type]


def test_a_rubric_of_categories_is_refused_if_it_has_a_gray_zone_or_a_holistic_strategy() -> None:
    with pytest.raises(RubricError, match="ask_within is a distance in score"):
        replace(KIND, ask_within=0.1)
    with pytest.raises(RubricError, match="says nothing about categories"):
        replace(KIND, strategy="holistic")


# --- labels that the judge rarely finds -------------------------------------------------------------------------------


def recalled(hits: int, of: int) -> Calibration:
    """Calibrate a judge that gives b to `hits` of `of` examples of b, a to the others, and is right on a and c."""
    gold = ["b"] * of + ["a"] * 20 + ["c"] * 20
    judge = ["b"] * hits + ["a"] * (of - hits) + gold[of:]
    return calibrated(KIND, alone(judge), {"p": alone(gold)})


def test_a_category_that_the_judge_misses_on_over_half_of_its_examples_is_reported_as_a_finding() -> None:
    finding = next(finding for finding in recalled(0, 14).findings if finding.code == "rarely-found")
    assert "the judge finds 0 of 14 examples of b, 0% (95% CI 0% to 23%). Most often it says a." in finding.message
    assert "what makes a response b rather than a" in str(finding.suggestion)
    assert finding.evidence["instead"] == "a"


@pytest.mark.parametrize(
    ("hits", "of", "is_shown"),
    [
        (0, 4, False),  # fewer than five examples
        (0, 5, False),  # up to 52%
        (0, 8, True),  # up to 37%, and 45% at the level of three labels
        (2, 14, True),  # up to 43%, and 49% at that level
        (3, 14, False),  # up to 51%
    ],
)
def test_a_judge_is_reported_to_miss_a_category_only_if_the_interval_of_its_recall_lies_below_half(
    hits: int, of: int, is_shown: bool
) -> None:
    assert any(finding.code == "rarely-found" for finding in recalled(hits, of).findings) is is_shown


def test_files_store_a_category_by_its_name_so_that_reordering_the_categories_of_a_rubric_changes_no_rating() -> None:
    line = rating("e0", "p", KIND, "c").to_json()
    read = RatingReader(KIND).rating({**line, "criteria": {"kind": "c"}})
    assert read.to_json()["criteria"]["kind"]["level"] == "c"
    changed = replace(KIND, criteria=(replace(KIND.criteria[0], scale=Scale.of_categories(["c", "a", "b"])),))
    assert RatingReader(changed).rating(read.to_json()).criteria["kind"].level == 0.0
    grade = Grade("e0", {"kind": Verdict("kind", 1.0)}, None, None)
    assert rating_of(grade, KIND, "judge").to_json()["criteria"]["kind"]["level"] == "c"
    assert grade_json(grade, KIND)["criteria"]["kind"]["level"] == "c"
    assert grade.why_no_decision is not None


def test_the_reason_of_a_grade_names_the_category_that_the_judge_chose() -> None:
    judge = ScriptedJudge([{"kind": "b"}])
    grade = asyncio.run(Grading(KIND, judge).grade(Submission("x")))
    assert "kind b: " in grade.reason
    assert "kind –" not in grade.reason
