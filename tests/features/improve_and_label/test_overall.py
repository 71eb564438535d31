"""`label --overall` also asks whether a response passes as a whole, and that decision counts."""

import json
from pathlib import Path

import pytest

from markscheme.features.label.work import WHOLE_RESPONSE
from tests.commands.console import run
from tests.features.label.labelled_project import RUBRIC, Server, make_pool, refused

WHOLE = WHOLE_RESPONSE.name


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A rubric and a pool of 4."""
    return make_pool(tmp_path, 4)


def label_all(server: Server, passes: str = "1") -> None:
    """Answer every question that is open, the same each time."""
    for step in server.get().data["steps"]:
        names = [server.get().data["criteria"][number] for number in step["criteria"]]
        answers = {name: passes if name == WHOLE else "1" for name in names}
        assert server.post("give", {"unit": step["unit"], "answers": answers}).status == 200


def test_the_whole_is_asked_last_and_its_answer_is_the_decision(project: Path) -> None:
    with Server(project, ("--overall",)) as server:
        page = server.get()
        assert page.data["criteria"] == ["polite", "waffle", WHOLE]
        assert WHOLE_RESPONSE.requirement in page.text
        assert page.data["steps"][0]["criteria"] == [0, 1, 2]
        label_all(server, passes="0")
        assert [line["pass"] for line in server.lines if line["sample"] == 0] == [False] * 4
        assert all(WHOLE not in line["criteria"] for line in server.lines)
    done = run("markscheme", "improve", "manners", "--json", cwd=project)
    evidence = json.loads(done.stdout)["evidence"]
    assert (evidence["passes"], evidence["fails"]) == (0, 4)


def test_the_whole_needs_an_answer_and_only_pass_or_fail(project: Path) -> None:
    with Server(project, ("--overall",)) as server:
        unit = server.get().open
        for whole in (None, "t", "2"):
            answers = {"polite": "1", "waffle": "0"} | ({} if whole is None else {WHOLE: whole})
            assert server.post("give", {"unit": unit, "answers": answers}).status == 422


def test_who_labelled_the_criteria_before_is_asked_for_the_whole_alone(project: Path) -> None:
    with Server(project) as server:
        for _ in range(4):
            server.label()
    with Server(project, ("--overall",)) as server:
        steps = server.get().data["steps"]
        assert [step["criteria"] for step in steps if step["answer"] is None] == [[2]] * 4
        label_all(server)
        assert server.get().data["steps"][0]["answer"]["answers"] == {WHOLE: "1"}
    with Server(project, ("--overall",)) as server:
        assert all(step["answer"] is not None for step in server.get().data["steps"])
        server.post("undo", {"unit": server.get().data["steps"][0]["unit"]})
        assert server.get().data["steps"][0]["answer"] is None
    ratings = [json.loads(line) for line in server.file.read_text().splitlines()]
    assert sum(line.get("pass") is True for line in ratings) == 4


def test_a_rubric_with_a_criterion_of_that_name_is_refused(project: Path) -> None:
    (project / "rubrics" / "manners.yaml").write_text(RUBRIC.replace("name: waffle", f"name: {WHOLE}"))
    status, message = refused(project, "--overall", "--pool", "pool.jsonl")
    assert status == 2
    assert "has a criterion of that name: rename it" in message


def test_a_sheet_says_whether_it_asks_for_the_whole(project: Path) -> None:
    for more in ((), ("--overall",)):
        done = run(
            "markscheme", "label", "manners", "--pool", "pool.jsonl", "--rater", "ann", "--sheet", "ann.html", *more,
            cwd=project,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        text = (project / "ann.html").read_text()
        data = json.loads(text.split('id="data">')[1].split("</script>")[0])
        head = data["sheet"]["head"]
        assert head["overall"] is bool(more)
        unit = head["steps"][0][0]
        assert head["asks"][unit] == ["polite", "waffle"]
        saved = {
            "id": unit, "rater": "ann", "kind": "human", "sample": 0, "at": "2026-11-02", "under": head["under"],
            "criteria": {"waffle": {"level": 0, "under": head["criteria"]["waffle"]}}, "pass": True,
        }  # fmt: skip
        (project / "saved.json").write_text(json.dumps({**head, "ratings": [saved]}))
        to = "calibration/manners/ratings/ann.jsonl"
        done = run("markscheme", "import", "saved.json", "--rubric", "manners", "--append", "--to", to, cwd=project)
        assert done.returncode == (0 if more else 2), done.stderr
        assert more or "the sheet doesn't ask for pass" in done.stderr
    assert json.loads((project / "calibration/manners/ratings/ann.jsonl").read_text())["pass"] is True
