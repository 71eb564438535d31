"""Judges that are asked for a comparison: with checks by code, and about held-out examples."""

import json
from pathlib import Path

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import run
from tests.commands.test_calibrate_faults import add_check, split_examples


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A working directory with a rubric, labelled examples and a judge."""
    return setting.make_setting(tmp_path / "here")


def test_compare_runs_a_rubric_s_checks_by_code_next_to_the_judges_that_it_asks(here: Path) -> None:
    add_check(here)
    done = run(
        "markscheme", "compare", setting.JUDGE, "function:judging:judge", "--rubric", "clear", "-o", "scorers=checks",
        cwd=here, env=setting.environment(here),
    )  # fmt: skip
    assert "60 examples, labels of two or more annotators" in done.stdout, done.stderr


@pytest.mark.proof
def test_comparing_judges_is_not_recorded_as_a_use_of_held_out_labels(
    here: Path,
) -> None:
    record = split_examples(here).parent / "opened.jsonl"
    env = setting.environment(here)
    sides = ("markscheme", "compare", setting.JUDGE, setting.JUDGE, "--rubric", "clear", "--split", "test")
    compared = run(*sides, cwd=here, env=env)
    unopened = "30 test examples are held out; no change of the rubric was tested on them yet."
    assert unopened in compared.stdout, compared.stderr
    assert not record.exists()
    look = {"at": "2026-11-27", "by": "somebody", "labels": "sha256:0", "n": 30}
    record.write_text(json.dumps(look) + "\n")
    for command in (sides, ("calibrate", "clear", "--judge", setting.JUDGE)):
        assert "30 test examples are held out, and looked at once" in run(*command, cwd=here, env=env).stdout
