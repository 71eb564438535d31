"""What `improve` prints to be run."""

from pathlib import Path

from tests.commands.printed_names import NAME, make_project, stays_one_word
from tests.commands.scripted_setting import JUDGE


def test_a_rubric_s_name_with_special_characters_is_quoted_in_printed_commands(tmp_path: Path) -> None:
    stays_one_word(make_project(tmp_path), "improve", NAME, "--plan", "--judge", JUDGE)
