"""Gold's pass/fail decisions: explicit ones by majority, else those from score, pass mark and required criteria."""

from typing import Any

from markscheme import Rubric, calibrate
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.verdict import GateAnswer
from markscheme.report.views.calibration import json_of, view
from tests.report.reading import text_of

RUBRIC = {"name": "send", "criteria": [{"name": "it", "description": "May it be sent?", "scale": {"min": 1, "max": 5}}]}
N = 40


def examples(*, people: int = 1) -> list[dict[str, Any]]:
    """Make forty labelled examples: half pass with level 5, half fail with level 1."""
    return [
        {
            "id": f"e{i}",
            "response": f"response {i}",
            "labels": [
                {"rater": f"p{person}", "kind": "human", "criteria": {"it": 5 if i % 2 else 1}}
                for person in range(people)
            ],
        }
        for i in range(N)
    ]


def ratings() -> list[dict[str, Any]]:
    """Make ratings of a judge that decides as gold on all but four examples, always one level nearer to the middle."""
    levels = [(4 if i % 2 else 2) if i >= 4 else (2 if i % 2 else 4) for i in range(N)]
    return [{"id": f"e{i}", "criteria": {"it": level}} for i, level in enumerate(levels)]


def answer_of(calibration: Calibration) -> GateAnswer:
    """Return the answer to whether a calibrated judge can gate."""
    answer = calibration.decision.gate_answer
    assert answer is not None
    return answer


def test_a_judge_can_agree_with_people_on_all_decisions_and_on_no_score() -> None:
    calibration = calibrate(Rubric.from_dict(RUBRIC), examples(), ratings=ratings())
    answer = answer_of(calibration)
    assert calibration.comparison.agreement.value == 0.0
    assert answer.same.value == 0.9
    assert (answer.stops.share.hits, answer.stops.share.of) == (18, 20)
    assert (answer.keeps.share.hits, answer.keeps.share.of) == (18, 20)
    assert json_of(calibration)["measure"] == "score"


def test_gold_is_the_majority_of_the_decisions_that_annotators_gave_whatever_their_scores() -> None:
    labelled = examples(people=3)
    for label, passed in zip(labelled[0]["labels"], (True, True, False), strict=True):
        label["pass"] = passed
    calibration = calibrate(Rubric.from_dict(RUBRIC), labelled, ratings=ratings())
    assert calibration.comparison.gold.decisions[[0, 2]].tolist() == [1.0, 0.0]
    answer = answer_of(calibration)
    assert (answer.stops.share.of, answer.keeps.share.of) == (19, 21)
    assert answer.same.value == 37 / N


def test_a_decision_on_which_annotators_split_evenly_counts_in_no_figure_and_is_reported() -> None:
    labelled = examples(people=2)
    for example in labelled:
        for person, label in enumerate(example["labels"]):
            label["pass"] = person == 0 if example["id"] in ("e0", "e1", "e2") else label["criteria"]["it"] == 5
    calibration = calibrate(Rubric.from_dict(RUBRIC), labelled, ratings=ratings())
    answer = answer_of(calibration)
    assert (answer.figures.same.n, answer.even_splits) == (N - 3, 3)
    assert calibration.comparison.agreement.n == N
    assert "Annotators split evenly on pass or fail of 3 examples (e0, e1, e2)" in text_of(view(calibration))


def test_without_an_annotator_s_decision_gold_fails_an_example_that_fails_a_required_criterion() -> None:
    criteria = [*RUBRIC["criteria"], {"name": "safe", "requirement": "It is safe.", "required": True}]
    rubric = Rubric.from_dict({"name": "send", "criteria": criteria})
    label = {"rater": "p", "kind": "human", "criteria": {"it": 5, "safe": "UNMET"}}
    rows = [{"id": "a", "response": "x", "labels": [label]}]
    calibration = calibrate(rubric, rows, ratings=[{"id": "a", "criteria": {"it": 5, "safe": "MET"}}])
    assert calibration.comparison.gold.decisions.tolist() == [0.0]
    answer = answer_of(calibration)
    assert (answer.stops.share.hits, answer.stops.share.of, answer.same.value) == (0, 1, 0.0)
