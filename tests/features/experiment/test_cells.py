"""Placeholders of prompts."""

from markscheme.features.experiment.cells import PLACEHOLDER


def test_eight_thousand_blanks_in_braces_are_no_placeholder() -> None:
    blanks = " " * 8000
    assert PLACEHOLDER.findall("hi {{query}} {{" + blanks + "x{") == ["query"]
    assert PLACEHOLDER.findall("{{" + blanks + "a" + blanks + "b c" + blanks + "}}") == [f"a{blanks}b c"]
    assert PLACEHOLDER.findall("{{" + blanks + "}}") == []
