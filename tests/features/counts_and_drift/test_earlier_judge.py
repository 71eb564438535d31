"""`calibrate RUBRIC --counts FILE --earlier COLUMN`, and the export that counts an earlier judge."""

import csv
import json
import random
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from markscheme import calibrate
from markscheme.errors import UsageError
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run
from tests.features.counts.made import random_examples

RUBRIC = """pass_mark: 0.5
criteria:
- {name: clear, description: Is it clear?, scale: {min: 1, max: 5}}
- {name: right, description: Is it right?, scale: {min: 1, max: 5}}
"""
EXPORT = ("export", "answers", "--counts", "counts.csv", "--from", "ratings.jsonl", "--examples", "examples.jsonl")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with labelled examples, two judges' ratings in one file, and the counts of both: where one works."""
    folder = tmp_path_factory.mktemp("judges")
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "answers.yaml").write_text(RUBRIC)
    rubric = load_rubric(folder / "rubrics" / "answers.yaml")
    examples, _ = random_examples(rubric, random.Random(1), n=200, groups=0, people=2)
    ratings = []
    for example in (example for example in examples if example["labels"]):
        levels = {"clear": 3, "right": 3, **example["labels"][0]["criteria"]}
        lower = {**levels, "clear": max(1, levels["clear"] - 1)}
        by_judge = {"may": levels, "june": lower}
        ratings += [{"id": example["id"], "rater": name, "criteria": rated} for name, rated in by_judge.items()]
    for name, lines in (("examples", examples), ("ratings", ratings)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with chdir(folder):
        done = run("markscheme", *EXPORT, "--judge", "june", "--earlier", "may", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert "calibrate answers --counts counts.csv --judge june --earlier may" in done.stderr
        yield folder


def rows_in(path: Path) -> list[dict[str, Any]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def report(project: Path, *words: str) -> CompletedProcess[str]:
    return run("markscheme", "calibrate", "answers", "--counts", "counts.csv", "--judge", "june", *words, cwd=project)


def test_the_report_on_counts_says_on_which_criteria_the_judge_s_levels_moved_since_the_earlier_judge(
    project: Path,
) -> None:
    done = report(project, "--earlier", "may", "--details")
    assert done.returncode == 1
    screen = " ".join(done.stdout.split())
    assert "The judge is now june; it was may." in screen
    assert "clear · moved since the earlier judge" in screen
    assert "Earlier judge may: the same 200 examples, 200 of them scored by both." in screen
    assert "accepted run" not in screen
    assert "calibrate answers --counts counts.csv --judge june --earlier may" in screen


def test_the_column_of_an_earlier_judge_is_ignored_without_the_earlier_option(project: Path) -> None:
    data = json.loads(report(project, "--json", "-").stdout)
    assert data["baseline"] is None
    assert data["because_code"] != "drift"


def test_calibrate_on_a_counts_file_compares_the_judge_with_the_earlier_judge_in_the_file(
    project: Path,
) -> None:
    done = run("markscheme", "calibrate", "counts.csv", "--earlier", "may", "--json", "-", cwd=project)
    data = json.loads(done.stdout)
    assert (data["baseline"]["accepted"]["judge"], data["because_code"]) == ("may", "drift")


def test_an_earlier_judge_named_in_python_gives_the_same_comparison_as_on_the_command_line(project: Path) -> None:
    counts = project / "counts.csv"
    of_python = calibrate(project / "rubrics" / "answers.yaml", counts=counts, judge="june", earlier="may")
    data = json.loads(report(project, "--earlier", "may", "--json", "-").stdout)
    assert data["baseline"] == of_python.to_json()["baseline"]
    assert "--earlier COLUMN" in run("markscheme", "calibrate", "--help-all", cwd=project).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--earlier", "april"), "counts.csv has no column april"),
        (("--earlier", "gold"), "--earlier gold: a column of counts with this name"),
        (("--earlier", "may", "-o", "run_number=3", "-o", "planned_runs=2"), "this is comparison 3 with may"),
    ],
)
def test_the_earlier_option_refuses_the_gold_column_and_a_missing_column_and_a_run_beyond_the_planned_runs(
    project: Path, words: tuple[str, ...], said: str
) -> None:
    done = report(project, *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_file_of_earlier_counts_is_refused_without_a_file_of_counts_to_compare_with_it(project: Path) -> None:
    done = run("markscheme", "calibrate", "answers", "--earlier", "may", cwd=project)
    assert done.returncode == 2
    assert "--earlier may names a column of --counts FILE, which is missing" in done.stderr


@pytest.mark.parametrize(
    ("part", "cell", "said"),
    [
        ("clear", "good", "column may must be a number, or empty, got 'good'"),
        ("clear", "9", "column may of part clear must be a level of its scale, 1 to 5, got '9'"),
        ("score", "1.5", "column may of part score must be 0 to 1, got '1.5'"),
        ("decision", "0.5", "column may of part decision must be 0 or 1, got '0.5'"),
    ],
)
def test_in_the_column_of_an_earlier_judge_a_cell_that_is_not_a_rating_is_refused_by_row_and_column(
    project: Path, part: str, cell: str, said: str
) -> None:
    rows = rows_in(project / "counts.csv")
    next(row for row in rows if row["part"] == part)["may"] = cell
    with pytest.raises(UsageError) as refusal:
        calibrate(project / "rubrics" / "answers.yaml", counts=rows, earlier="may")
    assert said in str(refusal.value)
    assert "row " in str(refusal.value)


def test_a_column_of_an_earlier_judge_without_any_rating_is_refused(project: Path) -> None:
    rows = [{**row, "may": ""} for row in rows_in(project / "counts.csv")]
    with pytest.raises(UsageError, match="column may has no rating of an earlier judge"):
        calibrate(project / "rubrics" / "answers.yaml", counts=rows, earlier="may")


def test_the_export_command_refuses_to_count_ratings_if_the_named_earlier_judge_gave_none(
    project: Path,
) -> None:
    done = run("markscheme", *EXPORT, "--judge", "june", "--earlier", "april", cwd=project)
    assert done.returncode == 2
    assert "name one with --earlier" in done.stderr


def test_the_export_command_prints_a_select_statement_that_also_counts_the_column_of_the_earlier_judge(
    project: Path,
) -> None:
    words = ("export", "answers", "--counts-sql", "wide", "--raters", "ana", "--judge", "june")
    done = run("markscheme", *words, "--earlier", "gpt-may", cwd=project)
    assert done.returncode == 0, done.stderr
    assert '"gpt-may__clear"' in done.stdout
    assert 'SELECT part, set_no, gold, judge, p1, "gpt-may", n FROM' in done.stdout
    same = run("markscheme", *words, "--earlier", "june", cwd=project)
    assert same.returncode == 2
    assert "each rater has one name" in same.stderr
