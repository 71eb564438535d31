"""A project of forty examples of two systems, whose lines are damaged, and commands that may skip these."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.commands.console import run
from tests.commands.judged_project import write_lines

HOME = Path("calibration") / "polite"
LABELLED = (HOME / "examples.jsonl", HOME / "ratings" / "ann.jsonl")
"""The files of examples and of their labels."""


def make_project(folder: Path) -> Path:
    """Make forty examples of two systems, labelled in `ratings/`, and a judge that is wrong on all of system b."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "polite.yaml").write_text(
        "criteria:\n- {name: polite, requirement: The reply is polite, weight: 1}\n"
    )
    home = folder / HOME
    (home / "ratings").mkdir(parents=True)
    levels = [i // 2 % 2 == 0 for i in range(40)]
    examples = [{"id": f"e{i}", "response": f"reply {i}", "system": "ab"[i % 2]} for i in range(40)]
    write_lines(home / "examples.jsonl", examples)
    write_lines(home / "ratings" / "ann.jsonl", rated(levels, rater="ann", kind="human"))
    verdicts = [level if i % 2 == 0 else not level for i, level in enumerate(levels)]
    write_lines(folder / "judge.jsonl", rated(verdicts, judge="j"))
    return folder


def rated(levels: Sequence[bool], **who: str) -> list[dict[str, Any]]:
    return [{"id": f"e{i}", **who, "criteria": {"polite": level}} for i, level in enumerate(levels)]


def damage(path: Path) -> None:
    """Cut the second of a file's lines in half."""
    lines = path.read_text().splitlines(keepends=True)
    lines[1] = lines[1][:20] + "\n"
    path.write_text("".join(lines))


def skips_damaged_ratings(project: Path, *command: str) -> None:
    """Check that a command refuses ratings with a damaged line, unless it may skip the line."""
    second = [{**json.loads(line), "judge": "k"} for line in (project / "judge.jsonl").read_text().splitlines()]
    write_lines(project / "second.jsonl", second)
    damage(project / "judge.jsonl")
    assert run(*command, cwd=project).returncode == 2
    done = run(*command, "-o", "skip_damaged=true", cwd=project)
    assert done.returncode in (0, 4), done.stderr
    assert "judge.jsonl:2" in done.stderr


def printed_without_damaged(project: Path, file: Path, *command: str) -> str:
    """Damage a line, check that a command names it, and return what the command prints when it skips the line."""
    damage(project / file)
    refused = run("markscheme", *command, cwd=project)
    assert f"{file.name}:2" in refused.stdout + refused.stderr
    done = run("markscheme", *command, "-o", "skip_damaged=true", cwd=project)
    assert done.returncode == 0
    assert f"{file.name}:2" in done.stderr
    return done.stdout
