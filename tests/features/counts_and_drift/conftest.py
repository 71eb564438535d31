"""What the tests of counts share."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own to work in: settings that were tried are recorded there."""
    monkeypatch.chdir(tmp_path)
