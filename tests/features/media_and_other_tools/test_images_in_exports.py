"""Images in exports of other tools: kept where the file contains them or they lie next to it, else counted as lost."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from markscheme import Image, Pdf, Rubric
from markscheme.promptfoo.assertion import read_call
from markscheme.promptfoo.engine import Engine
from markscheme.prompts.parts import parts_of
from markscheme.prompts.submission import UNSHOWN_PARTS
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import load_examples
from markscheme.readers.imported import RESPONSES_ALONE
from markscheme.readers.rated import RatedFile, open_rated
from tests.commands.console import run
from tests.features.media.files import PDF_FILE, PNG_FILE, SVG_FILE, data_url

URL = data_url(PNG_FILE, "image/png")
AT_AN_ADDRESS = "https://example.com/chart.png"
MARK, PDF_MARK = Image(PNG_FILE).mark, Pdf(PDF_FILE).mark


def messages(address: str) -> list[dict[str, Any]]:
    """Return a user's message with an image, in the form that most tools use."""
    shown = {"type": "image_url", "image_url": {"url": address}}
    return [{"role": "user", "content": [{"type": "text", "text": "How many?"}, shown]}]


def langfuse(address: str) -> list[dict[str, Any]]:
    """Return a Langfuse trace with an image."""
    request = {"messages": messages(address)}
    return [{"id": "a", "timestamp": "2026", "name": "n", "input": request, "output": "Three.", "metadata": {}}]


def phoenix(address: str) -> list[dict[str, Any]]:
    """Return a Phoenix span with an image."""
    attributes = {"input.value": json.dumps({"messages": messages(address)}), "output.value": "Three."}
    return [{"span_id": "a", "span_kind": "LLM", "status_code": "OK", "attributes": attributes}]


def inspect_log(address: str) -> dict[str, Any]:
    """Return an Inspect log with one sample, whose image is stored separately from its message."""
    content = [{"type": "text", "text": "How many?"}, {"type": "image", "image": "attachment://1"}]
    choice = {"message": {"role": "assistant", "content": "Three."}}
    sample = {
        "id": "a",
        "epoch": 1,
        "input": [{"role": "user", "content": content}],
        "output": {"choices": [choice]},
        "attachments": {"1": address},
        "scores": {},
    }
    return {"version": 2, "status": "success", "eval": {"task": "t"}, "plan": {}, "samples": [sample]}


def label_studio(address: str) -> list[dict[str, Any]]:
    """Return a Label Studio task with an image."""
    return [{"id": 1, "data": {"image": address, "response": "Three."}, "annotations": [], "predictions": []}]


def promptfoo(address: str) -> dict[str, Any]:
    """Return Promptfoo's results with an image in a row."""
    test = {"vars": {"question": messages(address)}, "assert": []}
    graded = {"pass": True, "score": 1, "reason": "ok", "assertion": {"type": "llm-rubric", "value": "It counts."}}
    row = {
        "vars": test["vars"],
        "testCase": test,
        "response": {"output": "Three."},
        "success": True,
        "score": 1,
        "gradingResult": {"pass": True, "score": 1, "reason": "ok", "componentResults": [graded]},
    }
    return {"evalId": "e", "results": {"version": 3, "timestamp": "t", "prompts": [], "stats": {}, "results": [row]}}


def opened(folder: Path, exported: Any) -> RatedFile:
    """Read the export and return its content."""
    (folder / "export.json").write_text(json.dumps(exported))
    (file,) = open_rated([folder / "export.json"], expected="examples", columns=RESPONSES_ALONE).files
    return file


def marks(example: Example) -> list[str]:
    """Return the marks of an example's images and documents."""
    submission = example.submission
    return [shown_part.mark for shown_part in parts_of([*submission.inputs.values(), submission.response])]


TOOLS = [langfuse, phoenix, inspect_log, label_studio, promptfoo]


@pytest.mark.parametrize("tool", TOOLS)
def test_an_image_contained_in_an_export_is_kept_and_not_counted_as_lost(tool: Any, tmp_path: Path) -> None:
    file = opened(tmp_path, tool(URL))
    assert [marks(example) for example in file.examples] == [[MARK]]
    assert UNSHOWN_PARTS not in file.lost


@pytest.mark.parametrize("tool", TOOLS)
def test_an_image_at_a_web_address_stays_an_address_and_is_counted_as_not_imported(tool: Any, tmp_path: Path) -> None:
    file = opened(tmp_path, tool(AT_AN_ADDRESS))
    (example,) = file.examples
    assert marks(example) == []
    assert AT_AN_ADDRESS in " ".join(example.submission.inputs.values())
    assert sum(count for what, count in file.lost.items() if what.startswith(("texts with an image", "images"))) == 1


@pytest.mark.parametrize("address", ["chart.png", "/data/upload/7/chart.png", "/data/local-files/?d=charts/chart.png"])
def test_an_image_file_that_a_label_studio_task_names_is_kept_if_the_file_is_next_to_the_export(
    address: str, tmp_path: Path
) -> None:
    (tmp_path / "chart.png").write_bytes(PNG_FILE)
    file = opened(tmp_path, label_studio(address))
    assert [marks(example) for example in file.examples] == [[MARK]]


def test_an_svg_file_that_a_label_studio_task_names_is_not_read_as_an_image_and_is_counted_as_lost(
    tmp_path: Path,
) -> None:
    (tmp_path / "chart.png").write_bytes(SVG_FILE)
    file = opened(tmp_path, label_studio("chart.png"))
    assert [marks(example) for example in file.examples] == [[]]
    assert file.lost[UNSHOWN_PARTS] == 1


def test_an_image_that_a_model_made_is_kept_with_the_text_around_it(tmp_path: Path) -> None:
    log = inspect_log(URL)
    content = [{"type": "text", "text": "Here:"}, {"type": "image", "image": "attachment://1"}, {"type": "reasoning"}]
    log["samples"][0]["output"]["choices"][0]["message"]["content"] = content
    (example,) = opened(tmp_path, log).examples
    assert example.submission.response == f"Here:\n{MARK}"
    results = promptfoo(URL)
    results["results"]["results"][0]["response"]["output"] = URL
    (example,) = opened(tmp_path, results).examples
    assert example.submission.response == MARK


def test_media_that_langfuse_stores_elsewhere_are_counted_as_not_imported(tmp_path: Path) -> None:
    trace = langfuse(URL)
    trace[0]["output"] = "@@@langfuseMedia:type=image/png|id=1|source=base64_data_uri@@@"
    assert opened(tmp_path, trace).lost["images and documents that Langfuse stores elsewhere"] == 1


def test_imported_examples_are_written_with_their_images_and_read_back(tmp_path: Path) -> None:
    (tmp_path / "chart.png").write_bytes(PNG_FILE)
    (tmp_path / "rubric").mkdir()
    (example,) = opened(tmp_path, label_studio("chart.png")).examples
    for folder, source in ((tmp_path, "chart.png"), (tmp_path / "rubric", URL)):
        line = example.to_json(folder)
        assert line["inputs"] == {"image": {"image": source}}
        (folder / "examples.jsonl").write_text(json.dumps(line))
        rubric = Rubric.from_dict({"inputs": ["image"], "criteria": [{"requirement": "It counts."}]})
        (again,) = load_examples(folder / "examples.jsonl", rubric).examples
        assert again.submission == example.submission
        assert marks(again) == [MARK]
    assert example.to_json()["inputs"] == {"image": {"image": URL}}


def test_exported_lines_contain_the_images_of_the_examples(tmp_path: Path) -> None:
    (tmp_path / "chart.png").write_bytes(PNG_FILE)
    written = {"id": "a", "inputs": {"chart": {"image": "chart.png"}}, "response": [{"image": "chart.png"}, "Paid."]}
    (tmp_path / "examples.jsonl").write_text(json.dumps(written))
    (tmp_path / "r.yaml").write_text("inputs: [chart]\ncriteria: [{requirement: It counts.}]\n")
    done = run("markscheme", "export", "r.yaml", "--examples", "examples.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    line = json.loads(done.stdout)
    assert (line["inputs"], line["response"]) == ({"chart": {"image": URL}}, [{"image": URL}, "Paid."])


def test_an_image_is_exported_as_a_data_url_that_the_promptfoo_assertion_reads_back(tmp_path: Path) -> None:
    (tmp_path / "chart.png").write_bytes(PNG_FILE)
    (tmp_path / "bill.pdf").write_bytes(PDF_FILE)
    written = {"id": "a", "inputs": {"chart": {"image": "chart.png"}}, "response": [{"pdf": "bill.pdf"}, "Paid."]}
    (tmp_path / "examples.jsonl").write_text(json.dumps(written))
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "r.yaml").write_text("inputs: [chart]\ncriteria: [{requirement: It counts.}]\n")
    words = ("export", "r", "--examples", "examples.jsonl", "--promptfoo", "rate.yaml")
    done = run("markscheme", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (test,) = yaml.safe_load((tmp_path / "rate.yaml").read_text())["tests"]
    assert test["vars"] == {"chart": URL}
    context = {"vars": test["vars"], "config": {"rubric": str(tmp_path / "rubrics" / "r.yaml")}}
    call = read_call(test["providerOutput"], context, tmp_path, Engine())
    assert [part.mark for part in parts_of([*call.submission.inputs.values(), call.submission.response])] == [
        MARK,
        PDF_MARK,
    ]
