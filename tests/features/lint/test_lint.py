"""Linting a rubric's file from Python: faults by line, advice, and notes."""

import json
from pathlib import Path
from typing import get_args

import pytest

from markscheme.errors import UsageError
from markscheme.features.lint.lint import ADVICE, NO_ISSUES, NOT_ENGLISH, REFUSED, LintReport, lint_file
from markscheme.rubrics.advice import CodeOfFile

DATE = "criteria:\n- {name: date, requirement: The reply names a date.}\n"
FAULTY = "passingThreshold: 2\ncriteria:\n- {name: date, requirement: The reply names a date., wieght: 1}\n"
WITH_A_CHECK = "criteria:\n- {name: form, requirement: The reply is JSON., check: jsn_valid}\n"
GERMAN = "criteria:\n- {name: schritt, requirement: Die Antwort nennt einen Schritt für den Kunden.}\n"


def linted(folder: Path, text: str) -> LintReport:
    """Lint a rubric named `reply` in a folder, and return the report."""
    file = folder / "reply.yaml"
    file.write_text(text, encoding="utf-8")
    return lint_file(file)


def test_linting_a_rubric_without_an_issue_gives_an_empty_report(tmp_path: Path) -> None:
    report = linted(tmp_path, DATE)
    assert report == LintReport(tmp_path / "reply.yaml")
    assert report.status == NO_ISSUES


def test_linting_an_invalid_rubric_reports_all_faults_with_their_lines(tmp_path: Path) -> None:
    report = linted(tmp_path, FAULTY)
    assert report.status == REFUSED
    assert [fault.line for fault in report.faults] == [1, 3]
    assert "did you mean 'weight'?" in report.faults[1].problem
    assert report.advice == ()


def test_lint_gives_advice_on_a_misread_yaml_number_and_an_unknown_check_and_a_gray_zone_without_effect(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "calibration" / "other"
    folder.mkdir(parents=True)
    (folder / "cascade.json").touch()
    in_octal = WITH_A_CHECK.replace("jsn_valid", "jsn_valid, weight: 010")
    report = linted(tmp_path, f"name: other\nask_within: 0.1\n{in_octal}")
    assert report.status == ADVICE
    assert [(advice.code, advice.criterion) for advice in report.advice] == [
        ("noted", None),
        ("unknown-check", "form"),
        ("yaml", None),
        ("unused-gray-zone", None),
    ]
    assert {advice.code for advice in report.advice} == set(get_args(CodeOfFile))
    assert report.advice[1].message.startswith("there is no check 'jsn_valid'")


def test_lint_gives_no_advice_on_a_rubric_in_german_and_says_that_it_is_not_in_english(tmp_path: Path) -> None:
    report = linted(tmp_path, GERMAN)
    assert (report.status, report.notes, report.advice) == (NO_ISSUES, (NOT_ENGLISH,), ())


def test_linting_with_a_module_of_checks_that_cannot_be_imported_is_a_usage_error(tmp_path: Path) -> None:
    linted(tmp_path, WITH_A_CHECK)
    with pytest.raises(UsageError, match="nowhere"):
        lint_file(tmp_path / "reply.yaml", ["nowhere"])


def test_the_json_of_a_lint_report_has_the_keys_faults_and_advice_and_notes(tmp_path: Path) -> None:
    file = str(tmp_path / "reply.yaml")
    assert linted(tmp_path, WITH_A_CHECK.replace("jsn_valid", "json_valid")).to_json() == {
        "rubric": file,
        "status": NO_ISSUES,
        "faults": [],
        "advice": [],
        "notes": [],
    }
    assert [set(fault) for fault in linted(tmp_path, FAULTY).to_json()["faults"]] == [{"line", "problem"}] * 2


PITFALLS = """\
name: odd
criteria:
  - name: tag
    requirement: Uses the tag # urgent in the title
    weight: 010
  - {name: b, requirement: It says so., weight: 1:30}  # why
  - name: c
    requirement: A whole sentence.   # a comment
    weight: 1.5e+1   # another one
  - {name: d, requirement: "Uses the tag # urgent", weight: &w 0x10}
  - {name: e, requirement: It is short., weight: *w}
"""


def test_lint_names_the_line_of_each_value_that_yaml_reads_differently_than_it_looks(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(PITFALLS)
    report = lint_file(path)
    named = [entry.message for entry in report.advice if entry.code == "yaml"]
    assert named == [
        "line 4: YAML takes “# urgent in the title” for a comment; quote the whole text if it belongs to it",
        "line 5: `010` is read as 8; write 8, or quote it",
        "line 6: `1:30` is read as 90; write 90, or quote it",
        "line 10: `0x10` is read as 16; write 16, or quote it",
    ]
    (tmp_path / "odd.json").write_text(
        json.dumps({"criteria": [{"name": "a", "requirement": "Is # one", "weight": 8}]})
    )
    assert [entry for entry in lint_file(tmp_path / "odd.json").advice if entry.code == "yaml"] == []
