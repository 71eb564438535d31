"""The trend question asked of verdicts on criteria, in `calibrate` of rows and of a rubric that all examples share."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import markscheme
from markscheme.calibration.comparison.trend import refuse_limits_of_scores
from markscheme.calibration.options import LabelOptions
from markscheme.errors import UsageError
from markscheme.features.rows.trend import CriteriaTrend, CriterionVerdict, trend_of_criteria
from markscheme.features.rows.two_ways import wider_figures
from markscheme.rubrics.criterion import Criterion
from markscheme.stats.labels_needed import DecisiveLabels
from markscheme.stats.shares import grouped_mean
from tests.commands.console import run


def row(number: int, judged: dict[str, str], met: int = 3) -> dict[str, Any]:
    """A response to a task of six criteria, of which people find the first so many met."""
    names = [f"c{place}" for place in range(1, 7)]
    gold = {name: "MET" if place < met else "UNMET" for place, name in enumerate(names)}
    people = [{"rater": rater, "kind": "human", "criteria": gold} for rater in ("ann", "ben")]
    return {
        "id": f"r{number}",
        "task": f"t{number}",
        "response": f"Answer {number}.",
        "rubric": [{"requirement": f"Says thing {place} of task {number}"} for place in range(6)],
        "labels": [*people, {"rater": "gpt", "kind": "model", "criteria": gold | judged}],
    }


def calibrated(folder: Path, rows: list[dict[str, Any]], *options: str) -> dict[str, Any]:
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in rows))
    done = run("calibrate", "rows.jsonl", "--json", "report.json", *options, cwd=folder)
    assert done.returncode in (0, 1, 4), done.stderr
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report | {"screen": " ".join(done.stdout.split()), "status": done.returncode}


def one_wrong(number: int) -> dict[str, Any]:
    """Six verdicts of which one is wrong: five sixths are right, and no score is within a tenth."""
    return row(number, {"c1": "UNMET"} if number % 2 else {"c6": "MET"})


def test_a_judge_with_wrong_overall_scores_may_show_trends_if_its_verdicts_on_criteria_are_right(
    tmp_path: Path,
) -> None:
    rows = [one_wrong(number) for number in range(60)]
    of_scores = calibrated(tmp_path, rows, "-o", "target=0.7")
    of_criteria = calibrated(tmp_path, rows, "-o", "target=0.7", "-o", "trend_on=criteria", "--require", "trend")
    assert of_scores["decision"]["trend"]["state"] == "refused"
    trend = of_criteria["decision"]["trend"]
    assert (trend["state"], of_criteria["status"]) == ("shown", 0)
    assert (trend["figures"]["agreement"]["n"], trend["figures"]["agreement"]["value"]) == (
        360,
        pytest.approx(5 / 6),
    )
    assert trend["figures"]["agreement_constant"]["value"] == pytest.approx(1 / 2)
    assert trend["figures"]["agreement_person"]["value"] == 1
    assert "Verdicts on criteria agree on 83%" in of_criteria["screen"]
    assert "baseline 50%: good for trends." in of_criteria["screen"]


def test_a_rubric_shared_by_all_rows_can_set_limits_on_false_and_missed_credit_for_trends(
    tmp_path: Path,
) -> None:
    (tmp_path / "core.yaml").write_text(
        "target: 0.7\ntrend_on: criteria\nmax_false_credit: 0.3\nmax_missed_credit: 0.1\n"
        "criteria: [{name: short, requirement: The reply is short., weight: 1}]\n"
    )
    rows = [one_wrong(number) for number in range(60)]
    for line in rows:
        for rating in line["labels"]:
            rating["criteria"] = rating["criteria"] | {"short": "MET"}
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in rows))
    done = run("calibrate", "core.yaml", "rows.jsonl", "--json", "report.json", cwd=tmp_path)
    decision = json.loads((tmp_path / "report.json").read_text())["decision"]
    assert decision["trend"]["figures"]["agreement"]["value"] == pytest.approx(6 / 7)
    assert decision["limits"]["false_credit"]["state"] == "kept"
    assert decision["limits"]["missed_credit"]["state"] == "open"
    assert (decision["trend"]["state"], decision["trend"]["because"]) == ("open", "side-open")
    assert "Missed credit 12%" in " ".join(done.stdout.split())


def test_if_the_judge_credits_unmet_criteria_more_often_than_the_limit_it_may_not_show_trends(tmp_path: Path) -> None:
    rows = [row(number, {"c6": "MET"}) for number in range(60)]
    options = ("-o", "target=0.7", "-o", "trend_on=criteria", "-o", "max_false_credit=0.1")
    report = calibrated(tmp_path, rows, *options, "--require", "trend")
    assert (report["decision"]["trend"], report["status"]) == (
        report["decision"]["trend"] | {"state": "refused", "because": "side"},
        1,
    )
    assert report["decision"]["limits"]["false_credit"]["state"] == "broken"
    assert "over the limit of 10%" in report["screen"]


def test_a_judge_that_always_answers_met_is_reported_as_no_better_than_that_constant(tmp_path: Path) -> None:
    rows = [row(number, {"c6": "MET"}, met=5) for number in range(60)]
    report = calibrated(tmp_path, rows, "-o", "target=0.7", "-o", "trend_on=criteria")
    trend = report["decision"]["trend"]
    assert trend["figures"]["agreement_constant"]["value"] == pytest.approx(5 / 6)
    assert (trend["state"], trend["because"]) == ("open", "constant-open")


def test_the_report_on_an_open_trend_says_how_many_more_tasks_have_an_even_chance_to_decide_the_trend(
    tmp_path: Path,
) -> None:
    rows = [row(number, {} if number % 3 else {"c1": "UNMET", "c6": "MET"}) for number in range(12)]
    report = calibrated(tmp_path, rows, "-o", "target=0.8", "-o", "trend_on=criteria")
    assert report["decision"]["trend"]["state"] == "open"
    assert "more tasks (" in report["screen"]
    assert " verdicts): an even chance that they decide." in report["screen"]
    assert "more for an even chance to say whether the judge can gate" not in report["screen"]


def test_the_max_false_credit_setting_is_refused_if_the_trend_is_decided_by_scores(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps(one_wrong(0))}\n{json.dumps(one_wrong(1))}\n")
    done = run("calibrate", "rows.jsonl", "-o", "max_false_credit=0.1", cwd=tmp_path)
    assert (done.returncode, "it goes with trend_on: criteria" in " ".join(done.stderr.split())) == (2, True)


def shared_rubric(trend_on: str) -> tuple[Any, list[dict[str, Any]]]:
    data = {"target": 0.7, "trend_on": trend_on, "criteria": [{"requirement": f"Says thing {n}"} for n in range(6)]}
    examples = [{key: value for key, value in one_wrong(n).items() if key not in ("rubric", "task")} for n in range(60)]
    return markscheme.Rubric.from_dict(data), examples


def test_trends_can_be_decided_by_verdicts_on_criteria_even_if_all_examples_have_the_same_rubric(
    tmp_path: Path,
) -> None:
    rubric, examples = shared_rubric("criteria")
    path = tmp_path / "examples.jsonl"
    by_people = [example | {"labels": example["labels"][:2]} for example in examples]
    path.write_text("".join(f"{json.dumps(example)}\n" for example in by_people))
    ratings = tmp_path / "gpt.jsonl"
    of_judge = [{"id": example["id"], **example["labels"][2]} for example in examples]
    ratings.write_text("".join(f"{json.dumps(rating)}\n" for rating in of_judge))
    result: Any = markscheme.calibrate(rubric, examples=path, ratings=[ratings])
    trend = result.comparison.trend
    assert isinstance(trend, CriteriaTrend)
    assert len(trend.verdicts) == 360
    assert trend.figures.agreement.value == pytest.approx(5 / 6)
    assert result.to_json()["decision"]["trend"]["figures"]["agreement"]["n"] == 360


class OfPairs:
    rubric = markscheme.Rubric.from_dict({"compare": "pairs", "criteria": [{"prefer": "The shorter one"}]})


def test_deciding_trends_by_verdicts_on_criteria_is_refused_for_a_rubric_of_pairs() -> None:
    with pytest.raises(UsageError, match="aren't met or unmet"):
        trend_of_criteria("criteria", OfPairs(), ("judge", "gold"), LabelOptions())  # type: ignore[arg-type]


def test_deciding_trends_by_criteria_is_refused_for_a_table_of_pairs_unless_it_is_set_for_all_rubrics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_call = LabelOptions(trend_on="criteria")
    for_all = replace(of_call, set_for_all=frozenset(["trend_on"]))
    table: Any = OfPairs()
    monkeypatch.chdir(tmp_path)
    assert trend_of_criteria("criteria", table, ("judge", "gold"), for_all) is None
    (tmp_path / "markscheme.toml").write_text('trend_on = "criteria"\n')
    with pytest.raises(UsageError, match="aren't met or unmet"):
        trend_of_criteria("criteria", table, ("judge", "gold"), of_call)


def test_a_limit_on_false_credit_without_trends_by_criteria_is_refused_unless_it_is_set_for_all_rubrics() -> None:
    of_call = LabelOptions(max_false_credit=0.1)
    refuse_limits_of_scores(replace(of_call, set_for_all=frozenset(["max_false_credit"])), OfPairs.rubric)
    with pytest.raises(UsageError, match="it goes with trend_on: criteria"):
        refuse_limits_of_scores(of_call, OfPairs.rubric)


def verdicts_of(sizes: list[int], *, wrong_in: int) -> list[CriterionVerdict]:
    return [
        CriterionVerdict(f"r{task}", f"t{task}", Criterion(1.0, f"Thing {task} {place}"), True, task != wrong_in, 1, {})
        for task, size in enumerate(sizes)
        for place in range(size)
    ]


def test_if_few_tasks_hold_most_of_the_verdicts_all_tasks_get_equal_weight() -> None:
    trend = CriteriaTrend(verdicts_of([60, *[4] * 19], wrong_in=0))
    assert trend.figures.agreement.value == pytest.approx(19 / 20)
    assert trend.on({"r1", "r2"}).figures.agreement.value == 1


def test_a_judge_that_calls_too_many_met_criteria_unmet_may_not_be_used_for_trends() -> None:
    trend = CriteriaTrend(verdicts_of([5] * 40, wrong_in=0), {"missed_credit": 0.5})
    kept = trend.to_json(0.95)["limits"]["missed_credit"]
    broken = CriteriaTrend(trend.verdicts, {"missed_credit": 0.0})
    assert (kept["state"], kept["rate"].value, list(trend.reason_codes(0.975))) == ("kept", pytest.approx(1 / 40), [])
    assert broken.reason_codes(0.975) == ["side"]
    assert CriteriaTrend(trend.verdicts, {"missed_credit": 1 / 40}).reason_codes(0.975) == ["side-open"]
    assert CriteriaTrend(trend.verdicts).to_json(0.95)["limits"] == {}


def test_the_report_says_if_more_labels_are_unlikely_to_decide_whether_the_judge_may_show_trends() -> None:
    trend = CriteriaTrend(verdicts_of([5] * 40, wrong_in=0))
    sentence = "Label about 8 more tasks (40 verdicts); even then the chance is only 40%."
    assert trend.labels(DecisiveLabels(40, 0.4)) == sentence
    assert trend.labels(None) == "More labels alone are unlikely to decide that."


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=40, max_size=40))
def test_the_interval_of_the_gain_over_the_baseline_contains_the_intervals_by_task_and_by_criterion(
    pairs: list[tuple[bool, bool]],
) -> None:
    gold, judge = (np.array(answers, dtype=np.float64) for answers in zip(*pairs, strict=True))
    tasks, criteria = np.repeat(np.arange(8), 5), np.tile(np.arange(5), 8)
    figures = wider_figures(gold, judge, np.full((40, 0), np.nan), tasks, criteria)
    constant = figures.constant_value
    gains = (gold == judge).astype(float) - (gold == constant)
    for groups in (tasks, criteria):
        mean = grouped_mean(gains, groups)
        low, high = figures.gain.lower(0.975), figures.gain.upper(0.975)
        one_low, one_high = mean.lower(0.975), mean.upper(0.975)
        assert None not in (low, high, one_low, one_high)
        assert low <= one_low + 1e-12  # type: ignore[operator]
        assert high >= one_high - 1e-12  # type: ignore[operator]
