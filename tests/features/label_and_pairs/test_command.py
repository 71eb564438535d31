"""Pairs from outputs to a verdict on a judge and on systems, as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run

RUBRIC = """
compare: pairs
inputs: [query]
criteria:
- {name: helps, prefer: The reply that gets the customer further.}
"""
JUDGE = """
import re

def longer(system_prompt, user_prompt):
    first, second = re.findall(r"<response-[12]-[0-9a-f]+>\\n(.*?)\\n</response", user_prompt, re.S)
    level = "tie" if len(first) == len(second) else "first" if len(first) > len(second) else "second"
    return {"verdicts": {"helps": {"quote_1": first, "quote_2": second, "reason": "It says more.", "level": level}}}

def first_of_some(system_prompt, user_prompt):
    answer = longer(system_prompt, user_prompt)
    if re.search(r"question \\d*3\\?", user_prompt):
        answer["verdicts"]["helps"]["level"] = "first"
    return answer
"""
PROMPTS = 40


def write_project(folder: Path) -> Path:
    """Write a rubric of pairs, a judge, and outputs of three systems, of which a writes most and c least."""
    (folder / ".git").mkdir()
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "better.yaml").write_text(RUBRIC)
    (folder / "judges.py").write_text(JUDGE)
    words = {"a": "word " * 6, "b": "word " * 4, "c": "word " * 2}
    lines = [
        {"id": f"{system}-{n}", "system": system, "query": f"question {n}?", "response": f"{text}{'!' * (n % 3)}"}
        for n in range(PROMPTS)
        for system, text in words.items()
    ]
    (folder / "outputs.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project: a rubric of pairs, a judge, and outputs of three systems; a writes the longest, c the least."""
    return write_project(tmp_path)


def planned(project: Path) -> list[dict[str, object]]:
    done = run(
        "markscheme", "label", "better", "--pairs", "--to", "-", "--pool", "outputs.jsonl", "--next", "120", cwd=project
    )
    assert done.returncode == 0, done.stderr
    assert "120 pairs of 120" in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def labelled(project: Path) -> None:
    """Write the planned pairs with labels by two annotators who prefer the longer response."""
    folder = project / "calibration" / "better"
    folder.mkdir(parents=True)
    with (folder / "examples.jsonl").open("w") as examples:
        for pair in planned(project):
            first, second = (pair[side]["response"] for side in ("first", "second"))  # type: ignore[index]
            level = "first" if len(first) > len(second) else "second"
            labels = [{"rater": rater, "kind": "human", "criteria": {"helps": level}} for rater in ("ann", "ben")]
            examples.write(json.dumps({**pair, "labels": labels}) + "\n")


def test_a_judge_of_pairs_that_always_prefers_as_annotators_do_can_gate_and_favours_neither_position(
    project: Path,
) -> None:
    labelled(project)
    done = run("calibrate", "better", "--judge", "function:judges:longer", "--json", "report.json", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((project / "report.json").read_text())
    assert (report["verdict"], report["use"], report["measure"]) == ("ok", "gate", "preference")
    assert report["agreement"]["value"] == 1.0
    assert report["agreement_constant"]["value"] == 0.5
    (judge,) = report["orders"]
    assert judge["flips"]["value"] == judge["lean_to_first"]["value"] == 0.0
    assert judge["length"]["value"] > 0.9
    assert report["systems"][0]["strengths"]["ranks"]["b"] is None


@pytest.mark.proof
def test_calibrating_pairs_in_both_orders_makes_a_single_accepted_run_and_not_two(
    project: Path,
) -> None:
    labelled(project)
    judge = ("--judge", "function:judges:first_of_some")
    done = run("calibrate", "better", *judge, "--accept", "--force", "--json", "report.json", cwd=project)
    assert "1 run accepted" in done.stderr, done.stdout + done.stderr
    (orders,) = json.loads((project / "report.json").read_text())["orders"]
    assert orders["flips"]["value"] > 0
    accepted = json.loads((project / "calibration" / "better" / "accepted.json").read_text())
    assert accepted["ratings"]["samples"] == accepted["cost"]["runs"] == 1
    verified = run("markscheme", "verify", "calibration/better/card.json", cwd=project)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    later = run("calibrate", "better", *judge, "--details", cwd=project)
    assert "runs differ from each other" not in later.stdout


def test_calibrate_says_that_order_is_not_tested_if_a_judge_was_asked_about_pairs_in_one_order_only(
    project: Path,
) -> None:
    labelled(project)
    done = run("calibrate", "better", "--judge", "function:judges:longer", "-o", "orders=1", cwd=project)
    assert "order not tested" in done.stdout, done.stdout + done.stderr


def test_pairs_that_a_file_has_already_are_not_imported_a_second_time(project: Path) -> None:
    labelled(project)
    command = ("import", "calibration/better/examples.jsonl", "--rubric", "better", "--to", "labels.jsonl")
    for more, n in (((), 120), (("--append",), 0)):
        done = run("markscheme", *command, "--examples", "pairs.jsonl", *more, cwd=project)
        assert f"{n} pairs written to pairs.jsonl" in done.stdout, done.stdout + done.stderr
    assert len((project / "pairs.jsonl").read_text().splitlines()) == 120
    other = (project / "pairs.jsonl").read_text().replace("word word word", "other")
    (project / "pairs.jsonl").write_text(other)
    done = run("markscheme", *command, "--examples", "pairs.jsonl", "--append", cwd=project)
    assert "holds other responses under" in done.stderr


def test_giving_label_outputs_in_place_of_pairs_is_refused_with_the_command_that_makes_pairs(project: Path) -> None:
    done = run("markscheme", "label", "better", "--pool", "outputs.jsonl", cwd=project)
    command = "markscheme label better --pairs --pool outputs.jsonl --to pairs.jsonl"
    assert (done.returncode, done.stderr.strip().endswith(command)) == (2, True), done.stderr
    assert run(*command.split(), cwd=project).returncode == 0


def test_annotators_of_the_same_pairs_are_compared_with_each_other(project: Path) -> None:
    ratings = project / "calibration" / "better" / "ratings"
    ratings.mkdir(parents=True)
    (project / "calibration" / "better" / "examples.jsonl").write_text("")
    lines = [
        {"id": f"p{n}", "rater": rater, "kind": kind, "shown": shown, "criteria": {"helps": "first"}}
        for n in range(3)
        for rater, kind, shown in (("ann", "human", "first-second"), ("ben", "human", "second-first"))
    ]  # fmt: skip
    (ratings / "all.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = run("calibrate", "calibration/better/ratings/all.jsonl", cwd=project)
    assert "3 rows, 2 raters" in done.stdout, done.stdout + done.stderr


def test_a_judge_s_choices_in_pairwise_tasks_of_label_studio_are_calibrated(project: Path) -> None:
    def chose(side: str, **by: object) -> dict[str, object]:
        return {**by, "result": [{"id": "r", "type": "pairwise", "value": {"selected": side}}]}

    tasks = [
        {
            "id": n,
            "data": {"prompt": f"question {n}?", "answer1": "one", "answer2": "two"},
            "annotations": [chose("left" if n % 2 else "right", completed_by={"email": "ann"})],
            "predictions": [chose("left" if n % 2 else "right", model_version="judge-1")],
        }
        for n in range(20)
    ]
    (project / "tasks.json").write_text(json.dumps(tasks))
    done = run("calibrate", "tasks.json", "--json", "report.json", cwd=project)
    assert done.returncode == 0, done.stderr
    (metric,) = json.loads((project / "report.json").read_text())["metrics"]
    assert metric["calibration"]["agreement"]["value"] == 1.0


def test_variants_of_an_experiment_are_compared_by_preferences_between_their_outputs(project: Path) -> None:
    cases = "\n".join(f"  - {{id: c{n}, inputs: {{query: question {n}?}}}}" for n in range(12))
    (project / "replies.experiment.yaml").write_text(
        f"rubric: rubrics/better.yaml\nvariants: [{{name: brief}}, {{name: full}}]\ncases:\n{cases}\n"
    )
    with (project / "made.jsonl").open("w") as made:
        for n in range(12):
            for variant, text in (("brief", "word " * 3), ("full", "word " * (2 if n == 0 else 7))):
                made.write(json.dumps({"variant": variant, "case": f"c{n}", "output": text.strip()}) + "\n")
    command = ("markscheme", "experiment", "replies.experiment.yaml", "--outputs", "made.jsonl")
    done = run(*command, "--judge", "function:judges:longer", "--json", "-", cwd=project)
    assert done.returncode == 0, done.stderr
    (compared,) = json.loads(done.stdout)["systems"]
    (pair,) = compared["pairs"]
    assert (pair["first"], pair["second"], pair["n"]) == ("brief", "full", 12)
    assert pair["prefers_second"]["value"] == pytest.approx(11 / 12)
    assert run(*command, "--judge", "function:judges:longer", "--accept", cwd=project).returncode == 2
