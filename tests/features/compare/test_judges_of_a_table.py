"""A table with the verdicts of several judges."""

import json
import shlex
from pathlib import Path

import pytest

from markscheme import compare
from tests.commands.console import run
from tests.commands.test_tables_as_people_have_them import PASS_FAIL, Table, cycled, is_read_or_refused

TWO_JUDGES = Table(
    "two judges of one human",
    {
        "judge_a": cycled(PASS_FAIL),
        "judge_b": cycled(PASS_FAIL, range(20), "fail"),
        "human": cycled(PASS_FAIL),
    },
    0,
    "judge_a: pass/fail · judge_b: pass/fail · human: pass/fail",
    (1.0, 48 / 60),
)


def test_two_judges_in_a_table_each_get_their_own_agreement_with_people(tmp_path: Path) -> None:
    is_read_or_refused(TWO_JUDGES, tmp_path)


def test_false_passes_of_judges_that_give_levels_are_counted_only_if_a_pass_mark_is_stated(tmp_path: Path) -> None:
    """People give 3, 4, 5 in turn; one judge gives 5 to every odd row, the other 4 to every fourth."""
    people = [3 + row % 3 for row in range(20)]
    rows = [f"t{row},{5 if row % 2 else h},{h if row % 4 else 4},{h}" for row, h in enumerate(people)]
    (tmp_path / "t.csv").write_text("\n".join(["id,judge_gpt,judge_claude,human", *rows]))
    unmarked = run("markscheme", "compare", "t.csv", "--json", cwd=tmp_path)
    marked = run("markscheme", "compare", "t.csv", "--pass-mark", "4", "--json", cwd=tmp_path)
    assert [judge["false_passes"] for judge in json.loads(unmarked.stdout)["judges"]] == [None, None]
    roles = {name: column["role"] for name, column in json.loads(unmarked.stdout)["read"]["columns"].items()}
    assert roles == {"judge_gpt": "judge", "judge_claude": "judge", "human": "human"}
    several = run("calibrate", "t.csv", "--json", "-", cwd=tmp_path)
    assert json.loads(several.stdout)["read"] == json.loads(unmarked.stdout)["read"]
    assert sorted(judge["false_passes"] for judge in json.loads(marked.stdout)["judges"]) == [2, 3]


def test_the_error_on_a_table_whose_columns_may_be_judges_or_criteria_suggests_one_command_that_runs(
    tmp_path: Path,
) -> None:
    rows = [f"t{row},{row % 2},{row % 3 % 2},{row % 2},{row % 2}" for row in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["id,judge_recall,judge_names,human_a,human_b", *rows]))
    done = run("markscheme", "compare", "t.csv", "--json", cwd=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (2, "rater-or-criterion")
    (command,) = error["commands"]
    assert run(*shlex.split(command), cwd=tmp_path).returncode == 0


def test_two_judges_that_rated_no_common_row_are_refused_with_the_number_of_rows_that_each_judge_rated(
    tmp_path: Path,
) -> None:
    rows = [f"t{row},{'' if row % 2 else 'pass'},{'fail' if row % 2 else ''},pass" for row in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["id,judge_a,judge_b,human", *rows]))
    done = run("markscheme", "compare", "t.csv", "--judge", "judge_a", "--judge", "judge_b", "--json", cwd=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (2, "none-in-common")
    assert set(error["values"].values()) == {10}
    assert error["commands"]


def test_judges_in_separate_tables_are_joined_by_id_with_a_table_of_labels_and_compared_on_those_labels(
    tmp_path: Path,
) -> None:
    answers = {"labels": ("label", 2), "mini": ("verdict", 3), "max": ("verdict", 5)}
    for name, (column, period) in answers.items():
        rows = (f"{case},{'PASS' if case % period else 'FAIL'}" for case in range(60))
        (tmp_path / f"{name}.csv").write_text("\n".join([f"case_id,{column}", *rows]) + "\n", encoding="utf-8")
    done = run("markscheme", "compare", "labels.csv", "mini.csv", "max.csv", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {judge["name"] for judge in json.loads(done.stdout)["judges"]} == {"mini", "max"}
    refused = run("markscheme", "compare", "mini.csv", "max.csv", cwd=tmp_path)
    assert (refused.returncode, "--human names one" in refused.stderr) == (2, True)


@pytest.mark.parametrize("command", ["compare", "calibrate"])
def test_calibrate_and_compare_say_how_a_table_with_two_judges_was_read(command: str, tmp_path: Path) -> None:
    rows = [f"t{row},{'pass' if row % 2 else 'fail'},{'pass' if row % 3 else 'fail'},pass" for row in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["id,judge_a,judge_b,human", *rows, rows[0]]))
    done = run("markscheme", command, "t.csv", cwd=tmp_path)
    assert "human: pass · id: id · 20 rows, 20 with both." in " ".join(done.stdout.split())
    assert "counts once" in done.stderr


@pytest.mark.parametrize(
    ("header", "named", "says"),
    [
        ("id,judge,human", (), "'judge' is one judge"),
        ("id,ann,ben", ("--human", "ann", "--human", "ben"), "'ann' and 'ben' are annotators"),
    ],
)
def test_compare_refuses_a_table_without_two_judges_and_prints_a_command_that_works_on_the_table(
    header: str, named: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    rows = [f"t{row},{'pass' if row % 2 else 'fail'},pass" for row in range(20)]
    (tmp_path / "t.csv").write_text("\n".join([header, *rows]))
    done = run("markscheme", "compare", "t.csv", *named, cwd=tmp_path)
    assert (done.returncode, says in done.stderr) == (2, True)
    printed = shlex.split(done.stderr.split("`")[1])
    assert run(*printed, cwd=tmp_path).returncode != 2


def test_of_two_judges_that_agree_equally_often_with_people_neither_is_said_to_agree_most_often(tmp_path: Path) -> None:
    rows = [f"t{row},{'pass' if row else 'fail'},{'fail' if row == 1 else 'pass'},pass" for row in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["id,judge_a,judge_b,human", *rows]))
    because = json.loads(run("markscheme", "compare", "t.csv", "--json", cwd=tmp_path).stdout)["because"]
    assert because.startswith("judge_a and judge_b agree with the labels equally often")


def test_the_suggested_command_names_every_column_that_may_be_a_judge_if_it_is_unclear_which_are(
    tmp_path: Path,
) -> None:
    rows = "".join(
        f"{n},text {n},{'pass' if n % 3 else 'fail'},{'pass' if n % 4 else 'fail'},{'pass' if n % 5 else 'fail'}\n"
        for n in range(60)
    )
    (tmp_path / "t.csv").write_text(f"id,response,v1,v2,label\n{rows}")
    refused = run("markscheme", "compare", "t.csv", cwd=tmp_path)
    (command,) = (line.strip() for line in refused.stderr.splitlines() if line.startswith("  "))
    assert command == "markscheme compare t.csv --judge v1 --judge v2"
    assert run(*command.split(), cwd=tmp_path).returncode == 0


def test_files_of_two_judges_and_of_labels_are_compared_in_python_as_by_the_command(tmp_path: Path) -> None:
    verdicts = {"a": ["pass"] * 15 + ["fail"] * 5, "b": ["pass"] * 20, "labels": ["pass"] * 14 + ["fail"] * 6}
    for name, words in verdicts.items():
        column = "label" if name == "labels" else "verdict"
        rows = "".join(f"t{row},{word}\n" for row, word in enumerate(words))
        (tmp_path / f"{name}.csv").write_text(f"id,{column}\n{rows}")
    files = [str(tmp_path / f"{name}.csv") for name in verdicts]
    compared = compare(*files)
    done = run("markscheme", "compare", *files, "--json", cwd=tmp_path)
    assert (compared.best, compared.because) == ("a", json.loads(done.stdout)["because"])


def test_the_error_on_two_judges_tables_without_labels_names_the_command_with_a_file_of_labels(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("id,verdict\n" + "".join(f"t{row},pass\n" for row in range(20)))
    refused = run("markscheme", "compare", "a.csv", "b.csv", cwd=tmp_path)
    assert "  markscheme compare a.csv b.csv LABELS\n" in refused.stderr
