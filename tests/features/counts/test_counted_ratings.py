"""`export RUBRIC --counts FILE --from ratings.jsonl`: our own ratings counted in memory, without DuckDB."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from markscheme.rubrics.file import load_rubric
from tests.commands.console import run
from tests.features.counts.made import random_examples

RUBRIC = """pass_mark: 0.5
criteria:
- {name: clear, description: Is it clear?, scale: {min: 1, max: 5}}
- {name: right, description: Is it right?, scale: {min: 1, max: 5}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "answers.yaml").write_text(RUBRIC)
    examples, ratings = random_examples(
        load_rubric(tmp_path / "answers.yaml"), random.Random(2), n=80, groups=9, people=3
    )
    for name, lines in (("examples", examples), ("ratings", [{**line, "judge": "mini"} for line in ratings])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def exported(project: Path, name: str, *options: str) -> Any:
    command = ("markscheme", "export", "answers.yaml", "--counts", name, "--from", "ratings.jsonl")
    return run(*command, "--examples", "examples.jsonl", *options, cwd=project)


@pytest.mark.parametrize("name", ["counts.csv", "counts.jsonl", "counts.parquet"])
def test_exported_counts_of_ratings_give_the_same_calibration_as_the_ratings(project: Path, name: str) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="runs where pyarrow is installed")
    of_export = exported(project, name)
    assert of_export.returncode == 0, of_export.stderr
    assert f"markscheme calibrate answers --counts {name} --judge mini" in of_export.stderr

    def figures(*options: str) -> Any:
        return json.loads(run("markscheme", "calibrate", "answers.yaml", *options, "--json", "-", cwd=project).stdout)

    of_rows = figures("--examples", "examples.jsonl", "--ratings", "ratings.jsonl")
    of_counts = figures("--counts", name)
    for key in ("agreement", "gain", "overall", "criteria"):
        assert of_counts[key] == of_rows[key]


def test_counting_a_file_of_ratings_is_refused_for_a_judge_that_gave_no_ratings_in_it(
    project: Path,
) -> None:
    other = exported(project, "counts.csv", "--judge", "maxi")
    assert other.returncode == 2
    assert "ratings.jsonl has ratings of mini: name one with --judge" in other.stderr
    columns = exported(project, "counts.csv", "--raters", "p1,p2")
    assert columns.returncode == 2
    assert "--raters names columns of a table, and ratings.jsonl has lines of ratings" in columns.stderr
    form = exported(project, "counts.txt")
    assert form.returncode == 2
    assert "its name must end in .parquet, .csv, .jsonl" in form.stderr


def test_exporting_counts_without_naming_files_counts_the_judge_s_ratings_in_the_rubric_s_folder(
    project: Path,
) -> None:
    folder = project / "calibration" / "answers"
    (folder / "ratings").mkdir(parents=True)
    (project / "examples.jsonl").rename(folder / "examples.jsonl")
    lines = (project / "ratings.jsonl").read_text().splitlines(keepends=True)
    (folder / "ratings" / "mini.jsonl").write_text("".join(lines))
    label = {"id": json.loads(lines[0])["id"], "rater": "zoe", "kind": "human", "criteria": {"clear": 3}}
    (folder / "ratings" / "zoe.jsonl").write_text(json.dumps(label) + "\n")
    export = ("markscheme", "export", "answers.yaml", "--counts")
    named = run(*export, "named.csv", "--from", "calibration/answers/ratings/mini.jsonl", cwd=project)
    own = run(*export, "own.csv", cwd=project)
    assert (named.returncode, own.returncode) == (0, 0), own.stderr
    assert (project / "own.csv").read_text() == (project / "named.csv").read_text()
    assert "markscheme calibrate answers --counts own.csv --judge mini" in own.stderr


def test_exporting_counts_asks_which_judge_is_meant_if_the_rubric_s_folder_has_ratings_by_two_judges(
    project: Path,
) -> None:
    folder = project / "calibration" / "answers"
    (folder / "ratings").mkdir(parents=True)
    (project / "examples.jsonl").rename(folder / "examples.jsonl")
    for judge in ("mini", "maxi"):
        rated = (project / "ratings.jsonl").read_text().replace('"mini"', f'"{judge}"')
        (folder / "ratings" / f"{judge}.jsonl").write_text(rated)
    export = ("markscheme", "export", "answers.yaml", "--counts", "counts.csv")
    unnamed = run(*export, cwd=project)
    assert unnamed.returncode == 2
    assert "calibration/answers/ratings has ratings of maxi, mini: name one with --judge" in unnamed.stderr
    chosen = run(*export, "--judge", "maxi", cwd=project)
    assert chosen.returncode == 0, chosen.stderr
    assert "--counts counts.csv --judge maxi" in chosen.stderr
    columns = run(*export, "--raters", "ana", cwd=project)
    assert "--raters names columns of a table, add --from FILES" in columns.stderr
