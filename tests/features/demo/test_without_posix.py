"""The demo where what only POSIX systems have is missing, as on Windows."""

from pathlib import Path

import pytest

from tests.without_posix import ends_without_a_fault


@pytest.mark.proof
def test_the_demo_works_on_a_system_without_posix(tmp_path: Path) -> None:
    ends_without_a_fault(tmp_path, "demo")
