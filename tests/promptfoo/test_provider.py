"""`graders/rubric_provider.py` as grading provider under the real Promptfoo."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from markscheme.promptfoo.provider import call_api
from tests.promptfoo.answering import PROVIDER, assertion, evaluate, judging, project, rows
from tests.real.messages_front import MessagesFront
from tests.session.processes import session_pids

pytestmark = pytest.mark.usefixtures("promptfoo", "runtime")


@pytest.fixture
def front() -> Iterator[MessagesFront]:
    with MessagesFront(judging()) as running:
        yield running


def behind(**config: Any) -> dict[str, Any]:
    """The part of a configuration that puts our provider behind the graders."""
    settings = {"judge": "anthropic", **config}
    return {"defaultTest": {"options": {"provider": {"id": PROVIDER, "config": settings}}}}


def llm_rubric(value: Any, **more: Any) -> dict[str, Any]:
    return {"type": "llm-rubric", "value": value, **more}


def test_a_value_that_names_a_rubric_is_graded_by_it_like_the_python_assertion(
    front: MessagesFront, tmp_path: Path
) -> None:
    asserts = [llm_rubric("capital"), assertion()]
    run = evaluate(tmp_path, front.url, ["Paris.", "Rome."], asserts, **behind())
    for row in rows(run):
        by_provider, by_assertion = row["gradingResult"]["componentResults"][:2]
        assert by_provider["pass"] == by_assertion["pass"] == row["success"]
        assert by_provider["score"] == by_assertion["score"]
        assert by_provider["reason"] == by_assertion["reason"]
        told = by_provider["metadata"]["criteria"]
        assert {name: entry["score"] for name, entry in told.items()} == by_assertion["namedScores"]
        assert by_provider["metadata"]["fingerprints"] == by_assertion["metadata"]["fingerprints"]
    assert [row["success"] for row in rows(run)] == [True, False]
    assert len(front.requests) == 2


def test_any_other_text_is_a_rubric_of_one_criterion(front: MessagesFront, tmp_path: Path) -> None:
    run = evaluate(tmp_path, front.url, ["Paris.", "Rome."], [llm_rubric("Names the capital of France")], **behind())
    assert [(row["success"], row["score"]) for row in rows(run)] == [(True, 1), (False, 0)]
    sent = front.requests[0].body
    assert "Names the capital of France" in json.dumps(sent["system"])
    assert list(sent["output_config"]["format"]["schema"]["properties"]["verdicts"]["properties"]) == ["requirement"]
    assert "Capital, case" in sent["messages"][0]["content"]


def test_a_file_of_criteria_as_value_is_graded_by_its_criteria(front: MessagesFront, tmp_path: Path) -> None:
    project(tmp_path)
    asserts = [llm_rubric(f"file://{tmp_path}/rubrics/capital.yaml")]
    (row,) = rows(evaluate(tmp_path, front.url, ["Paris."], asserts, **behind()))
    assert row["success"], row["gradingResult"]["reason"]
    assert list(row["gradingResult"]["componentResults"][0]["metadata"]["criteria"]) == ["right", "rude"]


def test_tokens_and_cost_are_told(front: MessagesFront, tmp_path: Path) -> None:
    run = evaluate(
        tmp_path, front.url, ["Paris."], [llm_rubric("capital")], env={"MARKSCHEME_PRICE": "3:15"}, **behind()
    )
    component = rows(run)[0]["gradingResult"]["componentResults"][0]
    assert component["tokensUsed"]["prompt"] == 100
    assert component["tokensUsed"]["completion"] == 20
    assert component["tokensUsed"]["total"] == 120
    assert component["metadata"]["costUsd"] == pytest.approx(100 * 3e-6 + 20 * 15e-6)


def test_thresholds_of_assertion_provider_and_test_work(front: MessagesFront, tmp_path: Path) -> None:
    project(tmp_path)
    half = (
        "criteria:\n- {name: right, requirement: Names the capital, weight: 1}\n"
        "- {name: rude, requirement: Is polite, weight: 1}\n"
    )
    (tmp_path / "rubrics" / "half.yaml").write_text(half)
    asserts = [llm_rubric("half"), llm_rubric("half", threshold=0.6), {"type": "not-llm-rubric", "value": "half"}]
    (row,) = rows(evaluate(tmp_path, front.url, ["Paris."], asserts, **behind()))
    passes = [part["pass"] for part in row["gradingResult"]["componentResults"]]
    assert passes == [True, False, False]
    (row,) = rows(evaluate(tmp_path, front.url, ["Paris."], asserts[:1], **behind(threshold=0.6)))
    assert not row["success"]
    (row,) = rows(evaluate(tmp_path, front.url, ["Paris."], asserts[:2], test={"threshold": 0.5}, **behind()))
    assert row["success"]
    assert row["score"] == 0.5


@pytest.mark.parametrize("kind", ["llm-rubric", "not-llm-rubric"])
@pytest.mark.parametrize(
    ("value", "config", "said"),
    [
        ("capitol", {}, "did you mean 'capital'?"),
        ("rubrics/nowhere.yaml", {}, "no rubric file"),
        ("capital", {"judge": "oracle"}, "names no judge"),
        ("capital", {"rubric": "capital"}, "the assertion's `value` is the rubric"),
        ("capital", {"treshold": 1}, "did you mean 'threshold'?"),
    ],
)
def test_what_cannot_be_graded_passes_neither_way(
    front: MessagesFront, tmp_path: Path, kind: str, value: str, config: dict[str, Any], said: str
) -> None:
    (row,) = rows(evaluate(tmp_path, front.url, ["Paris."], [{"type": kind, "value": value}], **behind(**config)))
    assert not row["success"]
    assert "not graded: " in row["gradingResult"]["reason"]
    assert said in row["gradingResult"]["reason"]


def test_g_eval_gets_plain_answers(front: MessagesFront, tmp_path: Path) -> None:
    (row,) = rows(evaluate(tmp_path, front.url, ["Paris."], [{"type": "g-eval", "value": "Is right"}], **behind()))
    assert row["success"], row["gradingResult"]["reason"]
    assert row["score"] == 0.8
    assert row["gradingResult"]["componentResults"][0]["tokensUsed"]["total"] == 94


def test_strange_outputs_are_graded(front: MessagesFront, tmp_path: Path) -> None:
    strange = ['{"capital": "Paris"}', "\0Paris\ud83d", "Paris. " * 150_000, ""]
    run = evaluate(tmp_path, front.url, strange, [llm_rubric("capital")], **behind())
    assert [row["success"] for row in rows(run)] == [True, True, True, False]
    assert all("right" in row["gradingResult"]["componentResults"][0]["reason"] for row in rows(run))


def test_assertion_and_provider_share_one_session(front: MessagesFront, tmp_path: Path, runtime: Path) -> None:
    evaluate(tmp_path, front.url, ["Paris."], [llm_rubric("capital"), assertion()], **behind())
    assert len(session_pids(runtime)) == 1


def test_through_a_session_and_without_the_answer_is_the_same(front: MessagesFront, tmp_path: Path) -> None:
    def told(**config: Any) -> Any:
        run = evaluate(
            tmp_path, front.url, ["Paris.", "Rome."], [llm_rubric("capital")], **behind(cache="off", **config)
        )
        parts = [row["gradingResult"]["componentResults"][0] for row in rows(run)]
        return [[part["pass"], part["score"], part["reason"], part["metadata"], part["tokensUsed"]] for part in parts]

    assert told() == told(session="off")


def test_without_anybody_to_ask_the_error_says_whom_to_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project(tmp_path))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    context = {"vars": {"output": "Paris.", "rubric": "Names the capital"}}
    answer = call_api("", {"config": {}}, context, beside=tmp_path)
    assert answer["error"].startswith("not graded: no judge to ask")
    assert "config.judge: recorded:PATH" in answer["error"]
