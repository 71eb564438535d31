"""The SELECT that `export --counts-sql` prints counts what `calibrate --counts` gives the figures of the rows for."""

import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from markscheme import calibrate
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run
from tests.features.counts.made import differing, random_examples

RUBRIC = """pass_mark: 0.5
criteria:
- {name: clear, description: Is it clear?, scale: {min: 1, max: 5}}
- {name: right, description: Is it right?, weight: 0.5, scale: {min: 0, max: 3}}
- {name: rude, description: Is it rude?, weight: -1}
"""
RATERS = ("p0", "p1", "judge")


def test_the_printed_select_statement_makes_counts_that_give_the_same_calibration_as_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where settings that were tried are recorded
    (tmp_path / "answers.yaml").write_text(RUBRIC)
    rubric = load_rubric(tmp_path / "answers.yaml")
    examples, ratings = random_examples(rubric, random.Random(5), n=150, groups=20, people=2)
    options = ("--counts-sql", "graded", "--raters", "p0,p1", "--judge", "judge")
    select = run("markscheme", "export", "answers.yaml", *options, cwd=tmp_path).stdout
    names = ["group_id", *(f"{rater}__{criterion.name}" for rater in RATERS for criterion in rubric.criteria)]
    by_id = {rating["id"]: rating["criteria"] for rating in ratings}
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE graded ({', '.join(names)})")
    for example in examples:
        labels = {label["rater"]: label["criteria"] for label in example["labels"]}
        rated = [labels.get("p0", {}), labels.get("p1", {}), by_id.get(example["id"], {})]
        levels = [_number(of_rater.get(criterion.name)) for of_rater in rated for criterion in rubric.criteria]
        database.execute(f"INSERT INTO graded VALUES ({', '.join('?' * len(names))})", [example["group"], *levels])
    cursor = database.execute(select)
    columns = [column[0] for column in cursor.description]
    counts = [dict(zip(columns, row, strict=True)) for row in cursor]
    of_rows = calibrate(rubric, examples, ratings=ratings)
    by_select = calibrate(rubric, counts=counts)
    unlike = [path for path, *_ in differing(of_rows, by_select, without="repairs findings")]
    assert unlike == []
    assert (by_select.verdict, by_select.use) == (of_rows.verdict, of_rows.use)


def _number(level: Any) -> float | None:
    return None if level is None else float(level)
