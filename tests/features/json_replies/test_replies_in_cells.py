"""A table in which a judge's column holds its replies, as JSON."""

import csv
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from markscheme import calibrate
from markscheme.calibration.table_frames import read_in_memory
from markscheme.errors import UsageError
from markscheme.ratings.column_options import ColumnOptions
from tests.commands.console import run

HUMAN = ["pass", "fail", "fail"] * 20
REPLIES = [{"reasoning": f"Because, «{n}» été.", "verdict": human.upper()} for n, human in enumerate(HUMAN)]


def fenced(reply: dict[str, Any]) -> str:
    return f"```json\n{json.dumps(reply, ensure_ascii=False, indent=1)}\n```"


def judges(columns: dict[str, list[Any]], **options: Any) -> dict[str, list[str]]:
    """Names of the columns that are read as a judge's, by criterion."""
    reading = read_in_memory(columns, ColumnOptions(**options))
    return {criterion: reading.raters(criterion, judges=True) for criterion in reading.roles.criteria}


@pytest.mark.parametrize("written", [json.dumps, fenced])
def test_the_verdict_of_a_reply_in_json_counts_whether_the_reply_is_plain_or_in_a_code_fence(
    written: Callable[[dict[str, Any]], str],
) -> None:
    columns = {"llm_judge": list(map(written, REPLIES)), "human": HUMAN}
    result = calibrate(columns)
    assert [result.to_frame()["judge_pass"][row] for row in range(2)] == [True, False]
    assert result.to_json()["agreement"]["value"] == 1.0
    assert calibrate(columns, judge="llm_judge").to_json()["agreement"]["value"] == 1.0


def test_a_reply_with_verdicts_on_several_criteria_is_compared_with_the_human_column_of_each_criterion() -> None:
    replies = [json.dumps({"why": f"r{n}", "scores": {"tone": n % 5 + 1, "facts": n % 2}}) for n in range(60)]
    people = {"human_tone": [n % 5 + 1 for n in range(60)], "human_facts": [n % 2 for n in range(60)]}
    assert judges({"judge": replies, **people}) == {
        "tone": ["judge.scores.tone"],
        "facts": ["judge.scores.facts"],
    }


def test_a_column_of_json_replies_is_read_only_if_the_user_names_it_or_no_other_column_has_verdicts() -> None:
    raw = list(map(json.dumps, REPLIES))
    assert judges({"judge_raw": raw, "judge_verdict": HUMAN, "human": HUMAN}) == {"": ["judge_verdict"]}
    assert judges({"judge_raw": raw, "judge_verdict": HUMAN, "human": HUMAN}, judge=("judge_raw",)) == {
        "": ["judge_raw"]
    }
    assert judges({"response": raw, "judge": HUMAN, "human": HUMAN}) == {"": ["judge"]}


def test_a_judge_s_reply_that_is_not_json_is_refused_with_commands_that_leave_the_reply_out() -> None:
    replies = ["Sorry, I cannot.", *map(json.dumps, REPLIES[1:])]
    with pytest.raises(UsageError) as refused:
        judges({"judge": replies, "human": HUMAN})
    assert list(refused.value.values) == ["Sorry, I cannot."]
    left_out = read_in_memory({"judge": replies, "human": HUMAN}, ColumnOptions(same=("Sorry, I cannot.=",)))
    assert left_out.with_both("") == len(HUMAN) - 1


def test_the_reason_in_a_reply_is_kept_with_the_verdict_and_false_passes_are_counted_by_the_verdict(
    tmp_path: Path,
) -> None:
    replies = [{**reply, "verdict": "PASS" if n == 1 else reply["verdict"]} for n, reply in enumerate(REPLIES)]
    rows = [{"id": f"e{n}", "judge": json.dumps(reply), "human": HUMAN[n]} for n, reply in enumerate(replies)]
    assert "Because, «1» été." in json.dumps(calibrate(rows).ratings, ensure_ascii=False)
    (tmp_path / "table.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    printed = " ".join(run("calibrate", "table.jsonl", cwd=tmp_path).stdout.split())
    assert "False passes 1 of 40 fails e1" in printed


def test_outputs_in_json_are_not_taken_apart_as_a_judge_s_replies() -> None:
    outputs = [json.dumps({"city": "Rome", "n": n}) for n in range(60)]
    assert judges({"llm_output": outputs, "judge": HUMAN, "human": HUMAN}) == {"": ["judge"]}
    named = read_in_memory(
        {"model": outputs, "ana": HUMAN, "bo": HUMAN}, ColumnOptions(response="model", human=("ana", "bo"))
    )
    assert named.roles.single["response"] == "model"


def test_a_pattern_can_name_columns_of_json_replies_and_the_reasons_in_them_are_not_read_as_verdicts() -> None:
    raw = list(map(json.dumps, REPLIES))
    for pattern in ("eval*", "*_raw", "eval_raw"):
        assert judges({"eval_raw": raw, "human": HUMAN}, judge=(pattern,)) == {"": ["eval_raw"]}
    people = {"human_tone": HUMAN, "human_facts": HUMAN}
    by_criterion = judges({"eval_tone": raw, "eval_facts": raw, **people}, judge=("eval_*",))
    assert by_criterion == {"tone": ["eval_tone"], "facts": ["eval_facts"]}


SEVERAL = [json.dumps({"tone": {"verdict": human, "reason": "So."}, "facts": {"verdict": "pass"}}) for human in HUMAN]


def test_one_pattern_names_all_verdicts_of_replies_with_several_criteria_in_a_column_named_eval() -> None:
    people = {"human_tone": HUMAN, "human_facts": ["pass", "fail"] * 30}
    assert judges({"eval": SEVERAL, **people}, judge=("eval.*",)) == {
        "tone": ["eval.tone.verdict"],
        "facts": ["eval.facts.verdict"],
    }
    assert judges({"eval": SEVERAL, "human": HUMAN}, judge=("eval.tone.verdict",)) == {"": ["eval.tone.verdict"]}


def test_naming_a_column_of_replies_with_several_verdicts_is_refused_with_a_command_that_uses_a_pattern(
    tmp_path: Path,
) -> None:
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        rows = zip(SEVERAL, HUMAN, ["pass", "fail"] * 30, strict=True)
        csv.writer(file).writerows([("eval", "human_tone", "human_facts"), *rows])
    done = run("calibrate", "t.csv", "--judge", "eval", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "there are 'eval.tone.verdict' and 'eval.facts.verdict'" in done.stderr
    command = done.stderr.splitlines()[-1].strip()
    assert command == "markscheme calibrate t.csv --judge 'eval.*'"
    assert run(*shlex.split(command), cwd=tmp_path).returncode in (0, 1, 4)
