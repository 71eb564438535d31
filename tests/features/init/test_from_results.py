"""`init --from RESULTS`: a rubric of the metrics of Promptfoo's results, with their outputs and labels."""

import json
from pathlib import Path
from typing import Any

import yaml

from markscheme.rubrics.file import load_rubric
from tests.commands.console import run


def test_init_from_promptfoo_s_results_turns_metrics_into_criteria_and_outputs_into_examples(
    rated_results: dict[str, Any], tmp_path: Path
) -> None:
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


def test_the_commands_that_init_prints_for_a_project_in_another_folder_name_the_results_by_relative_path(
    rated_results: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "results.json").write_text(json.dumps(rated_results))
    done = run("markscheme", "init", "new", "--from", "results.json", cwd=tmp_path)
    assert "`cd new && markscheme calibrate results --ratings ../results.json`" in done.stdout
    assert "then label the outputs: `cd new && markscheme label results`" in done.stdout
    lines = (tmp_path / "new/calibration/results/examples.jsonl").read_text().splitlines()
    examples = [json.loads(line) for line in lines]
    criteria = {"readability": "MET", "correctness": "MET", "polite": "MET", "short": "MET"}
    labels = [{"id": example["id"], "rater": "ann", "kind": "human", "criteria": criteria} for example in examples]
    (tmp_path / "new/calibration/results/ratings").mkdir()
    (tmp_path / "new/calibration/results/ratings/ann.jsonl").write_text("\n".join(map(json.dumps, labels)))
    judged = run("markscheme", "calibrate", "results", "--ratings", "../results.json", cwd=tmp_path / "new")
    assert judged.returncode in (1, 4, 5), judged.stderr  # the run has outputs that were never graded


def test_a_variable_that_an_imported_assertion_names_becomes_an_input_that_the_judge_is_shown(
    rated_results: dict[str, Any], tmp_path: Path
) -> None:
    text = json.dumps(rated_results).replace('"is short"', '"The answer to {{word}} is short"')
    assert "{{word}}" in text
    (tmp_path / "results.json").write_text(text)
    assert run("markscheme", "init", "--from", "results.json", cwd=tmp_path).returncode == 0
    rubric = load_rubric(tmp_path / "rubrics" / "results.yaml")
    asks = {criterion.requirement for criterion in rubric.criteria}
    assert (rubric.optional_inputs, "The answer to <word> is short" in asks) == (("word",), True)
    shown = run("markscheme", "grade", "results", "--show-prompt", cwd=tmp_path).stdout
    assert "<word-" in json.loads(shown.splitlines()[0])["user"]


def test_a_promptfoo_variable_named_labels_is_read_as_an_input_and_not_as_labels(
    rated_results: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "results.json").write_text(json.dumps(rated_results).replace('"word"', '"labels"'))
    done = run("markscheme", "init", "--from", "results.json", cwd=tmp_path)
    (line, *_) = (tmp_path / "calibration/results/examples.jsonl").read_text().splitlines()
    assert "labels" in json.loads(line)["inputs"]
    assert "then label the outputs: `markscheme label results`" in done.stdout


def test_init_from_promptfoo_s_results_keeps_the_expected_labels_of_metrics_as_labels_on_criteria(
    rated_results: dict[str, Any], tmp_path: Path
) -> None:
    data = json.loads(json.dumps(rated_results))
    for row in data["results"]["results"]:
        row["metadata"] = row["testCase"]["metadata"] = {"expected_label": {"short": row["vars"]["word"] != "world"}}
    (tmp_path / "results.yaml").write_text(yaml.safe_dump(data))
    assert run("markscheme", "init", "--from", "results.yaml", cwd=tmp_path).returncode == 0
    done = run("calibrate", "results", "--ratings", "results.yaml", "--json", "-", cwd=tmp_path)
    criteria = json.loads(done.stdout)["criteria"]
    assert criteria["short"]["accuracy"]["value"] == 1.0


def test_a_negated_assertion_becomes_a_fault_that_is_present_where_the_judge_answered_met(
    tmp_path: Path,
) -> None:
    polite = {"type": "llm-rubric", "metric": "polite", "value": "Is polite"}
    promises = {"type": "not-llm-rubric", "metric": "promises", "value": "Promises a refund date"}
    rows = []
    for index in range(4):
        found = index % 2 == 0
        components = [
            {"assertion": polite, "pass": True, "score": 1, "reason": "MET"},
            {"assertion": promises, "pass": not found, "score": int(not found), "reason": "MET" if found else "UNMET"},
        ]
        grading = {"pass": not found, "score": 1 - found / 2, "reason": "", "componentResults": components}
        test = {"vars": {"reply": f"reply {index}"}, "metadata": {"expected_label": {"promises": not found}}}
        row = {"testIdx": index, "promptIdx": 0, "success": not found, "score": 1 - found / 2, "vars": test["vars"]}
        rows.append({**row, "response": {"output": f"reply {index}"}, "gradingResult": grading, "testCase": test})
    (tmp_path / "results.json").write_text(json.dumps({"results": {"prompts": [], "results": rows}}))
    assert run("markscheme", "init", "--from", "results.json", cwd=tmp_path).returncode == 0
    weights = {c.name: c.weight for c in load_rubric(tmp_path / "rubrics/results.yaml").criteria}
    assert weights == {"polite": 1.0, "promises": -1.0}
    (labels,) = (tmp_path / "calibration/results/ratings").glob("*.jsonl")
    levels = [json.loads(line)["criteria"]["promises"]["level"] for line in labels.read_text().splitlines()]
    assert levels == [1.0, 0.0, 1.0, 0.0]
    done = run("calibrate", "results", "--ratings", "results.json", "--json", "-", cwd=tmp_path)
    report = json.loads(done.stdout)["criteria"]["promises"]
    assert report["accuracy"]["value"] == 1.0


def test_points_of_an_imported_assertion_become_one_requirement_joined_by_semicolons_and_not_json(
    tmp_path: Path,
) -> None:
    asked = {"type": "g-eval", "metric": "helps", "value": ["Names a date", "Says sorry"]}
    rows = [
        {
            "testIdx": index,
            "promptIdx": 0,
            "success": True,
            "score": 1,
            "vars": {"reply": f"reply {index}"},
            "response": {"output": f"reply {index}"},
            "gradingResult": {
                "pass": True,
                "score": 1,
                "reason": "",
                "componentResults": [{"assertion": asked, "pass": True, "score": 1, "reason": "good"}],
            },
        }
        for index in range(4)
    ]
    (tmp_path / "results.json").write_text(json.dumps({"results": {"prompts": [], "results": rows}}))
    assert run("markscheme", "init", "--from", "results.json", cwd=tmp_path).returncode == 0
    (criterion,) = load_rubric(tmp_path / "rubrics/results.yaml").criteria
    assert criterion.requirement == "Names a date; Says sorry"
