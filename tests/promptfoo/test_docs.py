"""Every configuration in docs/howto/promptfoo.md runs under the real Promptfoo and says what the page says."""

import re
from pathlib import Path
from typing import Any

import pytest

from markscheme.judges.options import ASK_OPTIONS
from tests.commands.console import ROOT, run
from tests.promptfoo.answering import judging, rows
from tests.real.messages_front import MessagesFront
from tests.real.promptfoo import run_eval

PAGE = (ROOT / "docs" / "howto" / "promptfoo.md").read_text(encoding="utf-8")
CONFIGS = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)
pytestmark = pytest.mark.usefixtures("promptfoo", "runtime")


def name_of(config: str) -> str:
    """The line of the page on which a configuration starts."""
    return f"lines-{PAGE[: PAGE.index(config)].count(chr(10))}"


@pytest.mark.proof
@pytest.mark.parametrize("config", CONFIGS, ids=name_of)
def test_a_configuration_runs_and_grades_everything(config: str, tmp_path: Path) -> None:
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


def test_every_key_of_the_assertion_s_config_is_on_the_page() -> None:
    from markscheme.promptfoo.assertion import CONFIG_KEYS

    table = PAGE[PAGE.index("| key of `config`") : PAGE.index("Promptfoo doesn't fill")]
    assert set(re.findall(r"`(\w+)`", table)) >= set(CONFIG_KEYS)


def test_every_variable_that_bounds_the_asking_is_on_the_page() -> None:
    variables = [option.variable for option in ASK_OPTIONS.values() if option.variable]
    assert [variable for variable in variables if f"`{variable}`" not in PAGE] == []
