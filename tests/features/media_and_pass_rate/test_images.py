"""Images in the rows of a stream, whose share of passes is followed."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.features.media.files import data_url
from tests.features.media.pictures import chart

RUBRIC = "inputs: [chart]\ncriteria: [{name: right, requirement: It counts.}]\n"
SQUARES = {"a": 2, "b": 3}
"""By row, the squares of its chart."""
WHEN = "2026-11-20T10:00:00Z"


@pytest.fixture
def followed(tmp_path: Path) -> Path:
    """Follow a stream of two rows with an image by path, one of which a judge with eyes passes."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "charts.yaml").write_text(RUBRIC)
    (tmp_path / "eyes.py").write_text("from tests.features.media.charts import counts\n\ncounts.environment = ()\n")
    for id, squares in SQUARES.items():
        (tmp_path / f"{id}.png").write_bytes(chart(squares))
    rows = [
        {"id": id, "time": WHEN, "response": "There are 2 squares.", "chart": {"image": f"{id}.png"}} for id in SQUARES
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    stream = ("--rubric", "charts", "--track", "--through", "2026-11-22", "--judge", "function:eyes:counts", "--json")
    env = {"MARKSCHEME_CACHE": str(tmp_path / "cache")}
    done = run("markscheme", "pass-rate", "rows.jsonl", *stream, cwd=tmp_path, env=env)
    assert done.returncode == 4, done.stderr
    report = json.loads(done.stdout)
    assert (report["not_graded"], report["judge_alone"]) == (0, 0.5), "the judge saw two squares and three"
    return tmp_path


def test_an_image_in_a_tracked_response_is_kept_with_the_response_that_is_drawn_for_audit(followed: Path) -> None:
    lines = (followed / "calibration/charts/rates/main/audits.jsonl").read_text().splitlines()
    images = {audit["id"]: audit["inputs"]["chart"]["image"] for audit in map(json.loads, lines)}
    assert images == {id: data_url(chart(squares), "image/png") for id, squares in SQUARES.items()}
    again = run("markscheme", "pass-rate", "--rubric", "charts", "--track", "--json", cwd=followed)
    assert json.loads(again.stdout)["audits"]["waiting"] == len(SQUARES), again.stderr
