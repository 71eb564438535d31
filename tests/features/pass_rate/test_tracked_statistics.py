"""Rates over time: evidence, limits, audits and naming give the worked figures, and keep their laws."""

from typing import Any

import numpy as np
import pytest

from markscheme.calibration.earlier_runs.accepted_basis import LOOKS_ALARM
from markscheme.features.pass_rate.tracked import anchors, audits, naming, watched
from markscheme.features.pass_rate.tracked import evidence as evidence_rules
from markscheme.features.pass_rate.tracked.audits import (
    ALL_LOOKS,
    audit_chance,
    effective_labels,
    hash_share,
    is_audited,
    is_closed,
)
from markscheme.features.pass_rate.tracked.evidence import evidence, growth, onset, rings_in
from markscheme.features.pass_rate.tracked.naming import (
    may_be_judge,
    most_by_judge,
    name_cause,
    part_by_mix,
    shift_at_old_mix,
)
from markscheme.features.pass_rate.tracked.plan import JudgeRates, audit_plan
from markscheme.features.pass_rate.tracked.watched import (
    PEOPLE_RING,
    SHARE_RING,
    decision_growth,
    flips_when_still,
    level_growths,
    level_margin,
    people_floor,
    people_growth,
    share_growths,
    share_limits,
)
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats
from markscheme.stats.verdict_rates import rate_by_verdict
from tests.reference import tracked_rates
from tests.stats.exact_limits import mid_p_limits
from tests.stats.shared_numbers import block

FILE = "rates.yaml"
REFERENCE_WEEKS = [[240, 300], [237, 300], [242, 300], [239, 300]]


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-6, abs=1e-6)


def of_judge(weeks: list[Any], still: list[float]) -> Floats:
    sides = [[decision_growth(*week[side], still=still[side]) for week in weeks] for side in (0, 1)]
    return evidence(sides).mean(axis=0)  # type: ignore[no-any-return]


def of_share(weeks: list[Any], reference: list[list[int]]) -> Floats:
    shares = np.array([passes / responses for passes, responses in reference])
    limits = share_limits(shares, [p * (1 - p) / n for p, (_, n) in zip(shares, reference, strict=True)])
    growths = [share_growths([p / n for p, n, _ in week], [k for _, _, k in week], limits) for week in weeks]
    return evidence(np.swapaxes(growths, 0, 1)).mean(axis=0)  # type: ignore[no-any-return]


def of_people(weeks: list[Any], reference: dict[str, Any]) -> tuple[Floats, Floats]:
    passed, labels = np.transpose(reference["labels"])
    floor = people_floor(passed, labels, reference["pool"])
    growths = [
        people_growth(
            [week["x0"], week["x1"]],
            [week["n0"], week["n1"]],
            week["share"],
            reference=[passed, labels],
            floor=floor,
        )
        for week in weeks
    ]
    return floor, evidence(growths)


def figures(rate: Estimate) -> list[float | None]:
    return [rate.value, rate.low, rate.high]


def test_responses_are_drawn_for_audit_by_a_hash_of_the_response_s_id() -> None:
    for (seed, identifier), audited in tracked_rates.AUDITED.items():
        assert is_audited(seed, identifier, 0.5) is audited
    for case in block(FILE, "audited"):
        assert is_audited(case["seed"], case["id"], case["pi"]) is case["audited"]


def test_raising_the_chance_of_an_audit_keeps_every_response_that_was_audited_before() -> None:
    shares = [hash_share("reply", f"trace-{i}") for i in range(2000)]
    assert np.mean(np.array(shares) < 0.3) == pytest.approx(0.3, abs=0.03)
    assert all(is_audited("reply", f"trace-{i}", 0.5) for i in range(2000) if shares[i] < 0.3)


@pytest.mark.parametrize(
    ("sizes", "chance"), [([2150, 2200, 2100], 0.014), ([20], 1.0), ([100], 0.3), ([99_999], 0.00031)]
)
def test_the_chance_that_a_response_is_drawn_for_audit_is_rounded_up_to_two_digits(
    sizes: list[int], chance: float
) -> None:
    assert audit_chance(30, sizes) == chance


def test_constants_of_tracked_streams_equal_those_in_the_file_of_reference_values() -> None:
    constants = block(FILE, "constants")
    weeks = constants["horizon_weeks"], constants["reference_weeks"], constants["reference_labels"]
    assert weeks == (evidence_rules.HORIZON, watched.REFERENCE_WEEKS, watched.REFERENCE_LABELS)
    assert (constants["looks"], constants["closed"]) == (audits.LOOKS, audits.CLOSED)
    assert (constants["still"], constants["most_groups_a_week"]) == (watched.UNMOVED, watched.CAP)
    assert (constants["most_anchors"], constants["level_cut"]) == (anchors.MOST_ANCHORS, watched.LEVEL_CUT)
    assert constants["ring"] == {"people": PEOPLE_RING, "judge": LOOKS_ALARM, "share": SHARE_RING}
    assert close((constants["explains"], *constants["mix"])) == (
        naming.EXPLAINS,
        naming.RESPONSES_TO,
        naming.TRAFFIC_FROM,
    )


def test_confidence_limits_of_a_share_equal_those_of_an_independent_program_at_any_confidence_level() -> None:
    for (hits, n), limits in tracked_rates.ALL_LOOKS_LIMITS.items():
        assert mid_p_limits(hits, n, level=ALL_LOOKS) == close(limits)
    for case in block(FILE, "limits"):
        assert mid_p_limits(case["hits"], case["n"]) == close(tuple(case["one_look"]))
        assert mid_p_limits(case["hits"], case["n"], level=ALL_LOOKS) == close(tuple(case["tracked"]))


def test_intervals_of_pass_rates_from_labels_drawn_by_the_judge_s_verdict_equal_their_reference_values() -> None:
    for pool, passed, labels, expected in tracked_rates.ALL_LOOKS_RATES:
        assert figures(rate_by_verdict(passed, labels, pool, level=ALL_LOOKS)) == close(list(expected))
    for case in block(FILE, "rate"):
        counts = case.get("labels")
        if counts is None:
            counts = [effective_labels(*np.transpose(cells)) for cells in case["cells"]]
            assert np.array(counts) == close(np.array(case["effective"]))
        passed, labels = np.transpose(counts)
        assert figures(rate_by_verdict(passed, labels, case["pool"])) == close(case["one_look"])
        assert figures(rate_by_verdict(passed, labels, case["pool"], level=ALL_LOOKS)) == close(case["tracked"])


def test_labels_drawn_with_unequal_probabilities_count_as_fewer_effective_labels() -> None:
    for cells, expected in tracked_rates.EFFECTIVE.items():
        assert effective_labels(*np.transpose(cells)) == close(expected)
    assert effective_labels([3, 4], [5, 6], [0.2, 0.2]) == close((7, 11))
    assert effective_labels([0], [0], [0.2]) == (0.0, 0.0)


def test_the_pass_rate_has_a_third_stratum_for_responses_that_the_judge_leaves_to_people() -> None:
    assert rate_by_verdict([1, 15, 0], [4, 16, 0], [200, 800, 0]).value == close(0.8)
    assert rate_by_verdict([1, 15, 5], [4, 16, 10], [200, 800, 1000]).value == close(0.65)


def test_the_alarm_on_the_share_that_people_pass_is_raised_by_a_drop_and_not_by_a_stricter_judge() -> None:
    reference = {"pool": [720, 2880], "labels": [[6, 20], [76, 80]]}
    still = {"share": 0.8, "x1": 23, "n1": 24, "x0": 2, "n0": 6}
    worse = {"share": 0.69, "x1": 17, "n1": 21, "x0": 2, "n0": 9}
    strict = {"share": 0.65, "x1": 19, "n1": 19, "x0": 6, "n0": 11}
    floor, after = of_people([still] * 2 + [worse] * 7, reference)
    assert floor == close(0.7566942704)
    assert after[:8] == close(tracked_rates.PEOPLE_DROP)
    assert rings_in(after, PEOPLE_RING) == 9
    assert rings_in(of_people([strict] * 30, reference)[1], PEOPLE_RING) is None
    for case in block(FILE, "people"):
        floor, after = of_people(case["weeks"], case["reference"])
        assert floor == close(case["floor"])
        assert after == close(case["evidence"])
        assert rings_in(after, PEOPLE_RING) == case["rings_in"]


def test_the_alarm_on_the_judge_is_raised_if_the_judge_changes_its_own_earlier_decisions() -> None:
    weeks = [[(1, 84), (0, 16)]] * 3 + [[(17, 84), (0, 16)]] * 3
    after = of_judge(weeks, [0.05, 0.05])
    assert after == close(tracked_rates.STRICT_JUDGE)
    assert rings_in(after, LOOKS_ALARM) == 4
    *decisions, levels = block(FILE, "judge")
    for case in decisions:
        after = of_judge(case["weeks"], case["null"])
        assert after == close(case["evidence"])
        assert rings_in(after, LOOKS_ALARM) == case["rings_in"]
    up, down = level_growths(np.repeat(levels["shifts"], levels["times"]), levels["margin"])
    both = evidence([[up] * levels["weeks_n"], [down] * levels["weeks_n"]])
    assert both[0] == close(levels["up"])
    assert both[1] == close(levels["down"])
    decisions_alone = evidence([decision_growth(0, 60, still=0.05)] * levels["weeks_n"])
    assert (both.mean(axis=0) + decisions_alone) / 2 == close(levels["evidence"])


def test_the_share_of_decisions_that_an_unchanged_judge_flips_is_estimated_from_the_accepted_runs() -> None:
    three = [[1, 1, 1, 1, 1]] * 81 + [[1, 1, 0, 1, 0]] * 3
    two_runs = [[0, 0]] * 15 + [[0, 1]]
    assert flips_when_still(three) == close(tracked_rates.FLIPS_WHEN_STILL["three of 84 waver"])
    assert flips_when_still(two_runs) == close(tracked_rates.FLIPS_WHEN_STILL["one of 16, two runs"])
    for case in block(FILE, "noise"):
        runs = [decisions for decisions, times in case["accepted_runs"] for _ in range(times)]
        assert flips_when_still(runs) == close(case["null"])


def test_differences_between_accepted_runs_widen_the_margin_for_shifts_in_levels() -> None:
    for case, margin in tracked_rates.LEVEL_MARGINS.items():
        assert level_margin(*case) == close(margin)
    for case in block(FILE, "level_margin"):
        variances = (case["variance_of_run_means"], case["variance_of_a_run_mean"])
        assert level_margin(case["runs"], *variances) == close(case["margin"])


def test_evidence_that_the_share_of_passes_changed_equals_its_reference_value() -> None:
    assert of_share([[[0, 1, 15], [1, 1, 285]]] * 4, REFERENCE_WEEKS) == close(tracked_rates.SHARE_RISE)
    assert of_share([[[0, 1, 900], [1, 1, 2100]]] * 4, REFERENCE_WEEKS) == close(
        of_share([[[0, 1, 90], [1, 1, 210]]] * 4, REFERENCE_WEEKS)
    )
    for case in block(FILE, "share"):
        reference = [[week[1][1], week[0][1] + week[1][1]] for week in case["reference"]]
        after = of_share(case["weeks"], reference)
        assert after == close(case["evidence"])
        assert rings_in(after, SHARE_RING) == case["rings_in"]


def test_the_interval_of_a_share_of_passes_over_several_weeks_allows_for_differences_between_them() -> None:
    low, high = share_limits([0.70, 0.90, 0.75, 0.85], [0.0005] * 4)
    assert 0.8 - low == close(high - 0.8)
    assert high - low > 0.2


def test_a_shift_in_passes_is_blamed_on_the_judge_only_if_its_flips_on_old_examples_could_explain_it() -> None:
    for (flips, examples), expected in tracked_rates.AT_MOST_BY_JUDGE.items():
        assert most_by_judge(-0.12, 0.8, [0, flips], [20, examples])[1] == close(expected)
    assert may_be_judge(-0.12, -0.06198) is True
    assert may_be_judge(0.12, -0.2) is False
    for case in block(FILE, "could_it_be_the_judge"):
        sides = np.array([case["flips_of_fails"], case["flips_of_passes"]])
        explained, at_most = most_by_judge(case["shift"], case["share"], sides[:, 0], sides[:, 1])
        assert explained == close(case["explained"])
        assert at_most == close(case["at_most"])
        assert may_be_judge(case["shift"], at_most) is case["judge_may_explain"]


def cause(**changes: Any) -> str:
    rules: dict[str, Any] = {
        "judge_rang": False,
        "people_rang": False,
        "shift": -0.1,
        "judge_may_explain": False,
        "by_mix": None,
    }
    return name_cause(**rules | changes)


def test_a_changed_mix_of_inputs_is_named_as_the_cause_if_the_pass_rate_is_unchanged_for_the_old_mix() -> None:
    before = [[450, 500], [240, 300], [120, 200]]
    moved = shift_at_old_mix(before, [[135, 150], [200, 250], [360, 600]])
    assert moved == close((-0.115, 0.0))
    assert cause(shift=moved[0], by_mix=part_by_mix(*moved)) == "traffic"
    assert part_by_mix(0.0, 0.0) == 0.0
    for case in block(FILE, "mix"):
        shift, at_old_mix = shift_at_old_mix(*[list(case[weeks].values()) for weeks in ("reference", "now")])
        assert (shift, at_old_mix) == close((case["shift"], case["at_the_old_mix"]))
        assert part_by_mix(shift, at_old_mix) == close(case["part"])
        assert cause(shift=shift, by_mix=case["part"]) == case["named"]


def test_the_cause_of_a_change_in_a_tracked_stream_is_named_by_the_first_rule_that_applies() -> None:
    assert cause(judge_rang=True, by_mix=1.0) == "judge"
    assert cause(judge_rang=True, people_rang=True) == "judge and responses"
    assert cause(judge_may_explain=True, by_mix=1.0) == "open"
    assert cause(judge_may_explain=True, people_rang=True) == "responses"
    assert cause(shift=0.04) == "responses or traffic"
    assert cause() == "responses"
    assert cause(by_mix=0.5) == "traffic and responses"


@pytest.mark.parametrize(
    ("audits", "labelled", "closed"), [(10, 9, True), (10, 8, False), (11, 9, False), (0, 0, True)]
)
def test_a_week_counts_once_nine_tenths_of_its_responses_are_graded_and_nine_tenths_of_its_audits_are_labelled(
    audits: int, labelled: int, closed: bool
) -> None:
    assert is_closed(responses=500, graded=450, audits=audits, labelled=labelled) is closed
    assert is_closed(responses=500, graded=449, audits=audits, labelled=labelled) is False


def test_enough_labelled_audits_close_a_tracked_week_as_in_the_file_of_reference_values() -> None:
    for case in block(FILE, "closed"):
        done = is_closed(responses=1, graded=1, audits=case["audits"], labelled=case["labelled"])
        assert done is case["closed"]


def test_evidence_of_a_change_in_a_tracked_stream_is_averaged_over_the_weeks_in_which_it_may_have_begun() -> None:
    growths = np.random.default_rng(7).normal(0, 0.3, (12, 4))
    for week in range(1, 13):
        since = [np.exp(growths[start:week].sum(axis=0)).mean() for start in range(week)]
        assert evidence(growths)[week - 1] == close((sum(since) + 104 - week) / 104)


def test_a_simulated_stream_without_change_rarely_raises_an_alarm_in_two_years() -> None:
    draws = np.random.default_rng(20).binomial(30, 0.8, (2000, 104))
    growths = growth([1.0, 0.0], np.stack([draws, 30 - draws], axis=-1), floor=0.8, top=1.0)
    assert (evidence(growths).max(axis=1) >= PEOPLE_RING).mean() <= 1 / PEOPLE_RING


def test_evidence_of_a_change_in_a_tracked_stream_names_the_first_week_of_the_change() -> None:
    still = decision_growth(0, 80, still=0.05)
    moved = decision_growth(40, 80, still=0.05)
    assert onset([still] * 5 + [moved] * 3) == 6
    assert np.isfinite(evidence([moved] * 104)).all()


def test_statistics_of_tracked_streams_refuse_invalid_arguments() -> None:
    with pytest.raises(ValueError, match="104 weeks at most"):
        evidence(np.zeros((105, 4)))
    with pytest.raises(ValueError, match="values lie below"):
        growth([2.0], [1], floor=0.5, top=1.0)
    with pytest.raises(ValueError, match="two examples and two runs"):
        flips_when_still([[1], [1]])
    with pytest.raises(ValueError, match="a pool that isn't empty"):
        rate_by_verdict([0, 0], [0, 0], [0, 0])


def refuse_other_plan(audits: int, *, streams: int) -> None:
    """Compare a plan with the worked table, whose weeks are simulated and hold to a quarter or one week."""
    worked = block(FILE, "plan")
    rates = JudgeRates(worked["share"], worked["passed_of_passes"], worked["passed_of_fails"])
    (row,) = [row for row in worked["rows"] if row["audits"] == audits]
    plan = audit_plan(rates, audits, worked["drops"], streams=streams)
    assert list(plan.half_widths) == close(row["half_width_after_4_12_26"])
    planned = [*plan.weeks_half, *plan.weeks_nine_tenths]
    for weeks, expected in zip(planned, [*row["weeks_half"], *row["weeks_nine_tenths"]], strict=True):
        assert (weeks is None) == (expected is None)
        assert weeks is None or expected is None or abs(weeks - expected) <= max(1, expected / 4)


def test_a_plan_of_audits_gives_the_expected_number_of_weeks_until_a_drop_is_shown() -> None:
    refuse_other_plan(30, streams=400)


@pytest.mark.proof
@pytest.mark.parametrize("audits", [10, 20, 30, 50, 100])
def test_simulating_more_streams_does_not_change_the_number_of_weeks_in_a_plan_of_audits(audits: int) -> None:
    refuse_other_plan(audits, streams=2000)


def test_a_simulated_drop_of_the_pass_rate_leaves_the_judge_s_error_rates_unchanged() -> None:
    before = JudgeRates(0.8, 0.95, 0.3)
    after = before.after_drop(0.2)
    assert after.good == pytest.approx(before.good - 0.2)
    assert after.share * after.of_passes / after.good == pytest.approx(0.8 * 0.95 / before.good)
