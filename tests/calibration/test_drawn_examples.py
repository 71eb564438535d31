"""Labels of examples drawn with unequal chances: the figures are those of all outputs that they were drawn from."""

from typing import Any

import pytest

from markscheme import Rubric, calibrate
from markscheme.calibration.calibration import Calibration
from markscheme.report.views.calibration import view
from tests.report.reading import text_of

RUBRIC = Rubric.from_dict({"name": "kind", "criteria": [{"name": "it", "requirement": "Is it kind?"}]})
HITS = [1] * 14 + [0] * 6 + [1] * 18 + [0] * 2
"""Of 20 doubtful outputs the judge is right on 14, of 20 clear ones on 18."""


def calibrated(weights: list[float], **more: list[Any]) -> Calibration:
    """Calibrate a judge with two annotators, who pass two in three examples; `more` has further keys of examples."""
    passed = ["MET" if place % 3 else "UNMET" for place in range(len(HITS))]
    other = {"MET": "UNMET", "UNMET": "MET"}
    examples: list[dict[str, Any]] = [
        {
            "id": f"e{place}",
            "response": f"Output {place}",
            "drawn": "chosen",
            "weight": weight,
            "labels": [{"rater": rater, "kind": "human", "criteria": {"it": level}} for rater in ("ana", "ben")],
            **{key: values[place] for key, values in more.items()},
        }
        for place, (weight, level) in enumerate(zip(weights, passed, strict=True))
    ]
    ratings: list[dict[str, Any]] = [
        {"id": f"e{place}", "criteria": {"it": level if hit else other[level]}}
        for place, (hit, level) in enumerate(zip(HITS, passed, strict=True))
    ]
    return calibrate(RUBRIC, examples, ratings=ratings)


def test_agreement_on_randomly_drawn_examples_estimates_the_agreement_on_all_outputs() -> None:
    """The worked case: 50 doubtful outputs drawn with a chance of .4, 200 clear ones with .1."""
    calibration = calibrated([2.5] * 20 + [10.0] * 20)
    agreement = calibration.comparison.agreement
    assert (agreement.value, agreement.low, agreement.high) == pytest.approx((0.86, 0.6824, 0.9595), abs=5e-5)
    assert calibration.comparison.weighted_to == 250
    text = text_of(view(calibration))
    assert "shares are weighted to all 250 outputs" in text
    assert "40 examples drawn with unequal chances: figures of single criteria" in text


def test_examples_drawn_with_equal_chances_are_counted_without_weights() -> None:
    calibration = calibrated([1.0] * 40)
    assert calibration.comparison.agreement.value == 0.8
    assert calibration.comparison.weighted_to is None
    assert "weighted to" not in text_of(view(calibration))


def test_equal_draws_from_two_pools_of_different_size_are_not_reported_as_unequal_chances() -> None:
    calibration = calibrated([1.0] * 20 + [1.875] * 20, draw=["b1946ac9"] * 20 + ["3f9a1c22"] * 20)
    assert calibration.comparison.agreement.value == 0.8
    assert calibration.comparison.weighted_to is None
    text = text_of(view(calibration))
    assert "unequal chances" not in text
    assert "weighted to" not in text


def test_the_next_step_says_that_fewer_labels_from_new_groups_are_enough_only_if_examples_have_groups() -> None:
    """Unequal weights reduce what labels tell, too, but new groups don't help there."""
    weights = [2.5] * 20 + [10.0] * 20
    alone, grouped = calibrated(weights), calibrated(weights, group=[f"g{place // 2}" for place in range(40)])
    assert alone.decision.labels_needed is not None
    assert "new groups" not in str(alone.decision.next_step)
    assert "or fewer from new groups" in str(grouped.decision.next_step)


def test_sampling_weights_of_examples_are_scaled_to_a_mean_of_1_within_each_draw() -> None:
    """Of 300 outputs 20 were drawn with one chance, then 20 of the 280 left, doubtful ones twice as often."""
    first = [15.0] * 20
    second = [9.33] * 10 + [18.67] * 10
    together = calibrated(first + second, draw=["3f9a1c22"] * 20 + ["b1946ac9"] * 20)
    weights = together.comparison.weights
    assert weights is not None
    assert weights.tolist() == pytest.approx([1.0] * 20 + [9.33 / 14] * 10 + [18.67 / 14] * 10)
    assert together.comparison.weighted_to == 300
    in_files = compare_again(together)
    assert in_files.comparison.weights is not None
    assert in_files.comparison.weights.tolist() == weights.tolist()


def compare_again(calibration: Calibration) -> Calibration:
    """Calibrate with the same examples after writing them as JSON and reading them again."""
    lines = [example.to_json() for example in calibration.comparison.gold.examples]
    labels = {example.id: example.labels for example in calibration.comparison.gold.examples}
    for line in lines:
        line["labels"] = [label.to_json() for label in labels[line["id"]]]
    return calibrate(RUBRIC, lines, ratings=[{"id": line["id"], "criteria": {"it": "MET"}} for line in lines])


def by_hand(picked: int, n: int = 100) -> Calibration:
    """Calibrate a judge that agrees on all of n examples, of which `picked` were picked by hand."""
    level = ["UNMET", "MET"]
    examples: list[dict[str, Any]] = [
        {
            "id": f"e{place}",
            "response": f"Output {place}",
            "drawn": "chosen" if place < picked else "random",
            "labels": [{"rater": rater, "criteria": {"it": level[place % 2]}} for rater in ("ana", "ben")],
        }
        for place in range(n)
    ]
    return calibrate(RUBRIC, examples, ratings=[{"id": f"e{i}", "criteria": {"it": level[i % 2]}} for i in range(n)])


def test_hand_picked_examples_never_let_a_judge_gate() -> None:
    none, some, all_of_them = (by_hand(picked) for picked in (0, 3, 100))
    assert [c.use for c in (none, some, all_of_them)] == ["gate", "trend", "trend"]
    assert [c.verdict for c in (none, some, all_of_them)] == ["ok", "ok", "ok"]
    text = text_of(view(some))
    assert "3 of 100 examples were picked by hand." in text
    assert "3 examples picked by hand: figures are of the labelled examples." in text
    assert "picked by hand (3)" in text


def test_if_all_examples_were_picked_by_hand_no_number_of_labels_is_named() -> None:
    calibration = by_hand(100)
    text = text_of(view(calibration))
    assert "100 of 100 examples were picked by hand." in text
    assert "That is agreement on the labelled examples, not on your outputs." in text
    assert calibration.decision.labels_needed is None


def test_labels_drawn_by_the_judge_s_verdict_let_a_judge_gate_only_if_their_sampling_weights_are_known() -> None:
    """The judge fails 40 outputs, all of which are bad, and passes 900; of 40 of these 4 are bad."""
    gold = [0] * 40 + [0] * 4 + [1] * 36
    outputs = {False: 40, True: 900}  # of each verdict; all that it fails are labelled
    labels = [[{"rater": rater, "criteria": {"it": LEVEL[level]}} for rater in ("ana", "ben")] for level in gold]
    drawn = [
        {"id": f"e{index}", "response": f"Output {index}", "drawn": "by-verdict", "labels": of_both}
        for index, of_both in enumerate(labels)
    ]
    weighted = [{**line, "weight": outputs[index >= 40] / 40} for index, line in enumerate(drawn)]
    ratings = [{"id": f"e{index}", "criteria": {"it": LEVEL[index >= 40]}} for index in range(80)]
    without_chances, with_chances = (calibrate(RUBRIC, examples, ratings=ratings) for examples in (drawn, weighted))
    assert (without_chances.use, without_chances.decision.because_code) == ("trend", "picked")
    assert "80 of 80 examples were drawn by the judge's verdict with unknown chances." in text_of(view(without_chances))
    answer = with_chances.decision.gate_answer
    assert answer is not None
    assert answer.stops.estimate.value == pytest.approx(40 / 130)
    assert with_chances.use != "gate"


LEVEL = ["UNMET", "MET"]


def with_complaints(fails: int, stopped: int, passes: int, *, picked_fails: int, picked_passes: int = 0) -> Calibration:
    """Calibrate a judge on random examples, and on hand-picked fails and passes, on which it is always right."""
    gold = [0] * fails + [1] * passes + [0] * picked_fails + [1] * picked_passes
    judge = [0] * stopped + [1] * (fails - stopped) + gold[fails:]
    examples: list[dict[str, Any]] = [
        {
            "id": f"e{place}",
            "response": f"Output {place}",
            "drawn": "random" if place < fails + passes else "chosen",
            "labels": [{"rater": rater, "criteria": {"it": LEVEL[level]}} for rater in ("ana", "ben")],
        }
        for place, level in enumerate(gold)
    ]
    ratings = [{"id": f"e{place}", "criteria": {"it": LEVEL[level]}} for place, level in enumerate(judge)]
    return calibrate(RUBRIC, examples, ratings=ratings)


def test_responses_picked_by_hand_as_fails_count_only_in_the_share_of_fails_that_the_judge_catches() -> None:
    answers = [with_complaints(4, 4, 100, picked_fails=picked).decision.gate_answer for picked in (0, 12)]
    before, after = (answer for answer in answers if answer is not None)
    assert (before.ruling.state, after.ruling.state) == ("open", "shown")
    assert (before.stops.share.of, after.stops.share.of) == (4, 16)
    assert after.figures.same == before.figures.same
    assert after.figures.keeps == before.figures.keeps
    assert after.figures.share_of_fails == before.figures.share_of_fails == pytest.approx(4.5 / 105)
    assert with_complaints(4, 4, 100, picked_fails=12).use == "gate"


def test_responses_picked_by_hand_that_people_pass_count_in_no_figure_and_let_no_judge_gate() -> None:
    calibration = with_complaints(16, 16, 100, picked_fails=2, picked_passes=5)
    answer = calibration.decision.gate_answer
    assert answer is not None
    assert (answer.figures.same.n, answer.keeps.share.of, answer.stops.share.of) == (116, 100, 18)
    assert (calibration.verdict, calibration.use, calibration.decision.because_code) == ("ok", "trend", "picked")


def test_the_next_step_estimates_how_rare_fails_are_from_randomly_drawn_labels_alone() -> None:
    decision = with_complaints(1, 1, 119, picked_fails=1).decision
    assert decision.labels_needed is None
    assert "Fails are rare here (1%)" in str(decision.next_step)


def test_hand_picked_passes_that_the_judge_fails_are_counted_apart_from_the_share_of_false_fails() -> None:
    examples: list[dict[str, Any]] = [
        {
            "id": f"e{place}",
            "response": f"Output {place}",
            "drawn": "chosen" if place < 10 else "random",
            "labels": [{"rater": rater, "criteria": {"it": "MET"}} for rater in ("ana", "ben")],
        }
        for place in range(20)
    ]
    strict = calibrate(RUBRIC, examples, ratings=[{"id": f"e{i}", "criteria": {"it": "UNMET"}} for i in range(20)])
    assert "10 of 10 passes, 10 more picked by hand" in text_of(view(strict))
