"""A table of outputs, or of notes, whatever its form and the names of its columns."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.test_one_table_in_every_command import FORMS, OPTIONS, ROWS, TABLE, printed
from tests.readers.tabular.forms import Table, write
from tests.readers.tabular.named_otherwise import OTHER_NAMES, OUTPUT_FORMS, outputs
from tests.readers.tabular.named_otherwise import ROWS as OUTPUTS


@pytest.mark.parametrize("form", FORMS)
def test_later_commands_read_a_table_of_outputs_by_the_columns_named_in_the_first_command(
    tmp_path: Path, form: str
) -> None:
    page = ("--rater", "me", "--sheet", "page.html")
    assert printed(tmp_path, form, "discover", "modes", "--pool", "TABLE", *page, *OPTIONS)[0] == 0
    assert "Answer 59." in (tmp_path / "page.html").read_text(encoding="utf-8")
    _, report = printed(tmp_path, form, "discover", "modes", "--report", "--json")
    assert (json.loads(report)["pool"], len(TABLE["text"])) == (ROWS, ROWS)


@pytest.mark.parametrize("form", FORMS)
def test_notes_in_a_column_of_any_name_can_be_imported(tmp_path: Path, form: str) -> None:
    table: Table = {"id": ["a", "b"], "response": ["Yes.", "No."], "Notes": ["too short", "wrong"]}
    write(table, form, tmp_path)
    done = run("markscheme", "discover", "m", "--notes", f"t.{form}", "--kind", "human", "--rater", "ann", cwd=tmp_path)
    assert "took in 2 notes" in done.stdout, done.stdout + done.stderr
    write({"id": ["a"], "remarks": ["too short"]}, form, tmp_path)
    refused = run("markscheme", "discover", "n", "--notes", f"t.{form}", "--id", "id", cwd=tmp_path)
    assert (refused.returncode, "--map COLUMN=note" in refused.stderr) == (2, True)


def test_discover_imports_notes_from_a_table_whose_columns_of_ratings_are_named_by_options(tmp_path: Path) -> None:
    table: Table = {"id": ["a", "b"], "answer": ["Yes.", "No."], "verdict": ["pass", "fail"], "human": ["pass", "fail"]}
    write({**table, "note": ["too short", "wrong"]}, "csv", tmp_path)
    options = ("--judge", "verdict", "--human", "human", "--response", "answer", "--kind", "human", "--rater", "ann")
    done = run("markscheme", "discover", "m", "--notes", "t.csv", *options, cwd=tmp_path)
    assert "took in 2 notes" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("name", OTHER_NAMES)
@pytest.mark.parametrize("form", OUTPUT_FORMS)
def test_outputs_are_read_whatever_their_column_of_responses_is_called(tmp_path: Path, form: str, name: str) -> None:
    outputs(tmp_path, form, name)
    read = run("markscheme", "discover", "m", "--pool", f"t.{form}", "--report", "--json", cwd=tmp_path)
    assert json.loads(read.stdout)["pool"] == OUTPUTS, read.stderr


@pytest.mark.parametrize("form", OUTPUT_FORMS)
def test_discover_names_the_response_option_in_a_single_error_if_no_column_is_recognized_as_responses(
    tmp_path: Path, form: str
) -> None:
    outputs(tmp_path, form, "txt")
    refused = run("markscheme", "discover", "m", "--pool", f"t.{form}", "--report", cwd=tmp_path)
    assert (refused.returncode, refused.stderr.count("error:")) == (2, 1)
    assert f"markscheme discover m --pool t.{form} --report --response COLUMN" in refused.stderr


def test_if_only_some_rows_of_a_pool_have_a_response_the_other_rows_are_refused_in_one_message(tmp_path: Path) -> None:
    rows = [{"id": f"o{n}", "response": "yes"} for n in range(3)]
    rows += [{"id": f"p{n}", "text": f"t {n}"} for n in range(80)]
    (tmp_path / "mixed.json").write_text(json.dumps(rows))
    refused = run("markscheme", "discover", "m", "--pool", "mixed.json", "--report", cwd=tmp_path)
    assert (refused.returncode, refused.stderr.count("error:")) == (2, 1)
    assert "found `id`, `text`; so in 79 more" in refused.stderr


@pytest.mark.parametrize(
    ("file", "text", "location"),
    [
        ("pool.csv", 'id,response\na,"one\ntwo\nthree"\na,fine\n', "pool.csv:5"),
        ("pool.jsonl", '\n{"id": "a", "response": "x"}\n\n{"id": "a", "response": "y"}\n', "pool.jsonl:4"),
        ("pool.json", '[{"id": "a", "response": "x"},\n\n{"id": "a", "response": "y"}]', "pool.json: row 2"),
    ],
)
def test_a_faulty_row_of_a_pool_is_located_by_its_line_or_by_its_row_number_if_the_line_is_unknown(
    tmp_path: Path, file: str, text: str, location: str
) -> None:
    (tmp_path / file).write_text(text)
    refused = run("markscheme", "discover", "m", "--pool", file, "--report", cwd=tmp_path)
    assert (refused.returncode, refused.stderr) == (
        2,
        f"error: {location}: id 'a' occurs above already; ids are unique\n",
    )


def test_once_the_response_option_named_a_column_discover_s_next_command_works_without_the_option(
    tmp_path: Path,
) -> None:
    outputs(tmp_path, "csv", "txt")
    named = run("markscheme", "discover", "m", "--pool", "t.csv", "--response", "txt", "--report", cwd=tmp_path)
    assert "markscheme discover m --pool t.csv\n" in named.stdout, named.stderr
    pasted = run("markscheme", "discover", "m", "--pool", "t.csv", "--rater", "me", "--sheet", "s.html", cwd=tmp_path)
    page = (tmp_path / "s.html").read_text(encoding="utf-8")
    assert sum(f"text {row}." in page for row in range(OUTPUTS)) == OUTPUTS // 2, pasted.stderr  # half stay unread
