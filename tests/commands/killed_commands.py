"""A command that is killed before each of its writes, in a project with something for every command."""

import json
import subprocess
import sys
from pathlib import Path

from tests.commands.console import ROOT, environment
from tests.readers.every_format import lines, make_project

NOTES = [{"id": "p1", "note": "dear", "mode": "price", "rater": "ann", "kind": "human"}]


def survives_kills(command: str, tmp_path: Path) -> None:
    """Check that after a kill before any write the next run works, no line is torn, and nothing is left behind."""
    project, scratch = tmp_path / "project", tmp_path / "scratch"
    project.mkdir()
    scratch.mkdir()
    make_project(project)
    (project / ".git").mkdir()
    lines(project / "rows.jsonl", [{"id": f"p{n}", "response": f"Reply p{n}."} for n in range(1, 4)])
    lines(project / "notes.jsonl", NOTES)
    done = subprocess.run(
        [sys.executable, "-m", "tests.commands.killed_writers", json.dumps(command.split()), project, scratch],
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
