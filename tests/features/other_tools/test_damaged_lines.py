"""Damaged lines of examples and labels, which a command may skip."""

import json
from pathlib import Path

import pytest

from tests.commands.polite_project import LABELLED, make_project, printed_without_damaged


@pytest.mark.parametrize("file", LABELLED)
def test_the_export_command_skips_damaged_lines_with_the_skip_damaged_option(tmp_path: Path, file: Path) -> None:
    shown = printed_without_damaged(make_project(tmp_path), file, "export", "polite")
    assert sum(bool(json.loads(line)["labels"]) for line in shown.splitlines()) == 39
