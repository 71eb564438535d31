"""`init --from RESULTS`: a rubric of the metrics of Promptfoo's results, with their outputs and labels."""

import json
from pathlib import Path
from typing import Any

import yaml

from markscheme.rubrics.file import load_rubric
from tests.commands.console import run


def test_metrics_become_criteria_and_outputs_examples(rated_results: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(json.dumps(rated_results))
    done = run("markscheme", "init", "--from", "results.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rubric = load_rubric(tmp_path / "rubrics" / "results.yaml")
    asks = {criterion.name: criterion.requirement for criterion in rubric.criteria}
    assert asks["readability"] == "Is its readability good?"
    assert asks["polite"] == "polite"  # code says nothing of what it asks but its name
    assert asks["short"] == "is short"
    assert all(criterion.required for criterion in rubric.criteria)
    examples = (tmp_path / "calibration/results/examples.jsonl").read_text().splitlines()
    assert "hello 0" in {json.loads(line)["response"] for line in examples}
    judged = run("calibrate", "results", "--ratings", "results.json", cwd=tmp_path)
    assert "no example has a label" in judged.stderr


def test_labels_of_metrics_come_along(rated_results: dict[str, Any], tmp_path: Path) -> None:
    data = json.loads(json.dumps(rated_results))
    for row in data["results"]["results"]:
        row["metadata"] = row["testCase"]["metadata"] = {"expected_label": {"short": row["vars"]["word"] != "world"}}
    (tmp_path / "results.yaml").write_text(yaml.safe_dump(data))
    assert run("markscheme", "init", "--from", "results.yaml", cwd=tmp_path).returncode == 0
    done = run("calibrate", "results", "--ratings", "results.yaml", "--json", "-", cwd=tmp_path)
    criteria = json.loads(done.stdout)["criteria"]
    assert criteria["short"]["accuracy"]["value"] == 1.0
