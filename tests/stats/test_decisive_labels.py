"""The number of further labels that is likely to settle an open question."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.stats.decisive_labels import (
    HOPELESS,
    LABEL_COUNTS,
    chance_to_place_mean,
    chance_to_place_share,
    first_labels,
    labels_for_decision,
    most_demanding,
)
from markscheme.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from markscheme.stats.labels_needed import DecisiveLabels
from markscheme.stats.shares import GroupedMean, GroupedShare, MeanSide, grouped_mean, grouped_share
from tests.reference.worked_cases import FIRST_LABELS, LABELS_FOR_LIMITS, LABELS_FOR_MEANS, LABELS_FOR_SHARES
from tests.stats.shared_numbers import block

approx = pytest.approx
PRINTED = 6e-5
"""The worked chances have four decimals."""


def share_of(hits: int, n: int, design_effect: float = 1.0) -> GroupedShare:
    """Return a share whose examples carry as much information as n / design_effect independent ones."""
    return GroupedShare(hits / n, n, n, 1.0, 0.0, n / design_effect)


def mean_of(value: float, spread: float, n: int) -> GroupedMean:
    """A mean with a standard error of spread / √n on both sides."""
    side = MeanSide(value, spread / math.sqrt(n), n - 1)
    return GroupedMean(value, n, n, 1.0, 0.0, side, side)


def more(chances: tuple[float, ...]) -> int | None:
    """Return the number of labels named if the chances for the numbers tried are these."""
    labels = labels_for_decision(dict(zip(LABEL_COUNTS, chances, strict=True)).__getitem__)
    return None if labels is None else labels.more


@pytest.mark.parametrize(
    ("name", "hits", "n", "target", "design_effect", "tried", "chances", "needed"), LABELS_FOR_SHARES
)
def test_the_chances_that_more_labels_show_a_share_above_or_below_a_target_equal_their_reference_values(
    name: str,
    hits: int,
    n: int,
    target: float,
    design_effect: float,
    tried: int,
    chances: tuple[float, ...],
    needed: int | None,
) -> None:
    share = share_of(hits, n, design_effect)
    chances_found = tuple(chance_to_place_share(share, target, m, confidence=1 - 0.025 / tried) for m in LABEL_COUNTS)
    assert chances_found == approx(chances, abs=PRINTED), name
    assert more(chances_found) == needed


@pytest.mark.parametrize(("name", "mean", "bound", "spread", "n", "chances", "needed"), LABELS_FOR_MEANS)
def test_the_chances_that_more_labels_show_a_mean_above_or_below_a_bound_equal_their_reference_values(
    name: str, mean: float, bound: float, spread: float, n: int, chances: tuple[float, ...], needed: int | None
) -> None:
    chances_found = tuple(
        chance_to_place_mean(mean_of(mean, spread, n), bound, m, confidence=0.975) for m in LABEL_COUNTS
    )
    assert chances_found == approx(chances, abs=PRINTED), name
    assert more(chances_found) == needed


@pytest.mark.parametrize(("name", "wrong", "fails", "limit", "of_fails", "chances", "needed"), LABELS_FOR_LIMITS)
def test_chances_that_more_labels_show_false_passes_within_a_limit_equal_those_of_an_independent_program(
    name: str, wrong: int, fails: int, limit: float, of_fails: float, chances: tuple[float, ...], needed: int | None
) -> None:
    share = share_of(wrong, fails)
    chances_found = tuple(
        chance_to_place_share(share, limit, m, confidence=0.975, counted=of_fails) for m in LABEL_COUNTS
    )
    assert chances_found == approx(chances, abs=PRINTED), name
    assert more(chances_found) == needed


@pytest.mark.parametrize(("target", "chances", "needed"), FIRST_LABELS)
def test_the_number_of_labels_for_a_first_verdict_equals_that_of_an_independent_program(
    target: float, chances: tuple[float, ...], needed: int
) -> None:
    labels = first_labels(target, confidence=0.975)
    assert labels is not None
    assert (labels.more, labels.assumed) == (needed, (1 + target) / 2)
    assert labels.chance == approx(chances[LABEL_COUNTS.index(needed)], abs=PRINTED)
    assert more(chances) == needed


def test_every_number_of_labels_needed_in_the_file_of_reference_values_is_reproduced() -> None:
    for case in block("verdict3.yaml", "labels"):
        share = share_of(case["hits"], case["n"], case["design_effect"])
        chances = [
            chance_to_place_share(share, case["target"], m, confidence=1 - 0.025 / case["settings"])
            for m in LABEL_COUNTS
        ]
        assert chances == approx(list(case["chances"].values()), abs=PRINTED), case["name"]
        assert more(tuple(chances)) == case["more"]
    for case in block("verdict3.yaml", "labels_for_means"):
        mean = mean_of(case["mean"], case["spread"], case["n"])
        chances = [chance_to_place_mean(mean, case["bound"], m, confidence=0.975) for m in LABEL_COUNTS]
        assert chances == approx(list(case["chances"].values()), abs=PRINTED), case["name"]
        assert more(tuple(chances)) == case["more"]
    for case in block("verdict3.yaml", "labels_for_limits"):
        share = share_of(case["wrong"], case["fails"])
        counted = case["share_of_fails"]
        chances = [
            chance_to_place_share(share, case["limit"], m, confidence=0.975, counted=counted) for m in LABEL_COUNTS
        ]
        assert chances == approx(list(case["chances"].values()), abs=PRINTED), case["name"]
        assert more(tuple(chances)) == case["more"]
    for case in block("verdict3.yaml", "first_labels"):
        labels = first_labels(case["target"], confidence=0.975)
        assert labels is not None
        assert (labels.more, labels.assumed) == (case["first"], case["assumed"])


@given(hits=st.integers(0, 40), misses=st.integers(0, 40), target=st.floats(0.05, 0.95))
@settings(deadline=None, max_examples=40)
def test_the_chance_that_20_more_labels_decide_whether_a_share_reaches_its_target_equals_a_simulated_chance(
    hits: int, misses: int, target: float
) -> None:
    n = hits + misses
    if not n:
        return
    clear = np.zeros(21)
    for k in range(21):
        lower = clopper_pearson_lower(hits + k, n + 20, confidence=0.975)
        upper = clopper_pearson_upper(hits + k, n + 20, confidence=0.975)
        clear[k] = lower > target or upper < target
    generator = np.random.default_rng([hits, misses])
    rates = generator.beta(hits + 0.5, misses + 0.5, 20_000)
    simulated = clear[generator.binomial(20, rates)].mean()
    chance = chance_to_place_share(grouped_share(np.arange(n) < hits), target, 20, confidence=0.975)
    assert chance == approx(simulated, abs=0.02)


@given(hits=st.integers(0, 30), misses=st.integers(1, 30), target=st.floats(0.05, 0.95))
@settings(deadline=None, max_examples=40)
def test_more_labels_are_as_likely_to_decide_on_a_share_of_hits_as_on_the_complementary_share_of_misses(
    hits: int, misses: int, target: float
) -> None:
    n = hits + misses
    as_hits = grouped_share(np.arange(n) < hits)
    as_misses = grouped_share(np.arange(n) < misses)
    chance = chance_to_place_share(as_hits, target, 60, confidence=0.975)
    assert chance_to_place_share(as_misses, 1 - target, 60, confidence=0.975) == approx(chance, abs=1e-9)


def test_at_least_20_more_labels_are_asked_for_even_if_fewer_would_decide_the_verdict() -> None:
    assert labels_for_decision(lambda more: 1.0) == DecisiveLabels(20, 1.0)


def test_the_largest_number_of_labels_is_named_if_its_chance_to_decide_is_at_least_a_third() -> None:
    assert labels_for_decision(lambda more: HOPELESS if more == 480 else 0.0) == DecisiveLabels(480, HOPELESS)
    assert labels_for_decision(lambda more: HOPELESS - 1e-6) is None


def test_the_labels_needed_are_the_smallest_number_that_has_an_even_chance_to_decide() -> None:
    """Because of exact limits of counts, the chance isn't monotone in the number of labels."""
    assert more((0.0, 0.6, 0.49, 0.7, 0.7, 0.8, 0.8, 0.8, 0.9)) == 40


def test_the_open_question_that_is_hardest_to_decide_sets_the_number_of_labels_needed() -> None:
    few = DecisiveLabels(40, 0.6)
    many = DecisiveLabels(480, 0.6)
    unlikely = DecisiveLabels(480, 0.4)
    for answers in itertools.permutations((few, many, unlikely)):
        assert most_demanding(answers) == unlikely
    assert most_demanding([few, None]) is None
    assert most_demanding([]) is None


def test_more_labels_are_needed_if_examples_share_tasks() -> None:
    hits = np.resize([1.0] * 9 + [0.0], 60)
    alone = grouped_share(hits)
    together = grouped_share(hits, np.arange(60) // 6)
    chances = [chance_to_place_share(share, 0.8, 40, confidence=0.975) for share in (alone, together)]
    assert chances[0] > chances[1]
    labels = first_labels(0.8, confidence=0.975, mean_size=6.0)
    assert labels is not None
    assert labels.more == 160


def test_the_chance_that_20_more_labels_decide_is_neither_0_nor_1_if_all_differences_so_far_are_0() -> None:
    never = grouped_mean([0.0] * 40)
    assert 0 < chance_to_place_mean(never, -0.1, 20, confidence=0.975) < 1
    assert chance_to_place_mean(mean_of(0.2, 0.0, 40), 0.0, 20, confidence=0.975) == 1.0


def test_no_number_of_labels_is_named_for_a_target_that_hardly_any_judge_reaches() -> None:
    assert first_labels(0.99, confidence=0.975) is None
    assert first_labels(1.0, confidence=0.975) is None
