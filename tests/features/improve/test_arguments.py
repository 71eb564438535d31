"""Faults in the words that follow `improve`."""

import shutil
from pathlib import Path

import pytest

from markscheme.commands.call import parse
from markscheme.errors import UsageError
from markscheme.options.settings import SettingsFile
from tests.commands.console import ROOT, run

LONGEST_PATH = 4095
"""Bytes of a path on Linux."""


def test_improve_refuses_a_file_name_after_the_json_option_since_it_prints_to_standard_output() -> None:
    with pytest.raises(UsageError, match="`--json` prints to standard output here"):
        parse("improve", ["x", "--json=out.json"], SettingsFile())


def test_before_reading_anything_improve_refuses_a_rubric_file_that_cannot_be_written(tmp_path: Path) -> None:
    """No other file fits next to it, since its path is as long as paths may be."""
    folder, length = tmp_path, LONGEST_PATH - len("/r.yaml")
    while len(str(folder)) < length:
        left = length - len(str(folder)) - 1
        folder /= "d" * (left if left <= 200 else min(200, left - 2))
    folder.mkdir(parents=True)
    file = folder / "r.yaml"
    shutil.copy(ROOT / "rubrics" / "code-quality.yaml", file)
    done = run("markscheme", "improve", str(file), "--candidates", "other.yaml", "--write", cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
