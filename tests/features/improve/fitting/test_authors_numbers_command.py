"""`markscheme improve --numbers`, run as a user runs it, on a rubric whose weights are right or wrong."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands.console import run

RUBRIC = """\
name: plate
passingThreshold: 0.5
criteria:
  - {name: warm, weight: WARM, requirement: The reply is warm.}
  - {name: short, weight: 1, requirement: The reply is short.}
  - {name: exact, weight: 1, requirement: The reply is exact.}
  - {name: safe, weight: 1, required: true, requirement: The reply is safe.}
"""
PEOPLES = np.array([4.0, 1.0, 1.0, 1.0])
"""Weights by which people decide."""


class Plate:
    """A rubric with annotators' decisions in a folder of its own."""

    def __init__(self, folder: Path, warm: float, n: int = 120, **label: Any) -> None:
        self.folder = folder
        self.rubric = folder / "rubrics" / "plate.yaml"
        self.rubric.parent.mkdir(parents=True)
        self.rubric.write_text(RUBRIC.replace("WARM", f"{warm:g}"))
        self.home = folder / "calibration" / "plate"
        self.home.mkdir(parents=True)
        draws = np.random.default_rng(7)
        levels = np.column_stack([draws.integers(0, 2, (n, 3)), np.ones(n, dtype=int)])
        passed = levels @ PEOPLES / PEOPLES.sum() >= 0.5
        lines = [self._line(f"o{index}", row.tolist(), bool(passed[index]), label) for index, row in enumerate(levels)]
        (self.home / "examples.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")

    @staticmethod
    def _line(id: str, levels: Sequence[int], passed: bool, label: dict[str, Any]) -> dict[str, Any]:
        names = ("warm", "short", "exact", "safe")
        given = {"rater": "ann", "kind": "human", "pass": passed, "criteria": dict(zip(names, levels, strict=True))}
        return {"id": id, "query": f"Question {id}", "response": f"Reply {id}", "labels": [{**given, **label}]}

    def improve(self, *options: str) -> tuple[int, dict[str, Any], str]:
        """Exit status, JSON, and standard error."""
        done = run("markscheme", "improve", "plate", *options, "--json", cwd=self.folder)
        return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr

    def shown(self, *options: str) -> str:
        """What the terminal shows."""
        return run("markscheme", "improve", "plate", *options, cwd=self.folder).stdout

    def looks(self) -> list[dict[str, Any]]:
        """The record of looks."""
        path = self.home / "opened.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_wrong_weights_are_adopted_from_decisions_alone_and_written(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=1)
    status, report, _ = plate.improve("--numbers", "--open")
    assert status == 0
    numbers = report["numbers"]
    assert (numbers["adopted"], numbers["answer"], numbers["opening"]) == ("weights", "better", 1)
    after = numbers["weights"]["after"]
    assert set(after) == {"warm", "short", "exact"}
    assert after["warm"] > 2 * max(after["short"], after["exact"])
    assert "weight: 1," in plate.rubric.read_text()
    shown = plate.shown("--numbers", "--open")
    assert "speak against yours" in shown
    assert "markscheme improve plate --numbers --write" in shown
    status, report, _ = plate.improve("--numbers", "--write")
    assert (status, report["numbers"]["written"], report["numbers"]["opening"]) == (0, True, 1)
    assert f"name: warm, weight: {after['warm']:g}" in plate.rubric.read_text()
    moved = json.loads((plate.home / "tuned.jsonl").read_text())
    assert moved["changed"]["weights"]["warm"] == after["warm"]
    assert len(moved["ids"]) == 120


def test_right_weights_stay(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=4)
    status, report, _ = plate.improve("--numbers", "--open")
    assert (status, report["numbers"]["adopted"]) == (1, None)
    assert report["numbers"]["weights"]["after"] == report["numbers"]["weights"]["before"]
    assert "Yours stay." in plate.shown("--numbers", "--open")


def test_alone_it_shows_what_can_be_tried_and_looks_at_nothing(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=1)
    status, report, _ = plate.improve()
    assert status == 0
    assert report["can_try"] == {"words": True, "weights": True, "pass_mark": True}
    assert report["numbers"] is None
    evidence = report["evidence"]
    assert (evidence["decisions"], evidence["raters"], evidence["not_blind"]) == (120, ["ann"], 0)
    assert evidence["passes"] + evidence["fails"] == 120
    assert report["next"][0] == "markscheme improve plate --numbers --open"
    assert plate.improve("--numbers")[1]["numbers"] is None
    assert not plate.looks()
    assert "9 in 10" in plate.shown()


def test_a_look_is_recorded_once_while_decisions_stay_as_they_are(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=4)
    for _ in range(2):
        assert plate.improve("--numbers", "--open")[1]["numbers"]["opening"] == 1
    assert [look["by"] for look in plate.looks()] == ["improve --numbers"]
    examples = plate.home / "examples.jsonl"
    lines = examples.read_text().splitlines()
    examples.write_text("\n".join(lines[:-1]) + "\n")
    assert plate.improve("--numbers", "--open")[1]["numbers"]["opening"] == 2
    assert len(plate.looks()) == 2


def test_decisions_next_to_a_verdict_move_nothing(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=1, blind=False)
    status, report, error = plate.improve("--numbers", "--open")
    assert (status, report) == (4, {})
    assert "120 decisions were given next to a verdict" in error
    assert plate.improve()[1]["evidence"]["not_blind"] == 120
    assert not plate.looks()


@pytest.mark.parametrize("n", [30])
def test_too_few_decisions_say_how_many_are_needed(tmp_path: Path, n: int) -> None:
    status, _, error = Plate(tmp_path, warm=1, n=n).improve("--numbers", "--open")
    assert status == 4
    assert f"{n} pass/fail decisions" in error
    assert "40 are needed" in error
