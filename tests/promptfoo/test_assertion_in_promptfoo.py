"""`graders/rubric_grader.py` under the real Promptfoo."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands.console import ROOT
from tests.promptfoo.answering import GRADER, project, rows
from tests.real.promptfoo import EvalRun, PromptfooInstall, run_eval

CRITERIA = {"readability", "correctness", "efficiency", "maintainability"}


@pytest.fixture(scope="module")
def shipped(promptfoo: PromptfooInstall, tmp_path_factory: pytest.TempPathFactory) -> EvalRun:
    cache = {"MARKSCHEME_CACHE": str(tmp_path_factory.mktemp("cache"))}
    return run_eval(ROOT / "promptfooconfig.yaml", cwd=ROOT, env=cache)


def test_the_shipped_config_passes_and_fails_the_answers_it_should(shipped: EvalRun) -> None:
    assert [row["success"] for row in rows(shipped)] == [True, True, True, False, False, False], shipped.stderr
    assert shipped.exit_code == 100


def test_each_answer_has_a_score_for_every_criterion_and_one_for_the_whole(shipped: EvalRun) -> None:
    for row in rows(shipped):
        assert set(row["namedScores"]) >= CRITERIA
        assert all(0 <= row["namedScores"][name] <= 1 for name in CRITERIA)
        parts = row["gradingResult"]["componentResults"]
        assert {part["assertion"]["metric"] for part in parts if part["assertion"].get("metric")} == CRITERIA
        assert all(part["reason"] for part in parts)


def test_the_reason_tells_the_score_the_mark_and_each_level(shipped: EvalRun) -> None:
    row = rows(shipped)[3]
    reason = row["gradingResult"]["componentResults"][0]["reason"]
    assert reason.startswith("0.60 fails (pass mark 0.7)")
    assert "correctness 1 of 5" in reason


JUDGE = """
import json
def _said(system_prompt, user_prompt, level):
    names = [part.split('"')[1] for part in user_prompt.rsplit("Rate the response on", 1)[1].split(",") if '"' in part]
    return json.dumps({"verdicts": {n: {"quote": "Paris.", "reason": "It says so.", "level": level} for n in names}})
def met(system_prompt, user_prompt):
    return _said(system_prompt, user_prompt, "MET")
def unmet(system_prompt, user_prompt):
    return _said(system_prompt, user_prompt, "UNMET")
"""
MET, UNMET = "function:scripted_judge:met", "function:scripted_judge:unmet"
NOT_GRADED: list[tuple[dict[str, Any], str]] = [
    ({"rubric": "capitol"}, "did you mean 'capital'?"),
    ({"rubric": "{{which}}"}, "Promptfoo fills none in an assertion's config"),
    ({"rubric": "capital", "treshold": 0.5}, "did you mean 'threshold'?"),
    ({"rubric": "capital", "inputs": {"query": "nowhere"}}, "var 'nowhere', which the test does not have"),
    ({"rubric": "capital", "judge": "oracle"}, "unknown judge 'oracle'"),
    ({"rubric": "capital"}, "ANTHROPIC_API_KEY is not set"),
    ({"rubric": "capital", "inputs": {"query": "unresolved"}}, "unresolved placeholder"),
]


def scripted(folder: Path) -> None:
    """Put the rubric `capital` and the judges that are functions into the folder."""
    (project(folder) / "scripted_judge.py").write_text(JUDGE)


def graded_in(folder: Path, tests: list[dict[str, Any]], env: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """The rows of one eval of `tests` in a folder with a rubric and a judge; each test has one assertion of ours."""
    scripted(folder)
    document = {"prompts": ["{{answer}}"], "providers": ["echo"], "tests": tests}
    path = folder / "promptfooconfig.yaml"
    path.write_text(yaml.safe_dump(document))
    return rows(run_eval(path, cwd=folder, env={"MARKSCHEME_CACHE": str(folder / "cache"), **(env or {})}))


def a_test(config: dict[str, Any], kind: str = "python", **variables: str) -> dict[str, Any]:
    """A test of the output "Paris." by our assertion."""
    assertion = {"type": kind, "value": GRADER, "config": config}
    return {"vars": {"answer": "Paris.", **variables}, "assert": [assertion]}


TESTS = {
    "own": a_test({"rubric": "capital", "judge": MET, "threshold": 0.4}, question="Capital of France?"),
    "var": a_test({"rubric_var": "which", "judge": MET}, which="capital"),
    "not-python, not graded": a_test({"rubric": "capitol"}, "not-python"),
    "not-python, failed": a_test({"rubric": "capital", "judge": UNMET}, "not-python"),
    "a threshold of 0": {**a_test({"rubric": "capitol"}), "threshold": 0},
    "a weight of 0": {
        "vars": {"answer": "Paris."},
        "assert": [{"type": "python", "value": GRADER, "config": {"rubric": "capitol"}, "weight": 0}],
    },
    **{
        said: a_test(config, **{"unresolved": "{{topic}}"} if "inputs" in config else {}) for config, said in NOT_GRADED
    },
}


@pytest.fixture(scope="module")
def graded(promptfoo: PromptfooInstall, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The rows of one run of all the tests, by their names."""
    return dict(zip(TESTS, graded_in(tmp_path_factory.mktemp("graded"), list(TESTS.values())), strict=True))


def test_a_rubric_of_the_user_s_own_is_found_and_graded(graded: dict[str, dict[str, Any]]) -> None:
    row = graded["own"]
    assert row["success"], row["gradingResult"]["reason"]
    assert row["namedScores"] == {"right": 1, "rude": 0}
    assert row["score"] == 0.5


def test_the_rubric_may_be_named_by_a_var(graded: dict[str, dict[str, Any]]) -> None:
    assert graded["var"]["score"] == 0.5


@pytest.mark.parametrize("said", [said for _, said in NOT_GRADED])
def test_what_cannot_be_graded_fails_with_a_reason_and_no_scores(graded: dict[str, dict[str, Any]], said: str) -> None:
    row = graded[said]
    reason = row["gradingResult"]["reason"]
    assert not row["success"]
    assert reason.startswith("not graded: ")
    assert said in reason
    assert row["namedScores"] == {}


def test_not_python_never_turns_an_ungraded_output_into_a_pass(graded: dict[str, dict[str, Any]]) -> None:
    row = graded["not-python, not graded"]
    assert not row["success"]
    assert "not graded: " in row["gradingResult"]["reason"]


NESTED: dict[str, dict[str, Any]] = {
    "misspelt rubric": {"type": "assert-set", "assert": [{"config": {"rubric": "capitol"}}]},
    "no key": {"type": "assert-set", "threshold": 0.5, "assert": [{"config": {"rubric": "capital"}}]},
    "config on the set": {"type": "assert-set", "config": {"rubric": "capitol"}, "assert": [{}]},
    "config on both": {"type": "assert-set", "config": {"rubric": "capitol"}, "assert": [{"config": {"samples": 0}}]},
    "a plain one next to it": {"type": "assert-set", "assert": [{"config": {"rubric": "capitol"}}, {"type": "python"}]},
}
"""Sets of assertions that cannot be graded; each is a `not-python` by our grader where nothing else is said."""


def test_an_ungraded_not_python_never_passes_wherever_promptfoo_nests_it(
    promptfoo: PromptfooInstall, tmp_path: Path
) -> None:
    scripted(tmp_path)
    ours = {"type": "not-python", "value": f"file://{ROOT}/graders/rubric_grader.py"}
    sets = [{**one, "assert": [{**ours, **inner} for inner in one["assert"]]} for one in NESTED.values()]
    template = {**ours, "config": {"rubric": "capitol"}}
    config = {
        "prompts": ["{{text}}"],
        "providers": ["echo"],
        "assertionTemplates": {"capitol": template, "set": {"type": "assert-set", "assert": [template]}},
        "tests": [
            *({"vars": {"text": "Rome."}, "assert": [one]} for one in sets),
            {"vars": {"text": "Rome."}, "assert": [{"$ref": "#/assertionTemplates/capitol"}]},
            {"vars": {"text": "Rome."}, "assert": [{"$ref": "#/assertionTemplates/set"}]},
        ],
        "scenarios": [{"config": [{"vars": {"text": "Rome."}}], "tests": [{"assert": sets[:1]}]}],
    }
    (tmp_path / "promptfooconfig.yaml").write_text(yaml.safe_dump(config))
    found = rows(run_eval(tmp_path / "promptfooconfig.yaml", cwd=tmp_path))
    assert len(found) == len(NESTED) + 3
    for row in found:
        assert not row["success"], row["gradingResult"]["reason"]
        assert "not graded: " in json.dumps(row["gradingResult"])
    by_default = {"prompts": ["{{text}}"], "providers": ["echo"], "tests": [{"vars": {"text": "Rome."}}]}
    (tmp_path / "default.yaml").write_text(yaml.safe_dump({**by_default, "defaultTest": {"assert": sets[:3]}}))
    (row,) = rows(run_eval(tmp_path / "default.yaml", cwd=tmp_path))
    assert not row["success"]


@pytest.mark.parametrize("name", ["a threshold of 0", "a weight of 0"])
def test_a_weight_or_threshold_of_0_never_passes_an_ungraded_output_without_a_word(
    graded: dict[str, dict[str, Any]], name: str
) -> None:
    (part,) = graded[name]["gradingResult"]["componentResults"]
    assert part["reason"].startswith("not graded: ")
    assert "may count this as passed" in part["reason"]


def test_not_python_passes_what_the_rubric_fails(graded: dict[str, dict[str, Any]]) -> None:
    assert graded["not-python, failed"]["success"]


def test_a_python_without_markscheme_is_told_how_to_name_another(promptfoo: PromptfooInstall, tmp_path: Path) -> None:
    bare = tmp_path / "bare-python"
    bare.write_text('#!/bin/sh\nexec /usr/bin/env python3 -S -E "$@"\n')
    bare.chmod(0o755)
    (row,) = graded_in(tmp_path, [a_test({"rubric": "capital"})], {"PROMPTFOO_PYTHON": str(bare), "PYTHONPATH": ""})
    assert not row["success"]
    assert "set PROMPTFOO_PYTHON" in row["gradingResult"]["reason"]
