"""Refusals of tables: each has its code and facts, and the commands it offers run when pasted."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.readers.tabular.forms import Table, write
from tests.readers.tabular.test_worked_cases import CASES, Tried, cases, command_of, files_of
from tests.worked_cases import skipped_without

ALTERNATE = [None if row % 2 else "pass" for row in range(20)]
OTHER_ROWS = ["fail" if row % 2 else None for row in range(20)]


@pytest.mark.parametrize(
    "table", [{"judge": ALTERNATE, "human": OTHER_ROWS}, {"human1": ALTERNATE, "human2": OTHER_ROWS}]
)
def test_a_table_without_a_row_that_both_raters_rated_is_refused_with_the_number_of_each_rater_s_ratings(
    table: Table, tmp_path: Path
) -> None:
    write({"id": [f"t{row}" for row in range(20)], **table}, "csv", tmp_path)
    done = run("markscheme", "calibrate", "t.csv", "--json", "-", cwd=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (2, "none-in-common")
    assert set(error["values"].values()) == {10}
    assert error["commands"]


def test_a_command_suggested_for_a_table_with_a_number_of_400_digits_never_contains_infinity(tmp_path: Path) -> None:
    write({"id": ["a", "b", "c"], "judge": ["9" * 400, "3", "4"], "human": ["1", "4", "4"]}, "csv", tmp_path)
    done = run("markscheme", "calibrate", "t.csv", "--json", "-", cwd=tmp_path)
    commands = json.loads(done.stdout)["error"]["commands"]
    assert done.returncode == 2
    assert [command.rpartition("=")[2] for command in commands] == ["NUMBER", ""]


def test_a_suggested_command_has_a_placeholder_for_a_scale_that_the_ratings_do_not_show(
    tmp_path: Path,
) -> None:
    write({"judge": ["1", "2", "5", "4", "3", "2"], "human": ["0.5", "7", "10", "3", "4", "8"]}, "csv", tmp_path)
    done = run("markscheme", "calibrate", "t.csv", "--json", "-", cwd=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "scales-differ"
    assert error["commands"] == ["markscheme calibrate t.csv --scale judge=1-5 --scale human=LOW-HIGH"]


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (
            ["id,judge,human", "a,yes,no", "b,no,no,extra", "c,yes,yes"],
            {"code": "long-rows", "message": "t.csv: a row has more cells than the header (line 3)", "columns": []},
        ),
        (
            ["id,judge,human,human", "a,yes,no,yes", "b,no,no,no"],
            {
                "code": "equal-names",
                "message": "t.csv: has several columns named 'human', which differ; rename all but one",
                "columns": ["human"],
            },
        ),
    ],
)
def test_a_table_with_a_row_longer_than_its_header_or_with_two_columns_of_one_name_is_refused(
    lines: list[str], error: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    done = run("markscheme", "calibrate", "t.csv", "--json", "-", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["error"]) == (2, {**error, "values": {}, "commands": []})


def refused_cases() -> list[Any]:
    """Return the worked cases that must be refused, each in one file format."""
    first = {tried.case["name"]: tried for tried in reversed(cases())}
    refused = [pytest.param(tried, id=tried.case["name"]) for tried in first.values() if "refused" in tried.case]
    return refused or [skipped_without(CASES)]


@pytest.mark.parametrize("tried", refused_cases())
@pytest.mark.proof
def test_each_complete_command_that_the_refusal_of_a_table_suggests_runs_when_pasted(
    tried: Tried, tmp_path: Path
) -> None:
    command = command_of(tried.case)
    files = files_of(tried, tmp_path)
    flags = ("--json", "-") if command == "calibrate" else ("--json",)
    refused = run("markscheme", command, *files, *shlex.split(tried.case.get("options", "")), *flags, cwd=tmp_path)
    error = json.loads(refused.stdout)["error"]
    for offered in error["commands"]:
        words = shlex.split(offered)
        if any(part.isupper() and len(part) > 1 for word in words for part in word.split("=")):
            continue  # what only its user knows
        pasted = run(*words, cwd=tmp_path)
        assert pasted.returncode in (0, 1, 4) or error["code"] not in pasted.stderr, pasted.stderr
        assert "unknown option" not in pasted.stderr
        assert str(error["message"]) not in pasted.stderr, offered


def test_a_judge_that_misses_all_of_very_few_fails_by_chance_is_not_refused_as_reversed(tmp_path: Path) -> None:
    """Five fails among 60, none of them among the eight responses that the judge fails: what chance does in half."""
    rows = [f"r{i},{'no' if i < 8 else 'yes'},{'no' if i >= 55 else 'yes'}\n" for i in range(60)]
    (tmp_path / "t.csv").write_text("id,judge,human\n" + "".join(rows), encoding="utf-8")
    done = run("calibrate", "t.csv", "--json", "-", cwd=tmp_path)
    assert done.returncode != 2, done.stderr
    assert json.loads(done.stdout)["overall"]["pass_kappa"]["value"] < 0
