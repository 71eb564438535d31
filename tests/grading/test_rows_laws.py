"""Laws of rubrics that come with the row, and the worked cases on means and on words given twice."""

import asyncio
import zlib
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme import Grader, Rubric, ScriptedJudge
from markscheme.grading import Grading
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import submission_of
from markscheme.rubrics.of_rows import ROWS_ALONE
from tests.worked_cases import cases_in

CASES = Path(__file__).parents[3] / "shared/statistics/rows.yaml"
worked = pytest.mark.skipif(not CASES.is_file(), reason="runs where ../shared/statistics/rows.yaml is there")
CORE = Rubric.from_dict([{"name": "polite", "requirement": "Is polite", "weight": 2}])
ROW = st.fixed_dictionaries(
    {
        "response": st.sampled_from(["Paris.", "Rome, kindly.", ""]),
        "rubric": st.lists(
            st.fixed_dictionaries(
                {
                    "requirement": st.integers(0, 30).map("Names item {}".format),
                    "weight": st.sampled_from([1, 2, 5, -1, -3]),
                }
            ),
            min_size=1,
            max_size=9,
            unique_by=lambda criterion: criterion["requirement"],  # type: ignore[index]
        ),
    }
)
FAULTY: dict[str, Any] = {"response": "Paris.", "rubric": [{"requirement": "Names Rome", "weight": 0}]}


def by_words(prompt: Prompt, _: int) -> dict[str, str]:
    """Return a script for a judge whose answer depends only on the words of the criterion and the response."""
    shown = prompt.material["response"]
    words = {question.name: question.instructions.partition("\n")[0] for question in prompt.questions}
    return {name: "MET" if zlib.crc32(f"{text}|{shown}".encode()) % 2 else "UNMET" for name, text in words.items()}


def graded(rows: list[dict[str, Any]], core: Rubric | None = None, per_call: int | None = None) -> list[dict[str, Any]]:
    run = ROWS_ALONE if core is None else core
    grading = Grading(replace(run, criteria_per_call=per_call), ScriptedJudge(by_words), has_core=core is not None)

    async def grade_all() -> list[dict[str, Any]]:
        grades = [await grading.grade(submission_of(row, number)) for number, row in enumerate(rows, start=1)]
        return [
            {"score": g.score, "raw": g.raw_score, "error": g.error, "criteria": dict(g.by_criterion)} for g in grades
        ]

    return asyncio.run(grade_all())


@settings(max_examples=25, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=5), st.integers(0, 5))
def test_a_row_with_a_faulty_rubric_changes_no_grade_of_another_row(rows: list[dict[str, Any]], place: int) -> None:
    place = min(place, len(rows))
    with_fault = graded([*rows[:place], FAULTY, *rows[place:]])
    assert with_fault.pop(place)["score"] is None
    assert with_fault == graded(rows)


@settings(max_examples=25, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_grade(rows: list[dict[str, Any]], random: Any) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    whole = graded(rows)
    assert graded([rows[place] for place in order]) == [whole[place] for place in order]


@settings(max_examples=25, deadline=None)
@given(ROW, st.integers(1, 9))
def test_the_number_of_criteria_per_call_changes_no_score_of_a_deterministic_judge(
    row: dict[str, Any], per_call: int
) -> None:
    assert graded([row], per_call=per_call) == graded([row])


@settings(max_examples=25, deadline=None)
@given(ROW)
def test_a_row_without_criteria_of_its_own_is_graded_by_the_run_s_rubric_alone(row: dict[str, Any]) -> None:
    alone = {"response": row["response"]}
    grading = Grading(CORE, ScriptedJudge(by_words))
    plain = asyncio.run(grading.grade(submission_of(alone, 1)))
    for nothing in (alone, {**alone, "rubric": None}):
        (figures,) = graded([nothing], CORE)
        assert (figures["score"], figures["criteria"]) == (plain.score, dict(plain.by_criterion))
    (both,) = graded([row], CORE)
    assert both["criteria"]["polite"] == plain.by_criterion["polite"]


# --- worked cases -----------------------------------------------------------------------------------------------------


@worked
def test_mean_scores_clipped_before_or_after_averaging_equal_the_reference_values() -> None:
    cases = cases_in(CASES)
    mean = cases["mean"]
    unclipped = [case["expect"]["unclipped"] for case in cases["score"]]
    assert unclipped == mean["unclipped"]
    scores = [min(1, max(0, value)) for value in unclipped]
    assert fmean(scores) == pytest.approx(mean["mean_of_scores"], abs=1e-6)
    assert min(1, max(0, fmean(unclipped))) == pytest.approx(mean["healthbench"], abs=1e-6)


@worked
def test_a_row_s_score_adds_up_points_for_the_run_s_criteria_and_for_the_row_s_own_criteria() -> None:
    case = cases_in(CASES)["core"][0]
    met = {f"Item {kind} {i}": bool(p) for kind in ("core", "own") for i, (_, p) in enumerate(case[kind])}
    data = {
        kind: [{"requirement": f"Item {kind} {i}", "weight": weight} for i, (weight, _) in enumerate(case[kind])]
        for kind in ("core", "own")
    }
    judge = ScriptedJudge(
        lambda prompt, _: {
            q.name: "MET" if met[q.instructions.partition("\n")[0]] else "UNMET" for q in prompt.questions
        }
    )
    with Grader(Rubric.from_dict(data["core"]), judge) as grader:
        grade = grader.grade_sync("x", rubric=data["own"])
    figures = {"raw_score": grade.raw_score, "unclipped": grade.unclipped, "score": grade.score}
    assert figures == pytest.approx(case["expect"], abs=1e-6)


@worked
def test_a_requirement_that_occurs_twice_in_a_row_is_asked_about_once() -> None:
    case = cases_in(CASES)["twice"]
    rubric = [{"requirement": text, "weight": weight} for text, weight in case["criteria"]]
    prompts_seen: list[str] = []

    def answers(prompt: Prompt, _: int) -> dict[str, str]:
        texts = {q.name: q.instructions.partition("\n")[0] for q in prompt.questions}
        prompts_seen.extend(texts.values())
        return {name: "MET" if text in case["met"] else "UNMET" for name, text in texts.items()}

    with Grader(None, ScriptedJudge(answers)) as grader:
        grade = grader.grade_sync("x", rubric=rubric)
    assert grade.rubric is not None
    assert prompts_seen == case["expect"]["asked"]
    assert [criterion.weight for criterion in grade.rubric.criteria] == case["expect"]["weights"]
    assert grade.score == pytest.approx(case["expect"]["score"], abs=1e-6)
