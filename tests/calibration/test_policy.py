"""The states of a judge, the rule from states to a verdict, and labels needed."""

import ast
import gzip
import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from markscheme.calibration import policy
from markscheme.calibration.policy import VerdictStates, labels_needed, ruling, states_of, use_of_ok, verdict_states
from markscheme.stats import planning, shares
from markscheme.stats.agreement_figures import AgreementFigures, agreement_figures
from markscheme.stats.planning import labels_to_clear
from markscheme.stats.shares import GroupedMean, GroupedShare, grouped_mean, grouped_share
from tests.reference.worked_cases import REAL, RULINGS, RealCase, RulingCase
from tests.stats.shared_numbers import FOLDER, block

approx = pytest.approx
Vector = npt.NDArray[np.float64]
HANNA = FOLDER.parent / "data" / "hanna" / "items.jsonl.gz"
STATS = Path(policy.__file__).parents[1] / "stats"
CRITERIA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")


def spelled_out(counts: dict[float, int]) -> Vector:
    """Each value as often as it is counted."""
    return np.repeat(np.array(list(counts), dtype=np.float64), list(counts.values()))


def mean_of(counts: dict[float, int] | None) -> GroupedMean | None:
    return None if counts is None else grouped_mean(spelled_out(counts))


def agreement_of(found: dict[str, Any]) -> GroupedShare:
    """A case's agreement, by hits of examples or by hits of groups."""
    if "hits" in found:
        return grouped_share(np.arange(found["n"]) < found["hits"])
    sizes = found["size_by_group"]
    hits = [np.arange(m) < y for y, m in zip(found["hits_by_group"], sizes, strict=True)]
    return grouped_share(np.concatenate(hits), np.repeat(np.arange(len(sizes)), sizes))


@pytest.mark.parametrize("case", RULINGS, ids=lambda case: case.name)
def test_worked_verdicts_come_out(case: RulingCase) -> None:
    gain = mean_of(case.gain)
    assert gain is not None
    by_group = {"hits_by_group": case.by_group, "size_by_group": [10] * len(case.by_group)}
    states = verdict_states(
        agreement_of(by_group if case.by_group else {"hits": case.hits, "n": case.n}),
        gain,
        target=0.8,
        people=None if case.people is None else grouped_share(spelled_out(case.people)),
        judge_minus_person=mean_of(case.judge_minus_person),
        person_minus_constant=mean_of(case.person_minus_constant),
    )
    found = ruling(states, ok=use_of_ok(case.reference))
    assert (found.verdict, found.use, found.because) == (case.verdict, case.use, case.because)


@pytest.mark.parametrize("case", REAL, ids=lambda case: case.name)
def test_published_judges_get_the_worked_verdict_from_their_bounds(case: RealCase) -> None:
    (_, lower, upper), (_, gain_lower, gain_upper) = case.agreement, case.gain
    one_annotator = (math.nan,) * 3
    _, _, people_upper = case.people or one_annotator
    _, person_lower, person_upper = case.judge_minus_person or one_annotator
    _, _, signal_upper = case.person_minus_constant or one_annotator
    states = VerdictStates(
        above=lower > 0.8,
        below=upper < 0.8,
        beats=gain_lower > 0,
        loses=gain_upper < 0,
        low=people_upper < 0.8,
        asgood=person_lower > -0.1,
        worse=person_upper < 0 and not person_lower > -0.1,
        nosignal=signal_upper < 0,
    )
    found = ruling(states, ok="gate")
    assert (found.verdict, found.use, found.because) == (case.verdict, case.use, case.because)


def test_every_verdict_of_the_reference_comes_out() -> None:
    for case in block("verdict.yaml", "verdict"):
        agreement, gain = agreement_of(case["agreement"]), mean_of(case["judge_minus_constant"]["counts"])
        assert gain is not None
        people, person, signal = (
            case.get(name, {}).get("counts")
            for name in ("people_pairwise", "judge_minus_person", "person_minus_constant")
        )
        pairs = None if people is None else grouped_share(spelled_out(people))
        figures: dict[str, GroupedShare | GroupedMean | None] = {
            "agreement": agreement,
            "judge_minus_constant": gain,
            "people_pairwise": pairs,
            "judge_minus_person": mean_of(person),
            "person_minus_constant": mean_of(signal),
        }
        for name, figure in figures.items():
            if figure is None:
                continue
            bounds = {"value": figure.value, "low90": figure.lower(0.9), "high90": figure.upper(0.9)}
            bounds["high95"] = figure.upper(0.95)
            tolerance = 0.002 if "size_by_group" in case[name] else 1e-4
            for bound in bounds.keys() & case[name].keys():
                assert bounds[bound] == approx(case[name][bound], abs=tolerance), (case["name"], name, bound)
        states = verdict_states(
            agreement,
            gain,
            target=case["target"],
            people=pairs,
            judge_minus_person=mean_of(person),
            person_minus_constant=mean_of(signal),
        )
        found = ruling(states, ok=use_of_ok(case["reference"]))
        assert (found.verdict, found.use, found.because) == (case["verdict"], case["use"], case["why"]), case["name"]


def test_the_constants_of_the_reference_are_ours() -> None:
    assert block("verdict.yaml", "constants") == {
        "confidence": planning.CONF,
        "confidence_worse_than_constant": policy.CONSTANT_CONFIDENCE,
        "margin_person": policy.PERSON_MARGIN,
        "fewest_shared": policy.ENOUGH_SHARED,
        "prior_rho": list(shares.PRIOR_RHO),
        "rho_quantile": shares.RHO_Q,
        "mean_prior_icc": shares.MEAN_ICC,
        "mean_prior_weight": shares.MEAN_WEIGHT,
        "fewest_groups_shown": shares.FEWEST_GROUPS,
        "fewest_groups_plain": shares.GROUPS_TO_TRUST,
        "power": planning.POWER,
        "most_labels": planning.MOST,
    }


@pytest.mark.skipif(not HANNA.exists(), reason=f"runs where {HANNA} is there")
@pytest.mark.parametrize("judge", ["ChatGPT/prompt3", "Mistral-7B/prompt2"])
def test_the_figures_of_published_judges_come_out_from_their_scores(judge: str) -> None:
    case = next(case for case in block("verdict.yaml", "real_full_data") if case["judge"] == judge)
    figures = hanna_figures(HANNA, judge)
    assert figures.agreement.n == case["n"]
    assert figures.agreement.n_groups == case["groups"]
    assert figures.agreement.effective == approx(case["n_eff"], rel=0.03)
    assert figures.constant.value == approx(case["constant"], abs=5.1e-5)
    found: dict[str, GroupedShare | GroupedMean] = {
        "agreement": figures.agreement,
        "judge_minus_constant": figures.gain,
        "people_pairwise": figures.people,
        "judge_minus_person": figures.judge_minus_person,
        "person_minus_constant": figures.person_minus_constant,
    }
    for name, figure in found.items():
        bounds = [figure.value, figure.lower(0.9), figure.upper(0.95 if name.endswith("constant") else 0.9)]
        expected = case[name] if not name.endswith("constant") else [*case[name][:2], bounds[2]]
        assert bounds == approx(expected, abs=0.002), name
    ruled = ruling(states_of(figures, 0.8), ok="gate")
    assert f"{ruled.verdict}/{ruled.use}" == case["new"]
    assert ruled.because == case["why"]


def hanna_figures(path: Path, judge: str) -> AgreementFigures:
    """One judge of the published stories: the mean of six levels as a score; gold is the median level of three."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]

    def score(levels: dict[str, float]) -> float:
        return float(np.mean([(levels[name] - 1) / 4 for name in CRITERIA]))

    people = np.array([[score(given) for given in row["labels"].values()] for row in rows])
    medians = [{c: float(np.median([p[c] for p in row["labels"].values()])) for c in CRITERIA} for row in rows]
    gold = np.array([score(median) for median in medians])
    judged = np.array([score(row["judge"][judge]) for row in rows])
    return agreement_figures(gold, judged, people, tolerance=0.1, groups=[row["input"] for row in rows])


STATES = [
    VerdictStates(*shown)
    for shown in itertools.product([False, True], repeat=8)
    if not (shown[0] and shown[1]) and not (shown[2] and shown[3]) and not (shown[5] and shown[6])
]


@pytest.mark.parametrize("ok", ["gate", "trend", "explore"])
def test_only_agreement_above_target_and_constant_gives_ok(ok: Any) -> None:
    for states in STATES:
        found = ruling(states, ok=ok)
        assert (found.verdict == "ok") == (states.above and states.beats)
        assert found.use == ok if found.verdict == "ok" else found.use != "gate"


def test_people_never_turn_a_verdict_into_ok_and_drift_and_no_skill_always_forbid_it() -> None:
    for states in STATES:
        assert ruling(states, ok="gate", drifted=True).because == "drift"
        assert ruling(states, ok="gate", no_skill=True).verdict != "ok"


def test_a_judge_below_a_constant_is_never_left_open_unless_its_labels_disagree() -> None:
    for states in STATES:
        if states.loses:
            assert ruling(states, ok="gate").verdict in ("adjust", "labels-disagree")


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
def test_the_first_rule_that_holds_decides(shown: dict[str, bool], because: str) -> None:
    nothing = dict.fromkeys(("above", "below", "beats", "loses"), False)
    assert ruling(VerdictStates(**{**nothing, **shown}), ok="gate").because == because


def test_people_on_fewer_than_thirty_examples_show_nothing() -> None:
    gain = grouped_mean([1.0] * 20 + [0.0] * 20)
    agreement = grouped_share([1.0] * 10 + [0.0] * 30)
    for n, shown in ((29, False), (30, True)):
        states = verdict_states(
            agreement,
            gain,
            target=0.8,
            people=grouped_share([0.0] * n),
            judge_minus_person=grouped_mean([0.0] * n),
            person_minus_constant=grouped_mean([-1.0] * n),
        )
        assert (states.low, states.asgood, states.nosignal) == (shown, shown, shown)


def test_four_groups_show_nothing_however_good_the_judge() -> None:
    gold = np.tile([0.0, 1.0], 40)
    states = states_of(agreement_figures(gold, gold, tolerance=0.1, groups=np.repeat(np.arange(4), 20)), 0.8)
    assert ruling(states, ok="gate").because == "few-groups"


def test_without_a_comparable_example_there_are_no_labels() -> None:
    figures = agreement_figures([0.5, math.nan], [math.nan, 0.5], tolerance=0.1)
    assert figures.agreement.n == 0
    assert math.isnan(figures.constant_value)
    assert ruling(states_of(figures, 0.8), ok="gate").because == "no-labels"
    assert labels_needed(figures, 0.8, "no-labels") is None


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
def test_the_use_of_ok_follows_from_the_labels(reference: str, blind: bool, use: str) -> None:
    assert use_of_ok(reference, blind=blind) == use


def figures_with(hits: int, n: int, gain: dict[float, int], person: dict[float, int] | None = None) -> AgreementFigures:
    agreement, none = grouped_share(np.arange(n) < hits), grouped_share([])
    minus = grouped_mean(spelled_out(person)) if person else grouped_mean([])
    people = grouped_share(np.zeros(minus.n)) if person else none
    gained = grouped_mean(spelled_out(gain))
    return AgreementFigures(agreement, none, 0.5, gained, people, none, none, minus, grouped_mean([]))


def test_labels_to_reach_the_target_are_more_than_there_are() -> None:
    open_target = figures_with(82, 100, {1.0: 40, -1.0: 5, 0.0: 55})
    assert ruling(states_of(open_target, 0.8), ok="gate").because == "target-open"
    assert labels_needed(open_target, 0.8, "target-open") == labels_to_clear(0.82, 0.8)
    hardly = figures_with(1, 1, {1.0: 1})
    assert (labels_needed(hardly, 0.99, "target-open") or 0) > 1


def test_a_gain_that_is_open_as_well_asks_for_the_larger_number() -> None:
    by_target = labels_needed(figures_with(85, 100, {1.0: 40, 0.0: 60}), 0.8, "target-open")
    by_gain = labels_needed(figures_with(85, 100, {1.0: 30, -1.0: 22, 0.0: 48}), 0.8, "target-open")
    assert by_target == 297
    assert by_gain is not None
    assert by_gain > by_target


def test_a_judge_no_better_than_a_constant_needs_examples_that_vary_rather_than_more() -> None:
    assert labels_needed(figures_with(95, 100, {1.0: 2, -1.0: 2, 0.0: 96}), 0.8, "constant-open") is None
    needed = labels_needed(figures_with(95, 100, {1.0: 6, -1.0: 2, 0.0: 92}), 0.8, "constant-open")
    assert needed is not None
    assert 100 < needed < 1000


def test_whether_the_judge_is_as_good_as_a_person_asks_for_whatever_is_open() -> None:
    sure = {1.0: 30, -1.0: 2, 0.0: 28}
    as_good = figures_with(30, 60, sure, {1 / 3: 10, -1 / 3: 12, -1.0: 2, 0.0: 36})
    assert (labels_needed(as_good, 0.8, "person-open") or 0) > 60
    unsure = figures_with(30, 60, {1.0: 10, -1.0: 9, 0.0: 41}, {1 / 3: 10, -1 / 3: 12, -1.0: 2, 0.0: 36})
    assert (labels_needed(unsure, 0.8, "person-open") or 5001) > (labels_needed(as_good, 0.8, "person-open") or 0)


def test_a_verdict_that_is_not_open_needs_no_labels() -> None:
    figures = figures_with(90, 100, {1.0: 50, 0.0: 50})
    assert labels_needed(figures, 0.8, "below-target") is None
    assert labels_needed(figures, 0.8, "target") is None


@pytest.mark.parametrize("path", sorted(STATS.glob("*.py")), ids=lambda path: path.stem)
def test_statistics_name_no_use_and_no_verdict(path: Path) -> None:
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
