"""Commands of this feature that take rated files, with a file of every format."""

from pathlib import Path

import pytest

from tests.commands.format_matrix import (
    A_REPORT,
    AS_POOL,
    BY_ITS_RUBRIC,
    HUMAN,
    NO_EXAMPLE,
    NOT_LABELLED,
    TABLES,
    UNSTATED,
    Command,
    reads_every_format,
    reads_every_further_format,
)

COMMANDS = {
    "improve --ratings": Command("improve place --numbers --open --ratings FILE", {}, HUMAN),
    "improve --examples": Command(
        "improve place --examples FILE --plan",
        {
            **dict.fromkeys(("ratings", "decisions"), NO_EXAMPLE),
            **dict.fromkeys(("grades", "a graded table", *TABLES, "an experiment", "a plan"), NOT_LABELLED),
            "a report": A_REPORT,
        },
    ),
}
FURTHER = {
    "improve --ratings": BY_ITS_RUBRIC,
    "improve --examples": {
        **AS_POOL,
        **UNSTATED,
        **dict.fromkeys(("a list", "inspect", "deepeval", "prodigy"), NOT_LABELLED),
    },
}
"""By command and format, why the command can't do anything with it."""


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.proof
def test_improve_reads_each_format_of_file_or_says_why_the_format_is_of_no_use_to_it(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_format(COMMANDS[name], tmp_path, tmp_path_factory.getbasetemp())


@pytest.mark.proof
@pytest.mark.parametrize("name", COMMANDS)
def test_improve_reads_every_less_common_format_of_file_or_refuses_it_with_a_reason(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_further_format(COMMANDS[name], FURTHER[name], tmp_path, tmp_path_factory.getbasetemp())
