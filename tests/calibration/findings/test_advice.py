"""Sentences of findings and baselines in cases in which the usual sentence would be wrong."""

from dataclasses import replace

import numpy as np
import pytest

from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.calibration.comparison.comparison import measure_of
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import YES_NO, Rubric, Strategy
from tests.calibration.made import codes, diagnosed, examples, judged, of_code, rating, rubric, yes_no_rubric


def unreadable(of: Rubric, n: int = 40) -> list[Rating]:
    """Make ratings of a judge of which every fourth reply could not be read."""
    unread = {criterion.name: Rated(None, "no JSON", declined="unread") for criterion in of.criteria}
    levels = [float(n % 2) for _ in of.criteria]
    readable = [rating(f"e{place}", "judge", "model", of, levels) for place in range(n)]
    return [replace(r, criteria=unread) if place % 4 == 0 else r for place, r in enumerate(readable)]


@pytest.mark.parametrize(
    ("names", "strategy", "advice"),
    [
        (("a",), "one_shot", "Use a model that keeps to the answer format."),
        (("a", "b"), "per_criterion", "Use a model that keeps to the answer format."),
        (("a", "b"), "one_shot", "Ask for one criterion at a time (strategy: per_criterion), or use a model"),
    ],
)
def test_asking_for_one_criterion_at_a_time_is_advised_only_if_a_prompt_asks_for_several_criteria(
    names: tuple[str, ...], strategy: Strategy, advice: str
) -> None:
    of = replace(rubric(*names, scale=YES_NO), strategy=strategy)
    labels = [[place % 2] * len(names) for place in range(40)]
    criterion = names[0] if len(names) == 1 else None
    finding = of_code(diagnosed(of, examples(of, {"ana": labels}), unreadable(of)), "unreadable", criterion)
    assert str(finding.suggestion).startswith(advice)


def test_asking_for_one_criterion_at_a_time_is_not_suggested_for_a_rubric_with_a_single_criterion() -> None:
    of = yes_no_rubric()
    labelled = examples(of, {"ana": [[place % 2] for place in range(40)]})
    calibration = calibration_of(of, labelled, unreadable(of), Rater("gpt", "f00d", "live"))
    assert not calibration.commands.asks_together


def test_advice_on_a_judge_that_fails_on_one_system_s_responses_does_not_name_the_system() -> None:
    of = rubric("tone")
    truth = np.random.default_rng(2).integers(1, 6, (160, 1)).astype(float)
    systems = ["gpt-4-turbo" if place < 60 else "haiku" for place in range(160)]
    judge = np.where(np.arange(160)[:, None] < 60, np.roll(truth, 7, axis=0), truth)
    findings = diagnosed(of, examples(of, {"ana": truth}, systems=systems), judged(of, judge))
    broken = of_code(findings, "broken-slice")
    assert "system gpt-4-turbo" in broken.message
    assert "gpt-4-turbo" not in str(broken.suggestion)
    assert "Say in the criteria what these responses share, not what wrote them." in str(broken.suggestion)


def test_enough_examples_that_are_each_labelled_on_one_criterion_are_not_reported_as_too_few_labels() -> None:
    """711 examples with ten criteria, of which all but 12 are labelled on one."""
    names = tuple(f"c{place}" for place in range(10))
    of = rubric(*names)
    generator = np.random.default_rng(5)
    levels = generator.integers(1, 6, (711, 10)).astype(float)
    labels = np.where(np.arange(10) == (np.arange(711) % 10)[:, None], levels, np.nan)
    labels[:12] = levels[:12]
    findings = diagnosed(of, examples(of, {"ana": labels}), judged(of, levels))
    assert "too-few-labels" not in codes(findings)
    few = diagnosed(of, ExampleSet(examples(of, {"ana": labels}).examples[:20]), judged(of, levels[:20]))
    assert of_code(few, "too-few-labels").message.startswith("With 13 examples")


def test_a_constant_score_is_printed_as_a_level_if_the_rubric_has_one_criterion_and_else_as_a_number() -> None:
    polite = yes_no_rubric("polite")
    assert [measure_of(polite).in_words(score) for score in (1.0, 0.0)] == ["MET", "UNMET"]
    fault = replace(polite, criteria=(replace(polite.criteria[0], weight=-1.0),))
    assert measure_of(fault).in_words(1.0) == "UNMET"
    assert measure_of(rubric("tone", "facts")).in_words(0.916667) == "0.92"
    assert measure_of(rubric("tone")).in_words(0.75) == "4"
