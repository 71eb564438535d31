"""Texts of examples are read from their file when needed, and are those that it had when its examples were read."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from markscheme import Rubric
from markscheme.errors import RatingError
from markscheme.fingerprint import fingerprint
from markscheme.ratings.example_reading import read_examples
from markscheme.ratings.example_rows import ExampleRows, response_fingerprints
from markscheme.ratings.file_lines import line_reader

RUBRIC: Rubric = Rubric.from_dict([{"name": "clear", "weight": 1, "requirement": "It is clear."}])
TEXTS: Mapping[str, str] = {"a": "Yes, “of course”.", "b": "", "c": "No:\n[{}]"}
"""The response of each example, by id."""
LABEL: Mapping[str, object] = {"rater": "ann", "criteria": {"clear": "MET"}}
ON_POSIX = pytest.mark.skipif(not hasattr(os, "pread"), reason="runs where the system has os.pread")


def write(path: Path, texts: Mapping[str, str]) -> None:
    """Write a labelled example for each response, and a blank line before the last one."""
    lines = [
        json.dumps({"id": id, "query": f"Why {id}?", "response": text, "labels": [LABEL]}) for id, text in texts.items()
    ]
    path.write_text("\n".join([*lines[:-1], " ", lines[-1]]), encoding="utf-8")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of three examples; the second has no response."""
    path = tmp_path / "examples.jsonl"
    write(path, TEXTS)
    return path


def responses(rows: ExampleRows) -> dict[str, str]:
    """Return the response of each example by id, from its submission."""
    return {row.id: row.submission.response for row in rows}


def test_each_example_of_a_file_is_read_with_its_own_response_and_inputs(path: Path) -> None:
    rows, _ = read_examples(path, RUBRIC)
    assert responses(rows) == TEXTS
    assert [row.submission.inputs for row in rows] == [{"query": f"Why {id}?"} for id in TEXTS]


def test_response_fingerprints_computed_while_reading_examples_equal_those_computed_later(path: Path) -> None:
    right_away, _ = read_examples(path, RUBRIC, with_fingerprints=True)
    later, _ = read_examples(path, RUBRIC)
    assert ["response_fingerprint" in rows.attributes for rows in (right_away, later)] == [True, False]
    assert (
        response_fingerprints(later)
        == response_fingerprints(right_away)
        == [fingerprint(text) for text in TEXTS.values()]
    )


@pytest.mark.parametrize("change", ["removed", "replaced", "appended to"])
def test_texts_of_examples_can_still_be_read_after_their_file_was_removed_or_replaced_or_appended_to(
    change: str, path: Path
) -> None:
    rows, _ = read_examples(path, RUBRIC)
    if change == "removed":
        path.unlink()
    elif change == "replaced":
        write(path.with_suffix(".new"), dict.fromkeys(TEXTS, "other"))
        path.with_suffix(".new").replace(path)
    else:
        with path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps({"id": "d", "response": "more"}))
    assert responses(rows) == TEXTS


@ON_POSIX
@pytest.mark.parametrize("texts", [{}, {"a": "Yes, “of other”.", "b": "", "c": "No:\n[{}]"}])
def test_reading_a_text_that_was_changed_in_place_in_the_file_raises_an_error_that_names_the_file(
    texts: dict[str, str], path: Path
) -> None:
    rows, _ = read_examples(path, RUBRIC)
    if texts:
        write(path, texts)
    else:
        path.write_text("", encoding="utf-8")
    with pytest.raises(RatingError, match="changed") as caught:
        responses(rows)
    assert caught.value.path == path


@ON_POSIX
def test_a_pipe_is_not_opened_for_reading_single_lines_since_its_lines_can_be_read_only_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    assert line_reader(pipe) is None


@ON_POSIX
def test_a_file_of_examples_is_closed_when_its_examples_are_no_longer_used(path: Path) -> None:
    folder = Path("/proc/self/fd")
    if not folder.is_dir():
        pytest.skip("runs where the system lists a process's open files in /proc/self/fd")

    def is_open() -> bool:
        return any(link.exists() and link.samefile(path) for link in folder.iterdir())

    rows, _ = read_examples(path, RUBRIC)
    assert is_open()
    del rows
    assert not is_open()


@ON_POSIX
@pytest.mark.parametrize("text", [b"", b"one", b"one\n", b"one\n\nthree", b"\r\ntwo\r\n"])
def test_lines_read_by_their_number_equal_the_lines_into_which_python_splits_the_file(
    text: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "lines"
    path.write_bytes(text)
    line = line_reader(path)
    assert line is not None
    with path.open("rb") as file:
        expected = list(file)
    assert [line(number) for number in range(1, len(expected) + 1)] == expected
