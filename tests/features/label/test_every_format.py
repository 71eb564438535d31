"""Commands of this feature that take rated files, with a file of every format."""

from pathlib import Path

import pytest

from tests.commands.format_matrix import (
    A_REPORT,
    AS_POOL,
    BY_ITS_RUBRIC,
    HUMAN,
    MARKS_ALONE,
    NO_COLUMN,
    NO_EXAMPLE,
    UNSTATED,
    Command,
    reads_every_format,
    reads_every_further_format,
)

COMMANDS = {
    "label --pool": Command(
        "label place --pool FILE --rater zoe --sheet sheet.html",
        {
            "ratings": NO_EXAMPLE,
            "decisions": NO_COLUMN,
            **dict.fromkeys(("grades", "a graded table", "a plan"), "holds no response with a text in it"),
            "a report": A_REPORT,
        },
    ),
    "label --to": Command(
        "label place --next 1 --pool FILE --to - --examples few.jsonl",
        {
            "ratings": NO_EXAMPLE,
            "decisions": NO_COLUMN,
            **dict.fromkeys(("grades", "a graded table", "a plan"), "contains no responses to label"),
            "a report": A_REPORT,
        },
    ),
    "label --plan": Command("label place --plan --ratings FILE", {}, HUMAN),
}
FURTHER = {
    "label --pool": {**AS_POOL, **UNSTATED, **dict.fromkeys(MARKS_ALONE, "holds no response with a text in it")},
    "label --to": {**AS_POOL, **UNSTATED, **dict.fromkeys(MARKS_ALONE, "contains no responses to label")},
    "label --plan": BY_ITS_RUBRIC,
}
"""By command and format, why the command can't do anything with it."""


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.proof
def test_the_label_command_reads_each_format_of_file_or_says_why_it_cannot_label_such_a_file(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_format(COMMANDS[name], tmp_path, tmp_path_factory.getbasetemp())


@pytest.mark.proof
@pytest.mark.parametrize("name", COMMANDS)
def test_the_label_command_reads_every_less_common_format_of_file_or_refuses_it_with_a_reason(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_further_format(COMMANDS[name], FURTHER[name], tmp_path, tmp_path_factory.getbasetemp())
