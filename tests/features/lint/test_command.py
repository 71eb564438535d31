"""`markscheme lint` as a user runs it: faults by file and line, advice, and an exit status for scripts."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.commands.console import ROOT, run

SOUND = "criteria:\n- {name: date, requirement: The reply names a date.}\n"
ADVISED = "criteria:\n- {name: date, requirement: The reply names a good date.}\n"
FAULTY = "passingThreshold: 2\ncriteria:\n- {name: date, requirement: The reply names a date., wieght: 1}\n"


def linted(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return run("markscheme", "lint", *arguments, cwd=folder)


def write(folder: Path, **rubrics: str) -> None:
    for name, text in rubrics.items():
        (folder / f"{name}.yaml").write_text(text)


@pytest.mark.parametrize(
    ("text", "status", "first", "counted"),
    [
        (SOUND, 0, "it.yaml: no issues", ""),
        (ADVISED, 1, "it.yaml", "! 1 thing to improve."),
        (FAULTY, 2, "it.yaml", "✗ 2 errors to correct."),
    ],
)
def test_the_exit_status_and_first_line_of_lint_distinguish_errors_from_advice(
    tmp_path: Path, text: str, status: int, first: str, counted: str
) -> None:
    write(tmp_path, it=text)
    as_json, plain = linted(tmp_path, "it.yaml", "--json"), linted(tmp_path, "it.yaml")
    assert (as_json.returncode, as_json.stderr) == (status, "")
    assert (plain.returncode, plain.stderr) == (status, "")
    assert plain.stdout.splitlines()[:3] == ([first, "", counted] if counted else [first])


def test_lint_says_that_a_rubric_has_no_issues(tmp_path: Path) -> None:
    write(tmp_path, it=SOUND)
    assert linted(tmp_path, "it.yaml").stdout == "it.yaml: no issues\n"


def test_all_faults_of_a_rubric_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    write(tmp_path, it=FAULTY)
    assert linted(tmp_path, "it.yaml").stdout.splitlines()[-2:] == [
        "it.yaml:1: passingThreshold is at most 1, found 2",
        "it.yaml:3: unknown key 'wieght' (did you mean 'weight'?)",
    ]


def in_a_line(text: str) -> str:
    """Return a screen's text without line breaks."""
    return " ".join(text.split())


def test_lint_s_advice_names_the_criterion_and_says_what_to_do_and_ends_with_a_code(tmp_path: Path) -> None:
    write(tmp_path, it=ADVISED)
    printed = linted(tmp_path, "it.yaml").stdout
    assert max(map(len, printed.splitlines())) <= 80
    advice = "- date: “good” means different things to different people; say what a response must contain [vague]"
    assert advice in in_a_line(printed)


@pytest.mark.parametrize("examples", ["examples.jsonl", "examples.csv"])
def test_lint_suggests_to_label_if_the_rubric_has_no_examples_and_else_to_calibrate(
    tmp_path: Path, examples: str
) -> None:
    write(tmp_path, it=ADVISED)
    onward = "Next, with or without these edits: markscheme"
    assert in_a_line(linted(tmp_path, "it.yaml").stdout).endswith(f"{onward} label it.yaml --pool YOUR-OUTPUTS.jsonl")
    (tmp_path / "calibration" / "it").mkdir(parents=True)
    (tmp_path / "calibration" / "it" / examples).touch()
    assert in_a_line(linted(tmp_path, "it.yaml").stdout).endswith(f"{onward} calibrate it.yaml --judge JUDGE")
    assert "Next" not in linted(tmp_path, "it.yaml", "it.yaml").stdout


def test_lint_prints_the_whole_name_of_a_criterion_that_contains_a_colon(tmp_path: Path) -> None:
    write(tmp_path, it="criteria:\n- {name: 'a: b', requirement: It is JSON., check: jsn_valid}\n")
    assert "\n- a: b: there is no check 'jsn_valid'" in linted(tmp_path, "it.yaml").stdout


def test_lint_reports_a_check_that_is_not_registered_and_accepts_a_check_from_a_named_module(tmp_path: Path) -> None:
    write(tmp_path, it="criteria:\n- {name: form, requirement: It is JSON., check: jsn_valid}\n")
    done = linted(tmp_path, "it.yaml")
    assert done.returncode == 1
    printed = in_a_line(done.stdout)
    assert "Nothing can be graded until the check is found. - form: there is no check 'jsn_valid'; there are" in printed
    assert "named by -o scorers=MODULE [unknown-check]" in printed
    (tmp_path / "checking.py").write_text(
        "from markscheme.scorers import scorer\n\n\n@scorer\ndef jsn_valid(prediction, expected):\n    return 1.0\n"
    )
    assert linted(tmp_path, "it.yaml", "-o", "scorers=checking").returncode == 0
    assert linted(tmp_path, "it.yaml", "-o", "scorers=nowhere").returncode == 2


def test_lint_reports_a_rubric_name_that_differs_from_the_file_s_name(tmp_path: Path) -> None:
    write(tmp_path, it="name: other\n" + SOUND)
    done = linted(tmp_path, "it.yaml")
    assert (done.returncode, done.stderr) == (1, "")
    assert "\n- it.yaml:1: is named 'other' but is in 'it.yaml'" in done.stdout


def test_lint_reports_each_of_several_rubrics_and_exits_with_the_worst_status(tmp_path: Path) -> None:
    write(tmp_path, a=SOUND, b=FAULTY, c=ADVISED)
    done = linted(tmp_path, "a.yaml", "b.yaml", "c.yaml", "--json")
    assert done.returncode == 2
    assert [(line["rubric"], line["status"]) for line in map(json.loads, done.stdout.splitlines())] == [
        ("a.yaml", 0),
        ("b.yaml", 2),
        ("c.yaml", 1),
    ]


def test_the_json_of_lint_has_faults_with_lines_and_advice_with_codes(tmp_path: Path) -> None:
    write(tmp_path, bad=FAULTY, meh=ADVISED)
    bad, meh = (json.loads(line) for line in linted(tmp_path, "bad.yaml", "meh.yaml", "--json").stdout.splitlines())
    assert [fault["line"] for fault in bad["faults"]] == [1, 3]
    assert bad["advice"] == meh["faults"] == []
    assert [(advice_line["code"], advice_line["criterion"]) for advice_line in meh["advice"]] == [("vague", "date")]


def test_lint_finds_a_rubric_by_name_and_reports_a_missing_rubric(tmp_path: Path) -> None:
    assert linted(ROOT, "code-quality").returncode == 0
    done = linted(ROOT, "code-qualty")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'code-quality'?" in done.stderr


def test_lint_with_the_allow_advice_option_exits_0_despite_advice_but_not_despite_faults(tmp_path: Path) -> None:
    write(tmp_path, advised=ADVISED, faulty=FAULTY)
    done = linted(tmp_path, "--allow-advice", "advised.yaml")
    assert done.returncode == 0
    assert "[vague]" in done.stdout
    assert linted(tmp_path, "--allow-advice", "advised.yaml", "faulty.yaml").returncode == 2


def test_lint_prints_the_json_schema_of_rubric_files_for_editors(tmp_path: Path) -> None:
    done = linted(tmp_path, "--schema")
    assert done.returncode == 0
    assert done.stdout == (ROOT / "rubrics" / "schema.json").read_text(encoding="utf-8")


def test_lint_without_any_rubric_is_refused(tmp_path: Path) -> None:
    done = linted(tmp_path)
    assert done.returncode == 2
    assert "RUBRIC" in done.stderr


def test_lint_says_which_checks_it_leaves_out_for_a_rubric_in_another_language(tmp_path: Path) -> None:
    german = "criteria:\n- {name: schritt, requirement: Die Antwort nennt einen Schritt für den Kunden.}\n"
    write(tmp_path, es=german)
    done = linted(tmp_path, "es.yaml")
    assert done.returncode == 0
    first, note = done.stdout.splitlines()
    assert first == "es.yaml: no issues"
    assert "advice on wording is for English only; keys, weights and levels are checked" in note
    assert json.loads(linted(tmp_path, "es.yaml", "--json").stdout)["notes"] == [note.removeprefix("es.yaml: note: ")]
