"""Results of the real Promptfoo go on: as JSON, lines and YAML, with labels by metric, and without any label."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from markscheme.promptfoo.results import read_results
from tests.commands.console import run
from tests.real.promptfoo import run_eval

CONFIG = """
prompts: ["{{reply}}"]
providers: ["file://provider.js"]
defaultTest:
  options: {provider: "file://grader.js"}
  assert:
    - {type: llm-rubric, metric: place, value: "Says where the parcel is, by the town's own name"}
    - {type: llm-rubric, value: "Is polite, thanks the customer, and ends with an offer to help with anything else"}
    - {type: llm-rubric, value: "Is polite, thanks the customer, and ends with an offer to call back at once"}
tests: file://tests.json
"""
FILES = {
    "provider.js": """
module.exports = class {
  id() { return 'objects'; }
  async callApi(prompt) { return { output: prompt.includes('object') ? { answer: prompt, steps: [1, 2] } : prompt }; }
};
""",
    "grader.js": """
module.exports = class {
  id() { return 'grader'; }
  async callApi(prompt, context) {
    const text = JSON.stringify(context.vars.output);
    const polite = context.vars.rubric.includes('polite');
    const pass = polite ? text.includes('thank') : text.includes('Leeds');
    return { output: JSON.stringify({ pass, score: Number(pass), reason: pass ? 'found' : 'missing' }) };
  }
};
""",
}
REPLIES = ("In Leeds, thank you", "In Leeds", "thank you", "later", "object in Leeds", "object, thank you")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which Promptfoo ran once, with results in three forms."""
    return ran(tmp_path_factory.mktemp("onward"))


def ran(made: Path) -> Path:
    """Run Promptfoo in a folder, and leave its results there in three forms."""
    for name, text in FILES.items():
        (made / name).write_text(text, encoding="utf-8")
    tests = [{"vars": {"reply": reply, "n": at}} for at, reply in enumerate(REPLIES)]
    (made / "tests.json").write_text(json.dumps(tests), encoding="utf-8")
    (made / "promptfooconfig.yaml").write_text(CONFIG, encoding="utf-8")
    done = run_eval(made / "promptfooconfig.yaml", cwd=made, args=("results.yaml", "results.jsonl", "--repeat", "2"))
    assert done.exit_code == 100, done.stdout + done.stderr
    (made / "results.json").write_text(json.dumps(done.results), encoding="utf-8")
    return made


def rows_of(path: Path) -> list[Any]:
    """What a file says of each output."""
    return [
        (row.id, row.response, row.passed, row.score, row.sample, [(v.metric, v.passed, v.text) for v in row.verdicts])
        for row in read_results(path).rows
    ]


def test_promptfoo_s_results_as_yaml_and_as_json_lines_are_read_like_json(folder: Path) -> None:
    as_json = rows_of(folder / "results.json")
    assert len(as_json) == 2 * len(REPLIES)
    assert rows_of(folder / "results.yaml") == as_json
    assert rows_of(folder / "results.jsonl") == as_json
    said = {form: run("calibrate", f"results.{form}", cwd=folder) for form in ("json", "yaml")}
    assert said["yaml"].returncode == said["json"].returncode == 2
    assert said["yaml"].stderr.replace("results.yaml", "results.json") == said["json"].stderr


def test_an_output_that_is_an_object_is_read_as_its_json_text(folder: Path) -> None:
    responses = {row.response for row in read_results(folder / "results.yaml").rows}
    assert json.dumps({"answer": "object in Leeds", "steps": [1, 2]}) in {
        json.dumps(json.loads(response)) for response in responses if response.startswith("{")
    }


def test_promptfoo_metrics_named_by_texts_with_the_same_beginning_get_different_names(
    folder: Path,
) -> None:
    names = list(read_results(folder / "results.json").metrics)
    assert len(names) == len(set(names)) == 3
    assert names[0] == "place"
    assert not any(name.endswith("'") for name in names)


def labelled(folder: Path, place: Path, labels: dict[int, Any]) -> Path:
    """The results as a run of tests with these expected labels wrote them."""
    data = json.loads((folder / "results.json").read_text())
    for row in data["results"]["results"]:
        label = labels.get(row["vars"]["n"])
        if label is not None:
            row["testCase"]["metadata"] = row["metadata"] = {"expected_label": label}
    place.write_text(json.dumps(data), encoding="utf-8")
    return place


BY_METRIC = {at: {"place": "pass" if "Leeds" in reply else "fail", "LLM-rubric": at % 2 == 0} for at, reply in
             enumerate(REPLIES)}  # fmt: skip


def test_each_metric_in_promptfoo_s_results_is_compared_with_the_labels_that_test_cases_give_for_it(
    folder: Path, tmp_path: Path
) -> None:
    labelled(folder, tmp_path / "labelled.json", BY_METRIC)
    done = run("calibrate", "labelled.json", "--json", "-", cwd=tmp_path)
    report = json.loads(done.stdout)
    found = {metric["metric"]: metric["calibration"]["agreement"] for metric in report["metrics"]}
    thanked = [("thank" in reply) == (at % 2 == 0) for at, reply in enumerate(REPLIES)]
    assert found["place"]["value"] == 1.0
    assert found["llm-rubric"]["value"] == pytest.approx(sum(thanked) / len(REPLIES))
    assert {figure["n"] for figure in found.values()} == {len(REPLIES)}
    assert done.returncode == 4


def test_calibrate_s_judge_option_selects_one_metric_of_promptfoo_s_results(folder: Path, tmp_path: Path) -> None:
    labelled(folder, tmp_path / "labelled.json", BY_METRIC)
    done = run("calibrate", "labelled.json", "--judge", "PLACE", "--json", "-", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert (report["agreement"]["value"], list(report["criteria"])) == (1.0, ["place"])
    refused = run("calibrate", "labelled.json", "--judge", "plaace", cwd=tmp_path)
    assert refused.returncode == 2
    assert "no graded metric is named 'plaace'; did you mean `place`?" in refused.stderr


def test_an_expected_label_of_the_whole_output_is_not_used_for_one_of_several_metrics(
    folder: Path, tmp_path: Path
) -> None:
    labelled(folder, tmp_path / "labelled.json", dict.fromkeys(range(len(REPLIES)), "pass"))
    refused = run("calibrate", "labelled.json", "--judge", "place", cwd=tmp_path)
    assert refused.returncode == 2
    assert "no label is of 'place' alone" in refused.stderr


def test_a_promptfoo_test_s_expected_label_for_an_unknown_metric_or_with_an_unknown_value_is_reported(
    folder: Path, tmp_path: Path
) -> None:
    labelled(folder, tmp_path / "labelled.json", {0: {"place": "perhaps", "tone": "pass"}, 1: '{"place": "fail"}'})
    done = run("calibrate", "labelled.json", cwd=tmp_path)
    assert "metadata.expected_label 'perhaps', which is neither pass nor fail" in done.stderr
    assert "metadata.expected_label for 'tone', which isn't a graded metric of the test" in done.stderr
    assert "1 judged metric" in done.stdout  # the label in JSON text, as a CSV has it


def commands_in(text: str) -> Iterator[list[str]]:
    """The commands that a refusal lists, each as words."""
    for line in text.splitlines():
        if line.startswith("  markscheme "):
            yield shlex.split(line.strip().partition("  ")[0])


def test_the_commands_printed_for_promptfoo_s_results_without_labels_lead_to_a_first_verdict(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "results.json").write_bytes((folder / "results.json").read_bytes())
    refused = run("calibrate", "results.json", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"{len(REPLIES)} outputs, graded by place" in refused.stderr
    commands = list(commands_in(refused.stderr))
    assert [command[1] for command in commands] == ["label", "calibrate", "discover", "pass-rate", "pass-rate"]
    label, calibrate, discover, pass_rate, gate = commands
    paged = run(*label, "--sheet", "page.html", "--rater", "ann", cwd=tmp_path)
    assert paged.returncode == 0, paged.stderr
    page = (tmp_path / "page.html").read_text()
    assert "Says where the parcel is" in page
    assert "call back at once" in page
    rubric = yaml.safe_load((tmp_path / "rubrics" / "results.yaml").read_text())
    names = [criterion["name"] for criterion in rubric["criteria"]]
    ids = [
        json.loads(line)["id"] for line in (tmp_path / "calibration/results/examples.jsonl").read_text().splitlines()
    ]
    answers = [
        {"id": unit, "rater": "ann", "kind": "human", "criteria": {name: {"level": float(at % 2)} for name in names}}
        for at, unit in enumerate(ids)
    ]
    ratings = tmp_path / "calibration/results/ratings/ann.jsonl"
    ratings.parent.mkdir(exist_ok=True)
    ratings.write_text("".join(f"{json.dumps(answer)}\n" for answer in answers))
    with_labels = run("calibrate", "results.json", cwd=tmp_path)
    assert f"calibration/results has labels of {len(REPLIES)} outputs. Compare place, " in with_labels.stderr
    assert list(commands_in(with_labels.stderr)) == [calibrate, label, discover, pass_rate, gate]
    verdict = run(*calibrate, cwd=tmp_path)
    assert verdict.returncode in (1, 4), verdict.stderr
    report = json.loads((tmp_path / "verdict.json").read_text())
    assert (list(report["criteria"]), report["agreement"]["n"]) == (names, len(REPLIES))
    corrected = run(*pass_rate, cwd=tmp_path)
    assert corrected.returncode == 4, corrected.stderr  # so few labels show no rate, and it says how many would
    assert f"corrected by {len(REPLIES)} labels" in corrected.stdout
    assert f"{len(REPLIES)} labels, {10 - len(REPLIES)} more would show it" in corrected.stdout
    assert run(*gate, cwd=tmp_path).returncode in (0, 1, 4)
    assert run(*discover, "--sheet", "read.html", "--rater", "ann", cwd=tmp_path).returncode == 0
