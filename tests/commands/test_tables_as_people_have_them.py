"""Twenty tables as people have them: `calibrate` reads each to a verdict, or refuses and names the option to say."""

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run

ROWS = 60


def cycled(values: str, wrong: Sequence[int] = (), instead: str = "") -> list[str]:
    """Repeat values over all rows, with `instead` in the rows `wrong`."""
    turns = itertools.islice(itertools.cycle(values.split()), ROWS)
    return [instead if row in wrong else value for row, value in enumerate(turns)]


@dataclass(frozen=True)
class Table:
    """A table, the options with which it is calibrated, and what comes of it.

    Attributes:
        name: What is special about it.
        columns: By heading, the cells.
        options: After `calibrate table.csv`.
        status: The exit status: 0 ok, 1 adjust, 4 open; 2 where it is refused.
        read_as: How it was read, the beginning of the line.
        agreement: The agreement, of all judges.
        says: Further words on standard error.
    """

    name: str
    columns: dict[str, list[str]]
    status: int
    read_as: str = ""
    agreement: tuple[float, ...] = ()
    says: str = ""
    options: tuple[str, ...] = ()

    def write(self, path: Path) -> None:
        """Write the table as CSV."""
        rows = zip(*self.columns.values(), strict=True)
        path.write_text("\n".join([",".join(self.columns), *map(",".join, rows)]) + "\n", encoding="utf-8")


PASS_FAIL = "pass pass pass fail fail"
ONE_ZERO = "1 1 1 0 0"
ONE_TO_FIVE = "1 2 3 4 5"
TABLES = [
    Table(
        "pass and fail on both sides",
        {"verdict": cycled(PASS_FAIL, [0], "fail"), "label": cycled(PASS_FAIL)},
        0,
        "verdict: pass/fail · label: pass/fail · 60 rows, 60 with both",
        (59 / 60,),
    ),
    Table(
        "pass and fail against 1 and 0",
        {"verdict": cycled(PASS_FAIL), "human": cycled(ONE_ZERO, [3, 4], "1")},
        0,
        "verdict: pass/fail · human: 1/0 (1 passes) · 60 rows, 60 with both",
        (58 / 60,),
    ),
    Table(
        "true and False against yes and NO",
        {"prediction": cycled("true False True"), "gold": cycled("yes NO Yes")},
        0,
        "prediction: true/False (true passes) · gold: yes/NO (yes passes) · 60 rows",
        (1.0,),
    ),
    Table(
        "a judge that always passes",
        {"verdict": cycled("pass"), "human": cycled("pass pass pass pass fail")},
        1,
        "verdict: pass · human: pass/fail",
        (48 / 60,),
    ),
    Table(
        "missing cells on both sides",
        {
            "id": [f"e{row}" for row in range(ROWS)],
            "verdict": cycled(PASS_FAIL, [0, 5], "N/A"),
            "human": cycled(PASS_FAIL, [1], ""),
        },
        0,
        "verdict: pass/fail · human: pass/fail · id: id · 60 rows, 57 with both",
        (1.0,),
        "verdict: no value in 2 of 60 rows (e0, e5)",
    ),
    Table(
        "levels from 1 to 5",
        {"judge": cycled(ONE_TO_FIVE, [0, 5], "3"), "human": cycled(ONE_TO_FIVE)},
        0,
        "judge: levels 1 to 5 (seen) · human: levels 1 to 5 (seen)",
        (58 / 60,),
    ),
    Table(
        "half levels of which the ends were not used",
        {"judge": cycled("2 3 4.5"), "human": cycled("2 2.5 4.5")},
        1,
        "judge: levels 1 to 5 (stated) · human: levels 1 to 5 (stated)",
        (40 / 60,),
        options=("--levels", "1-5"),
    ),
    Table(
        "scores from 0 to 1",
        {"judge": cycled("0.15 0.45 0.9"), "human": cycled("0.2 0.5 0.95")},
        0,
        "judge: read as 0 to 1 · human: read as 0 to 1",
        (1.0,),
    ),
    Table(
        "scores from 0 to 100",
        {"judge": cycled("12 45 90"), "human": cycled("20 60 95")},
        1,
        "judge: read as 0 to 100 · human: read as 0 to 100",
        (40 / 60,),
    ),
    Table(
        "words in a known order",
        {"judge": cycled("low medium High"), "human": cycled("low medium high")},
        0,
        "judge: levels low, medium, high · human: levels low, medium, high",
        (1.0,),
    ),
    Table(
        "categories in no order",
        {"judge": cycled("billing refund login"), "human": cycled("billing refund login", [0], "login")},
        0,
        "judge: 3 categories · human: 3 categories",
        (59 / 60,),
        "--levels worst,…,best",
    ),
    Table(
        "three annotators, of tasks in groups",
        {
            "verdict": cycled(PASS_FAIL),
            "annotator_1": cycled(PASS_FAIL),
            "annotator_2": cycled(PASS_FAIL, [0], "fail"),
            "annotator_3": cycled(PASS_FAIL, [1], ""),
            "task": [str(row // 3) for row in range(ROWS)],
        },
        0,
        "verdict: pass/fail · annotator_1: pass/fail · annotator_2: pass/fail · annotator_3: pass/fail",
        (1.0,),
        options=("--group", "task"),
    ),
    Table(
        "names of its own, and two letters of which one passes",
        {"model said": cycled("A B"), "we said": cycled("A B")},
        0,
        "model said: A/B (A passes) (stated) · we said: A/B (A passes) (stated)",
        (1.0,),
        options=("--judge", "model said", "--human", "we said", "--pass", "A"),
    ),
    Table(
        "two letters of which nobody says which passes",
        {"judge": cycled("A B"), "human": cycled("A B")},
        0,
        "judge: 2 categories · human: 2 categories",
        (1.0,),
        "which of the values passes isn't known: `--pass A` or `--pass B` says it",
    ),
    Table(
        "1 to 5 against pass and fail",
        {"judge": cycled(ONE_TO_FIVE), "human": cycled(PASS_FAIL)},
        2,
        says="--pass-mark says from which number a response passes",
    ),
    Table(
        "0 to 1 against 1 to 5",
        {"judge": cycled("0.1 0.35 0.5 0.75 0.9"), "human": cycled(ONE_TO_FIVE)},
        2,
        says="--scale names both markscheme calibrate table.csv --scale judge=0-1 --scale human=1-5",
    ),
    Table(
        "counts on no scale",
        {"judge": cycled("12 250 40"), "human": cycled("20 300 45")},
        2,
        says="12 to 300, are on no scale known here; --scale gives its ends",
    ),
    Table(
        "answers instead of verdicts",
        {"judge": [f"answer {row}" for row in range(ROWS)], "human": [f"reply {row}" for row in range(ROWS)]},
        2,
        says="'answer 4' (1)); --judge and --human name other columns",
    ),
    Table(
        "columns that could be several things",
        {"verdict": cycled(PASS_FAIL), "judge_2": cycled(PASS_FAIL), "score": cycled(ONE_ZERO)},
        2,
        says="which columns are people's? 'score' may be",
    ),
]


def calibrations(report: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the calibration of each judge in a report."""
    yield from report.get("judges", [report])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_typical_table_gets_a_verdict_or_is_refused_with_a_suggested_command(table: Table, tmp_path: Path) -> None:
    is_read_or_refused(table, tmp_path)


def is_read_or_refused(table: Table, folder: Path) -> None:
    """Check that a table leads to a verdict, or is refused with the option that resolves it."""
    table.write(folder / "table.csv")
    done = run("calibrate", "table.csv", *table.options, "--json", "-", cwd=folder)
    assert done.returncode == table.status, done.stderr
    assert table.says in " ".join(done.stderr.split())
    if table.status == 2:
        assert json.loads(done.stdout)["error"]["commands"]
        return
    judges = list(calibrations(json.loads(done.stdout)))
    assert [judge["agreement"]["value"] for judge in judges] == pytest.approx(list(table.agreement))
    assert all(judge["judge"]["table_read_as"].startswith(table.read_as) for judge in judges)
    assert all(judge["target"] == 0.8 for judge in judges)


def test_the_report_on_a_table_says_how_the_table_was_read_and_that_the_target_is_the_default(
    tmp_path: Path,
) -> None:
    table = TABLES[1]
    table.write(tmp_path / "table.csv")
    lines = run("calibrate", "table.csv", cwd=tmp_path).stdout.splitlines()
    assert lines[1] == table.read_as
    assert "The target is the default." in " ".join(lines)
    assert "- row 4: judge fail, gold pass" in lines
    assert not any("Score within" in line for line in lines)
    assert "Next, to go on with a rubric: markscheme init --from table.csv" in lines
    chosen = run("calibrate", "table.csv", "--target", "0.8", cwd=tmp_path).stdout
    assert "The target is the default." not in " ".join(chosen.split())
