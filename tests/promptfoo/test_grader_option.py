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


def answer_as_asked(request: Request) -> Answer:
    """What a judge answers to each kind of question: it finds Paris, or it doesn't."""
    question = request.body["messages"][0]["content"]
    if "answer" not in request.body["output_config"]["format"]["schema"]["properties"]:
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
    config = folder / "promptfooconfig.yaml"
    config.write_text(yaml.safe_dump({"prompts": ["{{reply}}"], "providers": ["echo"], "tests": tests}))
    before = config.read_bytes()
    with sockets() as runtime, MessagesFront(answer_as_asked) as front:
        server = {"ANTHROPIC_API_KEY": "key-of-a-test", "ANTHROPIC_BASE_URL": front.url}
        environment = {**server, "MARKSCHEME_CACHE": str(folder / "cache"), "XDG_RUNTIME_DIR": str(runtime)}
        done = run_eval(config, cwd=folder, env=environment, args=("--grader", "file://graders/rubric_provider.mjs"))
        assert front.requests, done.stdout + done.stderr
    return rows(done), before, config.read_bytes()


def test_nothing_is_edited(graded: tuple[list[dict[str, Any]], bytes, bytes]) -> None:
    _, before, after = graded
    assert after == before


@pytest.mark.parametrize("kind", ASKED)
def test_each_model_graded_assertion_is_answered(kind: str, graded: tuple[list[dict[str, Any]], bytes, bytes]) -> None:
    passing, failing = [row for row in graded[0] if row["testCase"]["assert"][0]["type"] == kind]
    for row, passes in ((passing, True), (failing, False)):
        (component,) = [c for c in row["gradingResult"]["componentResults"] if c["assertion"]["type"] == kind]
        assert component["pass"] is passes, component
        assert "not graded" not in component["reason"]
        assert not component.get("metadata", {}).get("graderError")
