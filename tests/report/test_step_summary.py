"""The summary of a step on GitHub Actions."""

from pathlib import Path

import pytest

from markscheme.report.step_summary import MOST_BYTES, append_step_summary
from tests.commands.console import run
from tests.commands.judged_project import make_project


def test_no_github_step_summary_is_written_unless_a_file_for_it_is_given(tmp_path: Path) -> None:
    make_project(tmp_path)
    done = run(
        *("markscheme", "calibrate", "manners", "--ratings", "gpt.jsonl", "--quiet"),
        cwd=tmp_path,
        env={"GITHUB_STEP_SUMMARY": ""},
    )
    assert (done.returncode, done.stderr) == (4, "")


def test_github_step_summaries_of_several_commands_are_appended_to_each_other(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    append_step_summary("## A\n", file)
    append_step_summary("## B", file)
    assert file.read_text(encoding="utf-8") == "## A\n\n## B\n\n"


def test_a_github_step_summary_never_exceeds_the_size_limit(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    append_step_summary("ä" * MOST_BYTES, file)
    text = file.read_text(encoding="utf-8")
    assert file.stat().st_size <= MOST_BYTES
    assert text.endswith("*The rest is cut off: a summary may hold a megabyte.*\n")
    append_step_summary("## B", file)
    assert file.stat().st_size <= MOST_BYTES


def test_a_github_step_summary_that_cannot_be_written_raises_an_error_for_the_caller(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="directory"):
        append_step_summary("## A", tmp_path)
