"""JSON of results: long lists are written in the same form as by the standard library, only faster."""

import json
from typing import Any, NamedTuple

import numpy as np
import pytest

from markscheme.report.json import dumps, plain

LISTS: dict[str, list[Any]] = {
    "plain texts": ["a", "b c", "é 漢字 🙂"],
    "quotes": ['say "no"', "a"],
    "backslashes": ["a\\b", "\\n"],
    "control characters": ["a\nb", "\t", "\x00\x1f", "\x7f\x85\u2028"],
    "lone surrogates": ["\ud800", "a"],
    "an empty text": [""],
    "texts with gaps": ["a", None, 'b"'],
    "flags with gaps": [True, False, None],
    "only gaps": [None, None],
    "whole numbers": [1, 2, 3],
    "numbers with gaps": [1.0, 0.25, None, 0.0],
    "all kinds": ["a", 1, True, None, 0.5, ["b", {"c": []}], {}],
}


@pytest.mark.parametrize("values", LISTS.values(), ids=LISTS.keys())
def test_lists_are_written_to_json_exactly_as_by_python_s_standard_library(values: list[Any]) -> None:
    data = {"list": values, "list of lists": [values, values]}
    assert dumps(data) == json.dumps(data, indent=2, ensure_ascii=False)


def test_a_negative_zero_is_written_to_json_without_its_sign() -> None:
    zeros = {"list": [-0.0, 0.0, -0.0], "array": np.array([-0.0, 0.0]), "number": -0.0, "value": -1e-17}
    assert json.loads(dumps(zeros)) == json.loads(
        '{"list": [0.0, 0.0, 0.0], "array": [0.0, 0.0], "number": 0.0, "value": 0.0}'
    )
    assert "-" not in dumps(zeros)


def test_a_numpy_array_is_written_to_json_as_a_list_with_null_for_nan() -> None:
    assert json.loads(dumps({"levels": np.array([1.0, np.nan, 0.1 + 0.2])})) == {"levels": [1.0, None, 0.3]}


class Named(NamedTuple):
    """Values with names."""

    least: float
    of: tuple[int, ...]


class Formatted(NamedTuple):
    """A value with a JSON form of its own."""

    hidden: int

    def to_json(self) -> dict[str, int]:
        return {"shown": self.hidden + 1}


def test_a_named_tuple_is_written_to_json_as_an_object_of_its_fields_unless_its_class_defines_another_form() -> None:
    data = {"named": Named(0.5, (1, 2)), "list": [Formatted(1)]}
    expected = {"named": {"least": 0.5, "of": [1, 2]}, "list": [{"shown": 2}]}
    assert json.loads(dumps(data)) == plain(data) == expected
