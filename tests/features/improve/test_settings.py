"""A candidate that is tried on labels is on record as a setting of the rubric, and counts."""

import json
from pathlib import Path

import pytest

from tests.calibration.test_settings_of_a_rubric import lines, make_project
from tests.commands.console import run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project, and change the working directory to it."""
    monkeypatch.chdir(tmp_path)
    return make_project(tmp_path)


def test_each_candidate_wording_of_improve_is_recorded_as_a_tried_setting(project: Path) -> None:
    verdicts = {"polite": {"quote": "", "reason": "x", "level": "MET"}}
    always = f"def judge(system_prompt, user_prompt):\n    return {{'verdicts': {verdicts}}}\n"
    (project / "judge.py").write_text(always)
    for number in range(2):
        data = {"name": "reply", "criteria": [{"name": "polite", "requirement": f"The reply is polite ({number})."}]}
        (project / f"candidate{number}.yaml").write_text(json.dumps(data))
    done = run(
        "markscheme", "improve", "reply", "--judge", "function:judge:judge",
        "--candidates", "candidate0.yaml", "candidate1.yaml", cwd=project,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert {line["split"] for line in lines(project)} == {"dev"}
    assert len({line["setting"] for line in lines(project)}) == 3
