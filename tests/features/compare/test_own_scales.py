"""Files of a judge and of people whose numbers are on different scales."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from markscheme import compare
from markscheme.errors import UsageError

PEOPLE = [1, 2, 3, 4, 5]
POSITIONS = [0.0, 0.25, 0.5, 0.75, 1.0]


def ratings(path: Path, rater: str, kind: str, values: Sequence[float], *, overall: bool = False) -> Path:
    """A file with one rating per value."""
    whole = ({"overall": value} if overall else {"criteria": {"quality": {"level": value}}} for value in values)
    lines = [{"id": f"e{n}", "rater": rater, "kind": kind, **what} for n, what in enumerate(whole)]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


@pytest.fixture
def both(tmp_path: Path) -> list[Path]:
    """A perfect judge from 0 to 1, and a person from 1 to 5."""
    judge = ratings(tmp_path / "judge.jsonl", "gpt", "model", POSITIONS)
    return [judge, ratings(tmp_path / "people.jsonl", "ana", "human", PEOPLE)]


def test_comparing_judges_and_people_on_different_scales_is_refused_with_the_options_that_state_the_scales(
    both: list[Path],
) -> None:
    with pytest.raises(UsageError, match=r"different scales; .*--scale judge=0\.\.1 --scale human=1\.\.5"):
        compare(*both)
