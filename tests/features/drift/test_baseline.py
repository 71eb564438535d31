"""An accepted run and a later one: what is called drift, what is not, and what it is put down to."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.drift import Called, baseline, causes, run_again
from benchmarks.noisy_judge import CHANGED, HALF, NAMES, NoisyJudge, accepted, calibrated, rubric
from markscheme.calibration.accepted.acceptance import accept
from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.earlier_runs.run_identity import MOST_RUNS, Accepted
from markscheme.errors import ComparisonError
from markscheme.features.drift.baseline import Baseline
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Criterion, Level, Rubric, Scale
from markscheme.stats.change import alarm_level

SEEDS = [pytest.param(range(5), marks=pytest.mark.proof), pytest.param(range(20), marks=pytest.mark.release)]
Levels = Mapping[str, Sequence[float | None]]
RATER = Rater("judge", "", "ratings")
KIND_TONE = Rubric((Criterion(1.0, "is kind", "tone", Scale.numbered(1, 5)),), name="one")


def _rated(levels: Levels, *, rater: str = "judge", sample: int = 0) -> list[Rating]:
    """Ratings of examples e0, e1, … by their levels on each criterion."""
    n = len(next(iter(levels.values())))
    rated = [{name: Rated(values[i]) for name, values in levels.items() if values[i] is not None} for i in range(n)]
    kind: Any = "human" if rater != "judge" else "model"
    return [Rating(f"e{i}", rater, kind, rated[i], sample=sample) for i in range(n)]


def _examples(gold: Levels, response: Callable[[int], str] = "answer {}".format) -> ExampleSet:
    labels = [_rated(gold, rater=rater) for rater in ("a", "b")]
    return ExampleSet(
        tuple(
            Example(Submission(response(i), id=f"e{i}"), tuple(label[i] for label in labels))
            for i in range(len(labels[0]))
        )
    )


def _accepted(tmp_path: Path, asked: Rubric, gold: Levels, *runs: Levels) -> Accepted:
    first, *later = (_rated(levels, sample=number) for number, levels in enumerate(runs))
    repeats = [rating for run in later for rating in run]
    accept(calibration_of(asked, _examples(gold), first, RATER, repeats=repeats), tmp_path / "accepted.json")
    return load_accepted(tmp_path / "accepted.json")


def _now(accepted: Accepted, asked: Rubric, examples: ExampleSet, now: Levels, **since: Any) -> Calibration:
    return calibration_of(asked, examples, _rated(now), RATER, since=AcceptedBasis(accepted, **since))


def _beside(accepted: Accepted, asked: Rubric, gold: Levels, now: Levels, **since: Any) -> Baseline:
    return baseline(_now(accepted, asked, _examples(gold), now, **since))


def _truth(n: int = 60, seed: int = 0) -> list[float | None]:
    return [float(level) for level in np.random.default_rng(seed).integers(1, 6, n)]


def _up(levels: Sequence[float | None], every: int = 1) -> list[float | None]:
    """One level up for every so-manieth that can go up."""
    return [v + 1 if v is not None and v < 5 and i % every == 0 else v for i, v in enumerate(levels)]


def _turned(levels: Sequence[float | None]) -> list[float | None]:
    """The scale turned upside down."""
    return [None if v is None else 6 - v for v in levels]


# --- noise is not drift, a shift is ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", SEEDS, ids=repr)
@pytest.mark.parametrize("runs", [1, MOST_RUNS])
def test_a_noisy_judge_run_twice_is_hardly_ever_called_drifted(runs: int, seeds: range) -> None:
    called = [_unmoved_and_moved(seed, runs)[0] for seed in seeds]
    assert sum(bool(outcome.drifted or outcome.fell) for outcome in called) <= 1


@pytest.mark.parametrize("seeds", SEEDS, ids=repr)
def test_a_shift_of_half_a_level_on_one_criterion_is_found_on_that_criterion_and_on_no_other(seeds: range) -> None:
    called = [_unmoved_and_moved(seed, MOST_RUNS)[1] for seed in seeds]
    assert sum(CHANGED in outcome.drifted for outcome in called) >= 0.8 * len(seeds)
    assert sum(bool(outcome.drifted - {CHANGED}) for outcome in called) <= 1


@functools.cache
def _unmoved_and_moved(seed: int, runs: int) -> list[Called]:
    """What a judge's next run is called, and one with half a level added to a criterion."""
    return run_again(seed, runs=runs, added=[0.0, HALF])


def test_a_judge_that_drifted_gets_the_verdict_adjust_and_may_be_used_for_nothing() -> None:
    judge, then = _accepted_runs(seed=1)
    calibration = calibrated(replace(judge, added={CHANGED: 1.0}), rubric(), since=AcceptedBasis(then))
    assert baseline(calibration).alarm
    assert (calibration.decision.verdict, calibration.decision.use, calibration.exit_status) == ("adjust", "none", 1)
    assert calibration.decision.because_code == "drift"
    assert Called.of(calibration).drifted == {CHANGED}


def test_accepting_a_run_that_drifted_from_the_accepted_run_raises_no_alarm() -> None:
    judge, then = _accepted_runs(seed=1)
    calibration = calibrated(replace(judge, added={CHANGED: 1.0}), rubric(), since=AcceptedBasis(then, accepting=True))
    assert baseline(calibration).criteria[CHANGED].verdict == "drifted"
    assert not baseline(calibration).alarm
    assert not {finding.code for finding in calibration.findings} & {"drift", "drift-gold"}


@functools.cache
def _accepted_runs(seed: int, strategy: str = "one_shot") -> tuple[NoisyJudge, Accepted]:
    """A judge of a world of its own, and five of its runs, accepted."""
    judge = NoisyJudge.made(seed)
    return judge, accepted(judge, rubric(strategy), runs=MOST_RUNS)


# --- the four verdicts ----------------------------------------------------------------------------------------------


def test_identical_levels_prove_the_absence_of_drift_only_if_there_are_enough_examples(tmp_path: Path) -> None:
    few, enough = _truth(36), _truth(37)
    for truth, verdict in ((few, "can't tell"), (enough, "no drift")):
        stored = _accepted(tmp_path / verdict, KIND_TONE, {"tone": truth}, {"tone": truth}, {"tone": truth})
        called = _beside(stored, KIND_TONE, {"tone": truth}, {"tone": truth}).criteria["tone"]
        assert called.verdict == verdict
        assert called.needed == (37 if verdict == "can't tell" else None)


def test_with_a_single_accepted_run_it_stays_open_whether_the_judge_drifted_and_a_note_says_why(tmp_path: Path) -> None:
    truth = _truth(400)
    drift = _beside(
        _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth}), KIND_TONE, {"tone": truth}, {"tone": truth}
    )
    tone = drift.criteria["tone"]
    assert (tone.verdict, tone.needed, drift.headline) == ("can't tell", None, "")
    assert any("One accepted run" in note for note in drift.notes)
    two = _accepted(tmp_path / "two", KIND_TONE, {"tone": truth}, {"tone": truth}, {"tone": truth})
    assert _beside(two, KIND_TONE, {"tone": truth}, {"tone": truth}).notes == ()


def test_a_large_shift_is_drift_and_a_small_significant_shift_within_the_margin_is_not(tmp_path: Path) -> None:
    truth = _truth(400)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth})
    large = _beside(stored, KIND_TONE, {"tone": truth}, {"tone": _up(truth)})
    assert large.criteria["tone"].verdict == "drifted"
    five = _accepted(tmp_path / "five", KIND_TONE, {"tone": truth}, *[{"tone": truth}] * 5)
    small = _beside(five, KIND_TONE, {"tone": truth}, {"tone": _up(truth, every=3)}, margin=0.15)
    assert small.criteria["tone"].verdict == "moved, within margin"
    assert not small.alarm
    strict = _beside(five, KIND_TONE, {"tone": truth}, {"tone": _up(truth, every=3)}, margin=0.01)
    assert strict.criteria["tone"].verdict == "drifted"


def test_the_examples_listed_for_a_drifted_criterion_are_those_whose_levels_moved_most(tmp_path: Path) -> None:
    truth: Sequence[float | None] = [3.0] * 40
    now = [*truth]
    now[7], now[3], now[12] = 5.0, 4.0, 1.0
    tone = _beside(
        _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth}), KIND_TONE, {"tone": truth}, {"tone": now}
    ).criteria["tone"]
    assert tone.movers == ("e7", "e12", "e3")


def test_later_comparisons_with_the_accepted_run_need_a_smaller_p_value_to_raise_an_alarm(tmp_path: Path) -> None:
    truth = _truth(60)
    now = _up(truth, every=2)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth}, {"tone": truth})
    first = _beside(stored, KIND_TONE, {"tone": truth}, {"tone": now}, run=1)
    assert first.criteria["tone"].p == pytest.approx(0.00531914, abs=1e-7)
    assert first.alarm
    later = _beside(stored, KIND_TONE, {"tone": truth}, {"tone": now}, run=3)
    assert later.since.level == alarm_level(3)
    assert (later.alarm, later.criteria["tone"].watch) == (False, True)
    planned = _beside(stored, KIND_TONE, {"tone": truth}, {"tone": now}, run=3, planned=3)
    assert planned.since.level == pytest.approx(0.05 / 3)
    assert planned.alarm


# --- the noise floor ------------------------------------------------------------------------------------------------


def test_several_accepted_runs_show_how_much_a_judge_s_levels_vary_by_chance_and_a_single_run_does_not(
    tmp_path: Path,
) -> None:
    truth = _truth(40)
    shaken = [(v % 5) + 1 if v is not None and i % 4 == 0 else v for i, v in enumerate(truth)]
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth}, {"tone": shaken}, {"tone": truth})
    tone = _beside(stored, KIND_TONE, {"tone": truth}, {"tone": truth}).criteria["tone"]
    assert tone.changed.runs == 3
    assert tone.changed.flips_stored.value == pytest.approx(2 / 3 * 10 / 40)
    single = _beside(
        _accepted(tmp_path / "single", KIND_TONE, {"tone": truth}, {"tone": truth}),
        KIND_TONE,
        {"tone": truth},
        {"tone": truth},
    )
    assert single.criteria["tone"].changed_p is None
    assert single.criteria["tone"].changed.undefined is not None


def test_a_judge_whose_levels_scatter_more_around_the_same_mean_is_detected_as_changed(tmp_path: Path) -> None:
    truth: Sequence[float | None] = [3.0] * 60
    scrambled: Sequence[float | None] = [2.0, 4.0] * 30
    stored = _accepted(tmp_path, KIND_TONE, {"tone": _truth(60)}, *[{"tone": truth}] * 3)
    tone = _beside(stored, KIND_TONE, {"tone": _truth(60)}, {"tone": scrambled}).criteria["tone"]
    assert tone.drift.moved.shift.value == 0
    assert tone.changed_p is not None
    assert tone.changed_p < 1e-6


# --- agreement with gold --------------------------------------------------------------------------------------------


def test_a_fall_of_agreement_without_a_shift_of_levels_is_reported_as_a_finding_and_raises_an_alarm(
    tmp_path: Path,
) -> None:
    truth = _truth(80)
    turned = _turned(truth)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth})
    calibration = _now(stored, KIND_TONE, _examples({"tone": truth}), {"tone": turned})
    (fallen,) = [finding for finding in calibration.findings if finding.code == "drift-gold"]
    assert (fallen.criterion, fallen.severity) == ("tone", "high")
    assert baseline(calibration).alarm
    assert calibration.exit_status == 1


def test_a_rise_of_agreement_since_the_accepted_run_is_not_a_finding(tmp_path: Path) -> None:
    truth = _truth(80)
    turned = _turned(truth)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": turned})
    drift = _beside(stored, KIND_TONE, {"tone": truth}, {"tone": truth})
    gold = drift.criteria["tone"].gold
    assert gold is not None
    assert gold.change.value is not None
    assert gold.change.value > 1
    assert not gold.is_worse
    assert not [finding for finding in drift.findings if finding.code == "drift-gold"]


def test_if_kappa_is_undefined_the_change_of_agreement_is_measured_by_the_mean_absolute_error(tmp_path: Path) -> None:
    gold: Sequence[float | None] = [3.0] * 40
    then: Sequence[float | None] = [3.0] * 38 + [4.0] * 2
    now: Sequence[float | None] = [3.0] * 20 + [4.0] * 20
    drift = _beside(
        _accepted(tmp_path, KIND_TONE, {"tone": gold}, {"tone": then}), KIND_TONE, {"tone": gold}, {"tone": now}
    )
    change = drift.criteria["tone"].gold
    assert change is not None
    assert change.measure == "mae"
    assert change.change.value == pytest.approx(18 / 40)
    assert change.is_worse


def test_examples_without_gold_on_a_criterion_still_count_for_its_drift(tmp_path: Path) -> None:
    two = replace(KIND_TONE, criteria=(*KIND_TONE.criteria, Criterion(1.0, "is right", "facts", Scale.numbered(1, 5))))
    truth = _truth(60)
    gold: Levels = {"facts": truth}
    stored = _accepted(tmp_path, two, gold, {"tone": truth, "facts": truth})
    drift = _beside(stored, two, gold, {"tone": _up(truth), "facts": truth})
    assert drift.criteria["tone"].verdict == "drifted"
    assert drift.criteria["tone"].gold is None


# --- causes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.proof) for seed in (1, 2))])
def test_a_shift_is_attributed_to_a_changed_text_or_parameter_if_that_was_the_only_change(seed: int) -> None:
    text, parameter = "text:clarity", "judge:parameter:temperature"
    assert causes(seed, text=True, parameter=False, replay=False) == f"clarity: {text}"
    assert causes(seed, text=False, parameter=True, replay=False) == f"tone: {parameter}"


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.proof)])
def test_effects_of_a_rewording_and_of_a_changed_parameter_are_not_separated_without_the_replay_option(
    seed: int,
) -> None:
    named = causes(seed, text=True, parameter=True, replay=False)
    assert named == (
        "clarity: text:clarity+judge:parameter:temperature (not separable); tone: judge:parameter:temperature"
    )


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.proof)])
def test_the_replay_option_attributes_one_criterion_s_shift_to_a_rewording_and_another_s_to_the_temperature(
    seed: int,
) -> None:
    named = causes(seed, text=True, parameter=True, replay=True)
    assert named == "clarity: text:clarity; tone: judge:parameter:temperature"


@pytest.mark.proof
def test_the_replay_option_separates_the_shift_by_a_new_temperature_from_the_shift_by_a_rewording() -> None:
    judge, then = _accepted_runs(seed=4, strategy="per_criterion")
    kinder = replace(judge, added={CHANGED: 1.0}, parameters={"temperature": 0.0})
    changed = rubric("per_criterion", changed=[CHANGED])
    replayed = tuple(calibrated(kinder, rubric("per_criterion")).judge_ratings)
    explanation = (
        baseline(calibrated(kinder, changed, since=AcceptedBasis(then, replayed=replayed)))
        .criteria[CHANGED]
        .explanation
    )
    by_judge, by_text = explanation.parts
    assert [change.key for change in by_judge.changes] == ["judge:parameter:temperature"]
    assert [change.key for change in by_text.changes] == ["text:clarity"]
    assert (by_judge.drift.moved.shift.value or 0) > 0.5
    assert (by_text.drift.moved.shift.value or 0) < -0.2
    assert explanation.separable


def test_if_all_criteria_are_asked_in_one_prompt_a_rewording_of_one_can_explain_a_shift_of_another() -> None:
    judge, then = _accepted_runs(seed=4)
    drift = baseline(
        calibrated(replace(judge, added={"tone": 1.0}), rubric(changed=["facts"]), since=AcceptedBasis(then))
    )
    assert [change.key for change in drift.criteria["tone"].explanation.changes] == ["text:facts"]


def test_a_drift_finding_says_if_neither_a_change_of_the_judge_nor_of_the_rubric_is_on_record() -> None:
    judge, then = _accepted_runs(seed=4)
    drift = baseline(calibrated(replace(judge, added={"tone": 1.0}), rubric(), since=AcceptedBasis(then)))
    assert drift.changes == ()
    (finding,) = [finding for finding in drift.findings if finding.code == "drift"]
    assert "Nothing on record changed" in finding.message


@pytest.mark.parametrize("weight", [1.0, -1.0])
def test_the_cost_of_drift_on_a_criterion_does_not_depend_on_the_weight_of_categories_without_values(
    tmp_path: Path, weight: float
) -> None:
    category = Criterion(3.0, "what it is", "kind", Scale.of_categories(("answer", "refusal")))
    alone = replace(KIND_TONE, criteria=(replace(KIND_TONE.criteria[0], weight=weight),))
    truth = _truth(60)
    kinds: Sequence[float | None] = [float(i % 2) for i in range(60)]
    costs = []
    for asked in (alone, replace(alone, criteria=(*alone.criteria, category))):
        levels = {"tone": truth, "kind": kinds} if len(asked.criteria) > 1 else {"tone": truth}
        drift = _beside(_accepted(tmp_path, asked, levels, levels), asked, levels, {**levels, "tone": _up(truth)})
        costs += [finding.cost for finding in drift.findings if finding.code == "drift"]
    shift = sum((after or 0) - (before or 0) for after, before in zip(_up(truth), truth, strict=True)) / 60
    assert costs == pytest.approx([shift / 4] * 2)


def test_new_weights_are_named_as_the_cause_of_a_changed_score_and_raise_no_drift_alarm(tmp_path: Path) -> None:
    two = replace(KIND_TONE, criteria=(*KIND_TONE.criteria, Criterion(1.0, "is right", "facts", Scale.numbered(1, 5))))
    high: Sequence[float | None] = [5.0] * 40
    low: Sequence[float | None] = [1.0] * 40
    levels: Levels = {"tone": high, "facts": low}
    stored = _accepted(tmp_path, two, levels, levels)
    weighed = replace(two, criteria=(replace(two.criteria[0], weight=3.0), two.criteria[1]))
    drift = _beside(stored, weighed, levels, levels)
    assert [change.key for change in drift.changes] == ["weight:tone"]
    assert drift.score is not None
    assert drift.score.by_weights == pytest.approx(0.25)
    assert drift.score.drift.moved.shift.value == pytest.approx(0.0)
    assert not drift.alarm


def test_examples_whose_response_changed_are_left_out_of_drift_and_their_number_is_reported(tmp_path: Path) -> None:
    truth = _truth(50)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth})
    others = _examples({"tone": truth}, lambda i: f"answer {i}" if i >= 10 else f"a new answer {i}")
    moved = [5.0 if i < 10 else level for i, level in enumerate(truth)]
    drift = baseline(_now(stored, KIND_TONE, others, {"tone": moved}))
    assert (drift.shared, drift.other_response) == (40, 10)
    assert [change.key for change in drift.changes] == ["responses"]
    assert drift.criteria["tone"].drift.moved.shift.value == 0


def test_drift_reports_how_many_examples_only_the_accepted_run_or_only_the_new_run_has(tmp_path: Path) -> None:
    truth = _truth(50)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth})
    longer = _truth(50)[:45]
    drift = _beside(stored, KIND_TONE, {"tone": longer}, {"tone": longer})
    assert (drift.shared, drift.gone, drift.new) == (45, 5, 0)
    back = _accepted(tmp_path, KIND_TONE, {"tone": longer}, {"tone": longer})
    drift = _beside(back, KIND_TONE, {"tone": truth}, {"tone": truth})
    assert (drift.shared, drift.gone, drift.new) == (45, 0, 5)


def test_changed_labels_are_named_and_do_not_count_as_drift_of_the_judge(tmp_path: Path) -> None:
    truth = _truth(60)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth})
    drift = _beside(stored, KIND_TONE, {"tone": _up(truth)}, {"tone": truth})
    assert [change.key for change in drift.changes] == ["labels"]
    assert stored.agreement == 1.0
    assert drift.agreement_then == drift.agreement_now
    assert (drift.agreement_then.value or 0) < 0.5
    assert not drift.alarm


# --- what can be compared -------------------------------------------------------------------------------------------


def test_drift_does_not_compare_a_criterion_that_is_new_or_has_another_scale_than_in_the_accepted_run(
    tmp_path: Path,
) -> None:
    truth = _truth(60)
    stored = _accepted(tmp_path, rubric(), dict.fromkeys(NAMES, truth), dict.fromkeys(NAMES, truth))
    seven = Scale.numbered(1, 7)
    criteria = tuple(replace(c, scale=seven) if c.name == "tone" else c for c in rubric().criteria)
    changed = replace(rubric(), criteria=(*criteria, Criterion(1.0, "is short", "length", Scale.numbered(1, 5))))
    levels = dict.fromkeys((*NAMES, "length"), truth)
    drift = _beside(stored, changed, levels, levels)
    assert drift.criteria.keys() == {"clarity", "facts", "format"}
    assert drift.not_compared == {"tone": "its scale changed", "length": "it is new"}
    assert drift.score is not None
    assert drift.score.by_weights is None


def test_drift_on_levels_without_order_is_measured_by_the_values_that_the_rubric_gives_to_the_levels(
    tmp_path: Path,
) -> None:
    kinds = Scale((Level(0.0, "a"), Level(1.0, "b"), Level(1.0, "c")), ordered=False, by_label=True)
    changed = Rubric((Criterion(1.0, "which kind", "kind", kinds),), name="one")
    truth: Sequence[float | None] = [0.0, 1.0] * 30
    stored = _accepted(tmp_path, changed, {"kind": truth}, {"kind": truth})
    kind = _beside(stored, changed, {"kind": truth}, {"kind": [1.0] * 60}).criteria["kind"]
    assert kind.drift.moved.shift.value == 0.5
    assert kind.gold is not None
    assert kind.gold.measure == "exact_agreement"


def test_the_drift_of_a_judge_that_gives_only_an_overall_score_is_measured_by_that_score(tmp_path: Path) -> None:
    changed = replace(KIND_TONE, strategy="holistic")
    truth = _truth(60)

    def ratings_with(scores: list[float]) -> list[Rating]:
        return [Rating(f"e{i}", "judge", "model", overall=score) for i, score in enumerate(scores)]

    scores = [(v or 1) / 5 for v in truth]
    accept(calibration_of(changed, _examples({"tone": truth}), ratings_with(scores), RATER), tmp_path / "accepted.json")
    stored = load_accepted(tmp_path / "accepted.json")
    lower = [score - 0.1 for score in scores]
    drift = baseline(
        calibration_of(changed, _examples({"tone": truth}), ratings_with(lower), RATER, since=AcceptedBasis(stored))
    )
    assert drift.criteria == {}
    assert drift.not_compared == {"tone": "no example has a level in all runs"}
    assert drift.score is not None
    assert drift.score.drift.moved.shift.value == pytest.approx(-0.1)
    assert drift.score.drift.moved.p < 0.05


def test_an_example_without_a_level_in_one_of_two_runs_is_left_out_of_their_comparison(tmp_path: Path) -> None:
    truth = _truth(40)
    gaps = [None if i % 4 == 0 else level for i, level in enumerate(truth)]
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth})
    drift = _beside(stored, KIND_TONE, {"tone": truth}, {"tone": gaps})
    assert drift.criteria["tone"].drift.moved.n == 30


@pytest.mark.parametrize(
    ("asked", "response", "why"),
    [
        (replace(KIND_TONE, name="two"), "answer {}", "is the accepted run of rubric 'one', not of 'two'"),
        (KIND_TONE, "another {}", "their responses or inputs changed"),
        (
            replace(KIND_TONE, criteria=(replace(KIND_TONE.criteria[0], scale=Scale.numbered(0, 9)),)),
            "answer {}",
            "no criterion is rated on the same scale",
        ),
    ],
)
def test_runs_without_common_examples_or_criteria_are_refused_with_the_reason(
    tmp_path: Path, asked: Rubric, response: str, why: str
) -> None:
    truth = _truth(20)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth})
    with pytest.raises(ComparisonError, match=why):
        _now(stored, asked, _examples({"tone": truth}, response.format), {"tone": truth})


def test_a_run_without_an_example_in_common_with_the_accepted_run_is_refused(tmp_path: Path) -> None:
    truth = _truth(20)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth})
    others = tuple(
        replace(
            e,
            submission=replace(e.submission, id=f"x{e.id}"),
            labels=tuple(replace(r, id=f"x{r.id}") for r in e.labels),
        )
        for e in _examples({"tone": truth}).examples
    )
    ratings = [replace(rating, id=f"x{rating.id}") for rating in _rated({"tone": truth})]
    with pytest.raises(ComparisonError, match="no example has an id it knows"):
        calibration_of(KIND_TONE, ExampleSet(others), ratings, RATER, since=AcceptedBasis(stored))


def test_a_shift_of_a_reworded_criterion_is_reported_with_the_rewording_as_its_cause(tmp_path: Path) -> None:
    truth = _truth(60)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth})
    changed = replace(KIND_TONE, criteria=(replace(KIND_TONE.criteria[0], requirement="is very kind"),))
    drift = _beside(stored, changed, {"tone": truth}, {"tone": _up(truth)})
    assert drift.criteria["tone"].verdict == "moved"
    assert [change.key for change in drift.changes] == ["text:tone"]


def _reworded(asked: Rubric) -> Rubric:
    return replace(asked, criteria=(replace(asked.criteria[0], requirement="is very kind"),))


def test_a_shift_after_a_criterion_was_reworded_is_not_called_drift_if_agreement_is_no_worse(tmp_path: Path) -> None:
    truth = _truth(80)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": _up(truth)}, {"tone": truth})
    calibration = _now(stored, _reworded(KIND_TONE), _examples({"tone": _up(truth)}), {"tone": _up(truth)})
    assert not baseline(calibration).alarm
    assert baseline(calibration).headline.startswith(
        "You reworded tone. On the same 80 examples tone now scores 0.77 levels higher"
    )
    (moved,) = [finding for finding in calibration.findings if finding.code == "drift"]
    assert (moved.severity, moved.evidence["own_edit"]) == ("low", True)
    assert calibration.decision.because_code != "drift"
    assert calibration.decision.use == "gate"


def test_a_fall_of_agreement_on_a_reworded_criterion_raises_an_alarm_that_blames_the_rewording(
    tmp_path: Path,
) -> None:
    truth = _truth(80)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth})
    calibration = _now(stored, _reworded(KIND_TONE), _examples({"tone": truth}), {"tone": _turned(truth)})
    assert baseline(calibration).alarm
    assert [finding.severity for finding in calibration.findings if finding.code == "drift-gold"] == ["high"]
    assert calibration.decision.because_code == "drift"
    assert calibration.decision.because == baseline(calibration).headline
    assert calibration.decision.because.startswith(
        "You reworded tone. Agreement on tone fell: weighted kappa with gold"
    )


def test_if_a_run_has_several_samples_their_median_is_compared_with_the_accepted_run(tmp_path: Path) -> None:
    truth = _truth(40)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth})
    now = [*_rated({"tone": _up(truth)}, sample=1), *_rated({"tone": truth})]
    drift = baseline(calibration_of(KIND_TONE, _examples({"tone": truth}), now, RATER, since=AcceptedBasis(stored)))
    assert drift.criteria["tone"].drift.moved.shift.value == pytest.approx(
        float(np.mean(np.array(_up(truth)) - np.array(truth))) / 2
    )


def test_accepted_runs_that_differ_among_themselves_are_reported_as_an_unsteady_judge_and_not_as_drift(
    tmp_path: Path,
) -> None:
    truth = _truth(60)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth}, {"tone": _up(truth)}, {"tone": truth})
    calibration = _now(stored, KIND_TONE, _examples({"tone": truth}), {"tone": truth})
    (unsteady,) = [finding for finding in calibration.findings if finding.code == "unsteady-judge"]
    assert (unsteady.criterion, unsteady.severity) == ("tone", "medium")
    assert unsteady.evidence["means"] == pytest.approx([2.7666667, 3.55, 2.7666667], abs=1)
    assert not baseline(calibration).alarm
    assert baseline(calibration).criteria["tone"].verdict == "can't tell"
    assert (str(unsteady.suggestion).split(",")[0], unsteady.options) == (
        "Use several samples (--samples 3)",
        {"samples": "--samples 3"},
    )
    often = [rating for sample in range(3) for rating in _rated({"tone": truth}, sample=sample)]
    asked_often = calibration_of(KIND_TONE, _examples({"tone": truth}), often, RATER, since=AcceptedBasis(stored))
    (of_three,) = [finding for finding in asked_often.findings if finding.code == "unsteady-judge"]
    assert (str(of_three.suggestion).split(":")[0], of_three.options) == ("Fix what varies between runs", {})


def test_the_drift_report_says_that_medians_are_compared_if_a_run_has_several_samples(tmp_path: Path) -> None:
    truth = _truth(40)
    stored = _accepted(tmp_path, KIND_TONE, {"tone": truth}, {"tone": truth}, {"tone": truth})
    now = [rating for sample in range(3) for rating in _rated({"tone": truth}, sample=sample)]
    drift = baseline(calibration_of(KIND_TONE, _examples({"tone": truth}), now, RATER, since=AcceptedBasis(stored)))
    assert drift.samples == 3
    assert any("median of its 3 samples" in note for note in drift.notes)
