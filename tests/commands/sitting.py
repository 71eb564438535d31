"""A project with thirty replies that two people labelled, and what commands print in it."""

import json
from pathlib import Path

from tests.commands.console import run

ASKED = "Label about 120 more for an even chance to say whether the judge can gate."
"""Two judges were compared on the same labels, so their intervals hold together."""


def make_sitting(folder: Path) -> Path:
    """Make thirty replies that two people labelled, and a judge that misses three of them."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "kind.yaml").write_text("criteria:\n- {name: kind, requirement: Is it kind?}\n")
    home = folder / "calibration" / "kind"
    home.mkdir(parents=True)
    rows = [{"id": f"e{i}", "response": f"reply {i}", "labels": labels_of(i)} for i in range(30)]
    (home / "examples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for judge, misses in (("judge", 3), ("other", 12)):
        ratings = [
            {"id": f"e{i}", "judge": judge, "criteria": {"kind": bool(i % 2) != (i < misses)}} for i in range(30)
        ]
        (folder / f"{judge}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ratings))
    pool = [{"id": f"p{i}", "response": f"new {i}"} for i in range(100)]
    (folder / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in pool))
    return folder


def labels_of(place: int) -> list[dict[str, object]]:
    return [{"rater": rater, "criteria": {"kind": bool(place % 2)}} for rater in ("ann", "bob")]


def printed(sitting: Path, *command: str, status: int = 0) -> str:
    """Return what a command prints, in one line."""
    done = run(*command, cwd=sitting, env={"COLUMNS": "200"})
    assert done.returncode == status, done.stderr
    return " ".join(done.stdout.split())
