"""Judges that are asked for a comparison: with checks by code, and about held-out examples."""

from pathlib import Path

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import run
from tests.commands.test_calibrate_faults import add_check, split_examples


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A working directory with a rubric, labelled examples and a judge."""
    return setting.make_setting(tmp_path / "here")


def test_checks_by_code_are_made_of_what_judges_are_asked(here: Path) -> None:
    add_check(here)
    done = run(
        "markscheme", "compare", setting.JUDGE, "function:judging:judge", "--rubric", "clear", "--scorers", "checks",
        cwd=here, env=setting.environment(here),
    )  # fmt: skip
    assert "60 examples, labels of two or more annotators" in done.stdout, done.stderr


def test_looking_at_test_labels_is_recorded_and_said_ever_after(here: Path) -> None:
    split_examples(here)
    ask = ("calibrate", "clear", "--judge", setting.JUDGE)
    opened = run(*ask, "--split", "test", cwd=here, env=setting.environment(here))
    assert "30 test examples are held out, and looked at once" in opened.stdout
    sides = ("markscheme", "compare", setting.JUDGE, setting.JUDGE, "--rubric", "clear")
    compared = run(*sides, "--split", "test", cwd=here, env=setting.environment(here))
    assert "30 test examples are held out, and looked at 2 times" in compared.stdout, compared.stderr
    later = run(*ask, cwd=here, env=setting.environment(here)).stdout
    assert "30 test examples are held out, and looked at 2 times" in later
