"""Placeholders of prompts."""

from markscheme.features.experiment.cells import PLACEHOLDER


def test_braces_around_thousands_of_blanks_are_not_read_as_a_placeholder() -> None:
    blanks = " " * 8000
    assert PLACEHOLDER.findall("hi {{query}} {{" + blanks + "x{") == ["query"]
    assert PLACEHOLDER.findall("{{" + blanks + "a" + blanks + "b c" + blanks + "}}") == [f"a{blanks}b c"]
    assert PLACEHOLDER.findall("{{" + blanks + "}}") == []
