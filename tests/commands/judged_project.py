"""A folder with one rubric, labelled examples, and what scripted judges make of them."""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

RUBRIC = """
criteria:
- {name: polite, description: The reply is polite, weight: 1}
- {name: short, requirement: The reply is short, weight: 0.5}
"""
JUDGES = """
import json

from markscheme.judges.judge import Reply, Usage


def _answer(name, user_prompt, off, dollars):
    number = int(user_prompt.split("reply ")[1].split()[0])
    level = 1 + number % 5
    if number % 10 < off:
        level = level - 1 if level > 1 else 2
    said = {"polite": str(level), "short": "MET" if number % 2 else "UNMET"}
    verdicts = {c: {"quote": "nothing to quote", "reason": f"{name} says so", "level": l} for c, l in said.items()}
    return Reply(json.dumps({"verdicts": verdicts}), usage=Usage(1, 100, 10, dollars))


def careful(system_prompt, user_prompt):
    return _answer("careful", user_prompt, 0, 0.02)


def frugal(system_prompt, user_prompt):
    return _answer("frugal", user_prompt, 0, 0.001)


def hasty(system_prompt, user_prompt):
    return _answer("hasty", user_prompt, 5, 0.0001)


careful.environment = frugal.environment = hasty.environment = ()
"""
SHARE_OFF = {"gpt": 0.35, "claude": 0.1, "lenient": 0.5}


def make_project(folder: Path, *, n: int = 60, labelled: bool = True) -> Path:
    """Write a rubric `manners`, n examples that two people labelled, and ratings of three judges."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "manners.yaml").write_text(RUBRIC)
    (folder / "scripted_judges.py").write_text(JUDGES)
    home = folder / "calibration" / "manners"
    home.mkdir(parents=True)
    examples, ratings = [], []
    rng = random.Random(20261122)
    for i in range(n):
        gold = {"polite": 1 + i % 5, "short": i % 2 == 1}
        labels = [{"rater": rater, "criteria": gold} for rater in "ab"] if labelled else []
        examples.append({"id": f"e{i}", "response": f"reply {i} of many", "labels": labels})
        for judge, off in SHARE_OFF.items():
            level = 1 + i % 5
            if rng.random() < off:
                level = min(5, level + 1) if judge == "lenient" else rng.choice([1, 2, 3, 4, 5])
            criteria = {"polite": {"level": level, "reason": "so it reads"}, "short": i % 2 == 1}
            ratings.append({"id": f"e{i}", "judge": judge, "criteria": criteria})
    write_lines(home / "examples.jsonl", examples)
    write_lines(folder / "judges.jsonl", ratings)
    for judge in SHARE_OFF:
        write_lines(folder / f"{judge}.jsonl", [line for line in ratings if line["judge"] == judge])
    return folder


def write_lines(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    """Write JSON objects to a file, one per line."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
