"""Labels that came in by any way answer both questions: none needs to be given again as a decision."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from markscheme import calibrate
from tests.calibration.test_two_questions import write_table
from tests.commands.console import run
from tests.features.label.labelled_project import Server, make_pool
from tests.readers import exports

N = 4
RATINGS = "calibration/manners/ratings/ann.jsonl"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with a rubric, a pool, and ratings of a judge that gives every response the highest levels."""
    home = make_pool(tmp_path, N)
    rated = [
        {"id": f"model-x-{i}", "rater": "judge", "criteria": {"polite": {"level": 3}, "waffle": {"level": 0}}}
        for i in range(N)
    ]
    (home / "judge.jsonl").write_text("".join(json.dumps(line) + "\n" for line in rated))
    return home


def by_page(project: Path) -> None:
    """Label every response on the labelling page, criterion by criterion."""
    with Server(project, ("-o", "ask_whole=never")) as server:
        for step in server.get().data["steps"]:
            answers = {server.get().data["criteria"][place]: "1" for place in step["criteria"]}
            assert server.post("give", {"unit": step["unit"], "answers": answers}).status == 200


def by_sheet(project: Path) -> None:
    """Label every response on a sheet, and import the sheet's file."""
    asked = ("label", "manners", "--pool", "pool.jsonl", "--rater", "ann", "--sheet", "ann.html")
    assert run("markscheme", *asked, cwd=project).returncode == 0
    text = (project / "ann.html").read_text()
    head = json.loads(text.split('id="data">')[1].split("</script>")[0])["sheet"]["head"]
    rated = [
        {
            "id": unit,
            "rater": "ann",
            "kind": "human",
            "sample": 0,
            "at": "2026-11-02",
            "under": head["under"],
            "criteria": {name: {"level": 1, "under": head["criteria"][name]} for name in ("polite", "waffle")},
        }
        for unit, sample in head["steps"]
        if sample == 0
    ]
    (project / "saved.json").write_text(json.dumps({**head, "ratings": rated}))
    done = run("markscheme", "import", "saved.json", "--rubric", "manners", "--append", "--to", RATINGS, cwd=project)
    assert done.returncode == 0, done.stderr


def figures_of(report: dict[str, Any]) -> dict[str, Any]:
    """Return the number of decisions behind each of the gate's figures."""
    return {name: figure["n"] for name, figure in report["decision"]["gate"]["figures"].items()}


@pytest.mark.parametrize("label", [by_page, by_sheet])
def test_labels_on_all_criteria_count_as_a_decision_on_the_response_in_a_calibration(
    project: Path, label: Callable[[Path], None]
) -> None:
    label(project)
    labels = [json.loads(line) for line in (project / RATINGS).read_text().splitlines()]
    assert all(line.get("pass") is None for line in labels)
    done = run(
        "markscheme", "calibrate", "manners", "--ratings", "judge.jsonl", "--json", "-",
        "--quiet", cwd=project,
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert figures_of(report) == {"same_decision": N, "stops": N, "keeps": 0}
    assert report["agreement"]["n"] == N


def test_the_label_command_warns_that_labels_inside_a_pool_file_do_not_count_and_says_how_to_import_these(
    project: Path,
) -> None:
    pool = [json.loads(line) for line in (project / "pool.jsonl").read_text().splitlines()]
    label = {"rater": "eve", "kind": "human", "criteria": {"polite": 2, "waffle": 1}}
    lines = [{**line, "labels": [label] if place < 3 else []} for place, line in enumerate(pool)]
    (project / "labelled.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    sheet = ("markscheme", "label", "manners", "--pool", "labelled.jsonl", "--rater", "ann", "--sheet", "ann.html")
    said = run(*sheet, cwd=project).stderr
    assert said.startswith("3 labels by eve in labelled.jsonl stay in that file, where `markscheme calibrate manners`")
    command = said.strip().rpartition(": ")[2].split()
    assert run(*command, cwd=project).returncode == 0
    assert run(*sheet, cwd=project).stderr == ""
    done = run("markscheme", "calibrate", "manners", "--ratings", "judge.jsonl", "--json", "-", "--quiet", cwd=project)
    assert json.loads(done.stdout)["agreement"]["n"] == 3


def test_pass_and_fail_in_a_table_count_as_decisions_on_the_response(tmp_path: Path) -> None:
    table = write_table(tmp_path / "table.csv", [0.0] * 3 + [1.0] * 5, [0.0] * 4 + [1.0] * 4)
    assert figures_of(calibrate(table).to_json()) == {"same_decision": 8, "stops": 3, "keeps": 5}


@pytest.mark.parametrize("export", [exports.mlflow, exports.langfuse, exports.label_studio])
def test_pass_and_fail_in_another_tool_s_export_count_as_decisions_on_the_response(
    tmp_path: Path, export: Callable[[], Any]
) -> None:
    names = [path.name for path in exports.written(tmp_path, export())]
    done = run("markscheme", "calibrate", *names, "--json", "-", "--quiet", cwd=tmp_path)
    report = json.loads(done.stdout)
    metrics = [metric["calibration"] for metric in report["metrics"]] if "metrics" in report else [report]
    assert metrics
    for metric in metrics:
        assert figures_of(metric)["same_decision"] > 0
