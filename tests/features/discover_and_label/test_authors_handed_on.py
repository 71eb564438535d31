"""What `discover` leaves unread is labelled without a pool being named."""

from pathlib import Path

from tests.commands.console import run
from tests.features.discover.test_authors_unread import N, outputs_file, read_first_half, report


def test_label_asks_what_was_read_and_what_stayed_unread(tmp_path: Path) -> None:
    outputs_file(tmp_path)
    read_first_half(tmp_path)
    command = report(tmp_path, "--write")["next"][1]["command"].split()
    done = run(*command, "--sheet", "sheet.html", "--rater", "kim", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[1]) >= N
