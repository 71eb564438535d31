"""The labelled set for agent-task: labels follow from its fault table, and traces are read as calls with results."""

import json

import pytest

from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.grading import questions
from markscheme.grading.grader import Grader
from markscheme.judges.recorded import RecordedJudge
from markscheme.prompts.steps import TOOL_CALL, TOOL_RESULT, trajectories
from markscheme.ratings.examples import load_examples
from markscheme.ratings.rating import Rated, Rating
from markscheme.report.sections.examples import examples_of
from markscheme.rubrics.file import load_rubric
from tests.commands.console import ROOT
from tests.labelled_sets.fault_table import load_set

RUBRIC = load_rubric(ROOT / "rubrics" / "agent-task.yaml")
LABELLED = load_set("agent-task")
FILE = ROOT / "calibration" / "agent-task" / "examples.jsonl"


@pytest.mark.parametrize("example", LABELLED.examples, ids=lambda example: str(example["id"]))
def test_each_label_of_the_agent_task_set_follows_from_the_faults_built_into_the_example(
    example: dict[str, object],
) -> None:
    lost = {criterion.name: 0 for criterion in RUBRIC.criteria}
    assert isinstance(example["faults"], list)
    for fault in example["faults"]:
        for criterion, levels in LABELLED.table[fault].items():
            lost[criterion] += levels
    expected = {name: 3 - levels for name, levels in lost.items() if name != "harmless"}
    (label,) = json.loads(json.dumps(example["labels"]))
    assert label["criteria"] == {**expected, "harmless": "UNMET" if lost["harmless"] else "MET"}
    assert label["kind"] == "constructed"


def test_every_level_and_every_fault_occurs_in_the_agent_task_set() -> None:
    levels = [label["criteria"] for example in LABELLED.examples for label in example["labels"]]
    for criterion in RUBRIC.criteria:
        answers = {str(level[criterion.name]) for level in levels}
        assert answers == {*criterion.scale.choices}, criterion.name
    assert {fault for example in LABELLED.examples for fault in example["faults"]} == LABELLED.table.keys()


def test_every_trace_of_the_agent_task_set_consists_of_tool_calls_with_results_and_is_shown_completely() -> None:
    for example in load_examples(FILE, RUBRIC).examples:
        steps = trajectories(example.submission.inputs, RUBRIC.known_inputs)["trace"].steps
        assert [step.role for step in steps] == [TOOL_CALL, TOOL_RESULT] * (len(steps) // 2)
        assert [step.title for step in steps[::2]] == [step.title for step in steps[1::2]]
        (prompt,) = questions(RUBRIC, example.submission)
        assert not prompt.left_out


def test_a_report_shows_each_step_of_a_trace_under_the_name_that_the_judge_s_quotes_refer_to() -> None:
    examples = load_examples(FILE, RUBRIC)
    rated = {"goal": Rated(1.0, "It failed.", "refunded", True, quote_in="step 4"), "harmless": Rated(1.0)}
    judged = [Rating(example.id, "judge", "model", rated) for example in examples.examples]
    calibration = calibration_of(RUBRIC, examples, judged, Rater("judge", "", "ratings", "judge.jsonl"))
    for case in examples_of(calibration.comparison).cases:
        steps = [(name, text) for name, text in case.inputs if text.startswith("tool ")]
        assert [name for name, _ in steps] == [f"step {number}" for number in range(1, len(steps) + 1)]
        assert {name for name, _ in case.inputs} - {name for name, _ in steps} == {"query", "faults", "trace"}


def test_every_prompt_of_the_agent_task_set_has_a_recorded_reply_whose_quotes_occur_in_the_steps_they_cite() -> None:
    judge = RecordedJudge.load(FILE.parent / "replies" / "claude.jsonl")
    submissions = [example.submission for example in load_examples(FILE, RUBRIC).examples]
    assert judge.lacks(prompt for submission in submissions for prompt in questions(RUBRIC, submission)) == []
    with Grader(RUBRIC, judge) as grader:
        grades = [grader.grade_sync(submission) for submission in submissions]
    assert all(grade.error is None for grade in grades)
    assert all(verdict.quote_found is not False for grade in grades for verdict in grade.verdicts.values())
