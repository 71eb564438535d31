"""What `status` prints to be run."""

from pathlib import Path

from tests.commands.printed_names import make_project, stays_one_word


def test_a_rubric_s_name_with_special_characters_is_quoted_in_printed_commands(tmp_path: Path) -> None:
    stays_one_word(make_project(tmp_path), "status")
