"""What people often type wrong, and the message that names the way out."""

from pathlib import Path

import pytest

from tests.commands.mistakes import make_project, names_the_way_out

MISTAKES = [
    ("pass-rate hasty.jsonl", "`--calibration FILE` is missing: what annotators and the judge both decided on"),
    ("pass-rate hasty.jsonl --at-least 80", "got 80; did you mean 0.8?"),
    ("pass-rate hasty.jsonl --by language", "--by is for a stream that is remembered: add --track"),
]


@pytest.mark.parametrize(("typed", "way_out"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_the_error_message_on_a_typical_mistake_says_what_to_do_and_is_no_traceback(
    tmp_path: Path, typed: str, way_out: str
) -> None:
    names_the_way_out(make_project(tmp_path), typed, way_out)
