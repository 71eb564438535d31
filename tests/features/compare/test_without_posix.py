"""Comparing where what only POSIX systems have is missing, as on Windows."""

import shutil
from pathlib import Path

import pytest

from tests.commands.console import ROOT
from tests.without_posix import ends_without_a_fault


@pytest.mark.proof
def test_compare_works_on_a_system_without_posix(tmp_path: Path) -> None:
    shutil.copy(ROOT / "calibration" / "code-quality" / "ratings" / "claude-reader.jsonl", tmp_path / "judge.jsonl")
    ends_without_a_fault(
        tmp_path,
        "compare",
        "judge.jsonl",
        "recorded:calibration/code-quality/replies",
        "--rubric",
        "code-quality",
    )
