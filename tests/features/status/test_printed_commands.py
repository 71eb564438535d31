"""What `status` prints to be run."""

from pathlib import Path

from tests.commands.printed_names import make_project, stays_one_word


def test_a_name_stays_one_word_in_what_is_printed_to_be_run(tmp_path: Path) -> None:
    stays_one_word(make_project(tmp_path), "status")
