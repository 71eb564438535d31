"""Pieces and blocks of a document."""

from dataclasses import FrozenInstanceError

import pytest

from markscheme.report.document import Command, Count, Items, Name, Notes, Paragraph


def test_blocks_are_equal_if_they_are_of_one_class_and_have_equal_fields() -> None:
    assert Notes(("a",)) == Notes(lines=("a",))
    assert hash(Items((("a",),))) == hash(Items((("a",),), are_examples=False))
    assert Notes(("a",)) != Paragraph(("a",))
    assert Count(1) != Count(1, apart=True)


def test_a_piece_shows_its_fields_when_it_is_printed() -> None:
    assert repr(Count(2, "tag")) == "Count(n=2, tag='tag', apart=False, says=None)"


def test_a_field_of_a_piece_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError, match="'text'"):
        Command("markscheme status").text = "other"  # type: ignore[misc]


@pytest.mark.parametrize("fields", [{"text": "a", "colour": "red"}, {"colour": "red"}])
def test_a_piece_refuses_a_field_that_its_class_lacks(fields: dict[str, str]) -> None:
    with pytest.raises((TypeError, AttributeError), match="Name"):
        Name(**fields)


def test_a_piece_refuses_more_values_than_it_has_fields_and_fewer_than_it_needs() -> None:
    with pytest.raises(TypeError, match="text, target, and no others"):
        Name("a", None, "b")  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="'text'"):
        Name()  # type: ignore[call-arg]
