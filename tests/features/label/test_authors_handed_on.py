"""What was left unread when a rubric was drafted is labelled without a pool being named."""

from pathlib import Path

from tests.commands.console import run
from tests.commands.half_read_project import N, half_read_project


def test_the_label_command_asks_about_all_outputs_whether_or_not_they_were_read_with_the_discover_command(
    tmp_path: Path,
) -> None:
    project = half_read_project(tmp_path, [f"o{index}" for index in range(N // 2)])
    done = run("markscheme", "label", "reply", "--sheet", "sheet.html", "--rater", "kim", cwd=project)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[1]) >= N
