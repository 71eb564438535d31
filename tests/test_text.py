"""Text from outside: what may be printed, opened in a spreadsheet, and made part of a path."""

import io
import json

import pytest
import yaml

from markscheme.errors import UsageError
from markscheme.text import SafeStream, escaped, is_path_component, path_component, spreadsheet_cell

ATTACKS = [
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\u202etxt.exe",
    "\u2066",
    "\u2028",
    "\x00",
    "\x7f",
    "\r",
    "\ud800",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_characters_that_control_a_terminal_are_never_printed_unescaped(attack: str) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    print(f"rater {attack}", file=SafeStream(out))
    out.seek(0)
    written = out.read()
    assert not set(attack) & set(written) - set("[2J]0;title31mtx.")
    assert json.loads(f'"{written.strip()}"') == f"rater {attack}"


def test_a_character_that_the_terminal_s_encoding_lacks_is_printed_as_an_escape() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    print("83 % – ≥ \ud800", file=SafeStream(out))
    out.flush()
    assert raw.getvalue() == b"83 % \\u2013 \\u2265 \\ud800\n"


def test_json_has_the_same_value_after_unsafe_characters_are_escaped() -> None:
    data = {"rater": "\u202eann\x9b", "text": "héllo 👩‍🚀\n"}
    assert json.loads(escaped(json.dumps(data, ensure_ascii=False))) == data


def test_json_with_every_character_of_unicode_s_basic_plane_is_read_back_unchanged_as_yaml() -> None:
    letters = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x10000)]))
    assert yaml.safe_load(escaped(json.dumps(letters, ensure_ascii=False))) == letters


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", " \t=1", "\u3000＝1", "＋1", "－1", "＠x", "\u200b=1", "﹦1"]
)
def test_a_cell_of_a_written_table_is_never_read_as_a_formula_by_a_spreadsheet(text: str) -> None:
    assert spreadsheet_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "variant a", "a=1", "1-2", "'=1"])
def test_a_cell_that_a_spreadsheet_would_not_read_as_a_formula_is_written_unchanged(text: str) -> None:
    assert spreadsheet_cell(text) == text


OUTSIDE = [
    "../../victim/pwn",
    "..",
    ".",
    "",
    "/etc/x",
    "a/b",
    "a\\b",
    "C:x",
    "a\x00b",
    "a\nb",
    ".ssh",
    "-rf",
    "x" * 65,
    "a.",
    "a ",
]


@pytest.mark.parametrize("name", [*OUTSIDE, "\ud800", "\u202ea", "a*"])
def test_a_rater_s_name_that_could_lead_out_of_its_folder_is_refused_as_a_file_name(name: str) -> None:
    assert not is_path_component(name)
    with pytest.raises(UsageError, match=r"^--rater can't name a file: got "):
        path_component(name, "--rater")


@pytest.mark.parametrize("name", ["code-quality", "Ann Lee", "jörg", "v1.2_b", "評価"])
def test_the_name_of_a_person_or_a_rubric_is_accepted_as_a_file_name(name: str) -> None:
    assert path_component(name, "--rater") == name
