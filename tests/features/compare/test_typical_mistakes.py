"""What people often type wrong, and the message that names the way out."""

from pathlib import Path

import pytest

from tests.commands.mistakes import make_project, names_the_way_out

MISTAKES = [
    ("compare", "A B are missing, as in: markscheme compare"),
    ("compare hasty.jsonl", "a comparison needs two sides: markscheme compare A B"),
]


@pytest.mark.parametrize(("typed", "way_out"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_the_error_message_on_a_typical_mistake_says_what_to_do_and_is_no_traceback(
    tmp_path: Path, typed: str, way_out: str
) -> None:
    names_the_way_out(make_project(tmp_path), typed, way_out)
