"""Whenever a command that writes is killed, the next run works, no line is torn, and nothing is left behind."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.console import ROOT, environment
from tests.readers.every_format import lines, make_project

NOTES = [{"id": "p1", "note": "dear", "mode": "price", "rater": "ann", "kind": "human"}]
COMMANDS = {
    "import": "import ratings.jsonl --rubric place --append --to calibration/place/ratings/judge.jsonl",
    "accept": "calibrate place --ratings ratings.jsonl --accept --anyway --quiet",
    "reports": "calibrate place --ratings ratings.jsonl --quiet --json o.json --html o.html --junit o.xml",
    "grade": "grade place rows.jsonl --judge function:parcel_desk:judge --no-cache --out grades.csv",
    "discover": "discover fresh --pool rows.jsonl --notes notes.jsonl --json",
    "sheet": "label place --rater zoe --sheet sheet.html",
    "export": "export place --promptfoo out.yaml",
    "init": "init there",
}
SHORT = "import"
"""The command with the fewest writes."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.release) if name != SHORT else name for name in COMMANDS]
)
def test_a_kill_at_each_write_tears_no_line_and_leaves_nothing_after_the_next_run(name: str, tmp_path: Path) -> None:
    project, scratch = tmp_path / "project", tmp_path / "scratch"
    project.mkdir()
    scratch.mkdir()
    make_project(project)
    (project / ".git").mkdir()
    lines(project / "rows.jsonl", [{"id": f"p{n}", "response": f"Reply p{n}."} for n in range(1, 4)])
    lines(project / "notes.jsonl", NOTES)
    done = subprocess.run(
        [sys.executable, "-m", "tests.commands.killed_writers", json.dumps(COMMANDS[name].split()), project, scratch],
        cwd=ROOT,
        env=environment() | {"MARKSCHEME_SESSION": "off", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    became = json.loads(done.stdout)
    assert len(became["killed"]) > 2, "the command writes"
    wrong = [outcome for outcome in became["killed"] if outcome["torn"] or outcome["missing"] or outcome["left"]]
    assert wrong == [], done.stderr[-2000:]
    assert {outcome["status"] for outcome in became["killed"]} == {became["status"]}, done.stderr[-2000:]
