"""Faults in the words that follow `label`."""

import pytest

from markscheme.commands.call import parse
from markscheme.errors import UsageError
from markscheme.options.settings import SettingsFile


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        ("label", ["r", "--rater"], "`--rater` needs a value: NAME"),
        ("label", [], "RUBRIC is missing, as in: markscheme label code-quality"),
    ],
)
def test_a_fault_says_what_is_allowed(command: str, words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(command, words, SettingsFile())
    assert message in str(refused.value)
