"""Reads the reference numbers that lie beside the repository; a test that needs them is skipped where they don't."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.worked_cases import cases_in

FOLDER = Path(__file__).parents[3] / "shared" / "statistics"
FILES = ("reference.yaml", "recipes.yaml", "verdict.yaml", "verdict3.yaml", "groups_drift_slices.yaml", "gate.yaml")


@cache
def blocks(file: str) -> dict[str, Any]:
    """Return all blocks of a file of reference numbers, by name."""
    loaded: dict[str, Any] = cases_in(FOLDER / file)
    return loaded


def block(file: str, name: str) -> Any:
    """Return one block of a file of reference numbers; skip the test if the folder of these files doesn't exist."""
    if not FOLDER.exists():
        pytest.skip("runs where ../shared/statistics is there")
    return blocks(file)[name]
