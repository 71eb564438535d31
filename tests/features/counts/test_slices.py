"""Slices from counts: of fields that are named, counted in memory and by a database."""

import json
import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from markscheme import Calibration, Rubric, calibrate
from markscheme.errors import UsageError
from markscheme.features.counts.count_query import CountQuery
from markscheme.features.counts.count_sql import DIALECTS, counts_sql
from markscheme.features.counts.counting import counts_of
from markscheme.features.counts.slice_values import VALUES_COUNTED
from tests.commands.console import run
from tests.features.counts.made import random_examples
from tests.features.counts.test_counted_in_a_database import wide_cells

RUBRIC = Rubric.from_dict(
    [
        {"name": name, "requirement": f"It is {name}", "weight": weight, "scale": {"min": 1, "max": 5}}
        for name, weight in (("clear", 1), ("right", 2))
    ]
)


def made(values: int, *, groups: int = 0) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Labelled examples in one of some languages, and a judge's ratings."""
    draw = random.Random(values + groups)
    examples, ratings = random_examples(RUBRIC, draw, n=160, groups=groups, people=2)
    for example in examples:
        example["metadata"] = {"lang": f"l{int(draw.random() ** 2 * values)}"} if draw.random() < 0.95 else {}
    return examples, ratings


def slices(calibration: Calibration) -> dict[str, dict[str, Any]]:
    """Slices by language, with what counts show of them."""
    keys = ("n", "agreement", "signed_error", "agreement_rest")
    found = calibration.to_json()["slices"]
    return {row["name"]: {key: row[key] for key in keys} for row in found if row["by"] == "lang"}


@pytest.mark.parametrize("groups", [0, 20])
def test_the_figures_of_a_slice_calibrated_from_counts_equal_those_calibrated_from_rows(groups: int) -> None:
    examples, ratings = made(3, groups=groups)
    for example in examples:
        example["metadata"] = example["metadata"] or {"lang": "l0"}
    of_rows = calibrate(RUBRIC, examples, ratings=ratings)
    of_counts = slices(calibrate(RUBRIC, counts=counts_of(of_rows.comparison, ["lang"])))
    assert set(of_counts) == {"l0", "l1", "l2"}
    for name, figures in slices(of_rows).items():
        assert of_counts[name]["n"] == figures["n"] > 10
        assert of_counts[name]["agreement_rest"] == pytest.approx(figures["agreement_rest"], abs=1e-9)
        for estimate in ("agreement", "signed_error"):
            for end in ("value", "low", "high"):
                assert of_counts[name][estimate][end] == pytest.approx(figures[estimate][end], abs=1e-9), (name, end)


def test_slices_counted_in_sql_equal_those_counted_in_python() -> None:
    examples, ratings = made(40)
    judged = {rating["id"]: rating["criteria"] for rating in ratings}
    database = sqlite3.connect(":memory:")
    columns = ["group_id", *(f"{rater}__{c.name}" for rater in ("p0", "p1", "judge") for c in RUBRIC.criteria), "lang"]
    database.execute(f"CREATE TABLE wide ({', '.join(columns)})")
    rows = (
        [*wide_cells(e, judged.get(e["id"], {}), ["p0", "p1"], RUBRIC), e["metadata"].get("lang")]
        for e in examples
        if e["labels"]
    )
    database.executemany(f"INSERT INTO wide VALUES ({', '.join('?' * len(columns))})", rows)
    query = CountQuery(RUBRIC, ("p0", "p1"), "judge", ("lang",))
    found = database.execute(counts_sql(query, "wide", DIALECTS["standard"]))
    names = [column[0] for column in found.description]
    counts = [dict(zip(names, row, strict=True)) for row in found]
    database.close()
    in_memory = counts_of(calibrate(RUBRIC, examples, ratings=ratings).comparison, ["lang"])
    assert _of_slices(counts) == _of_slices(in_memory)
    by_value = slices(calibrate(RUBRIC, counts=counts))
    assert len(by_value) == VALUES_COUNTED + 1
    assert by_value["other"]["n"] > 0


def _of_slices(counts: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    keys = ("set_no", "gold", "judge", "value", "n")
    return {tuple(row[key] for key in keys) for row in counts if row["part"] == "slice:lang"}


def test_the_export_command_counts_the_examples_of_each_slice_and_calibrate_reports_the_slices(tmp_path: Path) -> None:
    examples, ratings = made(3)
    scale = {"min": 1, "max": 5}
    criteria = [{"name": c.name, "weight": c.weight, "description": c.name, "scale": scale} for c in RUBRIC.criteria]
    (tmp_path / "answers.yaml").write_text(json.dumps({"criteria": criteria}))
    for name, lines in (("examples", examples), ("ratings", [{**line, "judge": "mini"} for line in ratings])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ("markscheme", "export", "answers.yaml", "--counts", "counts.csv", "--from", "ratings.jsonl")
    counted = run(*command, "--examples", "examples.jsonl", "--slices", "lang", cwd=tmp_path)
    assert counted.returncode == 0, counted.stderr
    shown = run("markscheme", "calibrate", "answers.yaml", "--counts", "counts.csv", "--details", cwd=tmp_path)
    assert "lang: l0" in shown.stdout
    words = ("markscheme", "export", "answers.yaml", "--counts-sql", "t", "--raters", "p0", "--slices", "lang")
    select = run(*words, cwd=tmp_path)
    assert "slice:lang" in select.stdout


def test_a_table_of_counts_by_slice_is_refused_if_the_column_named_value_is_missing() -> None:
    examples, ratings = made(3)
    rows = counts_of(calibrate(RUBRIC, examples, ratings=ratings).comparison, ["lang"])
    lacking = [{key: cell for key, cell in row.items() if key != "value"} for row in rows]
    with pytest.raises(UsageError, match="has parts slice:lang, and no column value"):
        calibrate(RUBRIC, counts=lacking)
