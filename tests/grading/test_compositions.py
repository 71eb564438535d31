"""Graders put together: what each does alone, and that every composition grades as it was recorded."""

import ast
import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from markscheme import Rubric, ScriptedJudge, Submission
from markscheme.grading.as_a_whole import AsAWhole
from markscheme.grading.by_criterion import ByCriterion, GradeOptions, SubmissionGrader
from markscheme.grading.by_order import ByOrder
from markscheme.grading.grades import DecidedBy, Fingerprints
from markscheme.grading.grading import grader_for
from markscheme.grading.receipts import WithReceipt
from markscheme.grading.strategies import STRATEGIES, questions
from markscheme.judges.function import FunctionJudge
from markscheme.judges.judge import Judge
from markscheme.rubrics.rubric import STRATEGY_NAMES
from tests.golden_files import GoldenFiles
from tests.grading.compositions import RECEIPT, RUBRICS, compositions, recorded
from tests.test_layers import SOURCE

YES_NO, LEVELS, PAIRS = RUBRICS["yes and no"], RUBRICS["levels"], RUBRICS["pairs"]
PRINTS = Fingerprints("rubric", "prompt", "judge")


def as_lines(by_name: Mapping[str, Any]) -> str:
    lines = [f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in by_name.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def function_judge(**levels: Any) -> FunctionJudge:
    """A function that gives each criterion its level, and the whole a score."""

    async def answer(system_prompt: str, user_prompt: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        said = {"quote": "nothing to quote", "reason": "As always."}
        if "score" in schema["properties"]:
            return {**said, "score": 40}
        asked = schema["properties"]["verdicts"]["properties"]
        quotes = {"quote_1": "one", "quote_2": "two"} if "second" in levels.values() else {}
        return {"verdicts": {name: {**said, **quotes, "level": levels[name]} for name in asked}}

    return FunctionJudge(answer, "function:levels")


def by_criterion(rubric: Rubric, judge: Judge, *passes: Any, **options: Any) -> ByCriterion:
    return ByCriterion(rubric, judge, GradeOptions(**options), lambda: PRINTS, passes or [[list(rubric.criteria)]])


def graded(grader: SubmissionGrader, submission: Submission | None = None) -> Any:
    return asyncio.run(grader.grade(submission or Submission("In Leeds.")))


# --- every composition ----------------------------------------------------------------------------------------------


def test_grades_for_every_kind_of_rubric_and_every_strategy_and_both_orders_of_a_pair_equal_the_golden_file(
    golden: GoldenFiles,
) -> None:
    async def every() -> dict[str, Any]:
        grades = {}
        for composition in compositions():
            judge = composition.judge
            grader = grader_for(composition.rubric, judge, GradeOptions(**composition.options))
            grades[composition.name] = recorded(await grader.grade(composition.submission), composition.rubric, judge)
        return grades

    golden.check("grading/compositions.json", as_lines(asyncio.run(every())))


def test_a_decision_names_either_the_judge_that_decided_or_the_reason_to_ask_a_person() -> None:
    for stage, why in ((None, None), (None, ""), (1, "no judge is certain enough")):
        with pytest.raises(ValueError, match="either a stage decided or a person should"):
            DecidedBy(stage, "judge", 0.5, why)


def test_the_prompts_that_a_grader_lists_before_grading_are_the_prompts_that_it_sends() -> None:
    whole = [composition for composition in compositions() if composition.name.endswith("whole, plain; levels")]
    assert len(whole) > 30
    for composition in whole:
        judge = composition.judge
        grader = grader_for(composition.rubric, judge)
        prompts = grader.prompts(composition.submission)
        graded(grader, composition.submission)
        asked = Counter(prompt.fingerprint for prompt in judge.prompts)
        samples = composition.rubric.samples
        assert asked == Counter(prompt.fingerprint for prompt in prompts * samples), composition.name
        assert prompts == questions(composition.rubric, composition.submission), composition.name


def test_the_table_of_strategies_has_exactly_the_strategies_that_a_rubric_may_name() -> None:
    assert tuple(kind.name for kind in STRATEGIES) == STRATEGY_NAMES


# --- each grader alone ----------------------------------------------------------------------------------------------


def test_a_criterion_that_is_asked_about_twice_gets_the_worse_of_its_two_levels() -> None:
    right, rude = YES_NO.criteria
    judge = ScriptedJudge([{"right": "MET", "rude": "UNMET"}, {"rude": "UNMET", "right": "UNMET"}])
    grade = graded(by_criterion(YES_NO, judge, [[right, rude]], [[rude, right]]))
    assert (grade.score, grade.fingerprints, grade.receipt) == (0.0, PRINTS, None)
    assert [prompt.criteria for prompt in judge.prompts] == [("right", "rude"), ("rude", "right")]


def test_a_judge_that_is_a_function_can_grade_criteria() -> None:
    grade = graded(by_criterion(YES_NO, function_judge(right="MET", rude="MET")))
    assert (grade.score, grade.raw_score) == (0.5, 1.0)
    raw = graded(by_criterion(YES_NO, function_judge(right="MET", rude="MET"), normalize=False))
    assert (raw.score, raw.passed) == (1.0, grade.passed)


def test_a_holistic_rubric_is_graded_by_one_score() -> None:
    grader = AsAWhole(YES_NO, function_judge(), GradeOptions(), lambda: PRINTS)
    grade = graded(grader)
    assert (grade.score, grade.outcomes, grade.fingerprints) == (0.4, {}, PRINTS)
    assert [prompt.criteria for prompt in grader.prompts(Submission("In Leeds."))] == [()]


@pytest.mark.parametrize(("orders", "helps", "true"), [(1, 1.0, -1.0), (2, 0.0, 0.0)])
def test_a_judge_that_prefers_whichever_response_is_shown_first_gives_a_tie_if_asked_in_both_orders(
    orders: int, helps: float, true: float
) -> None:
    inner = by_criterion(PAIRS, function_judge(helps="second", true="first"))
    grade = graded(ByOrder(inner, orders), Submission("one", second="two"))
    assert {name: verdict.level for name, verdict in grade.verdicts.items()} == {"helps": helps, "true": true}
    assert list(grade.by_order) == ["first-second", "second-first"][:orders]


def test_a_response_of_a_slice_that_the_judge_may_not_gate_stays_ungraded_if_gating_is_required() -> None:
    inner = by_criterion(YES_NO, function_judge(right="MET", rude="UNMET"))
    known, excepted = Submission("x", {"system": "Y"}), Submission("x", {"system": "X"})
    grader = WithReceipt(inner, RECEIPT, {})
    assert graded(grader, known).receipt is RECEIPT
    assert graded(grader, excepted).receipt.why_excepted == "system X is excepted"
    gating = WithReceipt(inner, RECEIPT, {}, only_gates=True)
    assert graded(gating, known).score == 1.0
    assert graded(gating, excepted).error == "the judge can't gate this: system X is excepted"
    assert graded(WithReceipt(inner, RECEIPT, {"system": "Y"}, only_gates=True), excepted).score == 1.0


def test_no_judge_is_asked_about_a_submission_that_the_rubric_cannot_grade() -> None:
    judge = ScriptedJudge([])
    pair = Submission("one", second="two")
    refused = [graded(grader_for(YES_NO, judge), pair), graded(grader_for(PAIRS, judge))]
    refused.append(graded(grader_for(replace(YES_NO, inputs=("query",)), judge)))
    assert all(grade.error and grade.score is None for grade in refused)
    assert judge.prompts == []


# --- one place that knows -------------------------------------------------------------------------------------------


def test_no_grader_branches_on_the_strategy_or_on_the_kind_of_rubric_or_judge() -> None:
    choosing = {"is_of_pairs", "strategy", "JudgeGroup", "Judge"}
    graders = {}
    for path in sorted((SOURCE / "grading").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and any(getattr(part, "name", "") == "grade" for part in node.body):
                graders[node.name] = node
    assert {"ByCriterion", "AsAWhole", "ByOrder", "WithReceipt", "Admitting"} <= graders.keys()
    for name, grader in graders.items():
        read = {part.attr for part in ast.walk(grader) if isinstance(part, ast.Attribute)}
        tested = {
            part.id
            for call in ast.walk(grader)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "isinstance"
            for part in ast.walk(call)
            if isinstance(part, ast.Name)
        }
        assert not (read | tested) & choosing, name
