"""`markscheme experiment` as a user runs it: on recorded outputs, on a function, killed and resumed, held to rules."""

import json
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import SECONDS, environment, run, scripts
from tests.features.experiment.small import FILE, JUDGE, MODEL, RECORDED, make_experiment, without_settings, write_lines

SLOW = """
import json, pathlib, time

def noted(name):
    folder = pathlib.Path(__file__).parent
    with (folder / name).open("a") as file:
        file.write(".")
    held = folder / "held.txt"  # names the file with which no more is answered once it has 15 marks
    while held.exists() and held.read_text() == name and (folder / name).stat().st_size >= 15:
        time.sleep(0.01)

def answer(system_prompt, user_prompt):
    noted("answered.txt")
    time.sleep(0.05)
    return f"To {user_prompt}: quality={1 + int(user_prompt.split()[-1]) % 5 if 'good' in system_prompt else 1}"

def judge(system_prompt, user_prompt):
    noted("judged.txt")
    time.sleep(0.05)
    level = user_prompt.split("quality=")[1][0]
    return {"verdicts": {"tone": {"quote": "nothing to quote", "reason": "so", "level": level}}}

answer.environment = judge.environment = ()
"""
SLOW_ONES = ("--judge", "function:slow:judge", "--model", "function:slow:answer")
MANY = """
rubric: rubric.yaml
model: function:slow:answer
variants:
  - {name: good, system: Be good.}
  - {name: bad, system: Be bad.}
cases: cases.jsonl
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_experiment(tmp_path)
    return tmp_path


def experiment(folder: Path, *options: str, status: int = 0, file: str = FILE) -> subprocess.CompletedProcess[str]:
    env = {"MARKSCHEME_CACHE": str(folder / "cache")}
    done = run("markscheme", "experiment", file, *options, cwd=folder, env=env)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def recorded(folder: Path, *options: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    return experiment(folder, "--outputs", RECORDED, "--judge", JUDGE, *options, status=status)


def relevel(folder: Path, **levels: int) -> None:
    """Rewrite the judge's source so that it rates each named criterion lower by so many levels."""
    desk = folder / "desk.py"
    lowered = ", ".join(f"{name!r}: {by}" for name, by in levels.items())
    text = desk.read_text().replace('"level": str(n)}', f'"level": str(max(1, n - {{{lowered}}}.get(name, 0)))}}')
    desk.write_text(text)


# --- what it would ask ----------------------------------------------------------------------------------------------


def test_planning_an_experiment_states_its_cost_and_asks_neither_the_model_nor_the_judge(
    folder: Path,
) -> None:
    (folder / "slow.py").write_text(SLOW)
    (folder / "many.experiment.yaml").write_text(MANY)
    (folder / "rubric.yaml").write_text("criteria: [{name: tone, description: Its tone.}]\n")
    write_lines(folder / "cases.jsonl", [{"id": f"c{n}", "inputs": {"query": f"Case {n}"}} for n in range(10)])
    options = ("--plan", "-o", "price=3:15", *SLOW_ONES)
    plan = json.loads(experiment(folder, *options, "--json", "-", file="many.experiment.yaml").stdout)
    assert plan["outputs"] == {"from_files": 0, "kept": 0, "to_make": 20}
    assert (plan["grading"]["calls"], plan["grading"]["without_outputs"]) == (20, True)
    assert plan["grading"]["usd"] > 0
    screen = experiment(folder, *options, file="many.experiment.yaml").stdout
    assert "A plan: no calls were made." in screen
    assert not (folder / "answered.txt").exists()
    assert not (folder / "judged.txt").exists()
    given = json.loads(recorded(folder, "--plan", "--json", "-").stdout)
    assert given["outputs"]["to_make"] == 0
    assert given["outputs"]["from_files"] == given["grading"]["calls"]
    refused = recorded(folder, "--plan", "--accept", status=2)
    assert "--plan makes no run: no --fail-if, --accept" in refused.stderr


# --- what it prints and writes --------------------------------------------------------------------------------------


def test_an_experiment_on_recorded_outputs_is_graded_and_its_report_fits_a_screen(folder: Path) -> None:
    printed = recorded(folder, "--details").stdout
    assert "Experiment support: 2 variants × 3 cases, graded by support-quality" in printed
    assert "formal: overall 0.81 (4.25 in levels)" in printed
    assert not (folder / "support.experiment").exists()


def test_an_experiment_writes_csv_and_json_and_markdown(folder: Path) -> None:
    recorded(folder, "--csv", "t.csv", "--json", "t.json", "--markdown", "t.md")
    assert (
        (folder / "t.csv")
        .read_text()
        .startswith("variant,criterion,mean,min,max,n,not_graded,overall\nformal,accuracy,")
    )
    data = json.loads((folder / "t.json").read_text())
    assert data["table"]["casual"]["overall"]["mean"] == pytest.approx(37 / 48)
    first = data["outputs"][0]
    assert (first["variant"], first["case"], first["score"]) == ("formal", "password", 0.875)
    assert first["output"].startswith("Please select")
    assert "| formal | accuracy | 4.67 |" in (folder / "t.md").read_text()


def test_the_experiment_command_prints_nothing_but_json_to_standard_output_if_json_is_asked_for_without_a_file(
    folder: Path,
) -> None:
    done = recorded(folder, "--json")
    assert json.loads(done.stdout)["counts"] == {"outputs": 6, "asked_now": 0, "not_graded": 0}
    assert "Experiment support" in done.stderr


def test_a_second_run_of_experiment_reuses_the_outputs_that_a_function_made(folder: Path) -> None:
    without_settings(folder / FILE)
    first = experiment(folder, "--judge", JUDGE, "--model", MODEL)
    again = experiment(folder, "--judge", JUDGE, "--model", MODEL)
    assert f"6 outputs, 6 made now by {MODEL}" in first.stdout
    assert f"6 outputs, 0 made now by {MODEL}" in again.stdout
    assert first.stdout.split("\n\n", 1)[1] == again.stdout.split("\n\n", 1)[1]
    lines = (folder / "support.experiment" / "outputs.jsonl").read_text().splitlines()
    assert len(lines) == 6
    unkept = experiment(folder, "--judge", JUDGE, "--model", MODEL, "-o", "cache=off")
    assert f"6 made now by {MODEL}" in unkept.stdout
    assert len((folder / "support.experiment" / "outputs.jsonl").read_text().splitlines()) == 6


def test_an_experiment_calls_a_function_again_in_each_run_unless_its_environment_variables_are_declared(
    tmp_path: Path,
) -> None:
    project = many(tmp_path, 2)
    (project / "slow.py").write_text(SLOW.replace("answer.environment = judge.environment = ()", ""))
    counts = []
    for _ in range(2):
        experiment(project, *SLOW_ONES, file="many.yaml")
        counts.append((size_of(project, "answered.txt"), size_of(project, "judged.txt")))
    (outputs, verdicts), twice = counts
    assert outputs == 4
    assert twice == (2 * outputs, 2 * verdicts)
    assert len((project / "many.experiment" / "outputs.jsonl").read_text().splitlines()) == 4, "the same texts"


# --- rules ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("overall < 0.77", 0),
        ("overall < 0.8", 1),
        ("formal.overall < 0.8", 0),
        ("tone < 4.5", 1),
        ("casual.tone < 4.5", 0),
        ("pass_rate < 0.5", 0),
        ("pass_rate <= 0.7", 1),
    ],
)
def test_rules_of_the_fail_if_option_decide_the_exit_status_of_experiment(folder: Path, rule: str, status: int) -> None:
    printed = recorded(folder, "--fail-if", rule, status=status).stdout
    assert ("Fails." in printed) == bool(status)


def test_an_experiment_reports_every_fail_if_rule_that_it_breaks(folder: Path) -> None:
    printed = recorded(folder, "--fail-if", "overall < 0.8", "--fail-if", "tone < 4.5", status=1).stdout
    assert " ".join(printed.split()).count("and the run fails if") == 2


def test_with_repeated_cases_an_experiment_reports_how_often_a_rule_of_the_fail_if_option_fails_by_chance(
    folder: Path,
) -> None:
    draw = random.Random(1)
    names = [f"{case}-{run}" for case in range(8) for run in range(3)]
    write_lines(folder / "repeated.jsonl", [{"id": name, "inputs": {"query": name.split("-")[0]}} for name in names])
    made = [{"variant": "only", "case": name, "output": f"quality={draw.randint(2, 5)}."} for name in names]
    write_lines(folder / "made.jsonl", made)
    (folder / "slow.py").write_text(SLOW)
    (folder / "tone.yaml").write_text("criteria: [{name: tone, description: The tone, scale: {min: 1, max: 5}}]\n")
    variant = "{name: only, outputs: made.jsonl}"
    (folder / "repeated.yaml").write_text(f"{{rubric: tone.yaml, variants: [{variant}], cases: repeated.jsonl}}\n")
    rules = ("--fail-if", "overall < 0.2", "--fail-if", "tone < 1.5")
    experiment(folder, *rules, *SLOW_ONES, "--json", "told.json", file="repeated.yaml")
    (note,) = [note for note in json.loads((folder / "told.json").read_text())["notes"] if " < " in note]
    assert note.startswith("only, 'overall < 0.2': This gate would fail")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--fail-if", "overall < 4"), "overall lies between 0 and 1"),
        (("--fail-if", "worse"), "there is no accepted run"),
        (("--csv", "-", "--json"), "cannot share standard output"),
        (("--csv", "nowhere/t.csv"), "there is no folder nowhere"),
        (("--judge", "function:desk:nobody"), "nobody"),
        (("--calibration", "nowhere.json"), "nowhere.json"),
    ],
)
def test_the_experiment_command_exits_2_and_names_the_fault_if_an_option_is_wrong(
    folder: Path, options: tuple[str, ...], words: str
) -> None:
    assert words in recorded(folder, *options, status=2).stderr


def test_faults_in_an_experiment_s_file_exit_2_and_are_reported_by_line(folder: Path) -> None:
    text = (folder / FILE).read_text().replace("rubric:", "rubrik:").replace("name: casual", "name: formal")
    (folder / FILE).write_text(text)
    printed = recorded(folder, status=2).stderr
    assert f"{FILE}:2: unknown key 'rubrik'; did you mean 'rubric'?" in printed
    assert "`rubric` is missing" in printed


def test_without_a_judge_to_ask_the_experiment_command_exits_3(folder: Path) -> None:
    assert "OPENAI_API_KEY" in experiment(folder, "--judge", JUDGE, status=3).stderr
    assert "no judge to ask" in experiment(folder, "--outputs", RECORDED, status=3).stderr


def test_an_experiment_with_over_a_tenth_of_its_outputs_ungraded_exits_5_and_is_not_accepted(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / RECORDED).read_text().splitlines()]
    write_lines(folder / "less.jsonl", [line for line in lines if line["case"] != "dark-mode"])
    options = ("--outputs", "less.jsonl", "--judge", JUDGE, "--fail-if", "tone < 1.5", "--accept")
    done = experiment(folder, *options, status=5)
    assert "2 not graded: the file holds no output of this variant for this case" in done.stdout
    assert "not accepted" in done.stderr
    assert not (folder / "support.experiment").exists()


# --- the accepted run -----------------------------------------------------------------------------------------------


def test_an_experiment_run_with_fail_if_worse_fails_only_if_a_variant_is_worse_than_in_the_accepted_run(
    tmp_path: Path,
) -> None:
    project = many(tmp_path, 12)
    first = experiment(project, *SLOW_ONES, "--accept", "--fail-if", "worse", file="many.yaml")
    accepted = project / "many.experiment" / "accepted.json"
    assert json.loads(accepted.read_text())["marks"][0]["variant"] == "good"
    assert "quality=" not in accepted.read_text()
    assert "! good is better than bad, by a judge that isn't calibrated." in first.stdout
    same = experiment(project, *SLOW_ONES, "--fail-if", "worse", file="many.yaml")
    assert "Since the accepted run" in same.stdout
    (project / "many.yaml").write_text((project / "many.yaml").read_text().replace("Be good.", "Be bad."))
    kept = accepted.read_text()
    worse = experiment(project, *SLOW_ONES, "--fail-if", "worse", "--accept", status=1, file="many.yaml")
    assert "good: worse than the accepted run in overall, tone" in worse.stdout
    assert accepted.read_text() == kept


def test_a_run_by_another_judge_cannot_be_compared_with_the_accepted_experiment(folder: Path) -> None:
    recorded(folder, "--accept")
    relevel(folder, tone=1)
    assert "graded by another judge" in recorded(folder).stdout
    assert "graded by another judge" in recorded(folder, "--fail-if", "worse", status=2).stderr
    recorded(folder, "--accept", "--fail-if", "worse")
    recorded(folder, "--fail-if", "worse")


def test_an_experiment_with_an_unreadable_accepted_run_exits_2(folder: Path) -> None:
    (folder / "support.experiment").mkdir()
    (folder / "support.experiment" / "accepted.json").write_text('{"schema": 1}')
    assert "isn't an accepted experiment" in recorded(folder, status=2).stderr


def test_accepting_an_experiment_replaces_an_unreadable_accepted_run_with_a_warning(folder: Path) -> None:
    (folder / "support.experiment").mkdir()
    (folder / "support.experiment" / "accepted.json").write_text('{"schema": 1}')
    printed = recorded(folder, "--accept", "--fail-if", "worse").stderr
    assert "warning: not compared with the run accepted before: " in printed
    assert "Since the accepted run" in recorded(folder, "--fail-if", "worse", "--details").stdout


def test_accepting_an_experiment_is_refused_if_a_file_or_folder_is_in_the_way_of_the_accepted_run(folder: Path) -> None:
    without_settings(folder / FILE)
    kept = folder / "support.experiment"
    kept.write_text("mine")
    assert (
        "support.experiment, but a file has that name"
        in experiment(folder, "--judge", JUDGE, "--accept", status=2).stderr
    )
    assert kept.read_text() == "mine"
    kept.unlink()
    (kept / "accepted.json").mkdir(parents=True)
    printed = experiment(folder, "--judge", JUDGE, "--accept", status=2).stderr
    assert "accepted.json cannot be written: it is a folder" in printed
    assert list(kept.iterdir()) == [kept / "accepted.json"]


# --- corrected by labels --------------------------------------------------------------------------------------------


def test_a_calibration_corrects_the_pass_rates_of_an_experiment(folder: Path) -> None:
    counts = {(True, True): 27, (True, False): 3, (False, True): 4, (False, False): 16}
    labelled = [pair for pair, count in counts.items() for _ in range(count)]
    lines = [{"id": f"l{n}", "gold": gold, "judge": judge} for n, (gold, judge) in enumerate(labelled)]
    write_lines(folder / "labels.jsonl", lines)
    data = json.loads(recorded(folder, "--calibration", "labels.jsonl", "--json").stdout)
    assert data["pass_rates"]["corrected"]["value"] == pytest.approx((2 / 3 - 0.2) / 0.7)


def test_the_experiment_command_refuses_an_unreadable_calibration_before_it_asks_a_judge(folder: Path) -> None:
    without_settings(folder / FILE)
    rated = {"gold": {"pass": [True, False]}, "judge": {"pass": [True, False]}}
    half = {"judge": {"name": "j"}, "rubric": {"name": "r"}, "examples": ["a", "b"], "rated": rated}
    (folder / "half.json").write_text(json.dumps(half))
    printed = experiment(folder, "--judge", JUDGE, "--calibration", "half.json", status=2).stderr
    assert "half.json: isn't a calibration that can be read" in printed
    assert not (folder / "support.experiment").exists()


@pytest.mark.proof
def test_the_rubric_s_accepted_calibration_corrects_the_pass_rates_of_an_experiment(folder: Path) -> None:
    home = folder / "calibration" / "support-quality"
    home.mkdir(parents=True)
    (folder / "rubrics").mkdir()
    (folder / "support-quality.yaml").rename(folder / "rubrics" / "support-quality.yaml")
    (folder / FILE).write_text((folder / FILE).read_text().replace("support-quality.yaml", "support-quality"))
    texts = [json.loads(line) for line in (folder / RECORDED).read_text().splitlines()]
    inputs = {"query": "?", "context": "."}
    labels = [{"rater": "ana", "criteria": dict.fromkeys(("accuracy", "tone", "completeness", "conciseness"), 5)}]
    bad = [{"rater": "ana", "criteria": dict.fromkeys(("accuracy", "tone", "completeness", "conciseness"), 1)}]
    examples = [
        # the judge passes three of six; people agree with it throughout
        {"id": f"e{n}-{k}", "inputs": {**inputs, "query": f"{k}"}, "response": line["output"], "labels": good_or_bad}
        for k in range(4)
        for n, line in enumerate(texts)
        for good_or_bad in [labels if n in (0, 2, 3, 4) else bad]
    ]
    write_lines(home / "examples.jsonl", examples)
    env = {"MARKSCHEME_CACHE": str(folder / "cache")}
    run("calibrate", "support-quality", "--judge", JUDGE, "--accept", "--force", cwd=folder, env=env)
    assert (home / "accepted.json").is_file()
    rates = json.loads(recorded(folder, "--json").stdout)["pass_rates"]
    assert (rates["labels"], rates["drawn"], rates["reference"]) == (24, "elsewhere", "one-person")
    assert rates["corrected"]["value"] == pytest.approx(2 / 3)  # a judge that never errs is right as it is


# --- killed and resumed ---------------------------------------------------------------------------------------------


def many(folder: Path, cases: int) -> Path:
    """Write an experiment of two variants on many cases, with a slow model and a slow judge that count their calls."""
    (folder / "slow.py").write_text(SLOW)
    (folder / "rubric.yaml").write_text("criteria: [{name: tone, description: Is kind}]\n")
    (folder / "many.yaml").write_text(MANY)
    write_lines(folder / "cases.jsonl", [{"id": f"c{n}", "inputs": {"query": f"case {n}"}} for n in range(cases)])
    return folder


def size_of(folder: Path, name: str) -> int:
    return (folder / name).stat().st_size if (folder / name).exists() else 0


@pytest.mark.parametrize("during", ["answered.txt", "judged.txt"])
@pytest.mark.proof
def test_a_killed_experiment_continues_where_it_stopped_and_asks_nothing_twice(tmp_path: Path, during: str) -> None:
    project = many(tmp_path, 20)
    env = environment({"MARKSCHEME_CACHE": str(project / "cache")})
    held = project / "held.txt"
    held.write_text(during)
    command = [str(scripts() / "markscheme"), "experiment", "many.yaml", *SLOW_ONES]
    process = subprocess.Popen([*command, "-o", "concurrency=2"], cwd=project, env=env, stdout=subprocess.PIPE)
    deadline = time.monotonic() + SECONDS
    while size_of(project, during) < 15 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()  # its output ends when it has ended
    held.unlink()
    assert 15 <= size_of(project, during) < 40
    data: dict[str, Any] = json.loads(experiment(project, *SLOW_ONES, "--json", file="many.yaml").stdout)
    assert data["counts"]["not_graded"] == 0
    assert size_of(project, "answered.txt") - 40 <= 2  # those under way when it was killed
    assert size_of(project, "judged.txt") - 40 <= 2
    kept = [json.loads(line) for line in (project / "many.experiment" / "outputs.jsonl").read_text().splitlines()]
    assert {line["id"] for line in kept} == {line["id"] for line in data["outputs"]}
    assert len(kept) == 40


# --- hostile text ---------------------------------------------------------------------------------------------------


def test_hostile_text_in_outputs_does_nothing_in_terminals_or_html_or_markdown_or_spreadsheets(folder: Path) -> None:
    hostile = "=cmd|'/c calc'!A1 \x1b[31m<script>alert(1)</script>"
    lines = [json.loads(line) for line in (folder / RECORDED).read_text().splitlines()]
    for line in lines:
        line["variant"] = {"formal": hostile, "casual": "[link](http://x)|b"}[line["variant"]]
    write_lines(folder / "hostile.jsonl", lines)
    inputs = {"query": "?", "context": "."}
    (folder / "e.yaml").write_text(
        json.dumps(
            {
                "rubric": "support-quality.yaml",
                "outputs": "hostile.jsonl",
                "cases": [{"id": case, "inputs": inputs} for case in ("password", "charged-twice", "dark-mode")],
            }
        )
    )
    done = experiment(folder, "--judge", JUDGE, "--csv", "t.csv", "--markdown", "t.md", file="e.yaml")
    assert "\x1b" not in done.stdout
    page = (folder / "t.md").read_text()
    assert "<script>" not in page
    assert "[link](" not in page
    assert all(line.startswith(("variant", "'=", "[link]")) for line in (folder / "t.csv").read_text().splitlines())
    assert "\x1b" not in (folder / "t.csv").read_text()
