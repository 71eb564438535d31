"""Images and PDFs in submissions: which are taken, what stands for them, and which are refused, with the place."""

import contextlib
import copy
import dataclasses
import json
import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme import Image, Pdf, Rubric, Submission
from markscheme.errors import RatingError, RatingWarning, SubmissionError, UsageError
from markscheme.features.media.formats import DamagedContentError, sniffed
from markscheme.prompts.parts import PartedText, as_written
from markscheme.prompts.prompt import verdict_prompt
from markscheme.ratings.examples import load_examples
from markscheme.readers.submissions import read_submissions
from tests.features.media.files import (
    GIF_FILE,
    JPEG_FILE,
    PDF_FILE,
    PNG_FILE,
    SVG_FILE,
    WEBP_FILE,
    data_url,
    sized,
)

RUBRIC = Rubric.from_dict({"inputs": ["chart"], "criteria": [{"name": "right", "requirement": "The chart is right"}]})
PNG_URL = data_url(PNG_FILE, "image/png")
MARK = Image(PNG_FILE).mark


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder that contains an image and a PDF."""
    (tmp_path / "charts").mkdir()
    (tmp_path / "charts" / "one.png").write_bytes(PNG_FILE)
    (tmp_path / "invoice.pdf").write_bytes(PDF_FILE)
    return tmp_path


@pytest.mark.parametrize(
    ("content", "name", "size"),
    [
        (PNG_FILE, "PNG", (200, 216)),
        (JPEG_FILE, "JPEG", (7, 5)),
        (GIF_FILE, "GIF", (2, 3)),
        (WEBP_FILE, "WebP", (9, 11)),
        (PDF_FILE, "PDF", (None, None)),
    ],
)
def test_the_format_of_an_image_or_pdf_is_recognized_by_its_content(
    content: bytes, name: str, size: tuple[int | None, int | None]
) -> None:
    content_kind = sniffed(content)
    assert content_kind is not None
    if name == "PNG":
        assert content_kind.pixels == 200 * 216
    assert (content_kind.format.name, (content_kind.width, content_kind.height)) == (name, size)


@given(
    st.sampled_from([PNG_FILE, JPEG_FILE, GIF_FILE, WEBP_FILE, PDF_FILE]), st.integers(0, 60), st.binary(max_size=40)
)
def test_damaged_images_and_pdfs_raise_only_the_error_for_damaged_content(
    content: bytes, start: int, noise: bytes
) -> None:
    with contextlib.suppress(DamagedContentError):
        sniffed(content[:start] + noise)


@pytest.mark.parametrize(
    "value",
    [
        {"image": PNG_URL},
        {"image": PNG_URL, "alt": "a chart"},
        [{"image": PNG_URL}],
        Image(PNG_FILE),
        [Image(PNG_FILE)],
        {"type": "image_url", "image_url": {"url": PNG_URL}},
        {"type": "image_url", "image_url": PNG_URL},
        {"type": "input_image", "image_url": PNG_URL},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG_URL.partition(",")[2]}},
    ],
    ids=lambda value: json.dumps(value, default=str)[:40],
)
def test_an_image_gives_the_same_text_and_digest_in_every_form_in_which_it_can_be_given(value: Any) -> None:
    response = Submission(value).response
    assert isinstance(response, PartedText)
    assert response == MARK
    assert [part.digest for part in response.parts] == [Image(PNG_FILE).digest]


@pytest.mark.parametrize(
    "value",
    [
        {"pdf": data_url(PDF_FILE, "application/pdf")},
        Pdf(PDF_FILE),
        {"type": "file", "file": {"filename": "a.pdf", "file_data": data_url(PDF_FILE, "application/pdf")}},
        {"type": "input_file", "file_data": data_url(PDF_FILE, "application/pdf")},
        {
            "type": "document",
            "source": {
                "type": "base64",
                "media_type": "application/pdf",
                "data": data_url(PDF_FILE, "application/pdf").partition(",")[2],
            },
        },
    ],
    ids=range(5),
)
def test_a_pdf_gives_the_same_text_in_whatever_form_it_is_given(value: Any) -> None:
    assert Submission(value).response == Pdf(PDF_FILE).mark


def test_texts_and_images_in_a_list_keep_their_order() -> None:
    response = Submission([{"type": "text", "text": "Before."}, {"image": PNG_URL}, "After."]).response
    assert response == f"Before.\n{MARK}\nAfter."


def test_images_in_messages_are_replaced_by_placeholders_in_the_text_of_a_prompt() -> None:
    content = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": PNG_URL}}]
    submission = Submission("A chart.", {"messages": [{"role": "user", "content": content}]})
    messages = submission.inputs["messages"]
    assert json.loads(messages) == [{"role": "user", "content": [content[0], MARK]}]
    rubric = Rubric.from_dict({"inputs": ["messages"], "criteria": [{"requirement": "x"}]})
    prompt = verdict_prompt(rubric, submission, rubric.criteria)
    assert MARK in prompt.user
    assert [part.mark for part in prompt.parts] == [MARK]


def test_a_response_given_as_text_is_never_searched_for_images() -> None:
    for text in (PNG_URL, '{"image": "chart.png"}', f"see {MARK}"):
        assert type(Submission(text).response) is str
        assert Submission(text).response == text


@pytest.mark.parametrize(
    "value",
    [{"image": "x", "price": 3}, {"images": ["x"]}, [{"image": "x", "price": 3}], {"file": {"name": "a"}}, {"a": 1}],
)
def test_json_data_with_the_keys_of_an_image_but_without_an_image_is_kept_as_json(value: Any) -> None:
    assert Submission(value).response == json.dumps(value)
    assert type(Submission(value).response) is str


def test_a_prompt_and_its_fingerprint_depend_on_the_content_of_an_image() -> None:
    def prompt(chart: Any) -> Any:
        return verdict_prompt(RUBRIC, Submission("Right.", {"chart": chart}), RUBRIC.criteria)

    of_png, of_gif, of_text = prompt(Image(PNG_FILE)), prompt(Image(GIF_FILE)), prompt("a chart")
    assert len({of_png.fingerprint, of_gif.fingerprint, of_text.fingerprint}) == 3
    assert of_png.fingerprint == prompt({"image": PNG_URL}).fingerprint
    assert of_text.parts == ()
    assert of_png.system.startswith(of_text.system)
    assert "not text" not in of_text.system


def test_the_prompt_for_a_criterion_shows_only_images_in_inputs_that_the_criterion_sees() -> None:
    rubric = Rubric.from_dict(
        {
            "inputs": ["chart", "reference"],
            "criteria": [
                {"name": "a", "requirement": "a", "sees": ["chart"]},
                {"name": "b", "requirement": "b", "sees": ["reference"]},
            ],
        }
    )
    submission = Submission("x", {"chart": Image(PNG_FILE), "reference": "y"})
    by_name = {c.name: verdict_prompt(rubric, submission, [c]).parts for c in rubric.criteria}
    assert [part.mark for part in by_name["a"]] == [MARK]
    assert by_name["b"] == ()


def test_a_copied_submission_keeps_its_images(folder: Path) -> None:
    submission = Submission({"image": "charts/one.png"}, folder=folder)
    for again in (
        dataclasses.replace(submission, id="x"),
        copy.deepcopy(submission),
        pickle.loads(pickle.dumps(submission)),
    ):
        assert isinstance(again.response, PartedText)
        assert again.response.parts == submission.response.parts  # type: ignore[attr-defined]


def test_a_submission_is_written_to_a_file_with_the_paths_that_named_its_images(folder: Path) -> None:
    written = ["See:", {"image": "charts/one.png", "alt": "bars"}, {"pdf": "invoice.pdf"}]
    text = Submission(written, folder=folder).response
    assert as_written(text, folder) == written
    elsewhere = as_written(text, folder / "charts")
    assert elsewhere[1] == {"image": "one.png", "alt": "bars"}
    assert elsewhere[2]["pdf"].startswith("data:application/pdf;base64,")
    assert Submission(elsewhere, folder=folder / "charts").response == text


# --- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "value", "says"),
    [
        ("big.png", sized(10_000, 6_000), {"image": "big.png"}, "10000 × 6000 pixels; the limit is 40 million"),
        ("none.png", sized(0, 6_000), {"image": "none.png"}, "an image without pixels"),
        ("photo.jpg", PNG_FILE, {"image": "photo.jpg"}, "is PNG by its content, so its name must end in .png"),
        ("drawing.svg", SVG_FILE, {"image": "drawing.svg"}, "an SVG drawing, which is a program"),
        ("drawing.png", SVG_FILE, {"image": "drawing.png"}, "an SVG drawing, which is a program"),
        ("page.png", b"<!doctype html>", {"image": "page.png"}, "an HTML page"),
        ("cut.png", PNG_FILE[:40], {"image": "cut.png"}, "begins like a PNG file and is cut off"),
        ("empty.png", b"", {"image": "empty.png"}, "empty; expected PNG or JPEG or WebP or GIF"),
        ("a.pdf", PDF_FILE, {"image": "a.pdf"}, "is PDF by its content: name it as `pdf`"),
        ("a.png", PNG_FILE, {"pdf": "a.png"}, "is PNG by its content: name it as `image`"),
        ("a.png", PNG_FILE, {"image": "b.png"}, "b.png: there is no such file"),
        ("a.png", PNG_FILE, {"image": "../a.png"}, "lies outside of"),
        ("a.png", PNG_FILE, {"image": "/etc/hostname"}, "lies outside of"),
        ("a.png", PNG_FILE, {"image": ""}, "`image` must be a path or a data URL"),
        ("a.png", PNG_FILE, {"image": 3}, "`image` must be a path or a data URL"),
        ("a.png", PNG_FILE, {"image": "a\0.png"}, "is no path"),
        ("a.png", PNG_FILE, {"image": "https://example.com/a.png"}, "example.com is another computer"),
        ("a.png", PNG_FILE, {"image": "data:image/png;base64,!!!"}, "whose base64 is damaged"),
        ("a.png", PNG_FILE, [{"image": "a.png"}] * 21, "there are 21 images and PDFs, and the limit is 20"),
        ("large.png", PNG_FILE + bytes(5_000_001), {"image": "large.png"}, "more than 5 MB"),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, str) else "",
)
def test_an_image_that_no_judge_takes_is_refused_with_file_line_and_reason(
    tmp_path: Path, name: str, content: bytes, value: Any, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    lines = [{"id": "a", "response": "text", "chart": "text"}, {"id": "b", "response": "text", "chart": value}]
    file = tmp_path / "outputs.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with pytest.raises(RatingError) as error:
        list(read_submissions(file, {}, ["chart"]))
    assert "outputs.jsonl:2: input 'chart': " in str(error.value)
    assert says in str(error.value)
    with pytest.raises(RatingError) as error:
        load_examples(file, RUBRIC)
    assert says in str(error.value)


def test_an_image_path_that_leads_out_of_the_folder_through_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(PNG_FILE)
    inside = tmp_path / "project"
    inside.mkdir()
    (inside / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(SubmissionError, match="lies outside of"):
        Submission({"image": "link.png"}, folder=inside)


@pytest.mark.skipif(os.name == "nt", reason="named pipes are POSIX")
def test_a_pipe_named_as_an_image_or_pdf_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    for kind in ("image", "pdf"):
        os.mkfifo(tmp_path / kind)
        (tmp_path / "rows.jsonl").write_text(json.dumps({"response": "x", "chart": {kind: kind}}) + "\n")
        with pytest.raises(RatingError, match=r"rows\.jsonl:1.*is a pipe, not a file"):
            list(read_submissions(tmp_path / "rows.jsonl", {}, ["chart"]))


def test_a_submission_built_in_python_may_name_an_image_file_only_by_the_class_image() -> None:
    with pytest.raises(SubmissionError, match=r"give Image\('chart.png'\) of markscheme"):
        Submission({"image": "chart.png"})
    with pytest.raises(UsageError, match="there is no such file"):
        Image("chart.png")


def test_an_image_file_that_changed_after_it_was_read_is_not_sent(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(PNG_FILE)
    image = Image(file)
    file.write_bytes(sized(10, 10))
    with pytest.raises(UsageError, match="has changed since this run began"):
        image.in_message("chat")


@pytest.mark.parametrize(
    ("settings", "value", "says"),
    [
        ("max_megapixels = 0.01", {"image": "a.png"}, "the limit is 0.01 million"),
        ("max_image_mb = 0.0001", {"image": "a.png"}, "more than 0.0001 MB"),
        ("max_media = 1", [{"image": "a.png"}, {"image": "a.png"}], "the limit is 1"),
    ],
)
def test_the_settings_file_sets_the_limits_of_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, value: Any, says: str
) -> None:
    (tmp_path / "a.png").write_bytes(PNG_FILE)
    (tmp_path / "markscheme.toml").write_text(settings)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SubmissionError, match=says):
        Submission(value, folder=tmp_path)


# --- tables -----------------------------------------------------------------------------------------------------------


def test_tables_and_json_lines_may_name_images_by_path(folder: Path) -> None:
    cell = '"{""image"": ""charts/one.png""}"'
    (folder / "rows.csv").write_text(f'id,response,chart\na,Right.,{cell}\nb,"{{""image"": 3, ""n"": 1}}",text\n')
    (folder / "rows.jsonl").write_text('{"id": "a", "response": "Right.", "chart": {"image": "charts/one.png"}}\n')
    first, second = read_submissions(folder / "rows.csv", {}, ["chart"])
    (line,) = read_submissions(folder / "rows.jsonl", {}, ["chart"])
    assert first.inputs == line.inputs == {"chart": MARK}
    assert second.response == '{"image": 3, "n": 1}'
    for name in ("rows.jsonl",):
        (example,) = load_examples(folder / name, RUBRIC).examples
        assert isinstance(example.submission.inputs["chart"], PartedText)


def test_an_example_s_response_may_be_an_image_but_no_other_structured_data(folder: Path) -> None:
    file = folder / "examples.jsonl"

    def written(response: Mapping[str, Any]) -> Path:
        file.write_text(json.dumps({"id": "a", "response": response}))
        return file

    (example,) = load_examples(written({"image": "charts/one.png"}), RUBRIC).examples
    assert example.submission.response == MARK
    with pytest.raises(RatingError, match="an example has a response, a text"):
        load_examples(written({"answer": "charts/one.png"}), RUBRIC)


@pytest.mark.parametrize("has_labels", [True, False])
def test_an_input_that_is_only_the_path_of_an_image_causes_a_warning(folder: Path, has_labels: bool) -> None:
    label = {"rater": "ann", "criteria": {"right": "MET"}}
    row = {"id": "a", "chart": "charts/one.png", "response": "Sales rose.", "labels": [label] * has_labels}
    rows = folder / "rows.jsonl"
    rows.write_text(json.dumps(row) + "\n" + json.dumps(row | {"id": "b", "chart": "charts/none.png"}) + "\n")
    with pytest.warns(RatingWarning) as warned:
        list(load_examples(rows, RUBRIC).examples) if has_labels else list(read_submissions(rows, {}, ["chart"]))
    assert [str(warning.message) for warning in warned] == [
        "input 'chart' is the path of a file, and a judge is shown that text; "
        '{"image": "PATH"} in its place shows the file'
    ]


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("has_labels", [True, False])
def test_a_response_that_is_only_the_path_of_an_image_causes_a_warning(folder: Path, has_labels: bool, n: int) -> None:
    rows = folder / "rows.jsonl"
    texts = ["charts/one.png", "charts/none.png", "Sales rose."][:n]
    rows.write_text("".join(json.dumps({"id": text, "response": text}) + "\n" for text in texts))
    with pytest.warns(RatingWarning) as warned:
        list(load_examples(rows, RUBRIC).examples) if has_labels else list(read_submissions(rows, {}, []))
    assert [str(warning.message) for warning in warned] == [
        "the response is the path of a file, and a judge is shown that text; "
        '{"image": "PATH"} in its place shows the file'
    ]
