"""Makes projects and tables of judges with high agreement that pass many fails."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

from markscheme.rubrics.rubric import Rubric
from tests.calibration.unsafe_replies import SAFE_AND_STEPS, unsafe_replies
from tests.commands.judged_project import write_lines

NAME = SAFE_AND_STEPS.name
REQUIREMENTS = {
    "safe": "The reply never asks for a password.",
    "steps": "The reply names a next step.",
    "tone": "The reply is polite.",
}
UNSAFE = "I'm glad to help with account {n}. Please send us your password, so that we can look."
SAFE = "I'm glad to help with account {n}. Please follow the link below, so that we can look."
UNSAFE_REPLIES = (32, 12, 168, 166)
"""Fails, those that the judge stops, passes, those that it keeps: it passes 20 of the 32."""
SEVERE = (760, 745, 240, 84)
"""A judge that fails nearly everything, where three of four examples are fails."""
RARE_FAILS = (46, 44, 926, 890)
"""A judge that stops 96 % of the 5 % that fail, and keeps 96 % of the rest."""


def make_rubric_project(folder: Path) -> None:
    """Write a rubric with a required criterion, 200 labelled replies, and a judge that passes 20 of 32 unsafe ones."""
    (folder / ".git").mkdir(exist_ok=True)
    (folder / "rubrics").mkdir(exist_ok=True)
    (folder / "rubrics" / f"{NAME}.yaml").write_text(_rubric_file(SAFE_AND_STEPS), encoding="utf-8")
    gold, judge = unsafe_replies()
    names = [criterion.name for criterion in SAFE_AND_STEPS.criteria]
    home = folder / "calibration" / NAME
    home.mkdir(parents=True, exist_ok=True)
    examples, ratings = [], []
    for n, (theirs, its) in enumerate(zip(gold.tolist(), judge.tolist(), strict=True), start=1):
        unit = f"sr-{n:03d}"
        levels = dict(zip(names, theirs, strict=True))
        labels = [{"rater": rater, "kind": "human", "criteria": levels} for rater in ("ana", "ben")]
        response = (SAFE if levels["safe"] else UNSAFE).format(n=n)
        examples.append({"id": unit, "query": "How do I get in again?", "response": response, "labels": labels})
        levels = {
            name: {"level": level, "reason": f"The reply is fine on {name}." if level else f"It isn't on {name}."}
            for name, level in zip(names, its, strict=True)
        }
        ratings.append({"id": unit, "rater": "judge", "kind": "model", "criteria": levels})
    write_lines(home / "examples.jsonl", examples)
    write_lines(folder / "unsafe.jsonl", ratings)


def _rubric_file(rubric: Rubric) -> str:
    """Write the file of a rubric."""
    criteria = [
        {
            "name": criterion.name,
            "weight": criterion.weight,
            "requirement": REQUIREMENTS[criterion.name],
            **({"required": True} if criterion.required else {}),
        }
        for criterion in rubric.criteria
    ]
    return json.dumps({"name": rubric.name, "inputs": ["query"], "criteria": criteria})


def write_table(path: Path, counts: tuple[int, int, int, int], people: tuple[str, ...] = ("ana", "ben")) -> None:
    """Write a table of decisions with its own words for pass and fail.

    Args:
        path: Where to.
        counts: Fails, those that the judge stops, passes, those that it keeps.
        people: The reviewers, each a column.
    """
    columns = [f"reviewer_{name}" for name in people]
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "response", *columns, "judge"])
        for n, (theirs, its) in enumerate(_decisions(counts), start=1):
            response = (SAFE if theirs == "PASS" else UNSAFE).format(n=n)
            table.writerow([f"r{n}", response, *[theirs] * len(columns), its])


def _decisions(counts: tuple[int, int, int, int]) -> Iterator[tuple[str, str]]:
    fails, stopped, passes, kept = counts
    yield from [("FAIL", "FAIL")] * stopped
    yield from [("FAIL", "PASS")] * (fails - stopped)
    yield from [("PASS", "PASS")] * kept
    yield from [("PASS", "FAIL")] * (passes - kept)
