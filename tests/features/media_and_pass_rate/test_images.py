"""Images in the rows of a stream, whose share of passes is followed."""

import json
from pathlib import Path

from markscheme import Image, Rubric
from markscheme.features.pass_rate.tracked.incoming import TimeOptions, read_responses
from markscheme.parts import parts_of
from markscheme.ratings.column_options import ColumnOptions
from tests.features.media.files import PNG_FILE

RUBRIC = Rubric.from_dict({"inputs": ["chart"], "criteria": [{"name": "right", "requirement": "It counts."}]})


def test_a_row_of_a_stream_names_an_image_by_path(tmp_path: Path) -> None:
    (tmp_path / "chart.png").write_bytes(PNG_FILE)
    row = {"id": "a", "time": "2026-11-20T10:00:00Z", "response": "Two.", "chart": {"image": "chart.png"}}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    file = tmp_path / "rows.jsonl"
    (response,) = read_responses([file], RUBRIC, TimeOptions(), ColumnOptions(), is_asked=True)
    assert [part.mark for part in parts_of(response.submission.inputs.values())] == [Image(PNG_FILE).mark]
