"""Whenever a command that writes is killed, the next run works, no line is torn, and nothing is left behind."""

from pathlib import Path

import pytest

from tests.commands.killed_commands import survives_kills

COMMANDS = {
    "accept": "calibrate place --ratings ratings.jsonl --accept --force --quiet",
    "reports": "calibrate place --ratings ratings.jsonl --quiet --json o.json --html o.html --junit o.xml",
    "grade": "grade place rows.jsonl --judge function:parcel_desk:judge -o cache=off --out grades.csv",
}


@pytest.mark.release
@pytest.mark.parametrize("name", COMMANDS)
def test_killing_a_command_at_any_of_its_writes_leaves_no_partial_line_and_no_extra_file_after_a_rerun(
    name: str, tmp_path: Path
) -> None:
    survives_kills(COMMANDS[name], tmp_path)
