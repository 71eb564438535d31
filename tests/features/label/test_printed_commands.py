"""What `label` prints to be run."""

from pathlib import Path

import pytest

from tests.commands.printed_names import NAME, make_project, stays_one_word


@pytest.mark.parametrize("arguments", [("label", NAME, "--plan"), ("label", NAME, "--progress")], ids=" ".join)
def test_a_name_stays_one_word_in_what_is_printed_to_be_run(arguments: tuple[str, ...], tmp_path: Path) -> None:
    stays_one_word(make_project(tmp_path), *arguments)
