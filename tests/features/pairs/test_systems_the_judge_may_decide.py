"""Which systems' pairs a judge of pairs may decide: it doesn't depend on which response is stored first."""

from typing import Any

import markscheme

RUBRIC = markscheme.Rubric.from_yaml("""
name: better
compare: pairs
criteria:
  - {name: helps, prefer: The reply that helps more., weight: 2}
  - {name: tone, prefer: The reply that reads kinder., weight: 1, ties: false}
""")
SYSTEMS = (("a", "b"), ("a", "c"), ("b", "c"))


def pair(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A pair whose better response is always stored first if systems a and c wrote it, and a judge's rating of it.

    People find that neither response helps more in three pairs of four; the judge never does.
    """
    systems = SYSTEMS[number % 3]
    better = "first" if systems == ("a", "c") or number % 2 else "second"
    criteria = {"helps": "tie" if number % 4 else better, "tone": better}
    first, second = ({"system": name, "response": f"{name} {number}"} for name in systems)
    labels = [{"rater": rater, "kind": "human", "criteria": criteria} for rater in ("ann", "ben")]
    example = {"id": f"p{number}", "query": f"Question {number}?", "first": first, "second": second, "labels": labels}
    return example, {"id": f"p{number}", "criteria": {"helps": better, "tone": better}}


def test_a_judge_of_pairs_that_always_prefers_as_people_do_can_gate_for_every_system() -> None:
    examples, ratings = zip(*map(pair, range(90)), strict=True)
    calibration: Any = markscheme.calibrate(RUBRIC, examples=list(examples), ratings=list(ratings))
    assert calibration.to_json()["agreement"]["value"] == 1
    assert (calibration.use, calibration.to_json()["decision"]["except"]) == ("gate", [])


def test_a_pair_is_ungraded_if_the_answers_in_its_two_orders_contradict_each_other_and_no_tie_is_allowed() -> None:
    examples, ratings = zip(*map(pair, range(30)), strict=True)
    orders = [{**rating, "shown": "first-second"} for rating in ratings]
    turned = {"first": "second", "second": "first"}
    levels = ratings[0]["criteria"]
    second = {"id": "p0", "criteria": {name: turned[level] for name, level in levels.items()}, "sample": 1}
    orders.append({**second, "shown": "second-first"})
    calibration: Any = markscheme.calibrate(RUBRIC, examples=list(examples), ratings=orders)
    assert calibration.to_json()["not_graded_because"] == {
        "p0": "the answers in the two orders contradict each other, with no tie"
    }
