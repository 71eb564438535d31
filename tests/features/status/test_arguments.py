"""Faults in the words that follow `status`."""

import pytest

from markscheme.commands.call import parse
from markscheme.errors import UsageError
from markscheme.options.settings import SettingsFile


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        ("status", ["--json", "out.json"], "`--json` prints to standard output here: `--json > out.json` writes it"),
    ],
)
def test_an_error_about_a_wrong_option_or_value_of_status_says_what_is_allowed(
    command: str, words: list[str], message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        parse(command, words, SettingsFile())
    assert message in str(refused.value)
