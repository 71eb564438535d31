"""What people often type wrong, and the message that names the way out."""

from pathlib import Path

import pytest

from tests.commands.mistakes import make_project, names_the_way_out

RUBRIC_WITH_COMMA = "criteria:\n- {name: kind, requirement: It is kind, and short}\n"
FILES = {"rubrics/comma.yaml": RUBRIC_WITH_COMMA}
MISTAKES = [
    ("lint comma", "unknown key 'and short' without a value; a text with a comma inside { } needs quotes"),
]


@pytest.mark.parametrize(("typed", "way_out"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_the_error_message_on_a_typical_mistake_says_what_to_do_and_is_no_traceback(
    tmp_path: Path, typed: str, way_out: str
) -> None:
    names_the_way_out(make_project(tmp_path, FILES), typed, way_out)
