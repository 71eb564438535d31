"""The tables of exit statuses: a real run ends with each status that it names, of each command."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from tests.commands.console import ROOT, run

PAGE = ROOT / "docs" / "reference" / "exit-statuses.md"
RUBRIC = {
    "passingThreshold": 0.5,
    "criteria": [{"name": "good", "requirement": "It can be sent as it is.", "weight": 1}],
}
REQUIRE = {"`calibrate`": (), "`--require gate`": ("--require", "gate"), "`--require trend`": ("--require", "trend")}
"""The columns of the table by their headings, and what each adds to the command."""


class Labelled(NamedTuple):
    """Counts that describe a labelled set and a judge: people's fails and passes, and on how many it is right.

    Attributes:
        annotators: How many give each label; 0 means that the labels are constructed.
        split: Examples on which two annotators disagree, on top of the others.
        ungraded: Examples that the judge doesn't rate, on top of the others.
    """

    fails: int
    stopped: int
    passes: int
    passed: int
    annotators: int = 2
    split: int = 0
    ungraded: int = 0


GOOD = Labelled(40, 38, 60, 58)
RUNS: dict[str, dict[int, list[Labelled]]] = {
    "`calibrate`": {
        0: [GOOD, GOOD._replace(annotators=1)],
        1: [Labelled(32, 12, 168, 166), Labelled(60, 30, 60, 30)],
        4: [Labelled(5, 4, 10, 9), GOOD._replace(annotators=0), GOOD._replace(split=60)],
        5: [GOOD._replace(ungraded=30)],
    },
    "`--require gate`": {
        0: [GOOD],
        1: [Labelled(32, 12, 168, 166)],
        4: [Labelled(5, 4, 10, 9), GOOD._replace(annotators=1), GOOD._replace(annotators=0)],
        5: [GOOD._replace(ungraded=30)],
    },
    "`--require trend`": {
        0: [GOOD, GOOD._replace(annotators=1), Labelled(60, 36, 140, 138)],
        1: [Labelled(60, 30, 60, 30)],
        4: [Labelled(5, 4, 10, 9), GOOD._replace(annotators=0), Labelled(46, 44, 926, 890)],
        5: [GOOD._replace(ungraded=30)],
    },
}
"""Labelled sets by the column and the status that they lead to; 2 and 3 need no set."""


def table() -> dict[str, dict[int, str]]:
    """Read the page's tables of exit statuses, by column and status."""
    by_column: dict[str, dict[int, str]] = {}
    for heading, *rows in tables_of(PAGE.read_text(encoding="utf-8")):
        for number, column in enumerate(heading[1:], start=1):
            by_column[column] = {int(cells[0]): cells[number] for cells in rows}
    shared = {status: meaning for status, meaning in by_column["`calibrate`"].items() if status in (2, 3, 5)}
    return {column: by_column[column] if column == "`calibrate`" else by_column[column] | shared for column in REQUIRE}


def tables_of(text: str) -> Iterator[list[list[str]]]:
    """Yield the rows of each Markdown table of a page."""
    for table in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        heading, _, *rows = table.splitlines()
        yield [[cell.strip() for cell in line.strip("|").split("|")] for line in (heading, *rows)]


def cells() -> Iterator[tuple[str, int]]:
    for column, by_status in table().items():
        yield from ((column, status) for status in by_status)


def write(folder: Path, labelled: Labelled) -> None:
    """Write a project's rubric, labelled examples and ratings."""
    decisions: list[tuple[int | None, int | None]] = [
        *[(0, 0)] * labelled.stopped,
        *[(0, 1)] * (labelled.fails - labelled.stopped),
        *[(1, 1)] * labelled.passed,
        *[(1, 0)] * (labelled.passes - labelled.passed),
        *[(None, 1)] * labelled.split,
        *[(1, None)] * labelled.ungraded,
    ]
    home = folder / "calibration" / "reply"
    home.mkdir(parents=True)
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "reply.yaml").write_text(yaml.safe_dump({"name": "reply", **RUBRIC}), encoding="utf-8")
    examples, ratings = [], []
    for i, (gold, judge) in enumerate(decisions):
        people = [gold] * labelled.annotators if gold is not None else [0, 1]
        raters: list[tuple[str, str, int | None]]
        raters = [(f"p{number}", "human", level) for number, level in enumerate(people)]
        raters = raters or [("us", "constructed", gold)]
        labels = [{"rater": rater, "kind": kind, "criteria": {"good": level}} for rater, kind, level in raters]
        examples.append({"id": f"e{i}", "response": f"reply {i}", "labels": labels})
        verdicts = {"criteria": {"good": judge}} if judge is not None else {"criteria": {}, "error": "no reply"}
        ratings.append({"id": f"e{i}", "rater": "judge", "kind": "model", **verdicts})
    for path, lines in ((home / "examples.jsonl", examples), (folder / "ratings.jsonl", ratings)):
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_the_documented_exit_statuses_are_exactly_those_that_are_tested() -> None:
    assert {column: {*by_status} for column, by_status in table().items()} == {
        column: {*by_status, 2, 3} for column, by_status in RUNS.items()
    }


@pytest.mark.parametrize(("column", "status"), list(cells()))
def test_calibrate_ends_with_every_exit_status_that_is_documented(column: str, status: int, tmp_path: Path) -> None:
    required = REQUIRE[column]
    for number, labelled in enumerate(RUNS[column].get(status, [])):
        folder = tmp_path / str(number)
        folder.mkdir()
        write(folder, labelled)
        done = run("calibrate", "reply", "--ratings", "ratings.jsonl", *required, cwd=folder)
        assert done.returncode == status, (labelled, done.stdout, done.stderr)
    if status in (2, 3):
        write(tmp_path, GOOD)
        source = ("--ratings", "missing.jsonl") if status == 2 else ("--judge", "anthropic")
        done = run("calibrate", "reply", *source, *required, cwd=tmp_path)
        assert done.returncode == status, done.stderr
