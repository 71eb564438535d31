"""Counts with an earlier judge's ratings give the drift of the rows that were counted."""

import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.features.counts_and_drift.two_runs import NOW, THEN, TwoRuns, differing, drift_in, in_three, two_runs

SIZES = ((40, 0), (120, 9), (150, 40), pytest.param((2500, 2000), marks=pytest.mark.proof))
"""Examples, and groups to draw theirs from; 0 for none."""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(2))
def test_drift_from_ratings_equals_drift_from_counts_of_ratings_in_any_order_and_any_split_of_rows(
    seed: int, size: tuple[int, int], tmp_path: Path
) -> None:
    draw = random.Random(f"{seed} {size}")
    runs = two_runs(draw, *size)
    _, of_rows = runs.by_rows(tmp_path)
    assert of_rows.baseline is not None
    assert differing(drift_in(of_rows), drift_in(runs.shuffled(draw).by_rows(tmp_path)[1])) == []
    counts = runs.counted(tmp_path)
    assert differing(drift_in(of_rows), drift_in(runs.by_counts(counts))) == []
    shards = [shard for row in counts for shard in in_three(row, draw)]
    added = runs.by_counts(draw.sample(shards, len(shards)))
    assert differing(drift_in(of_rows), drift_in(added)) == []


def by_sqlite(runs: TwoRuns, folder: Path) -> list[dict[str, Any]]:
    """Return what SQLite answers to the printed SELECT about a wide table of both judges."""
    raters = sorted({label["rater"] for example in runs.examples for label in example["labels"]})
    columns = [f"{rater}__{c.name}" for rater in (*raters, NOW, THEN) for c in runs.rubric.criteria]
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE wide (group_id, {', '.join(columns)})")
    for example, then, now in zip(runs.examples, runs.then, runs.now, strict=True):
        rated = {label["rater"]: label["criteria"] for label in example["labels"]}
        rated |= {THEN: then["criteria"], NOW: now["criteria"]}
        levels = [rated.get(rater, {}).get(c.name) for rater in (*raters, NOW, THEN) for c in runs.rubric.criteria]
        cells = [example.get("group"), *(-2 if isinstance(level, dict) else level for level in levels)]
        database.execute(f"INSERT INTO wide VALUES ({', '.join('?' * len(cells))})", cells)
    answer = database.execute(runs.export(folder, "--counts-sql", "wide", "--raters", ",".join(raters)))
    names = [column[0] for column in answer.description]
    counts = [dict(zip(names, row, strict=True)) for row in answer]
    database.close()
    return counts


@pytest.mark.parametrize("size", [(60, 0), (120, 9)])
@pytest.mark.parametrize("seed", range(3))
def test_drift_is_the_same_from_counts_made_by_the_printed_sql_as_from_the_ratings(
    seed: int, size: tuple[int, int], tmp_path: Path
) -> None:
    runs = two_runs(random.Random(f"sql {seed} {size}"), *size)
    _, of_rows = runs.by_rows(tmp_path)
    of_counts = runs.by_counts(by_sqlite(runs, tmp_path))
    assert differing(drift_in(of_rows), drift_in(of_counts)) == []


def test_a_judge_can_be_compared_with_an_earlier_judge_from_counts_of_a_hundred_million_examples(
    tmp_path: Path,
) -> None:
    runs = two_runs(random.Random(7), 60, 0)
    counts = [{**row, "n": row["n"] * 2_000_000} for row in by_sqlite(runs, tmp_path) if ":" not in row["part"]]
    data = runs.by_counts(counts).to_json()["baseline"]
    assert data["examples"]["shared"] == 2_000_000 * len(runs.examples)
    assert all(drift["movers"] is None for drift in data["criteria"].values())
