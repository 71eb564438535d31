"""Five raters: agreement that is worth nothing looks like some, and decides nothing."""

from collections import Counter

import numpy as np
import pytest

from markscheme.features.demo.raters import OTHER_MARK, ComparedRater, five_raters, labelled_set

READERS, BLIND = ("recorded judge", "second rater"), ("always-pass", "coin", "longer-is-better")


@pytest.fixture(scope="module")
def raters() -> dict[str, ComparedRater]:
    return {rater.name: rater for rater in five_raters()}


def test_all_five_simulated_raters_of_the_demo_rated_every_example(raters: dict[str, ComparedRater]) -> None:
    assert tuple(raters) == (*READERS, *BLIND)
    for rater in raters.values():
        assert rater.calibration.counts.graded == rater.calibration.counts.examples == 73


def test_demo_calls_its_labels_constructed_and_never_human(raters: dict[str, ComparedRater]) -> None:
    assert {label.kind for label in labelled_set()[1].labels} == {"constructed"}
    assert {rater.calibration.comparison.gold.reference for rater in raters.values()} == {"constructed"}


def test_a_rater_that_passes_every_response_agrees_with_gold_as_often_as_gold_passes_and_has_a_kappa_of_0(
    raters: dict[str, ComparedRater],
) -> None:
    rater = raters["always-pass"]
    for comparison in (rater.at_other_mark, rater.calibration.comparison):
        assert comparison.overall["accuracy"].value == comparison.overall["prevalence_gold"].value
        assert comparison.overall["pass_kappa"].value == pytest.approx(0)
    assert rater.at_other_mark.rubric.pass_mark == OTHER_MARK
    assert (rater.at_other_mark.overall["accuracy"].value or 0) > 0.7


@pytest.mark.parametrize("name", ["coin", "longer-is-better"])
def test_a_simulated_rater_that_copies_the_distribution_of_labels_gives_each_level_as_often_as_the_labels_do(
    name: str, raters: dict[str, ComparedRater]
) -> None:
    for criterion in raters[name].calibration.comparison.criteria.values():
        assert Counter(criterion.judge.tolist()) == Counter(criterion.gold.tolist())


def test_the_simulated_rater_that_prefers_length_never_gives_a_longer_response_a_lower_level(
    raters: dict[str, ComparedRater],
) -> None:
    comparison = raters["longer-is-better"].calibration.comparison
    by_length = np.argsort([len(example.submission.response) for example in comparison.gold.examples], kind="stable")
    for criterion in comparison.criteria.values():
        assert np.all(np.diff(criterion.judge[by_length]) >= 0)


def test_simulated_raters_that_ignore_the_responses_get_the_use_none_and_all_others_the_use_explore(
    raters: dict[str, ComparedRater],
) -> None:
    assert {name: raters[name].calibration.decision.use for name in BLIND} == dict.fromkeys(BLIND, "none")
    assert {name: raters[name].calibration.decision.use for name in READERS} == dict.fromkeys(READERS, "explore")
    for name in BLIND:
        assert raters[name].calibration.findings[0].code == "no-skill"
        assert abs(raters[name].at_other_mark.overall["pass_kappa"].value or 0) < 0.2
    for name in READERS:
        assert (raters[name].at_other_mark.overall["pass_kappa"].value or 0) > 0.9
