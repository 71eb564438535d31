"""What `label` prints to be run."""

from pathlib import Path

import pytest

from tests.commands.printed_names import NAME, make_project, stays_one_word


@pytest.mark.parametrize("arguments", [("label", NAME, "--plan"), ("label", NAME, "--progress")], ids=" ".join)
def test_a_rubric_s_name_with_special_characters_is_quoted_in_printed_commands(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    stays_one_word(make_project(tmp_path), *arguments)
