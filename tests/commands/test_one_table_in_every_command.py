"""The same table as text, JSON and workbook gives the same result in each command that takes tables."""

import json
import re
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.readers.tabular.forms import Table, write

ROWS = 60
TABLE: Table = {
    "run_id": [f"q{row}" for row in range(ROWS)],
    "question": [f"Ask {row}?" for row in range(ROWS)],
    "text": [f"Answer {row}." for row in range(ROWS)],
    "graded": ["good" if row % 2 else "bad" for row in range(ROWS)],
    "second": ["good" if row % 3 else "bad" for row in range(ROWS)],
    "ann": [("good" if row % 2 else "bad") if row % 10 else ("bad" if row % 2 else "good") for row in range(ROWS)],
}
OPTIONS = ("--human", "ann", "--id", "run_id", "--response", "text", "--pass", "good")
JUDGE = ("--judge", "graded", *OPTIONS)
FORMS = ("csv", "json", "xlsx")
WITHOUT_RUBRIC = ("improve", "stress", "experiment")
RUBRIC = "name: reply\ncriteria:\n- name: polite\n  requirement: It is polite.\n"
POLITE = """\
def judge(system_prompt, user_prompt):
    return {"verdicts": {"polite": {"quote": "", "reason": "It is.", "level": "MET"}}}
"""


def printed(folder: Path, form: str, *command: str) -> tuple[int, str]:
    """Run a command on the table in a file format; return its exit status and output with the file's name replaced."""
    name = write(TABLE, form, folder).name
    done = run("markscheme", *(name if word == "TABLE" else word for word in command), cwd=folder)
    return done.returncode, re.sub(r"t\.(csv|json|xlsx)", "TABLE", done.stdout + done.stderr)


@pytest.mark.parametrize(
    ("command", "status", "says"),
    [
        (("calibrate", "TABLE", *JUDGE), 4, '"value": 0.9'),
        (("compare", "TABLE", "--judge", "graded", "--judge", "second", *OPTIONS), 0, '"graded"'),
        pytest.param(
            ("compare", "TABLE", "--judge", "graded,second", *OPTIONS), 0, '"second"', marks=pytest.mark.proof
        ),
        (("pass-rate", "TABLE", *JUDGE), 0, '"corrected"'),
        pytest.param(
            ("pass-rate", "TABLE", "--at-least", "0.99", *JUDGE), 1, '"answer": "below"', marks=pytest.mark.proof
        ),
        (("compare", "TABLE", *JUDGE), 2, '"code": "one-judge"'),
    ],
)
def test_a_command_says_the_same_about_a_table_in_every_file_format(
    tmp_path: Path, command: tuple[str, ...], status: int, says: str
) -> None:
    target = ("--json", "-") if command[0] == "calibrate" else ("--json",)
    results = [printed(tmp_path, form, *command, *target) for form in FORMS]
    assert results[0][0] == status, results[0][1]
    assert says in results[0][1]
    assert results[1] == results[2] == results[0]


@pytest.mark.parametrize("command", WITHOUT_RUBRIC)
def test_a_command_that_needs_a_rubric_names_the_command_that_makes_one_from_a_table(
    tmp_path: Path, command: str
) -> None:
    results = [printed(tmp_path, form, command, "TABLE", *OPTIONS) for form in FORMS]
    assert results[0][0] == 2
    assert "`markscheme init --from TABLE` makes one" in results[0][1]
    assert results[1] == results[2] == results[0]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "reply.yaml").write_text(RUBRIC, encoding="utf-8")
    (tmp_path / "polite.py").write_text(POLITE, encoding="utf-8")
    return tmp_path


def test_the_responses_of_a_table_are_graded_in_every_file_format(project: Path) -> None:
    for form in FORMS:
        graded = printed(
            project, form, "grade", "reply", "TABLE", "--judge", "function:polite:judge", "--json", *OPTIONS
        )
        lines = [json.loads(line) for line in graded[1].splitlines() if line.startswith("{")]
        assert [line["id"] for line in lines] == TABLE["run_id"]
        assert {line["decision"] for line in lines} == {"pass"}


def test_the_ratings_of_a_table_are_imported_from_every_file_format(project: Path) -> None:
    options = ("--map", "ann=polite", "text=response", "--id", "run_id", "--kind", "human", "--rater", "ann")
    results = []
    for form in FORMS:
        write({**TABLE, "ann": ["yes" if cell == "good" else "no" for cell in TABLE["ann"]]}, form, project)
        done = run("markscheme", "import", f"t.{form}", "--rubric", "reply", *options, cwd=project)
        assert done.returncode == 0, done.stderr
        results.append([json.loads(line) for line in done.stdout.splitlines()])
    assert len(results[0]) == ROWS
    assert results[1] == results[2] == results[0]


def test_a_rubric_made_from_a_table_has_the_same_examples_and_ratings_for_every_file_format(tmp_path: Path) -> None:
    made = []
    for form in FORMS:
        status, _ = printed(tmp_path, form, "init", form, "--from", "TABLE", *JUDGE)
        assert status == 0
        files = sorted(path for path in (tmp_path / form).rglob("*.jsonl"))
        assert files
        made.append([path.read_text(encoding="utf-8") for path in files])
    assert made[1] == made[2] == made[0]


def test_krippendorff_s_alpha_uses_the_metric_set_by_option_or_in_the_settings_file(tmp_path: Path) -> None:
    write({"id": list("abcdefgh"), "ann": [1, 2, 3, 4, 5, 1, 2, 3], "ben": [1, 2, 4, 4, 5, 2, 2, 3]}, "csv", tmp_path)

    def figures(*options: str) -> tuple[str, float]:
        done = run("calibrate", "t.csv", "--human", "ann", "--human", "ben", *options, "--json", "-", cwd=tmp_path)
        report = json.loads(done.stdout)
        return report["scale"], report["alpha"]["value"]

    ordinal, nominal = figures(), figures("-o", "metric=nominal")
    assert (ordinal[0], nominal[0]) == ("ordinal", "nominal")
    assert nominal[1] < ordinal[1]
    (tmp_path / "markscheme.toml").write_text('metric = "nominal"\n', encoding="utf-8")
    assert figures() == nominal
