"""The policy of verdicts: what intervals show of a judge, the verdict that follows, and labels needed."""

import ast
import functools
import gzip
import itertools
import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from markscheme.calibration.comparison import policy
from markscheme.calibration.comparison.policy import (
    BecauseCode,
    Circumstances,
    VerdictRow,
    VerdictStates,
    interval_level,
    labels_to_decide,
    side_confidence,
    states_of,
    trend_ruling,
    use_of_ok,
    verdict_row,
    verdict_states,
)
from markscheme.calibration.decision import MOST_EXCEPTED, PILOT
from markscheme.grading.receipt import Use
from markscheme.stats import decisive_labels, labels_needed, relabelling, shares
from markscheme.stats.agreement_figures import AgreementFigures, agreement_figures
from markscheme.stats.decisive_labels import LABEL_COUNTS
from markscheme.stats.shares import GroupedMean, GroupedShare, grouped_mean, grouped_share
from tests.reference.worked_cases import RULINGS, RulingCase
from tests.stats.shared_numbers import FOLDER, block

approx = pytest.approx
Vector = npt.NDArray[np.float64]
FIGURES = FOLDER / "verdict.yaml"
HANNA = FOLDER.parent / "data" / "hanna" / "items.jsonl.gz"
STATS = Path(policy.__file__).parents[2] / "stats"
CRITERIA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")


def ruling(states: VerdictStates, *, ok: Use, drifted: bool = False, no_skill: bool = False) -> VerdictRow:
    """Return verdict, use and reason code of a judge whose values neither pass nor fail a response."""
    circumstances = Circumstances(states, ok=ok, drifted=drifted, no_skill=no_skill)
    return verdict_row(None, trend_ruling(states, no_skill=no_skill), circumstances)


def because_of(states: VerdictStates, *, drifted: bool = False) -> BecauseCode:
    """Return the reason code of the verdict on a judge whose values neither pass nor fail a response."""
    _, _, because = ruling(states, ok="gate", drifted=drifted)
    return because


def spelled_out(counts: dict[float, int]) -> Vector:
    """Return an array with each value repeated as often as its count says."""
    return np.repeat(np.array(list(counts), dtype=np.float64), list(counts.values()))


def mean_of(counts: dict[float, int] | None) -> GroupedMean | None:
    return None if counts is None else grouped_mean(spelled_out(counts))


def agreement_of(agreement_data: dict[str, Any]) -> GroupedShare:
    """Return the agreement of a reference case, which lists hits over all examples or by group."""
    if "hits_by_group" not in agreement_data:
        return grouped_share(np.arange(agreement_data["n"]) < agreement_data["hits"])
    sizes = agreement_data["size_by_group"]
    hits = [np.arange(m) < y for y, m in zip(agreement_data["hits_by_group"], sizes, strict=True)]
    return grouped_share(np.concatenate(hits), np.repeat(np.arange(len(sizes)), sizes))


@pytest.mark.parametrize("case", RULINGS, ids=lambda case: case.name)
def test_each_combination_of_agreement_and_gain_over_the_baseline_gives_the_expected_verdict(
    case: RulingCase,
) -> None:
    gain = mean_of(case.gain)
    assert gain is not None
    by_group = {"hits_by_group": case.by_group, "size_by_group": [10] * len(case.by_group)}
    states = verdict_states(
        agreement_of(by_group if case.by_group else {"hits": case.hits, "n": case.n}),
        gain,
        target=0.8,
        settings=case.settings,
        people=None if case.people is None else grouped_share(spelled_out(case.people)),
        judge_minus_person=mean_of(case.judge_minus_person),
        person_minus_constant=mean_of(case.person_minus_constant),
    )
    row = ruling(states, ok=use_of_ok(case.reference))
    assert row == (case.verdict, case.use, case.because)


def test_verdicts_on_judges_equal_those_in_the_file_of_reference_values() -> None:
    for case in block("verdict3.yaml", "verdict"):
        if case.get("limits"):
            continue  # sides of decisions took the place of limits: gate.yaml
        agreement, gain = agreement_of(case["agreement"]), mean_of(case["judge_minus_constant"]["counts"])
        assert gain is not None
        person, signal = (
            mean_of(case.get(name, {}).get("counts")) for name in ("judge_minus_person", "person_minus_constant")
        )
        people = agreement_of(case["people"]) if "people" in case else None
        figures = {
            "agreement": agreement,
            "judge_minus_constant": gain,
            "people": people,
            "judge_minus_person": person,
            "person_minus_constant": signal,
        }
        confidence = side_confidence(case["settings"])
        for name, figure in figures.items():
            if figure is not None:
                bounds = (figure.lower(confidence), figure.upper(confidence))
                assert bounds == approx((case[name]["low"], case[name]["high"]), abs=1e-4), (case["name"], name)
        states = verdict_states(
            agreement,
            gain,
            target=case["target"],
            settings=case["settings"],
            people=people,
            judge_minus_person=person,
            person_minus_constant=signal,
        )
        row = ruling(states, ok=use_of_ok(case["reference"]))
        assert row == (case["verdict"], case["use"], case["why"]), case["name"]


@pytest.mark.parametrize(
    ("settings", "one_sided", "two_sided"),
    [(1, 0.975, 0.95), (2, 0.9875, 0.975), (5, 0.995, 0.99), (20, 0.99875, 0.9975)],
)
def test_the_confidence_level_of_a_verdict_on_a_judge_rises_with_the_number_of_settings_tried_on_the_labels(
    settings: int, one_sided: float, two_sided: float
) -> None:
    assert (side_confidence(settings), interval_level(settings)) == approx((one_sided, two_sided), abs=1e-12)


def test_confidence_levels_of_verdicts_on_judges_equal_those_in_the_file_of_reference_values() -> None:
    for case in block("verdict3.yaml", "confidence"):
        levels = side_confidence(case["settings"]), interval_level(case["settings"])
        assert levels == approx((case["one_sided"], case["two_sided"]), abs=1e-6)


def test_agreement_is_called_above_the_target_exactly_if_its_displayed_interval_is_above_the_target() -> None:
    no_gain = grouped_mean([])
    for case in block("verdict3.yaml", "share"):
        agreement = agreement_of(case)
        for settings in (1, 3, 10):
            expected = case[f"settings {settings}"]
            drawn = agreement.estimate(level=interval_level(settings))
            tolerance = 1e-4 if agreement.mean_size == 1 else 0.002
            bounds = agreement.lower(side_confidence(settings)), agreement.upper(side_confidence(settings))
            if expected["low"] is None:
                assert bounds == (None, None)
                continue
            assert bounds == approx((expected["low"], expected["high"]), abs=tolerance), case["name"]
            states = verdict_states(agreement, no_gain, 0.8, settings=settings)
            assert (states.above, states.below) == (case["above_80"][settings], case["below_80"][settings])
            if agreement.n >= shares.FEWEST_SHOWN:
                assert (drawn.low, drawn.high) == bounds


LEAST_ABOVE = [
    (17, 17),
    (29, 30),
    (38, 40),
    (46, 50),
    (55, 60),
    (72, 80),
    (89, 100),
    (130, 150),
    (172, 200),
    (254, 300),
]
MOST_BELOW = [(11, 20), (26, 40), (41, 60), (56, 80), (71, 100), (109, 150), (148, 200), (225, 300)]
"""Hits of labels with which agreement is first shown above, or last below, a target of .80."""


@pytest.mark.parametrize(("hits", "n"), LEAST_ABOVE)
def test_the_smallest_number_of_agreeing_examples_that_shows_a_judge_above_the_target_is_the_expected_one(
    hits: int, n: int
) -> None:
    above = [states_of(figures_with(x, n, {1.0: n}), 0.8).above for x in (hits - 1, hits)]
    assert above == [False, True]


@pytest.mark.parametrize(("hits", "n"), MOST_BELOW)
def test_the_largest_number_of_agreeing_examples_that_shows_a_judge_below_the_target_is_the_expected_one(
    hits: int, n: int
) -> None:
    below = [states_of(figures_with(x, n, {1.0: n}), 0.8).below for x in (hits, hits + 1)]
    assert below == [True, False]


@pytest.mark.parametrize(("settings", "hits"), [(1, 89), (2, 90), (3, 90), (5, 91), (10, 91), (20, 92)])
def test_the_agreement_needed_to_be_above_the_target_rises_with_the_number_of_settings_tried(
    settings: int, hits: int
) -> None:
    above = [states_of(figures_with(x, 100, {1.0: 100}), 0.8, settings=settings).above for x in (hits - 1, hits)]
    assert above == [False, True]


def test_the_constants_in_the_rules_for_verdicts_on_judges_equal_those_in_the_file_of_reference_values() -> None:
    first = block("verdict.yaml", "constants")
    assert {name: first[name] for name in first if not name.startswith(("confidence", "power", "most_"))} == {
        "margin_person": policy.PERSON_MARGIN,
        "fewest_shared": policy.ENOUGH_SHARED,
        "prior_rho": list(shares.PRIOR_RHO),
        "rho_quantile": shares.RHO_Q,
        "mean_prior_icc": shares.MEAN_ICC,
        "mean_prior_weight": shares.MEAN_WEIGHT,
        "fewest_groups_shown": shares.FEWEST_GROUPS,
        "fewest_groups_plain": shares.GROUPS_TO_TRUST,
    }
    ours = {
        "level": policy.LEVEL,
        "margin_person": policy.PERSON_MARGIN,
        "fewest_shared": policy.ENOUGH_SHARED,
        "batches": list(LABEL_COUNTS),
        "even": labels_needed.EVEN,
        "hopeless": approx(decisive_labels.HOPELESS, abs=1e-6),
        "least_pilot": PILOT,
        "fewest_examples": shares.FEWEST_SHOWN,
        "heaviest_weight": shares.HEAVIEST,
        "fewest_relabelled": relabelling.FEWEST_RELABELLED,
        "old_per_relabelled": relabelling.OLD_PER_NEW,
        "part_at_most": MOST_EXCEPTED,
    }
    assert block("verdict3.yaml", "constants") == ours


@pytest.mark.skipif(
    not (HANNA.exists() and FIGURES.exists()),
    reason="runs where ../shared/data/hanna/items.jsonl.gz and ../shared/statistics/verdict.yaml are there",
)
@pytest.mark.parametrize("judge", ["ChatGPT/prompt3", "Mistral-7B/prompt2"])
def test_agreement_of_judges_on_the_public_hanna_data_and_their_gain_over_the_baseline_equal_reference_values(
    judge: str,
) -> None:
    case = next(case for case in block("verdict.yaml", "real_full_data") if case["judge"] == judge)
    figures = hanna_figures(HANNA, judge)
    assert figures.agreement.n == case["n"]
    assert figures.agreement.n_groups == case["groups"]
    assert figures.agreement.effective == approx(case["n_eff"], rel=0.03)
    assert figures.constant.value == approx(case["constant"], abs=5.1e-5)
    estimates: dict[str, GroupedShare | GroupedMean] = {
        "agreement": figures.agreement,
        "judge_minus_constant": figures.gain,
        "people_pairwise": figures.people,
        "judge_minus_person": figures.judge_minus_person,
        "person_minus_constant": figures.person_minus_constant,
    }
    for name, figure in estimates.items():
        bounds = [figure.value, figure.lower(0.9), figure.upper(0.95 if name.endswith("constant") else 0.9)]
        expected = case[name] if not name.endswith("constant") else [*case[name][:2], bounds[2]]
        assert bounds == approx(expected, abs=0.002), name


@pytest.mark.skipif(not HANNA.exists(), reason="runs where ../shared/data/hanna/items.jsonl.gz is there")
@pytest.mark.proof
def test_all_20_judges_of_the_public_hanna_data_get_the_verdict_that_labels_disagree() -> None:
    judges = sorted(hanna_rows(HANNA)[0]["judge"])
    ruled = [ruling(states_of(hanna_figures(HANNA, judge), 0.8), ok="gate") for judge in judges]
    assert Counter((verdict, use) for verdict, use, _ in ruled) == {("labels-disagree", "explore"): 20}


@functools.cache
def hanna_rows(path: Path) -> list[dict[str, Any]]:
    """Read the published HANNA stories with their labels and every judge's levels."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@functools.cache
def hanna_people(path: Path) -> tuple[Vector, Vector]:
    """Return the stories' scores by three people, shape (n, 3), and by their median levels, shape (n,)."""
    levels = np.array(
        [[[given[name] for name in CRITERIA] for given in row["labels"].values()] for row in hanna_rows(path)]
    )
    scores = (levels - 1) / 4
    return scores.mean(axis=2), np.median(scores, axis=1).mean(axis=1)


def hanna_figures(path: Path, judge: str) -> AgreementFigures:
    """Return the agreement of one judge's scores of the stories with gold, the median of three people."""
    rows = hanna_rows(path)
    people, gold = hanna_people(path)
    judged = np.array([np.mean([(row["judge"][judge][name] - 1) / 4 for name in CRITERIA]) for row in rows])
    return agreement_figures(gold, judged, people, tolerance=0.1, groups=[row["input"] for row in rows])


STATES = [
    VerdictStates(*shown)
    for shown in itertools.product([False, True], repeat=8)
    if not (shown[0] and shown[1]) and not (shown[2] and shown[3]) and not (shown[5] and shown[6])
]


@pytest.mark.parametrize("ok", ["gate", "trend", "explore"])
def test_the_verdict_is_ok_only_if_agreement_is_above_the_target_and_above_the_baseline(ok: Any) -> None:
    for states in STATES:
        verdict, use, _ = ruling(states, ok=ok)
        assert (verdict == "ok") == (states.above and states.beats)
        assert use == ok if verdict == "ok" else use != "gate"


def test_a_judge_that_drifted_or_has_no_skill_never_has_the_verdict_ok() -> None:
    for states in STATES:
        assert because_of(states, drifted=True) == "drift"
        verdict, _, _ = ruling(states, ok="gate", no_skill=True)
        assert verdict != "ok"


def test_a_judge_shown_to_agree_less_often_than_the_baseline_gets_the_verdict_adjust_or_labels_disagree() -> None:
    for states in STATES:
        if states.loses:
            verdict, _, _ = ruling(states, ok="gate")
            assert verdict in ("adjust", "labels-disagree")


@pytest.mark.parametrize(
    ("shown", "because"),
    [
        ({"above": True, "loses": True}, "below-constant"),
        ({"above": True}, "constant-open"),
        ({"low": True, "asgood": True, "beats": True}, "as-person"),
        ({"below": True, "worse": True, "nosignal": True}, "below-person"),
        ({"nosignal": True, "loses": True}, "no-signal"),
        ({"below": True, "low": True}, "person-open"),
        ({"below": True}, "below-target"),
        ({}, "target-open"),
        ({"few_groups": True}, "few-groups"),
        ({"labelled": False}, "no-labels"),
    ],
)
def test_the_reason_for_a_verdict_on_a_judge_comes_from_the_first_rule_that_applies(
    shown: dict[str, bool], because: str
) -> None:
    nothing = dict.fromkeys(("above", "below", "beats", "loses"), False)
    assert because_of(VerdictStates(**{**nothing, **shown})) == because


def test_agreement_between_annotators_counts_only_if_they_share_at_least_thirty_examples() -> None:
    gain = grouped_mean([1.0] * 20 + [0.0] * 20)
    agreement = grouped_share([1.0] * 10 + [0.0] * 30)
    for n, shown in ((29, False), (30, True)):
        states = verdict_states(
            agreement,
            gain,
            target=0.8,
            people=grouped_share([0.0] * n),
            judge_minus_person=grouped_mean([0.5] * n),
            person_minus_constant=grouped_mean([-1.0] * n),
        )
        assert (states.low, states.asgood, states.nosignal) == (shown, shown, shown)


def test_four_groups_of_examples_are_too_few_for_a_verdict_even_on_a_perfect_judge() -> None:
    gold = np.tile([0.0, 1.0], 40)
    states = states_of(agreement_figures(gold, gold, tolerance=0.1, groups=np.repeat(np.arange(4), 20)), 0.8)
    assert because_of(states) == "few-groups"


def test_if_judge_and_gold_share_no_example_the_reason_for_the_verdict_is_that_there_are_no_labels() -> None:
    figures = agreement_figures([0.5, math.nan], [math.nan, 0.5], tolerance=0.1)
    assert figures.agreement.n == 0
    assert math.isnan(figures.constant_value)
    assert because_of(states_of(figures, 0.8)) == "no-labels"
    assert labels_to_decide(figures, 0.8, "no-labels") is None


@pytest.mark.parametrize(
    ("reference", "blind", "use"),
    [
        ("adjudicated", True, "gate"),
        ("people", True, "gate"),
        ("adjudicated", False, "trend"),
        ("one-person", True, "trend"),
        ("constructed", True, "explore"),
        ("model", False, "explore"),
    ],
)
def test_what_a_judge_with_the_verdict_ok_may_be_used_for_depends_on_the_kind_of_labels(
    reference: str, blind: bool, use: str
) -> None:
    assert use_of_ok(reference, blind=blind) == use


def figures_with(hits: int, n: int, gain: dict[float, int], person: dict[float, int] | None = None) -> AgreementFigures:
    agreement, none = grouped_share(np.arange(n) < hits), grouped_share([])
    minus = grouped_mean(spelled_out(person)) if person else grouped_mean([])
    people = grouped_share(np.zeros(minus.n)) if person else none
    gained = grouped_mean(spelled_out(gain))
    return AgreementFigures(agreement, none, 0.5, gained, people, none, none, minus, grouped_mean([]))


def more(figures: AgreementFigures, because: BecauseCode, settings: int = 1) -> int | None:
    labels = labels_to_decide(figures, 0.8, because, settings=settings)
    return None if labels is None else labels.more


def test_the_number_of_labels_needed_to_show_agreement_above_the_target_equals_its_reference_value() -> None:
    open_target = figures_with(27, 30, {1.0: 20, 0.0: 10})
    assert because_of(states_of(open_target, 0.8)) == "target-open"
    labels = labels_to_decide(open_target, 0.8, "target-open")
    assert labels is not None
    assert (labels.more, labels.chance) == approx((40, 0.5601), abs=1e-4)
    assert more(figures_with(87, 100, {1.0: 60, 0.0: 40}), "target-open") == 20
    assert more(figures_with(87, 100, {1.0: 60, 0.0: 40}), "target-open", settings=5) == 160
    assert more(figures_with(162, 200, {1.0: 160, 0.0: 40}), "target-open") is None


def test_more_labels_are_needed_if_the_gain_over_the_baseline_is_less_certain_than_the_agreement() -> None:
    by_target = more(figures_with(85, 100, {1.0: 40, 0.0: 60}), "target-open")
    by_gain = more(figures_with(85, 100, {1.0: 30, -1.0: 22, 0.0: 48}), "target-open")
    assert by_target == 160
    assert by_gain is not None
    assert by_gain > by_target
    assert more(figures_with(85, 100, {1.0: 23, -1.0: 22, 0.0: 55}), "target-open") is None


def test_no_number_of_labels_needed_is_given_if_the_judge_is_no_better_than_the_baseline() -> None:
    assert more(figures_with(95, 100, {1.0: 2, -1.0: 2, 0.0: 96}), "constant-open") is None
    needed = more(figures_with(95, 100, {1.0: 6, -1.0: 2, 0.0: 92}), "constant-open")
    assert needed is not None
    assert needed in LABEL_COUNTS


def test_a_judge_that_is_less_certain_to_beat_the_baseline_needs_at_least_as_many_further_labels() -> None:
    sure = {1.0: 30, -1.0: 2, 0.0: 28}
    minus_person = {1 / 3: 10, -1 / 3: 12, -1.0: 2, 0.0: 36}
    as_good = more(figures_with(30, 60, sure, minus_person), "person-open")
    assert as_good is not None
    assert more(figures_with(30, 60, {1.0: 10, -1.0: 9, 0.0: 41}, minus_person), "person-open") is None
    less_sure = more(figures_with(30, 60, {1.0: 14, -1.0: 7, 0.0: 39}, minus_person), "person-open")
    assert less_sure is not None
    assert less_sure >= as_good


def test_a_decided_verdict_on_a_judge_needs_no_further_labels() -> None:
    figures = figures_with(90, 100, {1.0: 50, 0.0: 50})
    assert labels_to_decide(figures, 0.8, "below-target") is None
    assert labels_to_decide(figures, 0.8, "target") is None


@pytest.mark.parametrize("path", sorted(STATS.glob("*.py")), ids=lambda path: path.stem)
def test_no_name_in_a_module_of_statistics_contains_the_words_gate_trend_explore_or_drift(path: Path) -> None:
    names = {
        word
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            getattr(node, "id", None),
            getattr(node, "name", None),
            getattr(node, "attr", None),
            getattr(node, "arg", None),
            node.value if isinstance(node, ast.Constant) else None,
        )
        if isinstance(name, str) and len(name) < 40
        for word in re.findall(r"[a-z]+", name.lower())
    }
    assert not names & {"gate", "trend", "explore", "drift", "drifted"}
