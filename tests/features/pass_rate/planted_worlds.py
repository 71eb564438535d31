"""Sixteen weeks of a stream in which nothing moves, or judge, responses or traffic does, lived through by commands."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from tests.commands.console import run

WEEKS = 16
MOVES_IN = 8
"""The week, counted from 0, in which a world changes."""
A_WEEK = 300
MONDAY = date(2025, 6, 2)
RUBRIC = """\
name: reply
criteria:
  - name: solves
    requirement: The reply solves the customer's problem.
    weight: 1
"""
JUDGE = '''\
"""A judge that reads off a reply whether it is good, with errors of its own; `strict` makes more of them."""

import pathlib
import re


def judge(system_prompt, user_prompt):
    text = user_prompt.rpartition("<response-")[2]
    good = "It works again" in text
    luck = float(re.search(r"ticket (0[.][0-9]+)", text)[1])
    strict = pathlib.Path("strict").exists()
    passes = luck >= (0.25 if strict else 0.05) if good else luck < (0.10 if strict else 0.30)
    level = "MET" if passes else "UNMET"
    return {"verdicts": {"solves": {"quote": "ticket", "reason": "As the ticket says.", "level": level}}}
'''


@dataclass(frozen=True)
class World:
    """What moves.

    Attributes:
        named: What the last look names; None for nothing.
        judge: Whether the judge gets stricter.
        responses: How many points fewer are good.
        traffic: How much more of it is French, where fewer replies are good.
    """

    named: str | None
    judge: bool = False
    responses: float = 0.0
    traffic: float = 0.0


WORLDS = {
    "still": World(None),
    "judge stricter": World("judge", judge=True),
    "responses worse": World("responses", responses=0.25),
    "traffic changed": World("traffic", traffic=0.55),
}


@dataclass(frozen=True)
class Lived:
    """A stream that was lived through: its folder, the JSON of each look, and whether each response is good."""

    folder: Path
    looks: list[dict[str, Any]]
    statuses: list[int]
    good: dict[str, bool]

    @property
    def stream(self) -> Path:
        """The folder of its memory."""
        return self.folder / "calibration/reply/rates/main"


def passes(*, good: bool, luck: float, strict: bool) -> bool:
    """Decide as the judge does."""
    return luck >= (0.25 if strict else 0.05) if good else luck < (0.10 if strict else 0.30)


def reply(*, good: bool, luck: float) -> str:
    """Write a reply from which the judge reads off both."""
    return f"{'It works again.' if good else 'Please try later.'} Yours, ticket {luck:.4f}"


def begin(folder: Path) -> None:
    """Make the rubric, the judge, and a hundred labelled examples, and accept a run of the judge on them."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics/reply.yaml").write_text(RUBRIC)
    (folder / "stand_in.py").write_text(JUDGE)
    home = folder / "calibration/reply"
    home.mkdir(parents=True)
    draw = random.Random("anchors")
    lines = []
    for n in range(100):
        good, luck = draw.random() < 0.8, draw.random()
        label = {"rater": "ann", "kind": "human", "criteria": {"solves": "MET" if good else "UNMET"}}
        lines.append({"id": f"a{n}", "response": reply(good=good, luck=luck), "labels": [label]})
    (home / "examples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run(
        "markscheme", "calibrate", "reply", "--judge", "function:stand_in:judge", "--accept", "--force", cwd=folder
    )
    assert (home / "accepted.json").is_file(), done.stdout + done.stderr


def responses(world: World, week: int, draw: random.Random) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield a week's lines of a file, and whether each reply is good."""
    has_moved = week >= MOVES_IN
    french = 0.2 + world.traffic * has_moved
    for n in range(A_WEEK):
        language = "fr" if draw.random() < french else "en"
        chance = (0.55 if language == "fr" else 0.88) - world.responses * has_moved
        good, luck = draw.random() < chance, draw.random()
        at = MONDAY + timedelta(weeks=week, days=draw.randrange(7))
        line = {
            "id": f"w{week}-{n}",
            "time": f"{at.isoformat()}T12:00:00Z",
            "language": language,
            "response": reply(good=good, luck=luck),
            "pass": passes(good=good, luck=luck, strict=world.judge and has_moved),
        }
        yield line, good


def live(world: World, folder: Path, *, weeks: int = WEEKS, seed: str = "1") -> Lived:
    """Live through a world: every Monday a command, then people label its audits."""
    begin(folder)
    draw = random.Random(f"{world} {seed}")
    lived = Lived(folder, [], [], {})
    for week in range(weeks):
        if world.judge and week == MOVES_IN:
            (folder / "strict").touch()
        lines = list(responses(world, week, draw))
        lived.good.update((line["id"], good) for line, good in lines)
        (folder / "traces.jsonl").write_text("".join(json.dumps(line) + "\n" for line, _ in lines))
        sunday = MONDAY + timedelta(weeks=week, days=6)
        look(lived, "traces.jsonl", "--audits-per-week", "60", sunday=sunday) if week == 0 else look(
            lived, "traces.jsonl", sunday=sunday
        )
        label(lived, lambda unit: lived.good[unit])
    return lived


def look(lived: Lived, *words: str, sunday: date) -> None:
    """Run the command as it is printed, and keep what it says."""
    asked = ("--rubric", "reply", "--track", "--judge", "function:stand_in:judge")
    command = ("markscheme", "pass-rate", *words, *asked, "--through", sunday.isoformat(), "--json")
    done = run(*command, cwd=lived.folder)
    assert done.stdout, done.stderr
    lived.looks.append(json.loads(done.stdout))
    lived.statuses.append(done.returncode)


def label(lived: Lived, is_good: Callable[[str], bool]) -> None:
    """Label all audits, as the page saves it."""
    audits = [json.loads(line)["id"] for line in (lived.stream / "audits.jsonl").read_text().splitlines()]
    path = lived.folder / "calibration/reply/ratings/ben.jsonl"
    path.parent.mkdir(exist_ok=True)
    lines = (
        {"id": unit, "rater": "ben", "kind": "human", "criteria": {"solves": "MET" if is_good(unit) else "UNMET"}}
        for unit in audits
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
