"""Systems that are compared by pairs."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.features.label_and_pairs.test_command import labelled, write_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A rubric of pairs, a judge, and outputs of three systems, of which a writes most and c least."""
    return write_project(tmp_path)


def test_calibrate_reads_the_judge_s_answers_in_both_orders_from_grades_of_pairs(
    project: Path,
) -> None:
    labelled(project)
    grades = run(
        "markscheme", "grade", "better", "calibration/better/examples.jsonl", "--judge", "function:judges:longer",
        "--json", cwd=project,
    )  # fmt: skip
    first = json.loads(grades.stdout.splitlines()[0])
    assert first["decision"] in ("first", "second")
    assert (first["pass"], abs(first["score"])) == (None, 1.0)
    assert set(first["orders"]) == {"first-second", "second-first"}
    (project / "judged.jsonl").write_text(grades.stdout)
    done = run("calibrate", "better", "--ratings", "judged.jsonl", "--json", "-", cwd=project)
    assert json.loads(done.stdout)["orders"][0]["in_both_orders"] == 120
    done = run("markscheme", "compare", "--pairs", "judged.jsonl", "--rubric", "better", "--json", cwd=project)
    assert done.returncode == 0, done.stderr
    by_rater = {one["rater"]: one for one in json.loads(done.stdout)["systems"]}
    assert set(by_rater) == {"labels", "judge"}
    pairs = {(one["first"], one["second"]): one for one in by_rater["labels"]["pairs"]}
    assert pairs["a", "c"]["difference"]["value"] == 1.0


def test_the_kind_option_says_who_gave_the_preferences_in_a_file_of_pairs_that_does_not_say_so(project: Path) -> None:
    head = "id,first,second,system_a,system_b,winner\n"
    (project / "battles.csv").write_text(f"{head}p1,one,two,x,y,a\np2,three,four,x,y,tie\n")
    command = ("markscheme", "compare", "--pairs", "battles.csv", "--json")
    assert "pass `--kind human`" in run(*command, cwd=project).stderr
    done = run(*command, "--kind", "human", cwd=project)
    assert done.returncode == 0, done.stderr
    (labels,) = json.loads(done.stdout)["systems"]
    assert labels["n"] == 2
    (project / "battles.csv").write_text(f"{head}p1,one,two,,,a\n")
    done = run(*command, "--kind", "human", cwd=project)
    assert done.returncode == 2
    assert done.stderr.startswith("error: battles.csv: no rated pair says what wrote its two responses")


def test_systems_cannot_be_compared_by_a_rubric_of_single_responses(project: Path) -> None:
    (project / "rubrics" / "single.yaml").write_text("criteria: [{requirement: It helps.}]\n")
    done = run("markscheme", "compare", "--pairs", "outputs.jsonl", "--rubric", "single", cwd=project)
    assert done.returncode == 2
    assert "compare: pairs" in done.stderr


def test_compare_prints_each_rater_s_sentence_on_the_preferred_system_only_once(project: Path) -> None:
    rows = "".join(f"p{n},one,two,x,y,{'ab'[n % 2]},{'ab'[n % 3 % 2]}\n" for n in range(20))
    (project / "battles.csv").write_text(f"id,first,second,system_a,system_b,human_winner,judge_winner\n{rows}")
    done = run("markscheme", "compare", "--pairs", "battles.csv", cwd=project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("The labels prefer") == 1
    assert done.stdout.count("judge_winner prefers") == 1
