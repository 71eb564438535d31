"""Promptfoo's results whose tests have assertions of their own, labelled by metric."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.features.label.labelled_project import Server

QUESTIONS = ("Where is my parcel?", "How do I log in?", "Which days are you open?", "Can I return shoes?")


def graded_output(index: int, question: str, *, passes: bool) -> dict[str, Any]:
    """Return a row of results that is graded by `polite`, and by an assertion that only its test has."""
    asserted = [
        {"type": "llm-rubric", "metric": "polite", "value": "Is polite"},
        {"type": "llm-rubric", "metric": f"answers-{index}", "value": f"Answers: {question}"},
    ]
    components = [
        {"pass": passes, "score": float(passes), "reason": "so", "assertion": assertion} for assertion in asserted
    ]
    grading = {"pass": passes, "score": float(passes), "reason": "so", "componentResults": components}
    return {
        "testIdx": index,
        "promptIdx": 0,
        "vars": {"query": question},
        "testCase": {"vars": {"query": question}, "assert": asserted},
        "response": {"output": f"reply {index}"},
        "success": passes,
        "score": float(passes),
        "gradingResult": grading,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write results of four tests, each with an assertion of its own, of which the last two fail."""
    rows = [graded_output(index, question, passes=index < 2) for index, question in enumerate(QUESTIONS)]
    data = {"evalId": "e", "results": {"results": rows, "prompts": []}}
    (tmp_path / "results.json").write_text(json.dumps(data))
    return tmp_path


def label_all(server: Server) -> None:
    """Answer yes to every question that the page asks."""
    data = server.get().data
    for step in data["steps"]:
        answers = {data["criteria"][index]: "1" for index in step["criteria"]}
        given = server.post("give", {"unit": step["unit"], "answers": answers})
        assert given.status == 200, given.text


def test_a_promptfoo_output_is_labelled_only_on_the_metrics_of_its_own_test(folder: Path) -> None:
    with Server(folder, rubric="results.json") as server:
        data = server.get().data
        asked = {step["query"]: [data["criteria"][index] for index in step["criteria"]] for step in data["steps"]}
        assert asked == {
            question: ["whole response", "polite", f"answers-{index}"] for index, question in enumerate(QUESTIONS)
        }
        label_all(server)
        assert all(step["answer"] for step in server.get().data["steps"])


def test_a_judge_is_compared_with_labels_on_promptfoo_tests_that_have_different_metrics(folder: Path) -> None:
    with Server(folder, rubric="results.json") as server:
        label_all(server)
        printed = server.end()
    assert "markscheme calibrate results --ratings results.json" in printed
    done = run("calibrate", "results", "--ratings", "results.json", "--json", "report.json", cwd=folder)
    assert "no level on" not in done.stdout
    report = json.loads((folder / "report.json").read_text())
    assert (report["agreement"]["n"], report["agreement"]["value"]) == (4, 0.5)


def test_annotators_are_asked_again_about_a_reworded_metric_and_may_answer_that_it_does_not_apply(folder: Path) -> None:
    with Server(folder, rubric="results.json") as server:
        label_all(server)
    rubric = folder / "rubrics" / "results.yaml"
    rubric.write_text(rubric.read_text().replace(f"Answers: {QUESTIONS[0]}", "Says where the parcel is"))
    with Server(folder, rubric="results.json") as server:
        data = server.get().data
        asked = {tuple(data["criteria"][index] for index in step["criteria"]) for step in data["steps"]}
        assert asked == {("whole response", "answers-0")}
        answers = {"whole response": "1", "answers-0": "x"}
        given = server.post("give", {"unit": data["steps"][0]["unit"], "answers": answers})
    assert given.status == 200, given.text


def test_an_offline_labelling_page_asks_about_every_metric_on_every_output(folder: Path) -> None:
    done = run("markscheme", "label", "results.json", "--rater", "ana", "--sheet", "ana.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    script = re.search(r'id="data">(.*)</script>', (folder / "ana.html").read_text())
    assert script
    data = json.loads(script[1])
    assert {len(step["criteria"]) for step in data["steps"]} == {6}
