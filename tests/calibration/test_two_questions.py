"""Two separate questions: whether a judge's decisions allow a gate, and whether its scores allow trends."""

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from markscheme import Rubric, calibrate
from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.comparison.limits import ErrorLimits
from markscheme.calibration.comparison.policy import (
    BecauseCode,
    Circumstances,
    Ruling,
    RulingState,
    UseQuestion,
    VerdictStates,
    against_gate,
    verdict_row,
)
from markscheme.calibration.comparison.verdict import LIMIT_OF_SIDE
from markscheme.calibration.findings.kinds import NO_SKILL
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.reasons import offer_in_words
from markscheme.calibration.recorded_trials import EXAMPLE_DIGITS, SETTINGS
from markscheme.fingerprint import fingerprint
from markscheme.report.views.calibration import json_of
from markscheme.rubrics.rubric import Scale
from markscheme.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from tests.calibration.made import Floats, examples, judged, rubric, yes_no_rubric
from tests.commands.console import run
from tests.reference.two_questions import GATES, GateCase
from tests.stats.shared_numbers import block

RUBRIC = yes_no_rubric()
SHOWN = VerdictStates(above=True, below=False, beats=True, loses=False)
OPEN = VerdictStates(above=False, below=False, beats=False, loses=False)


def decisions(fails: int, stopped: int, passes: int, kept: int) -> tuple[list[float], list[float]]:
    """Make gold's and a judge's decisions with given counts of fails, stopped fails, passes and kept passes."""
    gold = [0.0] * fails + [1.0] * passes
    return gold, [0.0] * stopped + [1.0] * (fails - stopped + kept) + [0.0] * (passes - kept)


def calibrated(
    counts: tuple[int, int, int, int], *, people: int = 2, settings: int = 1, **options: float | None
) -> Calibration:
    """Calibrate a judge of a yes/no question with the equal labels of `people` annotators."""
    gold, judge = (np.array(column)[:, None] for column in decisions(*counts))
    labelled = examples(RUBRIC, {f"p{person}": gold for person in range(people)})
    rater = Rater("judge", "", "ratings")
    asked = LabelOptions(**options)  # type: ignore[arg-type]
    return calibration_of(RUBRIC, labelled, judged(RUBRIC, judge), rater, options=asked).after(settings)


def counts_of(case: GateCase) -> tuple[int, int, int, int]:
    return case.fails, case.stopped, case.passes, case.kept


def test_agreement_with_and_without_ties_has_intervals_of_the_same_confidence_level() -> None:
    data = calibrated((60, 55, 60, 55), settings=2).to_json()
    assert data["ties"]["inclusive"]["level"] == data["agreement"]["level"] == 0.975


@pytest.mark.parametrize("case", GATES)
def test_the_answer_whether_a_judge_can_gate_equals_that_of_each_reference_case(
    case: GateCase,
) -> None:
    decision = calibrated(
        counts_of(case),
        settings=case.settings,
        target=case.target,
        max_false_pass=case.max_false_pass,
        max_false_fail=case.max_false_fail,
    ).decision
    assert decision.gate is not None
    assert decision.gate.state == case.gate


def assert_gate(written: dict[str, Any], case: dict[str, Any]) -> None:
    """Compare a calibration's JSON with a worked case, to its printed digits."""
    gate = written["decision"]["gate"]
    assert gate["state"] == case["gate"], case
    for name, key in (("decision", "same_decision"), ("stops", "stops"), ("keeps", "keeps")):
        value, low, high, _ = case[name]
        figure = gate["figures"][key]
        limits = (None, None, None) if value is None else (value, low, high)
        for actual, wanted in zip((figure["value"], figure["low"], figure["high"]), limits, strict=True):
            assert actual == (None if wanted is None else pytest.approx(wanted, abs=1e-6)), case


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    return {key: case[key] for key in ("target", "max_false_pass", "max_false_fail") if key in case}


def case_counts(case: dict[str, Any]) -> tuple[int, int, int, int]:
    return case["fails"], case["stopped"], case["passes"], case["kept"]


@pytest.mark.proof
def test_calibrate_answers_the_gate_question_on_tables_as_the_reference_cases_expect(
    tmp_path: Path,
) -> None:
    for number, case in enumerate(block("gate.yaml", "gate")):
        if case["settings"] == 1:  # a table records no settings
            table = write_table(tmp_path / f"t{number}.csv", *decisions(*case_counts(case)))
            assert_gate(calibrate(table, **options_of(case)).to_json(), case)


@pytest.mark.proof
def test_calibrate_answers_the_gate_question_on_a_rubric_s_examples_as_the_reference_cases_expect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, case in enumerate(block("gate.yaml", "gate")):
        home = write_project(tmp_path / str(number), *decisions(*case_counts(case)), settings=case["settings"])
        monkeypatch.chdir(home)
        assert_gate(calibrate("right", ratings="judge.jsonl", **options_of(case)).to_json(), case)


def write_table(path: Path, gold: Sequence[float], judge: Sequence[float]) -> Path:
    """Write a table with a column of verdicts and two of annotators."""
    words = {1.0: "pass", 0.0: "fail"}
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["verdict", "human_1", "human_2"])
        writer.writerows([words[j], words[g], words[g]] for g, j in zip(gold, judge, strict=True))
    return path


def write_project(home: Path, gold: Sequence[float], judge: Sequence[float], *, settings: int = 1) -> Path:
    """Write a project with a yes/no rubric, two annotators' labels, a judge's ratings, and settings tried before."""
    text = "name: right\ncriteria:\n  - {name: right, requirement: It is right.}\n"
    labels = [{"right": "MET" if level else "UNMET"} for level in gold]
    ratings = [{"right": "MET" if level else "UNMET"} for level in judge]
    folder = write_rated(home, text, labels, ratings)
    ids = sorted(fingerprint(f"e{i}")[:EXAMPLE_DIGITS] for i in range(len(gold)))
    tried = [
        {"at": "2026-11-01", "setting": f"s{i}", "rubric": "r", "judge": "j", "n": 1, "split": None, "examples": ids}
        for i in range(settings - 1)
    ]
    (folder / SETTINGS).write_text("".join(json.dumps(line) + "\n" for line in tried))
    return home


def write_rated(home: Path, rubric: str, labels: list[dict[str, Any]], ratings: list[dict[str, Any]]) -> Path:
    """Write a project with a rubric `right`, labels of two people and a judge's ratings; return its folder."""
    folder = home / "calibration" / "right"
    folder.mkdir(parents=True)
    (home / "rubrics").mkdir()
    (home / "rubrics" / "right.yaml").write_text(rubric)
    rows = [
        {
            "id": f"e{i}",
            "response": f"response {i}",
            "labels": [{"rater": rater, "kind": "human", "criteria": levels} for rater in ("ann", "ben")],
        }
        for i, levels in enumerate(labels)
    ]
    (folder / "examples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = [{"id": f"e{i}", "rater": "judge", "criteria": levels} for i, levels in enumerate(ratings)]
    (home / "judge.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


# --- three faults: a judge that passes fails, one that fails passes, and one that is right where fails are rare -------

LETS_FAILS_PASS = (32, 12, 168, 166)
FAILS_NEARLY_ALL = (150, 148, 50, 17)
RIGHT_ON_RARE_FAILS = (46, 44, 926, 890)
FAULTS: list[tuple[tuple[int, int, int, int], str, dict[UseQuestion | None, int]]] = [
    (LETS_FAILS_PASS, "side", {None: 1, "gate": 1, "trend": 0}),
    (FAILS_NEARLY_ALL, "side", {None: 1, "gate": 1}),
    (RIGHT_ON_RARE_FAILS, "target", {None: 0, "gate": 0, "trend": 4}),
]


@pytest.mark.parametrize(("counts", "because", "statuses"), FAULTS)
@pytest.mark.parametrize("made", ["rubric", "table"])
def test_the_exit_status_and_the_gate_s_reason_follow_from_the_fails_stopped_and_the_passes_kept(
    tmp_path: Path, counts: tuple[int, int, int, int], because: str, statuses: dict[UseQuestion | None, int], made: str
) -> None:
    columns = decisions(*counts)
    home = write_project(tmp_path, *columns) if made == "rubric" else tmp_path
    named = ["right", "--ratings", "judge.jsonl"]
    if made == "table":
        named = [write_table(home / "table.csv", *columns).name]
    for required, status in statuses.items():
        asked = [] if required is None else ["--require", required]
        done = run("markscheme", "calibrate", *named, *asked, "--json", "-", "--quiet", cwd=home)
        assert done.returncode == status, (required, done.stderr)
    gate = json.loads(done.stdout)["decision"]["gate"]
    assert gate["because"] == because


@pytest.mark.parametrize(("counts", "code"), [(LETS_FAILS_PASS, "lenient"), ((100, 95, 100, 60), "severe")])
def test_a_judge_that_is_mostly_too_lenient_or_mostly_too_severe_gets_only_a_finding_on_its_bias(
    counts: tuple[int, int, int, int], code: str
) -> None:
    assert [finding.code for finding in calibrated(counts).findings] == [code]


def test_the_report_on_a_table_with_the_details_option_says_column_and_never_criterion(tmp_path: Path) -> None:
    table = write_table(tmp_path / "table.csv", *decisions(*LETS_FAILS_PASS))
    details = run("calibrate", table.name, "--details", cwd=tmp_path).stdout
    assert details.count("Column") >= 3
    assert "riteri" not in details


def test_if_a_judge_can_gate_but_trends_are_required_a_line_after_the_report_states_the_exit_status(
    tmp_path: Path,
) -> None:
    write_table(tmp_path / "table.csv", *decisions(*RIGHT_ON_RARE_FAILS))
    for options, said in (
        (["--require", "trend"], "--require trend: not met, exit status 4\n"),
        (["--require", "gate"], ""),
        (["--require", "trend", "--quiet"], ""),
        ([], ""),
    ):
        assert run("markscheme", "calibrate", "table.csv", *options, cwd=tmp_path).stderr == said


def test_a_judge_that_passes_most_responses_that_fail_a_required_criterion_may_not_gate_but_may_show_trends(
    tmp_path: Path,
) -> None:
    text = (
        "name: right\ncriteria:\n  - {name: safe, requirement: It is safe., required: true}\n"
        "  - {name: steps, description: Are the steps good?, weight: 3, scale: {min: 1, max: 5}}\n"
    )
    labels = [{"safe": "UNMET" if i < 32 else "MET", "steps": 3 + i % 3} for i in range(200)]
    ratings = [dict(levels) for levels in labels]
    for i in range(20):
        ratings[i]["safe"] = "MET"
    for i in (100, 101):
        ratings[i]["safe"] = "UNMET"
    write_rated(tmp_path, text, labels, ratings)
    done = run("markscheme", "calibrate", "right", "--ratings", "judge.jsonl", "--json", "-", "--quiet", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"], report["use"], report["because_code"]) == (1, "adjust", "trend", "side")
    assert report["decision"]["trend"]["state"] == "shown"
    assert "20 of the 32" in report["because"]


# --- the table of verdicts --------------------------------------------------------------------------------------------


def ruled(question: UseQuestion, *codes: BecauseCode) -> Ruling:
    return Ruling(question, codes)


GATE_SHOWN, GATE_OPEN, GATE_REFUSED = ruled("gate", "target"), ruled("gate", "side-open"), ruled("gate", "side")
TREND_SHOWN, TREND_OPEN = ruled("trend", "target"), ruled("trend", "target-open")
TREND_REFUSED = ruled("trend", "below-target")
ROWS: list[tuple[Ruling | None, Ruling, Circumstances, tuple[str, str, str]]] = [
    (GATE_SHOWN, TREND_SHOWN, Circumstances(SHOWN, drifted=True), ("adjust", "none", "drift")),
    (GATE_SHOWN, TREND_SHOWN, Circumstances(SHOWN, people_split=True), ("labels-disagree", "trend", "people-split")),
    (GATE_OPEN, TREND_OPEN, Circumstances(OPEN, people_split=True), ("labels-disagree", "explore", "people-split")),
    (GATE_SHOWN, TREND_OPEN, Circumstances(OPEN), ("ok", "gate", "target")),
    (GATE_SHOWN, TREND_SHOWN, Circumstances(SHOWN, against_gate=("picked",)), ("ok", "trend", "picked")),
    (
        GATE_SHOWN,
        TREND_OPEN,
        Circumstances(OPEN, against_gate=("one-annotator",)),
        ("not-enough-labels", "explore", "one-annotator"),
    ),
    (GATE_REFUSED, TREND_SHOWN, Circumstances(SHOWN), ("adjust", "trend", "side")),
    (GATE_REFUSED, TREND_OPEN, Circumstances(OPEN), ("adjust", "explore", "side")),
    (GATE_REFUSED, TREND_REFUSED, Circumstances(OPEN), ("adjust", "none", "side")),
    (GATE_OPEN, ruled("trend", "no-skill"), Circumstances(OPEN, no_skill=True), ("adjust", "none", "no-skill")),
    (GATE_OPEN, ruled("trend", "stuck"), Circumstances(SHOWN, is_stuck=True), ("adjust", "explore", "no-skill")),
    (GATE_OPEN, TREND_SHOWN, Circumstances(SHOWN), ("not-enough-labels", "trend", "side-open")),
    (GATE_OPEN, TREND_OPEN, Circumstances(OPEN), ("not-enough-labels", "explore", "side-open")),
    (None, TREND_SHOWN, Circumstances(SHOWN, no_skill=True), ("adjust", "none", "no-skill")),
    (None, TREND_SHOWN, Circumstances(SHOWN, ok="trend"), ("ok", "trend", "target")),
    (None, TREND_OPEN, Circumstances(OPEN), ("not-enough-labels", "explore", "target-open")),
]
"""Rulings, what else bears on the verdict, and the row that fits: verdict, use and code."""


@pytest.mark.parametrize(("gate", "trend", "circumstances", "row"), ROWS)
def test_the_answers_about_gate_and_trend_together_give_the_expected_verdict_and_use_and_reason(
    gate: Ruling | None, trend: Ruling, circumstances: Circumstances, row: tuple[str, str, str]
) -> None:
    assert verdict_row(gate, trend, circumstances) == row


@pytest.mark.parametrize("gate", [GATE_SHOWN, GATE_OPEN, GATE_REFUSED])
def test_a_judge_compared_only_with_labels_that_are_not_people_s_may_not_be_used_to_show_trends(gate: Ruling) -> None:
    _, use, _ = verdict_row(gate, TREND_SHOWN, Circumstances(SHOWN, by_people=False))
    assert use == "explore"


@pytest.mark.parametrize("gate", [GATE_OPEN, GATE_REFUSED])
def test_a_judge_whose_scores_are_shown_to_be_as_good_as_an_annotator_s_may_be_used_for_trends(gate: Ruling) -> None:
    as_person = OPEN._replace(low=True, asgood=True, beats=True)
    _, use, _ = verdict_row(gate, TREND_REFUSED, Circumstances(as_person))
    assert use == "trend"


def test_one_reason_against_a_gate_is_enough_to_refuse_the_gate() -> None:
    assert ruled("gate", "side", "target-open").state == "refused"
    assert ruled("gate", "side", "target-open").because == ("side",)
    assert ruled("gate", "side-open", "target-open").because == ("side-open", "target-open")
    with pytest.raises(ValueError, match="has a reason"):
        Ruling("gate", ())


def test_reasons_why_labels_do_not_allow_a_gate_are_given_as_codes() -> None:
    assert against_gate("adjudicated") == ()
    assert against_gate("one-person", blind=False, by_hand=1.0) == ("one-annotator", "not-blind", "picked")


# --- a simulated judge that follows annotators, and gives every response a higher level -------------------------------

TEN_LEVELS = replace(rubric("help", scale=Scale.numbered(1, 10)), pass_mark=0.5, tolerance=0.15)
"""A rubric on whose scale one level is a ninth of the score, less than its tolerance, and two levels are more."""


class RatedUniformly:
    """Simulated labels of two annotators on ten levels, all as common, and judges' levels of the same responses."""

    def __init__(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        self.gold = generator.integers(1, 11, size=(200, 1)).astype(float)
        self.labelled = examples(TEN_LEVELS, {"p1": self.gold, "p2": self.gold})
        self.at_random = generator.permutation(self.gold)

    def higher(self, levels: int) -> Floats:
        """Return levels in annotators' order, each higher by a number of levels as far as the scale goes."""
        raised: Floats = np.clip(self.gold + levels, 1, 10)
        return raised

    def calibration(self, judge: Floats) -> Calibration:
        """Calibrate a judge with the given levels."""
        return calibration_of(TEN_LEVELS, self.labelled, judged(TEN_LEVELS, judge), Rater("judge", "", "ratings"))

    def expected_gate(self, judge: Floats) -> RulingState:
        """Return the state of the gate by the judge's right decisions, with 10 points below the target for a side."""
        passes, kept = self.gold >= 6, judge >= 6
        shares = [
            (int((passes == kept).sum()), len(passes), 0.8),
            (int((~passes & ~kept).sum()), int((~passes).sum()), 0.7),
            (int((passes & kept).sum()), int(passes.sum()), 0.7),
        ]
        if any(clopper_pearson_upper(right, of, confidence=0.975) < least for right, of, least in shares):
            return "refused"
        is_shown = all(clopper_pearson_lower(right, of, confidence=0.975) > least for right, of, least in shares)
        return "shown" if is_shown else "open"


@pytest.mark.parametrize("seed", range(2))
def test_a_lenient_judge_that_ranks_responses_as_annotators_do_has_skill_even_if_it_rates_levels_too_high(
    seed: int,
) -> None:
    simulated = RatedUniformly(seed)
    for levels, trend in ((0, ("target",)), (1, ("target",)), (3, ("below-target", "below-constant"))):
        judge = simulated.higher(levels)
        calibration = simulated.calibration(judge)
        gate = calibration.decision.gate
        assert gate is not None
        assert (calibration.decision.trend.because, gate.state) == (trend, simulated.expected_gate(judge))
        assert NO_SKILL not in [finding.kind for finding in calibration.findings]
    guesses = simulated.calibration(simulated.at_random)
    assert guesses.decision.trend.because[0] == "no-skill"
    assert NO_SKILL in [finding.kind for finding in guesses.findings]


# --- what the labels say besides --------------------------------------------------------------------------------------


def test_with_labels_by_one_annotator_even_a_judge_that_is_nearly_always_right_may_only_show_trends() -> None:
    calibration = calibrated((40, 38, 60, 58), people=1)
    assert (calibration.verdict, calibration.use, calibration.exit_status) == ("ok", "trend", 0)
    assert calibration.decision.because_code == "one-annotator"
    assert calibration.exit_status_for("gate") == 4


def test_the_verdict_on_a_judge_asks_annotators_to_agree_first_if_their_decisions_differ() -> None:
    generator = np.random.default_rng(2)
    truth = generator.integers(0, 2, size=(200, 1)).astype(float)
    noisy = {name: np.where(generator.random((200, 1)) < 0.2, 1 - truth, truth) for name in ("p1", "p2", "judge")}
    labelled = examples(RUBRIC, {name: noisy[name] for name in ("p1", "p2")})
    calibration = calibration_of(RUBRIC, labelled, judged(RUBRIC, noisy["judge"]), Rater("judge", "", "ratings"))
    assert (calibration.verdict, calibration.decision.because_code) == ("labels-disagree", "people-split")
    assert calibration.exit_status == 4
    answer = calibration.decision.gate_answer
    assert answer is not None
    assert answer.even_splits > 0
    assert f"{answer.even_splits} examples" in calibration.decision.because


@pytest.mark.parametrize(
    ("counts", "key", "limit"),
    [((100, 98, 100, 74), "max_false_fail", 0.4), (LETS_FAILS_PASS, None, None), ((40, 38, 60, 58), None, None)],
)
def test_if_a_judge_misses_only_one_of_two_limits_the_report_offers_a_looser_limit_that_it_meets(
    counts: tuple[int, int, int, int], key: str | None, limit: float | None
) -> None:
    calibration = calibrated(counts)
    decision = calibration.decision
    assert decision.gate_answer is not None
    side = decision.gate_answer.side_with_offer
    assert (None if side is None else LIMIT_OF_SIDE[side.name]) == key
    assert (None if side is None else side.limit_that_holds) == limit
    assert bool(offer_in_words(calibration.comparison, decision)) == (side is not None)
    if key is not None and limit is not None:
        accepted = calibrated(counts, **dict.fromkeys([key], limit)).decision.gate  # type: ignore[arg-type]
        assert accepted is not None
        assert accepted.state == "shown"


def test_a_limit_of_10_percent_false_passes_requires_the_judge_to_stop_at_least_90_percent_of_fails() -> None:
    most = ErrorLimits(false_pass=0.1)
    assert (most.least("stops", 0.8), most.least("keeps", 0.8)) == (0.9, 0.7)


def test_if_fails_are_rare_the_next_step_says_how_many_of_the_labels_needed_will_be_fails() -> None:
    decision = calibrated((20, 18, 180, 174)).decision
    assert decision.labels_needed == 40
    assert decision.labels_chance == pytest.approx(0.599, abs=0.02)
    assert "about 4 of them will be fails" in str(decision.next_step)


@pytest.mark.parametrize(
    ("counts", "share"),
    [((4, 4, 196, 190), "2%"), ((4, 4, 356, 350), "1%"), ((5, 2, 245, 245), "2%"), ((196, 190, 4, 4), "2%")],
)
def test_the_next_step_calls_fails_rare_if_480_random_labels_would_contain_too_few_fails_to_decide(
    counts: tuple[int, int, int, int], share: str
) -> None:
    rare, usual = ("Fails", "fails") if counts[0] < counts[2] else ("Passes", "passes")
    step = str(calibrated(counts).decision.next_step)
    assert f"{rare} are rare here ({share}): labels drawn at random won't decide soon." in step
    assert ("Label outputs that users complained about as well" in step) is (usual == "fails")


def test_the_next_step_does_not_call_fails_rare_if_at_most_480_random_labels_are_enough_to_decide() -> None:
    assert "rare here" not in str(calibrated((20, 18, 180, 174)).decision.next_step)
    soon_refused = calibrated((2, 0, 107, 101)).decision
    assert (soon_refused.labels_needed or 480) < 480
    assert "rare here" not in str(soon_refused.next_step)


def test_no_number_of_random_labels_is_asked_for_if_no_labelled_response_fails() -> None:
    decision = calibrated((0, 0, 60, 60)).decision
    assert (decision.verdict, decision.labels_needed) == ("not-enough-labels", None)
    assert "Fails are rare here (none of 60)" in str(decision.next_step)


def test_without_a_pass_mark_a_table_of_levels_can_show_a_judge_good_enough_for_trends_but_not_for_a_gate(
    tmp_path: Path,
) -> None:
    path = tmp_path / "levels.csv"
    rows = "".join(f"{1 + i % 5},{1 + i % 5},{1 + i % 5}\n" for i in range(100))
    path.write_text(f"verdict,human_1,human_2\n{rows}")
    calibration = calibrate(path)
    assert json_of(calibration)["decision"]["gate"] is None
    assert (calibration.verdict, calibration.use) == ("ok", "trend")
    assert (calibration.exit_status_for("gate"), calibration.exit_status_for("trend")) == (4, 0)


def test_the_removed_option_named_on_and_the_removed_rubric_key_named_agreement_on_are_refused() -> None:
    with pytest.raises(Exception, match="agreement_on"):
        Rubric.from_dict({"name": "r", "agreement_on": "decision", "criteria": [{"requirement": "It is right."}]})
    done = run("markscheme", "calibrate", "x", "--on", "decision")
    assert done.returncode == 2
    assert "--on" in done.stderr, done.stderr
