"""Safeguards against accidental releases, and the weekly run with newer versions than the package allows."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from tests.commands.console import ROOT
from tests.workflows import permissions_beyond

CI = ROOT / ".ci"
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in ROOT.glob(".github/workflows/*.yml")
}


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, CI / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RELEASE = script("release")


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """Copy the files that a release is checked by, with an address and a date filled in."""
    (tmp_path / ".claude-plugin").mkdir()
    for name in ("pyproject.toml", "CHANGELOG.md", "CITATION.cff", ".claude-plugin/plugin.json"):
        shutil.copy(ROOT / name, tmp_path / name)
    edit(tmp_path / "pyproject.toml", r"https://example\.invalid", "https://git.example.org")
    edit(tmp_path / "CHANGELOG.md", r"\(unreleased\)", "(2026-12-01)")
    return tmp_path


def edit(path: Path, pattern: str, by: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.search(pattern, text), pattern
    path.write_text(re.sub(pattern, by, text, count=1), encoding="utf-8")


def test_a_repository_with_placeholder_addresses_cannot_be_released() -> None:
    faults = RELEASE.faults("v0.1.0", ROOT)
    assert any("placeholder" in fault for fault in faults)
    done = subprocess.run(
        [sys.executable, str(CI / "release.py"), "v0.1.0"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("not released: ") == len(faults)


def test_a_release_without_faults_is_allowed(ready: Path) -> None:
    assert RELEASE.faults("v0.1.0", ready) == []


@pytest.mark.parametrize(
    ("file", "pattern", "by"),
    [
        ("pyproject.toml", r'^version = "0.1.0"', 'version = "0.2.0"'),
        ("CHANGELOG.md", r"\(2026-12-01\)", "(soon)"),
        ("CITATION.cff", r"version: 0\.1\.0", "version: 0.0.9"),
        (".claude-plugin/plugin.json", r'"version": "0\.1\.0"', '"version": "0.0.9"'),
    ],
)
def test_a_release_is_stopped_if_a_file_states_another_version_or_no_date(
    ready: Path, file: str, pattern: str, by: str
) -> None:
    edit(ready / file, f"(?m){pattern}", by)
    assert RELEASE.faults("v0.1.0", ready)


def test_a_tag_that_differs_from_the_package_s_version_stops_the_release(ready: Path) -> None:
    (fault,) = RELEASE.faults("v0.1.1", ready)
    assert "the tag is v0.1.1" in fault


def test_only_the_release_workflow_s_last_job_may_publish_and_only_from_an_approved_tag() -> None:
    jobs = WORKFLOWS["release"]["jobs"]
    publishing = [name for name, job in jobs.items() if "publish" in json.dumps(job["steps"])]
    assert publishing == ["publish"]
    publish = jobs["publish"]
    for condition in ("github.event_name == 'push'", "startsWith(github.ref, 'refs/tags/v')", "vars.PUBLISH == 'yes'"):
        assert condition in publish["if"]
    assert (publish["environment"], publish["needs"], jobs["try"]["needs"]) == ("release", "try", "build")
    assert not re.search(r"password|api.token", json.dumps(publish).casefold())


def test_workflows_only_read_the_repository_by_default_and_each_of_their_jobs_has_a_time_limit() -> None:
    for name, workflow in WORKFLOWS.items():
        assert workflow["permissions"] == {"contents": "read"}, name
        for job in workflow["jobs"].values():
            assert "timeout-minutes" in job


def test_only_jobs_that_publish_or_attest_have_permissions_that_their_workflow_lacks() -> None:
    wider = {
        (name, job): beyond
        for name, workflow in WORKFLOWS.items()
        for job in workflow["jobs"]
        if (beyond := permissions_beyond(workflow, job))
    }
    assert wider == {
        ("docs", "build"): {"contents": "write", "pages": "read"},
        ("release", "build"): {"id-token": "write", "attestations": "write"},
        ("release", "publish"): {"id-token": "write"},
    }


def test_the_weekly_test_run_installs_dependencies_without_upper_bounds() -> None:
    done = subprocess.run([sys.executable, str(CI / "newest.py")], capture_output=True, text=True, check=True)
    lines = done.stdout.split()
    assert any(line.startswith("anthropic>=") for line in lines)
    assert all("<" not in line for line in lines)
