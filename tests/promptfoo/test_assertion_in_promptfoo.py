"""`graders/rubric_grader.py` and `rubric_grader.mjs` under the real Promptfoo."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands.console import ROOT
from tests.promptfoo.answering import GRADER, in_language, outcome, project, rows
from tests.real.promptfoo import NODE, QUIET, EvalRun, PromptfooInstall, run_eval
from tests.session.processes import calls

CRITERIA = {"readability", "correctness", "efficiency", "maintainability"}


@pytest.fixture(scope="module")
def shipped(promptfoo: PromptfooInstall, tmp_path_factory: pytest.TempPathFactory) -> EvalRun:
    cache = {"MARKSCHEME_CACHE": str(tmp_path_factory.mktemp("cache"))}
    return run_eval(ROOT / "promptfooconfig.yaml", cwd=ROOT, env=cache)


def test_the_shipped_promptfoo_configuration_passes_good_answers_and_fails_bad_answers(shipped: EvalRun) -> None:
    assert [row["success"] for row in rows(shipped)] == [True, True, True, False, False, False], shipped.stderr
    assert shipped.exit_code == 100


def test_each_promptfoo_result_has_a_score_for_every_criterion_and_one_for_the_rubric(shipped: EvalRun) -> None:
    for row in rows(shipped):
        assert 0 <= row["score"] <= 1
        assert set(row["namedScores"]) >= CRITERIA
        assert all(0 <= row["namedScores"][name] <= 1 for name in CRITERIA)
        parts = row["gradingResult"]["componentResults"]
        assert {part["assertion"]["metric"] for part in parts if part["assertion"].get("metric")} == CRITERIA
        assert all(part["reason"] for part in parts)


def test_the_reason_of_a_result_has_the_score_and_the_pass_mark_and_each_criterion_s_level(shipped: EvalRun) -> None:
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
EARLIER = """
inputs: [query, messages]
criteria:
- {name: right, requirement: Names the capital}
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


OWN = [{"requirement": "Names Paris", "weight": 3, "tags": ["fact"]}, {"requirement": "Is rude", "weight": -1}]
"""Criteria that a test brings."""


def scripted(folder: Path) -> None:
    """Put the rubric `capital` and the judges that are functions into the folder."""
    (project(folder) / "scripted_judge.py").write_text(JUDGE)
    (folder / "rubrics" / "earlier.yaml").write_text(EARLIER)


def a_test(config: dict[str, Any], kind: str = "python", **variables: Any) -> dict[str, Any]:
    """A test of the output "Paris." by our assertion."""
    assertion = {"type": kind, "value": GRADER, "config": config}
    return {"vars": {"answer": "Paris.", **variables}, "assert": [assertion]}


UNGRADED: dict[str, Any] = {"value": GRADER, "config": {"rubric": "capitol"}}
PASSED: dict[str, Any] = {"type": "contains", "value": "Paris"}
AFTER_FILE: dict[str, dict[str, Any]] = {
    f"rubric after the file, {place}": {"type": "python", "value": f"{GRADER}:capital", "config": {"judge": MET}}
    for place in ("assertion", "set")
}
TESTS = {
    **{
        name: {
            "vars": {"answer": "Paris."},
            "assert": [assertion if name.endswith("assertion") else {"type": "assert-set", "assert": [assertion]}],
        }
        for name, assertion in AFTER_FILE.items()
    },
    "no rubric named": a_test({"judge": MET}),
    "first turn": {
        **a_test({"rubric": "earlier", "judge": MET}, query="Capital of France?"),
        "metadata": {"conversationId": "c1"},
    },
    "no conversation": a_test({"rubric": "earlier", "judge": MET}, query="Capital of France?"),
    "own": a_test({"rubric": "capital", "judge": MET, "threshold": 0.4}, question="Capital of France?"),
    "reference to ours": {"vars": {"answer": "Paris."}, "assert": [{"$ref": "#/assertionTemplates/ours"}]},
    "var": a_test({"rubric_var": "which", "judge": MET}, which="capital"),
    "criteria in the configuration": a_test({"rubric": {"criteria": OWN, "passingThreshold": 0.9}, "judge": MET}),
    "criteria in a var": a_test({"rubric_var": "own", "judge": MET}, own=json.dumps(OWN)),
    "a faulty list in a var": a_test({"rubric_var": "own", "judge": MET}, own='[{"requirement": "A", "weight": 0}]'),
    "objects in a var": a_test({"rubric_var": "own", "judge": MET}, own=OWN),
    "a list in a var": a_test({"rubric_var": "own", "judge": MET}, own=["Names Paris", "Is polite"]),
    "not-python, failed": a_test({"rubric": "capital", "judge": UNMET}, "not-python"),
    **{
        message: a_test(config, **{"unresolved": "{{topic}}"} if "inputs" in config else {})
        for config, message in NOT_GRADED
    },
}
NEGATED: dict[str, dict[str, Any]] = {
    "not-python": {},
    "not-javascript": {"type": "not-javascript"},
    "not-ruby": {"type": "not-ruby"},
    "misspelt rubric": {"type": "assert-set", "assert": [{}]},
    "not-javascript in a set": {"type": "assert-set", "assert": [{"type": "not-javascript"}]},
    "no key": {"type": "assert-set", "threshold": 0.5, "assert": [{"config": {"rubric": "capital"}}]},
    "config on the set": {"type": "assert-set", "config": {"rubric": "capitol"}, "assert": [{"config": {}}]},
    "config on both": {"type": "assert-set", "config": {"rubric": "capitol"}, "assert": [{"config": {"samples": 0}}]},
    "a plain one next to it": {"type": "assert-set", "assert": [{}, {"type": "python"}]},
    "reference": {"$ref": "#/assertionTemplates/capitol"},
    "reference to a set": {"$ref": "#/assertionTemplates/set"},
    "type from the environment": {"type": "{{ env.NEGATION }}-python"},
}
"""Assertions that cannot be graded; each is a `not-python` by our grader where nothing else is said."""
NEGATED_ELSEWHERE = ("scenario", "default", "table")
LENIENT: dict[str, tuple[dict[str, Any], str | None]] = {
    "weight 0": ({"assert": [{"type": "python", **UNGRADED, "weight": 0}]}, "the weight of the assertion is 0"),
    "threshold 0": ({"assert": [{"type": "python", **UNGRADED}], "threshold": 0}, "the threshold of the test is 0"),
    "a threshold that others reach": (
        {"assert": [{"type": "python", **UNGRADED, "weight": 2}, PASSED, PASSED], "threshold": 0.5},
        "the threshold of the test is 0.5",
    ),
    "a set's threshold that others reach": (
        {"assert": [{"type": "assert-set", "threshold": 0.5, "assert": [{"type": "python", **UNGRADED}, PASSED]}]},
        "the threshold of an assert-set is 0.5",
    ),
    "a threshold that others don't reach": (
        {"assert": [{"type": "python", **UNGRADED, "weight": 2}, PASSED], "threshold": 0.5},
        None,
    ),
}
"""Tests that pass, or not, though our assertion is not graded; and what the reason then says."""


def negated(assertion: dict[str, Any]) -> dict[str, Any]:
    """An assertion of NEGATED in full."""
    if "$ref" in assertion:
        return assertion
    if "assert" in assertion:
        return {**assertion, "assert": [negated(inner) for inner in assertion["assert"]]}
    return {"type": "not-python", **UNGRADED, **assertion}


def configuration(folder: Path, language: str) -> dict[str, Any]:
    """Everything above as one Promptfoo configuration; the var `case` of each test says what it is for."""
    apart = {"options": {"disableDefaultAsserts": True}}
    cases = {
        **TESTS,
        **{name: {"vars": {"answer": "Rome."}, "assert": [negated(assertion)]} for name, assertion in NEGATED.items()},
        **{name: {"vars": {"answer": "Paris."}, **test} for name, (test, _) in LENIENT.items()},
        "a scoring function": {
            "vars": {"answer": "Paris."},
            "assert": [{"type": "python", **UNGRADED}],
            "assertScoringFunction": "file://kind.js",
        },
    }
    (folder / "kind.js").write_text("module.exports = () => ({pass: true, score: 1, reason: 'It will do.'});\n")
    (folder / "cases.csv").write_text(
        in_language(language, f"answer,case,__expected\nRome.,table,not-python: {GRADER}\n")
    )
    return {
        "prompts": ["{{answer}}"],
        "providers": ["echo"],
        "assertionTemplates": {
            "capitol": negated({}),
            "set": negated(NEGATED["misspelt rubric"]),
            "ours": a_test({"rubric": "capital", "judge": MET, "threshold": 0.4})["assert"][0],
        },
        "defaultTest": {"assert": [negated(NEGATED["misspelt rubric"])]},
        "tests": [
            *({**test, **apart, "vars": {**test["vars"], "case": name}} for name, test in cases.items()),
            {"vars": {"answer": "Rome.", "case": "default"}},
            "file://cases.csv",
        ],
        "scenarios": [
            {
                "config": [{"vars": {"answer": "Rome.", "case": "scenario"}}],
                "tests": [{**apart, "assert": [negated(NEGATED["misspelt rubric"])]}],
            }
        ],
    }


@pytest.fixture(scope="module", params=["mjs", pytest.param("py", marks=pytest.mark.proof)])
def graded(
    request: pytest.FixtureRequest, promptfoo: PromptfooInstall, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """The rows of one run of all the tests, by their names."""
    folder = tmp_path_factory.mktemp("graded")
    scripted(folder)
    path = folder / "promptfooconfig.yaml"
    path.write_text(in_language(request.param, yaml.safe_dump(configuration(folder, request.param))))
    env = {"MARKSCHEME_CACHE": str(folder / "cache"), "NEGATION": "not"}
    return {row["vars"]["case"]: row for row in rows(run_eval(path, cwd=folder, env=env))}


def test_the_promptfoo_assertion_grades_an_output_by_a_rubric_that_the_user_wrote(
    graded: dict[str, dict[str, Any]],
) -> None:
    row = graded["own"]
    assert row["success"], row["gradingResult"]["reason"]
    assert row["namedScores"] == {"right": 1, "rude": 0}
    assert row["score"] == 0.5
    parts = {part["assertion"].get("metric"): part["reason"] for part in row["gradingResult"]["componentResults"]}
    assert parts["rude"].endswith(" (a fault: its score is 1 where it is absent)")
    assert "a fault" not in parts["right"]


def test_a_variable_of_a_promptfoo_test_can_name_the_rubric(graded: dict[str, dict[str, Any]]) -> None:
    assert graded["var"]["score"] == 0.5


@pytest.mark.parametrize("name", ["criteria in the configuration", "criteria in a var", "objects in a var"])
def test_a_test_can_have_criteria_of_its_own_in_a_var(graded: dict[str, dict[str, Any]], name: str) -> None:
    row = graded[name]
    assert row["namedScores"] == {"c1": 1, "c2": 0, "tag/fact": 1}, outcome(row)
    assert row["score"] == pytest.approx(2 / 3)
    assert row["success"] is name.endswith("a var")  # the configuration's have a pass mark of 0.9


def test_the_reason_of_an_ungraded_output_says_what_is_wrong_with_the_criteria_in_its_promptfoo_variable(
    graded: dict[str, dict[str, Any]],
) -> None:
    assert "the var 'own': its rubric, criterion 1: weight must be" in outcome(graded["a faulty list in a var"])
    assert "makes a test of each text of a list in a var; give the list as JSON text" in outcome(
        graded["a list in a var"]
    )


def test_an_output_is_graded_by_an_assertion_that_its_test_includes_by_a_reference(
    graded: dict[str, dict[str, Any]],
) -> None:
    assert graded["reference to ours"]["success"], outcome(graded["reference to ours"])
    assert graded["reference to ours"]["score"] == 0.5


@pytest.mark.parametrize("message", [message for _, message in NOT_GRADED])
def test_an_output_that_could_not_be_graded_fails_in_promptfoo_with_a_reason_and_without_scores(
    graded: dict[str, dict[str, Any]], message: str
) -> None:
    row = graded[message]
    reason = row["gradingResult"]["reason"]
    assert not row["success"]
    assert reason.startswith("not graded: ")
    assert message in reason
    assert row["namedScores"] == {}


@pytest.mark.parametrize("name", [*NEGATED, *NEGATED_ELSEWHERE])
def test_no_negated_assertion_passes_an_ungraded_output_however_deep_it_is_nested(
    graded: dict[str, dict[str, Any]], name: str
) -> None:
    assert not graded[name]["success"], outcome(graded[name])
    assert "not graded: " in outcome(graded[name])


@pytest.mark.parametrize("name", LENIENT)
def test_if_a_promptfoo_test_s_weight_or_threshold_lets_an_ungraded_output_pass_its_reason_states_that(
    graded: dict[str, dict[str, Any]], name: str
) -> None:
    row, caveat = graded[name], LENIENT[name][1]
    (reason,) = {part["reason"] for part in row["gradingResult"]["componentResults"] if "not graded" in part["reason"]}
    assert reason.startswith("not graded: ")
    assert row["success"] is (caveat is not None)
    assert reason.endswith(f"(Promptfoo may count this as passed all the same: {caveat})") is (caveat is not None)


def test_the_reason_of_an_ungraded_output_warns_that_the_test_s_scoring_function_may_still_pass_it(
    graded: dict[str, dict[str, Any]], request: pytest.FixtureRequest
) -> None:
    row = graded["a scoring function"]
    assert row["success"]
    (part,) = row["gradingResult"]["componentResults"]
    assert part["reason"].startswith("not graded: ")
    named = part["reason"].endswith(
        "(Promptfoo may count this as passed all the same: assertScoringFunction decides the test)"
    )
    assert named is (request.node.callspec.params["graded"] == "mjs")


@pytest.mark.parametrize("name", AFTER_FILE)
def test_a_grader_file_in_promptfoo_grades_by_the_rubric_of_the_same_name(
    graded: dict[str, dict[str, Any]], name: str
) -> None:
    assert graded[name]["success"], outcome(graded[name])
    assert graded[name]["namedScores"] == {"right": 1, "rude": 0}


def test_if_a_project_has_several_rubrics_and_an_assertion_names_none_no_rubric_is_guessed(
    graded: dict[str, dict[str, Any]],
) -> None:
    reason = graded["no rubric named"]["gradingResult"]["reason"]
    assert reason.startswith("not graded: no rubric is named, and there are 2: capital, earlier;")


def test_in_promptfoo_the_first_turn_of_a_conversation_is_graded_though_there_are_no_earlier_messages(
    graded: dict[str, dict[str, Any]],
) -> None:
    assert graded["first turn"]["success"], outcome(graded["first turn"])
    assert "needs the input 'messages'" in outcome(graded["no conversation"])


def test_a_negated_python_assertion_passes_what_the_rubric_fails(graded: dict[str, dict[str, Any]]) -> None:
    assert graded["not-python, failed"]["success"]


def test_under_a_python_without_markscheme_the_assertion_fails_with_advice_and_its_negation_raises_an_error(
    tmp_path: Path,
) -> None:
    bare = tmp_path / "bare-python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S -E "$@"\n')
    bare.chmod(0o755)
    contexts = [{"test": {"assert": [{"type": kind}]}} for kind in ("python", "not-python")]
    plain, inverse = calls(
        "get_assert", [("Paris.", context) for context in contexts], cwd=tmp_path, env={}, python=bare
    )
    assert plain["given"]["pass"] is False
    assert plain["given"]["reason"].startswith("not graded: ")
    assert "set PROMPTFOO_PYTHON" in plain["given"]["reason"]
    assert inverse["raised"].startswith("ImportError: not graded: ")


PROGRAM = """
const { default: promptfoo } = await import(process.argv[2]);
const [assertion, tests] = JSON.parse(process.argv[3]);
const one = (test) => promptfoo.assertions.runAssertion({ assertion, test, providerResponse: { output: "Rome." } });
console.log("answers: " + JSON.stringify(await Promise.all(tests.map(one))));
process.exit(0);
"""


@pytest.mark.proof
def test_a_negated_assertion_never_passes_an_ungraded_output_whatever_assertions_the_promptfoo_test_lists(
    promptfoo: PromptfooInstall, tmp_path: Path
) -> None:
    scripted(tmp_path)
    (tmp_path / "program.mjs").write_text(PROGRAM)
    tests = [{}, {"assert": []}, {"assert": [{"type": "not-python", "value": "x", "config": {"rubric": "other"}}]}]
    library = promptfoo.folder / "node_modules/promptfoo/dist/src/index.js"
    done = subprocess.run(
        [NODE, tmp_path / "program.mjs", library, json.dumps([negated({}), tests])],
        cwd=tmp_path,
        env={**os.environ, **QUIET, "PROMPTFOO_CONFIG_DIR": str(tmp_path), "PROMPTFOO_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    (answers,) = [json.loads(line[9:]) for line in done.stdout.splitlines() if line.startswith("answers: ")]
    assert [(answer["pass"], "not graded: " in answer["reason"]) for answer in answers] == [(False, True)] * 3
