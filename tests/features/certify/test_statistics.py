"""Which decisions a judge may make alone, under a promise about errors."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from markscheme.features.certify.statistics import (
    ErrorLimit,
    StageDecisions,
    automatic_part,
    certified_cascade,
    labels_for_first_size,
)
from markscheme.stats.shares import grouped_share
from tests.stats.shared_numbers import block

Floats = npt.NDArray[np.float64]
approx = pytest.approx
ONE_IN_TEN = ErrorLimit(0.05, 0.1)
PASSES_BY_VOTES = {7: (110, 1), 6: (40, 1), 5: (30, 4), 4: (20, 6)}
"""Passes by how many of seven judges voted for them, and how many of them were wrong."""


def by_votes(counts: dict[int, tuple[int, int]], judges: int = 7) -> tuple[Floats, Floats]:
    certainty = [votes / judges for votes, (size, _) in counts.items() for _ in range(size)]
    wrong = [place < errors for size, errors in counts.values() for place in range(size)]
    return np.array(certainty), np.array(wrong, dtype=float)


@pytest.mark.parametrize(
    ("error", "level", "fewest"),
    [(0.05, 0.1, 45), (0.05, 0.05, 59), (0.1, 0.05, 29), (0.02, 0.05, 149), (0.05, 1 / 30, 67)],
)
def test_an_error_limit_is_proved_by_the_expected_number_of_error_free_decisions_and_not_by_one_fewer(
    error: float, level: float, fewest: int
) -> None:
    limit = ErrorLimit(error, level)
    assert limit.fewest == fewest
    assert limit.holds(np.zeros(fewest, dtype=bool))
    assert not limit.holds(np.zeros(fewest - 1, dtype=bool))


def test_responses_that_at_least_six_of_seven_judges_pass_are_decided_automatically() -> None:
    """Computed once, away from this package: at a level of .10, and at half of it, as for each of two sides."""
    certainty, wrong = by_votes(PASSES_BY_VOTES)
    part = automatic_part(certainty, wrong, ONE_IN_TEN)
    assert part.certain[0] == approx(6 / 7, abs=1e-9)
    assert (part.n_automatic, part.errors) == (150, 2)
    assert part.upper == approx(0.0351, abs=5e-5)
    each = automatic_part(certainty, wrong, ErrorLimit(0.05, 0.05))
    assert each.certain[0] == part.certain[0]
    assert (each.n_automatic, each.errors) == (150, 2)
    assert each.upper == approx(0.0414, abs=5e-5)
    assert each.automatic.value == 150 / 200


def test_certify_cannot_promise_5_percent_errors_if_one_of_the_fifty_most_certain_decisions_is_wrong() -> None:
    certainty, wrong = by_votes({7: (50, 1)})
    part = automatic_part(certainty, wrong, ONE_IN_TEN)
    assert not part.is_certified
    assert (
        part.automatic.undefined == "1 of the 50 most certain decisions is wrong, so up to 8% may be; at most 5% asked"
    )


def test_certainties_that_differ_only_by_rounding_count_as_equal() -> None:
    certainty = np.array([2 / 3] * 60 + [1 - 1 / 3] * 60)
    assert len(set(certainty.tolist())) == 2
    wrong = np.array([0.0] * 114 + [1.0] * 6)
    assert not automatic_part(certainty, wrong, ONE_IN_TEN).is_certified
    assert not automatic_part(1 - certainty + 1 / 3, wrong[::-1], ONE_IN_TEN).is_certified


def test_certificates_for_only_passes_or_only_fails_equal_the_reference_cases() -> None:
    for case in block("verdict3.yaml", "one_side"):
        if "passes" in case:
            votes = case["passes"]["votes_for"]
            wrong_by = case["passes"]["wrong_by_votes"]
            certainty, wrong = by_votes({int(key): (size, wrong_by[key]) for key, size in votes.items()})
        else:
            sizes = case["certainty"]["two_thirds"], case["certainty"]["one_minus_a_third"]
            certainty = np.repeat([2 / 3, 1 - 1 / 3], sizes)
            errors = case["wrong"]["two_thirds"], case["wrong"]["one_minus_a_third"]
            wrong = np.concatenate([np.arange(n) < e for n, e in zip(sizes, errors, strict=True)]).astype(float)
        limit = ErrorLimit(case["error"], case["level"])
        assert limit.fewest == case["fewest"], case["name"]
        part = automatic_part(certainty, wrong, limit)
        expected = case["expect"]
        if expected is None:
            assert not part.is_certified, case["name"]
            continue
        assert part.certain[0] == approx(expected["certain"], abs=5e-5), case["name"]
        assert (part.n_automatic, part.errors) == (expected["automatic"], expected["wrong"]), case["name"]
        assert part.upper == approx(expected["upper"], abs=5e-5), case["name"]


def single_judge_cases() -> list[dict[str, Any]]:
    return [case for case in block("decisions.yaml", "cascade")["cases"] if len(case["judges"]) == 1]


def test_certificates_for_one_judge_reproduce_every_reference_case() -> None:
    cases = single_judge_cases()
    assert len(cases) == 2
    for case in cases:
        (judge,) = case["judges"]
        part = automatic_part(judge["certainty"], judge["wrong"], ErrorLimit(case["alpha"], 1 - case["confidence"]))
        expected = case["expect"]
        assert part.certain[0] == approx(expected["certain"][0]), case["case"]
        assert part.upper == approx(expected["upper"], abs=1e-6), case["case"]
        if part.is_certified:
            assert [part.n_automatic, part.errors] == [expected["decided"][0], expected["errors"]], case["case"]


def test_the_certainty_from_which_a_cascade_s_last_judge_decides_equals_that_of_the_reference_code() -> None:
    """The last judge is tested first and alone, at its share of the level; null where it graded nothing."""
    compared = 0
    for case in block("decisions.yaml", "cascade")["cases"]:
        last = case["judges"][-1]
        limit = ErrorLimit(case["alpha"], (1 - case["confidence"]) / len(case["judges"]))
        part = automatic_part(last["certainty"], last["wrong"], limit)
        assert part.certain[0] == approx(case["expect"]["certain"][-1]), case["case"]
        compared += part.is_certified
    assert compared >= 8


def test_a_response_that_the_judge_could_not_grade_is_never_decided_automatically() -> None:
    certainty = np.array([0.9] * 80 + [math.nan] * 20)
    part = automatic_part(certainty, np.zeros(100), ONE_IN_TEN)
    assert (part.n_automatic, part.automatic.value) == (80, 0.8)


def test_a_certificate_refused_for_too_few_labels_states_how_many_decisions_it_needs() -> None:
    part = automatic_part(np.full(44, 0.9), np.zeros(44), ONE_IN_TEN)
    assert part.automatic.undefined == (
        "not enough labels: at most 5% errors with 90% confidence takes 45 decisions without an error, and there are 44"
    )


def test_many_decisions_on_few_tasks_count_as_few_decisions() -> None:
    """Sixty decisions without an error, twelve tasks of five: fewer than sixty independent ones, so nothing yet."""
    certainty = np.linspace(0.6, 0.9, 60)
    tasks = np.repeat(np.arange(12), 5)
    assert automatic_part(certainty, np.zeros(60), ONE_IN_TEN).n_automatic == 60
    part = automatic_part(certainty, np.zeros(60), ONE_IN_TEN, tasks)
    assert not part.is_certified
    assert str(part.automatic.undefined).startswith("not enough groups of labels")
    many = automatic_part(np.linspace(0.6, 0.9, 400), np.zeros(400), ONE_IN_TEN, np.repeat(np.arange(80), 5))
    assert many.n_automatic == 400
    assert many.upper == approx(grouped_share(np.zeros(400), np.repeat(np.arange(80), 5)).upper(0.9))


def test_a_certificate_of_5_percent_errors_needs_decisions_in_45_groups_if_examples_are_grouped() -> None:
    few, enough = (np.repeat(np.arange(tasks), 10) for tasks in (44, 45))
    refused = automatic_part(np.linspace(0.6, 0.9, 440), np.zeros(440), ONE_IN_TEN, few)
    assert not refused.is_certified
    assert refused.automatic.undefined == (
        "not enough groups of labels: at most 5% errors with 90% confidence takes decisions in 45 groups, and there "
        "are 44"
    )
    assert automatic_part(np.linspace(0.6, 0.9, 450), np.zeros(450), ONE_IN_TEN, enough).n_automatic == 450


def test_a_certificate_for_passes_needs_enough_groups_that_contain_passes() -> None:
    tasks = np.repeat(np.arange(80), 5)
    stage = StageDecisions.of(np.linspace(0.6, 0.9, 400), np.zeros(400), tasks < 40)
    refused = certified_cascade([stage], ONE_IN_TEN, tasks, of_passes=ONE_IN_TEN)
    assert not refused.is_certified
    assert "takes passes in 45 groups, and there are 40" in str(refused.automatic.undefined)
    more = replace(stage, passes=tasks < 60)
    assert certified_cascade([more], ONE_IN_TEN, tasks, of_passes=ONE_IN_TEN).n_automatic == 400


def test_the_labels_that_certify_asks_for_include_as_many_groups_as_a_certificate_needs() -> None:
    certainty = np.linspace(1, 0.5, 120)
    alone = labels_for_first_size(certainty, np.zeros(120), ONE_IN_TEN)
    in_groups = labels_for_first_size(certainty, np.zeros(120), ONE_IN_TEN, np.repeat(np.arange(20), 6))
    assert alone == 140
    assert in_groups is not None
    assert in_groups >= 45 * 6


def of_tasks(
    generator: np.random.Generator, tasks: int, size: int, correlation: float, error: float = 0.0501
) -> tuple[Floats, npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Certainties, errors and tasks of decisions that err by task: errors of one task correlate."""
    if correlation == 1:
        chances = (generator.random(tasks) < error).astype(float)
    else:
        spread = 1 / correlation - 1
        chances = generator.beta(error * spread, (1 - error) * spread, tasks)
    certainty = np.repeat(generator.random(tasks), size) + 1e-6 * generator.random(tasks * size)
    return certainty, generator.random(tasks * size) < np.repeat(chances, size), np.repeat(np.arange(tasks), size)


def broken(tasks: int, size: int, correlation: float, draws: int) -> float:
    """How often anything is certified though every decision errs slightly more often than promised."""
    generator = np.random.default_rng(11)
    parts = []
    for _ in range(draws):
        certainty, wrong, groups = of_tasks(generator, tasks, size, correlation)
        parts.append(automatic_part(certainty, wrong, ONE_IN_TEN, groups).is_certified)
    return float(np.mean(parts))


@pytest.mark.parametrize(("tasks", "size", "correlation"), [(24, 10, 1.0), (28, 8, 0.5), (40, 5, 1.0)])
def test_with_too_few_tasks_for_the_promise_nothing_is_certified_however_many_decisions_the_tasks_contain(
    tasks: int, size: int, correlation: float
) -> None:
    assert broken(tasks, size, correlation, 40) == 0


@pytest.mark.proof
@pytest.mark.parametrize(("tasks", "size", "correlation"), [(50, 3, 1.0), (50, 10, 0.5), (60, 10, 1.0)])
def test_the_certified_error_rate_holds_if_errors_are_correlated_within_tasks(
    tasks: int, size: int, correlation: float
) -> None:
    """Allowed .10; 150 draws, standard error .025. Before, 27 of 100 such sets of 60 tasks were certified."""
    assert broken(tasks, size, correlation, 150) <= 0.16


@pytest.mark.release
@pytest.mark.parametrize("correlation", [0.15, 0.5, 1.0])
@pytest.mark.parametrize("size", [3, 10])
@pytest.mark.parametrize("tasks", [46, 50, 60, 80])
def test_in_many_simulated_draws_the_certified_error_rate_holds_at_any_correlation_within_tasks(
    tasks: int, size: int, correlation: float
) -> None:
    """Allowed .10; 1,000 draws, standard error .0095."""
    assert broken(tasks, size, correlation, 1000) <= 0.125


def test_certify_tries_thresholds_of_certainty_from_the_highest_down_and_stops_at_the_first_that_fails() -> None:
    """Six errors among the first sixty end it, though six of two hundred would pass."""
    certainty = np.linspace(1, 0.5, 200)
    wrong = np.arange(200) < 6
    assert ErrorLimit(0.08, 0.1).holds(wrong)
    assert not automatic_part(certainty, wrong, ErrorLimit(0.08, 0.1)).is_certified
    assert automatic_part(certainty, wrong[::-1], ErrorLimit(0.08, 0.1)).n_automatic == 200


@pytest.mark.proof
def test_decisions_that_err_slightly_too_often_are_certified_in_at_most_a_tenth_of_simulated_draws() -> None:
    """Automating anything breaks the promise; it may happen in a tenth of draws (600 draws, standard error .012)."""
    generator = np.random.default_rng(3)
    broken = [
        automatic_part(generator.random(100), generator.random(100) < 0.0501, ONE_IN_TEN).is_certified
        for _ in range(600)
    ]
    assert 0.03 < np.mean(broken) < 0.135


@pytest.mark.parametrize(("error", "level"), [(0.0, 0.1), (0.05, 1.0), (1.0, 0.1), (0.05, 0.0)])
def test_an_error_limit_outside_0_to_1_is_refused(error: float, level: float) -> None:
    with pytest.raises(ValueError, match="above 0 and below 1"):
        ErrorLimit(error, level)


# --- several judges --------------------------------------------------------------------------------------------------


def stages_of(case: dict[str, Any]) -> list[StageDecisions]:
    return [
        StageDecisions.of(
            [math.nan if value is None else value for value in judge["certainty"]],
            [math.nan if value is None else value for value in judge["wrong"]],
        )
        for judge in case["judges"]
    ]


def test_thresholds_and_decisions_of_cascades_equal_those_of_an_independent_program() -> None:
    cascade = block("decisions.yaml", "cascade")
    for case in cascade["cases"]:
        stages = stages_of(case)
        limit = ErrorLimit(case["alpha"], (1 - case["confidence"]) / len(stages))
        certified = certified_cascade(stages, limit)
        expect = case["expect"]
        assert list(certified.certain) == [None if x is None else approx(x, abs=1e-6) for x in expect["certain"]], case
        assert list(certified.decided) == expect["decided"], case["case"]
        if expect["upper"] is None:
            assert certified.upper is None, case["case"]
        else:
            assert certified.errors == expect["errors"], case["case"]
            assert certified.upper == approx(expect["upper"], abs=1e-6)
    assert [ErrorLimit(row["alpha"], row["level"]).fewest for row in cascade["fewest"]] == [
        row["expect"] for row in cascade["fewest"]
    ]


def judge(n: int, *, errs_below: float, seed: int) -> StageDecisions:
    """A judge whose decisions err half of the time below a certainty, and never above it."""
    generator = np.random.default_rng(seed)
    certainty = generator.uniform(0.5, 1.0, n)
    return StageDecisions.of(
        certainty, (certainty < errs_below) & (generator.random(n) < 0.5), generator.random(n) < 0.6
    )


HALF = ErrorLimit(0.05, 0.05)
"""The level of each of two judges."""


def test_a_cascade_decides_at_least_as_much_automatically_as_its_better_judge_alone() -> None:
    cheap = judge(300, errs_below=0.8, seed=1)
    better = judge(300, errs_below=0.55, seed=2)
    cascade = certified_cascade([cheap, better], HALF)
    alone = certified_cascade([better], HALF)
    assert all(decided > 0 for decided in cascade.decided)
    assert cascade.certain[1] == alone.certain[0]
    assert cascade.n_automatic >= alone.n_automatic
    assert cascade.upper is not None
    assert cascade.upper <= 0.05


def test_in_a_cascade_a_response_that_one_judge_cannot_grade_goes_on_to_the_next_judge() -> None:
    cheap = judge(300, errs_below=0.8, seed=1)
    certainty = np.array(cheap.certainty)
    certainty[::2] = math.nan
    cascade = certified_cascade([replace(cheap, certainty=certainty), judge(300, errs_below=0.55, seed=2)], HALF)
    assert not (cascade.stage[::2] == 0).any()
    assert (cascade.stage[::2] == 1).any()


def test_a_cascade_decides_no_more_if_examples_are_grouped_or_if_false_passes_are_limited_as_well() -> None:
    stages = [judge(150, errs_below=0.8, seed=1), judge(150, errs_below=0.6, seed=2)]
    copied = [
        StageDecisions.of(
            *(np.repeat(np.asarray(column), 4) for column in (stage.certainty, stage.wrong, stage.passes))
        )
        for stage in stages
    ]
    grouped = certified_cascade(copied, HALF, np.repeat(np.arange(150), 4))
    ungrouped = certified_cascade(copied, HALF)
    assert grouped.n_automatic < ungrouped.n_automatic
    both = certified_cascade(copied, HALF, of_passes=HALF)
    assert both.n_automatic <= ungrouped.n_automatic
    assert both.upper_passes is None or both.upper_passes <= 0.05
    few = certified_cascade([judge(90, errs_below=0.5, seed=3)], HALF, of_passes=HALF)
    assert few.automatic.undefined is not None
    assert "takes 59 passes without an error" in few.automatic.undefined


def test_judges_with_ratings_on_different_examples_are_refused_as_a_cascade() -> None:
    with pytest.raises(ValueError, match="shape"):
        certified_cascade([StageDecisions.of([0.5], [0, 1])], HALF)
    with pytest.raises(ValueError, match="at least one judge"):
        certified_cascade([], HALF)
