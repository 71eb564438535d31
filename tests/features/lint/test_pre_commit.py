"""The hook that pre-commit runs before a commit, as it is declared and as the page on it shows it."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands.console import ROOT, run

(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "howto" / "pytest.md").read_text(encoding="utf-8")
SOUND = "criteria:\n- {name: date, requirement: The reply names a date.}\n"


def _on_the_page() -> list[dict[str, Any]]:
    blocks = [yaml.safe_load(text) for text in re.findall(r"```yaml[^\n]*\n(.*?)```", PAGE, re.DOTALL)]
    return [repo for block in blocks if "repos" in block for repo in block["repos"]]


def _is_passed(name: str) -> bool:
    return bool(re.search(HOOK["files"], name)) and not re.search(HOOK["exclude"], name)


def test_pre_commit_can_read_the_definition_of_the_markscheme_hook() -> None:
    assert {"id", "name", "entry", "language"} <= set(HOOK)
    assert (HOOK["language"], HOOK["types_or"]) == ("python", ["yaml", "json"])


@pytest.mark.parametrize(
    ("name", "passed"),
    [
        ("rubrics/tone.yaml", True),
        ("apps/bot/rubrics/tone.yml", True),
        ("rubrics/tone.json", True),
        ("rubrics/schema.json", False),
        ("rubrics/drafts/notes.yaml", False),
        ("my-rubrics.yaml", False),
        (".github/workflows/ci.yaml", False),
    ],
)
def test_the_pre_commit_hook_is_given_only_rubric_files(name: str, passed: bool) -> None:
    assert _is_passed(name) is passed


def test_the_pre_commit_hook_accepts_the_shipped_rubrics(tmp_path: Path) -> None:
    files = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "rubrics").iterdir())]
    passed_files = [name for name in files if _is_passed(name)]
    assert len(passed_files) == 5
    assert run(*shlex.split(HOOK["entry"]), *passed_files).returncode == 0


def test_the_pre_commit_hook_fails_if_one_of_several_rubrics_is_faulty(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "a.yaml").write_text(SOUND)
    (tmp_path / "rubrics" / "b.yaml").write_text(SOUND.replace("requirement", "requirment"))
    done = run(*shlex.split(HOOK["entry"]), "rubrics/a.yaml", "rubrics/b.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "rubrics/b.yaml:2: unknown key 'requirment'" in done.stdout


def test_the_documentation_s_page_shows_the_pre_commit_hook_as_it_is_defined() -> None:
    local, cloned = _on_the_page()
    (shown,) = local["hooks"]
    assert {key: shown[key] for key in ("id", "name", "entry", "types_or", "files", "exclude")} == {
        key: HOOK[key] for key in ("id", "name", "entry", "types_or", "files", "exclude")
    }
    (by_id,) = cloned["hooks"]
    assert by_id["id"] == HOOK["id"]
    assert run("markscheme", "lint", *by_id["args"], "code-quality").returncode == 0
