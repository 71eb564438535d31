"""Responses and what stands beside them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme import Submission
from markscheme.submission import as_text
from markscheme.text import encodable

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(text=ANY_TEXT)
def test_every_text_can_be_sent_and_stored(text: str) -> None:
    mended = encodable(text)
    assert mended.encode("utf-8").decode("utf-8") == mended
    assert encodable(mended) == mended


@given(text=st.text())
def test_text_without_half_characters_is_kept_to_the_letter(text: str) -> None:
    assert Submission(text, {"query": text}).response == text
    assert Submission(text, {"query": text}).inputs["query"] == text


def test_half_a_character_is_replaced() -> None:
    assert Submission("a\ud800b").response == "a\ufffdb"


def test_inputs_that_are_no_text_are_shown_as_json() -> None:
    messages = [{"role": "user", "content": "Größe?"}]
    shown = Submission("x", {"messages": messages}).inputs["messages"]  # type: ignore[dict-item]
    assert json.loads(shown) == messages
    assert "Größe" in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("", ""),
        (0, "0"),
        (False, "false"),
        ([], "[]"),
        (
            {
                1,
            },
            '"{1}"',
        ),
    ],
)
def test_an_empty_input_is_there(value: object, shown: str) -> None:
    assert Submission("x", {"query": value}).inputs == {"query": shown}  # type: ignore[dict-item]
    assert as_text(value) == shown


def test_an_input_that_is_null_is_not_there() -> None:
    assert Submission("x", {"query": None}).inputs == {}  # type: ignore[dict-item]
