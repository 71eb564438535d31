"""docs/howto/ci.md: its commands exist, and its workflows do what the page says."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from markscheme.commands.call import parse
from markscheme.options.settings import SettingsFile
from tests.commands.console import ROOT
from tests.workflows import permissions_beyond

PAGE = (ROOT / "docs" / "howto" / "ci.md").read_text(encoding="utf-8")
NAMES = {
    "calibrate": "calibrate",
    "markscheme lint": "lint",
    "markscheme label": "label",
    "markscheme status": "status",
    "markscheme pass-rate": "pass-rate",
}
OTHERS = ("pip install ", "gh pr comment ", "git ", "./export-last-week.sh ")
"""What the workflows run that is not ours."""
WORKFLOWS = {
    block["name"]: block
    for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    if "jobs" in (block := yaml.safe_load(text))
}


def _steps(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job["steps"]


def _lines() -> Iterator[str]:
    yield from re.findall(r"^    ((?:calibrate|markscheme) .*)$", PAGE, re.MULTILINE)
    for workflow in WORKFLOWS.values():
        yield from (line for step in _steps(workflow) for line in step.get("run", "").splitlines())


def _commands() -> Iterator[tuple[str, list[str]]]:
    for line in _lines():
        words = shlex.split(line, comments=True)
        name = " ".join(words[: 2 if words[0] == "markscheme" else 1])
        if not line.startswith(OTHERS):
            yield name, words[len(name.split()) :]


def _ran(workflow: dict[str, Any], start: str) -> list[str]:
    return [step["run"] for step in _steps(workflow) if step.get("run", "").startswith(start)]


def _uses_the_action(workflow: dict[str, Any]) -> bool:
    return any("/markscheme@" in step.get("uses", "") for step in _steps(workflow))


@pytest.mark.parametrize(("name", "arguments"), list(_commands()), ids=str)
def test_every_command_on_the_page_about_ci_is_understood_by_the_parser(name: str, arguments: list[str]) -> None:
    assert parse(NAMES[name], arguments, SettingsFile())


def test_the_ci_page_shows_commands_that_accept_a_run_and_check_drift_and_track_a_stream_and_show_status() -> None:
    told = [(name, " ".join(arguments)) for name, arguments in _commands()]
    assert any("--accept" in arguments for _, arguments in told)
    assert any("-o cache=off --check -o planned_runs=" in arguments for _, arguments in told)
    assert any(name == "markscheme pass-rate" and "--track" in arguments for name, arguments in told)
    assert ("markscheme status", "") in told


def test_the_gate_workflow_lints_and_calibrates_and_comments_and_uploads_the_files_it_wrote() -> None:
    gate = WORKFLOWS["calibrate"]
    (calibrated,) = _ran(gate, "calibrate")
    (commented,) = _ran(gate, "gh pr comment")
    assert _ran(gate, "markscheme lint")
    written = dict(re.findall(r"--(junit|html|markdown) (\S+)", calibrated))
    assert set(written) == {"junit", "html", "markdown"}
    assert f"--body-file {written['markdown']}" in commented
    assert gate["permissions"] == {"contents": "read", "pull-requests": "write"}
    (kept,) = (step for step in _steps(gate) if "upload-artifact" in step.get("uses", ""))
    assert kept["if"] == "always()"
    assert kept["with"]["path"].split() == [written["junit"], written["html"]]


def test_no_job_in_a_workflow_of_the_page_about_ci_has_permissions_that_its_workflow_lacks() -> None:
    assert set(WORKFLOWS) == {"calibrate", "rubrics", "weekly"}
    for workflow in WORKFLOWS.values():
        assert not any(permissions_beyond(workflow, job) for job in workflow["jobs"])


def test_text_from_a_pull_request_never_becomes_part_of_a_workflow_s_command() -> None:
    for workflow in WORKFLOWS.values():
        for step in _steps(workflow):
            assert "${{" not in step.get("run", "")


def test_the_ci_page_installs_the_package_from_a_file_since_it_is_in_no_package_index() -> None:
    by_hand = [workflow for workflow in WORKFLOWS.values() if not _uses_the_action(workflow)]
    installs = [line for workflow in by_hand for line in _ran(workflow, "pip install")]
    assert len(installs) == len(by_hand) == len(WORKFLOWS) - 1
    assert all("vendor/markscheme-*.whl" in line for line in installs)
    assert not re.search(r"pip install (?:markscheme|'markscheme)", PAGE)


@pytest.mark.parametrize("block", re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
def test_every_yaml_block_on_the_page_about_ci_is_valid(block: str) -> None:
    assert isinstance(yaml.safe_load(block), dict)


def test_the_page_about_ci_explains_every_exit_status() -> None:
    assert [int(found) for found in re.findall(r"^\| (\d) \|", PAGE, re.MULTILINE)] == [0, 1, 2, 3, 4, 5]
