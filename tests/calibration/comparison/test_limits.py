"""Limits on false passes and false fails: what labels show of them, by how the examples were drawn."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from markscheme.calibration.comparison.limits import (
    GateSide,
    SideState,
    side_rate,
    side_weights,
    strata_of,
    wrong_decisions,
)
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example, ExampleRows
from markscheme.stats.decision_figures import SideShare, side_share
from markscheme.stats.shares import grouped_share
from markscheme.stats.wrong_decisions import RateByVerdict, Stratum
from tests.reference.limits import BY_VERDICT, FAILS_NEEDED, LIMITS, ByVerdictCase, LimitCase
from tests.stats.shared_numbers import block

AT_95 = 0.975


def decisions_of(wrong: int, of: int) -> SideShare:
    """Return the false passes of a judge that passes `wrong` of `of` gold fails, and all of `of` gold passes."""
    judge = np.array([1.0] * wrong + [0.0] * (of - wrong) + [1.0] * of)
    gold = np.array([0.0] * of + [1.0] * of)
    return wrong_decisions("false_pass", judge, gold)


def state_at(of_fails: SideShare, limit: float) -> SideState:
    """Return whether a limit on false passes is kept, broken or open, by plain 95% intervals."""
    gold = np.zeros(of_fails.of)
    judge = np.array([1.0] * of_fails.hits + [0.0] * (of_fails.of - of_fails.hits))
    return GateSide("stops", side_share(gold, judge, of=0.0, counts=0.0), 1 - limit, AT_95).state


@pytest.mark.parametrize("case", LIMITS, ids=lambda case: f"{case.wrong} of {case.of}, limit {case.limit}")
def test_a_limit_on_false_passes_that_lies_within_the_interval_of_the_false_pass_rate_is_undecided(
    case: LimitCase,
) -> None:
    decisions = decisions_of(case.wrong, case.of)
    estimate = side_rate("false_pass", decisions)
    assert (decisions.hits, decisions.of) == (case.wrong, case.of)
    assert estimate.low == pytest.approx(case.low, abs=6e-5)
    assert estimate.high == pytest.approx(case.high, abs=6e-5)
    assert state_at(decisions, case.limit) == case.state


def test_the_hand_calculated_limits_on_false_passes_in_the_tests_equal_those_in_the_file_of_reference_values() -> None:
    cases = [
        LimitCase(*(case[key] for key in ("wrong", "of", "limit", "low", "high", "state")))
        for case in block("verdict3.yaml", "limit")
    ]
    assert cases == LIMITS


@pytest.mark.parametrize("limit", FAILS_NEEDED)
def test_the_fewest_labelled_fails_that_show_a_limit_on_false_passes_to_be_kept_equal_their_reference_values(
    limit: float,
) -> None:
    for wrong, fails in enumerate(FAILS_NEEDED[limit]):
        assert state_at(decisions_of(wrong, fails), limit) == "kept"
        assert state_at(decisions_of(wrong, fails - 1), limit) == "open"


def by_verdict(case: ByVerdictCase) -> RateByVerdict:
    """Make the false pass rate of a worked case whose labels were drawn by verdict."""
    strata = [
        Stratum(part, grouped_share([1] * fails + [0] * (labels - fails)))
        for part, (fails, labels) in (
            (case.share_of_passes, case.among_passes),
            (1 - case.share_of_passes, case.among_fails),
        )
    ]
    return RateByVerdict((strata[0],), (strata[1],))


@pytest.mark.parametrize("case", BY_VERDICT, ids=lambda case: f"{case.among_passes}, {case.among_fails}")
def test_the_false_pass_rate_from_labels_drawn_by_the_judge_s_verdict_equals_the_hand_calculated_rate(
    case: ByVerdictCase,
) -> None:
    rate = by_verdict(case)
    assert rate.value == pytest.approx(case.value, abs=6e-5)
    assert rate.lower(AT_95) == pytest.approx(case.low, abs=6e-5)
    assert rate.upper(AT_95) == pytest.approx(case.high, abs=6e-5)


def test_the_false_pass_rates_that_these_tests_expect_equal_those_in_the_file_of_reference_values() -> None:
    cases = [
        ByVerdictCase(
            case["share_of_passes"],
            tuple(case["fails_among_passes"]),
            tuple(case["fails_among_fails"]),
            *(case[key] for key in ("value", "low", "high")),
        )
        for case in block("verdict3.yaml", "false_passes_by_verdict")
    ]
    assert cases == BY_VERDICT


def test_the_false_pass_rate_has_wide_bounds_if_no_response_that_the_judge_passes_is_labelled() -> None:
    rate = RateByVerdict((Stratum(0.6, grouped_share([])),), (Stratum(0.4, grouped_share([1] * 40)),))
    assert rate.lower(AT_95) == 0.0
    assert rate.upper(AT_95) > 0.5  # type: ignore[operator]
    assert RateByVerdict((Stratum(1.0, grouped_share([])),), ()).upper(AT_95) == 1.0


def test_bounds_of_an_error_rate_from_labels_drawn_by_the_judge_s_verdict_widen_with_the_confidence_level() -> None:
    rate = by_verdict(BY_VERDICT[3])
    confidences = (0.9, 0.95, 0.975, 0.9975)
    assert all(rate.lower(less) > rate.lower(more) for less, more in pairwise(confidences))  # type: ignore[operator]
    assert all(rate.upper(less) < rate.upper(more) for less, more in pairwise(confidences))  # type: ignore[operator]


def drawn(place: int, stratum: str, weight: float) -> Example:
    """Make an example that was drawn for labelling from a stratum."""
    return Example(Submission("x", {}, f"e{place}"), drawn="by-verdict", weight=weight, stratum=stratum)


def test_labels_drawn_from_strata_are_weighted_by_the_sizes_of_the_strata() -> None:
    judge = np.array([1.0] * 50 + [0.0] * 50)
    gold = np.array([0.0] + [1.0] * 49 + [0.0] * 45 + [1.0] * 5)
    examples = [drawn(place, "passes" if place < 50 else "fails", 12 if place < 50 else 8) for place in range(100)]
    plain = wrong_decisions("false_pass", judge, gold)
    weighted = wrong_decisions("false_pass", judge, gold, examples=examples)
    assert side_rate("false_pass", plain).value == pytest.approx(1 / 46)
    assert not plain.is_weighted
    assert weighted.is_weighted
    assert (weighted.hits, weighted.of) == (1, 46)
    assert side_rate("false_pass", weighted).value == pytest.approx(0.0323, abs=6e-5)
    assert side_rate("false_pass", weighted).high == pytest.approx(0.1521, abs=6e-5)
    fails = wrong_decisions("false_fail", judge, gold, examples=examples)
    assert side_rate("false_fail", fails).value == pytest.approx(0.4 * 0.1 / (0.4 * 0.1 + 0.6 * 0.98))


def test_a_false_pass_rate_combines_all_strata_of_responses_that_the_judge_passes() -> None:
    judge = np.array([1.0] * 60 + [0.0] * 40)
    gold = np.array([0.0, 0.0] + [1.0] * 58 + [0.0] * 38 + [1.0] * 2)
    names = ["near passes"] * 20 + ["passes"] * 40 + ["fails"] * 40
    weights = [1.0] * 20 + [5.0] * 40 + [2.0] * 40
    examples = [drawn(place, *parts) for place, parts in enumerate(zip(names, weights, strict=True))]
    rate = wrong_decisions("false_pass", judge, gold, examples=examples).rate
    assert isinstance(rate, RateByVerdict)
    assert [round(stratum.part, 4) for stratum in rate.decided_wrong] == [0.0667, 0.6667]
    assert rate.value == pytest.approx(2 / (2 + 2 * 38))


def test_examples_that_share_tasks_give_a_wider_interval_of_the_false_pass_rate_than_independent_examples() -> None:
    judge = np.zeros(60)
    gold = np.zeros(60)
    tasks = [f"task {place // 5}" for place in range(60)]
    alone = wrong_decisions("false_pass", judge, gold)
    together = wrong_decisions("false_pass", judge, gold, groups=tasks)
    assert state_at(alone, 0.1) == "kept"
    assert together.upper(AT_95) > alone.upper(AT_95)  # type: ignore[operator]
    few = wrong_decisions("false_pass", judge, gold, groups=[f"task {place // 20}" for place in range(60)])
    assert GateSide("stops", few, 0.1, AT_95).state == "open"


def test_a_limit_on_false_passes_stays_undecided_if_gold_fails_no_example() -> None:
    nothing = wrong_decisions("false_pass", np.ones(20), np.ones(20))
    assert side_rate("false_pass", nothing).undefined == "no gold fails"
    assert state_at(nothing, 0.5) == "open"


def test_a_false_pass_rate_uses_the_sampling_weights_of_labels_that_belong_to_no_stratum() -> None:
    judge = np.array([0.0] * 10 + [1.0] * 10)
    examples = [Example(Submission("x", {}, f"e{i}"), weight=6 if i < 10 else 2) for i in range(20)]
    weighted = wrong_decisions("false_pass", judge, np.zeros(20), examples=examples)
    assert weighted.is_weighted
    assert side_rate("false_pass", weighted).value == pytest.approx(0.25, abs=1e-9)
    assert (weighted.hits, weighted.of) == (10, 20)


@pytest.mark.parametrize(
    "drawn", [{}, {"weight": 2.5}, {"stratum": "pass"}, {"drawn": "by-verdict"}, {"drawn": "by-verdict", "weight": 2.5}]
)
def test_examples_have_the_same_strata_and_sampling_weights_whether_stored_as_rows_or_in_a_list(
    drawn: dict[str, Any],
) -> None:
    examples = [Example(Submission("x", {}, "a"), **drawn), Example(Submission("y", {}, "b"))]
    rows = ExampleRows.of(examples)
    assert strata_of(rows) == strata_of(examples)
    of_rows = side_weights(rows)
    of_examples = side_weights(examples)
    assert (of_rows is None) == (of_examples is None)
    assert of_rows is None or of_examples is None or of_rows.tolist() == of_examples.tolist()
