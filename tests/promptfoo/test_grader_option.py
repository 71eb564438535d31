"""`promptfoo eval --grader`: a configuration that is not edited is graded by us, with the real Promptfoo."""

import json
import shutil
from typing import Any

import pytest
import yaml

from tests.commands.console import ROOT
from tests.promptfoo.answering import judging, plain, rows
from tests.real.messages_front import Answer, MessagesFront, Request, message
from tests.real.promptfoo import run_eval
from tests.session.processes import sockets

ASKED: dict[str, dict[str, Any]] = {
    "llm-rubric": {"value": "Names the capital"},
    "g-eval": {"value": ["Names the capital", "Is brief"]},
    "factuality": {"value": "The capital is Paris"},
    "model-graded-closedqa": {"value": "Names the capital"},
    "conversation-relevance": {"threshold": 0.5},
}
"""Model-graded assertions that ask one question each, as they are in configurations."""
OURS = "file://graders/rubric_provider.mjs"
MAP = {"text": OURS, "embedding": "file://embed.js"}
EMBED = """
module.exports = class {
  id() { return 'embed'; }
  async callEmbeddingApi(text) { return { embedding: text.includes('Lyon') ? [0, 1] : [1, 0] }; }
};
"""
EMBEDDING: dict[str, dict[str, Any]] = {
    "similar": {"value": "Paris", "threshold": 0.5},
    "answer-relevance": {"threshold": 0.5},
}
"""Assertions that embed texts, for which Promptfoo wants a provider of embeddings."""


def answer_as_asked(request: Request) -> Answer:
    """Return a judge's answer to each kind of question, by whether the material says Paris."""
    question = request.body["messages"][0]["content"]
    properties = request.body["output_config"]["format"]["schema"]["properties"]
    if "better" in properties.get("verdicts", {}).get("properties", {}):
        tie = {"quote_1": "nothing to quote", "quote_2": "nothing to quote", "reason": "As good.", "level": "tie"}
        return message(json.dumps({"verdicts": {"better": tie}}))
    if "answer" not in properties:
        return judging()(request)
    passes = "Paris." in question
    text = plain(question)
    if "verdict" in question:
        text = json.dumps({"verdict": "yes" if passes else "no", "reason": "It names it, or not."})
    elif "factual content" in question:
        text = json.dumps({"category": "C" if passes else "D", "reason": "It names it, or not."})
    elif "without quotes or punctuation" in question:
        text = "Y" if passes else "N"
    elif '"score"' in question:
        text = json.dumps({"score": 9 if passes else 1, "reason": "It names it, or not."})
    elif "the best of all" in question:
        text = "0"
    return message(json.dumps({"answer": text}), tokens=(40, 7))


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], bytes, bytes]:
    """The rows of a run with `--grader`, and the configuration before it and after it."""
    folder = tmp_path_factory.mktemp("no-edit")
    shutil.copytree(ROOT / "graders", folder / "graders")
    (folder / "markscheme.toml").write_text('judge = "anthropic"\n', encoding="utf-8")
    tests = [
        {"vars": {"reply": reply}, "assert": [{"type": kind, **more}]}
        for kind, more in ASKED.items()
        for reply in ("Paris.", "Lyon.")
    ]
    tests += [
        {"vars": {"reply": reply}, "assert": [{"type": kind, **more, "provider": provider}]}
        for kind, more in EMBEDDING.items()
        for reply, provider in (("Paris.", MAP), ("Lyon.", MAP), ("Oslo.", None))
    ]
    best = {"type": "select-best", "value": "the best of all"}
    tests = [{**test, "prompts": ["plain"]} for test in tests]
    tests.append({"vars": {"reply": "Paris."}, "options": {"provider": OURS}, "assert": [best]})
    prompts = [{"raw": "{{reply}}", "label": "plain"}, {"raw": "Once more: {{reply}}", "label": "again"}]
    config = folder / "promptfooconfig.yaml"
    config.write_text(yaml.safe_dump({"prompts": prompts, "providers": ["echo"], "tests": tests}))
    (folder / "embed.js").write_text(EMBED)
    before = config.read_bytes()
    with sockets() as runtime, MessagesFront(answer_as_asked) as front:
        server = {"ANTHROPIC_API_KEY": "key-of-a-test", "ANTHROPIC_BASE_URL": front.url}
        environment = {**server, "MARKSCHEME_CACHE": str(folder / "cache"), "XDG_RUNTIME_DIR": str(runtime)}
        done = run_eval(config, cwd=folder, env=environment, args=("--grader", OURS))
        assert front.requests, done.stdout + done.stderr
    return rows(done), before, config.read_bytes()


def test_running_promptfoo_with_its_grader_option_leaves_its_configuration_unchanged(
    graded: tuple[list[dict[str, Any]], bytes, bytes],
) -> None:
    _, before, after = graded
    assert after == before


@pytest.mark.parametrize("kind", ASKED)
def test_every_assertion_that_a_model_grades_gets_an_answer_with_promptfoo_s_grader_option(
    kind: str, graded: tuple[list[dict[str, Any]], bytes, bytes]
) -> None:
    passing, failing = [row for row in graded[0] if row["testCase"]["assert"][0]["type"] == kind]
    for row, passes in ((passing, True), (failing, False)):
        (component,) = [c for c in row["gradingResult"]["componentResults"] if c["assertion"]["type"] == kind]
        assert component["pass"] is passes, component
        assert "not graded" not in component["reason"]
        assert not component.get("metadata", {}).get("graderError")


def rows_of(kind: str, graded: tuple[list[dict[str, Any]], bytes, bytes]) -> list[dict[str, Any]]:
    """The rows of one kind of assertion."""
    return [row for row in graded[0] if row["testCase"]["assert"][0]["type"] == kind]


@pytest.mark.parametrize("kind", EMBEDDING)
def test_assertions_that_need_embeddings_are_graded_if_the_test_s_providers_include_one_for_embeddings(
    kind: str, graded: tuple[list[dict[str, Any]], bytes, bytes]
) -> None:
    passing, failing, without = rows_of(kind, graded)
    assert (passing["success"], failing["success"]) == (True, False), (passing["error"], failing["error"])
    assert failing["score"] == 0
    assert failing["gradingResult"]["componentResults"][0]["reason"].startswith(("Similarity 0.00", "Relevance 0.00"))
    assert "is not a valid embedding provider" in without["error"]


def test_an_assertion_of_type_select_best_gets_an_answer_if_the_promptfoo_test_names_markscheme_s_grader(
    graded: tuple[list[dict[str, Any]], bytes, bytes],
) -> None:
    assert sorted(row["success"] for row in rows_of("select-best", graded)) == [False, True]
