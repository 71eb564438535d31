"""An error about the values of a judge's column names the other judges' columns that fit the labels."""

import json
import shlex
from pathlib import Path

import pytest

from tests.commands.console import run

HEADER = "answer,gpt_judge,judge_score,human_label"


def write(folder: Path, header: str, *, verdict: str = "True False") -> None:
    """Write a table of 40 answers: a judge's verdict as a word, its score from 0 to 1, and a person's label."""
    words = verdict.split()
    rows = [f"a{i},{words[i % 7 == 0]},{i % 10 / 10},{i % 5 != 0}" for i in range(40)]
    (folder / "t.csv").write_text("\n".join([header, *rows]), encoding="utf-8")


@pytest.mark.parametrize(
    "command",
    [("calibrate", "t.csv"), ("certify", "t.csv"), ("label", "t.csv", "--plan"), ("init", "p", "--from", "t.csv")],
)
def test_an_error_about_a_missing_pass_mark_suggests_the_judge_s_column_that_needs_no_pass_mark(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    write(tmp_path, HEADER)
    done = run("markscheme", *command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    message, first, second = done.stderr.splitlines()
    assert message.endswith("from which number a response passes; --judge compares 'gpt_judge' instead")
    assert [first.strip(), second.strip()] == [
        shlex.join(["markscheme", *command, *words]) for words in (["--judge", "gpt_judge"], ["--pass-mark", "NUMBER"])
    ]
    assert run(*shlex.split(first), cwd=tmp_path).returncode in (0, 1, 4)


@pytest.mark.parametrize(
    ("header", "verdict", "options"),
    [
        (HEADER.replace("gpt_judge", "style"), "True False", ()),
        (HEADER, "3 2", ()),
        (HEADER, "True False", ("--judge", "judge_score")),
    ],
)
def test_no_other_judge_s_column_is_suggested_if_none_fits_the_labels_or_the_user_named_a_judge(
    tmp_path: Path, header: str, verdict: str, options: tuple[str, ...]
) -> None:
    write(tmp_path, header, verdict=verdict)
    done = run("calibrate", "t.csv", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].endswith("--pass-mark says from which number a response passes")
    assert [line.split()[-2] for line in done.stderr.splitlines()[1:]] == ["--pass-mark"]


def test_the_json_of_an_error_lists_the_command_with_the_suggested_judge_s_column_first(tmp_path: Path) -> None:
    write(tmp_path, HEADER)
    done = run("calibrate", "t.csv", "--json", "-", cwd=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "pass-mark"
    assert [command.partition(" --")[2] for command in error["commands"]] == ["judge gpt_judge", "pass-mark NUMBER"]
