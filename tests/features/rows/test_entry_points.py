"""One set of rows with criteria of their own, through every door: each gives the same scores."""

import asyncio
import csv
import json
from pathlib import Path
from typing import Any

import pytest

from markscheme import Grader, ScriptedJudge, reward
from markscheme.promptfoo.assertion import assess
from markscheme.promptfoo.engine import Engine
from markscheme.prompts.prompt import Prompt
from markscheme.sockets.trl import rubric_reward
from tests.commands.console import run

pytestmark = pytest.mark.proof

JUDGE = """
import re


def judge(system_prompt, user_prompt):
    shown = re.search(r"<response[^>]*>(.*?)</response", user_prompt, re.DOTALL)[1]
    asked = re.findall(r'"([a-z0-9-]+)"[^:]*: Names ([A-Za-z]+)', system_prompt)
    words = {"quote": "nothing to quote", "reason": "Seen."}
    return {"verdicts": {name: {**words, "level": "MET" if town in shown else "UNMET"} for name, town in asked}}
"""
ROWS: list[dict[str, Any]] = [
    {
        "id": "leeds",
        "response": "Leeds.",
        "rubric": [
            {"requirement": "Names Leeds", "weight": 3, "tags": ["town"]},
            {"requirement": "Names York", "weight": 1, "tags": ["town"]},
        ],
    },
    {"id": "hull", "response": "Hull.", "rubric": [{"criterion": "Names Hull", "points": 5, "tags": ["port"]}]},
    {"id": "faulty", "response": "Hull.", "rubric": [{"requirement": "Names Hull", "weight": 0}]},
]
RAW = [3.0, 5.0, None]
SHAPES: list[Any] = [
    {"prompt_id": "p", "rubrics": [{"criterion": "Names Hull in the reply", "points": 5, "tags": ["axis:accuracy"]}]},
    {"sample_id": "s", "rubrics": [{"criterion": "Names Hull in the reply", "weight": 5, "axis": "Explicit Criteria"}]},
    {"task_id": "t", "rubrics": [{"criterion_description": "Names Hull in the reply", "criterion_weight": "Critical"}]},
    [{"title": "Hull", "description": "Essential Criteria: Names Hull in the reply.", "weight": 5}],
    {"requirements": "all", "weight": 1, "sub_tasks": [{"requirements": "Names Hull in the reply", "weight": 2}]},
]
"""HealthBench, ResearchRubrics, ProfBench, rubrics as rewards, PaperBench."""


def by_town(prompt: Prompt, _: int) -> dict[str, str]:
    shown = prompt.material["response"]
    return {q.name: "MET" if q.instructions.split()[1].rstrip(".") in shown else "UNMET" for q in prompt.questions}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    (folder / "core.yaml").write_text("criteria: [{name: bath, requirement: Names Bath, weight: 1}]\n")
    (folder / "judging.py").write_text(JUDGE)
    return folder


def grade(folder: Path, *arguments: str) -> Any:
    return run("markscheme", "grade", *arguments, "--judge", "function:judging:judge", cwd=folder)


def test_a_reward_function_uses_the_criteria_of_each_response() -> None:
    rubrics = [row["rubric"] for row in ROWS]
    seen: dict[int, Any] = {}
    rewards = reward([row["response"] for row in ROWS], rubrics, judge=ScriptedJudge(by_town), seen=seen.__setitem__)
    assert asyncio.run(rewards) == RAW
    assert "weight must be a finite number" in seen[2].error


def test_a_grader_without_a_rubric_uses_the_criteria_of_each_row() -> None:
    with Grader(None, ScriptedJudge(by_town)) as grader:
        grades = [grader.grade_sync(row["response"], rubric=row["rubric"]) for row in ROWS]
    assert [grade.raw_score for grade in grades] == RAW
    assert [grade.tags for grade in grades] == [{"town": (0.75, 2)}, {"port": (1.0, 1)}, {}]


def test_grade_uses_each_row_s_criteria_and_reports_a_faulty_rubric_as_the_error_of_its_row(folder: Path) -> None:
    done = grade(folder, "rows.jsonl", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["raw_score"] for row in rows] == RAW
    assert (done.returncode, rows[2]["error"].startswith("its rubric, criterion 1: weight")) == (5, True)


def test_grading_a_table_lists_as_inputs_only_the_columns_that_the_judge_is_shown(tmp_path: Path) -> None:
    with (tmp_path / "rows.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "task", "query", "response", "rubric"])
        rows.writerow(["hull", "t1", "A port?", "Hull.", json.dumps(ROWS[1]["rubric"])])
    (tmp_path / "judging.py").write_text(JUDGE)
    done = grade(tmp_path, "rows.csv")
    assert done.returncode == 0, done.stderr
    assert "rows.csv: response from column response, id from column id; inputs: query\n" in done.stderr


def test_the_grade_command_prints_the_command_that_labels_rows_if_their_judge_has_no_accepted_run(folder: Path) -> None:
    printed = grade(folder, "rows.jsonl").stdout
    assert "Judge: no accepted run.\n" in printed
    assert "\n  markscheme label rows.jsonl\n" in printed


def test_the_label_command_that_grade_prints_names_both_the_common_rubric_and_the_rows(
    folder: Path,
) -> None:
    assert "\n  markscheme label core.yaml rows.jsonl\n" in grade(folder, "core.yaml", "rows.jsonl").stdout


def test_a_row_s_score_combines_the_row_s_own_criteria_with_those_of_the_rubric_for_all_rows(folder: Path) -> None:
    rows = [json.loads(line) for line in grade(folder, "core.yaml", "rows.jsonl", "--json").stdout.splitlines()]
    assert [row["score"] for row in rows] == [pytest.approx(3 / 5), pytest.approx(5 / 6), None]
    assert [row["rubric"]["source"] for row in rows[:2]] == ["core+row"] * 2


@pytest.mark.parametrize(
    "core",
    [
        "compare: pairs\ncriteria: [{prefer: Is better}]",
        "strategy: holistic\ncriteria: [{name: A, description: Is short}]",
    ],
)
def test_the_grade_command_refuses_rows_with_their_own_criteria_next_to_a_rubric_of_pairs_or_a_holistic_one(
    core: str, folder: Path
) -> None:
    (folder / "alone.yaml").write_text(core)
    done = grade(folder, "alone.yaml", "rows.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    assert "3 of 3 rows bring a rubric of their own, and alone judges by one rubric alone" in done.stderr


@pytest.mark.parametrize("more", [(), ("--out", "graded.csv"), ("--show-prompt",)])
def test_the_grade_command_refuses_rows_with_criteria_of_their_own_if_the_strategy_is_set_to_holistic(
    more: tuple[str, ...], folder: Path
) -> None:
    done = grade(folder, "rows.jsonl", "-o", "strategy=holistic", *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert "-o strategy=holistic judges by one rubric alone, and each row brings its own: leave it out" in done.stderr


def test_faults_of_rows_that_differ_only_in_a_number_or_a_quoted_value_are_reported_in_one_line(folder: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "response": "Leeds", "rubric": "How long was it?"},
        {"id": "b", "response": "Leeds", "rubric": 'Is it "nice"?'},
        {"id": "c", "response": "Leeds", "rubric": [{"requirement": "Names York", "weight": 0}]},
        {"id": "d", "response": "Leeds", "rubric": [{"requirement": "Names York"}, {"requirement": "Is", "weight": 0}]},
    ]
    (folder / "faulty.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    lines = [line for line in grade(folder, "faulty.jsonl", "--show-prompt").stderr.splitlines() if "graded" in line]
    assert lines[0].startswith("2 rows can't be graded (first a): its rubric: there is no rubric named 'How long")
    assert lines[1:] == [
        "2 rows can't be graded (first c): its rubric, criterion 1: weight must be a finite number"
        " other than 0, found 0"
    ]


def test_the_prompt_shown_for_each_row_contains_the_row_s_own_criteria(folder: Path) -> None:
    alone = grade(folder, "rows.jsonl", "--show-prompt")
    shown = [json.loads(line)["system"] for line in alone.stdout.splitlines()]
    said = " ".join(alone.stderr.split())
    assert ["Names Leeds" in shown[0], "Names Leeds" in shown[1], len(shown)] == [True, False, 2]
    assert "1 row can't be graded (first faulty): its rubric, criterion 1: weight" in said
    assert "markscheme grade rows.jsonl --judge recorded:calibration/rows/replies/JUDGE.jsonl" in said
    both = [
        json.loads(line)["system"]
        for line in grade(folder, "core.yaml", "rows.jsonl", "--show-prompt").stdout.splitlines()
    ]
    assert ["Names Bath" in system and "Names Leeds" in system for system in both] == [True, False]


def test_a_graded_table_has_a_column_with_the_verdicts_on_each_row_s_criteria(folder: Path) -> None:
    assert grade(folder, "rows.jsonl", "--out", "graded.csv").returncode == 5
    rows = list(csv.DictReader((folder / "graded.csv").read_text().splitlines()))
    verdicts = [(verdict["requirement"], verdict["level"]) for verdict in json.loads(rows[0]["verdicts"])]
    assert verdicts == [("Names Leeds", "MET"), ("Names York", "UNMET")]


def test_the_report_on_rows_counts_the_verdicts_and_criteria_and_tasks_on_which_the_judge_was_compared(
    folder: Path,
) -> None:
    labels = [{"rater": "ann", "criteria": {"c1": "MET", "c2": "MET"}}, {"rater": "ann", "criteria": {"c1": "MET"}}]
    rows = [{**row, "labels": [label]} for row, label in zip(ROWS, labels, strict=False)]
    (folder / "labelled.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = run("calibrate", "labelled.jsonl", "--judge", "function:judging:judge", cwd=folder)
    assert "verdicts on criteria it has never seen: 3 verdicts on 3 criteria of 2 tasks; always MET 100%." in " ".join(
        done.stdout.split()
    )


def test_a_row_s_criteria_are_read_in_the_formats_of_five_published_data_sets() -> None:
    with Grader(None, ScriptedJudge(lambda prompt, _: dict.fromkeys(prompt.criteria, "MET"))) as grader:
        grades = [grader.grade_sync("Hull.", rubric=shape) for shape in SHAPES]
    assert [grade.score for grade in grades] == [1.0] * 5
    assert [grade.raw_score for grade in grades] == [5, 5, 4, 5, 1]


def test_a_reward_function_logs_the_share_of_ungraded_rows_and_the_mean_score_per_tag_to_trl() -> None:
    logged: dict[str, float] = {}

    async def rewarded(grader: Grader) -> list[float | None]:
        columns = {"rubric": [row["rubric"] for row in ROWS], "log_metric": logged.__setitem__}
        return await rubric_reward(grader)(["?"] * 3, [row["response"] for row in ROWS], **columns)

    with Grader(None, ScriptedJudge(by_town)) as grader:
        assert asyncio.run(rewarded(grader)) == RAW
    assert logged == {"rows/ungraded": pytest.approx(1 / 3), "rows/tag/town": 0.75, "rows/tag/port": 1.0}


def test_a_promptfoo_variable_may_hold_a_row_s_criteria_as_json(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    config = {"rubric_var": "own", "judge": "function:judging:judge", "calibration": "off"}
    context = {"config": config, "vars": {"own": json.dumps(ROWS[0]["rubric"])}}
    result = asyncio.run(assess("Leeds.", context, near=folder, engine=Engine()))
    assert (result["score"], result["namedScores"]) == (0.75, {"c1": 1.0, "c2": 0.0, "tag/town": 0.75})


def test_the_grade_command_prints_the_command_that_calibrates_rows_which_have_labels(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    label = {"rater": "ann", "kind": "human", "criteria": {"c1": "MET"}}
    (folder / "labelled.jsonl").write_text("".join(f"{json.dumps(row | {'labels': [label]})}\n" for row in rows))
    step = "\nNext, see how far the judge can be trusted:\n  markscheme calibrate"
    printed = grade(folder, "labelled.jsonl").stdout
    assert f"{step} labelled.jsonl --judge function:judging:judge\n" in printed
    some = [row | {"labels": [label] if row is rows[-1] else []} for row in rows]
    (folder / "some labelled.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in some))
    assert (
        f"{step} 'some labelled.jsonl' --judge function:judging:judge\n" in grade(folder, "some labelled.jsonl").stdout
    )
    unlabelled = [row | {"labels": None if row is rows[0] else []} for row in rows]
    (folder / "unlabelled.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in unlabelled))
    assert "markscheme label unlabelled.jsonl" in grade(folder, "unlabelled.jsonl").stdout
    stored = folder / "calibration/rows.jsonl/ratings/ann.jsonl"
    stored.parent.mkdir(parents=True)
    stored.write_text("{}\n")
    assert f"{step} rows.jsonl --judge function:judging:judge\n" in grade(folder, "rows.jsonl").stdout
