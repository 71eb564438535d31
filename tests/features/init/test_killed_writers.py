"""Whenever a command that writes is killed, the next run works, no line is torn, and nothing is left behind."""

from pathlib import Path

import pytest

from tests.commands.killed_commands import survives_kills


@pytest.mark.release
def test_a_kill_at_each_write_tears_no_line_and_leaves_nothing_after_the_next_run(tmp_path: Path) -> None:
    survives_kills("init there", tmp_path)
