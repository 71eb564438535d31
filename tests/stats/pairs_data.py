"""Published pairs of responses with people's and judges' preferences, from the folder beside the repository."""

import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.reference.pandalm import SYSTEMS

ITEMS = Path(__file__).parents[3] / "shared" / "data" / "pandalm" / "items.jsonl.gz"
LEVELS = {0: 0.0, 1: -1.0, 2: 1.0}
"""The set's labels, and the level of each: 1 prefers the first response, 2 the second."""


@dataclass(frozen=True)
class PublishedPairs:
    """The published pairs of responses: names of the systems by number, prompts, and the rows as published."""

    rows: tuple[dict[str, Any], ...]
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    prompts: npt.NDArray[np.str_]


@cache
def _read() -> PublishedPairs:
    with gzip.open(ITEMS, "rt", encoding="utf-8") as lines:
        rows = tuple(json.loads(line) for line in lines)
    names = [row["system"].split("_") for row in rows]
    first, second = (np.array([SYSTEMS.index(pair[side]) for pair in names]) for side in (0, 1))
    return PublishedPairs(rows, first, second, np.array([row["input"] for row in rows]))


def published_pairs() -> PublishedPairs:
    """All 999 pairs; the test is skipped where the data aren't there."""
    if not ITEMS.is_file():
        pytest.skip(f"runs where {ITEMS} is there")
    return _read()


def preferences_of(pairs: PublishedPairs, rater: str) -> npt.NDArray[np.float64]:
    """Levels of "people" (the majority of three) or a judge, shape (n_pairs,), nan where it gave none."""
    answers = [row["expected"] if rater == "people" else row["judge"][rater] or {} for row in pairs.rows]
    preferences = [answer.get("preference") for answer in answers]
    return np.array([np.nan if label is None else LEVELS[label] for label in preferences])
