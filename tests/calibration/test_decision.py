"""The verdict on a judge and what it may decide, by exact one-sided bounds."""

from dataclasses import replace

import numpy as np
import pytest

from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.calibration.comparison import Comparison
from markscheme.calibration.decision import Finding, decide, labels_to_settle
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.rating import Kind, Rating
from markscheme.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from markscheme.submission import Submission
from tests.calibration.made import Made, compared, examples, judged, rubric

RUBRIC = rubric("good")


def scored(n: int, misses: int, *, raters: tuple[str, ...] = ("p1", "p2"), kind: Kind = "human") -> Comparison:
    """A judge that agrees on all but `misses` of n examples whose gold scores vary."""
    gold = [(i % 11) / 10 for i in range(n)]
    labels = [tuple(Rating(f"e{i}", rater, kind, overall=gold[i]) for rater in raters) for i in range(n)]
    given = ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), labels[i]) for i in range(n)))
    judge = [abs(gold[i] - 0.5) if i < misses and abs(gold[i] - 0.5) != gold[i] else gold[i] for i in range(n)]
    return compared(RUBRIC, given, [Rating(f"e{i}", "judge", "model", overall=judge[i]) for i in range(n)])


def missing(comparison: Comparison) -> int:
    return comparison.agreement.n - round((comparison.agreement.value or 0) * comparison.agreement.n)


@pytest.mark.parametrize("n", [20, 60, 100])
def test_ok_begins_where_the_exact_lower_bound_passes_the_target(n: int) -> None:
    for misses in range(n // 3):
        comparison = scored(n, misses)
        hits = n - missing(comparison)
        decision = decide(comparison)
        above = clopper_pearson_lower(hits, n, confidence=0.9) > 0.8
        below = clopper_pearson_upper(hits, n, confidence=0.9) < 0.8
        assert decision.verdict == ("ok" if above else "adjust" if below else "not-enough-labels")
        assert decision.needs_adjustment == (hits / n < 0.8)


@pytest.mark.parametrize(
    ("raters", "kind", "use"),
    [
        (("p1", "p2"), "human", "gate"),
        (("p1",), "human", "trend"),
        (("panel",), "adjudicated", "gate"),
        (("made",), "constructed", "explore"),
        (("gpt",), "model", "explore"),
    ],
)
def test_the_use_of_an_ok_follows_from_who_labelled(raters: tuple[str, ...], kind: Kind, use: str) -> None:
    decision = decide(scored(60, 0, raters=raters, kind=kind))
    assert (decision.verdict, decision.use) == ("ok", use)


def test_labels_given_with_the_verdict_in_sight_allow_a_trend_at_most() -> None:
    gold = [(i % 11) / 10 for i in range(60)]
    labels = [tuple(Rating(f"e{i}", r, "human", overall=gold[i], blind=i > 0) for r in ("a", "b")) for i in range(60)]
    given = ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), labels[i]) for i in range(60)))
    comparison = compared(RUBRIC, given, [Rating(f"e{i}", "judge", "model", overall=gold[i]) for i in range(60)])
    assert decide(comparison).use == "trend"


def test_a_drift_alarm_stands_against_any_agreement() -> None:
    decision = decide(scored(60, 0), alarm=True)
    assert (decision.verdict, decision.use) == ("adjust", "none")
    assert "drifted" in decision.because


@pytest.mark.parametrize("code", ["no-skill", "dead"])
def test_no_skill_and_a_dead_criterion_stand_against_an_ok(code: str) -> None:
    decision = decide(scored(60, 0), findings=[Finding(code, "good", "high", "told why")])
    assert (decision.verdict, decision.use, decision.because) == ("adjust", "none", "told why")


@pytest.mark.parametrize("code", ["lenient", "halo", "noisy", "ambiguous", "length", "unused-level", "stale-labels"])
def test_other_findings_leave_the_verdict_alone(code: str) -> None:
    assert decide(scored(60, 0), findings=[Finding(code, None, "high", "")]).verdict == "ok"


def test_high_agreement_that_a_constant_has_as_well_is_no_merit() -> None:
    gold = [0.8] * 58 + [0.1, 0.2]
    labels = [tuple(Rating(f"e{i}", r, "human", overall=gold[i]) for r in ("a", "b")) for i in range(60)]
    given = ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), labels[i]) for i in range(60)))
    comparison = compared(RUBRIC, given, [Rating(f"e{i}", "judge", "model", overall=0.8) for i in range(60)])
    decision = decide(comparison)
    assert (decision.verdict, decision.use) == ("adjust", "none")
    assert "always gives one score" in decision.because


def test_where_people_agree_less_than_the_target_theirs_is_the_target_and_the_use_a_trend_at_most() -> None:
    made = Made(120, person=0.7, judge=0.05)
    comparison = compared(made.rubric, examples(made.rubric, made.people), judged(made.rubric, made.judge))
    person = comparison.agreement_person
    assert person is not None
    assert person.value is not None
    assert person.value < 0.8
    decision = decide(comparison)
    assert decision.people_are_lower
    assert decision.target == person.value
    assert (decision.verdict, decision.use) == ("ok", "trend")


@pytest.mark.parametrize("n", [1, 3, 10])
def test_a_few_labels_that_contradict_each_other_do_not_lower_the_target(n: int) -> None:
    labels = [
        (Rating(f"e{i}", "a", "human", overall=0.2), Rating(f"e{i}", "b", "human", overall=0.8)) for i in range(n)
    ]
    given = ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), labels[i]) for i in range(n)))
    comparison = compared(RUBRIC, given, [Rating(f"e{i}", "judge", "model", overall=0.5) for i in range(n)])
    decision = decide(comparison)
    assert not decision.people_are_lower
    assert decision.target == 0.8
    assert (decision.verdict, decision.use) == ("not-enough-labels", "explore")


def test_a_target_of_one_s_own_counts() -> None:
    comparison = scored(60, 4)
    assert decide(comparison).verdict == "ok"
    assert decide(comparison, target=0.99).verdict == "adjust"
    assert decide(comparison, target=0.9).verdict == "not-enough-labels"


@pytest.mark.parametrize(("share", "target"), [(0.9, 0.8), (0.83, 0.8), (0.7, 0.8)])
def test_the_labels_needed_are_the_fewest_that_would_settle_it(share: float, target: float) -> None:
    needed = labels_to_settle(share, 20, target)
    assert needed is not None
    bound = clopper_pearson_lower if share > target else clopper_pearson_upper

    def settled(n: int) -> bool:
        limit = bound(round(share * n), n, confidence=0.9)
        return limit > target if share > target else limit < target

    assert settled(needed)
    assert needed > 20


def test_no_number_of_labels_settles_an_agreement_at_the_target() -> None:
    assert labels_to_settle(0.8, 20, 0.8) is None


def test_nothing_compared_is_no_verdict() -> None:
    comparison = scored(30, 0)
    empty = replace(
        comparison,
        agreement=replace(comparison.agreement, value=None, low=None, high=None, n=0, undefined="no examples"),
    )
    decision = decide(empty)
    assert (decision.verdict, decision.use, decision.labels_needed) == ("not-enough-labels", "explore", None)


def test_a_calibration_hands_its_findings_to_the_verdict() -> None:
    """The judge agrees on 95 % and always says pass: gold fails five."""
    of = rubric("good", "polite")
    gold = np.full((100, 2), 5.0)
    gold[:6, 0] = 1
    generator = np.random.default_rng(1)
    gold[:, 1] = generator.integers(4, 6, size=100)
    judge = gold.copy()
    judge[:, 0] = 5
    given = examples(of, {"p1": gold, "p2": gold})
    calibration = calibration_of(of, given, judged(of, judge), Rater("judge", "", "ratings"))
    assert {finding.code for finding in calibration.findings} & {"no-skill", "dead"}
    assert (calibration.decision.verdict, calibration.exit_status) == ("adjust", 1)
