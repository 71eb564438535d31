"""A sheet contains images up to what a mail takes, and names the files of the others."""

import json
from pathlib import Path

from tests.commands.console import run
from tests.features.media.files import PNG_FILE
from tests.features.media.pictures import PNG_SIGNATURE

N = 3
PADDING = 4_000_000
"""Bytes for which two of the three images fit on a sheet."""


def padded(index: int) -> bytes:
    """Return a PNG with a long chunk that viewers ignore."""
    chunk = PADDING.to_bytes(4, "big") + b"teXt" + bytes([index]) * PADDING + bytes(4)
    return PNG_FILE[: len(PNG_SIGNATURE) + 25] + chunk + PNG_FILE[len(PNG_SIGNATURE) + 25 :]


def test_the_label_command_and_its_offline_page_name_the_image_file_that_does_not_fit_into_the_page(
    tmp_path: Path,
) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "charts").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "rubrics" / "manners.yaml").write_text("inputs: [chart]\ncriteria: [{requirement: It counts.}]\n")
    lines = []
    for index in range(N):
        (tmp_path / "charts" / f"{index}.png").write_bytes(padded(index))
        lines.append({"id": f"c{index}", "chart": {"image": f"charts/{index}.png"}, "response": "Two."})
    (tmp_path / "pool.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    typed = ["label", "manners", "--pool", "pool.jsonl", "--rater", "ana", "--sheet", "ana.html"]
    done = run("markscheme", *typed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (left_out,) = (name for name in (f"charts/{index}.png" for index in range(N)) if name in done.stdout)
    assert f"Send it with the 1 file for which it has no room ({left_out})" in " ".join(done.stdout.split())
    page = (tmp_path / "ana.html").read_text()
    assert page.count("data:image/png;base64,") >= N - 1
    assert len(page) < 2 * 10_000_000
    assert f"In a file that comes with this page: {left_out}" in page
    kept = [json.loads(line) for line in (tmp_path / "calibration/manners/examples.jsonl").read_text().splitlines()]
    assert all(line["inputs"]["chart"]["image"].startswith("data:image/png;base64,") for line in kept)
