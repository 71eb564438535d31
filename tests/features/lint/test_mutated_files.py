"""Files as accidents and strangers leave them, given to `lint`."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.long_names import LONG, refuses_long_name
from tests.commands.test_mutated_files import REFUSED, refuses_values
from tests.readers.every_format import make_project

RECORD = {f"field {n}": n for n in range(9)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_project(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_lint_refuses_a_file_name_that_is_too_long(folder: Path) -> None:
    refuses_long_name(folder, f"lint folder/{LONG}")


def test_lint_refuses_a_rubric_with_numbers_such_as_nan_and_names_the_file(folder: Path) -> None:
    for file, text, why in (refused for refused in REFUSED.values() if refused[0] == "rubrics/place.yaml"):
        (folder / file).write_text(text)
        refuses_values(folder, file, why, "lint", file)


def test_lint_refuses_a_rubric_file_that_is_a_link_to_an_endless_device(folder: Path) -> None:
    (folder / "rubrics" / "endless.yaml").symlink_to("/dev/zero")
    assert run("markscheme", "lint", "rubrics/endless.yaml", cwd=folder).returncode == 2


@pytest.mark.parametrize("data", [{"rows": [RECORD], **RECORD}, [RECORD] * 10], ids=["rows", "list"])
def test_lint_says_that_json_of_an_unknown_tool_is_not_a_rubric(data: object, folder: Path) -> None:
    (folder / "other.json").write_text(json.dumps(data))
    assert "isn't a rubric" in run("markscheme", "lint", "other.json", cwd=folder).stdout
