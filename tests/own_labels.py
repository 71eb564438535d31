"""A project whose two annotators' files of labels may be given where a judge's ratings belong."""

import json
from pathlib import Path

from tests.commands.console import run

ANA, BEN = "calibration/desk/ratings/ana.jsonl", "calibration/desk/ratings/ben.jsonl"


def write_project(folder: Path) -> None:
    """Write a rubric, 60 examples, their labels by ana and ben, and their adjudicated labels by cyd."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "desk.yaml").write_text("name: desk\ncriteria: [{name: ok, requirement: It is right.}]\n")
    kept = folder / "calibration" / "desk"
    (kept / "ratings").mkdir(parents=True)
    ids = [f"e{number}" for number in range(60)]
    (kept / "examples.jsonl").write_text("".join(json.dumps({"id": id, "response": id}) + "\n" for id in ids))
    for rater, kind in (("ana", "human"), ("ben", "human"), ("cyd", "adjudicated")):
        lines = ({"id": id, "rater": rater, "kind": kind, "criteria": {"ok": int(id[1:]) % 2 == 0}} for id in ids)
        (kept / "ratings" / f"{rater}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def refuses_own_labels(folder: Path, *command: str) -> None:
    """Run a command in a new project, and check that it refuses to compare ana's labels with labels that ana gave."""
    write_project(folder)
    done = run("markscheme", *command, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the labels to compare with are by ana" in done.stderr


def takes_own_labels_if_adjudicated_ones_count(folder: Path, *command: str) -> None:
    """Run a command in a new project, and check that it compares ana's labels with cyd's if only these count."""
    write_project(folder)
    done = run("markscheme", *command, "-o", "gold=adjudicated", cwd=folder)
    assert done.returncode != 2, done.stderr
    assert "60" in done.stdout
