"""Recognition of file formats by content, whatever the file's name."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest
import yaml

from markscheme.errors import RatingError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import load_examples
from markscheme.ratings.row_form import takes_lines
from markscheme.readers.peek import FileShape, Peek
from markscheme.readers.submissions import holds_several, holds_sheet, read_submissions, sheet_submissions
from markscheme.rubrics.rubric import Criterion, Rubric

TABLE = "id,verdict,human\nt1,pass,1\nt2,fail,0\n"
OBJECTS = [{"id": "t1", "verdict": "pass"}, {"id": "t2", "verdict": "fail"}]
LINES = "".join(f"{json.dumps(record)}\n" for record in OBJECTS)
TEXTS: dict[str, tuple[FileShape, str]] = {
    "a table": ("sheet", TABLE),
    "semicolons": ("sheet", TABLE.replace(",", ";")),
    "two columns with a header": ("sheet", "id,verdict\nt1,pass\nt2,fail\n"),
    "lines of JSON": ("lines", LINES),
    "a list": ("json", json.dumps(OBJECTS, indent=1)),
    "a list on one line": ("json", json.dumps(OBJECTS)),
    "an object": ("json", '{"id": "t1"}\n'),
    "prose": ("text", "Open Settings, then Security.\nCall us if that fails.\n"),
    "ids and verdicts": ("text", "t1 pass\nt2 fail\n"),
    "nothing": ("text", ""),
}


@pytest.mark.parametrize("what", TEXTS)
@pytest.mark.parametrize("name", ["t", "t.txt", "t.data"])
def test_a_file_is_recognized_as_a_table_or_json_or_text_by_its_content(what: str, name: str, tmp_path: Path) -> None:
    shape, text = TEXTS[what]
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert Peek(tmp_path / name).shape == shape


@pytest.mark.parametrize(
    ("name", "text", "shape"),
    [
        ("t.json", LINES, "lines"),
        ("t.json", TABLE, "sheet"),
        ("t.jsonl", TABLE, "sheet"),
        ("t.jsonl", json.dumps(OBJECTS, indent=1), "json"),
        ("t.csv", LINES, "lines"),
        ("t.csv", TABLE, "table"),
        ("t.csv", json.dumps(OBJECTS, indent=1), "json"),
        ("t.jsonl", '{"id": "t1", "verd', "lines"),
        ("t.json", "", "json"),
    ],
)
def test_a_file_s_name_decides_how_it_is_read_only_if_the_content_is_empty_or_damaged(
    name: str, text: str, shape: FileShape, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert Peek(tmp_path / name).shape == shape


@pytest.mark.parametrize(("encoding", "shape"), [("utf-16", "sheet"), ("cp1252", "sheet"), ("utf-8", "sheet")])
def test_a_table_in_another_encoding_is_recognized_under_any_file_name(
    encoding: str, shape: FileShape, tmp_path: Path
) -> None:
    (tmp_path / "t.txt").write_bytes(TABLE.replace("pass", "sí").encode(encoding))
    assert Peek(tmp_path / "t.txt").shape == shape


def test_a_parquet_file_is_recognized_by_its_first_bytes(tmp_path: Path) -> None:
    pd.DataFrame(OBJECTS).to_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_bytes((tmp_path / "t.parquet").read_bytes())
    assert [Peek(tmp_path / name).shape for name in ("t.parquet", "t.csv")] == ["parquet", "parquet"]
    assert [dict(record) for record in Peek(tmp_path / "t.csv").all_records()] == OBJECTS


@pytest.mark.parametrize("start", [b"\x89PNG\r\n\x1a\n\0\0", b"%PDF-1.7\n\xff\xfe", b"\xff\xd8\xff\xe0\0\x10JFIF"])
def test_an_image_or_a_pdf_is_not_read_as_a_table(start: bytes, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(start)
    assert Peek(tmp_path / "t").shape == "text"


LABELLED = [
    {"id": f"t{row}", "response": f"answer {row}", "labels": [{"rater": "ann", "criteria": {"kind": row % 2}}]}
    for row in range(3)
]
EXAMPLES = {
    "lines": "".join(f"{json.dumps(example)}\n" for example in LABELLED),
    "a list": json.dumps(LABELLED, indent=1),
    "a list on one line": json.dumps(LABELLED),
    "an object": json.dumps({"rubric": "tone", "examples": LABELLED}),
    "YAML": yaml.safe_dump(LABELLED),
    "a table": "id,response,rater,kind is MET\nt0,answer 0,ann,0\nt1,answer 1,ann,1\nt2,answer 2,ann,0\n",
}
NAMES = ("t.jsonl", "t.json", "t.yaml", "t.txt", "t.data", "t")


@pytest.mark.parametrize("what", EXAMPLES)
def test_a_labelled_set_is_read_by_its_content_whatever_its_name(what: str, tmp_path: Path) -> None:
    name = "kind is MET" if what == "a table" else "kind"
    rubric = Rubric((Criterion(1.0, "It is kind.", name),), name="tone")
    for file in (*NAMES, "t.csv") if what != "YAML" else NAMES:
        (tmp_path / file).write_text(EXAMPLES[what], encoding="utf-8")
        labels = load_examples(tmp_path / file, rubric).labels
        assert {label.id: label.criteria[name].level for label in labels} == {"t0": 0, "t1": 1, "t2": 0}, file


def test_the_error_on_a_compressed_file_of_examples_names_the_command_that_can_read_it(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(gzip.compress(EXAMPLES["lines"].encode()))
    with pytest.raises(RatingError, match="markscheme import FILE --rubric NAME"):
        load_examples(tmp_path / "t.jsonl", Rubric((Criterion(1.0, "It is kind.", "kind"),), name="tone"))


def test_lines_can_be_appended_only_to_a_file_of_json_lines_and_not_to_other_formats(tmp_path: Path) -> None:
    for what, text in {**EXAMPLES, "nothing": ""}.items():
        (tmp_path / "examples.jsonl").write_text(text, encoding="utf-8")
        assert takes_lines(tmp_path / "examples.jsonl") is (what in ("lines", "nothing")), what


@pytest.mark.parametrize("what", ["lines", "a list", "a list on one line", "a table"])
@pytest.mark.parametrize("name", ["t.jsonl", "t.csv", "t.json", "t.data"])
def test_responses_to_grade_are_recognized_by_the_content_of_a_file(what: str, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(EXAMPLES[what], encoding="utf-8")
    path = tmp_path / name
    is_sheet = holds_sheet(path, ColumnOptions())
    assert is_sheet or holds_several(path)
    read = sheet_submissions(path, ColumnOptions()) if is_sheet else read_submissions(path, {}, ())
    assert [(submission.id, submission.response) for submission in read] == [
        (f"t{row}", f"answer {row}") for row in range(3)
    ]


def test_a_text_file_is_one_response_even_if_it_looks_like_a_table(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(EXAMPLES["a table"], encoding="utf-8")
    assert not holds_several(tmp_path / "t.txt")
    assert not holds_sheet(tmp_path / "t.txt", ColumnOptions())
