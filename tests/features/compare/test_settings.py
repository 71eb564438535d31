"""Judges that are compared on labels are on record as settings of the rubric, and count."""

from pathlib import Path

import pytest

from markscheme import compare
from tests.calibration.test_settings_of_a_rubric import calibrated, lines, make_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project as the working directory."""
    monkeypatch.chdir(tmp_path)
    return make_project(tmp_path)


def test_each_judge_in_a_comparison_counts_as_a_tried_setting(project: Path) -> None:
    compare("j0.jsonl", "j1.jsonl", rubric="reply")
    assert [line["judge"] for line in lines(project)] == ["j0", "j1"]
    assert calibrated(2).decision.settings == 3
