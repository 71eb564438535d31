"""Comparing where what only POSIX systems have is missing, as on Windows."""

from pathlib import Path

import pytest

from tests.without_posix import ends_without_a_fault


@pytest.mark.proof
def test_comparing_works_without_posix(tmp_path: Path) -> None:
    ends_without_a_fault(
        tmp_path,
        "compare",
        "calibration/code-quality/ratings/claude-reader.jsonl",
        "recorded:calibration/code-quality/replies",
        "--rubric",
        "code-quality",
    )
