"""What `improve` prints to be run."""

from pathlib import Path

from tests.commands.printed_names import NAME, make_project, stays_one_word
from tests.commands.scripted_setting import JUDGE


def test_a_rubric_s_odd_name_stays_one_quoted_word_in_printed_commands(tmp_path: Path) -> None:
    stays_one_word(make_project(tmp_path), "improve", NAME, "--plan", "--judge", JUDGE)
