"""Every command of the core that takes rated files, with a file of every format."""

from pathlib import Path
from typing import get_args

import pytest

from markscheme.readers.formats import all_formats, format_of
from markscheme.readers.imported import Expected
from markscheme.readers.peek import Peek
from tests.commands.format_matrix import (
    A_REPORT,
    BY_ITS_RUBRIC,
    HUMAN,
    LINES,
    MARKS_ALONE,
    NO_COLUMN,
    NO_RESPONSE,
    NO_RUBRIC,
    OF_TOOLS,
    UNSTATED,
    Command,
    further_once,
    reads_every_format,
    reads_every_further_format,
    written_once,
)

COMMANDS = {
    "calibrate --ratings": Command(
        "calibrate place --ratings FILE --quiet", {"a report": "`compare` reads reports"}, HUMAN
    ),
    "calibrate": Command(
        "calibrate FILE --quiet",
        {
            **dict.fromkeys(("ratings", "labelled examples", "grades"), LINES),
            **dict.fromkeys(("a graded table", "an experiment", "a plan"), NO_RUBRIC),
            "a report": "not a rubric; to calibrate again",
        },
    ),
    "grade": Command(
        "grade place FILE --judge function:parcel_desk:judge",
        {
            **dict.fromkeys(("ratings", "grades"), NO_RESPONSE),
            "decisions": NO_COLUMN,
            "a graded table": "expected a column `response`",
            "a plan": "it contains no responses to grade",
            "a report": A_REPORT,
        },
    ),
}
FURTHER = {
    "calibrate --ratings": BY_ITS_RUBRIC,
    "calibrate": {
        **dict.fromkeys(("a dataset of autorubric", "a sheet"), NO_RUBRIC),
        "pairs": "doesn't say who preferred; pass `--kind human`",
        "figures of a calibration": "no column is people's",
        **dict.fromkeys(("pairwise tasks", "deepeval"), "no metric that both an annotator and a judge rated"),
        "inspect": "--map says which metrics are the same",
        **UNSTATED,
    },
    "grade": dict.fromkeys(MARKS_ALONE, "it contains no responses to grade"),
}
"""By command and format, why the command can't do anything with it."""


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.proof
def test_a_command_reads_each_format_of_file_or_says_why_the_format_is_of_no_use_to_it(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_format(COMMANDS[name], tmp_path, tmp_path_factory.getbasetemp())


@pytest.mark.proof
@pytest.mark.parametrize("name", COMMANDS)
def test_any_command_reads_every_less_common_format_of_file_or_refuses_it_with_a_reason(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_further_format(COMMANDS[name], FURTHER[name], tmp_path, tmp_path_factory.getbasetemp())


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of every format."""
    base = tmp_path_factory.getbasetemp()
    return {**written_once(base), **further_once(base)}


def test_the_files_of_these_tests_cover_every_known_format(files: dict[str, Path]) -> None:
    peeks = [Peek(path) for path in files.values()]
    formats = {format_of(peek, expected) for peek in peeks for expected in get_args(Expected)}
    assert set(all_formats()) <= formats


def test_every_file_of_these_tests_except_exports_of_tools_is_recognized_as_some_format(files: dict[str, Path]) -> None:
    assert files.keys() | {"mlflow"} > OF_TOOLS
    peeks = {name: Peek(path) for name, path in files.items() if name not in OF_TOOLS}
    formats = {name: {format_of(peek, expected) for expected in get_args(Expected)} for name, peek in peeks.items()}
    assert [name for name, found in formats.items() if found == {None}] == []
