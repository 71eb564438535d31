"""Shares of gold's fails and passes that a judge decides alike, and the labels needed to settle a gate."""

import numpy as np
import pytest

from markscheme.calibration.comparison.limits import GateSide
from markscheme.stats.decision_figures import DecisionFigures, decision_figures
from markscheme.stats.decision_labels import chance_to_decide_sides, labels_for_sides
from tests.reference.two_questions import GATES, LABELS, LEAST_OF_A_SIDE, GateCase, GateLabels
from tests.stats.shared_numbers import block

BOUNDS = {"target": 0.8, "stops": 0.7, "keeps": 0.7, "confidence": 0.975}
TOLERANCE = 0.02
"""Of a chance from 20,000 draws, as the worked cases allow it."""


def figures_of(fails: int, stopped: int, passes: int, kept: int, per_group: int = 1) -> DecisionFigures:
    """Return the figures of decisions with these counts, with each `per_group` successive examples as a group."""
    gold = [0.0] * fails + [1.0] * passes
    judge = [0.0] * stopped + [1.0] * (fails - stopped + kept) + [0.0] * (passes - kept)
    groups = None if per_group == 1 else (np.arange(len(gold)) // per_group).astype(str)
    return decision_figures(gold, judge, groups=groups)


@pytest.mark.parametrize("case", GATES)
def test_the_shares_of_fails_stopped_and_passes_kept_have_exact_limits_at_the_given_confidence(case: GateCase) -> None:
    figures = figures_of(case.fails, case.stopped, case.passes, case.kept)
    confidence = 1 - 0.025 / case.settings
    for side, limits in ((figures.stops, case.stops), (figures.keeps, case.keeps)):
        assert (side.lower(confidence), side.upper(confidence)) == pytest.approx(limits, abs=1e-6)


@pytest.mark.parametrize("case", LABELS)
def test_the_labels_needed_for_a_gate_and_their_chance_equal_those_of_an_independent_program(
    case: GateLabels,
) -> None:
    labels = labels_for_sides(figures_of(case.fails, case.stopped, case.passes, case.kept), **BOUNDS)
    assert (None if labels is None else labels.more) == case.more
    if labels is not None:
        assert labels.chance == pytest.approx(case.chance, abs=TOLERANCE)


@pytest.mark.proof
def test_the_probability_that_more_labels_decide_about_a_gate_equals_its_reference_value() -> None:
    for case in block("gate.yaml", "labels"):
        figures = figures_of(case["fails"], case["stopped"], case["passes"], case["kept"])
        for more, chance in case["chance_by_batch"].items():
            assert chance_to_decide_sides(figures, int(more), **BOUNDS) == pytest.approx(chance, abs=TOLERANCE), case
        labels = labels_for_sides(figures, **BOUNDS)
        assert (None if labels is None else labels.more) == case["more"], case


@pytest.mark.parametrize("least", sorted(LEAST_OF_A_SIDE))
def test_the_fewest_labelled_fails_that_show_a_judge_to_stop_enough_equal_their_reference_values(
    least: float,
) -> None:
    for errors, needed in enumerate(LEAST_OF_A_SIDE[least]):
        enough = GateSide("stops", figures_of(needed, needed - errors, 0, 0).stops, least, 0.975)
        assert enough.state == "kept"
        one_less = GateSide("stops", figures_of(needed - 1, needed - 1 - errors, 0, 0).stops, least, 0.975)
        assert one_less.state == "open"
    assert enough.least_examples == LEAST_OF_A_SIDE[least][0]


def test_the_share_of_fails_stopped_has_no_interval_if_the_fails_are_in_fewer_than_five_groups() -> None:
    side = figures_of(12, 12, 60, 60, per_group=6).stops
    assert side.has_few_groups
    assert (side.lower(0.975), side.upper(0.975)) == (None, None)


def test_correlated_errors_within_groups_lower_the_chance_that_further_labels_decide_about_a_gate() -> None:
    alone = figures_of(40, 33, 60, 53)
    together = figures_of(40, 33, 60, 53, per_group=4)
    assert together.stops.among.effective < alone.stops.among.effective
    assert chance_to_decide_sides(together, 240, **BOUNDS) < chance_to_decide_sides(alone, 240, **BOUNDS)


def test_the_expected_share_of_fails_among_responses_is_above_0_even_if_no_labelled_response_failed() -> None:
    nothing_failed = figures_of(0, 0, 60, 60)
    assert nothing_failed.share_of_fails == pytest.approx(0.5 / 61)
    assert nothing_failed.stops.lower(0.975) is None


@pytest.mark.parametrize(("kept", "lost", "passed", "stopped"), [(28, 22, 2, 51), (40, 10, 10, 40), (90, 10, 3, 97)])
def test_drawing_all_labels_from_a_single_stratum_hardly_changes_the_intervals(
    kept: int, lost: int, passed: int, stopped: int
) -> None:
    gold = [1.0] * (kept + lost) + [0.0] * (passed + stopped)
    judge = [1.0] * kept + [0.0] * lost + [1.0] * passed + [0.0] * stopped
    plain = decision_figures(gold, judge)
    of_stratum = decision_figures(gold, judge, weights=[1.4] * len(gold), strata=["all"] * len(gold))
    assert (of_stratum.stops, of_stratum.keeps) == (plain.stops, plain.keeps)
    weights = [1.0 + 0.001 * (index % 2) for index in range(len(gold))]
    nearly = decision_figures(gold, judge, weights=weights, strata=["all"] * len(gold))
    for side in ("stops", "keeps"):
        wanted, rate = getattr(plain, side).rate, getattr(nearly, side).rate
        assert (rate.lower(0.975), rate.upper(0.975)) == pytest.approx(
            (wanted.lower(0.975), wanted.upper(0.975)), abs=0.02
        )


def test_intervals_from_labels_stratified_by_an_earlier_judge_s_verdicts_cover_the_share_in_92_percent_of_draws() -> (
    None
):
    draw = np.random.default_rng(5)
    holds = []
    for _ in range(150):
        gold = (draw.random(8000) < 0.5).astype(float)
        now, before = (np.where(draw.random(8000) < 0.7, gold, 1 - gold) for _ in range(2))
        rows = np.concatenate(
            [draw.choice(np.flatnonzero(before == verdict), 100, replace=False) for verdict in (0, 1)]
        )
        weights = np.repeat([(before == verdict).mean() * 2 for verdict in (0, 1)], 100)
        names = ["fail"] * 100 + ["pass"] * 100
        rate = decision_figures(gold[rows], now[rows], weights=weights, strata=names).keeps.rate
        holds.append((rate.lower(0.975) or 0.0) <= 0.7 <= (rate.upper(0.975) or 1.0))
    assert np.mean(holds) >= 0.92


def test_sampling_weights_of_labels_change_the_share_of_fails_stopped_but_not_the_counts_behind_the_share() -> None:
    gold = [0.0] * 5 + [1.0] * 45 + [0.0] * 45 + [1.0] * 5
    judge = [1.0] * 50 + [0.0] * 50
    weights = [1.8] * 50 + [0.2] * 50
    plain = decision_figures(gold, judge).stops
    by_verdict = decision_figures(gold, judge, weights=weights, strata=[""] * 100).stops
    assert not plain.is_weighted
    assert by_verdict.is_weighted
    assert by_verdict.rate.value == pytest.approx(0.1 * 0.9 / (0.1 * 0.9 + 0.9 * 0.1))
    assert (by_verdict.hits, by_verdict.of) == (45, 50)
