"""Configurations as users write them, all of them in one run of the real Promptfoo, with both graders.

Conversations, tool calls and traces are in `tests/features/agents/test_in_promptfoo.py`, `--repeat` in
`test_session_in_promptfoo.py`, and `$ref`, which Promptfoo resolves in YAML alone, in `test_assertion_in_promptfoo.py`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from markscheme.promptfoo.questions import PROVIDER_QUESTIONS
from markscheme.promptfoo.results import COMPARING_TYPES
from tests.promptfoo.answering import GRADER, LANGUAGES, PROVIDER, in_language, outcome, rows
from tests.real.messages_front import Answer, MessagesFront, Request, message
from tests.real.promptfoo import EvalRun, PromptfooInstall, run_eval
from tests.session.processes import sockets

pytestmark = pytest.mark.proof

RUBRICS = {
    "capital": "criteria: [{name: right, requirement: Names the capital}]\n",
    "rag": "inputs: [query, context]\ncriteria: [{name: right, requirement: Follows from the context}]\n",
    "maybe": "inputs: [query]\noptional_inputs: [context]\ncriteria: [{name: right, requirement: Names it}]\n",
}
PLAIN, AGAIN = "{{answer}}", "Once more: {{answer}}"
CSV = """case,query,answer,__expected1,__expected2
csv,Which city?,Paris.,python:{py}:capital,python:{mjs}:capital
csv,Which city?,Rome.,python:{mjs}:capital,
"""
"""Every test is graded in JavaScript; in Python, which starts one for each output, those of one answer."""
MADE_IN_PYTHON = """
def create_tests(config=None):
    grader = {"type": "python", "value": GRADER, "config": {"rubric": "capital"}}
    return [{"vars": {"case": "python", "query": "?", "answer": answer}, "assert": [grader]} for answer in ANSWERS]
"""


def decide(request: Request) -> Answer:
    """Answer as a judge: a criterion is met if the material says Paris; of two responses none is better."""
    properties = request.body["output_config"]["format"]["schema"]["properties"]
    if "better" in properties["verdicts"]["properties"]:
        verdict = {"quote_1": "nothing to quote", "quote_2": "nothing to quote", "reason": "As good.", "level": "tie"}
        return message(json.dumps({"verdicts": {"better": verdict}}))
    prompt = request.body["messages"][0]["content"]
    shown = sorted(set(re.findall(r"<([a-z]+)-[0-9a-f]{16}>", prompt)))
    level = "MET" if "Paris" in prompt else "UNMET"
    verdict = {"quote": "nothing to quote", "reason": f"Shown: {', '.join(shown)}", "level": level}
    return message(json.dumps({"verdicts": {"right": verdict}}))


def graders(rubric: str, **more: Any) -> list[dict[str, Any]]:
    """Our assertion in both languages."""
    config = {"rubric": rubric}
    return [
        {"type": "python", "value": in_language(language, GRADER), "config": config, **more} for language in LANGUAGES
    ]


def case(name: str, answer: str, asserts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A test of one provider's output, for the plain prompt alone where nothing else is said."""
    variables = {"case": name, "query": "Which city?", "answer": answer, **more.pop("vars", {})}
    return {"vars": variables, "assert": asserts, "prompts": ["plain"], "providers": ["first"], **more}


def choosing_assertions() -> list[dict[str, Any]]:
    """Assertions that choose one output, as far as our provider answers their questions."""
    chosen_by = (kind.label for kind in PROVIDER_QUESTIONS)
    return [{"type": name, "value": "the best"} for name in chosen_by if name in COMPARING_TYPES]


def configuration(folder: Path) -> dict[str, Any]:
    """Write one configuration with all test cases, and the files that it names, into a folder."""
    by_language = {language: in_language(language, GRADER) for language in LANGUAGES}
    (folder / "cases.csv").write_text(CSV.format(**by_language))
    (folder / "context.txt").write_text("The capital of France is Paris.\n")
    made = f"GRADER, ANSWERS = {by_language['mjs']!r}, ['Paris.', 'Rome.']\n"
    (folder / "made.py").write_text(made + MADE_IN_PYTHON)
    every_cell = {"prompts": ["plain", "again"], "providers": ["first", "second"]}
    lines = [
        case("jsonl", "Paris.", graders("capital"), **every_cell),
        case("jsonl", "Rome.", graders("capital")[-1:], **every_cell),
    ]
    (folder / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    london = {"type": "contains", "value": "London", "weight": 1}
    ours, ours_in_javascript = graders("capital", weight=3)
    return {
        "description": "Configurations as users write them",
        "prompts": [{"raw": PLAIN, "label": "plain"}, {"raw": AGAIN, "label": "again"}],
        "providers": [{"id": "echo", "label": "first"}, {"id": "echo", "label": "second"}],
        "derivedMetrics": [{"name": "twice", "value": "right * 2"}],
        "defaultTest": {"options": {"provider": {"id": in_language("mjs", PROVIDER)}}},
        "tests": [
            "file://cases.csv",
            "file://cases.jsonl",
            "file://made.py:create_tests",
            case("set", "Paris.", [{"type": "assert-set", "threshold": 0.7, "assert": [ours, london]}]),
            case("set", "Rome.", [{"type": "assert-set", "threshold": 0.7, "assert": [ours_in_javascript, london]}]),
            case("transform", "It is.", graders("capital"), options={"transform": "output + ' It is Paris.'"}),
            case("transform of one", "It is.", graders("capital", transform="output + ' It is Paris.'")),
            case("context", "It does.", graders("rag"), vars={"context": "file://context.txt"}),
            case("optional", "Paris.", graders("maybe")),
            case("environment", "Paris.", graders("{{env.WHICH_RUBRIC}}")),
            case("best", "Paris.", [*graders("capital"), *choosing_assertions()], **every_cell),
        ],
        "scenarios": [
            {
                "config": [
                    {"vars": {"case": "scenario", "query": "?", "answer": answer}} for answer in ("Paris.", "Rome.")
                ],
                "tests": [{"assert": graders("capital")}],
            }
        ],
    }


@pytest.fixture(scope="module")
def run(promptfoo: PromptfooInstall, tmp_path_factory: pytest.TempPathFactory) -> EvalRun:
    """The run of a configuration in TypeScript."""
    folder = tmp_path_factory.mktemp("configurations")
    project(folder)
    file = folder / "promptfooconfig.ts"
    written = json.dumps(configuration(folder), indent=1)
    file.write_text(f"const config: Record<string, unknown> = {written};\nexport default config;\n")
    with sockets() as runtime, MessagesFront(decide) as front:
        return run_eval(file, cwd=folder, env={**asking(front, folder, runtime), "WHICH_RUBRIC": "capital"})


def asking(front: MessagesFront, folder: Path, runtime: Path) -> dict[str, str]:
    """Return environment variables by which the judge is the test server."""
    return {
        "ANTHROPIC_API_KEY": "key-of-a-test",
        "ANTHROPIC_BASE_URL": front.url,
        "MARKSCHEME_CACHE": str(folder / "cache"),
        "XDG_RUNTIME_DIR": str(runtime),
    }


@pytest.fixture
def graded(run: EvalRun) -> Mapping[str, list[dict[str, Any]]]:
    """Return the rows of the run by the test case that they belong to."""
    by_case: dict[str, list[dict[str, Any]]] = {}
    for row in rows(run):
        by_case.setdefault(row["vars"]["case"], []).append(row)
    return by_case


def project(folder: Path) -> None:
    """Put the rubrics into the folder."""
    (folder / "rubrics").mkdir()
    for name, text in RUBRICS.items():
        (folder / "rubrics" / f"{name}.yaml").write_text(text)


def ours_in(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the results of our assertions on a row."""
    values = [in_language(language, GRADER) for language in LANGUAGES]
    for component in row["gradingResult"]["componentResults"]:
        if str(component.get("assertion", {}).get("value")).removesuffix(":capital") in values:
            yield component


@pytest.mark.parametrize("name", ["csv", "jsonl", "python", "scenario"])
def test_tests_from_csv_and_jsonl_and_python_and_scenarios_are_graded_for_each_prompt_and_provider(
    graded: Mapping[str, list[dict[str, Any]]], name: str
) -> None:
    results = graded[name]
    assert len(results) == 2 * 2 * 2
    for row in results:
        assert row["success"] is ("Paris" in row["vars"]["answer"]), outcome(row)
        answers = list(ours_in(row))
        in_both = name == "scenario" or (name != "python" and row["success"])
        assert len(answers) == (2 if in_both else 1)
        assert all(answer["reason"] == answers[0]["reason"] for answer in answers)
    cells = {(row["prompt"]["label"], row["provider"]["label"]) for row in results}
    assert cells == {(prompt, provider) for prompt in ("plain", "again") for provider in ("first", "second")}


def test_the_threshold_and_weights_of_an_assert_set_decide_whether_an_output_passes(
    graded: Mapping[str, list[dict[str, Any]]],
) -> None:
    for row in graded["set"]:
        passes = "Paris" in row["vars"]["answer"]
        assert row["success"] is passes, outcome(row)
        assert row["score"] == (0.75 if passes else 0)


@pytest.mark.parametrize("name", ["transform", "transform of one"])
def test_an_output_is_graded_after_promptfoo_s_transform(graded: Mapping[str, list[dict[str, Any]]], name: str) -> None:
    assert [row["success"] for row in graded[name]] == [True]


def test_a_var_that_names_a_file_is_shown_to_the_judge_as_the_file_s_text(
    graded: Mapping[str, list[dict[str, Any]]],
) -> None:
    for row in graded["context"]:
        assert row["success"], outcome(row)
        assert all("Shown: context, query, response" in answer["reason"] for answer in ours_in(row))


def test_the_reason_of_a_result_lists_optional_inputs_that_are_missing(
    graded: Mapping[str, list[dict[str, Any]]],
) -> None:
    for row in graded["optional"]:
        assert row["success"], outcome(row)
        for answer in ours_in(row):
            assert "Not shown to the judge: context: the submission has none." in answer["reason"]


@pytest.mark.parametrize("name", ["environment", "best"])
def test_environment_variables_and_a_select_best_assertion_in_the_same_test_change_no_grade(
    graded: Mapping[str, list[dict[str, Any]]], name: str
) -> None:
    for row in graded[name]:
        answers = list(ours_in(row))
        assert [answer["pass"] for answer in answers] == [True] * 2, outcome(row)
    assert len(graded[name]) == (4 if name == "best" else 1)
    chosen = 1 if name == "environment" or choosing_assertions() else 4
    assert sum(row["success"] for row in graded[name]) == chosen


def test_derived_metrics_are_computed_from_named_scores(run: EvalRun) -> None:
    for prompt in run.results["results"]["prompts"]:
        named = prompt["metrics"]["namedScores"]
        assert named["right"] > 0
        assert named["twice"] == pytest.approx(2 * named["right"])


@pytest.mark.proof
def test_outputs_that_a_promptfoo_configuration_contains_are_graded_without_calling_a_provider(
    promptfoo: PromptfooInstall, tmp_path: Path
) -> None:
    project(tmp_path)
    (tmp_path / "outputs.json").write_text(json.dumps(["Paris.", "Rome."]))
    (tmp_path / "asserts.json").write_text(json.dumps(graders("capital")))
    (tmp_path / "promptfooconfig.yaml").write_text("prompts: [x]\nproviders: [echo]\n")
    with sockets() as runtime, MessagesFront(decide) as front:
        args = ("--assertions", "asserts.json", "--model-outputs", "outputs.json")
        env = asking(front, tmp_path, runtime)
        run = run_eval(tmp_path / "promptfooconfig.yaml", cwd=tmp_path, env=env, args=args)
    assert [row["success"] for row in rows(run)] == [True, False]
