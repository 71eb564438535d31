"""Sixty invented charts, judged by a function that counts coloured squares, and by one that ignores the chart."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric, calibrate
from markscheme.features.media.drawing import GLYPHS, picture
from markscheme.features.media.media import Media
from markscheme.judges.function import FunctionJudge
from tests.features.media.pixels import pixels_of, read_back, squares_in

RUBRIC = Rubric.from_dict(
    {
        "name": "charts",
        "inputs": ["chart"],
        "criteria": [{"name": "right", "requirement": "The number of squares is right"}],
    }
)
N = 60


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Charts with claims about them, and labels by the program that drew them."""
    folder = tmp_path_factory.mktemp("charts")
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
    return _answer("MET" if squares_in(pixels_of(parts[0].content)) == claimed else "UNMET")


def believes(system_prompt: str, user_prompt: str, parts: Sequence[Media]) -> Mapping[str, Any]:
    """A judge that never looks."""
    return _answer("MET")


def test_a_judge_that_reads_pixels_agrees_with_the_drawing_program_on_every_chart(examples: Path) -> None:
    done = calibrate(RUBRIC, examples, FunctionJudge(counts, "function:counts")).to_json()
    assert done["counts"]["graded"] == N
    assert done["agreement"]["value"] == 1.0
    assert done["criteria"]["right"]["cohen_kappa"]["value"] == 1.0
    assert "base64" not in json.dumps(done)


def test_a_judge_that_never_looks_is_left_ungraded_by_the_test_whether_it_sees(examples: Path) -> None:
    with pytest.raises(Exception, match="can't read images"):
        calibrate(RUBRIC, examples, FunctionJudge(believes, "function:believes"))
