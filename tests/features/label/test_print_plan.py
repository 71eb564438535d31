"""`markscheme label --plan` as a user runs it: nobody is asked."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands.console import run
from tests.commands.judged_project import make_project


def write_project(folder: Path) -> Path:
    """Write a rubric, 30 labelled examples, a pool of 300 outputs and a judge's ratings of all of them."""
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "kind.yaml").write_text("criteria:\n- {name: kind, description: Is it kind?}\n")
    (folder / "calibration" / "kind").mkdir(parents=True)
    draw = np.random.default_rng(3)
    with (folder / "calibration" / "kind" / "examples.jsonl").open("w") as file:
        for i in range(30):
            label = {"rater": "a", "criteria": {"kind": 1 + i % 5}}
            file.write(json.dumps({"id": f"e{i}", "response": f"old {i}", "labels": [label]}) + "\n")
    with (folder / "pool.jsonl").open("w") as file, (folder / "judge.jsonl").open("w") as ratings:
        for i in range(300):
            file.write(json.dumps({"id": f"p{i}", "response": f"new {i}", "query": "q", "group": f"g{i % 3}"}) + "\n")
            level = int(draw.integers(1, 6))
            ratings.write(json.dumps({"id": f"p{i}", "judge": "j", "criteria": {"kind": level}}) + "\n")
        for i in range(30):
            ratings.write(json.dumps({"id": f"e{i}", "judge": "j", "criteria": {"kind": 1 + i % 5}}) + "\n")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project: a rubric, 30 labelled examples, a pool of 300 outputs, and a judge's ratings of all of them."""
    return write_project(tmp_path)


def plan(project: Path, *options: str) -> dict[str, Any]:
    done = run("markscheme", "label", "kind", "--plan", "--json", "-", *options, cwd=project)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_labelling_plan_shows_labels_needed_and_cost_and_asks_no_judge(project: Path) -> None:
    report = plan(project, "--judge", "openai:some-model", "-o", "price=1:2")
    assert {need["goal"] for need in report["needs"]} == {"width", "promise", "variety"}
    (cost,) = report["cost"]
    assert cost["calls"] == 30
    assert cost["usd"] == pytest.approx(cost["input_tokens"] * 1e-6 + cost["output_tokens"] * 2e-6)
    text = run("markscheme", "label", "kind", "--plan", "--details", cwd=project).stdout
    assert "no calls were made" in text
    (cost_line,) = (line for line in text.splitlines() if line.startswith("no judge"))
    assert "30" in cost_line.split()
    assert "price unknown" in " ".join(text.split())


def test_a_labelling_plan_prices_known_models_and_says_if_a_price_is_unknown(project: Path) -> None:
    (known,) = plan(project, "--judge", "openai:gpt-4o-mini")["cost"]
    assert known["usd"] == pytest.approx(known["input_tokens"] * 0.15e-6 + known["output_tokens"] * 0.6e-6)
    (cost,) = plan(project, "--judge", "openai:gpt-4o-mini", "-o", "price=1:2")["cost"]
    assert cost["usd"] == pytest.approx(cost["input_tokens"] * 1e-6 + cost["output_tokens"] * 2e-6)
    (unknown,) = plan(project, "--judge", "openai:some-model")["cost"]
    assert unknown["usd"] is None


def test_planning_a_narrower_interval_needs_more_labels(project: Path) -> None:
    widths = {}
    for width in ("0.2", "0.05"):
        needs = plan(project, "--width", width)["needs"]
        widths[width] = [need["labels"] for need in needs if need["goal"] == "width"]
    assert all(narrow > wide for narrow, wide in zip(widths["0.05"], widths["0.2"], strict=True))


def test_a_labelling_plan_can_be_made_for_a_rubric_without_examples(project: Path) -> None:
    (project / "rubrics" / "new.yaml").write_text("criteria:\n- {name: kind, requirement: Is it kind?}\n")
    done = run("markscheme", "label", "new", "--plan", "--json", "-", cwd=project)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["labelled"] == 0


def test_a_labelling_plan_uses_a_judge_s_recorded_replies_as_pilot_ratings_without_a_call() -> None:
    done = run("markscheme", "label", "error-messages", "--plan", "--json", "-")
    report = json.loads(done.stdout)
    assert report["cost"][0]["calls"] == 0
    assert any("so far" in need["basis"] for need in report["needs"])


def picked(project: Path, *options: str, n: int = 60) -> list[dict[str, Any]]:
    drawn = ("--next", str(n), "--pool", "pool.jsonl", "--ratings", "judge.jsonl")
    done = run("markscheme", "label", "kind", "--to", "-", *drawn, *options, cwd=project)
    assert done.returncode == 0, done.stderr
    assert f"{n} outputs drawn at random" in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_outputs_drawn_for_labelling_are_written_as_examples_with_sampling_weights(project: Path) -> None:
    lines = picked(project, "--json", "plan.json")
    assert len({line["id"] for line in lines}) == 60
    assert {line["drawn"] for line in lines} == {"chosen"}
    assert all(line["weight"] >= 1 and line["stratum"] and line["response"] for line in lines)
    assert lines[0]["inputs"] == {"query": "q"}
    saved = json.loads((project / "plan.json").read_text())["next"]
    assert [pick["id"] for pick in saved["picked"]] == [line["id"] for line in lines]
    assert len(saved["pool"]) == 300


def test_after_a_draw_the_command_printed_for_the_full_report_draws_no_further_outputs(project: Path) -> None:
    options = ("--to", "x.jsonl", "--next", "5", "--ratings", "judge.jsonl", "--pool", "pool.jsonl")
    shown = run("markscheme", "label", "kind", *options, cwd=project, env={"COLUMNS": "200"}).stdout
    assert "Full report: markscheme label kind --ratings judge.jsonl --plan --details\n" in shown


def test_the_label_command_prints_how_many_outputs_it_drew_and_the_file_that_holds_them(project: Path) -> None:
    options = ("--next", "5", "--pool", "pool.jsonl", "--to", "x.jsonl", "--details")
    done = run("markscheme", "label", "kind", *options, cwd=project)
    assert "5 outputs drawn at random (random seed 1), in x.jsonl." in done.stdout
    assert len((project / "x.jsonl").read_text().splitlines()) == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--plan", "--next", "5"], "give both"),
        (["--to", "-", "--next", "5"], "give both"),
        (["--to", "-"], "add --next [N] --pool FILE"),
        (["--plan", "--next", "5", "--pool", "pool.jsonl"], "add --to FILE"),
        (["--json", "plan.json"], "writes a plan to a file: add --plan"),
        (
            ["--to", "-", "--next", "301", "--pool", "pool.jsonl"],
            "holds 300 unlabelled outputs; 301 cannot be taken",
        ),
        (["--to", "-", "--next", "5", "--pool", "pool.jsonl", "--json", "-"], "name a file: --json plan.json"),
    ],
)
def test_a_labelling_plan_with_impossible_options_is_refused(project: Path, options: list[str], message: str) -> None:
    done = run("markscheme", "label", "kind", *options, cwd=project)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_labelling_plan_without_a_number_of_labels_draws_nothing_and_prints_the_command_that_draws(
    project: Path,
) -> None:
    planned = run("markscheme", "label", "kind", "--plan", "--pool", "pool.jsonl", cwd=project)
    assert planned.returncode == 0, planned.stderr
    assert "drawn" not in planned.stdout
    assert re.search(r"Next: markscheme label kind --next \d+ --pool pool.jsonl", " ".join(planned.stdout.split()))


def test_the_next_command_of_a_plan_draws_no_more_outputs_than_the_pool_has_left(project: Path) -> None:
    outputs = (project / "pool.jsonl").read_text().splitlines(keepends=True)
    labelled = (project / "calibration" / "kind" / "examples.jsonl").read_text().splitlines(keepends=True)
    (project / "few.jsonl").write_text("".join(outputs[:20]))
    (project / "done.jsonl").write_text("".join(labelled[:20]))
    (project / "some.jsonl").write_text("".join([*outputs[:20], *labelled]))
    for pool, sentence, command in (
        ("few.jsonl", "Label all 20 that are left in few.jsonl first.", "--next 20 --pool few.jsonl"),
        ("some.jsonl", "Label all 20 that are left in some.jsonl first.", "--next 20 --pool some.jsonl"),
        ("done.jsonl", "All outputs in done.jsonl are among the rubric's examples.", "--pool YOUR-OUTPUTS.jsonl"),
    ):
        planned = run("markscheme", "label", "kind", "--plan", "--pool", pool, cwd=project)
        printed = " ".join(planned.stdout.split())
        assert sentence in printed
        assert re.search(rf"Next: markscheme label kind .*{command}", printed), printed


def test_the_whole_pool_is_drawn_if_more_labels_are_needed_than_it_has_outputs(
    project: Path,
) -> None:
    outputs = (project / "pool.jsonl").read_text().splitlines(keepends=True)
    (project / "few.jsonl").write_text("".join(outputs[:20]))
    drawn = run(
        *["markscheme", "label", "kind", "--plan", "--next", "--pool", "few.jsonl", "--to", "next.jsonl"], cwd=project
    )
    assert drawn.returncode == 0, drawn.stderr
    assert len((project / "next.jsonl").read_text().splitlines()) == 20


def test_the_project_s_number_of_annotators_multiplies_the_labels_that_a_plan_asks_for(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (project / "markscheme.toml").write_text("annotators = 2\n")
    planned = run("markscheme", "label", "manners", "--plan", "--details", "--json", "plan.json", cwd=project)
    assert planned.returncode == 0, planned.stderr
    assert "Each example is to be labelled by 2 annotators." in planned.stdout
    plan = json.loads((project / "plan.json").read_text())
    assert plan["annotators"] == 2
    (more, given) = next(
        (need["labels"] - need["have"], f"{2 * (need['labels'] - need['have']):,}")
        for need in plan["needs"]
        if need["labels"] and need["labels"] > need["have"]
    )
    assert any(f" {more:,} " in line and f" {given} " in line for line in planned.stdout.splitlines())
    alone = run("markscheme", "label", "manners", "--plan", "--details", "-o", "annotators=1", cwd=project)
    assert not any(f" {given} " in line for line in alone.stdout.splitlines())
