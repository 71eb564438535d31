"""The receipt that an accepted run on rows with criteria of their own gives to further such rows."""

import asyncio
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from markscheme import reward
from markscheme.errors import RatingWarning, UsageError
from markscheme.grading import Grade
from markscheme.judges.registry import open_judge
from markscheme.promptfoo.assertion import assess
from markscheme.promptfoo.engine import Engine
from tests.commands.console import run

JUDGE = """
import re


def judge(system_prompt, user_prompt):
    response = re.search(r"<response-[^>]+>(.*?)</response-", user_prompt, re.DOTALL)[1]
    return {
        "verdicts": {
            name: {"quote": "nothing to quote", "reason": "Seen.", "level": "MET" if town in response else "UNMET"}
            for name, town in re.findall(r'Criterion "(c[0-9]+)": Names ([A-Za-z]+)', system_prompt)
        }
    }
"""
ASKED = ("--judge", "function:judging:judge")
TOWNS = ("Leeds", "York", "Hull", "Bath", "Derby")


def task(number: int, *, towns: int = 2, tag: str = "town") -> dict[str, Any]:
    """A response that names the first of its task's towns, and every second response also the second."""
    names = [TOWNS[(number + step) % 5] for step in range(towns)]
    return {
        "id": f"r{number}",
        "query": f"Which towns does route {number} pass?",
        "response": f"It passes {' and '.join(names[: 1 + number % 2])}.",
        "rubric": [
            {"requirement": f"Names {name} on route {number}", "weight": 1 + index, "tags": [tag]}
            for index, name in enumerate(names)
        ],
    }


def labelled(number: int, *, right: bool = True) -> dict[str, Any]:
    """A response with the labels of two people, with whom the judge agrees if they are right."""
    second = "MET" if (number % 2 == 1) == right else "UNMET"
    criteria = {"c1": "MET" if right else "UNMET", "c2": second}
    return task(number) | {
        "labels": [{"rater": name, "kind": "human", "criteria": criteria} for name in ("ann", "ben")]
    }


def labelled_on_core(n: int) -> list[dict[str, Any]]:
    """Responses whose labels are also on a criterion that all of them share."""
    rows = [labelled(number) for number in range(n)]
    for label in (label for row in rows for label in row["labels"]):
        label["criteria"]["c9"] = "UNMET"
    return rows


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def accept(folder: Path, name: str, rows: list[dict[str, Any]], *options: str) -> None:
    write(folder / name, rows)
    done = run("markscheme", "calibrate", name, *ASKED, "--accept", "--force", *options, cwd=folder)
    assert (folder / "calibration" / name / "accepted.json").is_file(), done.stderr


def receipts(folder: Path, *options: str) -> list[dict[str, Any]]:
    done = run("markscheme", "grade", "new.jsonl", *ASKED, "--json", *options, cwd=folder)
    return [json.loads(line)["receipt"] for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with an accepted run on 120 rows on which the judge agrees with people, and three further rows."""
    folder = tmp_path_factory.mktemp("receipts")
    (folder / "judging.py").write_text(JUDGE)
    accept(folder, "labelled.jsonl", [labelled(number) for number in range(120)])
    write(folder / "new.jsonl", [task(200), task(201, towns=4), task(202, tag="harbour")])
    return folder


@pytest.fixture
def judge(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The judge of the project, which is the current folder."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    sys.modules.pop("judging", None)
    yield open_judge(ASKED[1])
    sys.modules.pop("judging", None)


def test_a_calibration_receipt_is_invalid_for_a_row_with_more_criteria_or_another_tag_than_the_labelled_rows(
    folder: Path,
) -> None:
    alike, longer, of_other_tag = receipts(folder)
    assert (alike["holds"], alike["may_gate"], alike["labels"]["n"]) == (True, True, 120)
    assert (longer["holds"], longer["may_gate"]) == (False, False)
    assert longer["text"].endswith("outside what was calibrated: 4 criteria, where a labelled row has 2 at most")
    assert of_other_tag["text"].endswith("outside what was calibrated: tag harbour")


def test_a_row_s_calibration_receipt_is_invalid_if_the_row_is_asked_in_another_way_than_the_labelled_rows(
    folder: Path,
) -> None:
    alike, *_ = receipts(folder, "-o", "strategy=per_criterion")
    assert (alike["holds"], alike["may_gate"]) == (False, False)
    assert "calibrated for another pass mark or way of asking" in alike["text"]


def test_of_several_accepted_runs_that_apply_to_a_row_the_least_permissive_one_decides_its_use(tmp_path: Path) -> None:
    (tmp_path / "judging.py").write_text(JUDGE)
    accept(tmp_path, "bad.jsonl", [labelled(number, right=number % 4 == 0) for number in range(120)])
    accept(tmp_path, "good.jsonl", [labelled(number) for number in range(120)])
    write(tmp_path / "new.jsonl", [task(200)])
    (of_both,) = receipts(tmp_path)
    assert (of_both["holds"], of_both["may_gate"], of_both["use"]) == (True, False, "none")


def test_an_accepted_run_on_rows_with_an_added_rubric_gives_rows_without_that_rubric_no_calibration_receipt(
    tmp_path: Path,
) -> None:
    (tmp_path / "judging.py").write_text(JUDGE)
    (tmp_path / "core.yaml").write_text("criteria: [{name: c9, requirement: Names It, weight: 1}]\n")
    write(tmp_path / "labelled.jsonl", labelled_on_core(60))
    run("markscheme", "calibrate", "core.yaml", "labelled.jsonl", *ASKED, "--accept", "--force", cwd=tmp_path)
    assert (tmp_path / "calibration/labelled.jsonl/accepted.json").is_file()
    write(tmp_path / "new.jsonl", [task(200)])
    assert [receipt["text"] for receipt in receipts(tmp_path)] == ["0.33, no accepted run"]


def test_rewards_that_require_a_calibration_score_only_rows_that_the_accepted_run_covers(judge: Any) -> None:
    rows = [task(200), task(201, towns=4)]
    seen: dict[int, Grade] = {}
    scores = asyncio.run(
        reward(
            [row["response"] for row in rows],
            [row["rubric"] for row in rows],
            judge=judge,
            seen=seen.__setitem__,
            calibration="require",
        )
    )
    assert scores == [1.0, None]
    assert seen[1].receipt is not None
    assert seen[1].receipt.outside == ("4 criteria, where a labelled row has 2 at most",)


def assessed(rubric: Any, calibration: str) -> dict[str, Any]:
    config = {"rubric_var": "own", "judge": ASKED[1], "calibration": calibration}
    context = {"config": config, "vars": {"own": json.dumps(rubric)}}
    result: dict[str, Any] = asyncio.run(assess("It passes Leeds and York.", context, near=Path(), engine=Engine()))
    return result


@pytest.mark.usefixtures("judge")
def test_promptfoo_s_assertion_that_requires_a_calibration_grades_only_test_cases_that_the_accepted_run_covers() -> (
    None
):
    covered, longer = (assessed(task(200, towns=towns)["rubric"], "require") for towns in (2, 4))
    assert (covered["score"], covered["pass"]) == (1.0, True)
    assert "4 criteria, where a labelled row has 2 at most" in longer["reason"]
    assert longer["pass"] is False


@pytest.mark.usefixtures("judge")
def test_promptfoo_s_assertion_shows_the_calibration_receipt_for_a_test_case_with_criteria_of_its_own() -> None:
    assert "120 human labels" in assessed(task(200)["rubric"], "warn")["reason"]


def test_a_reward_without_an_accepted_run_raises_an_error_or_warns_as_the_calibration_argument_says(
    judge: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    of_row = {"judge": judge, "rubrics": [task(200)["rubric"]]}
    with pytest.raises(UsageError, match="1 response of 1 with criteria of their own, which have no accepted run"):
        asyncio.run(reward(["It passes Leeds."], **of_row, calibration="require"))
    with pytest.warns(RatingWarning, match="not shown to be good for averages"):
        asyncio.run(reward(["It passes Leeds."], **of_row, calibration="warn"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RatingWarning)
        assert asyncio.run(reward(["It passes Leeds."], **of_row)) == [1.0]


def settings(folder: Path, *named: str, options: tuple[str, ...] = ()) -> int:
    report = folder / "report.json"
    run("markscheme", "calibrate", *named, *ASKED, "--json", str(report), *options, cwd=folder)
    counted: int = json.loads(report.read_text())["decision"]["settings"]
    return counted


def test_each_way_of_asking_about_the_same_labelled_rows_counts_once_as_a_tried_setting(
    tmp_path: Path,
) -> None:
    (tmp_path / "judging.py").write_text(JUDGE)
    write(tmp_path / "labelled.jsonl", [labelled(number) for number in range(30)])
    ways = [(), ("-o", "strategy=per_criterion"), ("-o", "criteria_per_call=1"), ()]
    assert [settings(tmp_path, "labelled.jsonl", options=way) for way in ways] == [1, 2, 3, 3]
    verdicts = json.loads((tmp_path / "report.json").read_text())["verdicts"]
    assert verdicts["agreement"]["level"] == pytest.approx(1 - 0.05 / 3)


def test_rewording_a_criterion_that_all_rows_share_makes_another_tried_setting(tmp_path: Path) -> None:
    (tmp_path / "judging.py").write_text(JUDGE)
    write(tmp_path / "labelled.jsonl", labelled_on_core(30))
    counts = []
    for words in ("Names It", "Names  it.", "Names Something"):
        (tmp_path / "core.yaml").write_text(f"criteria: [{{name: c9, requirement: '{words}', weight: 1}}]\n")
        counts.append(settings(tmp_path, "core.yaml", "labelled.jsonl"))
    assert counts == [1, 1, 2]
