"""Whenever a command that writes is killed, the next run works, no line is torn, and nothing is left behind."""

from pathlib import Path

import pytest

from tests.commands.killed_commands import survives_kills


@pytest.mark.release
def test_killing_init_at_any_of_its_writes_leaves_no_partial_line_and_no_extra_file_after_a_rerun(
    tmp_path: Path,
) -> None:
    survives_kills("init there", tmp_path)
