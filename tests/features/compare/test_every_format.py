"""Commands of this feature that take rated files, with a file of every format."""

from pathlib import Path

import pytest

from tests.commands.format_matrix import (
    BY_ITS_RUBRIC,
    HUMAN,
    NO_OTHER_RATER,
    Command,
    reads_every_format,
    reads_every_further_format,
)

COMMANDS = {
    "compare": Command("compare FILE ratings.jsonl --rubric place", {}, HUMAN),
}
FURTHER = {
    "compare": {
        **BY_ITS_RUBRIC,
        **dict.fromkeys(("inspect", "prodigy", "a sheet"), NO_OTHER_RATER),
        "figures of a calibration": "contains neither ratings nor a calibration",
    },
}
"""By command and format, why the command can't do anything with it."""


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.proof
def test_compare_reads_every_file_format_or_says_why_the_format_is_of_no_use_to_it(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_format(COMMANDS[name], tmp_path, tmp_path_factory.getbasetemp())


@pytest.mark.proof
@pytest.mark.parametrize("name", COMMANDS)
def test_compare_reads_every_less_common_format_or_refuses_it_with_a_reason(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_further_format(COMMANDS[name], FURTHER[name], tmp_path, tmp_path_factory.getbasetemp())
