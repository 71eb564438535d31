"""Counts by a SELECT: in SQLite, and in DuckDB where that is installed, they are the same, by all rules of gold."""

import math
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from markscheme import Rubric, calibrate
from markscheme.errors import UsageError
from markscheme.features.counts.count_query import CountQuery
from markscheme.features.counts.count_sql import DIALECTS, counts_sql
from markscheme.features.counts.export_options import DialectName
from markscheme.rubrics.criterion import Criterion, Scale
from markscheme.stats.group_sets import set_numbers
from tests.commands.console import run
from tests.worked_cases import cases_in

CASES = Path(__file__).parents[4] / "shared" / "statistics" / "counts.yaml"
FIVE = {"scale": {"min": 1, "max": 5}}
Row: TypeAlias = tuple[Any, ...]
Engine: TypeAlias = Callable[[str, Sequence[str], Iterable[Sequence[Any]]], list[Row]]


def rubric_of(*criteria: Mapping[str, Any], **more: Any) -> Rubric:
    """A rubric of criteria of which only what counts here is given."""
    listed = [{"weight": 1, "requirement": f"The reply is {c['name']}", **c} for c in criteria]
    return Rubric.from_dict({"criteria": listed, "pass_mark": 0.5, "tolerance": 0.1, **more})


def in_sqlite(sql: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[Row]:
    """What SQLite answers about a table `wide`."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE wide ({})".format(", ".join(f'"{column}"' for column in columns)))
    database.executemany(f"INSERT INTO wide VALUES ({', '.join('?' * len(columns))})", rows)
    found = database.execute(sql).fetchall()
    database.close()
    return found


def in_duckdb(sql: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[Row]:
    """The same by DuckDB."""
    duckdb = pytest.importorskip("duckdb", reason="runs where DuckDB is installed, which comes with markscheme[test]")
    with duckdb.connect() as database:
        kinds = (f'"{column}" {"VARCHAR" if column == "group_id" else "DOUBLE"}' for column in columns)
        database.execute(f"CREATE TABLE wide ({', '.join(kinds)})")
        database.executemany(f"INSERT INTO wide VALUES ({', '.join('?' * len(columns))})", list(rows))
        return list(database.execute(sql).fetchall())


ENGINES = [(in_sqlite, "standard"), (in_duckdb, "standard"), (in_duckdb, "duckdb")]


def counted(rows: Iterable[Sequence[Any]]) -> Counter[Row]:
    """Rows of counts as a set with numbers, without the rubric's."""
    cells = ([row[0], *(None if cell is None else round(float(cell), 9) for cell in row[1:])] for row in rows)
    return Counter(tuple(row) for row in cells if not row[0].startswith("rubric:"))


def part(name: str, rows: Iterable[Row]) -> set[Row]:
    """The rows of a part, without its name."""
    return {row[1:] for row in counted(rows) if row[0] == name}


def select(rubric: Rubric, raters: Sequence[str], dialect: DialectName = "standard") -> str:
    return counts_sql(CountQuery(rubric, tuple(raters), "judge"), "wide", DIALECTS[dialect])


# --- the worked cases -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not CASES.is_file(), reason="runs where ../shared/statistics/counts.yaml is there")
@pytest.mark.parametrize(("engine", "dialect"), ENGINES)
@pytest.mark.parametrize("section", ["sql", "sql_yes_no"])
def test_the_sql_that_counts_ratings_gives_the_reference_counts_in_every_database(
    section: str, engine: Engine, dialect: DialectName
) -> None:
    case = cases_in(CASES)[section]
    names = list(dict.fromkeys(column.partition("__")[2] for column in case["columns"][1:]))
    raters = [rater for rater in ("p1", "p2", "p3") if f"{rater}__{names[0]}" in case["columns"]]
    rubric = rubric_of(*({"name": name, **(FIVE if section == "sql" else {})} for name in names))
    rows = engine(select(rubric, raters, dialect), case["columns"], case["rows"])
    others = [row for row in rows if row[0] != "people:decision"]
    assert counted(others) == counted(case["counts"])
    assert (f"rubric:{rubric.fingerprint}", *[None] * (len(rows[0]) - 2), 1) in rows


# --- the rules of gold ------------------------------------------------------------------------------------------------


def random_rubric(draw: random.Random) -> Rubric:
    """One to four criteria: levels or yes/no, of either sign, required or not, some of which may not apply."""
    criteria = [
        {
            "name": f"c {place}",
            "weight": draw.choice((1, 2, 0.5)) * draw.choice((1, 1, 1, -1)),
            "required": draw.random() < 0.3,
            "not_applicable": draw.random() < 0.4,
            **draw.choice((FIVE, {"scale": {"min": 0, "max": 3}}, {}, {})),
        }
        for place in range(draw.randint(1, 4))
    ]
    return rubric_of(*criteria, pass_mark=draw.choice((0.5, 0.75)), tolerance=draw.choice((0.1, 0.3)))


def rated(rubric: Rubric, draw: random.Random, gaps: float) -> dict[str, float]:
    """Levels by criterion; -2 where it doesn't apply."""
    levels = {c.name: draw.choice((*c.scale.values, *([-2] if c.not_applicable else []))) for c in rubric.criteria}
    return {name: level for name, level in levels.items() if draw.random() >= gaps}


def answers(levels: Mapping[str, float]) -> dict[str, Any]:
    """Levels as a label or a rating has them."""
    return {name: {"not_applicable": "none"} if level == -2 else level for name, level in levels.items()}


@pytest.mark.parametrize("seed", range(8))
def test_sql_counts_gold_and_judge_as_python_counts_them_from_the_same_labels(seed: int) -> None:
    draw = random.Random(seed)
    rubric = random_rubric(draw)
    raters = draw.choice((["p1"], ["p1", "p2"], ["p1", "p2", "p3"], ["p1", "p2", "gold"]))
    examples, ratings, wide = [], [], []
    for place in range(30):
        labels = {rater: rated(rubric, draw, 0.6 if rater == "gold" else 0.1) for rater in raters}
        judged = rated(rubric, draw, 0.05)
        wide.append([None, *(by.get(c.name) for by in (*labels.values(), judged) for c in rubric.criteria)])
        kinds = {"gold": {"kind": "adjudicated"}}
        listed = [{"rater": r, "criteria": answers(by), **kinds.get(r, {})} for r, by in labels.items() if by]
        examples.append({"id": f"e{place}", "response": f"reply {place}", "labels": listed})
        ratings += [{"id": f"e{place}", "criteria": answers(judged)}] if judged else []
    columns = ["group_id", *(f"{rater}__{c.name}" for rater in (*raters, "judge") for c in rubric.criteria)]
    rows = in_sqlite(select(rubric, raters), columns, wide)
    comparison = calibrate(rubric, examples=examples, ratings=ratings).comparison
    pairs = {"score": (comparison.reference.scores, comparison.judge.scores)}
    pairs["decision"] = comparison.reference.decisions, comparison.judge.decisions
    pairs |= {c.name: (comparison.reference.levels[c.name], comparison.judge.levels[c.name]) for c in rubric.criteria}
    for name, (gold, judge) in pairs.items():
        in_memory = Counter(zip(map(number, gold.tolist()), map(number, judge.tolist()), strict=True))
        assert by_gold_and_judge(name, rows) == in_memory, name


@pytest.mark.parametrize(("engine", "dialect"), ENGINES)
def test_a_table_with_columns_of_gold_levels_can_be_counted_without_columns_of_single_annotators(
    engine: Engine, dialect: DialectName
) -> None:
    columns = ["group_id", "gold__place", "judge__place"]
    wide = [(None, 1, 1), (None, 1, 0), (None, 0, 0), (None, None, 1)]
    rows = engine(select(rubric_of({"name": "place"}), ["gold"], dialect), columns, wide)
    assert by_gold_and_judge("decision", rows) == {(1, 1): 1, (1, 0): 1, (0, 0): 1}
    assert {row[1] for row in part("given", rows)} == {0, 1}


def number(value: float) -> float | None:
    """A value to nine decimals; None for nan."""
    return None if math.isnan(value) else round(value, 9)


def by_gold_and_judge(name: str, rows: Iterable[Row]) -> Counter[Row]:
    """How many examples have each pair of values of gold and judge, over all annotators' levels."""
    pairs: Counter[Row] = Counter()
    for row, times in counted(rows).items():
        if row[0] == name:
            pairs[row[2], row[3]] += row[-1] * times
    return pairs


# --- groups -----------------------------------------------------------------------------------------------------------


def test_more_than_a_thousand_groups_are_divided_into_a_fixed_number_of_jackknife_sets() -> None:
    groups = [f"g{place:04}" for place in range(1001)]
    rubric = rubric_of({"name": "place"})
    rows = in_sqlite(
        select(rubric, ["ana"]),
        ["group_id", "ana__place", "judge__place"],
        [(group, 1, place % 2) for place, group in enumerate(groups)],
    )
    sets = set_numbers(range(1, 1002), 1001).tolist()
    assert {row[0] for row in part("score", rows)} == set(sets)
    assert part("groups", rows) == {(None, None, None, None, 1001.0)}
    assert part("rate:agreement", rows) == {(None, 0.0, 1.0, None, 501.0), (None, 1.0, 1.0, None, 500.0)}


def test_counts_of_examples_without_groups_have_no_rows_for_groups() -> None:
    rubric = rubric_of({"name": "place"})
    columns = ["group_id", "ana__place", "judge__place"]
    rows = in_sqlite(select(rubric, ["ana"]), columns, [(None, 1, 1), (None, 1, 0), (None, None, 1)])
    assert part("groups", rows) == set()
    assert part("score", rows) == {(None, 1.0, 1.0, None, 1.0), (None, 1.0, 0.0, None, 1.0)}
    assert part("examples", rows) == {(None, None, None, None, 2.0)}
    assert part("rate:keeps", rows) == {(None, 0.0, 1.0, None, 1.0), (None, 1.0, 1.0, None, 1.0)}


# --- what can't be counted, and the command ---------------------------------------------------------------------------


def test_no_select_statement_is_written_for_rubrics_and_raters_whose_ratings_sql_cannot_count() -> None:
    rubric = rubric_of({"name": "place"})
    with pytest.raises(UsageError, match="--raters p1,p2 names"):
        CountQuery(rubric, (), "judge")
    with pytest.raises(UsageError, match="each rater has one name"):
        CountQuery(rubric, ("p1", "judge"), "judge")
    with pytest.raises(UsageError, match="more than 3 annotators isn't plain SQL: --dialect duckdb"):
        select(rubric, ["a", "b", "c", "d"])
    assert "list_aggregate([p1_1, p2_1, p3_1, p4_1], 'median')" in select(rubric, ["a", "b", "c", "d"], "duckdb")
    with pytest.raises(UsageError, match="score is the name of a part"):
        CountQuery(rubric_of({"name": "score"}), ("p1",), "judge")
    kinds = Rubric((Criterion(1.0, "Which kind it is", "kind", Scale.of_categories(["a", "b"]), passing=("a",)),))
    below = rubric_of({"name": "tone", "scale": {"min": -2, "max": 2}, "not_applicable": True})
    for uncountable, why in ((kinds, "has categories"), (below, "tone has a level -2")):
        with pytest.raises(UsageError, match=why):
            CountQuery(uncountable, ("p1",), "judge")


def test_select_statements_for_bigquery_use_the_quotes_and_types_and_functions_of_bigquery() -> None:
    text = select(rubric_of({"name": "next-step"}), ["p1"], "bigquery")
    assert "CAST(`p1__next-step` AS FLOAT64)" in text
    assert "MOD(" in text
    assert " % " not in text
    assert "VARCHAR" not in text


RUBRIC = """
name: reply
criteria:
  - {name: place, weight: 1, requirement: Names a town}
"""


def test_the_export_command_prints_the_select_statement_that_counts_a_table(tmp_path: Path) -> None:
    (tmp_path / "reply.yaml").write_text(RUBRIC)
    done = run("markscheme", "export", "reply.yaml", "--counts-sql", "wide", "--raters", "ana,ben", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    columns = ["group_id", "ana__place", "ben__place", "judge__place"]
    rows = in_sqlite(done.stdout, columns, [("g", 1, 1, 1), ("g", 1, 0, 1)])
    assert part("place", rows) == {(0.0, 1.0, 1.0, 1.0, 1.0, 1.0), (0.0, None, 1.0, 1.0, 0.0, 1.0)}


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_several_csv_files_of_ratings_are_counted_together_by_duckdb(ending: str, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="runs where DuckDB is installed, which comes with markscheme[test]")
    (tmp_path / "reply.yaml").write_text(RUBRIC)
    (tmp_path / "a.csv").write_text("group_id,ana__place,gpt__place\ng,1,1\n")
    (tmp_path / "b.csv").write_text("group_id,ana__place,gpt__place\nh,1,0\n")
    words = ("export", "reply.yaml", "--counts", f"out.{ending}", "--raters", "ana", "--judge", "gpt")
    done = run("markscheme", *words, "--from", "*.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"calibrate reply --counts out.{ending} --judge gpt" in done.stderr
    rows = duckdb.sql(f"SELECT * FROM '{tmp_path / f'out.{ending}'}'").fetchall()
    assert part("score", rows) == {(0.0, 1.0, 1.0, None, 1.0), (1.0, 1.0, 0.0, None, 1.0)}
    missing = run("markscheme", *words[:-1], "claude", "--from", "[ab].csv", cwd=tmp_path)
    assert missing.returncode == 2
    assert "claude__place" in missing.stderr


def test_the_error_on_a_table_that_cannot_be_counted_comes_from_markscheme_and_not_from_the_database(
    tmp_path: Path,
) -> None:
    pytest.importorskip("duckdb", reason="runs where DuckDB is installed, which comes with markscheme[test]")
    (tmp_path / "reply.yaml").write_text(RUBRIC)
    (tmp_path / "a.csv").write_text("ana__place,gpt__place,lang\n1,1,de\n1,0,en\n")
    (tmp_path / "words.csv").write_text("ana__place,gpt__place\nja,1\nnein,0\n")
    for words, why in (
        (
            "--from a.csv --raters anna --judge gpt",
            "has no column anna__place; raters there: ana, gpt",
        ),
        ("--from a.csv --raters ana", "raters there: ana, gpt; --judge names the judge, --raters the annotators"),
        ("--from a.csv --raters ana --judge gpt --slices land", "--raters the annotators; did you mean lang?"),
        (
            "--from words.csv --raters ana --judge gpt",
            "column ana__place has 'ja'; levels must be numbers of the scale",
        ),
        ("--from b.csv --raters ana --judge gpt", "--from b.csv: there is no such file; did you mean a.csv?"),
        ("--from b.jsonl", "--from b.jsonl: there is no such file"),
        ("--from *.parquet --raters ana --judge gpt", "*.parquet can't be counted: there is no such file"),
    ):
        done = run("markscheme", "export", "reply.yaml", "--counts", "out.csv", *words.split(), cwd=tmp_path)
        assert done.returncode == 2, why
        assert why in done.stderr, why


def test_the_export_command_never_writes_counts_over_the_table_that_is_counted(tmp_path: Path) -> None:
    (tmp_path / "reply.yaml").write_text(RUBRIC)
    (tmp_path / "a.csv").write_text("ana__place,gpt__place\n1,1\n")
    words = ("--counts", "a.csv", "--raters", "ana", "--judge", "gpt", "--from", "*.csv")
    done = run("markscheme", "export", "reply.yaml", *words, cwd=tmp_path)
    assert (done.returncode, (tmp_path / "a.csv").read_text()) == (2, "ana__place,gpt__place\n1,1\n")


def test_without_a_column_of_groups_each_row_of_a_file_counts_as_one_example(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="runs where DuckDB is installed, which comes with markscheme[test]")
    (tmp_path / "reply.yaml").write_text(RUBRIC)
    (tmp_path / "a.csv").write_text("ana__place,gpt__place\n1,1\n1,0\n")
    words = ("--counts", "out.csv", "--raters", "ana", "--judge", "gpt", "--from", "a.csv")
    done = run("markscheme", "export", "reply.yaml", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = duckdb.sql(f"SELECT * FROM '{tmp_path / 'out.csv'}'").fetchall()
    assert part("score", rows) == {(None, 1.0, 1.0, None, 1.0), (None, 1.0, 0.0, None, 1.0)}


def test_the_export_command_refuses_to_count_ratings_by_several_judges_or_from_no_readable_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "reply.yaml").write_text(RUBRIC)
    (tmp_path / "examples.jsonl").write_text("")
    for words, why in (
        (["--raters", "ana"], "--counts-sql TABLE prints a SELECT, or --counts FILE"),
        (["--counts", "out.csv"], "there is no folder calibration/reply here"),
        (["--counts", "out.csv", "--examples", "examples.jsonl"], "--from 'graded/*.parquet'"),
        (["--raters", "ana", "--counts", "out.csv", "--examples", "examples.jsonl"], "--from 'graded/*.parquet'"),
        (["--raters", "ana", "--counts", "out.csv", "--from", "a.xlsx"], "must end in .parquet, .csv, .jsonl"),
        (["--counts-sql", "t", "--raters", "ana", "--judge", "a", "--judge", "b"], "counts are of one judge"),
    ):
        done = run("markscheme", "export", "reply.yaml", *words, cwd=tmp_path)
        assert done.returncode == 2, why
        assert why in done.stderr
