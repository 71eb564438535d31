"""The content of a file decides what it holds: no name makes one readable, and none keeps one from being read."""

import json
from pathlib import Path

import pandas as pd
import pytest

from markscheme.readers.peek import FileShape, Peek

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
def test_a_file_s_shape_is_that_of_its_content(what: str, name: str, tmp_path: Path) -> None:
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
        ("t.jsonl", '{"id": "t1", "verd', "lines"),
        ("t.json", "", "json"),
    ],
)
def test_a_name_that_says_otherwise_decides_only_what_is_empty_or_damaged(
    name: str, text: str, shape: FileShape, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert Peek(tmp_path / name).shape == shape


@pytest.mark.parametrize(("encoding", "shape"), [("utf-16", "sheet"), ("cp1252", "sheet"), ("utf-8", "sheet")])
def test_text_in_another_encoding_is_a_table_under_any_name(encoding: str, shape: FileShape, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(TABLE.replace("pass", "sí").encode(encoding))
    assert Peek(tmp_path / "t.txt").shape == shape


def test_parquet_is_known_by_its_beginning(tmp_path: Path) -> None:
    pd.DataFrame(OBJECTS).to_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_bytes((tmp_path / "t.parquet").read_bytes())
    assert [Peek(tmp_path / name).shape for name in ("t.parquet", "t.csv")] == ["parquet", "parquet"]
    assert [dict(record) for record in Peek(tmp_path / "t.csv").all_records()] == OBJECTS


@pytest.mark.parametrize("start", [b"\x89PNG\r\n\x1a\n\0\0", b"%PDF-1.7\n\xff\xfe", b"\xff\xd8\xff\xe0\0\x10JFIF"])
def test_an_image_or_a_pdf_is_no_table(start: bytes, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(start)
    assert Peek(tmp_path / "t").shape == "text"
