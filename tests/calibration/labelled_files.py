"""Makes files of a rubric with two criteria, and of labels whose scores follow only one of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric

RUBRIC = """pass_mark: 0.5
criteria:
- {name: right, description: Is it right?, scale: {min: 1, max: 5}, weight: 0.5}
- {name: brief, description: Is it brief?, scale: {min: 1, max: 5}, weight: 0.5}
"""


def labelled(n: int = 120) -> list[dict[str, Any]]:
    """Make labelled examples whose overall scores follow only one of two criteria."""
    draw = np.random.default_rng(7)
    lines = []
    for place, (right, brief) in enumerate(draw.integers(1, 6, (n, 2)).tolist()):
        mark = float(np.clip((right - 1) / 4 + draw.normal(0, 0.03), 0, 1).round(2))
        label = {"rater": "a", "criteria": {"right": right, "brief": brief}, "overall": mark, "pass": mark >= 0.5}
        lines.append({"id": f"e{place}", "response": f"answer {place}", "labels": [label]})
    return lines


def write_labels(folder: Path, lines: list[dict[str, Any]]) -> Rubric:
    """Write the rubric, and examples next to it; return the rubric."""
    (folder / "answers.yaml").write_text(RUBRIC)
    (folder / "examples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return load_rubric(folder / "answers.yaml")
