"""Files read as plain data: damaged lines are named, and lone surrogates are replaced."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from markscheme import load_rubric
from markscheme.errors import RatingError, RatingWarning, RubricError, leaving_out_damaged_lines
from markscheme.json_text import json_values, parse_json
from markscheme.plain_data import (
    MAX_LETTERS,
    MAX_NODES,
    elements,
    json_lines,
    json_parts,
    objects,
    plain_data,
    read_json,
)
from markscheme.ratings.examples import load_examples
from markscheme.readers.formats import format_of
from markscheme.readers.peek import Peek
from markscheme.shipped import shipped


def damaged(folder: Path) -> Path:
    """Write a file of JSON lines with two damaged ones."""
    path = folder / "ann.jsonl"
    path.write_bytes(b'{"id": "e1"}\n{"id": "e2", "rat\n{"id": "e3"}\n{"id": "\xff"}\n')
    return path


def test_a_damaged_json_line_is_refused_with_its_file_and_line_number(tmp_path: Path) -> None:
    with pytest.raises(RatingError, match=r"ann\.jsonl:2: is not readable JSON"):
        list(json_lines(damaged(tmp_path), RatingError))


def test_an_unreadable_last_line_of_json_without_a_line_end_is_reported_as_perhaps_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    for text, is_cut in (('{"id": "a"}\n{"id', True), ('{"id": "a"}\n{"id\n', False)):
        path.write_text(text)
        with pytest.raises(RatingError, match=r"traces\.jsonl:2: is not readable JSON") as refused:
            list(json_lines(path, RatingError))
        assert ("it is the end of the file, which may be cut off" in str(refused.value)) is is_cut


@pytest.mark.parametrize("read", [read_json, lambda path, error: list(json_parts(path, error))])
def test_an_empty_json_file_is_called_empty(tmp_path: Path, read: Callable[[Path, type[RatingError]], object]) -> None:
    path = tmp_path / "export.json"
    path.write_text("")
    with pytest.raises(RatingError, match=r"export\.json: is empty$"):
        read(path, RatingError)
    path.write_text("{")
    with pytest.raises(RatingError, match=r"export\.json: is not readable JSON"):
        read(path, RatingError)


def test_the_undamaged_lines_of_a_damaged_file_are_read_if_skipping_is_allowed(tmp_path: Path) -> None:
    with pytest.warns(RatingWarning) as warned, leaving_out_damaged_lines():
        lines = list(json_lines(damaged(tmp_path), RatingError))
    assert lines == [(1, {"id": "e1"}), (3, {"id": "e3"})]
    named = [str(warning.message).partition(": ")[0] for warning in warned]
    assert [place.rpartition("/")[2] for place in named] == ["ann.jsonl:2", "ann.jsonl:4"]


def test_a_lone_surrogate_in_a_file_never_ends_a_command(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"id": "cut \\ud83d", "\\udc00": ["\\uD800", "\\ud83d\\ude00"]}\n')
    ((_, line),) = json_lines(path, RatingError)
    assert line == {"id": "cut \ufffd", "\ufffd": ["\ufffd", "😀"]}
    assert parse_json('"\\ud83d"') == "\ufffd"
    for form in ("json", "yaml"):
        text = '{"name": "cut \\ud83d", "whole": "\ud800"}' if form == "json" else 'name: "x\ud83d"'
        data, _ = plain_data(text, form, RubricError)
        str(data).encode()


def exploding(key: str) -> str:
    """Make a YAML text of 600 letters whose aliases expand to a list of a billion entries under `key`."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    return "\n".join([*lines, f"{key}: *a9", ""])


def test_every_reader_of_yaml_refuses_aliases_that_expand_to_a_huge_document(tmp_path: Path) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_text(exploding("examples"))
    rubric = load_rubric(shipped("rubrics/code-quality.yaml"))
    readers: dict[str, Callable[[], object]] = {
        "examples": lambda: load_examples(path, rubric),
        "rubrics": lambda: load_rubric(path),
    }
    for name, read in readers.items():
        with pytest.raises((RatingError, RubricError), match="aliases") as refusal:
            read()
        assert "bomb.yaml" in str(refusal.value), name
    assert format_of(Peek(path), "anything") is None


def test_yaml_aliases_that_repeat_a_long_text_beyond_a_limit_are_refused() -> None:
    text = "long: &long " + "x" * 100_000 + "\nall: [" + ", ".join(["*long"] * 100) + "]\n"
    with pytest.raises(RatingError, match="aliases"):
        plain_data(text, "yaml", RatingError)
    text = "&long " + "x" * 100_000
    keys = "\n".join(f"k{n}: {{? *long : 1}}" for n in range(100))
    with pytest.raises(RatingError, match="aliases"):
        plain_data(f"first: {text}\n{keys}\n", "yaml", RatingError)


def test_a_long_text_or_list_in_yaml_or_json_without_aliases_is_read_completely() -> None:
    many = "[" + "1," * (MAX_NODES + 10) + "1]"
    long = '"' + "x" * (MAX_LETTERS + 10) + '"'
    for form in ("yaml", "json"):
        assert len(plain_data(many, form, RatingError)[0]) == MAX_NODES + 11
        assert len(plain_data(long, form, RatingError)[0]) == MAX_LETTERS + 10


@pytest.mark.parametrize(
    "damaged_object",
    [
        b'{"id": "b", "id": "c"}',
        b'{"id" : "b", "id": "c"}',
        b'{"id": {"n": 1, "n": 2}}',
        b'{"n": 1, "id": {"n": 1, "n": 2}}',
    ],
)
def test_json_lines_are_not_parsed_all_at_once_if_one_of_them_has_a_key_twice(
    damaged_object: bytes,
) -> None:
    whole = b'{"id": "a"}'
    assert json_values([whole, whole]) == [{"id": "a"}, {"id": "a"}]
    assert json_values([whole, damaged_object]) is None
    assert json_values([damaged_object, whole]) is None


@pytest.mark.parametrize(
    "objects",
    [
        [{"id": "a", "note": 'so {"id": 1} is'}, {"id": "b", "note": "plain"}],
        [{"id": "a"}, {"id": {"n": 1}}],
        [{"id": {"n": 1}}, {"id": "b"}],
        [{}, {}],
        [5, {"id": 1}],
    ],
)
def test_json_lines_parsed_together_give_the_same_objects_as_python_s_json_reader_gives_line_by_line(
    objects: list[object],
) -> None:
    assert json_values([json.dumps(value).encode() for value in objects]) == objects


def test_reading_the_objects_of_a_list_skips_elements_of_other_types() -> None:
    assert objects([{"a": 1}, "b", None, {}]) == [{"a": 1}, {}]
    assert [objects(value) for value in (None, {"a": 1}, "text")] == [[], [], []]
    assert (elements([1, "b"]), elements("text")) == ([1, "b"], [])
