"""A project whose two annotators' files of labels may be given where a judge's ratings belong."""

import json
from collections.abc import Callable
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


def write_models_labels(folder: Path, *labelling: str) -> None:
    """Write the project with labels by models alone, and the ratings of `gpt` and `haiku` as `gpt.jsonl` and so on.

    The models `gpt` and `third` differ on every example; `haiku` agrees with `gpt` on three of four.
    """
    write_project(folder)
    kept = folder / "calibration" / "desk" / "ratings"
    for labels in kept.iterdir():
        labels.unlink()
    levels: dict[str, Callable[[int], bool]] = {
        "gpt": lambda number: number % 2 == 0,
        "third": lambda number: number % 2 == 1,
        "haiku": lambda number: (number % 2 == 0) != (number % 4 == 0),
    }
    for rater, level in levels.items():
        lines = (
            {"id": f"e{number}", "rater": rater, "kind": "model", "criteria": {"ok": level(number)}}
            for number in range(60)
        )
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{rater}.jsonl").write_text(text)
        if rater in labelling:
            (kept / f"{rater}.jsonl").write_text(text)
