"""Judges of pairs, from the question in both orders to figures and findings."""

import asyncio
import functools
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.comparison.comparison import compare
from markscheme.errors import RatingError
from markscheme.features.pairs.measure import preferences_of_scores
from markscheme.features.pairs.preferences import order_figures, systems_compared
from markscheme.features.pairs.section import in_a_sentence, systems_blocks
from markscheme.grading import Grade, Grading, grade_json
from markscheme.judges.judge import Identity, Reply, Usage
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet, examples_from
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rating, ratings_from
from markscheme.report.junit import WHOLE_CASE, calibrations_junit
from markscheme.rubrics.preference import preferred
from markscheme.rubrics.rubric import Rubric

RUBRIC = Rubric.from_dict(
    {"name": "better", "compare": "pairs", "criteria": [{"name": "helps", "prefer": "The one that helps more."}]}
)
NO_TIES = Rubric.from_dict(
    {
        "name": "better",
        "compare": "pairs",
        "criteria": [{"name": "helps", "prefer": "The one that helps more.", "ties": False}],
    }
)
SINGLE = Rubric.from_dict(
    {
        "name": "three",
        "criteria": [
            {
                "name": "helps",
                "description": "How it helps",
                "levels": [{"value": value, "description": name} for value, name in ((-1, "a"), (0, "b"), (1, "c"))],
            }
        ],
    }
)
_SHOWN = re.compile(r"<response-([12])-[0-9a-f]+>\n(.*?)\n</response", re.DOTALL)


class LongerJudge:
    """Judge that prefers the longer response, except in a share of pairs, where it prefers the one shown first."""

    def __init__(self, leaning: frozenset[str] = frozenset()) -> None:
        self.leaning = leaning
        self.identity = Identity("test:longer")
        self.prompts: list[Prompt] = []

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        self.prompts.append(prompt)
        first, second = (text for _, text in _SHOWN.findall(prompt.user))
        level = "tie" if len(first) == len(second) else "first" if len(first) > len(second) else "second"
        if {first, second} & self.leaning:
            level = "first"
        verdict = {"quote_1": first, "quote_2": second, "reason": "It says more.", "level": level}
        text = json.dumps({"verdicts": dict.fromkeys(prompt.criteria, verdict)})
        return Reply(text, usage=Usage(1))

    async def aclose(self) -> None:
        """Do nothing, since nothing is open."""


def pair(first: str, second: str, id: str = "p", **more: Any) -> dict[str, Any]:
    return {"id": id, "query": f"question of {more.get('group', id)}", "first": first, "second": second, **more}


def graded(judge: LongerJudge, first: str, second: str, rubric: Rubric = RUBRIC) -> Grade:
    return asyncio.run(Grading(rubric, judge).grade(Submission(first, {"query": "Which?"}, "p", second=second)))


def level_of(grade: Grade) -> float:
    return grade.verdicts["helps"].level


def test_a_pair_is_judged_in_both_orders_and_both_answers_are_stored_for_one_order() -> None:
    judge = LongerJudge()
    grade = graded(judge, "much the longer one", "short")
    shown = [[text for _, text in _SHOWN.findall(prompt.user)] for prompt in judge.prompts]
    assert shown == [["much the longer one", "short"], ["short", "much the longer one"]]
    assert (grade.decision, grade.score, grade.passed) == ("first", -1.0, None)
    assert [outcomes["helps"].level for outcomes in grade.by_order.values()] == [-1.0, -1.0]  # type: ignore[union-attr]


def test_the_judge_of_a_pair_learns_neither_the_stored_order_nor_the_systems_names() -> None:
    judge = LongerJudge()
    graded(judge, "one", "another")
    assert judge.prompts[0].system == judge.prompts[1].system
    assert judge.prompts[0].fingerprint != judge.prompts[1].fingerprint


def test_a_quote_in_a_judgement_of_a_pair_is_taken_from_the_preferred_response() -> None:
    verdict = graded(LongerJudge(), "short", "much the longer one").verdicts["helps"]
    assert (verdict.quote, verdict.quote_found, verdict.quote_in) == ("much the longer one", True, "second")
    assert verdict.other_quote == "short"


def test_a_pair_is_a_tie_if_the_judge_s_preferences_in_the_two_orders_contradict_each_other() -> None:
    grade = graded(LongerJudge(frozenset({"short"})), "much the longer one", "short")
    assert (level_of(grade), grade.verdicts["helps"].votes) == (0.0, (-1.0, 1.0))
    assert grade.decision == "tie"
    assert grade_json(grade, RUBRIC)["orders"] == {
        "first-second": {"helps": "first"},
        "second-first": {"helps": "second"},
    }


def test_without_ties_in_the_rubric_a_pair_with_contradictory_preferences_in_the_two_orders_has_no_level() -> None:
    grade = graded(LongerJudge(frozenset({"short"})), "much the longer one", "short", NO_TIES)
    assert grade.score is None
    assert grade.error is not None


def test_asking_about_pairs_in_one_order_costs_half_as_much_as_in_both_orders() -> None:
    judge = LongerJudge()
    once = Rubric.from_dict({"compare": "pairs", "criteria": [{"name": "helps", "prefer": "The one that helps."}]})
    graded(judge, "one", "another", replace(once, orders=1))
    assert len(judge.prompts) == 1


def test_a_single_response_is_not_graded_by_a_rubric_of_pairs_nor_a_pair_by_a_rubric_of_single_responses() -> None:
    single = asyncio.run(Grading(RUBRIC, LongerJudge()).grade(Submission("one", {}, "p")))
    both = asyncio.run(Grading(SINGLE, LongerJudge()).grade(Submission("one", {}, "p", second="two")))
    assert (single.score, both.score) == (None, None)
    assert "needs `first` and `second`" in (single.error or "")
    assert "needs `compare: pairs`" in (both.error or "")


# --- figures --------------------------------------------------------------------------------------------------------


def labelled(levels: Mapping[str, float], groups: Mapping[str, str] | None = None) -> ExampleSet:
    """Make pairs with labels of two annotators who agree."""
    rows = [
        pair(
            f"response one of {id}",
            f"response two of {id}",
            id,
            **({"group": groups[id]} if groups else {}),
            labels=[{"rater": rater, "kind": "human", "criteria": {"helps": level}} for rater in ("ann", "ben")],
        )
        for id, level in levels.items()
    ]
    return examples_from(rows, RUBRIC)


def of_both_orders(first: Sequence[float], second: Sequence[float]) -> list[Rating]:
    rows = [
        {"id": f"p{place}", "rater": "j", "kind": "model", "sample": sample, "shown": shown, "criteria": {"helps": x}}
        for sample, (shown, levels) in enumerate((("first-second", first), ("second-first", second)))
        for place, x in enumerate(levels)
    ]
    return ratings_from(rows, RUBRIC)


def calibrated(examples: ExampleSet, ratings: Iterable[Rating]) -> Calibration:
    return calibration_of(RUBRIC, examples, list(ratings), Rater("j", "0", "ratings"))


def simulated(seed: int, *, lean: float, flips: float = 0.0, n: int = 100) -> tuple[ExampleSet, list[Rating]]:
    """Simulate a judge that prefers the response shown first in a share of pairs; return its ratings and the pairs."""
    truth, ratings = simulated_ratings(seed, lean=lean, flips=flips, n=n)
    return labelled({f"p{place}": level for place, level in enumerate(truth)}), ratings


def simulated_ratings(seed: int, *, lean: float, flips: float, n: int) -> tuple[list[float], list[Rating]]:
    """Simulate the true preference in each pair, and the judge's ratings in both orders."""
    rng = np.random.default_rng(seed)
    truth = rng.choice([-1.0, 1.0], n)
    wavers = rng.random(n) < flips
    at_random = rng.choice([-1.0, 1.0], (2, n))
    leans = rng.random(n) < lean
    first = np.where(leans, -1.0, np.where(wavers, at_random[0], truth))
    second = np.where(leans, 1.0, np.where(wavers, at_random[1], truth))
    return truth.tolist(), of_both_orders(first.tolist(), second.tolist())


@functools.cache
def hundred_pairs() -> tuple[Example, ...]:
    """Return a hundred pairs with equal labels, since figures on order don't depend on labels."""
    return tuple(labelled(dict.fromkeys((f"p{place}" for place in range(100)), 1.0)).examples)


def names_lean(seed: int, *, lean: float, flips: float = 0.0) -> bool:
    _, ratings = simulated_ratings(seed, lean=lean, flips=flips, n=100)
    figures = order_figures(RUBRIC, hundred_pairs(), ratings, "j")
    assert figures is not None
    return figures.leans_to_first


@pytest.mark.proof
def test_a_judge_that_prefers_the_first_response_by_ten_points_is_reported_in_nine_of_ten_runs_of_100_pairs() -> None:
    assert sum(names_lean(seed, lean=0.10) for seed in range(100)) >= 90


@pytest.mark.proof
def test_a_judge_whose_preferences_flip_at_random_is_said_to_favour_a_position_in_at_most_one_of_twenty_runs() -> None:
    assert sum(names_lean(seed, lean=0.0, flips=0.2) for seed in range(200)) <= 10


def test_a_judge_s_preference_for_the_response_shown_first_gives_a_finding_that_lists_pairs_to_read() -> None:
    calibration = calibrated(*simulated(1, lean=0.25))
    lean = next(finding for finding in calibration.findings if finding.code == "leans-to-first")
    assert lean.evidence["lean_to_first"]["value"] == pytest.approx(0.25, abs=0.1)
    assert set(lean.examples) <= set(lean.evidence["flipped"])


def test_pairs_on_which_preferences_in_the_two_orders_contradict_each_other_count_as_ties_in_agreement() -> None:
    examples = labelled({f"p{place}": -1.0 for place in range(20)})
    ratings = of_both_orders([-1.0] * 20, [-1.0] * 15 + [1.0] * 5)
    calibration = calibrated(examples, ratings)
    assert calibration.comparison.agreement.value == 0.75
    figures = order_figures(RUBRIC, examples.examples, ratings, "j")
    assert figures is not None
    assert (figures.flips.value, figures.in_both, len(figures.flipped)) == (0.25, 20, 5)


def test_agreement_on_preferences_equals_agreement_on_levels_with_the_same_numbers() -> None:
    rng = np.random.default_rng(4)
    gold, judge = rng.choice([-1.0, 0.0, 1.0], (2, 60)).tolist()
    groups = {f"p{place}": f"g{place // 3}" for place in range(60)}
    pairs = labelled({f"p{place}": level for place, level in enumerate(gold)}, groups)
    of_pairs = [{"id": f"p{place}", "rater": "j", "criteria": {"helps": level}} for place, level in enumerate(judge)]
    singles = examples_from(
        [
            {
                "id": f"p{place}",
                "response": f"response {place}",
                "group": groups[f"p{place}"],
                "labels": [{"rater": rater, "kind": "human", "criteria": {"helps": level}} for rater in ("ann", "ben")],
            }
            for place, level in enumerate(gold)
        ],
        SINGLE,
    )
    by_pair = compare(gold_of(pairs, RUBRIC).judged(RUBRIC, ratings_from(of_pairs, RUBRIC)))
    by_level = compare(gold_of(singles, SINGLE).judged(SINGLE, ratings_from(of_pairs, SINGLE)), of="helps")
    assert by_pair.agreement.to_json() == by_level.agreement.to_json()
    assert by_pair.agreement_person is not None
    assert by_level.agreement_person is not None
    assert by_pair.agreement_person.to_json() == by_level.agreement_person.to_json()


def test_the_verdict_on_a_judge_of_pairs_is_based_on_preferences() -> None:
    levels = {f"p{place}": (-1.0, 0.0, 1.0)[place % 3] for place in range(120)}
    calibration = calibrated(labelled(levels), of_both_orders([*levels.values()], [*levels.values()]))
    assert (calibration.verdict, calibration.use) == ("ok", "gate")
    assert calibration.comparison.measure.name == "preference"
    report = calibration.to_json()
    assert report["measure"] == "preference"
    assert report["orders"][0]["flips"]["value"] == 0.0


# --- examples and systems -------------------------------------------------------------------------------------------


def sided(i: str, j: str, prompt: str) -> dict[str, Any]:
    sides = {
        name: {"id": f"{system}-{prompt}", "system": system, "response": f"{system} on {prompt}"}
        for name, system in (("first", i), ("second", j))
    }
    return {"id": f"{prompt}:{i}~{j}", "query": prompt, **sides}


def test_pairs_of_responses_to_one_prompt_form_one_group() -> None:
    examples = examples_from([sided("a", "b", "q1"), sided("a", "c", "q1"), sided("a", "b", "q2")], RUBRIC)
    groups = [example.group for example in examples.examples]
    assert groups[0] == groups[1] != groups[2]
    assert [example.system for example in examples.examples] == ["a and b", "a and c", "a and b"]


def test_a_response_that_occurs_in_pairs_of_two_groups_is_refused() -> None:
    rows = [sided("a", "b", "q1") | {"group": "g1"}, sided("a", "c", "q1") | {"group": "g2"}]
    with pytest.raises(RatingError, match="share a group"):
        examples_from(rows, RUBRIC)


def test_a_pair_is_written_to_a_file_in_the_form_in_which_it_is_read() -> None:
    (example,) = examples_from([sided("a", "b", "q1")], RUBRIC).examples
    (again,) = examples_from([example.to_json()], RUBRIC).examples
    assert (again.submission, again.sides, again.group) == (example.submission, example.sides, example.group)


def test_a_pair_without_one_of_its_responses_is_refused_with_file_and_line() -> None:
    with pytest.raises(RatingError, match="`second` is missing"):
        examples_from([{"id": "p", "first": "one"}], RUBRIC)


def systems_of(levels: Mapping[tuple[str, str], Sequence[float]]) -> tuple[list[Example], np.ndarray[Any, Any]]:
    rows = [sided(i, j, f"q{place}") for (i, j), column in levels.items() for place in range(len(column))]
    examples = list(examples_from(rows, RUBRIC).examples)
    return examples, np.array([(level + 1) / 2 for column in levels.values() for level in column])


def test_two_systems_are_compared_by_shares_of_preferences() -> None:
    examples, scores = systems_of({("a", "b"): [-1.0] * 30 + [0.0] * 5 + [1.0] * 5})
    compared = systems_compared(RUBRIC, examples, scores, "ann")
    assert compared is not None
    assert compared.strengths is None
    (only,) = compared.pairs
    assert (only.prefers_first.value, only.ties.value, only.prefers_second.value) == (0.75, 0.125, 0.125)
    assert only.difference.value == 0.625
    assert compared.leader == "a"


def test_the_difference_printed_for_two_systems_equals_that_of_their_printed_preferences() -> None:
    in_200 = [-1.0] * 169 + [0.0] * 2 + [1.0] * 29  # 84.5%, 14.5%: 84% and 14% to whole per cents
    in_125 = [-1.0] * 68 + [0.0] * 7 + [1.0] * 50  # 54.4%, 40.0%
    in_125_more = [-1.0] * 69 + [0.0] * 6 + [1.0] * 50  # 55.2%, 40.0%
    in_250 = [-1.0] * 136 + [1.0] * 114  # 54.4%, 45.6%: 54% and 46% differ by 8 and not by 9
    sentences = []
    for levels in (in_200, in_125, in_125_more, in_250):
        examples, scores = systems_of({("a", "b"): levels})
        compared = systems_compared(RUBRIC, examples, scores, "ann")
        assert compared is not None
        sentences.append(in_a_sentence(compared).partition(" (")[0])
    assert sentences == [
        "ann prefers a in 84%, b in 14%, tie in 1%; difference +70",
        "ann prefers a in 54%, b in 40%, tie in 6%; difference +14",
        "ann prefers a in 55%, b in 40%, tie in 5%; difference +15",
        "ann prefers a in 54.4%, b in 45.6%; difference +8.8",
    ]


def test_three_systems_are_compared_by_strengths_and_ranks() -> None:
    wins = [-1.0] * 24 + [0.0] * 3 + [1.0] * 3
    even = [-1.0] * 13 + [0.0] * 4 + [1.0] * 13
    examples, scores = systems_of({("a", "b"): wins, ("a", "c"): wins, ("b", "c"): even})
    compared = systems_compared(RUBRIC, examples, scores, "ann")
    assert compared is not None
    assert compared.strengths is not None
    assert compared.strengths.ranks == (1, 2, 2)
    assert compared.in_order[0] == 0
    assert (compared.n, compared.n_groups) == (90, 30)


def test_the_odds_of_a_win_against_a_loss_are_e_to_the_power_of_the_difference_of_strengths() -> None:
    wins = [-1.0] * 24 + [1.0] * 6
    even = [-1.0] * 15 + [1.0] * 15
    examples, scores = systems_of({("a", "b"): wins, ("a", "c"): wins, ("b", "c"): even})
    compared = systems_compared(RUBRIC, examples, scores, "ann")
    assert compared is not None
    assert compared.strengths is not None
    difference = compared.strengths.differences[0, 1].value
    assert difference is not None
    assert math.exp(difference) == pytest.approx(24 / 6)
    said = "The odds of a win against a loss are e to the power of their difference."
    assert any(said in str(block) for block in systems_blocks(compared))


def test_the_sentence_on_ranks_names_the_system_whose_comparison_with_the_first_is_undecided() -> None:
    wins = [-1.0] * 30
    few = [-1.0] * 13 + [1.0] * 7
    even = [-1.0] * 15 + [1.0] * 15
    examples, scores = systems_of({("a", "b"): wins[:27] + [1.0] * 3, ("a", "c"): few, ("b", "c"): even})
    compared = systems_compared(RUBRIC, examples, scores, "labels")
    assert compared is not None
    assert compared.strengths is not None
    assert (compared.strengths.ranks.count(1), compared.leader) == (1, "")
    assert in_a_sentence(compared) == (
        "Which system the labels prefer isn't shown: a has the first rank by all pairs together, but its own pairs "
        "with c leave it open."
    )


@pytest.mark.parametrize("limit", [0.0, 1 / 3, 2 / 3])
def test_a_pair_s_score_exactly_at_the_limit_of_a_tie_is_a_tie_in_grades_and_in_figures(limit: float) -> None:
    scores = np.array([(1 - limit) / 2, (1 + limit) / 2])
    assert preferences_of_scores(scores, limit).tolist() == [0.5, 0.5]
    assert [preferred(float(score), limit) for score in scores] == ["tie", "tie"]


def test_the_junit_file_has_agreement_and_kappa_of_a_criterion_of_pairs() -> None:
    levels = {f"p{place}": (-1.0, 0.0, 1.0)[place % 3] for place in range(30)}
    of_pairs = calibrated(labelled(levels), of_both_orders([*levels.values()], [*levels.values()]))
    cases = {case.get("name"): case for case in Xml.fromstring(calibrations_junit([of_pairs])).iter("testcase")}
    assert list(cases) == [WHOLE_CASE, "helps"]
    figures = cases["helps"].findtext("system-out") or ""
    assert [figure.split()[0] for figure in figures.splitlines()[0].split("; ")] == ["same", "kappa"]
