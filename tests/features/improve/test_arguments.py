"""Faults in the words that follow `tune`."""

from pathlib import Path

import pytest

from markscheme.commands.call import parse
from markscheme.errors import UsageError
from markscheme.options.settings import SettingsFile
from tests.features.improve.test_tune import refuses_to_write


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        ("tune", ["x", "--json=out.json"], "`--json` prints to standard output here"),
    ],
)
def test_a_fault_says_what_is_allowed(command: str, words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(command, words, SettingsFile())
    assert message in str(refused.value)


def test_a_rubric_that_cannot_be_written_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    refuses_to_write(tmp_path, "improve", "--candidates", "other.yaml")
