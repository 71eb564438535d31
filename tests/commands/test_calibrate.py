"""`calibrate` as a user runs it: judges, output, exit statuses, and a run that is killed."""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import INSTALLED, ROOT, SECONDS, environment, run, scripts
from tests.real.messages_front import Answer, MessagesFront, Request, late, message

RUBRICS = ["code-quality", "error-messages", "documentation", "api-design"]
YES_NO_RUBRIC = "criteria:\n- {name: polite, requirement: The reply is polite, weight: 1}\n"


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    """An environment whose kept replies are the test's own."""
    return {"MARKSCHEME_CACHE": str(tmp_path / "cache")}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with one yes/no rubric."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "polite.yaml").write_text(YES_NO_RUBRIC)
    return tmp_path


def label(project: Path, n: int, *, kind: str = "human", raters: int = 1, wrong: int = 0) -> None:
    """Write `n` labelled examples, half of them polite, and a judge's ratings of which `wrong` differ."""
    folder = project / "calibration" / "polite"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "examples.jsonl").open("w") as examples, (project / "judge.jsonl").open("w") as ratings:
        for i in range(n):
            level = "MET" if i % 2 else "UNMET"
            labels = [{"rater": f"r{r}", "kind": kind, "criteria": {"polite": level}} for r in range(raters)]
            examples.write(json.dumps({"id": f"e{i}", "response": f"reply {i}", "labels": labels}) + "\n")
            level_given = ("UNMET" if level == "MET" else "MET") if i < wrong else level
            ratings.write(json.dumps({"id": f"e{i}", "judge": "j", "criteria": {"polite": level_given}}) + "\n")


def test_ratings_that_are_not_levels_of_the_scale_are_counted_and_reported(project: Path) -> None:
    label(project, 40)
    with (project / "judge.jsonl").open("a") as ratings:
        ratings.write("".join(f'{{"id": "m{i}", "judge": "j", "criteria": {{"polite": "MAYBE"}}}}\n' for i in range(2)))
    with (project / "calibration" / "polite" / "examples.jsonl").open("a") as examples:
        line_form = (
            '{{"id": "m{}", "response": "more {}", "labels": [{{"rater": "r0", "criteria": {{"polite": "MET"}}}}]}}\n'
        )
        examples.write("".join(line_form.format(i, i) for i in range(2)))
    done = calibrated(project, "--json", "report.json")
    report = json.loads((project / "report.json").read_text())
    assert (report["counts"]["unread"], report["counts"]["not_graded"]) == (2, 2)
    assert report["drift"][-2:] == [None, None]
    assert done.returncode == 0, done.stderr


def calibrated(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run("calibrate", "polite", "--ratings", "judge.jsonl", *options, cwd=project)


def test_a_criterion_whose_levels_have_no_order_gets_cohen_s_kappa_and_no_weighted_kappa(project: Path) -> None:
    levels = "[{value: 0, label: tie}, {value: 1, label: first}, {value: 2, label: second}]"
    (project / "rubrics" / "polite.yaml").write_text(
        f"criteria:\n- {{name: polite, description: Which, weight: 1, scale_type: nominal, levels: {levels}}}\n"
    )
    (project / "calibration" / "polite").mkdir(parents=True)
    with (
        (project / "calibration" / "polite" / "examples.jsonl").open("w") as examples,
        (project / "judge.jsonl").open("w") as ratings,
    ):
        for i in range(60):
            labels = [{"rater": f"r{r}", "criteria": {"polite": i % 3}} for r in range(2)]
            examples.write(json.dumps({"id": f"e{i}", "response": f"reply {i}", "labels": labels}) + "\n")
            level_given = (i + 1) % 3 if i < 6 else i % 3
            ratings.write(json.dumps({"id": f"e{i}", "judge": "j", "criteria": {"polite": level_given}}) + "\n")
    done = calibrated(project, "--json", "report.json", "--html", "report.html")
    assert done.returncode in (0, 1, 4), done.stderr
    figures = json.loads((project / "report.json").read_text())["criteria"]["polite"]
    assert figures["exact_agreement"]["value"] == pytest.approx(0.9)
    assert figures["cohen_kappa"]["value"] == pytest.approx((0.9 - 1 / 3) / (1 - 1 / 3))
    assert "weighted_kappa" not in figures


@pytest.mark.parametrize("name", RUBRICS)
def test_each_shipped_rubric_can_be_calibrated_without_an_api_key(name: str, cache: dict[str, str]) -> None:
    done = run("calibrate", f"rubrics/{name}.yaml", env=cache)
    assert done.returncode in (1, 4), done.stderr
    first, *rest = done.stdout.splitlines()
    assert f"{name} · recorded:claude" in first
    assert "obtained outside the API" in " ".join(done.stdout.split())
    assert "synthetic labels" in done.stdout
    assert "False passes " in done.stdout
    assert any(line.startswith("Criterion") for line in rest)


def test_calibrate_s_json_is_strict_and_has_the_documented_keys(cache: dict[str, str]) -> None:
    done = run("calibrate", "rubrics/code-quality.yaml", "--json", "-", env=cache)

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} in the JSON")

    report = json.loads(done.stdout, parse_constant=refuse)
    assert {
        "schema", "rubric", "judge", "counts", "agreement", "agreement_constant", "agreement_person", "drift",
        "needs_adjustment", "overall", "criteria", "raters", "false_passes", "false_fails", "baseline", "findings",
        "verdict", "use", "labels_needed", "cost",
    } <= report.keys()  # fmt: skip
    assert report["schema"] == 1
    assert report["judge"]["source"] == "recorded"
    assert set(report["criteria"]) == {"readability", "correctness", "efficiency", "maintainability"}
    assert {"mae", "signed_error", "pass_kappa"} <= report["overall"].keys()
    assert len(report["drift"]) == report["counts"]["examples"]
    estimate = report["agreement"]
    assert set(estimate) == {"value", "low", "high", "level", "n", "method", "undefined", "note"}
    assert report["use"] in ("explore", "none")
    assert "recorded:claude" in done.stderr


def test_calibrating_a_good_judge_on_labels_by_two_people_exits_0_and_lets_it_gate(project: Path) -> None:
    label(project, 60, raters=2)
    done = calibrated(project, "--json", "report.json")
    report = json.loads((project / "report.json").read_text())
    assert (done.returncode, report["verdict"], report["use"]) == (0, "ok", "gate")
    assert report["raters"]["reference"] == "people"


def test_calibrating_a_good_judge_on_labels_by_one_person_exits_0_and_allows_trends_only(project: Path) -> None:
    label(project, 60)
    done = calibrated(project, "--json", "-")
    assert (done.returncode, json.loads(done.stdout)["use"]) == (0, "trend")


def test_calibrating_a_bad_judge_exits_1_and_advises_against_it_before_listing_false_passes(
    project: Path,
) -> None:
    label(project, 60, raters=2, wrong=40)
    done = calibrated(project)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert next(i for i, line in enumerate(lines) if "Don't use this judge" in line) < next(
        i for i, line in enumerate(lines) if line.startswith("  False passes  20 of ")
    )


def test_calibrate_with_too_few_labels_exits_4_and_says_how_many_are_needed(project: Path) -> None:
    label(project, 8, raters=2)
    done = calibrated(project, "--json", "-")
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"], report["use"]) == (4, "not-enough-labels", "explore")
    assert report["labels_needed"] == 72  # eighty in all, for a judge at 90%
    answers = {question: report["decision"].pop(question) for question in ("gate", "trend")}
    assert {question: (answer["state"], answer["because"]) for question, answer in answers.items()} == {
        "gate": ("open", "side-open, target-open"),
        "trend": ("open", "target-open"),
    }
    assert {name: (share["n"], share["low"], share["least"]) for name, share in answers["gate"]["figures"].items()} == {
        "same_decision": (8, pytest.approx(0.025 ** (1 / 8)), 0.8),
        "stops": (4, None, 0.7),
        "keeps": (4, None, 0.7),
    }
    assert report["decision"] == {
        "level": 0.95,
        "settings": 1,
        "labels_needed": 72,
        "labels_chance": pytest.approx(0.5927, abs=1e-4),
        "except": [],
        "limits": {"false_pass": None, "false_fail": None},
    }
    printed = " ".join(calibrated(project).stdout.split())
    assert (
        "Label about 72 more for an even chance to say whether the judge can gate, if half of them are fails "
        "and it agrees on 90%." in printed
    )
    assert "Draw them from a file of your outputs: markscheme label polite --next 72" in printed
    assert "Full report (or --html report.html): markscheme calibrate polite --ratings judge.jsonl --details" in printed


def test_constructed_labels_never_let_a_judge_decide(project: Path) -> None:
    label(project, 60, kind="constructed", raters=2)
    done = calibrated(project, "--json", "-")
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"], report["use"]) == (4, "ok", "explore")


@pytest.mark.proof
def test_a_pipe_closed_early_changes_neither_files_nor_exit_status(project: Path) -> None:
    label(project, 60, kind="adjudicated")
    reading, writing = os.pipe()
    os.close(reading)
    command = [str(INSTALLED / "calibrate"), "polite", "--ratings", "judge.jsonl", "--json", "report.json"]
    try:
        done = subprocess.run(
            command, cwd=project, env=environment(), stdout=writing, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads((project / "report.json").read_text())["use"] == "gate"


def test_calibrate_exits_5_if_over_a_tenth_of_the_responses_is_ungraded(project: Path) -> None:
    label(project, 60, raters=2)
    lines = (project / "judge.jsonl").read_text().splitlines()
    (project / "judge.jsonl").write_text("\n".join(lines[:50]) + "\n")
    assert calibrated(project).returncode == 5


def test_calibrate_exits_3_without_a_judge_to_ask_and_says_what_to_do(project: Path) -> None:
    label(project, 4)
    done = run("calibrate", "polite", cwd=project)
    assert done.returncode == 3
    assert "ANTHROPIC_API_KEY" in done.stderr
    assert "`markscheme status`" in done.stderr


def test_calibrating_by_a_named_judge_that_lacks_its_api_key_exits_3_with_an_error_of_one_line(project: Path) -> None:
    label(project, 12)
    done = run("calibrate", "polite", "--judge", "openai:some-model", cwd=project, env={"OPENAI_API_KEY": ""})
    assert done.returncode == 3
    assert done.stderr.startswith("error: the judge openai:some-model needs a key")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("fault", "expected_message"),
    [
        ('{"id": "e0", "response": "again"}', "examples.jsonl:9: id 'e0' is on line 1 already"),
        ('{"id": "x", "response": 3}', "examples.jsonl:9: an example has a response, a text; found 3"),
        ('{"id": "x"}', "examples.jsonl:9: an example has a response, a text; `response` is missing"),
        ('{"id": "x", "response": "a", "labels": [{"criteria": {"rude": 1}}]}', "no criterion 'rude'; it has polite"),
        (
            '{"id": "x", "response": "a", "labels": [{"criteria": {"polite": 7}}]}',
            "polite: 7 isn't a level of its",
        ),
        ('{"id": "x", "response": "a", "split": "train"}', "split is one of dev, test; found 'train'"),
        ("{not json", "examples.jsonl:9: is not readable JSON"),
    ],
)
def test_a_faulty_example_is_reported_with_its_file_and_line_and_exit_status_2(
    project: Path, fault: str, expected_message: str
) -> None:
    label(project, 8)
    with (project / "calibration" / "polite" / "examples.jsonl").open("a") as file:
        file.write(fault + "\n")
    done = calibrated(project, "--json", "report.json")
    assert done.returncode == 2
    assert expected_message in done.stderr
    assert not (project / "report.json").exists()


def test_calibrating_a_misspelt_rubric_exits_2_and_the_error_names_the_known_rubric_with_the_nearest_name(
    project: Path,
) -> None:
    done = run("calibrate", "polit", cwd=project)
    assert done.returncode == 2
    assert "did you mean 'polite'?" in done.stderr


# --- a run that is killed -------------------------------------------------------------------------------------------


@pytest.fixture
def slow_server() -> Iterator[MessagesFront]:
    def decide(request: Request) -> Answer:
        answer = {"verdicts": {"polite": {"quote": "nothing to quote", "reason": "It is.", "level": "MET"}}}
        return late(message(json.dumps(answer)), 0.05)

    with MessagesFront(decide) as front:
        yield front


@pytest.mark.proof
def test_a_killed_run_of_calibrate_continues_where_it_stopped(
    project: Path, slow_server: MessagesFront, cache: dict[str, str]
) -> None:
    label(project, 120)
    env = environment({**cache, "ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": slow_server.url})
    command = [str(scripts() / "calibrate"), "polite", "-o", "concurrency=4", "--json", "report.json", "--quiet"]
    for wanted in (25, 50, 75):
        slow_server.held_from = wanted
        process = subprocess.Popen(command, cwd=project, env=env, stdout=subprocess.PIPE)
        deadline = time.monotonic() + SECONDS
        while len(slow_server.requests) < wanted and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()  # its output ends when it has ended
        slow_server.held_from = None
    assert 75 <= len(slow_server.requests) < 120
    subprocess.run(command, cwd=project, env=env, check=False)
    report = json.loads((project / "report.json").read_text())
    assert report["counts"]["graded"] == 120
    asked = Counter(request.body["messages"][0]["content"] for request in slow_server.requests)
    assert len(asked) == 120
    assert sum(asked.values()) - 120 <= 3 * 4  # those in flight at each of three kills
    assert report["counts"]["from_cache"] + report["cost"]["calls"] == 120


def test_a_second_run_of_calibrate_asks_no_judge_and_reports_how_many_replies_came_from_the_cache(
    project: Path, slow_server: MessagesFront, cache: dict[str, str]
) -> None:
    label(project, 12)
    env = {**cache, "ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": slow_server.url}
    run("calibrate", "polite", cwd=project, env=env)
    asked = len(slow_server.requests)
    again = run("calibrate", "polite", "--json", "-", cwd=project, env=env)
    assert len(slow_server.requests) == asked == 12
    report = json.loads(again.stdout)
    assert (report["cost"]["calls"], report["counts"]["from_cache"], report["judge"]["source"]) == (0, 12, "live")


@pytest.mark.proof  # `tests/judges/test_anthropic.py` has a verdict of both
def test_calibrate_asks_a_real_local_model_through_the_real_sdk_and_prints_no_api_key(
    project: Path, messages_front: MessagesFront, cache: dict[str, str]
) -> None:
    label(project, 1)
    env = {**cache, "ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": messages_front.url}
    done = run("calibrate", "polite", "--json", "-", "-o", "concurrency=2", cwd=project, env=env)
    report = json.loads(done.stdout)
    assert report["judge"]["name"].startswith("anthropic")
    assert report["counts"]["graded"] + report["counts"]["not_graded"] == 1
    assert report["cost"]["calls"] >= 1
    assert "test-key" not in done.stdout + done.stderr


def test_calibrate_finds_a_rubric_by_name_from_a_folder_below_the_project_s_folder(
    tmp_path: Path, cache: dict[str, str]
) -> None:
    done = run("calibrate", "code-quality", cwd=ROOT / "src" / "markscheme", env=cache)
    assert done.returncode in (1, 4), done.stderr
