"""Five raters: agreement that is worth nothing looks like some, and decides nothing."""

from collections import Counter

import numpy as np
import pytest

from markscheme.demo.raters import OTHER_MARK, Held, five_raters, labelled_set

READERS, BLIND = ("recorded judge", "second rater"), ("always-pass", "coin", "longer-is-better")


@pytest.fixture(scope="module")
def held() -> dict[str, Held]:
    return {one.name: one for one in five_raters()}


def test_there_are_five_and_all_rated_everything(held: dict[str, Held]) -> None:
    assert tuple(held) == (*READERS, *BLIND)
    for one in held.values():
        assert one.calibration.counts.graded == one.calibration.counts.examples == 73


def test_the_labels_are_constructed_and_never_called_anything_else(held: dict[str, Held]) -> None:
    assert {label.kind for label in labelled_set()[1].labels} == {"constructed"}
    assert {one.calibration.comparison.gold.reference for one in held.values()} == {"constructed"}


def test_passing_everything_agrees_as_often_as_answers_pass(held: dict[str, Held]) -> None:
    one = held["always-pass"]
    for found in (one.other, one.calibration.comparison):
        assert found.overall["accuracy"].value == found.overall["prevalence_gold"].value
        assert found.overall["pass_kappa"].value == pytest.approx(0)
    assert one.other.rubric.pass_mark == OTHER_MARK
    assert (one.other.overall["accuracy"].value or 0) > 0.7


@pytest.mark.parametrize("name", ["coin", "longer-is-better"])
def test_raters_with_the_right_margins_give_each_level_as_often_as_the_labels(name: str, held: dict[str, Held]) -> None:
    for found in held[name].calibration.comparison.criteria.values():
        assert Counter(found.judge.tolist()) == Counter(found.gold.tolist())


def test_longer_is_better_follows_length_alone(held: dict[str, Held]) -> None:
    comparison = held["longer-is-better"].calibration.comparison
    by_length = np.argsort([len(example.submission.response) for example in comparison.gold.examples], kind="stable")
    for found in comparison.criteria.values():
        assert np.all(np.diff(found.judge[by_length]) >= 0)


def test_who_has_not_read_may_decide_nothing_and_who_has_gets_no_further_than_the_labels(
    held: dict[str, Held],
) -> None:
    assert {name: held[name].calibration.decision.use for name in BLIND} == dict.fromkeys(BLIND, "none")
    assert {name: held[name].calibration.decision.use for name in READERS} == dict.fromkeys(READERS, "explore")
    for name in BLIND:
        assert held[name].calibration.findings[0].code == "no-skill"
        assert abs(held[name].other.overall["pass_kappa"].value or 0) < 0.2
    for name in READERS:
        assert (held[name].other.overall["pass_kappa"].value or 0) > 0.9
