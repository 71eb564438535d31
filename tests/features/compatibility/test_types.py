"""The types that users of the `rubric` package know: what they take, what they refuse, what they say."""

import json
import pickle
from typing import Any

import pytest
from pydantic import ValidationError

import markscheme
import markscheme.types
from markscheme.types import (
    Criterion,
    CriterionEvaluation,
    CriterionReport,
    EvaluationReport,
    OneShotOutput,
    PerCriterionOutput,
    RubricAsJudgeOutput,
    response_parts,
    response_text,
)

ONE = {"criterion_number": 1, "criterion_status": "MET", "explanation": "Yes."}


# --- what a generate function answers -------------------------------------------------------------------------------


def test_json_schemas_of_answers_have_the_fields_of_the_rubric_package() -> None:
    assert PerCriterionOutput.model_json_schema()["required"] == ["explanation", "criterion_status"]
    assert set(RubricAsJudgeOutput.model_json_schema()["properties"]) == {"overall_score", "explanation"}
    schema = OneShotOutput.model_json_schema()
    assert schema["properties"]["criteria_evaluations"]["minItems"] == 1
    part = schema["$defs"]["CriterionEvaluation"]
    assert set(part["required"]) == {"criterion_number", "criterion_status", "explanation"}
    assert part["properties"]["criterion_status"]["enum"] == ["MET", "UNMET"]


def test_the_schemas_of_answers_ask_for_an_explanation_before_the_verdict() -> None:
    for model, verdict in (
        (PerCriterionOutput, "criterion_status"),
        (CriterionEvaluation, "criterion_status"),
        (RubricAsJudgeOutput, "overall_score"),
    ):
        names = list(model.model_json_schema()["properties"])
        assert names.index("explanation") < names.index(verdict)


def test_an_answer_may_number_a_criterion_by_the_criterion_number_key_or_the_criterion_idx_key() -> None:
    old = CriterionEvaluation.model_validate({**ONE, "criterion_number": 2})
    new = CriterionEvaluation.model_validate({"criterion_idx": 2, "criterion_status": "MET", "explanation": "Yes."})
    assert (old.criterion_number, old.criterion_idx, old.said_idx) == (2, 2, False)
    assert (new.criterion_number, new.criterion_idx, new.said_idx) == (2, 2, True)
    assert not CriterionEvaluation(criterion_number=2, criterion_status="MET", explanation="").said_idx
    whole = OneShotOutput(criteria_evaluations=[new])
    assert OneShotOutput.model_validate(whole).criteria_evaluations[0].said_idx


@pytest.mark.parametrize(
    "changes",
    [
        {"criterion_status": "PARTLY"},
        {"criterion_status": "met"},
        {"criterion_status": None},
        {"criterion_number": True},
        {"criterion_number": 1.5},
        {"criterion_number": None},
        {"explanation": None},
    ],
)
def test_an_evaluation_of_a_criterion_with_a_missing_or_wrong_field_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CriterionEvaluation.model_validate({**ONE, **changes})


@pytest.mark.parametrize("score", [-20, -1e-9, 100.1, 150, float("nan"), float("inf"), True, None, "high"])
def test_a_holistic_answer_built_in_python_with_an_overall_score_outside_0_to_100_is_refused(score: Any) -> None:
    with pytest.raises(ValidationError):
        RubricAsJudgeOutput(overall_score=score, explanation="")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "MET",
        '{"criterion_status": "MET"}',
        '{"criterion_status": "MET", "explanation": "a"',
        '{"criterion_status": "MET", "explanation": "a"} {"criterion_status": "UNMET", "explanation": "b"}',
        '{"criterion_status": "UNMET", "explanation": "a", "criterion_status": "MET"}',
        '{"a": ' * 5_000,
    ],
)
def test_json_that_is_not_a_single_answer_of_the_expected_form_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        PerCriterionOutput.model_validate_json(text)


def test_json_in_which_a_key_occurs_twice_is_refused_with_the_key() -> None:
    twice = '{"criteria_evaluations": [{"criterion_number": 1, "criterion_number": 2, "explanation": ""}]}'
    with pytest.raises(ValidationError, match="criterion_number\n  occurs twice in one object"):
        OneShotOutput.model_validate_json(twice)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "1e400", "1" * 10_000])
def test_a_holistic_answer_in_json_is_refused_unless_its_overall_score_is_a_finite_number_from_0_to_100(
    text: str,
) -> None:
    with pytest.raises(ValidationError):
        RubricAsJudgeOutput.model_validate_json(f'{{"overall_score": {text}, "explanation": ""}}')


def test_answers_are_read_from_json_in_bytes_as_well_as_in_text() -> None:
    assert RubricAsJudgeOutput.model_validate_json(b'{"overall_score": 85, "explanation": ""}').overall_score == 85


# --- what a grade tells ---------------------------------------------------------------------------------------------


def test_an_evaluation_report_is_unchanged_after_it_is_written_as_json_and_read_back() -> None:
    criterion = CriterionReport(weight=2.0, requirement="A", verdict="MET", reason="Yes.")
    report = EvaluationReport(score=1.0, raw_score=2.0, llm_raw_score=2.0, report=[criterion])
    assert EvaluationReport.model_validate_json(report.model_dump_json()) == report
    assert json.loads(report.model_dump_json())["report"][0]["verdict"] == "MET"
    assert EvaluationReport(score=0.5, raw_score=0.5, llm_raw_score=None, report=None).error is None


@pytest.mark.parametrize(
    "fields",
    [
        {"score": None},
        {"score": 0.5, "error": "unread"},
        {"score": float("nan")},
        {"score": 0.5, "raw_score": float("inf")},
        {"score": None, "error": ""},
    ],
)
def test_an_evaluation_report_has_a_finite_score_or_the_reason_why_there_is_none(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        EvaluationReport(**fields)


def test_assigning_an_invalid_score_to_an_evaluation_report_is_refused() -> None:
    report = EvaluationReport(score=0.5)
    with pytest.raises(ValidationError):
        report.score = float("nan")


# --- responses ------------------------------------------------------------------------------------------------------


def test_a_response_is_given_as_a_text_or_as_a_mapping_with_thinking_and_output() -> None:
    assert response_parts("a\ud800") == [("response", "a\ufffd")]
    assert response_parts({"output": "b", "thinking": "a"}) == [("thinking", "a"), ("output", "b")]
    assert response_text("a") == "a"
    assert response_text({"thinking": "a", "output": "b"}) == "<thinking>\na\n</thinking>\n<output>\nb\n</output>"


@pytest.mark.parametrize(
    "response", [None, 3, {}, {"answer": "x"}, {"thinking": "a", "extra": "b"}, {"output": None}, []]
)
def test_a_response_is_refused_unless_it_is_a_text_or_a_mapping_of_thinking_and_output_to_texts(
    response: Any,
) -> None:
    with pytest.raises(ValueError, match="thinking"):
        response_parts(response)


# --- names ----------------------------------------------------------------------------------------------------------

EXPORTED = [
    "Criterion",
    "CriterionEvaluation",
    "CriterionReport",
    "EvaluationReport",
    "OneShotGenerateFn",
    "OneShotOutput",
    "PerCriterionGenerateFn",
    "PerCriterionOutput",
    "Rubric",
    "RubricAsJudgeGenerateFn",
    "RubricAsJudgeOutput",
    "default_oneshot_generate_fn",
    "default_per_criterion_generate_fn",
    "default_rubric_as_judge_generate_fn",
]


@pytest.mark.parametrize("name", EXPORTED)
def test_every_name_that_the_rubric_package_exports_can_be_imported_from_markscheme(name: str) -> None:
    assert getattr(markscheme, name) is not None


def test_markscheme_types_exports_the_same_criterion_class_as_markscheme() -> None:
    assert markscheme.types.Criterion is markscheme.Criterion is Criterion


def test_an_evaluation_report_and_its_class_can_be_pickled() -> None:
    report = EvaluationReport(score=1.0, raw_score=2.0)
    assert pickle.loads(pickle.dumps((report, EvaluationReport))) == (report, EvaluationReport)
