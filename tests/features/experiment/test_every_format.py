"""Commands of this feature that take rated files, with a file of every format."""

from pathlib import Path

import pytest

from tests.commands.format_matrix import (
    A_REPORT,
    MARKS_ALONE,
    NAMELESS,
    NO_LABELS,
    NO_OUTPUT,
    NOT_EXAMPLES,
    ON_BOTH_SIDES,
    PAIRS,
    TABLES,
    Command,
    reads_every_format,
    reads_every_further_format,
)
from tests.readers.exports import WITHOUT_IDS_OR_JUDGE

COMMANDS = {
    "experiment --outputs": Command(
        "experiment place.experiment.yaml --outputs FILE --judge function:parcel_desk:judge",
        {
            **dict.fromkeys(("ratings", "grades", "a graded table", "decisions"), NO_OUTPUT),
            "a plan": "holds no outputs",
            "a report": A_REPORT,
        },
    ),
    "experiment --calibration": Command(
        "experiment place.experiment.yaml --calibration FILE --judge function:parcel_desk:judge "
        "--model function:parcel_desk:answer",
        {
            **dict.fromkeys(("ratings", "grades", "a graded table", "an experiment", "a plan"), NO_LABELS),
            **dict.fromkeys(TABLES, NAMELESS),
        },
    ),
}
FURTHER = {
    "experiment --outputs": {
        **NOT_EXAMPLES,
        **dict.fromkeys(PAIRS, "holds pairs of responses; a variant has one output for a case"),
        **dict.fromkeys(MARKS_ALONE, "holds no outputs"),
        **dict.fromkeys(WITHOUT_IDS_OR_JUDGE, "there are other cases only"),
    },
    "experiment --calibration": ON_BOTH_SIDES,
}
"""By command and format, why the command can't do anything with it."""


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.proof
def test_the_experiment_command_reads_each_format_of_file_or_says_why_the_format_is_of_no_use_to_it(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_format(COMMANDS[name], tmp_path, tmp_path_factory.getbasetemp())


@pytest.mark.proof
@pytest.mark.parametrize("name", COMMANDS)
def test_the_experiment_command_reads_every_less_common_format_of_file_or_refuses_it_with_a_reason(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_further_format(COMMANDS[name], FURTHER[name], tmp_path, tmp_path_factory.getbasetemp())
