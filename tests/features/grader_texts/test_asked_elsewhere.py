"""The line after a run on model-graded assertions that another grader answered than ours."""

from pathlib import Path
from typing import Any

import pytest

from markscheme.features.grader_texts.asked_elsewhere import report_on_asked
from tests.commands.console import ROOT
from tests.real.promptfoo import run_eval

OURS = f"file://{ROOT}/graders/rubric_provider.mjs"
CONFIG = """
prompts: ["{{reply}}", "Again: {{reply}}"]
providers: [echo, {id: "file://other.js", label: strict}]
defaultTest:
  assert:
    - {type: llm-rubric, value: Names the capital}
tests:
  - vars: {reply: Paris.}
    assert:
      - {type: llm-rubric, metric: own, value: Is right, provider: "file://other.js"}
  - vars: {reply: Rome.}
    options: {provider: "file://other.js"}
    providers: [echo]
    assert:
      - {type: contains, value: Rome}
"""
OTHER_GRADER = """
module.exports = class {
  id() { return 'other'; }
  async callApi() { return { output: JSON.stringify({ pass: true, score: 1, reason: 'other says' }) }; }
};
"""
BY_OTHER = "by file://other.js)"
WINS = "; a `provider` of an assertion or test wins over --grader."


def row(*assertions: dict[str, Any], provider: Any = None) -> dict[str, Any]:
    """Make a row of results in the form in which Promptfoo passes it to a hook."""
    options = {} if provider is None else {"provider": provider}
    components = [{"pass": True, "score": 1, "reason": "so", "assertion": assertion} for assertion in assertions]
    return {"testCase": {"options": options}, "gradingResult": {"componentResults": components}}


def line(*rows: dict[str, Any], **config: Any) -> str | None:
    """Return the line about assertions graded elsewhere in a run, without its opening words."""
    lines = report_on_asked({"results": list(rows), "config": config}).lines
    return next((text.removeprefix("Not asked of markscheme: ") for text in lines), None)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a working directory with a Promptfoo configuration."""
    (tmp_path / "promptfooconfig.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "other.js").write_text(OTHER_GRADER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "provider",
    [
        OURS,
        {"label": "", "providerId": OURS, "options": {"config": {}}},
        {"id": "file://graders/rubric_provider.py", "config": {"judge": "anthropic"}},
        {"text": OURS, "embedding": "openai:embedding:text-embedding-3-small"},
        "ours",
    ],
)
def test_assertions_graded_by_markscheme_are_not_reported_as_graded_by_another_grader(provider: Any) -> None:
    graded_row = row({"type": "llm-rubric", "value": "Is right"}, {"type": "contains", "value": "x"}, provider=provider)
    assert line(graded_row, providers=["echo", {"id": OURS, "label": "ours"}]) is None


def test_an_assertion_s_own_provider_is_reported_with_the_provider_s_line_number_in_the_configuration() -> None:
    elsewhere = {"type": "llm-rubric", "metric": "own", "value": "Is right", "provider": "file://other.js"}
    graded_row = row({"type": "llm-rubric", "value": "Names the capital"}, elsewhere, provider=OURS)
    printed = line(graded_row, graded_row)
    assert printed == f"2 verdicts of model-graded assertions: promptfooconfig.yaml:10 (2 {BY_OTHER}{WINS}"


def test_a_provider_in_a_test_s_options_is_reported_with_the_provider_s_line_number_in_the_configuration() -> None:
    graded_row = row({"type": "llm-rubric", "value": "Names the capital"}, provider="file://other.js")
    assert line(graded_row) == f"1 verdict of model-graded assertions: promptfooconfig.yaml:12 (1 {BY_OTHER}{WINS}"


def test_an_assertion_without_a_provider_is_reported_as_graded_by_promptfoo_s_own_model() -> None:
    printed = line(row({"type": "factuality", "value": "Paris"}))
    assert (
        printed == "1 verdict of model-graded assertions: factuality (1 by the model that Promptfoo takes by itself)."
    )


def test_a_verdict_whose_assertion_is_missing_in_the_configuration_is_reported_by_its_assertion_type(
    folder: Path,
) -> None:
    graded_row = row({"type": "not-g-eval", "value": "Is rude", "provider": {"id": "openai:gpt-5", "config": {"n": 1}}})
    assert line(graded_row) == f"1 verdict of model-graded assertions: not-g-eval (1 by openai:gpt-5){WINS}"
    (folder / "promptfooconfig.yaml").write_text("prompts: [")
    assert line(graded_row) == f"1 verdict of model-graded assertions: not-g-eval (1 by openai:gpt-5){WINS}"


@pytest.mark.proof
def test_after_a_real_promptfoo_run_the_session_hook_reports_assertions_that_other_graders_answered(
    folder: Path,
) -> None:
    (folder / "markscheme.toml").write_text('judge = "anthropic"\n', encoding="utf-8")
    hook = f"file://{ROOT}/graders/session.py:afterAll"
    done = run_eval(folder / "promptfooconfig.yaml", cwd=folder, args=("--grader", OURS, "-x", hook))
    printed = (
        f"6 verdicts of model-graded assertions: promptfooconfig.yaml:10 (4 {BY_OTHER}, promptfooconfig.yaml:12 (2 "
    )
    assert f"Not asked of markscheme: {printed}{BY_OTHER}{WINS}" in done.stdout + done.stderr
