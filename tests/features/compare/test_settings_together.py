"""Several judges of one command are settings that were tried together."""

from pathlib import Path

import pytest

from tests.calibration.test_settings_of_a_rubric import N, calibrated, lines, make_project, wrong
from tests.commands.console import run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project as the working directory."""
    monkeypatch.chdir(tmp_path)
    return make_project(tmp_path)


def test_calibrating_on_the_command_line_and_from_python_counts_tried_settings_in_one_record(project: Path) -> None:
    run("markscheme", "calibrate", "reply", "--ratings", "j0.jsonl", "--quiet", cwd=project)
    assert calibrated(1).decision.settings == 2
    shown = run(
        "markscheme", "calibrate", "reply", "--ratings", "j0.jsonl", "j1.jsonl", "j2.jsonl", "--details", cwd=project
    )
    assert "95% for the 3 settings tried on these labels together" in " ".join(shown.stdout.split())
    assert [line["judge"] for line in lines(project)] == ["j0", "j1", "j2"]


def test_each_judge_column_of_a_table_counts_as_a_tried_setting(
    project: Path,
) -> None:
    rows = ["id,judge_a,judge_b,human"]
    rows += [
        f"{place},{(place + wrong(place, 0)) % 2},{(place + wrong(place, 1)) % 2},{place % 2}" for place in range(N)
    ]
    (project / "table.csv").write_text("\n".join(rows) + "\n")
    columns = ("--judge", "judge_a,judge_b", "--human", "human")
    shown = run("markscheme", "calibrate", "table.csv", *columns, "--details", cwd=project)
    assert "95% for the 2 settings tried on these labels together" in " ".join(shown.stdout.split())
    assert not list(project.rglob("settings.jsonl"))
