"""`certify` and `--judge cascade`: who decides what, under which promise, and what decides nothing."""

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from markscheme import Grader
from markscheme.assert_grade import AssertGrade, Background
from markscheme.calibration.findings.commands import Commands
from markscheme.commands.call import parse
from markscheme.errors import RatingError
from markscheme.features.certify.certificate_file import CascadeFile
from markscheme.options.settings import SettingsFile
from markscheme.ratings.rating import asked_under
from markscheme.rubrics.file import load_rubric
from tests.calibration import dialogues
from tests.commands.console import run
from tests.features.certify.cascade_project import (
    BETTER,
    CASCADE,
    CHEAP,
    LABELLED,
    OUTPUTS,
    Servers,
    judges,
    reply,
    rows,
    write_certified,
    write_project,
)

NEITHER = ("ask", None)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """The judges, running; what they said once is remembered for every project of this file."""
    with judges(tmp_path_factory.mktemp("judges")) as running:
        yield running


@pytest.fixture(scope="module")
def certified(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Servers]:
    """A project whose cascade is certified, with its judges running."""
    return write_certified(tmp_path_factory.mktemp("cascade"), servers), servers


def certificate(folder: Path, servers: Servers, *options: str, status: int = 0) -> dict[str, Any]:
    done = run("markscheme", "certify", "reply", *options, "--json", cwd=folder, env=servers.environment)
    assert done.returncode == status, done.stdout + done.stderr
    report: dict[str, Any] = json.loads(done.stdout)["cascade"]
    return report


def graded(folder: Path, servers: Servers, *options: str, status: int = 1) -> tuple[list[dict[str, Any]], str]:
    command = ("markscheme", "grade", "reply", "outputs.jsonl", "--judge", "cascade", "--json")
    done = run(*command, *options, cwd=folder, env=servers.environment)
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def stage_of(p: dict[str, float], stages: list[dict[str, Any]]) -> tuple[str, int | None]:
    """Who decides a reply, computed from the file and what the judges say of it."""
    for place, (name, stage) in enumerate(zip(("cheap", "better"), stages, strict=True), start=1):
        certain = stage["certain"]
        if certain is not None and round(max(p[name], 1 - p[name]), 9) >= certain - 1e-9:
            return ("pass" if p[name] > 0.5 else "fail"), place
    return NEITHER


def figures_in(text: str) -> dict[str, float]:
    return {name: float(number) for name, number in (part.split("=") for part in text.split()[2:])}


def test_a_certificate_s_file_records_each_judge_s_model_and_its_number_of_decisions(
    certified: tuple[Path, Servers],
) -> None:
    folder, _ = certified
    file = json.loads((folder / "calibration" / "reply" / "cascade.json").read_text())
    assert file["schema"] == 1
    assert (file["error"], file["confidence"], file["for"], file["wrong_passes"]) == (0.05, 0.9, "both", None)
    assert [stage["judge"] for stage in file["stages"]] == [CHEAP, BETTER]
    assert [stage["model"] for stage in file["stages"]] == [["cheap-1"], ["better-1"]]
    assert {stage["certainty"] for stage in file["stages"]} == {"probability"}
    assert sum(file["decided"]) == file["labels"]["n"] == LABELLED
    assert all(n > 0 for n in file["decided"])
    assert file["upper"] <= 0.05
    assert file["automatic"]["value"] == pytest.approx(sum(file["decided"][:2]) / LABELLED)


def test_a_certificate_s_file_has_the_share_of_passes_among_the_labels_and_among_the_automatic_decisions(
    certified: tuple[Path, Servers],
) -> None:
    file = json.loads((certified[0] / "calibration" / "reply" / "cascade.json").read_text())
    labels, decided = file["pass_shares"]["labels"], file["pass_shares"]["decided"]
    polite = [is_polite for is_polite, _, _ in rows(LABELLED, 1)]
    assert labels == {"n": LABELLED, "share": pytest.approx(sum(polite) / LABELLED)}
    assert (decided["n"], decided["effective"]) == (sum(file["decided"][:2]), sum(file["decided"][:2]))
    by_stage = [
        stage_of({"cheap": round(cheap, 4), "better": round(better, 4)}, file["stages"])[0]
        for _, cheap, better in rows(LABELLED, 1)
    ]
    assert decided["share"] == pytest.approx(by_stage.count("pass") / (LABELLED - by_stage.count("ask")))


MOVED = "another share than certified"


@pytest.mark.parametrize(("polite", "warns"), [(None, False), (False, True), (True, True)])
@pytest.mark.parametrize("form", [["--json"], ["--out", "grades.csv"]])
def test_grading_by_a_cascade_warns_if_the_share_that_passes_differs_from_the_share_at_certification(
    certified: tuple[Path, Servers], polite: bool | None, warns: bool, form: list[str]
) -> None:
    folder, servers = certified
    chosen = [row for row in rows(200, 3) if polite in (None, row[0])][:90]
    with (folder / "many.jsonl").open("w") as file:
        for place, (_, cheap, better) in enumerate(chosen):
            file.write(json.dumps({"id": f"m{place}", "response": reply(place, cheap, better)}) + "\n")
    command = ("markscheme", "grade", "reply", "many.jsonl", "--judge", "cascade", *form)
    done = run(*command, cwd=folder, env=servers.environment)
    assert (MOVED in " ".join(done.stderr.split())) is warns, done.stderr
    assert ("--judge systemone:cheap-1,decisions:better-1 --write" in " ".join(done.stderr.split())) is warns


def test_a_certificate_file_may_lack_the_shares_of_passes_but_impossible_shares_are_refused(
    certified: tuple[Path, Servers],
) -> None:
    folder, _ = certified
    path = folder / "calibration" / "reply" / "cascade.json"
    content = json.loads(path.read_text())
    assert CascadeFile.load(path).pass_shares is not None
    older = folder / "older.json"
    older.write_text(json.dumps({key: value for key, value in content.items() if key != "pass_shares"}))
    assert CascadeFile.load(older).pass_shares is None
    older.write_text(json.dumps(content | {"pass_shares": {"labels": {"n": 3, "share": 2}, "decided": {}}}))
    with pytest.raises(RatingError, match="isn't a cascade"):
        CascadeFile.load(older)


def test_a_certificate_without_recorded_shares_of_passes_decides_as_before_but_never_warns_of_a_changed_share(
    certified: tuple[Path, Servers], tmp_path: Path
) -> None:
    folder, servers = certified
    project = shutil.copytree(folder, tmp_path / "older")
    path = project / "calibration" / "reply" / "cascade.json"
    with (project / "outputs.jsonl").open("w") as file:
        for place, (_, cheap, better) in enumerate(row for row in rows(200, 3) if not row[0]):
            file.write(json.dumps({"id": f"m{place}", "response": reply(place, cheap, better)}) + "\n")
    content = json.loads(path.read_text())
    decisions = []
    for left_out, warns in ((None, True), ("pass_shares", False)):
        path.write_text(json.dumps({key: value for key, value in content.items() if key != left_out}))
        lines, complaint = graded(project, servers)
        decisions.append([(line["id"], line["decision"], line["stage"], line["certainty"]) for line in lines])
        assert (MOVED in " ".join(complaint.split())) is warns
    assert decisions[0] == decisions[1]
    assert {stage for _, _, stage, _ in decisions[1]} == {1, 2, None}


def test_the_report_of_certify_states_the_promise_and_how_many_examples_each_judge_decides(
    certified: tuple[Path, Servers],
) -> None:
    folder, servers = certified
    done = run("markscheme", "certify", "reply", "--judge", CASCADE, cwd=folder, env=servers.environment)
    text = " ".join(done.stdout.split())
    assert f"pass, fail, or ask a person · {LABELLED} labelled examples" in text
    assert "✓ At most 5% of the automatic decisions are wrong, with 90% confidence, if what you grade is like" in text
    assert f"Next, write who decides what: markscheme certify reply --judge {CASCADE} --write" in text
    assert "automatic passes" in text


def test_in_a_cascade_each_response_is_decided_by_the_first_judge_that_is_certain_enough(
    certified: tuple[Path, Servers],
) -> None:
    folder, servers = certified
    stages = json.loads((folder / "calibration" / "reply" / "cascade.json").read_text())["stages"]
    replies = [json.loads(line) for line in (folder / "outputs.jsonl").read_text().splitlines()]
    before = len(servers.cheap.requests), len(servers.better.requests)
    grades, errors = graded(folder, servers, "-o", "cache=off", "-o", "price=1:0")
    by_hand = [stage_of(figures_in(line["response"]), stages) for line in replies]
    assert [(grade["decision"], grade["stage"]) for grade in grades] == by_hand
    assert [grade["pass"] for grade in grades] == [decision == "pass" for decision, _ in by_hand]
    decided = {place: sum(stage == place for _, stage in by_hand) for place in (1, 2, None)}
    assert all(decided.values())
    asked = len(servers.cheap.requests) - before[0], len(servers.better.requests) - before[1]
    assert asked == (OUTPUTS, OUTPUTS - decided[1])
    cost = sum(grade["usage"]["usd"] for grade in grades)
    assert cost == pytest.approx(sum(asked) * 100 / 1e6)
    line = errors.strip().splitlines()[-1]
    assert line.endswith(f"to people · ${cost:.2f}")
    assert f"{round(100 * decided[1] / OUTPUTS)}% decided by {CHEAP}, " in line
    assert all(grade["ask"] == "no judge is certain enough" for grade in grades if grade["decision"] == "ask")
    assert all(grade["score"] is not None and grade["criteria"] for grade in grades)


def test_the_certificate_of_a_rubric_that_changed_decides_nothing_and_the_grade_says_why(
    certified: tuple[Path, Servers],
) -> None:
    folder, servers = certified
    file = folder / "rubrics" / "reply.yaml"
    before = file.read_text()
    for changed, what in (
        (before.replace("0.5", "0.6"), "the rubric"),
        (before.replace("polite", "kind"), "the prompt"),
    ):
        file.write_text(changed)
        try:
            grades, _ = graded(folder, servers)
        finally:
            file.write_text(before)
        assert {(grade["decision"], grade["stage"]) for grade in grades} == {NEITHER}
        assert all(what in grade["ask"] and "certify reply --judge" in grade["ask"] for grade in grades)


@pytest.mark.proof
def test_a_certificate_decides_nothing_if_another_model_answers_or_the_judge_is_asked_in_another_way(
    certified: tuple[Path, Servers],
) -> None:
    folder, servers = certified
    servers.models["cheap"] = "cheap-2"
    try:
        grades, _ = graded(folder, servers, "-o", "cache=off")
    finally:
        servers.models["cheap"] = "cheap-1"
    assert 1 not in {grade["stage"] for grade in grades}
    assert 2 in {grade["stage"] for grade in grades}  # the last judge was certified by itself
    asks = [grade["ask"] for grade in grades if grade["decision"] == "ask"]
    assert all("cheap-2 answered, and cheap-1 was certified" in why for why in asks)
    grades, _ = graded(folder, servers, "-o", "expected=true", "-o", "cache=off")
    assert {(grade["decision"], grade["stage"]) for grade in grades} == {NEITHER}
    assert all("is asked in another way than certified" in grade["ask"] for grade in grades)


def test_grading_with_a_missing_certificate_names_the_command_that_makes_one(tmp_path: Path) -> None:
    write_project(tmp_path)
    done = run("markscheme", "grade", "reply", "outputs.jsonl", "--judge", "cascade", cwd=tmp_path)
    assert done.returncode == 2
    assert "markscheme certify reply --judge JUDGE,JUDGE --write" in done.stderr


def test_grades_by_certified_judges_have_the_calibration_receipt_of_the_judges_accepted_run(
    certified: tuple[Path, Servers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, servers = certified
    folder = shutil.copytree(made, tmp_path / "here")
    accept = ("calibrate", "reply", "--judge", "cascade", "--accept", "--force", "--quiet")
    assert run("markscheme", *accept, cwd=folder, env=servers.environment).returncode in (0, 4)
    grades, _ = graded(folder, servers)
    texts = {grade["receipt"]["text"].partition(" ")[2] for grade in grades}
    (text,) = texts
    assert text.startswith("±")
    assert "(260 human labels, " in text
    shown = run(
        "markscheme", "grade", "reply", "outputs.jsonl", "--judge", "cascade", cwd=folder, env=servers.environment
    )
    assert f"Judge: {text}." in shown.stdout
    monkeypatch.chdir(folder)
    for name, value in servers.environment.items():
        monkeypatch.setenv(name, value)
    said: dict[str, object] = {}
    asserting = AssertGrade(Background(), [], folder, said.__setitem__)
    try:
        asserting("Reply 1. cheap=0.9990 better=0.9990", "reply", judge="cascade")
    finally:
        asserting.asking.close()
    assert said["markscheme_calibration"] == text


def test_a_grader_opened_with_a_certificate_gives_its_decision_or_the_reason_for_asking_a_person(
    certified: tuple[Path, Servers], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, servers = certified
    monkeypatch.chdir(folder)
    for name, value in servers.environment.items():
        monkeypatch.setenv(name, value)
    rubric = load_rubric(folder / "rubrics" / "reply.yaml")
    with Grader(rubric, "cascade") as grader:
        sure = grader.grade_sync("Reply 1. cheap=0.9990 better=0.9990")
        torn = grader.grade_sync("Reply 2. cheap=0.5100 better=0.5200")
    assert (sure.decision, sure.passed) == ("pass", True)
    assert sure.decided_by is not None
    assert sure.decided_by.stage == 1
    assert (torn.decision, torn.passed) == ("ask", False)
    assert torn.reason.startswith("ask a person: no judge is certain enough")
    assert torn.score == 1.0


@pytest.mark.proof
def test_a_further_limit_on_false_passes_never_makes_more_decisions_automatic(servers: Servers, tmp_path: Path) -> None:
    plain, stricter = (
        tuned_afresh(tmp_path / name, servers, "--judge", CASCADE, *more)
        for name, more in (("plain", ()), ("stricter", ("--wrong-passes", "0.05")))
    )
    assert sum(stricter["decided"][:-1]) <= sum(plain["decided"][:-1])
    assert stricter["wrong_passes"] == 0.05
    assert stricter["passes"]["both"]["upper"] <= 0.05


def tuned_afresh(folder: Path, servers: Servers, *options: str) -> dict[str, Any]:
    """The first ask of labels of which nothing was asked before."""
    return certificate(write_project(folder), servers, *options)


def test_certify_can_promise_an_error_rate_for_passes_alone_or_for_passes_and_fails_separately(
    servers: Servers, tmp_path: Path
) -> None:
    passes = tuned_afresh(tmp_path / "passes", servers, "--judge", CASCADE, "--for", "passes")
    assert all(stage["certain"]["fails"] is None for stage in passes["stages"])
    each = tuned_afresh(tmp_path / "each", servers, "--judge", BETTER, "--for", "each")
    assert set(each["automatic"]) == {"passes", "fails"}


@pytest.mark.proof
def test_certifying_the_same_promise_on_the_same_labels_again_gives_the_same_certificate(
    servers: Servers, tmp_path: Path
) -> None:
    write_project(tmp_path)
    first = certificate(tmp_path, servers, "--judge", CASCADE)
    again = certificate(tmp_path, servers, "--judge", CASCADE)
    assert first == again
    certificate(tmp_path, servers, "--judge", BETTER)
    other = certificate(tmp_path, servers, "--judge", BETTER, "--error", "0.06")
    alone = certificate(tmp_path, servers, "--judge", BETTER)
    lines = (tmp_path / "calibration" / "reply" / "asks.jsonl").read_text().splitlines()
    assert len(lines) == 3
    assert sum(other["decided"]) == sum(alone["decided"]) == LABELLED


def test_with_too_few_labels_nothing_is_certified_and_an_older_certificate_stays(tmp_path: Path) -> None:
    write_project(tmp_path, 40)
    older = tmp_path / "calibration" / "reply" / "cascade.json"
    older.write_text("{}")
    with judges(tmp_path) as servers:
        report = certificate(tmp_path, servers, "--judge", CASCADE, "--write", status=4)
    assert report["supported"] is False
    assert "takes 59 decisions without an error, and there are 40" in report["reason"]
    assert report["needed"] > 59
    assert report["file"] is None
    assert older.read_text() == "{}"


def test_if_examples_are_in_groups_fewer_decisions_are_certified_as_automatic(servers: Servers, tmp_path: Path) -> None:
    alone, grouped = (write_project(tmp_path / name, group=size) for name, size in (("alone", 0), ("grouped", 20)))
    shares = []
    for folder in (alone, grouped):
        done = run("markscheme", "certify", "reply", "--judge", BETTER, "--json", cwd=folder, env=servers.environment)
        shares.append(json.loads(done.stdout)["cascade"])
    assert shares[0]["labels"]["groups"] is None
    assert shares[1]["labels"]["groups"] == LABELLED / 20
    assert sum(shares[1]["decided"][:-1]) < sum(shares[0]["decided"][:-1])


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--judge", f"{CHEAP},{CHEAP}"), "names systemone:cheap-1 twice"),
        (("--judge", "systemone:a,systemone:b,systemone:c,systemone:d"), "at most 3 judges"),
        (("--judge", CHEAP, "--ratings", "outputs.jsonl"), "--ratings and --judge both name who decides"),
        (("--judge", "a.jsonl+b.jsonl"), "a.jsonl: there is no such file"),
        (("--wrong-passes", "1.5"), "above 0 and below 1"),
        (("--judge", "nope.jsonl"), "nope.jsonl: there is no such file"),
        (("--judge", f"{CHEAP},nope.jsonl"), "nope.jsonl: there is no such file"),
        (("--judge", "nope"), "unknown judge 'nope'"),
    ],
)
def test_options_of_certify_that_contradict_each_other_are_refused_with_the_reason(
    tmp_path: Path, options: tuple[str, ...], why: str
) -> None:
    write_project(tmp_path, 5)
    done = run("markscheme", "certify", "reply", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert why in " ".join(done.stderr.split())


def test_a_certificate_file_that_names_a_judge_in_python_code_is_refused(
    certified: tuple[Path, Servers], tmp_path: Path
) -> None:
    folder, servers = certified
    content = json.loads((folder / "calibration" / "reply" / "cascade.json").read_text())
    content["stages"][0]["judge"] = "function:os:getcwd"
    bad = tmp_path / "cascade.json"
    bad.write_text(json.dumps(content))
    command = ("markscheme", "grade", "reply", "outputs.jsonl", "--judge", f"cascade:{bad}")
    done = run(*command, cwd=folder, env=servers.environment)
    assert done.returncode == 2
    assert "no file may name such a judge" in done.stderr
    bad.write_text('{"schema": 1, "stages": NaN}')
    done = run(*command, cwd=folder, env=servers.environment)
    assert done.returncode == 2
    assert "isn't a cascade" in done.stderr
    content["stages"][0]["judge"] = f"{CHEAP}+{BETTER}"
    bad.write_text(json.dumps(content))
    done = run(*command, cwd=folder, env=servers.environment)
    assert done.returncode == 2
    assert f"ranks the panel '{CHEAP}+{BETTER}' by probability; expected votes" in done.stderr
    content["stages"][0]["judge"] = "nowhere:m"
    bad.write_text(json.dumps(content))
    done = run(*command, cwd=folder, env=servers.environment)
    assert "cascade.json: unknown judge 'nowhere:m'" in done.stderr


@pytest.mark.parametrize("text", ['{"schema": 1, "error": 1' + "0" * 400 + "}", "[" * 3_000, "\udcff"])
def test_a_cascade_file_that_is_not_a_cascade_is_refused_and_the_error_names_the_file(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "cascade.json").write_text(text, errors="surrogateescape")
    (tmp_path / "rubric.yaml").write_text("criteria: [{requirement: It is polite}]\n")
    (tmp_path / "reply.txt").write_text("Good morning.")
    done = run("markscheme", "grade", "rubric.yaml", "reply.txt", "--judge", "cascade:cascade.json", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: cascade.json")


def test_certify_lets_a_judge_decide_nothing_if_a_third_of_its_most_certain_decisions_are_wrong(
    tmp_path: Path,
) -> None:
    """Of the 45 answers that gpt-3.5 is surest of, 15 are wrong: no promise of 5 % can be made."""
    dialogues.project(tmp_path)
    command = ("markscheme", "certify", "dialogue", "--judge", "judge.jsonl", "--write")
    done = run(*command, cwd=tmp_path)
    assert done.returncode == 4
    text = " ".join(done.stdout.split())
    assert "? Everything goes to people: 15 of the 45 most certain decisions are wrong, so up to" in text
    assert "More labels alone won't help: the last judge decides rightly on 68%." in text
    assert not (tmp_path / "calibration" / "dialogue" / "cascade.json").exists()
    report = json.loads(run(*command, "--json", cwd=tmp_path).stdout)["cascade"]
    assert report["stages"][0]["certainty"] == "probability"
    assert report["decided"] == [0, 223]


# --- what leads to it and what follows -------------------------------------------------------------------------------


def test_if_a_judge_cannot_gate_calibrate_says_how_many_responses_the_judge_could_decide_with_a_certificate(
    servers: Servers, tmp_path: Path
) -> None:
    folder = write_project(tmp_path)
    command = ("calibrate", "reply", "--judge", CHEAP, "--target", "0.99")
    done = run(*command, cwd=folder, env=servers.environment)
    text = " ".join(done.stdout.split())
    report = json.loads(run(*command, "--json", "-", "--quiet", cwd=folder, env=servers.environment).stdout)
    assert report["use"] != "gate"
    assert report["may_decide"] > 0.1
    assert f"It may still decide what it is sure of: about {100 * report['may_decide']:.0f}% of responses" in text
    assert "That is an estimate by these labels; this makes it a promise: markscheme certify reply --judge" in text
    assert not (folder / "calibration" / "reply" / "asks.jsonl").exists()


@pytest.mark.proof
def test_certifying_a_panel_on_the_command_line_prints_how_many_independent_votes_the_panel_has(
    servers: Servers, tmp_path: Path
) -> None:
    folder = write_project(tmp_path)
    panel = f"{CHEAP}+{BETTER}"
    done = run("calibrate", "reply", "--judge", panel, "--details", cwd=folder, env=servers.environment)
    assert done.returncode in (0, 1, 4), done.stderr
    text = " ".join(done.stdout.split())
    assert f"reply · {panel}" in text
    assert "panel: 2 judges, " in text
    assert "independent votes" in text
    tuned = certificate(folder, servers, "--judge", panel, status=4)
    assert tuned["stages"][0]["certainty"] == "votes"
    assert tuned["stages"][0]["model"] == ["better-1", "cheap-1"]


def test_the_label_command_with_the_asked_option_shows_only_responses_that_a_certificate_leaves_to_people(
    certified: tuple[Path, Servers], tmp_path: Path
) -> None:
    folder, servers = certified
    grades, _ = graded(folder, servers)
    asked = [grade["id"] for grade in grades if grade["decision"] == "ask"]
    (tmp_path / "grades.jsonl").write_text("".join(json.dumps(grade) + "\n" for grade in grades))
    command = ("markscheme", "label", "reply", "--rater", "ben", "--sheet", str(tmp_path / "ben.html"))
    options = ("--pool", "outputs.jsonl", "--asked", str(tmp_path / "grades.jsonl"))
    done = run(*command, *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "ben.html").read_text()
    assert all(f'"{unit}"' in page for unit in asked)
    decided = [grade["id"] for grade in grades if grade["decision"] != "ask"]
    assert not any(f'"{unit}"' in page for unit in decided)
    none = [{**grade, "decision": "pass"} for grade in grades]
    (tmp_path / "grades.jsonl").write_text("".join(json.dumps(grade) + "\n" for grade in none))
    done = run(*command[:-1], str(tmp_path / "no.html"), *options, cwd=folder)
    assert done.returncode == 2
    assert "every response is decided" in done.stderr


def test_assert_grade_fails_a_pytest_test_if_a_person_should_decide(
    certified: tuple[Path, Servers], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, servers = certified
    monkeypatch.chdir(folder)
    for name, value in servers.environment.items():
        monkeypatch.setenv(name, value)
    asserting = AssertGrade(Background(), [], folder, lambda _name, _value: None)
    try:
        asserting("Reply 1. cheap=0.9990 better=0.9990", "reply", judge="cascade")
        with pytest.raises(AssertionError, match=r"ask a person: no judge is certain enough; by the judge 1\.00"):
            asserting("Reply 2. cheap=0.5100 better=0.5200", "reply", judge="cascade")
        asserting("Reply 1. cheap=0.9990 better=0.9990", "reply", judge="cascade", calibration="require")
    finally:
        asserting.asking.close()


def test_certifying_files_of_ratings_writes_a_certificate_only_if_the_ratings_say_which_judge_to_ask(
    tmp_path: Path,
) -> None:
    folder = write_project(tmp_path)
    rubric = load_rubric(folder / "rubrics" / "reply.yaml")
    examples = [
        json.loads(line) for line in (folder / "calibration" / "reply" / "examples.jsonl").read_text().splitlines()
    ]
    for name, rater in (("named", BETTER), ("nameless", "better"), ("panel", f"anthropic+{BETTER}")):
        with (folder / f"{name}.jsonl").open("w") as file:
            for example in examples:
                p = figures_in(example["response"])["better"]
                tone = {"probabilities": {"MET": p, "UNMET": 1 - p}}
                line = {"id": example["id"], "rater": rater, "kind": "model", "criteria": {"tone": tone}}
                file.write(json.dumps({**line, "under": asked_under(rubric)}) + "\n")
    environment = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    command = ("markscheme", "certify", "reply", "--write", "--judge")
    nameless = run(*command, "nameless.jsonl", cwd=folder, env=environment)
    assert (nameless.returncode, nameless.stdout) == (2, "")
    assert "nameless.jsonl doesn't say which judge to ask" in nameless.stderr
    panel = run(*command, "panel.jsonl", cwd=folder, env=environment)
    assert (panel.returncode, f"--judge anthropic+{BETTER}" in panel.stderr) == (2, True)
    assert not (folder / "calibration" / "reply" / "cascade.json").exists()
    named = run(*command, "named.jsonl", cwd=folder, env=environment)
    assert named.returncode == 0, named.stdout + named.stderr
    (stage,) = json.loads((folder / "calibration" / "reply" / "cascade.json").read_text())["stages"]
    assert (stage["judge"], stage["model"], stage["certainty"]) == (BETTER, ["better-1"], "probability")


@pytest.mark.parametrize(
    "judge", ["function:desk:judge", f"{CHEAP}+function:desk:judge", f"{CHEAP},function:desk:judge"]
)
def test_before_asking_any_judge_certify_refuses_to_write_a_certificate_for_a_judge_function(
    judge: str, tmp_path: Path
) -> None:
    folder = write_project(tmp_path)
    (folder / "desk.py").write_text("raise SystemExit('this judge was imported')\n")
    done = run("markscheme", "certify", "reply", "--judge", judge.format("function:desk:judge"), "--write", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--write writes which judges to ask, and function:desk:judge is code, which no file may name;" in done.stderr
    assert not (folder / "calibration" / "reply" / "asks.jsonl").exists(), "the promise was counted"


def copied(certified: tuple[Path, Servers], to: Path) -> Path:
    shutil.copytree(certified[0], to)
    return to


def test_a_certificate_decides_nothing_once_a_label_it_was_made_from_changed(
    certified: tuple[Path, Servers], tmp_path: Path
) -> None:
    folder = copied(certified, tmp_path / "project")
    before, messages = graded(folder, certified[1])
    assert (sum(grade["decision"] == "ask" for grade in before) < OUTPUTS, "label" in messages) == (True, False)
    file = folder / "calibration" / "reply" / "examples.jsonl"
    labelled = file.read_text()
    label = {"rater": "ann", "kind": "human", "criteria": {"tone": 1}, "pass": True}
    file.write_text(labelled + json.dumps({"id": "further", "response": "Reply.", "labels": [label]}) + "\n")
    assert [grade["decision"] for grade in graded(folder, certified[1])[0]] == [grade["decision"] for grade in before]
    turned = labelled.replace('"pass": true', '"pass": false', 1)
    for changed in (turned, "".join(labelled.splitlines(keepends=True)[1:])):
        file.write_text(changed)
        grades, messages = graded(folder, certified[1])
        assert {grade["decision"] for grade in grades} == {"ask"}
        assert messages.count("changed since cascade.json was certified, so it decides nothing; certify again") == 1
    file.unlink()
    grades, messages = graded(folder, certified[1])
    assert [grade["decision"] for grade in grades] == [grade["decision"] for grade in before]
    assert messages.count("isn't here, so its labels were not checked") == 1


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"error": 1.5}, "error is between 0 and 1"),
        ({"confidence": 0}, "confidence is between 0 and 1"),
        ({"wrong_passes": -0.1}, "wrong_passes is between 0 and 1"),
        ({"for": "some"}, "for is one of both, passes, fails, each"),
        ({"decided": [10, -1]}, r"decided\[1\] is a whole number from 0"),
        ({"decided": [200, 200]}, "of 260 labels, and count more"),
        ({"errors": 1.5}, "errors is a whole number from 0"),
        ({"upper": 1.1}, "upper is from 0 to 1"),
        ({"labels": {"n": 260, "sha256": "", "groups": True}}, r"labels\.groups is a whole number from 0"),
        ({"automatic": {"value": 7e9}}, r"automatic\.value is from 0 to 1"),
        ({"automatic": {"value": 0.5, "low": -3}}, r"automatic\.low is from 0 to 1"),
        ({"automatic": {"value": 0.5, "n": -3}}, r"automatic\.n is a whole number from 0"),
        ({"automatic": {"passes": {"value": 7e9}, "fails": {}}}, r"automatic\.passes\.value is from 0 to 1"),
        ({"labels": {"n": 260, "explicit": -3}}, r"labels\.explicit is a whole number from 0"),
        ({"labels": {"n": 260, "explicit": 7 * 10**9}}, r"labels\.explicit is of 260 labels, and counts more"),
        ({"further": -3}, "further is a whole number from 0"),
        ({"further": 7e9}, "further is a whole number from 0"),
        ({"further": 7 * 10**9}, "further is a whole number from 0 to 1000"),
        ({"decisions": [{"judges": [None, [7e9, True]]}]}, r"decisions\[0\] has null, or a certainty from 0 to 1"),
        ({"decisions": [{"judges": [[-3, True]]}]}, r"decisions\[0\] has null, or a certainty from 0 to 1"),
        ({"stages": [{"certain": -0.5}]}, "a certainty is from 0 to 1"),
        ({"stages": [{"certain": {"passes": 10**400}}]}, "is too large"),
        ({"stages": [{"certain": {"passes": 2, "fails": 0.5}}]}, "a certainty is from 0 to 1"),
    ],
)
def test_a_certificate_with_impossible_numbers_is_refused(
    certified: tuple[Path, Servers], change: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    file = json.loads((certified[0] / "calibration" / "reply" / "cascade.json").read_text())
    stages = [{**file["stages"][0], **stage} for stage in change.get("stages", ())]
    path = tmp_path / "cascade.json"
    path.write_text(json.dumps({**file, **change, **({"stages": stages} if stages else {})}))
    with pytest.raises(RatingError, match=rf"cascade\.json: isn't a cascade: .*{problem}"):
        CascadeFile.load(path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"schema": 1, "stages": []}, "`fingerprints` is missing"),
        ({"schema": 1, "fingerprints": {}, "for": "both", "stages": [{}]}, "`certainty` is missing"),
        ({"schema": 1, "fingerprints": [], "for": "both", "stages": 3}, "a key has a value of another kind"),
        ({"stages": []}, "expected an object with schema 1"),
    ],
)
def test_the_error_on_a_certificate_that_lacks_a_key_says_which_key_is_missing(
    content: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "cascade.json"
    path.write_text(json.dumps(content))
    with pytest.raises(RatingError) as error:
        CascadeFile.load(path)
    assert str(error.value) == f"{path}: isn't a cascade: {problem}"


def test_the_certify_command_printed_by_calibrate_keeps_only_the_options_that_certify_takes() -> None:
    printed = Commands(
        "reply",
        "--judge openai:gpt",
        examples=Path("more.jsonl"),
        asking={"samples": "--samples 2", "strategy": "-o strategy=holistic"},
        comparing={"split": "--split dev", "gold": "-o gold=human"},
    ).certify()
    assert printed.endswith("--judge openai:gpt --examples more.jsonl --samples 2 -o strategy=holistic -o gold=human")
    _, name, *words = shlex.split(printed)
    parse(name, words, SettingsFile())
