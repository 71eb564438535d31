"""`graders/rubric_provider.py` and `rubric_provider.mjs` as grading provider under the real Promptfoo."""

import itertools
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from markscheme.promptfoo.provider import call_api
from tests.promptfoo.answering import LANGUAGES, PROVIDER, assertion, evaluate, in_language, project, rows
from tests.real.promptfoo import PromptfooInstall
from tests.session.processes import session_pids, sockets

HALF = """
criteria:
- {name: right, requirement: Names the capital, weight: 1}
- {name: rude, requirement: Is polite, weight: 1}
"""
JUDGE = """
import json, pathlib
from markscheme.judges.judge import Reply, Usage

ASKED = pathlib.Path(__file__).with_name("asked.jsonl")

def judge(system_prompt, user_prompt, schema):
    with ASKED.open("a") as asked:
        asked.write(json.dumps({"system": system_prompt, "user": user_prompt, "schema": schema}) + "\\n")
    if "answer" in schema["properties"]:
        return Reply(json.dumps({"answer": plain(user_prompt)}), usage=Usage(1, 40, 7))
    met = "MET" if "Paris" in user_prompt else "UNMET"
    verdict = {"quote": "nothing to quote", "reason": "The material says so."}
    names = schema["properties"]["verdicts"]["properties"]
    verdicts = {name: {**verdict, "level": "UNMET" if name == "rude" else met} for name in names}
    return Reply(json.dumps({"verdicts": verdicts}), usage=Usage(1, 100, 20))

def plain(question):
    asks_for_steps = "steps" in question and "maxScore" not in question and '"score"' not in question
    return json.dumps({"steps": ["Look for the capital"]} if asks_for_steps else {"score": 8, "reason": "Names it."})

judge.environment = ()
"""
JUDGED_BY = "function:capital_judge:judge"
NOT_GRADED: list[tuple[str, dict[str, Any], str]] = [
    ("capitol", {}, "did you mean 'capital'?"),
    ("rubrics/nowhere.yaml", {}, "no rubric file"),
    ("capital", {"judge": "oracle"}, "unknown judge 'oracle'"),
    ("capital", {"rubric": "capital"}, "the assertion's `value` is the rubric"),
    ("capital", {"treshold": 1}, "did you mean 'threshold'?"),
]
Case = tuple[str, str, dict[str, Any]]
"""The language of the provider, what a test is for, and the test."""
STRANGE = ['{"capital": "Paris"}', "\0Paris\ud83d", "Paris. " * 40_000, ""]
"""Outputs, one of them longer than an argument of a command, a pipe or a socket holds (128, 64 and 208 kB)."""


def ungraded_cases(language: str) -> list[tuple[str, tuple[str, dict[str, Any], str]]]:
    """Each of NOT_GRADED with and without a negation; in Python, which starts one for each call, by turns."""
    every = list(itertools.product(("llm-rubric", "not-llm-rubric"), NOT_GRADED))
    return every[::2] if language == "py" else every


def llm_rubric(value: Any, **more: Any) -> dict[str, Any]:
    return {"type": "llm-rubric", "value": value, **more}


def cases_of(folder: Path, language: str) -> dict[str, list[dict[str, Any]]]:
    """The tests of one language under what they are for, each with our provider behind its graders."""

    def test(*asserts: dict[str, Any], output: str = "Paris.", of: str = "", **more: Any) -> dict[str, Any]:
        config = {"judge": JUDGED_BY, **more.pop("config", {})}
        question = f"{of} In {language}." if of else f"Capital, case {language} {next(numbers)}?"
        provider = {"options": {"provider": {"id": in_language(language, PROVIDER), "config": config}}}
        return {"vars": {"answer": output, "question": question}, "assert": list(asserts), **provider, **more}

    numbers = itertools.count(1)
    capital, half = llm_rubric("capital"), llm_rubric("half")
    by_assertion = assertion(config={"judge": JUDGED_BY})
    by_assertion["value"] = in_language(language, by_assertion["value"])
    halves = [half, llm_rubric("half", threshold=0.6), {"type": "not-llm-rubric", "value": "half"}]
    uncached = {"cache": "off"}
    return {
        "both": [test(capital, by_assertion, output=output) for output in ("Paris.", "Rome.")],
        "text": [test(llm_rubric("Names the capital of France"), output=output) for output in ("Paris.", "Rome.")],
        "list": [
            test({"type": kind, "value": ["Names the capital", "Is short"], "threshold": 0.85})
            for kind in ("llm-rubric", "g-eval")
        ],
        "file": [test(llm_rubric(f"file://{folder}/rubrics/capital.yaml"))],
        "tokens": [test(capital)],
        "thresholds": [test(*halves), test(half, config={"threshold": 0.6}), test(*halves[:2], threshold=0.5)],
        "g-eval": [test({"type": "g-eval", "value": f"Is right, in {language}"})],
        "strange": [test(capital, output=output) for output in STRANGE],
        "session": [test(capital, output=output, of="The same?", config=uncached) for output in ("Paris.", "Rome.")],
        "without": [
            test(capital, output=output, of="The same?", config={**uncached, "session": "off"})
            for output in ("Paris." if language == "py" else "Rome.",)
        ],
        **{
            f"{kind} {reason}": [test({"type": kind, "value": value}, config=config)]
            for kind, (value, config, reason) in ungraded_cases(language)
        },
    }


@dataclass(frozen=True)
class Graded:
    """Results of one run of Promptfoo.

    Attributes:
        rows: By what a test was for.
        requests: What the judge was given each time, in both languages.
        sessions: How many there were.
        peak_kib: The most memory that a session held.
        pythons: The arguments of each Python that was started, in both languages.
    """

    rows: Mapping[str, list[dict[str, Any]]]
    requests: Sequence[dict[str, Any]]
    sessions: int
    peak_kib: int
    pythons: Sequence[str]

    def requests_about(self, of: str) -> list[dict[str, Any]]:
        """The requests about the outputs of some tests."""
        questions = [row["vars"]["question"] for row in self.rows[of]]
        return [request for request in self.requests if any(question in request["user"] for question in questions)]


@pytest.fixture(scope="module")
def in_both_languages(promptfoo: PromptfooInstall, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Graded]:
    """Run Promptfoo once on all test cases with the providers in both languages."""
    folder = tmp_path_factory.mktemp("provider")
    project(folder)
    cases = [
        (language, of, test)
        for language in LANGUAGES
        for of, some in cases_of(folder, language).items()
        for test in some
    ]
    (folder / "rubrics" / "half.yaml").write_text(HALF)
    (folder / "capital_judge.py").write_text(JUDGE)
    with sockets() as runtime:
        env = {
            "MARKSCHEME_PRICE": "3:15",
            "XDG_RUNTIME_DIR": str(runtime),
            "MARKSCHEME_SESSION_IDLE": "600",
            "PROMPTFOO_PYTHON": str(counting_python(folder)),
        }
        run = evaluate(folder, None, [], [], env=env, tests=[test for _, _, test in cases])
        sessions = session_pids(runtime)
        graded = list(zip(cases, rows(run), strict=True))
        memory = max(map(peak_kib, sessions))
        pythons = (folder / "started").read_text().splitlines()
        requests = [json.loads(line) for line in (folder / "asked.jsonl").read_text().splitlines()]
        return {
            language: Graded(rows_by_purpose(language, graded), requests, len(sessions), memory, pythons)
            for language in LANGUAGES
        }


def counting_python(folder: Path) -> Path:
    """A Python that adds its arguments to the file `started` in the folder."""
    python = folder / "counting-python"
    python.write_text(f'#!/bin/sh\necho "$@" >> {folder}/started\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return python


def rows_by_purpose(language: str, graded: Iterable[tuple[Case, dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """The rows of a language by what their tests were for."""
    by_purpose: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for (written_in, purpose, _), row in graded:
        if written_in == language:
            by_purpose[purpose].append(row)
    return by_purpose


@pytest.fixture(params=LANGUAGES)
def graded(request: pytest.FixtureRequest, in_both_languages: dict[str, Graded]) -> Graded:
    """Return the results of the run with the provider in one language."""
    return in_both_languages[request.param]


def test_an_llm_rubric_assertion_that_names_a_rubric_gives_the_same_result_as_the_python_assertion(
    graded: Graded,
) -> None:
    for row in graded.rows["both"]:
        by_provider, by_assertion = row["gradingResult"]["componentResults"][:2]
        assert by_provider["pass"] == by_assertion["pass"] == row["success"]
        assert by_provider["score"] == by_assertion["score"]
        assert by_provider["reason"] == by_assertion["reason"]
        criteria = by_provider["metadata"]["criteria"]
        assert {name: entry["score"] for name, entry in criteria.items()} == by_assertion["namedScores"]
        assert by_provider["metadata"]["fingerprints"] == by_assertion["metadata"]["fingerprints"]
    assert [row["success"] for row in graded.rows["both"]] == [True, False]
    assert len(graded.requests_about("both")) == 2


def test_an_llm_rubric_assertion_whose_text_names_no_rubric_is_graded_as_a_rubric_of_one_criterion(
    graded: Graded,
) -> None:
    assert [(row["success"], row["score"]) for row in graded.rows["text"]] == [(True, 1), (False, 0)]
    sent = graded.requests_about("text")[0]
    assert "Names the capital of France" in sent["system"]
    assert list(sent["schema"]["properties"]["verdicts"]["properties"]) == ["requirement"]
    assert "Capital, case" in sent["user"]


def test_promptfoo_s_g_eval_assertion_decides_on_a_list_of_requirements_by_their_mean_score(
    graded: Graded,
) -> None:
    of_llm_rubric, of_g_eval = graded.rows["list"]
    assert (of_llm_rubric["success"], of_llm_rubric["score"]) == (True, 1)
    asked = [sent["system"] for sent in graded.requests_about("list") if "verdicts" in sent["schema"]["properties"]]
    assert all("Names the capital; Is short" in system for system in asked)
    assert (of_g_eval["success"], of_g_eval["score"]) == (False, 0.8), "the mean of 0.8 and 0.8 is below 0.85"


def test_an_llm_rubric_assertion_with_a_file_of_criteria_is_graded_by_these_criteria(graded: Graded) -> None:
    (row,) = graded.rows["file"]
    assert row["success"], row["gradingResult"]["reason"]
    assert list(row["gradingResult"]["componentResults"][0]["metadata"]["criteria"]) == ["right", "rude"]


def test_markscheme_s_provider_for_promptfoo_reports_tokens_and_cost(graded: Graded) -> None:
    component = graded.rows["tokens"][0]["gradingResult"]["componentResults"][0]
    assert component["tokensUsed"]["prompt"] == 100
    assert component["tokensUsed"]["completion"] == 20
    assert component["tokensUsed"]["total"] == 120
    assert component["metadata"]["costUsd"] == pytest.approx(100 * 3e-6 + 20 * 15e-6)


def test_a_threshold_takes_effect_whether_set_by_an_assertion_or_markscheme_s_provider_or_a_promptfoo_test(
    graded: Graded,
) -> None:
    by_assertion, by_provider, by_test = graded.rows["thresholds"]
    passes = [part["pass"] for part in by_assertion["gradingResult"]["componentResults"]]
    assert passes == [True, False, False]
    assert not by_provider["success"]
    assert by_test["success"]
    assert by_test["score"] == 0.5


@pytest.mark.parametrize(
    ("language", "kind", "message"),
    [(language, kind, message) for language in LANGUAGES for kind, (_, _, message) in ungraded_cases(language)],
)
def test_an_ungraded_output_passes_neither_an_assertion_nor_its_negation(
    in_both_languages: dict[str, Graded], language: str, kind: str, message: str
) -> None:
    (row,) = in_both_languages[language].rows[f"{kind} {message}"]
    assert not row["success"]
    assert "not graded: " in row["gradingResult"]["reason"]
    assert message in row["gradingResult"]["reason"]


def test_markscheme_s_provider_for_promptfoo_answers_the_prompts_of_g_eval_in_plain_text(graded: Graded) -> None:
    (row,) = graded.rows["g-eval"]
    assert row["success"], row["gradingResult"]["reason"]
    assert row["score"] == 0.8
    assert row["gradingResult"]["componentResults"][0]["tokensUsed"]["total"] == 94


def test_markscheme_s_provider_for_promptfoo_grades_empty_and_unusual_and_structured_outputs(
    graded: Graded,
) -> None:
    results = graded.rows["strange"]
    assert [row["success"] for row in results] == [True, True, True, False]
    assert all("right" in row["gradingResult"]["componentResults"][0]["reason"] for row in results)


def test_the_python_assertion_and_markscheme_s_provider_for_promptfoo_share_one_session(graded: Graded) -> None:
    assert graded.sessions == 1


def test_markscheme_s_provider_for_promptfoo_answers_the_same_with_and_without_a_session(graded: Graded) -> None:
    def answers(purpose: str) -> dict[str, Any]:
        parts = {row["vars"]["answer"]: row["gradingResult"]["componentResults"][0] for row in graded.rows[purpose]}
        return {
            output: [part["pass"], part["score"], part["reason"], part["metadata"], part["tokensUsed"]]
            for output, part in parts.items()
        }

    through, without = answers("session"), answers("without")
    assert without == {output: through[output] for output in without}
    assert len(without) == 1
    assert [part[0] for part in through.values()] == [True, False]


MOST_KIB = 250_000
"""What the session may take at its peak; a pool of Pythons for each assertion came to 3.2 GB."""


def test_with_a_session_the_javascript_provider_starts_python_only_once_to_find_the_session(
    in_both_languages: dict[str, Graded],
) -> None:
    graded = in_both_languages["mjs"]
    behind_the_provider = [row for purpose, rows in graded.rows.items() if purpose != "without" for row in rows]
    assert len(behind_the_provider) > 20
    assert not [arguments for arguments in graded.pythons if "rubric_provider.mjs" in arguments]
    assert sum(arguments.endswith("from_node find") for arguments in graded.pythons) == 1
    assert sum(arguments.endswith("from_node answer") for arguments in graded.pythons) == len(graded.rows["without"])
    assert graded.peak_kib < MOST_KIB


def peak_kib(pid: int) -> int:
    """The most memory that a process has held."""
    (line,) = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1])


def test_if_no_judge_is_available_the_error_says_by_which_key_of_the_configuration_to_name_a_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project(tmp_path))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    context = {"vars": {"output": "Paris.", "rubric": "Names the capital"}}
    answer = call_api("", {"config": {}}, context, near=tmp_path)
    assert answer["error"].startswith("not graded: no judge to ask")
    assert "Name a judge with config.judge: openai:MODEL" in answer["error"]
    assert "recorded:PATH" in answer["error"]
