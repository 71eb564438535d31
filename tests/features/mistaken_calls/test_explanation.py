"""Errors about files of the wrong kind say what the file is, and the one way out."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from markscheme.commands.call import call
from markscheme.errors import MarkschemeError

RUBRIC = "criteria:\n  - {name: polite, requirement: The reply is polite.}\n"
NAMED = {"rubric": {"name": "tone", "fingerprint": "0f"}}
VERDICT = {"id": "a", "rater": "gpt", "kind": "model", "criteria": {"polite": "MET"}}
CONTENTS = {
    "accepted.json": json.dumps(
        {**NAMED, "use": "trend", "ratings": {"file": "x.jsonl"}, "measurements": {}}, indent=1
    ),
    "history.jsonl": json.dumps({"date": "2026-11-30", "use": "trend", "wordings": {}, "ratings": "x", "rubric": "0f"}),
    "card.json": json.dumps({**NAMED, "id": "d8", "terms": {}, "figures": {}, "files": {}}),
    "cascade.json": json.dumps(
        {"schema": 1, "stages": [{"judge": "a"}], "fingerprints": {}, "error": 0.05, "confidence": 0.9}
    ),
    "replies.jsonl": json.dumps({"fingerprint": "ab", "judge": "j", "model": "m", "text": "{}"}),
    "report.json": json.dumps({**NAMED, "agreement": {}, "verdict": "ok", "counts": {}}),
    "try.yaml": "rubric: tone\nvariants: []\ncases: cases.jsonl\n",
    "promptfooconfig.yaml": "prompts: [x]\nproviders: [y]\ntests: []\n",
    "edits.json": json.dumps([{"criterion": "polite", "old": "polite", "new": "kind"}]),
    "one.jsonl": json.dumps(VERDICT),
    "verdicts.jsonl": "\n".join(json.dumps({**VERDICT, "id": id}) for id in "ab"),
    "counts.csv": "part,gold,judge,n\nall,1,1,9\n",
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder with a rubric and files of many kinds, and work in it."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "tone.yaml").write_text(RUBRIC)
    (tmp_path / "calibration" / "tone").mkdir(parents=True)
    label = {"rater": "ann", "kind": "human", "criteria": {"polite": "MET"}}
    example = {"id": "a", "response": "Thank you.", "labels": [label]}
    (tmp_path / "calibration" / "tone" / "examples.jsonl").write_text(json.dumps(example) + "\n")
    for name, text in CONTENTS.items():
        (tmp_path / name).write_text(text + "\n")
    (tmp_path / "picture.dat").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (tmp_path / "bytes.jsonl").write_bytes(b"\0\1\2\xff\xfe")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)


def error_of(command: str) -> str:
    """Return the error of a command line."""
    with pytest.raises(MarkschemeError) as caught:
        call(shlex.split(command))
    return str(caught.value)


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (
            "calibrate accepted.json",
            "accepted.json is an accepted run, which `calibrate --accept` wrote; "
            "`markscheme calibrate tone` compares later runs with it",
        ),
        (
            "calibrate tone --examples accepted.json",
            "accepted.json is an accepted run, which `calibrate --accept` wrote",
        ),
        (
            "calibrate tone --ratings one.jsonl -o accepted=verdicts.jsonl",
            "verdicts.jsonl is ratings, not an accepted run; `markscheme calibrate RUBRIC --ratings verdicts.jsonl "
            "--accept` makes an accepted run of them",
        ),
        (
            "calibrate tone --ratings one.jsonl -o accepted=calibration/tone/examples.jsonl",
            "calibration/tone/examples.jsonl is examples, not an accepted run; `markscheme calibrate RUBRIC ",
        ),
        ("calibrate tone --ratings history.jsonl", "history.jsonl is a record of accepted runs; "),
        ("import card.json --rubric tone --kind human", "card.json is a judge card; `markscheme verify card.json`"),
        (
            "calibrate tone --ratings cascade.json",
            "cascade.json is a certificate, which `certify --write` wrote; `--judge cascade:cascade.json` decides",
        ),
        ("import cascade.json --rubric tone --kind model", "cascade.json is a certificate"),
        (
            "calibrate tone --ratings replies.jsonl",
            "replies.jsonl is recorded replies of a judge; `--judge recorded:replies.jsonl` answers from them",
        ),
        ("calibrate tone --examples report.json", "report.json is a report of `calibrate`; "),
        ("calibrate try.yaml", "try.yaml is an experiment; `markscheme experiment try.yaml` runs it"),
        (
            "calibrate promptfooconfig.yaml",
            "promptfooconfig.yaml is a configuration of Promptfoo; `markscheme init` in its folder makes a rubric",
        ),
        ("init --from promptfooconfig.yaml", "promptfooconfig.yaml is a configuration of Promptfoo; `markscheme init`"),
        (
            "calibrate tone --ratings edits.json",
            "edits.json is edits of a rubric's words; `markscheme improve RUBRIC --candidates edits.json` tries them",
        ),
        (
            "calibrate tone --ratings counts.csv",
            "counts.csv is a counts file; `markscheme calibrate RUBRIC --counts counts.csv` reads it",
        ),
        (
            "calibrate tone --ratings picture.dat",
            'picture.dat is an image (PNG); expected ratings of a judge: a line like {"id": …,',
        ),
        ("calibrate tone --ratings bytes.jsonl", "bytes.jsonl is binary data; expected ratings of a judge"),
        ("calibrate tone --ratings folder", "folder is a folder, not a file; expected ratings of a judge"),
    ],
)
def test_an_error_about_a_file_of_the_wrong_kind_says_what_the_file_is_and_what_command_takes_the_file(
    command: str, error: str
) -> None:
    assert error_of(command).startswith(error)


def test_a_rubric_s_name_read_from_a_file_is_quoted_as_one_word_in_the_printed_command() -> None:
    accepted = json.loads(CONTENTS["accepted.json"])
    Path("accepted.json").write_text(json.dumps(accepted | {"rubric": {"name": "FILE; date"}}))
    assert error_of("calibrate accepted.json").endswith(
        "; `markscheme calibrate 'FILE; date'` compares later runs with it"
    )


def test_an_error_in_a_file_that_the_command_can_read_is_not_blamed_on_the_kind_of_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "judged.jsonl").write_text(
        '{"id": "a", "rater": "j", "kind": "model", "criteria": {"poilte": "MET"}}\n'
    )
    assert "judged.jsonl:1: " in error_of("calibrate tone --ratings judged.jsonl")
    assert "experiment" not in error_of("experiment try.yaml").partition("try.yaml")[0]


def test_an_error_about_an_option_without_effect_does_not_mention_that_the_option_s_file_is_empty(
    tmp_path: Path,
) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    error = error_of("label tone --progress --ratings empty.jsonl")
    assert "--ratings has no effect here: --progress counts people's labels" in error
    assert "is empty" not in error


@pytest.mark.parametrize("option", ["--json", "--html", "--sarif"])
def test_the_error_on_a_missing_rubric_does_not_mention_a_file_that_the_command_would_write(option: str) -> None:
    error = error_of(f"calibrate nothing {option} report.json")
    assert "there is no rubric named 'nothing'" in error
    assert "report.json" not in error


def test_an_error_about_a_rubric_without_examples_does_not_mention_a_folder_of_the_same_name() -> None:
    Path("rubrics", "bare.yaml").write_text(RUBRIC)
    Path("bare").mkdir()
    assert "is a folder" not in error_of("label bare --next 5")


def test_the_error_on_a_missing_rubric_does_not_mention_that_another_option_s_file_is_empty() -> None:
    Path("tone.jsonl").write_text("")
    error = error_of("calibrate nothing --examples tone.jsonl")
    assert "there is no rubric named 'nothing'" in error
    assert "is empty" not in error


def test_an_image_given_as_a_table_is_refused_in_one_sentence_without_further_advice() -> None:
    assert error_of("calibrate picture.dat") == "picture.dat is an image (PNG), not a table"


def test_if_a_judge_card_is_given_in_place_of_a_counts_file_the_error_says_that_it_is_a_judge_card() -> None:
    assert error_of("calibrate tone --counts card.json").startswith("card.json is a judge card; ")


@pytest.mark.parametrize("option", ["--ratings", "--examples"])
def test_an_error_about_a_named_pipe_is_reported_without_waiting_for_the_pipe_s_writer(
    option: str,
) -> None:
    os.mkfifo("pipe")
    done = subprocess.run(
        [sys.executable, "-m", "markscheme", "calibrate", "tone", option, "pipe"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "there is no file of " in done.stderr
