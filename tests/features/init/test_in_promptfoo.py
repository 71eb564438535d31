"""What a new project holds, under the real Promptfoo."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.promptfoo.answering import judging, rows
from tests.promptfoo.test_docs import PAGE
from tests.real.messages_front import MessagesFront
from tests.real.promptfoo import run_eval

CONFIGS = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)


def name_of(config: str) -> str:
    """Return the number of the page's line on which a configuration starts."""
    return f"lines-{PAGE[: PAGE.index(config)].count(chr(10))}"


@pytest.mark.proof
@pytest.mark.parametrize("config", CONFIGS, ids=name_of)
def test_the_configuration_of_a_new_project_runs_in_promptfoo_and_grades_all_outputs(
    config: str, tmp_path: Path
) -> None:
    assert run("markscheme", "init", str(tmp_path)).returncode == 0
    (tmp_path / "promptfooconfig.yaml").write_text(config, encoding="utf-8")
    with MessagesFront(judging()) as front:
        env = {
            "ANTHROPIC_API_KEY": "key-of-a-test",
            "ANTHROPIC_BASE_URL": front.url,
            "MARKSCHEME_CACHE": str(tmp_path / "cache"),
        }
        done = run_eval(tmp_path / "promptfooconfig.yaml", cwd=tmp_path, env=env)
        calls = len(front.requests)
    assert calls > 0
    for row in rows(done):
        for part in _all_parts(row["gradingResult"]):
            assert "not graded" not in part["reason"]
            assert "rror" not in part["reason"]
    if "repeat: 3" in config:
        assert calls == len(rows(done)) == 3
    if "metadata" in config:
        assert "INFO markscheme: - with a greeting / echo compared with plain / echo" in done.stdout + done.stderr


def _all_parts(grading: dict[str, Any]) -> list[dict[str, Any]]:
    return [grading, *(grading.get("componentResults") or [])]
