"""`markscheme improve`, run as a user runs it, with a judge that reads the rubric's words."""

import json
import math
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.improve.look_records import open_test_labels
from markscheme.features.improve.selection import chance_to_find
from markscheme.ratings.examples import load_examples
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run
from tests.commands.pasted import printed_commands
from tests.features.improve.reader import ASKED, HARMS, HEARD, HELPS, number_of
from tests.features.improve.reading import (
    PROPOSER,
    SECRET,
    edit,
    good_proposals,
    make_project,
    prompts_of,
    reading_judge,
    user_environment,
    with_proposer,
)
from tests.judges.chat_server import Answer, ChatServer, failing

JUDGE, SERVED_JUDGE = ("--judge", "function:reader:judge"), ("--judge", "openai:reader")
CLOSER = 2 / 3
"""How much closer to the label the judge's score is where the better words help."""
BETTER, WORSE, SAME = f"The {HELPS} is polite", f"The reply is polite, {HARMS}", "The reply is quite polite"


class Project:
    """A project for `improve`, with a server if a model is to be asked."""

    def __init__(self, folder: Path, server: ChatServer | None = None) -> None:
        self.folder, self.server = folder, server
        self.home = folder / "calibration" / "manners"
        self.rubric = folder / "rubrics" / "manners.yaml"

    def run(self, command: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run a command on the project's rubric, and return the finished process."""
        env = user_environment(self.folder, self.server.url if self.server else "")
        return run("markscheme", command, "manners", *options, cwd=self.folder, env={**env, "COLUMNS": "118"})

    def improve(self, *options: str, judge: tuple[str, str] = JUDGE) -> tuple[int, dict[str, Any], str]:
        """Run `improve`, and return exit status, JSON and standard error."""
        done = self.run("improve", *judge, *options, "--json")
        return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr

    def shown(self, *options: str) -> str:
        """Run `improve`, and return what the terminal shows."""
        return self.run("improve", *JUDGE, *options).stdout

    def candidate(self, name: str, *edits: Any) -> str:
        """Write a file of JSON edits, and return its path."""
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(edits))
        return path.name

    def opened(self) -> list[dict[str, Any]]:
        """Return the recorded openings of the held-out labels."""
        path = self.home / "opened.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def prompts_received(self) -> list[tuple[str, str]]:
        """Return the prompts that the judge function got, and those that the server got, in order."""
        asked = self.folder / ASKED
        judged = [json.loads(line) for line in asked.read_text().splitlines()] if asked.exists() else []
        served = self.server.requests if self.server else []
        return [(system, user) for system, user in judged] + [prompts_of(body) for body in served]

    def judge_hears_words_on(self, numbers: Iterable[int]) -> None:
        """Make the judge ignore the rubric's words on all but some replies."""
        (self.folder / HEARD).write_text(json.dumps([*numbers]))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(make_project(tmp_path))


def test_a_better_wording_is_selected_on_dev_examples_and_confirmed_on_held_out_labels(project: Project) -> None:
    files = [project.candidate("better", edit(BETTER)), project.candidate("worse", edit(WORSE))]
    status, report, _ = project.improve("--candidates", *files)
    assert (status, report["adopted"], report["finalists"]) == (1, None, ["better"])
    assert (report["gain"], report["opening"], report["alpha"]) == (None, None, None)
    assert (report["dev"], report["sealed"]) == (15, 30)
    assert project.opened() == []
    status, report, _ = project.improve("--candidates", *files, "--open")
    assert (status, report["adopted"], report["opening"], report["alpha"]) == (0, "better", 1, 0.05)
    assert 0 < report["gain"]["low"] < report["gain"]["value"] < report["held_out"]["mae_lower_by"]
    assert report["agreement_gain"]["value"] > 0.1
    assert re.match(
        r"On the 30 held-out examples, better's MAE is 0\.\d{3} lower\. It was selected for doing well, so expect "
        r"0\.\d{3} \(95% CI 0\.\d{3} to 0\.\d{3}\) on new ones\.",
        report["because"],
    )
    (opening,) = project.opened()
    assert opening["alpha"] == 0.05
    assert opening["adopted"] in opening["wordings"]
    assert len(set(project.prompts_received())) == len(project.prompts_received())


def test_without_the_open_option_improve_asks_the_judge_about_no_held_out_example(project: Project) -> None:
    project.improve("--candidates", project.candidate("better", edit(BETTER)))
    lines = (project.home / "examples.jsonl").read_text().splitlines()
    held_out = {i for i, line in enumerate(lines) if json.loads(line)["split"] == "test"}
    assert len(held_out) == 30
    seen = {number_of(user) for _, user in project.prompts_received()}
    assert seen
    assert not seen & held_out


def test_the_callout_is_a_whole_sentence_though_a_wording_s_name_has_a_full_stop(project: Project) -> None:
    shown = project.shown("--candidates", project.candidate("v1. shorter", edit(BETTER)))
    assert "v1. shorter did better than yours on" in " ".join(shown.split()).partition(" Only ")[0]
    callout = next(line for line in shown.splitlines() if line.startswith("? "))
    assert callout.startswith("? v1. shorter did better than yours on")


def test_improve_divides_the_examples_into_dev_and_test_once_and_changes_nothing_else_in_their_file(
    project: Project,
) -> None:
    before = (project.home / "examples.jsonl").read_text().splitlines()
    project.improve("--candidates", project.candidate("better", edit(BETTER)))
    drawn = (project.home / "examples.jsonl").read_text().splitlines()
    assert [re.sub(r', "split": "(dev|test)"', "", line) for line in drawn] == before
    project.improve("--candidates", project.candidate("worse", edit(WORSE)))
    assert (project.home / "examples.jsonl").read_text().splitlines() == drawn


def test_if_no_wording_is_better_on_dev_examples_the_held_out_labels_are_not_used(project: Project) -> None:
    status, report, _ = project.improve("--candidates", project.candidate("worse", edit(WORSE)), "--open")
    assert (status, report["finalists"], project.opened()) == (1, [], [])
    assert report["because"] == (
        "The new wording did not do better than yours on the 15 dev examples. The held-out labels were not used."
    )


def test_a_wording_that_changes_no_score_is_not_tested_on_held_out_labels(project: Project) -> None:
    status, report, _ = project.improve("--candidates", project.candidate("same", edit(SAME)), "--open")
    assert (status, report["wordings"][0]["outcome"], project.opened()) == (1, "same scores", [])


@pytest.mark.proof
def test_if_no_wording_is_confirmed_no_held_out_figure_is_shown(tmp_path: Path) -> None:
    """On dev the new words help; on held-out examples they do nothing."""
    project = Project(make_project(tmp_path, split=True))
    project.judge_hears_words_on(range(0, 45, 3))
    status, report, _ = project.improve("--candidates", project.candidate("better", edit(BETTER)), "--open")
    assert (status, report["adopted"], report["opening"]) == (1, None, 1)
    assert (report["gain"], report["agreement_gain"], report["held_out"]) == (None, None, None)
    assert project.opened()[0]["adopted"] is None
    again = project.improve("--candidates", project.candidate("better", edit(BETTER)), "--open")
    assert (again[0], again[1]["opening"], len(project.opened())) == (1, 1, 1)
    second = project.improve("--candidates", project.candidate("other", edit(f"{BETTER} throughout")), "--open")
    assert (second[1]["opening"], second[1]["alpha"]) == (2, 0.025)


@pytest.mark.parametrize("every", [3, 9])
def test_if_no_wording_is_confirmed_the_report_gives_the_chance_that_the_labels_confirm_a_better_wording(
    tmp_path: Path, every: int
) -> None:
    """Every third reply is of dev. The new words bring the judge closer to some of these, and to one or two others."""
    project = Project(make_project(tmp_path, split=True))
    project.judge_hears_words_on([1, 2, *range(0, 45, every)])
    _, report, _ = project.improve("--candidates", project.candidate("better", edit(BETTER)), "--open")
    n = report["dev"]
    times = round(report["wordings"][0]["dev"]["mae_lower_by"] * n / CLOSER)
    spread = CLOSER * math.sqrt(times * (n - times) / (n * (n - 1)))
    chance = round(100 * chance_to_find(report["tasks"]["sealed"], report["alpha"], spread))
    assert report["because"] == (
        "The held-out labels don't confirm any of the new wordings; yours stays. With 30 held-out examples a gain of "
        f"0.10 in agreement (0.038 in MAE) is found with a probability of {chance}% here."
    )
    assert chance != round(100 * chance_to_find(report["tasks"]["sealed"], report["alpha"]))


@pytest.mark.proof
def test_each_further_test_on_the_same_held_out_labels_has_half_the_significance_level_of_the_test_before(
    project: Project,
) -> None:
    better = project.candidate("better", edit(BETTER))
    project.improve("--candidates", better)  # draws the parts
    project.run("calibrate", *JUDGE, "--split", "test")
    assert project.opened() == [], "figures of the rubric in use are no look"
    examples = load_examples(project.home / "examples.jsonl", load_rubric(project.rubric))
    for _ in range(2):
        open_test_labels(examples, by="somebody", at="2026-11-27")
    assert len(project.opened()) == 2
    _, report, _ = project.improve("--candidates", better, "--open")
    assert (report["opening"], report["alpha"]) == (3, 0.0125)
    labels = project.home / "ratings"
    labels.mkdir()
    held_out = next(
        json.loads(line)
        for line in (project.home / "examples.jsonl").read_text().splitlines()
        if json.loads(line)["split"] == "test"
    )
    levels = held_out["labels"][0]["criteria"]
    fresh = {
        "id": held_out["id"],
        "rater": "rater-ben",
        "kind": "human",
        "criteria": {"polite": 1 + levels["polite"] % 3, "short": not levels["short"]},
    }
    (labels / "ben.jsonl").write_text(json.dumps(fresh) + "\n")
    _, report, _ = project.improve("--candidates", better, "--open")
    assert (report["opening"], report["alpha"]) == (4, 0.00625), "one fresh label leaves the others opened"


def test_examples_are_divided_into_dev_and_held_out_examples_only_once_a_wording_is_tried(
    project: Project,
) -> None:
    stale = project.candidate("stale", edit(BETTER, "words that the rubric lacks"))
    _, report, _ = project.improve("--candidates", stale)
    assert ([refused["candidate"] for refused in report["refused"]], report["parts_written"]) == (["stale"], False)
    assert "split" not in (project.home / "examples.jsonl").read_text()
    words = " ".join(project.shown("--candidates", project.candidate("worse", edit(WORSE)), "--details").split())
    assert "Your labelled examples have parts from now on (`split` in their file): 15 dev, 30 held out." in words
    assert '"split": "dev"' in (project.home / "examples.jsonl").read_text()
    _, report, _ = project.improve("--candidates", project.candidate("worse", edit(WORSE)))
    assert report["parts_written"] is False


def test_a_wording_that_cannot_be_written_into_the_rubric_file_is_refused_before_held_out_labels_are_used(
    project: Project,
) -> None:
    text = project.rubric.read_text()
    shared = text.replace("description: The reply is polite", "description: &words The reply is polite")
    project.rubric.write_text(shared.replace("requirement: The reply is short", "requirement: *words"))
    _, report, complaint = project.improve("--candidates", project.candidate("better", edit(BETTER)), "--open")
    assert report, complaint
    assert "can't be written into manners.yaml" in report["refused"][0]["why"]
    assert project.opened() == []


def test_if_no_wording_is_confirmed_improve_shows_the_best_wording_next_to_the_author_s(
    project: Project,
) -> None:
    words = " ".join(project.shown("--candidates", project.candidate("worse", edit(WORSE)), "--details").split())
    assert re.search(r"\d+ calls: (\$[\d.]+|price unknown)", words)
    assert "worse, side by side with yours" in words
    assert HARMS in words


def test_the_help_of_improve_shows_an_example_of_a_file_of_edits() -> None:
    done = run("markscheme", "improve", "--help", env={"COLUMNS": "200"})
    assert '"field": "description", "old": "The reply is polite"' in " ".join(done.stdout.split())


def test_after_improve_wrote_new_words_it_prints_a_command_that_calibrates_by_the_new_words(project: Project) -> None:
    better = project.candidate("better", edit(BETTER))
    shown = project.shown("--candidates", better, "--open", "--write")
    assert "Its words are in the rubric's file now." in shown
    command, *_ = printed_commands(shown)
    assert command == f"markscheme calibrate manners {shlex.join(JUDGE)}"
    env = user_environment(project.folder, "")
    assert run(*shlex.split(command), cwd=project.folder, env=env).stdout.startswith("manners · function:reader:judge")


def test_improve_with_the_write_option_changes_only_the_tested_words_in_the_rubric_file_and_records_the_change(
    project: Project,
) -> None:
    before = project.rubric.read_text()
    project.run("calibrate", *JUDGE, "--accept", "--force")
    better = project.candidate("better", edit(BETTER))
    project.improve("--candidates", better, "--open")
    status, report, _ = project.improve("--candidates", better, "--open", "--write")
    assert (status, report["written"], len(project.opened())) == (0, True, 1)
    assert project.rubric.read_text() == before.replace("The reply is polite ", f"{BETTER} ")
    (noted,) = (json.loads(line) for line in (project.home / "history.jsonl").read_text().splitlines())
    assert (noted["wording"], noted["n"], noted["opening"]) == ("better", 30, 1)
    assert noted["from"] != noted["to"] == report["wordings"][0]["fingerprint"]
    assert noted["gain"]["low"] > 0
    accepted = json.loads((project.home / "accepted.json").read_text())
    assert accepted["old_wording"]["now"] == noted["to"]
    project.rubric.write_text(before)  # as if it had been ended between the record and the file
    status, _, _ = project.improve("--candidates", better, "--open", "--write")
    assert (status, len((project.home / "history.jsonl").read_text().splitlines())) == (0, 1)
    status, report, _ = project.improve("--candidates", better, "--open")
    assert (status, report["refused"]) == (
        1,
        [{"candidate": "better", "why": "`old` doesn't quote the words of polite.description: 'The reply is polite'"}],
    )


@pytest.mark.proof
def test_with_the_outside_option_improve_tests_on_all_labels_and_says_that_the_user_vouches_for_the_wording(
    project: Project,
) -> None:
    files = [project.candidate("better", edit(BETTER)), project.candidate("worse", edit(WORSE))]
    status, report, _ = project.improve("--candidates", *files, "--outside")
    assert (status, report["adopted"], report["opening"], report["sealed"]) == (0, "better", 1, 45)
    (look,) = project.opened()
    assert (look["by"], look["n"]) == ("improve --outside", 45)
    _, again, _ = project.improve("--candidates", project.candidate("other", edit(SAME)), "--outside")
    assert (again["opening"], again["alpha"]) == (2, 0.025)
    assert "you vouch that it was written without these labels" in report["because"]
    assert "split" not in (project.home / "examples.jsonl").read_text()


def test_improve_refuses_the_outside_option_without_the_open_option(
    project: Project,
) -> None:
    better = project.candidate("better", edit(BETTER))
    project.improve("--candidates", better)
    status, _, complaint = project.improve("--candidates", better, "--outside")
    assert (status, project.opened()) == (2, [])
    assert "add --open" in complaint
    status, report, _ = project.improve("--candidates", better, "--outside", "--open")
    assert (status, report["opening"], len(project.opened())) == (0, 1, 1)


def test_improve_with_too_few_labelled_tasks_exits_4_before_asking_the_judge(tmp_path: Path) -> None:
    project = Project(make_project(tmp_path, tasks=25))
    status, _, complaint = project.improve("--candidates", project.candidate("better", edit(BETTER)))
    assert (status, project.prompts_received()) == (4, [])
    assert "8 dev and 17 held-out tasks (the outputs of a group are one task), and 10 and 20 are needed" in complaint
    assert "split" not in (project.home / "examples.jsonl").read_text()


def test_the_improve_command_counts_several_examples_of_one_task_as_a_single_example(tmp_path: Path) -> None:
    project = Project(make_project(tmp_path, n=60, tasks=30))
    _, report, _ = project.improve("--candidates", project.candidate("better", edit(BETTER)), "--open")
    assert (report["dev"], report["sealed"], report["tasks"]) == (20, 40, {"dev": 10, "sealed": 20})
    assert report["gain"]["n"] == 20


def test_improve_with_the_plan_option_asks_no_judge_and_writes_nothing(project: Project) -> None:
    status, report, _ = project.improve("--plan", "--proposer", "openai:writer")
    assert (status, project.prompts_received()) == (0, [])
    assert (report["held_out_needed"], report["labels_needed"]) == (132, 198)
    assert report["rubric"] == {"name": "manners", "fingerprint": load_rubric(project.rubric).fingerprint}
    assert (report["dev"], report["sealed"], report["alpha"]) == ([15, 15], [30, 30], 0.05)
    assert "split" not in (project.home / "examples.jsonl").read_text()


def test_a_candidate_whose_examples_are_ungraded_is_rejected(tmp_path: Path) -> None:
    def judge(body: dict[str, Any]) -> Answer:
        return failing(400, "no") if HELPS in prompts_of(body)[0] else reading_judge(body)

    make_project(tmp_path)
    with ChatServer(judge) as server:
        project = Project(tmp_path, server)
        better = project.candidate("better", edit(BETTER))
        status, report, _ = project.improve("--candidates", better, "--open", judge=SERVED_JUDGE)
    assert (status, report["wordings"][0]["outcome"], project.opened()) == (1, "not graded", [])


# --- a proposer -----------------------------------------------------------------------------------------------------


@pytest.fixture
def proposing(tmp_path: Path) -> Callable[[Callable[[int, int, str], str]], Iterator[Project]]:
    make_project(tmp_path)
    return lambda propose: _served(tmp_path, propose)


def _served(folder: Path, propose: Callable[[int, int, str], str]) -> Iterator[Project]:
    with ChatServer(with_proposer(propose)) as server:
        yield Project(folder, server)


PROPOSING = ("--proposer", "openai:writer")


def test_improve_asks_a_model_for_new_wordings_in_rounds_until_a_round_brings_no_better_wording(proposing: Any) -> None:
    for project in proposing(good_proposals):
        status, report, _ = project.improve(*PROPOSING, "--open")
        assert (status, report["adopted"], report["rounds"]) == (0, "round-1/2", 2)
        proposals = [(system, user) for system, user in project.prompts_received() if system.startswith(PROPOSER)]
        assert len(proposals) == 10
        assert f'"old": "The {HELPS} is polite"' in proposals[-1][0]
        assert "Tried before, without success" in proposals[-1][0]
        assert len(set(project.prompts_received())) == len(project.prompts_received())


def test_a_model_that_proposes_wordings_sees_only_dev_examples_and_no_names_of_raters(proposing: Any) -> None:
    for project in proposing(good_proposals):
        project.improve(*PROPOSING, "--rounds", "1", "--batch", "2")
        assert sum(system.startswith(PROPOSER) for system, _ in project.prompts_received()) == 2
        lines = [json.loads(line) for line in (project.home / "examples.jsonl").read_text().splitlines()]
        dev = {i for i, line in enumerate(lines) if line["split"] == "dev"}
        for system, user in project.prompts_received():
            if system.startswith(PROPOSER):
                shown = {int(number) for number in re.findall(r"reply (\d+) of", user)}
                assert shown
                assert shown <= dev
                assert len(shown) <= 12
                assert "annotator A, polite:" in user
                assert "judge, polite:" in user
                assert not re.search(r"ex-\d{3}|rater-anna", system + user)


def refusing_proposals(round: int, number: int, prompt: str) -> str:
    """Return proposals to refuse (a copied example, a changed weight, too long, prose), and last one that is better."""
    match number:
        case 1:
            return json.dumps([edit(f"The reply says {SECRET}")])
        case 2:
            return json.dumps({"edits": [edit("2", "1", "weight")]})
        case 3:
            return json.dumps({"edits": [edit("polite " * 4000)]})
        case 4:
            return "I would make the criterion clearer."
    return json.dumps({"edits": [edit(BETTER)]})


def test_invalid_proposals_are_refused_and_the_other_proposals_are_tried(proposing: Any) -> None:
    for project in proposing(refusing_proposals):
        status, report, _ = project.improve(*PROPOSING, "--rounds", "1", "--open")
        why = {refusal["candidate"]: refusal["why"] for refusal in report["refused"]}
        assert "copies 8 words or more of a labelled example: “" in why["round-1/1"]
        assert why["round-1/2"].startswith("changes `weight` of polite; only words may change")
        assert re.match(r"has 4,\d{3} words, over 1\.5 times the \d+ of yours", why["round-1/3"])
        assert why["round-1/4"].startswith("answers no JSON")
        assert (status, report["adopted"], len(why)) == (0, "round-1/5", 4)


def test_if_all_proposals_of_a_round_are_refused_improve_asks_for_proposals_in_one_more_round(proposing: Any) -> None:
    def propose(round: int, number: int, prompt: str) -> str:
        return "No idea." if round == 1 else good_proposals(1, number, prompt)

    for project in proposing(propose):
        _, report, _ = project.improve(*PROPOSING)
        assert [refusal["candidate"] for refusal in report["refused"][:5]] == [f"round-1/{n}" for n in range(1, 6)]
        assert report["finalists"] == ["round-2/2"]


def test_improve_stops_once_proposals_and_calls_of_the_judge_have_spent_the_budget(proposing: Any) -> None:
    for project in proposing(good_proposals):
        price = ("-o", "price=100:100", "--budget", "0.3", "-o", "concurrency=1")
        status, report, complaint = project.improve(*PROPOSING, *price, "--rounds", "1", judge=SERVED_JUDGE)
        calls = len(project.prompts_received())
        assert status in (1, 2)
        assert calls < 15 + 5 + 5 * 15
        assert "budget" in (complaint + report.get("because", ""))


# --- ended and begun again ------------------------------------------------------------------------------------------


IN_ROUNDS = (
    "improve",
    "manners",
    *SERVED_JUDGE,
    *PROPOSING,
    "--rounds",
    "1",
    "--open",
    "-o",
    "concurrency=1",
    "--json",
)
FEWEST = 30
"""Examples: a third are dev, and at least 10 of these are needed."""
START = (sys.executable, "-m", "markscheme", *IN_ROUNDS)


@pytest.fixture(scope="module")
def never_killed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the report of a run of `improve` that wasn't killed."""
    folder = make_project(tmp_path_factory.mktemp("never-killed"), n=FEWEST)
    with ChatServer(with_proposer(good_proposals)) as server:
        done = run("markscheme", *IN_ROUNDS, cwd=folder, env=user_environment(folder, server.url))
    whole: dict[str, Any] = json.loads(done.stdout)
    return whole


@pytest.mark.parametrize(
    "phase",
    [
        pytest.param("default", marks=pytest.mark.proof),
        *(pytest.param(phase, marks=pytest.mark.release) for phase in ("proposals", "screen")),
        pytest.param("sealed", marks=pytest.mark.proof),
    ],
)
def test_a_killed_run_of_improve_continues_where_it_stopped(
    tmp_path: Path, phase: str, never_killed: dict[str, Any]
) -> None:
    """The process is killed in the middle of a phase; the same command gives the answer of a run that wasn't."""
    victim: list[subprocess.Popen[str]] = []
    answered: list[tuple[str, str]] = []
    decide = with_proposer(good_proposals)

    def judge(body: dict[str, Any]) -> Answer:
        system, user = prompts_of(body)
        if victim and _is_in(phase, answered, system, user, tmp_path):
            victim[0].send_signal(signal.SIGKILL)
            victim[0].wait()
            victim.clear()
            return failing(500, "gone")
        answered.append((system, user))
        return decide(body)

    make_project(tmp_path, n=FEWEST)
    with ChatServer(judge) as server:
        env = user_environment(tmp_path, server.url)
        first = subprocess.Popen(
            START, cwd=tmp_path, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        victim.append(first)
        printed, _ = first.communicate()
        assert (first.returncode, printed) == (-signal.SIGKILL, "")
        after = run("markscheme", *IN_ROUNDS, cwd=tmp_path, env=env)
        report = json.loads(after.stdout)
        assert (after.returncode, report["adopted"], report["opening"]) == (0, "round-1/2", 1)
        opened = (tmp_path / "calibration" / "manners" / "opened.jsonl").read_text().splitlines()
        assert len(opened) == 1
        assert len(set(answered)) == len(answered)
    compared = ("adopted", "finalists", "refused", "gain", "agreement_gain", "opening", "alpha", "because", "wordings")
    assert {key: report[key] for key in compared} == {key: never_killed[key] for key in compared}


def _is_in(phase: str, answered: list[tuple[str, str]], system: str, user: str, folder: Path) -> bool:
    """Return whether a prompt comes in the middle of a phase of the run."""
    proposals = sum(answer.startswith(PROPOSER) for answer, _ in answered)
    match phase:
        case "default":
            return len(answered) == 8
        case "proposals":
            return system.startswith(PROPOSER) and proposals == 2
        case "screen":
            return proposals == 5 and HELPS in system and len(answered) > FEWEST / 3 + 5 + 5
    opened = folder / "calibration" / "manners" / "opened.jsonl"
    return opened.exists() and HELPS in system and not system.startswith(PROPOSER)


# --- what a reader sees ---------------------------------------------------------------------------------------------


def test_improve_reports_separate_figures_on_dev_and_held_out_examples_and_marks_the_changed_words(
    project: Project,
) -> None:
    better = project.candidate("better", edit(BETTER))
    shown = project.shown("--candidates", better, "--open", "--html", "page.html", "--details")
    assert "On dev: 15 examples, which chose among the wordings" in shown
    assert "Held out: 30 examples" in shown
    assert f"+    description: {BETTER}" in shown
    page = (project.folder / "page.html").read_text()
    assert "<ins><bdi>whole</bdi></ins> reply is polite" in page


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--numbers", "--outside"), "--numbers tries weights and pass mark alone"),
        (("--outside", "--proposer", "openai:x"), "a --proposer is shown dev labels"),
        (("--outside",), "--outside needs wordings"),
        (("--candidates", "missing.yaml"), "there is no candidate missing.yaml"),
    ],
)
def test_contradictory_options_of_improve_are_refused(
    project: Project, options: tuple[str, ...], complaint: str
) -> None:
    status, _, printed = project.improve(*options)
    assert status == 2
    assert complaint in printed


@pytest.mark.proof
def test_calibrate_with_the_split_option_says_that_its_figures_are_for_dev_or_test_examples(project: Project) -> None:
    before = project.run("calibrate", *JUDGE).stdout
    assert "45 examples," in before
    project.improve("--candidates", project.candidate("worse", edit(WORSE)))
    assert "45 examples," in project.run("calibrate", *JUDGE).stdout
    for part, n in (("dev", 15), ("test", 30)):
        after = project.run("calibrate", *JUDGE, "--split", part).stdout
        assert f"{n} of 45 examples ({part})," in after
