"""Verdicts on criteria of one's own: the worked cases, laws, and coverage on published judges."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.features.rows.verdict_shares import VerdictShares, tasks_needed, verdict_shares
from markscheme.stats.shares import GroupedShare, beta_binomial_correlation, drawn_weights, grouped_share, kish_size
from tests.worked_cases import cases_in, cases_under

CASES = Path(__file__).parents[4] / "shared/statistics/rows.yaml"
LIMIT = 0.002
"""What an interval's end may be away from the reference's, which integrates over the correlation in another way."""


def cases(section: str) -> list[Any]:
    return cases_under(CASES, section)


def shares_of(case: dict[str, Any]) -> VerdictShares:
    rows = [(task, *verdict) for task, verdicts in case["verdicts"] for verdict in verdicts]
    tasks, criteria, gold, judge, signs = zip(*rows, strict=True)
    return verdict_shares(gold, judge, tasks, criteria, faults=[sign < 0 for sign in signs])


def ends(share: GroupedShare) -> tuple[float | None, float | None]:
    return share.lower(0.975), share.upper(0.975)


@pytest.mark.parametrize("case", cases("pooled"), ids=lambda case: str(case["name"]))
def test_shares_of_right_verdicts_and_their_intervals_equal_those_of_an_independent_program(
    case: dict[str, Any],
) -> None:
    shares = shares_of(case)
    expected = case["expect"]
    assert (shares.n, shares.tasks, shares.criteria, shares.unseen) == tuple(
        expected[key] for key in ("n", "tasks", "criteria", "unseen")
    )
    for key in ("always_met", "always_unmet", "kappa", "mcc"):
        assert getattr(shares, key) == pytest.approx(expected[key], abs=1e-6), key
    assert shares.agreement.value == pytest.approx(expected["agreement"], abs=1e-6)
    assert ends(shares.agreement) == pytest.approx((expected["low"], expected["high"]), abs=LIMIT)
    assert (shares.rho_task, shares.rho_criterion) == pytest.approx(
        (expected["rho_task"], expected["rho_criterion"]), abs=LIMIT
    )
    for key in ("false_met", "false_unmet", "false_credit", "missed_credit"):
        share = getattr(shares, key)
        assert (share.n, share.value) == (expected[key]["n"], pytest.approx(expected[key]["value"], abs=1e-6)), key
        assert ends(share) == pytest.approx((expected[key]["low"], expected[key]["high"]), abs=LIMIT), key


def test_shares_of_right_verdicts_on_rows_with_their_own_criteria_equal_their_reference_values() -> None:
    """The decisive numbers of `rows.yaml`, pooled, first case; typed here for where the case isn't."""
    named = [(f"t{task}", f"t{task}c{place}") for task in range(12) for place in range(6)]
    gold = [place % 3 > 0 for _ in range(12) for place in range(6)]
    judge = [met != (task % 4 == 0 and place == 2) for task in range(12) for place, met in enumerate(gold[:6])]
    shares = verdict_shares(gold, judge, [task for task, _ in named], [name for _, name in named])
    assert (shares.n, shares.tasks, shares.criteria, shares.unseen) == (72, 12, 72, True)
    assert shares.agreement.value == pytest.approx(69 / 72)
    assert shares.false_unmet.value == pytest.approx(3 / 48)
    assert shares.false_met.value == 0


@pytest.mark.skipif(not CASES.is_file(), reason="runs where ../shared has the worked cases of rows")
def test_in_partly_labelled_tasks_labelled_criteria_are_weighted_up_for_the_criteria_without_labels() -> None:
    case = cases_in(CASES)["partial"]
    right, task, labelled = [], [], []
    for number, row in enumerate(case["tasks"]):
        right += [1] * row["right"] + [0] * (row["labelled"] - row["right"])
        task += [number] * row["labelled"]
        labelled += [row["labelled"] / row["criteria"]] * row["labelled"]
    gold = np.ones(len(right), dtype=bool)
    shares = verdict_shares(gold, np.array(right, dtype=bool), task, range(len(right)), labelled_shares=labelled)
    assert np.mean(right) == pytest.approx(case["expect"]["plain"], abs=1e-6)
    assert shares.agreement.value == pytest.approx(case["expect"]["weighted"], abs=1e-6)
    weights = drawn_weights(1 / np.array(labelled))
    assert list(dict.fromkeys(np.round(weights, 6))) == pytest.approx(case["expect"]["weights"], abs=1e-6)
    assert kish_size(weights) == pytest.approx(case["expect"]["kish"], abs=1e-6)


@pytest.mark.parametrize("case", cases("tasks_needed"), ids=lambda case: f"{case['verdicts']} by {case['per_task']}")
def test_a_number_of_verdicts_needed_is_converted_to_a_number_of_tasks(case: dict[str, Any]) -> None:
    assert tasks_needed(case["verdicts"], case["per_task"]) == case["expect"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7), st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_the_order_of_verdicts_and_the_names_of_tasks_change_no_figure(rows: list[tuple[int, int, bool, bool]]) -> None:
    def figures(chosen: list[tuple[int, int, bool, bool]], prefix: str) -> tuple[object, ...]:
        tasks, criteria, gold, judge = zip(*chosen, strict=True)
        shares = verdict_shares(gold, judge, [f"{prefix}{task}" for task in tasks], criteria)
        return shares.n, shares.tasks, shares.unseen, shares.agreement.value, shares.agreement.lower(0.975)

    assert figures(rows, "a") == pytest.approx(figures(rows[::-1], "z"), nan_ok=True)


def test_figures_on_verdicts_are_marked_approximate_if_a_few_large_tasks_hold_many_of_the_verdicts() -> None:
    sizes = [60, *[4] * 19]
    tasks = np.repeat(np.arange(20), sizes)
    judge = tasks > 0
    shares = verdict_shares(np.ones(len(tasks), dtype=bool), judge, tasks, np.arange(len(tasks)))
    assert (shares.heavy, shares.is_rough) == (True, True)
    assert shares.agreement.value == pytest.approx(76 / 136)
    assert shares.agreement_of_tasks.value == pytest.approx(0.95, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([6, 12, 34]), st.sampled_from([0, 4]))
def test_the_interval_of_a_share_of_verdicts_uses_the_largest_of_three_design_effects(
    seed: int, shared: int, own: int
) -> None:
    """n_eff = n / max(d_t, d_c, d_t½ + d_c½ - 1), d = 1 + (m - 1)ρ, written out once more from the formula."""
    rng = np.random.default_rng(seed)
    tasks = np.repeat(np.arange(12), shared + own)
    unseen = shared + np.arange(12 * own).reshape(12, own)
    criteria = np.concatenate([np.tile(np.arange(shared), (12, 1)), unseen], axis=1).ravel().astype(int)
    effects = rng.normal(0, 1, 12)[tasks] + rng.normal(0, 1, criteria.max() + 1)[criteria]
    hits = rng.random(len(tasks)) < 1 / (1 + np.exp(-1 - effects))

    def design(groups: np.ndarray[Any, Any], quantile: float = 0.8) -> float:
        sizes = np.bincount(groups)
        correlation = beta_binomial_correlation(np.bincount(groups, hits), sizes, quantile=quantile)
        return 1 + (float((sizes**2).sum()) / len(groups) - 1) * correlation

    share = verdict_shares(np.ones(len(hits), dtype=bool), hits, tasks, criteria).agreement
    by_both = design(tasks, 0.5) + design(criteria, 0.5) - 1
    assert share.effective == pytest.approx(len(hits) / max(design(tasks), design(criteria), by_both))


def test_an_interval_that_allows_for_tasks_and_criteria_is_wider_than_an_interval_for_tasks_alone() -> None:
    """A table of 12 tasks by 12 criteria in which the four hardest of each err: either alone is not wide enough."""
    tasks, criteria = np.repeat(np.arange(12), 12), np.tile(np.arange(12), 12)
    hits = (tasks >= 4) & (criteria >= 4)
    agreement = verdict_shares(np.ones(144, dtype=bool), hits, tasks, criteria).agreement
    alone = grouped_share(hits, tasks)
    assert (agreement.value, alone.value) == (64 / 144, 64 / 144)
    assert agreement.effective < alone.effective
    assert ends(alone) == pytest.approx((0.238, 0.666), abs=LIMIT)
    assert ends(agreement) == pytest.approx((0.1955, 0.7159), abs=LIMIT)


def test_kappa_and_matthews_coefficient_have_an_interval_for_verdicts_of_rows_that_belong_to_twenty_tasks() -> None:
    """The jackknife over 20 tasks of four verdicts, worked out from its formula."""
    gold = np.tile([True, True, False, False], 20)
    judge = gold.copy()
    judge[np.arange(0, 80, 8)] = False  # wrong on the first verdict of every second task
    tasks = np.repeat(np.arange(20), 4)
    shares = verdict_shares(gold, judge, tasks, np.arange(80))
    without = []
    for task in range(20):
        rest = tasks != task
        same = float((gold[rest] == judge[rest]).mean())
        by_chance = 0.5  # half of gold is MET, so chance agreement is one half whatever the judge says
        without.append((same - by_chance) / (1 - by_chance))
    se = np.sqrt(19 / 20 * np.sum((np.array(without) - np.mean(without)) ** 2))
    assert shares.kappa == pytest.approx(0.75)
    assert shares.kappa_between == pytest.approx((0.75 - 2.093024 * se, 0.75 + 2.093024 * se), abs=1e-6)
    assert shares.mcc_between is not None
    few = verdict_shares(gold[:76], judge[:76], tasks[:76], np.arange(76))
    assert (few.tasks, few.kappa_between, few.mcc_between) == (19, None, None)
