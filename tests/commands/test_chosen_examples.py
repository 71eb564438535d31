"""The examples and labels that a command reads: the rubric's own, those of one system, all but damaged lines."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.commands.polite_project import HOME, damage, make_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Forty examples of two systems, labelled in `ratings/`, and a judge that is wrong on all of system b."""
    return make_project(tmp_path)


def report(project: Path, *options: str) -> dict[str, Any]:
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "--json", "-", *options, cwd=project)
    assert done.returncode in (0, 1, 4), done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_examples_keep_their_labels_if_the_file_of_the_rubric_s_own_examples_is_named_explicitly(project: Path) -> None:
    named = report(project, "--examples", str(HOME / "examples.jsonl"))
    assert named["agreement"] == report(project)["agreement"]
    assert named["agreement"]["n"] == 40


def test_calibrate_without_labels_names_the_files_that_it_searched_for_them(
    project: Path,
) -> None:
    (project / "others.jsonl").write_text((project / HOME / "examples.jsonl").read_text())
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "--examples", "others.jsonl", cwd=project)
    assert done.returncode == 2
    assert "searched others.jsonl" in done.stderr
    (project / HOME / "ratings" / "ann.jsonl").unlink()
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", cwd=project)
    assert done.returncode == 2
    assert str(HOME / "ratings" / "*.jsonl") in done.stderr


@pytest.mark.parametrize(("system", "agreement"), [("a", 1.0), ("b", 0.0)])
def test_calibrate_can_be_restricted_to_the_examples_of_one_system(
    project: Path, system: str, agreement: float
) -> None:
    of_one = report(project, "--only", f"system={system}")
    assert of_one["agreement"]["n"] == 20
    assert of_one["agreement"]["value"] == agreement


def test_the_suggested_command_for_the_full_report_repeats_the_options_that_change_its_figures(project: Path) -> None:
    chosen = ("--only", "system=a", "-o", "tolerance=0.3", "-o", "gold=human")
    shown = " ".join(run("calibrate", "polite", "--ratings", "judge.jsonl", *chosen, cwd=project).stdout.split())
    command = "markscheme calibrate polite --ratings judge.jsonl -o tolerance=0.3 -o gold=human --only system=a"
    assert f"{command} --details" in shown
    (project / "markscheme.toml").write_text("tolerance = 0.3\n")
    of_file = run("calibrate", "polite", "--ratings", "judge.jsonl", cwd=project).stdout
    assert "markscheme calibrate polite --ratings judge.jsonl --details" in " ".join(of_file.split())


def test_an_unknown_system_or_metadata_key_is_refused_with_a_list_of_those_that_examples_have(project: Path) -> None:
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "--only", "system=c", cwd=project)
    assert done.returncode == 2
    assert "'a', 'b'" in done.stderr
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "--only", "colour=red", cwd=project)
    assert done.returncode == 2
    assert "system, group" in done.stderr


@pytest.mark.parametrize("file", [HOME / "examples.jsonl", HOME / "ratings" / "ann.jsonl", Path("judge.jsonl")])
def test_a_damaged_line_of_examples_or_ratings_stops_a_calibration_unless_an_option_allows_to_skip_it(
    project: Path, file: Path
) -> None:
    damage(project / file)
    refused = run("calibrate", "polite", "--ratings", "judge.jsonl", cwd=project)
    assert refused.returncode == 2
    assert f"{file.name}:2" in refused.stderr
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "-o", "skip_damaged=true", "--json", "-", cwd=project)
    assert done.returncode in (0, 1, 4)
    assert f"{file.name}:2" in done.stderr
    assert json.loads(done.stdout)["agreement"]["n"] == 39


NO_RATINGS = (
    '{"id": "e1", "criteria": {"rude": 1}}',
    '{"judge": "j", "criteria": {"polite": 1}}',
    '{"id": "e1", "kind": "nobody"}',
    "[]",
    "17",
)


@pytest.mark.parametrize("line", NO_RATINGS)
def test_skipping_lines_that_are_not_ratings_keeps_all_other_lines(project: Path, line: str) -> None:
    lines = (project / "judge.jsonl").read_text().splitlines()
    (project / "judge.jsonl").write_text("\n".join([lines[0], line, *lines[1:]]) + "\n")
    strict = run("calibrate", "polite", "-o", "gold=human", "--accept", "--ratings", "judge.jsonl", cwd=project)
    assert strict.returncode == 2
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "-o", "skip_damaged=true", "--json", "-", cwd=project)
    assert done.returncode in (0, 1, 4), done.stderr
    assert "judge.jsonl:2: " in done.stderr
    assert "; left out" in done.stderr
    assert json.loads(done.stdout)["agreement"]["n"] == 40


def test_rarely_used_options_are_shown_by_help_all_and_not_by_help(project: Path) -> None:
    short, everything = (run("calibrate", flag, cwd=project).stdout for flag in ("--help", "--help-all"))
    for option in ("--only", "skip_damaged"):
        assert option not in short
        assert option in everything
