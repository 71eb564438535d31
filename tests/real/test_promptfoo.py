"""The installed Promptfoo runs a config as users run it, without access to API keys."""

from pathlib import Path

import pytest

from tests.real.promptfoo import VERSION, PromptfooInstall, install_promptfoo, run_eval, without_keys

CONFIG = """
prompts: ["{{word}}"]
providers: [echo]
tests:
  - vars: {word: hello}
    assert: [{type: python, value: "file://starts.py", config: {letter: h}}]
  - vars: {word: world}
    assert: [{type: python, value: "file://starts.py", config: {letter: h}}]
"""
ASSERTION = """
def get_assert(output, context):
    starts = output.startswith(context["config"]["letter"])
    return {"pass": starts, "score": float(starts), "reason": "looked at the first letter", "namedScores": {"first": 1}}
"""


def test_promptfoo_is_installed_once_at_the_version_that_was_asked_for(promptfoo: PromptfooInstall) -> None:
    assert promptfoo.version == VERSION
    assert install_promptfoo() is promptfoo
    assert not list(promptfoo.folder.glob("package-lock.json"))


@pytest.mark.proof
def test_a_promptfoo_evaluation_returns_its_rows_and_exit_status_100_when_a_test_fails(tmp_path: Path) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "starts.py").write_text(ASSERTION, encoding="utf-8")
    run = run_eval(tmp_path / "promptfooconfig.yaml", cwd=tmp_path, args=("--max-concurrency", "1"))
    rows = {row["vars"]["word"]: row for row in run.results["results"]["results"]}
    assert (run.exit_code, {word: row["success"] for word, row in rows.items()}) == (
        100,
        {"hello": True, "world": False},
    )
    assert rows["hello"]["namedScores"] == {"first": 1}
    assert rows["world"]["gradingResult"]["reason"] == "looked at the first letter"
    assert run.seconds > 0
    assert {path.name for path in tmp_path.iterdir()} <= {"promptfooconfig.yaml", "starts.py", "__pycache__"}


@pytest.mark.proof
def test_an_unreadable_promptfoo_config_gives_no_results(tmp_path: Path) -> None:
    run = run_eval(tmp_path / "nowhere.yaml", cwd=tmp_path)
    assert run.exit_code not in (0, 100)
    assert run.results == {}
    assert "nowhere.yaml" in run.stdout + run.stderr


def test_api_keys_in_the_environment_are_not_passed_to_the_promptfoo_process() -> None:
    assert without_keys({"ANTHROPIC_API_KEY": "a", "ANTHROPIC_AUTH_TOKEN": "b", "HOME": "/h"}) == {"HOME": "/h"}
