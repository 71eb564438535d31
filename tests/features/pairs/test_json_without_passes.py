"""JSON of a calibration in which nothing says what passes."""

from markscheme import Rubric, calibrate

RUBRIC = Rubric.from_dict(
    {"compare": "pairs", "criteria": [{"name": "helps", "prefer": "The more helpful.", "weight": 1}]}
)


def test_a_calibration_of_pairs_has_null_in_place_of_false_passes_and_false_fails_since_pairs_do_not_pass() -> None:
    sides = ("first", "second", "tie")
    examples = [
        {"id": f"p{n}", "first": {"response": f"a{n}"}, "second": {"response": f"b{n}"},
         "labels": [{"rater": "ann", "kind": "human", "criteria": {"helps": sides[n % 3]}}]}
        for n in range(30)
    ]  # fmt: skip
    judged = [{"id": f"p{n}", "criteria": {"helps": sides[n * n % 3]}} for n in range(30)]
    report = calibrate(RUBRIC, examples, ratings=judged).to_json()
    assert (report["false_passes"], report["false_fails"], report["decision"]["gate"]) == (None, None, None)
