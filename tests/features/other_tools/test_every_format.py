"""Commands of this feature that take rated files, with a file of every format."""

from pathlib import Path

import pytest

from tests.commands.format_matrix import (
    BY_ITS_RUBRIC,
    OF_TOOLS,
    PAIRS,
    Command,
    further_once,
    is_of_a_format,
    reads_every_format,
    reads_every_further_format,
    written_once,
)

COMMANDS = {
    "import": Command("import FILE --rubric place --kind human", {"a report": "the file calls them adjudicated"}),
}
FURTHER = {
    "import": {
        **PAIRS,
        "figures of a calibration": BY_ITS_RUBRIC["figures of a calibration"],
        **dict.fromkeys(("inspect", "braintrust", "prodigy"), "contains nothing that can be a rating"),
    },
}
"""By command and format, why the command can't do anything with it."""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_import_and_export_commands_read_each_format_of_file_or_say_why_the_format_is_of_no_use(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_format(COMMANDS[name], tmp_path, tmp_path_factory.getbasetemp())


@pytest.mark.proof
@pytest.mark.parametrize("name", COMMANDS)
def test_the_import_and_export_commands_read_every_less_common_format_of_file_or_refuse_it_with_a_reason(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reads_every_further_format(COMMANDS[name], FURTHER[name], tmp_path, tmp_path_factory.getbasetemp())


def test_the_files_of_every_other_tool_are_recognized_as_one_of_the_known_formats(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    base = tmp_path_factory.getbasetemp()
    files = {**written_once(base), **further_once(base)}
    assert [name for name in OF_TOOLS & files.keys() if not is_of_a_format(files[name])] == []
