"""The labelling page as a process of its own, used over HTTP."""

import json
import re
import resource
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from markscheme import load_rubric
from markscheme.ratings.examples import load_examples
from tests.commands.console import run
from tests.features.label.labelled_project import Server, fetch, make_pool, refused


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with a rubric and a pool of 20 responses."""
    return make_pool(tmp_path)


def test_the_labelling_page_s_server_writes_a_blind_rating_to_disk_before_it_replies(
    project: Path,
) -> None:
    with Server(project) as server:
        reply = server.label(polite="2", waffle="t", note="reads cold")
        (line,) = server.lines
    rubric = load_rubric(project / "rubrics" / "manners.yaml")
    assert line["id"] == f"model-x-{reply}"
    assert (line["rater"], line["kind"], line["sample"], line["blind"]) == ("ann", "human", 0, True)
    assert line["criteria"]["polite"]["level"] == 3.0
    assert line["criteria"]["waffle"] == {"abstained": "", "under": rubric.criterion("waffle").wording}
    assert line["note"] == "reads cold"


def test_a_new_annotator_gets_instructions_and_can_label_yes_no_criteria(project: Path) -> None:
    with Server(project) as server:
        first = server.get().text
        assert "answer each question next to it as it is worded" in first
        assert server.get().data["order"] == []
        assert "One response comes back later" in " ".join(first.split())
        assert re.findall(r'data-key="(\w)" data-name="(Yes|No)"', first) == [("y", "Yes"), ("n", "No")] * 2
        assert "yes means that it is there" in first
        server.label()
        assert server.get().data["order"] == [0]


def test_a_labelled_response_is_added_to_the_examples_that_calibrate_reads(project: Path) -> None:
    with Server(project) as server:
        reply = server.label(polite="x")
    home = project / "calibration" / "manners"
    examples = load_examples(
        home / "examples.jsonl", load_rubric(project / "rubrics" / "manners.yaml"), ratings=home / "ratings"
    )
    (example,) = examples.examples
    assert (example.id, example.system) == (f"model-x-{reply}", "model-x")
    (label,) = example.labels
    assert label.criteria["polite"].declined == "not applicable"
    assert examples.stale == 0


@pytest.mark.proof
def test_a_labelling_server_killed_between_two_labels_loses_no_label_and_repeats_no_question(project: Path) -> None:
    seen: list[int] = []
    while len(seen) < 21:
        with Server(project) as server:
            assert server.announced["given"] == len(seen)
            seen += [server.label() for _ in range(min(4, 21 - len(seen)))]
            server.kill()
    with Server(project) as server:
        assert all(step["answer"] for step in server.get().data["steps"])
        assert [line["id"] for line in server.lines] == [f"model-x-{reply}" for reply in seen]
    (twice,) = [reply for reply, count in Counter(seen).items() if count == 2]
    assert server.lines[-1]["sample"] == 1
    assert seen.index(twice) <= 9


@pytest.mark.parametrize("place", ["", "ratings", "ratings/ann.jsonl", "ratings/ann.jsonl.damaged"])
def test_a_folder_that_cannot_be_written_while_labelling_is_reported_and_not_called_a_bug(
    project: Path, place: str
) -> None:
    ratings = project / "calibration" / "manners" / "ratings"
    blocked = ratings.parent / place
    blocked.parent.mkdir(parents=True)
    if place in ("", "ratings"):
        blocked.write_text("a file where the folder belongs")
    else:
        blocked.mkdir()
    if place.endswith(".damaged"):
        (ratings / "ann.jsonl").write_text('{"half')
    done = run("markscheme", "label", "manners", "--rater", "ann", "--pool", "pool.jsonl", cwd=project)
    assert (done.returncode, "cannot be written" in done.stderr) == (2, True), done.stderr
    if place.endswith(".damaged"):
        assert (ratings / "ann.jsonl").read_text() == '{"half'


@pytest.mark.parametrize("line", ['{"id": "x", "rat', '{"id": "x", "kind": "nobody"}', "17"])
@pytest.mark.proof
def test_a_damaged_line_in_a_file_of_labels_is_reported_by_line_and_the_labels_around_it_are_kept(
    project: Path, line: str
) -> None:
    with Server(project) as server:
        for _ in range(2):
            server.label()
    ratings = project / "calibration" / "manners" / "ratings"
    first, *rest = (ratings / "ann.jsonl").read_text().splitlines()
    text = "\n".join([first, line, *rest]) + "\n"
    (ratings / "ann.jsonl").write_text(text)
    with pytest.raises(AssertionError, match=r"ann\.jsonl:2: "):
        Server(project).__enter__()
    with Server(project, ["-o", "skip_damaged=true"]) as server:
        assert server.announced["given"] == 2
        server.label()
    assert (ratings / "ann.jsonl").read_text().startswith(text)
    assert (ratings / "ann.jsonl").read_text().count("\n") == 4
    with Server(project, ["-o", "skip_damaged=true"], rater="ben") as server:
        assert server.announced["given"] == 0
        server.label()


@pytest.mark.proof
def test_an_adjudicator_can_skip_a_damaged_line_of_labels_and_keeps_the_labels_around_it(project: Path) -> None:
    with Server(project) as server:
        for _ in range(2):
            server.label(polite="0")
        first, second = server.lines
    by_ben = [
        {**line, "rater": "ben", "criteria": {**line["criteria"], "polite": {"level": 3}}} for line in (first, second)
    ]
    server.file.with_name("ben.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in by_ben))
    server.file.write_text(f'{json.dumps(first)}\n{{"id": "x", "rat\n{json.dumps(second)}\n')
    with pytest.raises(AssertionError, match=r"ann\.jsonl:2: "):
        Server(project, ["--disputed"], rater="zoe").__enter__()
    with Server(project, ["-o", "skip_damaged=true", "--disputed"], rater="zoe") as zoe:
        assert zoe.announced["total"] == 2
        zoe.label(polite="2")
        assert [line["kind"] for line in zoe.lines] == ["adjudicated"]
        assert "ann.jsonl:2: " in zoe.end()


def test_an_unreadable_last_line_of_labels_is_moved_to_another_file_and_not_deleted(project: Path) -> None:
    with Server(project) as server:
        server.label()
    with server.file.open("a") as file:
        file.write('{"id": "model-x-3", "rater": "ann", "criteria": {"polite": 3}')
    with Server(project) as server:
        assert server.announced["given"] == 1
        server.label()
        assert len(server.lines) == 2
        assert "ann.jsonl:2: is not readable JSON; moved to " in server.end()
    assert '"polite": 3}' in server.file.with_name("ann.jsonl.damaged").read_text()


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="runs on Linux, where a running process can be limited")
@pytest.mark.proof
def test_a_full_disk_while_labelling_never_leaves_half_a_label(project: Path) -> None:
    with Server(project, installed=True) as server:
        server.label(note="x" * 3000)
        content = server.file.read_bytes()
        free = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (len(content) + 100, resource.RLIM_INFINITY))
        unit = server.get().open
        answer = server.give(unit)
        assert (answer.status, server.file.read_bytes()) == (500, content)
        assert "Not saved: the disk refused it" in answer.problem
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, free)
        assert server.give(unit).status == 200
        assert len(server.lines) == 2


def test_undo_withdraws_a_label_and_the_later_answer_counts(project: Path) -> None:
    with Server(project) as server:
        server.label()
        unit = server.get().open
        assert server.give(unit, "0", note="first thought").status == 200
        for _ in range(2):
            assert server.post("undo", {"unit": unit}).status == 200
        assert server.get().open == unit
        server.label(polite="2")
        assert [line.get("withdrawn", False) for line in server.lines] == [False, False, True, False]
    with Server(project) as server:
        assert server.announced["given"] == 2


def test_a_label_can_be_revised_but_is_not_overwritten_from_a_tab_opened_before_it_was_given(project: Path) -> None:
    with Server(project) as server:
        unit = server.get().open
        assert server.give(unit, "1", seconds=3.5, quotes={"polite": "reply"}).status == 200
        assert server.give(unit, "1").status == 200
        refused_one = server.give(unit, "2")
        assert (refused_one.status, len(server.lines)) == (409, 1)
        assert "labelled already, in another tab" in refused_one.problem
        assert server.give(unit, "2", revises=True).status == 200
        assert [line["criteria"]["polite"]["level"] for line in server.lines] == [2.0, 3.0]
        assert (server.lines[0]["seconds"], server.lines[0]["criteria"]["polite"]["quote"]) == (3.5, "reply")


def test_the_labelling_server_refuses_requests_without_the_token_or_with_another_host_name(project: Path) -> None:
    with Server(project) as server:
        port = urlsplit(server.url).port
        for place in ("/", "/wrong/", "/wrong/progress", server.url[:-2] + "/", "/%00/", "/%ff/"):
            answer = server.get(place)
            assert (answer.status, answer.text) == (403, "refused\n"), place
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1"):
            answer = server.get(Host=host)
            assert (answer.status, answer.text) == (403, "refused\n"), host
        assert server.get(Host=f"localhost:{port}").status == 200
        assert fetch(server.url.replace(server.url.split("/")[3], "x" * 32) + "give", b"unit=1", {}).status == 403
        assert not server.file.read_text()


def test_the_labelling_server_refuses_forms_sent_from_another_site_even_with_the_token(project: Path) -> None:
    foreign = [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ]
    with Server(project) as server:
        address = server.url[: server.url.index("/", 8)]
        form = {"unit": server.get().open, "answers": {"whole response": "1", "polite": "1", "waffle": "0"}}
        for headers in [*foreign, {"Origin": address, "Sec-Fetch-Site": "cross-site"}]:
            for place in ("give", "undo"):
                assert server.post(place, form, headers).status == 403, headers
        assert not server.file.read_text()
        assert server.post("give", form, {"Origin": address, "Sec-Fetch-Site": "same-origin"}).status == 200


def test_a_rubric_s_name_never_makes_the_labelling_server_write_outside_the_project(project: Path) -> None:
    rubric = project / "rubrics" / "manners.yaml"
    rubric.write_text("name: ../../victim/pwn\n" + rubric.read_text())
    before = sorted(project.parent.rglob("*"))
    status, message = refused(project, "--pool", "pool.jsonl", "--rater", "ann")
    assert (status, sorted(project.parent.rglob("*"))) == (2, before)
    assert "the rubric's name can't name a file: got '../../victim/pwn'" in message


def test_labelling_leaves_a_file_of_examples_in_yaml_as_it_is(project: Path) -> None:
    home = project / "calibration" / "manners"
    home.mkdir(parents=True)
    text = '- {id: e1, query: q, response: "a reply"}'
    (home / "examples.yaml").write_text(text)
    with Server(project, ["--pool", str(home / "examples.yaml")]):
        assert (home / "examples.yaml").read_text() == text


def test_the_labelling_page_reveals_nothing_of_judges_or_of_who_wrote_the_response(project: Path) -> None:
    with Server(project) as server:
        page = server.get()
        progress = server.get("progress")
        response = server.get(f"unit/{page.open}")
    for secret in ("model-x", "judge-z", "psst"):
        assert secret not in page.text + progress.text + response.text


def test_the_labelling_page_escapes_responses_and_loads_nothing_from_the_network(project: Path) -> None:
    with Server(project) as server:
        page = server.get()
        assert "&lt;script&gt;window.ran" in server.get(f"unit/{page.open}").text
    assert "http" not in page.text
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "script-src 'sha256-" in policy


def test_the_labelling_server_refuses_answers_that_a_criterion_does_not_allow(project: Path) -> None:
    with Server(project) as server:
        unit = server.get().open
        for wrong in ({"waffle": ""}, {"waffle": "7"}, {"waffle": "x"}, {"unit": "elsewhere"}):
            answer = server.give(**{"unit": unit, "polite": "1", **wrong})
            assert answer.status == 422
            assert "no answer that it allows" in answer.problem
        assert server.post("give", {"unit": unit, "answers": ["1", "0"]}).status == 422
        assert server.give(unit, note="x" * 300_000).status == 413
        assert not server.file.read_text()


def test_two_raters_can_label_at_the_same_time_but_one_rater_cannot_start_labelling_twice(project: Path) -> None:
    with Server(project) as ann, Server(project, rater="ben") as ben:
        assert urlsplit(ann.url).port != urlsplit(ben.url).port
        orders = [(ann.label(), ben.label()) for _ in range(21)]
        assert [a for a, _ in orders] != [b for _, b in orders]
        assert len(ann.lines) == len(ben.lines) == 21
        status, message = refused(project, "--pool", "pool.jsonl", "--rater", "ann")
        assert status == 2
        assert "labelling already" in message
    examples = (project / "calibration" / "manners" / "examples.jsonl").read_text().splitlines()
    assert len(examples) == len({json.loads(line)["id"] for line in examples}) == 20


def test_a_rater_s_consistency_is_shown_once_a_response_was_labelled_twice(project: Path) -> None:
    with Server(project) as server:
        assert "Nothing labelled twice yet" in server.get("progress").text
        for place in range(21):
            server.label(polite="1", waffle="1" if place < 20 else "0")
        assert "The same answer on 1 of 2 criteria" in server.get("progress").text


@pytest.mark.proof
def test_agreement_with_another_annotator_is_updated_every_five_responses_that_both_have_labelled(
    project: Path,
) -> None:
    with Server(project) as ann, Server(project, rater="ben") as ben:
        for _ in range(21):
            ann.label(polite="0", waffle="0")
        for place in range(9):
            text = ben.get("progress").text
            assert not re.search(r"\bann\b", text)
            assert ("the same 5 responses" in text) == (place < 5)
            if place >= 5:
                assert '<tr><th scope="row">polite</th><td>80%</td><td>5</td></tr>' in text
                assert '<tr><th scope="row">waffle</th><td>0%</td><td>5</td></tr>' in text
            ben.label(polite="1" if place == 0 or place > 5 else "0", waffle="1")
        (ann.file.parent / "eve.jsonl").write_text("half a li")
        assert "labels can’t be read" in ben.get("progress").text


def test_the_labelling_server_reports_a_port_in_use_and_takes_the_next(project: Path) -> None:
    with Server(project) as ann:
        port = urlsplit(ann.url).port
        with Server(project, ["-o", f"port={port}"], rater="ben") as ben:
            assert (urlsplit(ben.url).port or 0) > (port or 0)
            assert ben.get().status == 200
            assert f"port {port} is in use" in ben.end()


def test_an_empty_response_is_shown_as_empty_on_the_labelling_page_and_can_be_labelled(project: Path) -> None:
    lines = [{"id": f"r{n}", "query": f"question {n}", "response": "reply & more" if n else ""} for n in range(2)]
    (project / "pool.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Server(project) as server:
        steps = server.get().data["steps"]
        assert {step["response"] for step in steps} == {"(empty)", "reply & more"}
        assert any("Empty: there is no text." in server.get(f"unit/{step['unit']}").text for step in steps)
        for step in steps:
            assert server.give(step["unit"]).status == 200
        assert len(server.lines) == 2


@pytest.mark.proof
def test_the_labelling_page_and_the_terminal_suggest_a_second_annotator_and_then_adjudication(project: Path) -> None:
    with Server(project) as ann:
        assert "--rater SECOND" not in ann.get("progress").text
        for _ in range(21):
            ann.label(polite="0")
        assert "markscheme label manners --rater SECOND" in ann.get("progress").text
        assert "A second annotator on the same responses" in ann.end()
    with Server(project, rater="ben") as ben:
        for place in range(21):
            ben.label(polite="1" if place < 3 else "0")
        assert "markscheme label manners --disputed" in ben.get("progress").text


@pytest.mark.proof
def test_drawing_more_outputs_than_are_left_unlabelled_prints_how_many_are_left(project: Path) -> None:
    with Server(project, ["--next", "30"]) as server:
        for _ in range(server.announced["total"]):
            server.label()
        assert "20 responses left in the pool, fewer than the 30 asked for." in server.end()
    with Server(project, ["--next", "30"]) as server:
        assert "all labelled: none is left to draw" in server.end()
    with Server(project, ["--next", "30"], rater="ben") as server:
        assert "are all among the rubric's examples: none is left to draw" in server.end()


@pytest.mark.proof
def test_disagreement_between_annotators_is_resolved_on_a_page_that_shows_no_names(project: Path) -> None:
    with Server(project) as ann, Server(project, rater="ben") as ben:
        replies = [ann.label(polite="0") for _ in range(21)]
        for _ in range(21):
            unit = ben.get().open
            ben.give(unit, "2" if ben.reply(unit) == replies[0] else "0", note="so kind", quotes={"polite": "more"})
    with Server(project, ["--disputed"], rater="zoe") as zoe:
        assert zoe.announced["total"] == 1
        page = zoe.get()
        (step,) = page.data["steps"]
        assert zoe.reply(step["unit"]) == replies[0]
        assert step["given"] == [
            [
                {"label": "1", "reason": "", "quote": ""},
                {"label": "3", "reason": "so kind", "quote": "more"},
            ]
        ]
        assert step["criteria"] == [0]
        assert "ben" not in page.text + zoe.get("progress").text
        assert "1 of 20 responses, 1 and 3 (1)" in zoe.get("progress").text
        answers = {"unit": step["unit"], "answers": {"polite": "1"}, "reasons": {"polite": "it greets, no more"}}
        assert zoe.post("give", answers).status == 200
        (line,) = zoe.lines
        assert (line["kind"], line["criteria"]["polite"]["level"]) == ("adjudicated", 2.0)
        assert line["criteria"]["polite"]["reason"] == "it greets, no more"
        assert "polite: annotators differ on 1 of 20, most often 1 and 3. Its words: Is the reply polite?" in zoe.end()
    status, message = refused(project, "--rater", "yan", "--disputed")
    assert (status, "nothing left to adjudicate" in message) == (0, True)


def label_whole(project: Path, rater: str, fails: frozenset[int], note: str = "") -> None:
    """Label all replies as one annotator, who doesn't accept some of them; levels are the same for every annotator."""
    with Server(project, rater=rater) as server:
        while any(step["answer"] is None for step in server.get().data["steps"]):
            unit = server.get().open
            whole = "0" if server.reply(unit) in fails else "1"
            assert server.give(unit, whole=whole, note=note).status == 200


def test_an_adjudicator_is_asked_only_for_pass_or_fail_of_responses_on_which_annotators_split(
    tmp_path: Path,
) -> None:
    project = make_pool(tmp_path, 8)
    label_whole(project, "ann", frozenset([5]), note="reads well")
    label_whole(project, "ben", frozenset([0, 1, 5]))
    judged = ({"id": f"model-x-{n}", "judge": "gpt", "criteria": {"polite": 2, "waffle": 0}} for n in range(8))
    (project / "judge.jsonl").write_text("".join(f"{json.dumps(rating)}\n" for rating in judged))
    calibrate = ("calibrate", "manners", "--ratings", "judge.jsonl")
    note = "Annotators split evenly on pass or fail of 2 examples"
    assert note in " ".join(run(*calibrate, cwd=project).stdout.split())
    with Server(project, ["--disputed"], rater="zoe") as zoe:
        data = zoe.get().data
        assert (data["criteria"][0], data["whole"]) == ("whole response", "whole response")
        voices = [{"label": "no", "reason": "", "quote": ""}, {"label": "yes", "reason": "reads well", "quote": ""}]
        assert [(step["criteria"], step["given"]) for step in data["steps"]] == [([0], [voices])] * 2
        assert {zoe.reply(step["unit"]) for step in data["steps"]} == {0, 1}
        assert "2 of 8 responses, no and yes (2)" in zoe.get("progress").text
        for step in data["steps"]:
            assert zoe.post("give", {"unit": step["unit"], "answers": {"polite": "1"}}).status == 422
            assert zoe.post("give", {"unit": step["unit"], "answers": {"whole response": "0"}}).status == 200
        assert [(line["kind"], line["pass"], line["criteria"]) for line in zoe.lines] == [
            ("adjudicated", False, {})
        ] * 2
        assert [step["answer"]["answers"] for step in zoe.get().data["steps"]] == [{"whole response": "0"}] * 2
        assert "whole response: annotators differ on 2 of 8, most often no and yes." in zoe.end()
    status, message = refused(project, "--rater", "yan", "--disputed")
    assert (status, "nothing left to adjudicate" in message) == (0, True)
    assert "split evenly" not in " ".join(run(*calibrate, cwd=project).stdout.split())


def test_labelling_stops_if_the_rubric_is_reworded_and_later_asks_about_the_same_responses_again(
    project: Path,
) -> None:
    rubric = project / "rubrics" / "manners.yaml"
    text = rubric.read_text()
    with Server(project) as server:
        first = server.label()
        unit = server.get().open
        rubric.write_text(text.replace("weight: 1", "weight: 2"))
        assert server.get().status == 200
        for broken in (text.replace("Is the reply polite?", "Is it civil?"), "criteria: ["):
            rubric.write_text(broken)
            assert server.get().status == 409
            answer = server.give(unit)
            assert answer.status == 409
            assert "was not saved" in answer.problem
        assert len(server.lines) == 1
        assert "labelling has stopped" in server.end()
    rubric.write_text(text.replace("Is the reply polite?", "Is it civil?"))
    with Server(project) as server:
        assert server.announced["given"] == 0
        assert server.label() == first


@pytest.mark.proof
def test_the_next_option_of_label_draws_more_outputs_only_once_all_drawn_outputs_are_labelled(
    project: Path,
) -> None:
    drawn = project / "calibration" / "manners" / "examples.jsonl"
    for round_, total in ((1, 5), (2, 5), (3, 10)):
        with Server(project, ["--next", "5"]) as server:
            assert server.announced["total"] == total, round_
            for _ in range(2 if round_ == 1 else total - server.announced["given"]):
                server.label()
    lines = [json.loads(line) for line in drawn.read_text().splitlines()]
    assert len({line["id"] for line in lines}) == 10
    assert all(line["drawn"] == "chosen" and line["weight"] >= 1 for line in lines)


def test_promptfoo_s_results_can_be_labelled_as_a_pool_of_outputs(project: Path) -> None:
    row = {
        "testIdx": 0,
        "promptIdx": 0,
        "vars": {"query": "the question"},
        "response": {"output": "reply 7 & more"},
        "success": True,
        "score": 1,
        "gradingResult": {
            "pass": True,
            "score": 1,
            "reason": "psst",
            "componentResults": [{"pass": True, "score": 1, "reason": "psst", "assertion": {"type": "llm-rubric"}}],
        },
    }
    (project / "results.json").write_text(json.dumps({"evalId": "e", "results": {"results": [row], "prompts": []}}))
    with Server(project, ["--pool", "results.json"]) as server:
        page = server.get()
        response = server.get(f"unit/{page.open}").text
        assert "the question" in response
        assert "psst" not in page.text + response
        assert server.label() == 7
        assert server.announced["total"] == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--pool", "nowhere.jsonl"], "there is no such file"),
        (["--pool", "rubrics/manners.yaml"], "contains no examples: expected a list"),
        (["--pool", "broken.jsonl"], "broken.jsonl:1: is not readable JSON"),
        (["--pool", "empty.jsonl"], "holds no response with a text"),
        (["--pool", "pool.jsonl", "--rater", "../ann"], "--rater can't name a file"),
        (["--pool", "pool.jsonl", "--next", "none"], "`--next` must be a whole number from 1, got none"),
        (["--rater", "ann"], "say by --pool FILE"),
    ],
)
def test_the_label_command_exits_2_for_a_file_that_cannot_be_labelled_and_says_why(
    project: Path, options: list[str], problem: str
) -> None:
    (project / "broken.jsonl").write_text("{not json\n")
    (project / "empty.jsonl").write_text('{"id": "a", "response": "  "}\n')
    status, message = refused(project, *options)
    assert status == 2
    assert problem in message


def test_the_label_command_refuses_a_file_of_outputs_whose_ids_belong_to_other_responses_in_the_examples(
    project: Path,
) -> None:
    home = project / "calibration" / "manners"
    home.mkdir(parents=True)
    (home / "examples.jsonl").write_text('{"id": "model-x-0", "response": "another"}')
    status, message = refused(project, "--pool", "pool.jsonl", "--rater", "ann")
    assert status == 2
    assert "other responses under 1 id of the pool: model-x-0" in message


def test_responses_are_added_to_a_file_of_examples_whose_last_line_has_no_line_break(project: Path) -> None:
    home = project / "calibration" / "manners"
    home.mkdir(parents=True)
    (home / "examples.jsonl").write_text('{"id": "own", "query": "q", "response": "mine"}')
    with Server(project) as server:
        server.label()
    assert len([json.loads(line) for line in (home / "examples.jsonl").read_text().splitlines()]) == 2


def test_the_label_command_refuses_to_write_labels_into_a_judge_s_file_of_ratings(project: Path) -> None:
    ratings = project / "calibration" / "manners" / "ratings"
    ratings.mkdir(parents=True)
    (ratings / "gpt.jsonl").write_text('{"id": "model-x-0", "rater": "gpt", "kind": "model", "criteria": {}}\n')
    status, message = refused(project, "--pool", "pool.jsonl", "--rater", "gpt")
    assert status == 2
    assert "holds ratings of kind model" in message


def test_labels_are_not_written_through_a_symbolic_link_that_leads_out_of_the_folder_of_ratings(tmp_path: Path) -> None:
    victim = tmp_path / "victim.jsonl"
    ratings = make_pool(tmp_path) / "calibration" / "manners" / "ratings"
    ratings.mkdir(parents=True)
    for is_there in (False, True):
        if is_there:
            victim.write_text("")
        (ratings / "ann.jsonl").unlink(missing_ok=True)
        (ratings / "ann.jsonl").symlink_to(victim)
        done = run("markscheme", "label", "manners", "--pool", "pool.jsonl", "--rater", "ann", cwd=tmp_path)
        assert done.returncode == 2
        assert f"is a link to {victim}, which is not followed" in done.stderr
        assert victim.exists() == is_there
    (tmp_path / "labels.csv").write_text("id,polite\nmodel-x-1,kind\n")
    command = ("import", "labels.csv", "--rubric", "manners", "--kind", "human", "--rater", "ann", "--append")
    done = run("markscheme", *command, "--to", "calibration/manners/ratings/ann.jsonl", cwd=tmp_path)
    assert (done.returncode, "which is not followed" in done.stderr) == (2, True), done.stderr
    assert victim.read_text() == ""
