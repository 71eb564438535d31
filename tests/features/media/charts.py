"""Sixty invented charts with claims about them, a judge that counts their squares, and one that never looks."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from markscheme import Rubric
from tests.features.media.pictures import chart, pixels_of, squares_in, word_in

RUBRIC = Rubric.from_dict(
    {
        "name": "charts",
        "inputs": ["chart"],
        "criteria": [{"name": "right", "requirement": "The number of squares is right"}],
    }
)
N = 60


class Shown(Protocol):
    """An image or document that a judge is shown next to a prompt."""

    @property
    def content(self) -> bytes:
        """Bytes of the image or document."""
        ...


def write_charts(folder: Path) -> Path:
    """Draw charts, and write claims about them with labels by the program that drew them."""
    chance = random.Random("charts")
    lines = []
    for index in range(N):
        squares, is_right = chance.randint(2, 9), chance.random() < 0.5
        claimed = squares if is_right else squares + chance.choice((-1, 1))
        image = f"{index}.png"
        (folder / image).write_bytes(chart(squares, tint=index))
        label = {"rater": "drawing", "kind": "constructed", "criteria": {"right": "MET" if is_right else "UNMET"}}
        claim = f"There are {claimed} squares."
        lines.append({"id": f"c{index}", "chart": {"image": image}, "response": claim, "labels": [label]})
    file = folder / "examples.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


def _answer(level: str) -> Mapping[str, Any]:
    return {"verdicts": {"right": {"quote": "nothing to quote", "reason": "Counted.", "level": level}}}


def read_back(parts: Sequence[Shown]) -> Mapping[str, Any]:
    """Return the answers to a sight test: the word, and the number of squares."""
    rows = pixels_of(parts[0].content)
    return {"word": word_in(rows), "count": squares_in(rows)}


def counts(system_prompt: str, user_prompt: str, parts: Sequence[Shown]) -> Mapping[str, Any]:
    """Judge by counting the squares of the chart in the image, and pass sight tests."""
    if "count the squares" in user_prompt:
        return read_back(parts)
    claimed = int(re.findall(r"There are (\d+) squares", user_prompt)[0])
    content = parts[0].content
    is_ours = content[25] == 2
    return _answer("MET" if is_ours and squares_in(pixels_of(content)) == claimed else "UNMET")


def believes(system_prompt: str, user_prompt: str, parts: Sequence[Shown]) -> Mapping[str, Any]:
    """Judge by the claim alone, without looking at the image."""
    claimed = re.findall(r"There are (\d+) squares", user_prompt)
    return _answer("MET" if claimed and int(claimed[0]) % 2 else "UNMET")
