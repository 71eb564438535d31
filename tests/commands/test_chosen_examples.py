"""Which examples and labels a command reads: the rubric's own by name, some of them, all but damaged lines."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.commands.judged_project import write_lines

HOME = Path("calibration") / "polite"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Forty examples of two systems, labelled in `ratings/`, and a judge that is wrong on all of system b."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "polite.yaml").write_text(
        "criteria:\n- {name: polite, requirement: The reply is polite, weight: 1}\n"
    )
    home = tmp_path / HOME
    (home / "ratings").mkdir(parents=True)
    levels = [i // 2 % 2 == 0 for i in range(40)]
    examples = [{"id": f"e{i}", "response": f"reply {i}", "system": "ab"[i % 2]} for i in range(40)]
    write_lines(home / "examples.jsonl", examples)
    write_lines(home / "ratings" / "ann.jsonl", rated(levels, rater="ann", kind="human"))
    verdicts = [level if i % 2 == 0 else not level for i, level in enumerate(levels)]
    write_lines(tmp_path / "judge.jsonl", rated(verdicts, judge="j"))
    return tmp_path


def rated(levels: Sequence[bool], **who: str) -> list[dict[str, Any]]:
    return [{"id": f"e{i}", **who, "criteria": {"polite": level}} for i, level in enumerate(levels)]


def damage(path: Path) -> None:
    """Cut the second of a file's lines in half."""
    lines = path.read_text().splitlines(keepends=True)
    lines[1] = lines[1][:20] + "\n"
    path.write_text("".join(lines))


def report(project: Path, *options: str) -> dict[str, Any]:
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "--json", "-", *options, cwd=project)
    assert done.returncode in (0, 1, 4), done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_the_rubric_s_own_examples_keep_their_labels_when_their_file_is_named(project: Path) -> None:
    named = report(project, "--examples", str(HOME / "examples.jsonl"))
    assert named["agreement"] == report(project)["agreement"]
    assert named["agreement"]["n"] == 40


def test_examples_from_elsewhere_have_no_labels_and_the_error_says_where_it_looked(project: Path) -> None:
    (project / "others.jsonl").write_text((project / HOME / "examples.jsonl").read_text())
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "--examples", "others.jsonl", cwd=project)
    assert done.returncode == 2
    assert "searched others.jsonl" in done.stderr
    (project / HOME / "ratings" / "ann.jsonl").unlink()
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", cwd=project)
    assert done.returncode == 2
    assert str(HOME / "ratings" / "*.jsonl") in done.stderr


@pytest.mark.parametrize(("system", "agreement"), [("a", 1.0), ("b", 0.0)])
def test_only_one_system_s_examples_are_compared(project: Path, system: str, agreement: float) -> None:
    of_one = report(project, "--only", f"system={system}")
    assert of_one["agreement"]["n"] == 20
    assert of_one["agreement"]["value"] == agreement


def test_a_system_that_no_example_has_is_refused_with_those_there_are(project: Path) -> None:
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "--only", "system=c", cwd=project)
    assert done.returncode == 2
    assert "'a', 'b'" in done.stderr
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "--only", "colour=red", cwd=project)
    assert done.returncode == 2
    assert "system, group" in done.stderr


@pytest.mark.parametrize("file", [HOME / "examples.jsonl", HOME / "ratings" / "ann.jsonl", Path("judge.jsonl")])
def test_a_damaged_line_stops_a_calibration_unless_it_may_be_skipped(project: Path, file: Path) -> None:
    damage(project / file)
    refused = run("calibrate", "polite", "--ratings", "judge.jsonl", cwd=project)
    assert refused.returncode == 2
    assert f"{file.name}:2" in refused.stderr
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "--skip-damaged", "--json", "-", cwd=project)
    assert done.returncode in (0, 1, 4)
    assert f"{file.name}:2" in done.stderr
    assert json.loads(done.stdout)["agreement"]["n"] == 39


@pytest.mark.parametrize(
    "command",
    [
        ("markscheme", "compare", "judge.jsonl", "second.jsonl", "--rubric", "polite"),
        ("markscheme", "tune", "polite", "--ratings", "judge.jsonl"),
        ("markscheme", "plan", "polite", "--ratings", "judge.jsonl"),
    ],
    ids=["compare", "tune", "plan"],
)
def test_other_readers_of_ratings_skip_damaged_lines_too(project: Path, command: tuple[str, ...]) -> None:
    second = [{**json.loads(line), "judge": "k"} for line in (project / "judge.jsonl").read_text().splitlines()]
    write_lines(project / "second.jsonl", second)
    damage(project / "judge.jsonl")
    assert run(*command, cwd=project).returncode == 2
    done = run(*command, "--skip-damaged", cwd=project)
    assert done.returncode in (0, 4), done.stderr
    assert "judge.jsonl:2" in done.stderr


NO_RATINGS = (
    '{"id": "e1", "criteria": {"rude": 1}}',
    '{"judge": "j", "criteria": {"polite": 1}}',
    '{"id": "e1", "kind": "nobody"}',
    "[]",
    "17",
)


@pytest.mark.parametrize("line", NO_RATINGS)
def test_a_line_that_is_not_a_rating_never_costs_who_skips_it_the_rest(project: Path, line: str) -> None:
    lines = (project / "judge.jsonl").read_text().splitlines()
    (project / "judge.jsonl").write_text("\n".join([lines[0], line, *lines[1:]]) + "\n")
    strict = run("calibrate", "polite", "--gold", "human", "--accept", "--ratings", "judge.jsonl", cwd=project)
    assert strict.returncode == 2
    done = run("calibrate", "polite", "--ratings", "judge.jsonl", "--skip-damaged", "--json", "-", cwd=project)
    assert done.returncode in (0, 1, 4), done.stderr
    assert "judge.jsonl:2: " in done.stderr
    assert "; left out" in done.stderr
    assert json.loads(done.stdout)["agreement"]["n"] == 40


@pytest.mark.parametrize("command", [("export", "polite"), ("status", "--json")], ids=["export", "status"])
@pytest.mark.parametrize("file", [HOME / "examples.jsonl", HOME / "ratings" / "ann.jsonl"])
def test_what_reads_examples_skips_damaged_lines_too(project: Path, command: tuple[str, ...], file: Path) -> None:
    damage(project / file)
    refused = run("markscheme", *command, cwd=project)
    assert f"{file.name}:2" in refused.stdout + refused.stderr
    done = run("markscheme", *command, "--skip-damaged", cwd=project)
    assert done.returncode == 0
    assert f"{file.name}:2" in done.stderr
    if command[0] == "export":
        assert sum(bool(json.loads(line)["labels"]) for line in done.stdout.splitlines()) == 39
    else:
        assert [rubric["labelled_examples"] for rubric in json.loads(done.stdout)["rubrics"]] == [39]


def test_both_are_shown_by_help_all_alone(project: Path) -> None:
    short, everything = (run("calibrate", flag, cwd=project).stdout for flag in ("--help", "--help-all"))
    for option in ("--only", "--skip-damaged"):
        assert option not in short
        assert option in everything
