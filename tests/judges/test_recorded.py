"""Recorded replies, which answer only the prompts they were recorded for."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric, Submission, load_rubric
from markscheme.errors import JudgeUnavailable, RatingError, UsageError
from markscheme.grading import Grading, questions
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.scripted import answer_of
from markscheme.ratings.examples import load_examples
from markscheme.ratings.from_grades import first_prompts
from tests.commands.console import ROOT

RUBRIC = Rubric.from_dict([{"weight": 1, "requirement": "Polite"}])
RUBRICS = sorted(path.stem for path in (ROOT / "rubrics").glob("*.yaml"))


def line(response: str, text: str, **more: Any) -> str:
    (prompt,) = questions(RUBRIC, Submission(response))
    record = {"fingerprint": prompt.fingerprint, "sample": 0, "judge": "j", "model": "m", "text": text, "usage": None}
    return json.dumps({**record, "recorded": "2026-11-21", "provenance": "by hand", **more})


def written(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_recorded_reply_answers_only_the_prompt_that_it_was_recorded_for(tmp_path: Path) -> None:
    judge = RecordedJudge.load(written(tmp_path / "j.jsonl", line("a", answer_of({"c1": "MET"}))))
    (first,), (second,) = questions(RUBRIC, Submission("a")), questions(RUBRIC, Submission("b"))
    reply = asyncio.run(judge.reply(first))
    assert (reply.source, reply.model, reply.usage.calls, reply.provenance) == ("recorded", "m", 0, "by hand")
    assert judge.lacks([first, second]) == [second]
    with pytest.raises(JudgeUnavailable, match=second.fingerprint):
        asyncio.run(judge.reply(second))
    with pytest.raises(JudgeUnavailable, match="sample 1"):
        asyncio.run(judge.reply(first, 1))


def test_a_submission_whose_recorded_reply_cannot_be_read_is_not_graded_if_no_second_reply_was_recorded(
    tmp_path: Path,
) -> None:
    judge = RecordedJudge.load(written(tmp_path / "j.jsonl", line("a", "I cannot say.")))
    grade = asyncio.run(Grading(RUBRIC, judge).grade(Submission("a")))
    assert grade.score is None
    assert grade.error is not None
    assert "isn't one JSON object alone; asked again: j.jsonl has no reply" in grade.error


def test_a_folder_with_one_file_of_recorded_replies_is_read_as_that_file(tmp_path: Path) -> None:
    written(tmp_path / "j.jsonl", line("a", "x"))
    assert RecordedJudge.load(tmp_path).judge == "j"
    written(tmp_path / "k.jsonl", line("a", "x"))
    with pytest.raises(UsageError, match=r"2 files of replies \(j\.jsonl, k\.jsonl\); name one"):
        RecordedJudge.load(tmp_path)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (line("a", "y"), "j.jsonl:2: answers prompt"),
        ("{", "j.jsonl:2: is not readable JSON"),
        (
            json.dumps({"fingerprint": "f", "text": "x"}),
            "j.jsonl:2: isn't a recorded reply: it lacks `judge`, `model`; a reply has `fingerprint`, `judge`, `model`",
        ),
        (line("b", "y").replace('"y"', "3"), "j.jsonl:2: isn't a recorded reply: `text` is a text, found 3"),
        (line("b", "y", sample="x"), "`sample` is a whole number from 0, found 'x'"),
        ("[1]", r"j.jsonl:2: isn't a recorded reply: a line is an object, found \[1\]"),
        (line("b", "y", judge="k"), r"holds the replies of several judges: j \(m\), k \(m\)"),
    ],
)
def test_a_faulty_line_in_a_file_of_recorded_replies_is_reported_with_its_number(
    tmp_path: Path, second: str, message: str
) -> None:
    with pytest.raises(RatingError, match=message):
        RecordedJudge.load(written(tmp_path / "j.jsonl", line("a", "x"), second))


def test_a_file_without_recorded_replies_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RatingError, match=r"j\.jsonl: holds no recorded reply; `markscheme grade RUBRIC --show-"):
        RecordedJudge.load(written(tmp_path / "j.jsonl", ""))
    (tmp_path / "k.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(RatingError, match=r"k\.jsonl:1: is not UTF-8 text"):
        RecordedJudge.load(tmp_path / "k.jsonl")


def test_a_missing_file_of_recorded_replies_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there are no recorded replies at .*`markscheme grade RUBRIC --show-"):
        RecordedJudge.load(tmp_path / "nowhere.jsonl")


@pytest.mark.filterwarnings("ignore:.*is found by the file's name")
@pytest.mark.parametrize("name", RUBRICS)
def test_each_shipped_labelled_set_has_recorded_replies_to_exactly_the_current_prompts(name: str) -> None:
    rubric = load_rubric(ROOT / "rubrics" / f"{name}.yaml")
    examples = load_examples(ROOT / "calibration" / name / "examples.jsonl", rubric).examples
    judge = RecordedJudge.load(ROOT / "calibration" / name / "replies")
    prompts = first_prompts(rubric, examples)
    assert judge.lacks(prompts) == []
    for candidate in (ROOT / "calibration" / name / "candidates").glob("*.yaml"):
        prompts += first_prompts(load_rubric(candidate), examples)
    assert {fingerprint for fingerprint, _ in judge.replies} <= {prompt.fingerprint for prompt in prompts}
    assert "obtained outside the API" in judge.provenance
