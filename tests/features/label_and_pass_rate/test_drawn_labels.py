"""Responses that were picked to be labelled give pass rates without bias."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.commands.console import run
from tests.features.label.test_print_plan import picked, write_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project: a rubric, 30 labelled examples, a pool of 300 outputs, and a judge's ratings of all of them."""
    return write_project(tmp_path)


@pytest.mark.proof
def test_the_pass_rate_corrected_by_labels_that_the_label_command_drew_is_within_3_points_of_the_truth(
    project: Path,
) -> None:
    lines = picked(project, "--json", "plan.json", n=100)
    ratings = [json.loads(line) for line in (project / "judge.jsonl").read_text().splitlines()]
    level = {rating["id"]: rating["criteria"]["kind"] for rating in ratings}
    with (project / "calibration" / "kind" / "examples.jsonl").open("a") as file:
        for line in lines:
            strict = max(1, level[line["id"]] - 1)
            line["labels"] = [{"rater": "a", "criteria": {"kind": strict}}]
            file.write(json.dumps(line) + "\n")
    options = ["--ratings", "judge.jsonl", "--json", "calibration.json"]
    done = run("calibrate", "kind", *options, cwd=project)
    assert "drawn with unequal chances" in done.stdout
    done = run("markscheme", "pass-rate", "plan.json", "--calibration", "calibration.json", "--json", cwd=project)
    report = json.loads(done.stdout)
    truth = np.mean([level[f"p{i}"] - 1 >= 3 for i in range(300)])
    assert report["drawn"] == "by-stratum"
    assert report["corrected"]["low"] <= truth <= report["corrected"]["high"]
    assert report["corrected"]["value"] == pytest.approx(truth, abs=0.03)
    assert report["raw"]["value"] > truth + 0.1
    again = picked(project, "-o", "seed=5")
    assert not {line["id"] for line in again} & {line["id"] for line in lines}


@pytest.mark.proof
def test_labels_drawn_from_two_systems_show_the_pass_rate_of_each_system(project: Path) -> None:
    pool = [json.loads(line) for line in (project / "pool.jsonl").read_text().splitlines()]
    named = [row | {"system": f"prompt-{'ab'[i % 2]}"} for i, row in enumerate(pool)]
    (project / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in named))
    ratings = [json.loads(line) for line in (project / "judge.jsonl").read_text().splitlines()]
    levels = {rating["id"]: rating["criteria"]["kind"] for rating in ratings}
    gold = {id: level if i % 4 else 6 - level for i, (id, level) in enumerate(levels.items())}
    for n, draws in ((40, 1), (10, 2)):
        lines = picked(project, "--json", "plan.json", n=n)
        assert {line["drawn"] for line in lines} == {"by-verdict"}
        with (project / "calibration" / "kind" / "examples.jsonl").open("a") as file:
            for line in lines:
                label = {"rater": "a", "criteria": {"kind": gold[line["id"]]}}
                file.write(json.dumps(line | {"labels": [label]}) + "\n")
        run("calibrate", "kind", "--ratings", "judge.jsonl", "--json", "calibration.json", cwd=project)
        done = run("markscheme", "pass-rate", "plan.json", "--calibration", "calibration.json", "--json", cwd=project)
        assert done.returncode == 0, done.stderr
        rates = json.loads(done.stdout)
        assert rates["drawn"] == "by-stratum"
        assert {name: group["corrected"]["note"] for name, group in rates["groups"].items()} == {
            "prompt-a": None,
            "prompt-b": None,
        }
        assert sum(group["own_labels"] for group in rates["groups"].values()) == 30 + 10 * draws
        for name, group in rates["groups"].items():
            truth = np.mean([gold[row["id"]] >= 3 for row in named if row["system"] == name])
            assert group["corrected"]["low"] <= truth <= group["corrected"]["high"]
    assert "20 labels 29 points" in " ".join(
        run(
            "markscheme",
            "label",
            "kind",
            "--to",
            "-",
            "--next",
            "10",
            "--pool",
            "pool.jsonl",
            "--ratings",
            "judge.jsonl",
            cwd=project,
        ).stderr.split()
    )
