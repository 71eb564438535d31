"""Whenever a command that writes is killed, the next run works, no line is torn, and nothing is left behind."""

from pathlib import Path

import pytest

from tests.commands.killed_commands import survives_kills


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(
            "import ratings.jsonl --rubric place --append --to calibration/place/ratings/judge.jsonl",
            marks=pytest.mark.proof,
        ),
        pytest.param("export place --promptfoo out.yaml", marks=pytest.mark.release),
    ],
)
def test_the_import_and_export_commands_leave_no_partial_line_if_they_are_killed_before_any_of_their_writes(
    command: str, tmp_path: Path
) -> None:
    survives_kills(command, tmp_path)
