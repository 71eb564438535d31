"""`compare -o criteria_per_call=1,8`: one judge, asked about so many criteria at once, against the same labels."""

import json
from pathlib import Path

import pytest

import markscheme
from markscheme import ScriptedJudge
from markscheme.errors import UsageError
from markscheme.prompts.prompt import Prompt
from tests.commands.console import run

JUDGE = """
import re


def judge(system_prompt, user_prompt):
    asked = [name for name in ("first", "second", "third") if f'"{name}"' in system_prompt]
    level = "MET" if len(asked) == 1 else "UNMET"
    return {"verdicts": {name: {"quote": "nothing to quote", "reason": "Seen.", "level": level} for name in asked}}
"""
"""A judge that is right where it is asked one thing at a time."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    criteria = [{"name": name, "requirement": f"Names the {name} town."} for name in ("first", "second", "third")]
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "towns.yaml").write_text(json.dumps({"name": "towns", "criteria": criteria}))
    met = dict.fromkeys(("first", "second", "third"), "MET")
    examples = [
        {"id": f"e{n}", "response": f"Route {n}.", "labels": [{"rater": "ann", "kind": "human", "criteria": met}]}
        for n in range(8)
    ]
    (tmp_path / "calibration" / "towns").mkdir(parents=True)
    lines = "".join(f"{json.dumps(example)}\n" for example in examples)
    (tmp_path / "calibration" / "towns" / "examples.jsonl").write_text(lines)
    (tmp_path / "judging.py").write_text(JUDGE)
    return tmp_path


def test_one_judge_asked_with_several_limits_of_criteria_per_call_is_compared_as_several_judges(
    folder: Path,
) -> None:
    options = ("--rubric", "towns", "-o", "criteria_per_call=1,2,20", "--json", "-o", "cache=off")
    done = run("markscheme", "compare", "function:judging:judge", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    agreement = {side["name"]: side["agreement"]["value"] for side in report["judges"]}
    judge = "function:judging:judge"
    assert [name.removeprefix(judge) for name in agreement] == [", 1 a call", ", 2 a call", ", 20 a call"]
    assert [agreement[f"{judge}, {n} a call"] for n in (1, 2, 20)] == [1.0, 0.0, 0.0]
    settings = (folder / "calibration" / "towns" / "settings.jsonl").read_text().splitlines()
    assert len({json.loads(line)["setting"] for line in settings}) == 3


def test_calibrate_refuses_several_values_of_the_criteria_per_call_option_and_suggests_compare(folder: Path) -> None:
    done = run(
        *("markscheme", "calibrate", "towns", "--judge", "function:judging:judge", "-o", "criteria_per_call=1,2"),
        cwd=folder,
    )
    assert (done.returncode, "`compare` takes several" in done.stderr) == (2, True)


@pytest.mark.parametrize("value", ["1,1", "0,8", "1,", "x"])
def test_the_criteria_per_call_option_of_compare_takes_only_distinct_whole_numbers_from_1(
    value: str, folder: Path
) -> None:
    done = run(
        *("markscheme", "compare", "function:judging:judge", "--rubric", "towns", "-o", f"criteria_per_call={value}"),
        cwd=folder,
    )
    assert (done.returncode, "must be a whole number from 1" in " ".join(done.stderr.split())) == (2, True)


def test_the_criteria_per_call_argument_of_compare_takes_several_numbers_and_refuses_a_single_number(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def where_alone(prompt: Prompt, _: int) -> dict[str, str]:
        return dict.fromkeys(prompt.criteria, "MET" if len(prompt.criteria) == 1 else "UNMET")

    monkeypatch.chdir(folder)
    judge = ScriptedJudge(where_alone)
    compared = markscheme.compare(judge, rubric="towns", criteria_per_call=(1, 20))
    assert [contender.per_call for contender in compared.contenders] == [1, 20]
    assert [len(contender.ratings) for contender in compared.contenders] == [8, 8]
    with pytest.raises(UsageError, match="needs two sides"):
        markscheme.compare(judge, rubric="towns", criteria_per_call=20)
