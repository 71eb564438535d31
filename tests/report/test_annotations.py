"""Findings as annotations of GitHub Actions and as SARIF, at the rubric's lines."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from markscheme.calibration.api import calibrate
from markscheme.calibration.calibration import Calibration
from markscheme.report.annotations import findings_at_lines, sarif, workflow_commands

RUBRIC = """\
name: manners
criteria:
- {name: polite, description: The reply is polite, weight: 1}

# a remark

- name: short
  requirement: The reply is short
  weight: 0.5
"""


@pytest.fixture
def calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calibration:
    """Return the calibration of a judge that is stuck on one level of a criterion, and lenient on the other."""
    monkeypatch.chdir(tmp_path)  # where the settings that were tried are recorded
    rubric = tmp_path / "rubrics" / "manners: 100%, or so.yaml"
    rubric.parent.mkdir()
    rubric.write_text(RUBRIC)
    rows = [(f"e{place}", 1 + place % 5, "MET" if place % 3 == 0 else "UNMET") for place in range(40)]
    examples = [
        {"id": unit, "response": unit, "labels": [{"rater": "ann", "criteria": {"polite": polite, "short": short}}]}
        for unit, polite, short in rows
    ]
    ratings = [{"id": unit, "rater": "j", "criteria": {"polite": 5, "short": "MET"}} for unit, _, _ in rows]
    with pytest.warns(match="found by the file's name"):
        return calibrate(rubric, examples, ratings=ratings)


def test_a_finding_is_annotated_at_the_line_of_its_criterion_in_the_rubric_file(
    calibration: Calibration, tmp_path: Path
) -> None:
    at_lines = list(findings_at_lines([calibration], tmp_path))
    assert [finding for _, _, finding in at_lines] == list(calibration.findings)
    lines = {finding.criterion: line for _, line, finding in at_lines}
    assert lines["polite"] == 3
    assert lines["short"] == 7
    assert {line for _, line, finding in at_lines if finding.criterion is None} <= {1}


def test_hostile_names_cannot_break_a_github_workflow_command(calibration: Calibration, tmp_path: Path) -> None:
    for line in workflow_commands([calibration], tmp_path):
        assert "\n" not in line
        assert line.startswith(("::error file=", "::warning file=", "::notice file="))
        properties = line.split("::")[1].partition(" ")[2]
        assert [part.partition("=")[0] for part in properties.split(",")] == ["file", "line", "title"]
        assert "rubrics/manners%3A 100%25%2C or so.yaml" in line


def test_a_sarif_report_has_a_rule_for_each_kind_of_finding_and_a_result_for_each_finding(
    calibration: Calibration, tmp_path: Path
) -> None:
    log = json.loads(sarif([calibration], tmp_path))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} == rules
    assert len(run["results"]) == len(calibration.findings)
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "rubrics/manners%3A%20100%25%2C%20or%20so.yaml"
        assert place["region"]["startLine"] >= 1
        assert result["level"] in ("error", "warning", "note")


def test_calibrate_writes_no_github_annotations_for_a_rubric_that_was_not_read_from_a_file(
    calibration: Calibration, tmp_path: Path
) -> None:
    without = replace(calibration, rubric=replace(calibration.rubric, source=None))
    assert workflow_commands([without], tmp_path) == []
