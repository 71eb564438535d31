"""Judge cards where what only POSIX systems have is missing, as on Windows."""

from pathlib import Path

import pytest

from tests.without_posix import outcomes_of, shipped_set_in


@pytest.mark.proof
def test_a_judge_card_is_written_and_verified_on_a_system_without_posix(tmp_path: Path) -> None:
    commands = (("calibrate", "code-quality", "--accept", "--force"), ("verify", "calibration/code-quality"))
    (_, complained), (verified, found) = outcomes_of(commands, shipped_set_in(tmp_path)).values()
    home = tmp_path / "calibration" / "code-quality"
    assert {"card.json", "card.md"} <= {path.name for path in home.iterdir()}, complained
    assert verified == 0, found
