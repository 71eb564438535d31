"""The status where what only POSIX systems have is missing, as on Windows."""

from pathlib import Path

from tests.without_posix import ends_without_a_fault


def test_status_works_on_a_system_without_posix(tmp_path: Path) -> None:
    ends_without_a_fault(tmp_path, "status", "--json")
