"""Commands of this feature that take rated files, with a file of every format."""

from pathlib import Path

import pytest

from tests.commands.format_matrix import (
    NAMELESS,
    NO_LABELS,
    ON_BOTH_SIDES,
    PAIRS,
    TABLES,
    UNNAMED,
    Command,
    reads_every_format,
    reads_every_further_format,
)

COMMANDS = {
    "pass-rate": Command("pass-rate FILE --calibration decisions.jsonl", dict.fromkeys(TABLES, NAMELESS)),
    "pass-rate by a rubric": Command("pass-rate FILE --calibration decisions.jsonl --rubric place --kind human"),
    "pass-rate --calibration": Command(
        "pass-rate plan.json --calibration FILE",
        dict.fromkeys(("ratings", "grades", "a graded table", "an experiment", "a plan"), NO_LABELS),
    ),
    "gate-risk": Command(
        "pass-rate FILE FILE --at-least 0.5",
        {**dict.fromkeys(("decisions", "a plan"), "no scores; use --of pass"), **dict.fromkeys(TABLES, NAMELESS)},
    ),
}
FURTHER = {
    "pass-rate": UNNAMED,
    "pass-rate by a rubric": PAIRS,
    "pass-rate --calibration": {name: why for name, why in ON_BOTH_SIDES.items() if name != "a list"},
    "gate-risk": {
        **UNNAMED,
        **dict.fromkeys(("pairwise tasks", "prodigy"), "holds no graded cases"),
        "figures of a calibration": "no scores; use --of pass",
    },
}
"""By command and format, why the command can't do anything with it."""


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.proof
def test_the_pass_rate_command_reads_each_format_of_file_or_says_why_the_format_is_of_no_use_to_it(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_format(COMMANDS[name], tmp_path, tmp_path_factory.getbasetemp())


@pytest.mark.proof
@pytest.mark.parametrize("name", COMMANDS)
def test_the_pass_rate_command_reads_every_less_common_format_of_file_or_refuses_it_with_a_reason(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_further_format(COMMANDS[name], FURTHER[name], tmp_path, tmp_path_factory.getbasetemp())
