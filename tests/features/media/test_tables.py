"""Images in tables, in cells of bytes and in traces: found where they are, and shown to the judge."""

import base64
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from markscheme import Image, Rubric, Submission
from markscheme.errors import SubmissionError
from markscheme.prompts.parts import parts_of
from markscheme.prompts.prompt import verdict_prompt
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import load_examples
from markscheme.readers.submissions import read_submissions
from markscheme.readers.table_outputs import outputs_in
from tests.features.media.files import PNG_FILE, data_url

URL = data_url(PNG_FILE, "image/png")
MARK = Image(PNG_FILE).mark
RUBRIC = Rubric.from_dict({"inputs": ["chart"], "criteria": [{"name": "right", "requirement": "The chart is right"}]})
CELLS = [{"bytes": PNG_FILE, "path": "c.png"}, PNG_FILE, {"image": "chart.png"}, '{"image": "chart.png"}']


@pytest.mark.parametrize("cell", CELLS, ids=["bytes and path", "bytes", "object", "text"])
def test_a_cell_of_a_parquet_file_may_hold_an_image_or_its_path(cell: Any, tmp_path: Path) -> None:
    (tmp_path / "chart.png").write_bytes(PNG_FILE)
    file = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"id": ["a"], "response": ["Three."], "chart": [cell]}), file)
    (submission,) = read_submissions(file, {}, ["chart"])
    (example,) = load_examples(file, RUBRIC).examples
    assert submission.inputs == example.submission.inputs == {"chart": MARK}
    assert [part.mark for part in parts_of(example.submission.inputs.values())] == [MARK]


def test_an_input_whose_bytes_are_not_an_image_is_refused() -> None:
    with pytest.raises(SubmissionError, match="a bytes object"):
        Submission("x", {"chart": b"\0\1"})


def test_a_table_in_any_file_format_may_name_images_by_path(tmp_path: Path) -> None:
    (tmp_path / "chart.png").write_bytes(PNG_FILE)
    file = tmp_path / "rows.csv"
    file.write_text('id;response;chart\na;Three.;"{""image"": ""chart.png""}"\n', encoding="utf-16")
    (example,) = outputs_in(file, ColumnOptions())
    assert [part.mark for part in parts_of(example.submission.inputs.values())] == [MARK]
    file.write_text('id;response;chart\na;Three.;"{""image"": ""none.png""}"\n', encoding="utf-16")
    with pytest.raises(SubmissionError, match=r"rows\.csv: input 'chart': .*none\.png: there is no such file"):
        outputs_in(file, ColumnOptions())


BLOB = {
    "type": "blob",
    "modality": "image",
    "mime_type": "image/png",
    "content": base64.b64encode(PNG_FILE).decode(),
}
GEN_AI = json.dumps([{"role": "user", "parts": [BLOB]}])
OPEN_INFERENCE = "llm.input_messages.0.message.contents.0.message_content.image.image.url"


@pytest.mark.parametrize(("key", "value"), [("gen_ai.input.messages", GEN_AI), (OPEN_INFERENCE, URL)])
def test_an_image_in_a_trace_is_shown_in_the_step_that_has_it(key: str, value: str) -> None:
    attributes = [{"key": key, "value": {"stringValue": value}}]
    span = {"spanId": "a", "name": "chat", "startTimeUnixNano": "1", "attributes": attributes}
    trace = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    rubric = Rubric.from_dict({"inputs": ["trace"], "criteria": [{"requirement": "It looks."}]})
    prompt = verdict_prompt(rubric, Submission("ok", {"trace": trace}), rubric.criteria)
    assert [part.mark for part in prompt.parts] == [MARK]
    (step,) = (text for name, text in prompt.material.items() if name.startswith("step"))
    assert MARK in step
    assert "base64" not in prompt.user


@pytest.mark.parametrize("text", ["data:image/png;base64,AAAA", "data:image/svg+xml,<svg/>", '{"image": "none.png"}'])
def test_text_in_a_trace_that_only_looks_like_an_image_stays_text(text: str) -> None:
    steps: Any = [{"role": "tool", "content": text}]
    assert Submission("x", {"messages": steps}).inputs["messages"] == json.dumps(steps, ensure_ascii=False)
