"""Files as accidents and strangers leave them, given to `label --plan`."""

from pathlib import Path

import pytest

from tests.commands.long_names import LONG, refuses_long_name
from tests.readers.every_format import make_project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_project(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_the_label_command_refuses_a_file_name_that_is_too_long(folder: Path) -> None:
    refuses_long_name(folder, f"label place --next 1 --pool {LONG} --to -")
