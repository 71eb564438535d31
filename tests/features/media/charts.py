"""Sixty invented charts with claims about them, a judge that counts their squares, and one that never looks."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markscheme import Rubric
from markscheme.features.media.drawing import GLYPHS, picture
from markscheme.features.media.media import Media
from tests.features.media.pixels import pixels_of, read_back, squares_in

RUBRIC = Rubric.from_dict(
    {
        "name": "charts",
        "inputs": ["chart"],
        "criteria": [{"name": "right", "requirement": "The number of squares is right"}],
    }
)
N = 60


def write_charts(folder: Path) -> Path:
    """Draw charts, and write claims about them with labels by the program that drew them."""
    chance = random.Random("charts")
    lines = []
    for place in range(N):
        squares, is_right = chance.randint(2, 9), chance.random() < 0.5
        claimed = squares if is_right else squares + chance.choice((-1, 1))
        (folder / f"{place}.png").write_bytes(picture("".join(chance.sample(sorted(GLYPHS), 5)), squares))
        label = {"rater": "drawing", "kind": "constructed", "criteria": {"right": "MET" if is_right else "UNMET"}}
        chart = {"image": f"{place}.png"}
        lines.append(
            {"id": f"c{place}", "chart": chart, "response": f"There are {claimed} squares.", "labels": [label]}
        )
    file = folder / "examples.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


def _answer(level: str) -> Mapping[str, Any]:
    return {"verdicts": {"right": {"quote": "nothing to quote", "reason": "Counted.", "level": level}}}


def counts(system_prompt: str, user_prompt: str, parts: Sequence[Media]) -> Mapping[str, Any]:
    """A judge with eyes: it counts the squares of the chart, and reads a test picture back."""
    if "count the squares" in user_prompt:
        return read_back(parts)
    claimed = int(re.findall(r"There are (\d+) squares", user_prompt)[0])
    content = parts[0].content
    is_ours = content[25] == 2
    return _answer("MET" if is_ours and squares_in(pixels_of(content)) == claimed else "UNMET")


def believes(system_prompt: str, user_prompt: str, parts: Sequence[Media]) -> Mapping[str, Any]:
    """A judge that never looks: it goes by the claim alone."""
    claimed = re.findall(r"There are (\d+) squares", user_prompt)
    return _answer("MET" if claimed and int(claimed[0]) % 2 else "UNMET")
