"""Files read as plain data: damaged lines are named, and no half character gets further than here."""

from pathlib import Path

import pytest

from markscheme.errors import RatingError, RatingWarning, RubricError, leaving_out_damaged_lines
from markscheme.plain_data import json_lines, parse_json, plain_data


def damaged(folder: Path) -> Path:
    """Three lines, the second of them damaged."""
    path = folder / "ann.jsonl"
    path.write_bytes(b'{"id": "e1"}\n{"id": "e2", "rat\n{"id": "e3"}\n{"id": "\xff"}\n')
    return path


def test_a_damaged_line_is_never_left_out_without_being_named(tmp_path: Path) -> None:
    with pytest.raises(RatingError, match=r"ann\.jsonl:2: is not readable JSON"):
        list(json_lines(damaged(tmp_path), RatingError))


def test_the_rest_of_a_damaged_file_is_never_lost_to_who_asks_for_it(tmp_path: Path) -> None:
    with pytest.warns(RatingWarning) as warned, leaving_out_damaged_lines():
        lines = list(json_lines(damaged(tmp_path), RatingError))
    assert lines == [(1, {"id": "e1"}), (3, {"id": "e3"})]
    named = [str(warning.message).partition(": ")[0] for warning in warned]
    assert [place.rpartition("/")[2] for place in named] == ["ann.jsonl:2", "ann.jsonl:4"]


def test_half_a_character_never_ends_a_command(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"id": "cut \\ud83d", "\\udc00": ["\\uD800", "\\ud83d\\ude00"]}\n')
    ((_, line),) = json_lines(path, RatingError)
    assert line == {"id": "cut \ufffd", "\ufffd": ["\ufffd", "😀"]}
    assert parse_json('"\\ud83d"') == "\ufffd"
    for form in ("json", "yaml"):
        text = '{"name": "cut \\ud83d", "whole": "\ud800"}' if form == "json" else 'name: "x\ud83d"'
        data, _ = plain_data(text, form, RubricError)
        str(data).encode()
