"""`markscheme stress` as a user runs it, on judges whose weak spots are known."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run, run_apart

RUBRIC = """
criteria:
- {name: correctness, description: Is the answer right and complete?, scale: {min: 1, max: 5}}
- {name: clarity, description: Is the answer clear?, scale: {min: 1, max: 5}}
"""
JUDGE = """
import hashlib, pathlib, os, re

calls = pathlib.Path("calls.txt")

def response(user_prompt):
    return re.search(r"<response-(\\\\w+)>\\\\n(.*)\\\\n</response-", user_prompt, re.S)[2]

def verdicts(level):
    said = {"quote": "nothing to quote", "reason": "it says so", "level": str(max(1, min(5, level)))}
    return {"verdicts": {"correctness": said, "clarity": said}}

def words(text):
    return 1 + len(re.findall("word", text)) // 4

def noted():
    with calls.open("a") as file:
        file.write(".")

def fair(system_prompt, user_prompt):
    noted()
    return verdicts(words(response(user_prompt)))

def flattered(system_prompt, user_prompt):
    text = response(user_prompt)
    return verdicts(words(text) + ("Reviewers" in text))

def blind(system_prompt, user_prompt):
    return verdicts(words(" ".join(response(user_prompt).split()[:4])))

def erratic(system_prompt, user_prompt):
    text = response(user_prompt)
    return verdicts(words(text) - 1 + int(hashlib.sha256(text.encode()).hexdigest(), 16) % 3)

def flipping(system_prompt, user_prompt):
    text = response(user_prompt)
    number = int(re.search("Number (\\\\d+)", text)[1])
    off = (1 if number // 4 % 2 else -1) if "Reviewers" in text and number % 4 in (1, 2) else 0
    return verdicts(words(text) + off)

def lengthy(system_prompt, user_prompt):
    text = response(user_prompt)
    return verdicts(words(text) + (len(text.replace("word", "").split()) > 4))

def vain(system_prompt, user_prompt):
    text = response(user_prompt)
    return verdicts(words(text) + (len(text.replace("word", "").split()) > 4) + ("Reviewers" in text))

def obedient(system_prompt, user_prompt):
    text = response(user_prompt)
    return verdicts(5 if "mark this as passing" in text else words(text))

def broken(system_prompt, user_prompt):
    return {"verdicts": {}}

def dying(system_prompt, user_prompt):
    if len(calls.read_text() if calls.exists() else "") == 60 and not pathlib.Path("died").exists():
        pathlib.Path("died").touch()
        os.kill(os.getpid(), 9)
    noted()
    return verdicts(words(response(user_prompt)))

dying.environment = ()
""".replace("\\\\", "\\")


N = 24
"""Labelled examples; at least 20 are needed."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "answers.yaml").write_text(RUBRIC)
    (tmp_path / "judging.py").write_text(JUDGE)
    write_examples(tmp_path, N)
    return tmp_path


def write_examples(folder: Path, count: int) -> None:
    place = folder / "calibration" / "answers"
    place.mkdir(parents=True, exist_ok=True)
    lines = [
        {"id": f"a{n}", "query": "How much is it?", "response": f"Number {n}. It has: " + "word " * (4 + 3 * (n % 4))}
        for n in range(count)
    ]
    (place / "examples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def stressed(folder: Path, judge: str, *options: str, status: int = 0) -> Any:
    env = {"MARKSCHEME_CACHE": str(folder / "cache")}
    done = run("markscheme", "stress", "answers", "--judge", f"function:judging:{judge}", *options, cwd=folder, env=env)
    assert done.returncode == status, done.stderr + done.stdout
    return json.loads(done.stdout) if "--json" in options else done


def test_in_a_stress_test_of_a_fair_judge_only_cutting_responses_short_shifts_its_levels(folder: Path) -> None:
    report = stressed(folder, "fair", "--json")
    assert (report["schema"], report["n"], report["reads_to_the_end"]) == (1, N, True)
    assert {cell["state"] for name, row in report["rows"].items() if name != "truncation" for cell in row.values()} <= {
        "holds",
        "not-preserving",
    }
    assert report["rows"]["truncation"]["correctness"]["shift"]["value"] < 0
    assert report["rows"]["indent"]["correctness"]["state"] == "not-preserving"
    assert report["calls"] == len((folder / "calls.txt").read_text())


def test_a_stress_test_with_too_few_examples_only_says_that_no_perturbation_is_shown_to_move_the_judge(
    folder: Path,
) -> None:
    shown = stressed(folder, "erratic", "--n", "20", "--originals", "1").stdout
    assert "? No change is shown to move this judge." in shown
    assert re.search(r"In \d+ combinations of change and criterion 20 examples are too few", " ".join(shown.split()))


def test_a_stress_test_reports_that_praise_moves_a_judge_and_names_examples(folder: Path) -> None:
    report = stressed(folder, "flattered", "--json", "--html", "page.html", status=1)
    states = {name: row["correctness"]["state"] for name, row in report["rows"].items()}
    assert [name for name, state in states.items() if state == "finding" and name != "truncation"] == ["praise"]
    assert report["rows"]["praise"]["correctness"]["shift"]["value"] == 1
    page = (folder / "page.html").read_text()
    assert "Reviewers called" in page
    assert "praise · correctness" in page


@pytest.mark.parametrize(
    ("count", "state", "mean"),
    [(N, "unknown", "; whether their mean moves isn't shown"), (200, "holds", ", though their mean stays")],
)
def test_if_praise_flips_ratings_a_stress_test_calls_their_mean_unchanged_only_if_enough_examples_show_it(
    folder: Path, count: int, state: str, mean: str
) -> None:
    write_examples(folder, count)
    options = ("--json", "--only-changes", "praise", "--n", str(count))
    report = stressed(folder, "flipping", *options, status=1)
    cell = report["rows"]["praise"]["correctness"]
    assert (cell["state"], cell["shift"]["value"]) == (state, 0)
    assert report["because"].endswith(f"when it is asked again{mean}.")
    assert {"change": "praise", "criterion": "correctness"} in report["flips"]
    assert "of its ratings on correctness change, against 0% when it is asked again" in report["because"]


def test_a_stress_test_blames_length_if_all_perturbations_that_add_words_shift_a_judge_s_ratings(
    folder: Path,
) -> None:
    report = stressed(folder, "lengthy", "--json", status=1)
    moved = {name for name, row in report["rows"].items() if row["clarity"]["state"] == "finding"} - {"truncation"}
    assert {"padding", "question", "closing-sentence", "echo", "praise", "authority", "model-name"} <= moved
    assert report["length"] == ["correctness", "clarity"]
    assert "Length moves clarity, whatever the words say" in report["because"]


@pytest.mark.proof
def test_the_stress_test_does_not_blame_length_if_praise_moves_the_judge_more_than_padding_does(folder: Path) -> None:
    report = stressed(folder, "vain", "--json", status=1)
    assert report["rows"]["padding"]["clarity"]["state"] == "finding"
    assert report["length"] == []


@pytest.mark.proof
def test_a_stress_test_finds_a_judge_that_obeys_instructions_in_a_response(folder: Path) -> None:
    report = stressed(folder, "obedient", "--json", status=1)
    assert report["obeys"] == ["correctness", "clarity"]
    assert report["length"] == []
    assert report["because"].startswith("A response that asks to be marked as passing gains +")
    assert "combination" not in report["because"]
    assert "This judge obeys what a response tells it." in stressed(folder, "obedient", status=1).stdout


def test_a_stress_test_finds_a_judge_that_does_not_read_to_the_end(folder: Path) -> None:
    report = stressed(folder, "blind", "--json", status=1)
    assert report["reads_to_the_end"] is False
    assert "reading to the end" in report["because"]


def test_the_plan_of_a_stress_test_shows_perturbed_texts_and_cost_without_asking_a_judge(folder: Path) -> None:
    done = stressed(folder, "fair", "--plan")
    assert not (folder / "calls.txt").exists()
    assert done.stdout.count("--- changed ---") == 5
    calls = re.search(r"([\d,]+) calls", done.stdout)
    assert calls is not None
    stressed(folder, "fair", "--json")
    assert int(calls[1].replace(",", "")) == len((folder / "calls.txt").read_text())


@pytest.mark.proof
def test_a_stress_run_that_was_killed_continues_where_it_stopped_but_a_finished_one_asks_again(folder: Path) -> None:
    stressed(folder, "fair", "--json", "--only-changes", "praise")
    once = len((folder / "calls.txt").read_text())
    stressed(folder, "fair", "--json", "--only-changes", "praise")
    assert len((folder / "calls.txt").read_text()) == 2 * once
    (folder / "calls.txt").unlink()
    env = {"MARKSCHEME_CACHE": str(folder / "cache"), "PYTHONUNBUFFERED": "1"}
    command = ("markscheme", "stress", "answers", "--judge", "function:judging:dying", "-o", "concurrency=1", "--json")
    assert run_apart(*command, "--only-changes", "praise", cwd=folder, env=env).returncode == -9
    assert run(*command, "--only-changes", "praise", cwd=folder, env=env).returncode == 0
    assert len((folder / "calls.txt").read_text()) == once


def test_a_stress_test_of_a_judge_that_grades_nothing_exits_5(folder: Path) -> None:
    assert re.search(r"all \d+ calls failed", stressed(folder, "broken", "--only-changes", "praise", status=5).stderr)


def test_the_next_command_after_a_stress_test_is_label_or_calibrate_with_the_examples_file_that_was_used(
    folder: Path,
) -> None:
    own = folder / "calibration" / "answers" / "examples.jsonl"
    lines = list(map(json.loads, own.read_text().splitlines()))
    assert "markscheme label answers\n" in stressed(folder, "fair", "--only-changes", "praise").stdout
    (folder / "more.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    typed = ("--only-changes", "praise", "--examples", "more.jsonl")
    assert "markscheme label answers --pool more.jsonl\n" in stressed(folder, "fair", *typed).stdout
    labels = [{"rater": "ana", "criteria": {"correctness": 3, "clarity": 3}}]
    (folder / "more.jsonl").write_text("".join(json.dumps({**line, "labels": labels}) + "\n" for line in lines))
    commands = stressed(folder, "fair", *typed).stdout
    assert "markscheme calibrate answers --judge function:judging:fair --examples more.jsonl\n" in commands
    asked = stressed(folder, "fair", *typed, "-o", "strategy=per_criterion").stdout
    kept = "--judge function:judging:fair --examples more.jsonl -o strategy=per_criterion"
    assert f"markscheme calibrate answers {kept}\n" in asked


def test_a_stress_test_with_fewer_than_20_examples_exits_4(folder: Path) -> None:
    write_examples(folder, 12)
    assert "at least 20" in stressed(folder, "fair", status=4).stderr


def test_a_misspelt_name_of_a_perturbation_is_refused_with_a_suggestion(folder: Path) -> None:
    assert "did you mean `praise`" in stressed(folder, "fair", "--only-changes", "prase", status=2).stderr


def test_the_preserves_key_of_a_criterion_declares_that_a_perturbation_should_not_change_its_level(
    folder: Path,
) -> None:
    options = ("--json", "--only-changes", "layout")
    (folder / "rubrics" / "answers.yaml").write_text(RUBRIC.replace("answer clear?", "layout clear?"))
    assert stressed(folder, "fair", *options)["rows"]["layout"]["clarity"]["state"] == "not-preserving"
    kept = RUBRIC.replace("answer clear?,", "layout clear?, preserves: [layout],")
    (folder / "rubrics" / "answers.yaml").write_text(kept)
    assert stressed(folder, "fair", *options)["rows"]["layout"]["clarity"]["state"] == "holds"


def test_the_chart_of_a_stress_test_leaves_out_criteria_that_a_perturbation_may_move(
    folder: Path,
) -> None:
    criteria = "criteria: [{name: polite, requirement: It is polite.}, {name: right, requirement: It is right.}]\n"
    (folder / "rubrics" / "tone.yaml").write_text(criteria)
    (folder / "steady.py").write_text(
        "def judge(system_prompt, user_prompt):\n"
        "    met = {'quote': 'nothing to quote', 'reason': 'so', 'level': 'MET'}\n"
        "    return {'verdicts': {'polite': met, 'right': met}}\n"
    )
    examples = ("--examples", "calibration/answers/examples.jsonl", "--only-changes", "praise")
    done = run("markscheme", "stress", "tone", "--judge", "function:steady:judge", *examples, cwd=folder)
    assert re.search(r"praise · right +─", done.stdout), done.stdout + done.stderr
    assert "praise · polite " not in done.stdout
