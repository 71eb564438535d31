"""The summary of a step on GitHub Actions."""

from pathlib import Path

import pytest

from markscheme.report.step_summary import MOST_BYTES, append_step_summary


def _environment(path: Path) -> dict[str, str]:
    return {"GITHUB_STEP_SUMMARY": str(path)}


def test_nothing_is_written_where_no_summary_is_asked_for(tmp_path: Path) -> None:
    assert append_step_summary("## A", {}) is None
    assert append_step_summary("## A", {"GITHUB_STEP_SUMMARY": ""}) is None
    assert list(tmp_path.iterdir()) == []


def test_summaries_of_several_commands_follow_each_other(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    append_step_summary("## A\n", _environment(file))
    append_step_summary("## B", _environment(file))
    assert file.read_text(encoding="utf-8") == "## A\n\n## B\n\n"


def test_a_summary_never_outgrows_what_is_allowed(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    append_step_summary("ä" * MOST_BYTES, _environment(file))
    text = file.read_text(encoding="utf-8")
    assert file.stat().st_size <= MOST_BYTES
    assert text.endswith("*The rest is cut off: a summary may hold a megabyte.*\n")
    append_step_summary("## B", _environment(file))
    assert file.stat().st_size <= MOST_BYTES


def test_a_summary_that_cannot_be_written_is_the_callers_to_tell(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="directory"):
        append_step_summary("## A", _environment(tmp_path))
