"""A folder for sockets of a test's own, and a rubric with a judge that is a function."""

from pathlib import Path

import pytest

JUDGE = """
import json, os, pathlib, time
def met(system_prompt, user_prompt):
    folder = pathlib.Path(__file__).parent
    with (folder / "asked").open("a") as asked:
        asked.write("x")
    time.sleep(float(os.environ.get("JUDGE_SECONDS", "0")))
    while (folder / "held").exists():
        time.sleep(0.01)
    names = [part.split('"')[1] for part in user_prompt.rsplit("Rate the response on", 1)[1].split(",") if '"' in part]
    said = {"quote": "Paris.", "reason": "It says so.", "level": "MET"}
    return json.dumps({"verdicts": {name: said for name in names}})
met.environment = ("JUDGE_SECONDS", "JUDGE_MODE")
"""
RUBRIC = "criteria:\n- {name: right, requirement: Names the capital, weight: 2}\n"
CONFIG = {"rubric": "capital", "judge": "function:session_judge:met"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Someone's folder, with a rubric and a module with a judge."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "capital.yaml").write_text(RUBRIC)
    (tmp_path / "session_judge.py").write_text(JUDGE)
    return tmp_path


@pytest.fixture
def env(project: Path, runtime: Path) -> dict[str, str]:
    """The environment of an assertion in that project."""
    return {"MARKSCHEME_CACHE": str(project / "cache"), "PYTHONPATH": str(project), "XDG_RUNTIME_DIR": str(runtime)}
