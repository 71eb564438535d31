"""The page first asks whether the whole response is accepted, until an annotator has decided often enough."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.label import next_steps, whole_question
from markscheme.features.label.disputes import shown_word
from markscheme.features.label.label_session import LabelSession, ResponseAnswers
from markscheme.features.label.next_steps import onward_steps
from markscheme.features.label.setup import open_work
from markscheme.features.label.whole_question import ENOUGH, ENOUGH_FOR_MANY, WHOLE_RESPONSE, WHOLE_UNDER, AskWhole
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Criterion
from tests.commands.console import run
from tests.features.label.labelled_project import RUBRIC, Server, make_pool, refused

WHOLE = WHOLE_RESPONSE.name
ALWAYS = ("-o", "ask_whole=always")
NEVER = ("-o", "ask_whole=never")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with a rubric and a pool of 4 responses."""
    return make_pool(tmp_path, 4)


def label_all(server: Server, whole: str = "1") -> None:
    """Answer every open question with the same answer."""
    for step in server.get().data["steps"]:
        names = [server.get().data["criteria"][number] for number in step["criteria"]]
        answers = {name: whole if name == WHOLE else "1" for name in names}
        assert server.post("give", {"unit": step["unit"], "answers": answers}).status == 200


def opened(project: Path, ask_whole: AskWhole = "until-enough") -> LabelSession:
    """Open ann's labelling work without a server."""
    return open_work("manners", project, rater="ann", pool=project / "pool.jsonl", ask_whole=ask_whole)


def answer(work: LabelSession, count: int, answers: Mapping[str, str]) -> None:
    """Give the same answers to the next steps of a rater's work."""
    for step in [step for step in work.steps if not work.is_done(step)][:count]:
        work.give(step, ResponseAnswers(answers))


def labels_of(work: LabelSession) -> list[Rating]:
    """Return the labels in the rater's file."""
    return list(load_ratings(work.file.path, work.rubric, kind="human"))


def test_the_question_about_the_whole_response_comes_first_and_its_answer_is_the_decision(project: Path) -> None:
    with Server(project) as server:
        page = server.get()
        assert page.data["criteria"] == [WHOLE, "polite", "waffle"]
        assert WHOLE_RESPONSE.requirement in page.text
        assert page.data["steps"][0]["criteria"] == [0, 1, 2]
        label_all(server, whole="0")
        firsts = [line for line in server.lines if line["sample"] == 0]
        assert [(line["pass"], line["whole_under"]) for line in firsts] == [(False, WHOLE_UNDER)] * 4
        assert all(WHOLE not in line["criteria"] for line in server.lines)


def test_a_response_shown_again_to_measure_consistency_comes_without_the_question_about_the_whole_response(
    tmp_path: Path,
) -> None:
    work = opened(make_pool(tmp_path, 20))
    again = [step for step in work.steps if step.sample == 1]
    assert again
    assert all(step not in work.whole_steps for step in again)
    work.file.close()


def test_an_answer_without_the_requested_decision_on_the_whole_response_is_refused(project: Path) -> None:
    with Server(project) as server:
        unit = server.get().open
        for whole in (None, "x", "2"):
            answers = {"polite": "1", "waffle": "0"} | ({} if whole is None else {WHOLE: whole})
            assert server.post("give", {"unit": unit, "answers": answers}).status == 422


def test_the_answer_can_t_tell_about_the_whole_response_is_accepted_and_records_no_decision(project: Path) -> None:
    work = opened(project)
    answer(work, 1, {WHOLE: "t", "polite": "1", "waffle": "0"})
    (label,) = labels_of(work)
    assert (label.passed, label.whole_under) == (None, WHOLE_UNDER)
    (done,) = [step for step in work.steps if work.is_done(step)]
    answered = work.answered(done)
    assert answered is not None
    assert answered.answers[WHOLE] == "t"
    work.give(done, ResponseAnswers({WHOLE: "1", "polite": "1", "waffle": "0"}))
    assert labels_of(work)[0].passed is True
    work.give(done, ResponseAnswers({WHOLE: "t", "polite": "1", "waffle": "0"}))
    assert labels_of(work)[0].passed is None
    work.file.close()


def test_an_annotator_who_gave_enough_decisions_on_whole_responses_is_then_asked_about_criteria_only(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_question, "ENOUGH", 3)
    work = opened(project)
    assert len(work.whole_steps) == 3
    answer(work, 2, {WHOLE: "1", "polite": "1", "waffle": "0"})
    answer(work, 1, {WHOLE: "t", "polite": "1", "waffle": "0"})
    work.file.close()
    later = opened(project)
    first_looks = [step for step in later.steps if step.sample == 0]
    assert later.whole_steps == frozenset(first_looks)  # two decided, one couldn't tell, and one is left to ask
    answer(later, 1, {WHOLE: "0", "polite": "1", "waffle": "0"})
    later.file.close()
    (project / "pool.jsonl").write_text(json.dumps({"id": "one-more", "query": "?", "response": "hm"}) + "\n")
    enough = opened(project)
    assert [step.id for step in enough.steps] == ["one-more"]
    assert not enough.whole_steps
    enough.file.close()
    second = open_work("manners", project, rater="ben", pool=project / "pool.jsonl")
    assert second.whole_steps  # another annotator's decisions don't count
    second.file.close()


def test_annotators_are_asked_for_120_decisions_on_whole_responses_or_for_160_if_criteria_are_many() -> None:
    assert (ENOUGH, ENOUGH_FOR_MANY) == (120, 160)


@pytest.mark.proof
def test_annotators_with_earlier_labels_on_criteria_are_asked_about_whole_responses_only_on_request(
    project: Path,
) -> None:
    with Server(project, NEVER) as server:
        assert server.get().data["criteria"] == ["polite", "waffle"]
        for _ in range(4):
            server.label()
    with Server(project) as server:
        assert server.get().data["criteria"] == ["polite", "waffle"]
    with Server(project, ALWAYS) as server:
        steps = server.get().data["steps"]
        assert [step["criteria"] for step in steps if step["answer"] is None] == [[0]] * 4
        label_all(server)
        assert server.get().data["steps"][0]["answer"]["answers"] == {WHOLE: "1"}
    with Server(project) as server:
        assert all(step["answer"] is not None for step in server.get().data["steps"])
        server.post("undo", {"unit": server.get().data["steps"][0]["unit"]})
        assert server.get().data["steps"][0]["answer"] is None
    ratings = [json.loads(line) for line in server.file.read_text().splitlines()]
    assert sum(line.get("pass") is True for line in ratings) == 4


def test_an_annotator_is_not_asked_again_about_a_whole_response_that_they_passed_or_failed_before(
    project: Path,
) -> None:
    home = project / "calibration" / "manners"
    (home / "ratings").mkdir(parents=True)
    pool = [json.loads(line) for line in (project / "pool.jsonl").read_text().splitlines()]
    (home / "examples.jsonl").write_text(json.dumps({**pool[0], "labels": []}) + "\n")
    good = {"id": pool[0]["id"], "rater": "ann", "kind": "human", "sample": 0, "criteria": {}, "pass": True}
    (home / "ratings" / "ann.jsonl").write_text(json.dumps(good) + "\n")
    work = opened(project)
    by_id = {step.id: [q.criterion.name for q in work.questions_at(step)] for step in work.steps if step.sample == 0}
    assert by_id[pool[0]["id"]] == ["polite", "waffle"]
    assert by_id[pool[1]["id"]] == [WHOLE, "polite", "waffle"]
    work.file.close()


def test_annotators_are_not_asked_about_the_whole_response_if_a_criterion_has_the_name_of_that_question(
    project: Path,
) -> None:
    (project / "rubrics" / "manners.yaml").write_text(RUBRIC.replace("name: waffle", f"name: {WHOLE}"))
    work = opened(project)
    assert not work.whole_steps
    work.file.close()
    status, message = refused(project, *ALWAYS, "--pool", "pool.jsonl")
    assert status == 2
    assert "has a criterion that is named whole response, as the question is: rename it" in message


def test_a_criterion_called_whole_does_not_replace_the_question_about_the_whole_response(
    project: Path,
) -> None:
    (project / "rubrics" / "manners.yaml").write_text(RUBRIC.replace("name: waffle", "name: whole"))
    work = opened(project)
    names = [question.criterion.name for question in work.questions_at(work.steps[0])]
    assert names == ["whole response", "polite", "whole"]
    work.file.close()


def test_an_adjudicator_sees_the_levels_0_and_1_of_a_yes_no_criterion_as_no_and_yes() -> None:
    polite = Criterion(1.0, "The reply is polite.", "polite")
    assert [shown_word(word, polite) for word in (0.0, 1.0)] == ["no", "yes"]


def saved_on(project: Path, *options: str, **changes: Any) -> tuple[dict[str, Any], int, str]:
    """Write a sheet and import one answer to it; return the sheet's head, the exit status and the message."""
    asked = ("label", "manners", "--pool", "pool.jsonl", "--rater", "ann", "--sheet", "ann.html", *options)
    assert run("markscheme", *asked, cwd=project).returncode == 0
    text = (project / "ann.html").read_text()
    head = json.loads(text.split('id="data">')[1].split("</script>")[0])["sheet"]["head"]
    saved = {
        "id": head["steps"][0][0], "rater": "ann", "kind": "human", "sample": 0, "at": "2026-11-02",
        "under": head["under"], "criteria": {"waffle": {"level": 0, "under": head["criteria"]["waffle"]}}, **changes,
    }  # fmt: skip
    (project / "saved.json").write_text(json.dumps({**head, "ratings": [saved]}))
    to = "calibration/manners/ratings/ann.jsonl"
    done = run("markscheme", "import", "saved.json", "--rubric", "manners", "--append", "--to", to, cwd=project)
    return head, done.returncode, done.stderr


def test_answers_about_whole_responses_that_an_offline_page_did_not_ask_for_are_refused(project: Path) -> None:
    head, status, message = saved_on(project, *NEVER, **{"pass": True, "whole_under": WHOLE_UNDER})
    assert head["whole"] == []
    assert (status, "the sheet doesn't ask for pass" in message) == (2, True)
    head, status, message = saved_on(project, **{"pass": True, "whole_under": "another"})
    assert sorted(head["whole"]) == [f"model-x-{place}" for place in range(4)]
    assert head["whole_under"] == WHOLE_UNDER
    assert {tuple(names) for names in head["asks"].values()} == {("polite", "waffle")}
    assert (status, "under another question than the sheet's" in message) == (2, True)
    _, status, message = saved_on(project, **{"pass": True, "whole_under": WHOLE_UNDER})
    assert status == 0, message
    assert json.loads((project / "calibration/manners/ratings/ann.jsonl").read_text())["pass"] is True


def label_whole(work: LabelSession, *, passes: int) -> None:
    """Label all responses of a session alike by criterion, and decide that the first `passes` responses pass."""
    for index, step in enumerate(work.steps):
        whole = {WHOLE: "1" if index < passes else "0"} if step in work.whole_steps else {}
        work.give(step, ResponseAnswers({**whole, "polite": "1", "waffle": "0"}))


@pytest.mark.parametrize("is_quoted", [False, True], ids=["no response quoted", "one response quoted"])
def test_the_label_command_does_not_count_responses_quoted_in_the_rubric_before_it_suggests_improve(
    project: Path, monkeypatch: pytest.MonkeyPatch, *, is_quoted: bool
) -> None:
    monkeypatch.setattr(next_steps, "LEAST_DECIDED", 4)
    monkeypatch.setattr(next_steps, "FEWEST_OF_EACH_DECISION", 2)
    rows = [{"id": f"r{n}", "query": f"Q{n}", "response": f"Reply number {n} is a rather long one."} for n in range(4)]
    (project / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    if is_quoted:
        file = project / "rubrics" / "manners.yaml"
        file.write_text(f"guidelines: 'Not like this: {rows[2]['response']}'\n{file.read_text()}")
    work = opened(project)
    label_whole(work, passes=2)
    commands = [command for _, command in onward_steps(work)]
    work.file.close()
    assert ("markscheme improve manners" in commands) is not is_quoted


@pytest.mark.parametrize(("passes", "is_advised"), [(3, False), (2, True), (1, False)])
def test_the_label_command_advises_to_run_improve_only_if_there_are_enough_passes_and_enough_fails(
    project: Path, monkeypatch: pytest.MonkeyPatch, passes: int, *, is_advised: bool
) -> None:
    monkeypatch.setattr(next_steps, "LEAST_DECIDED", 4)
    monkeypatch.setattr(next_steps, "FEWEST_OF_EACH_DECISION", 2)
    rows = [{"id": f"r{n}", "query": f"Q{n}", "response": f"Reply number {n} is a rather long one."} for n in range(4)]
    (project / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    work = opened(project)
    label_whole(work, passes=passes)
    commands = [command for _, command in onward_steps(work)]
    work.file.close()
    assert ("markscheme improve manners" in commands) is is_advised
