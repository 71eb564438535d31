"""A rubric inside each framework, run for real, each in an environment of its own.

`sockets/FRAMEWORK.txt` is the program: four responses, of which one can't be graded. Sizes of the environments, of
which 330 MB are markscheme's own: OpenTelemetry 340 MB, DeepEval 460, Inspect 530, Daft 670, verifiers 730, MLflow 930,
Ray 880, TRL 1,650 (torch for CPUs). Last run of GRPO: TRL 1.16 with torch 2.14; of the loop of verifiers: 0.4.0.
"""

from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tests.proofs.environments import ran

pytestmark = pytest.mark.release

PROGRAMS = Path(__file__).parent / "sockets"
DOWN = "not graded: the judge is down"
FAULTY = "its rubric, criterion 1: weight must be a finite number other than 0"


@pytest.fixture
def evaluation(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return ran(PROGRAMS / f"{request.param}.txt", tmp_path)


@pytest.mark.parametrize("evaluation", ["inspect"], indirect=True)
def test_an_evaluation_with_inspect_has_a_metric_for_each_criterion_and_ignores_ungraded_samples(
    evaluation: Any,
) -> None:
    assert evaluation["means"] == {"parcel": pytest.approx(2 / 3), "place": pytest.approx(2 / 3), "promise": 0.5}
    assert evaluation["values"] == [
        {"parcel": 1, "place": 1, "promise": 1},
        {"parcel": 0, "place": 0, "promise": 0},
        None,
        {"parcel": 1, "place": 1, "promise": None},
    ]
    assert (evaluation["reasons"], evaluation["unscored"]) == ([None, None, "grader_failed", None], [1, 1, 2])
    assert evaluation["explanations"][2] == DOWN
    good, bad, faulty, other = evaluation["rows"]
    assert [row[0] for row in (good, bad, faulty, other)] == [{"rows": 1}, {"rows": 0}, None, {"rows": 1}]
    assert [verdict["position"] for verdict in good[2]["verdicts"]] == [1, 0]
    assert (good[2]["tag/fact"], good[2]["tag/tone"], bad[2]["tag/fact"], other[2]["tag/tone"]) == (1, 1, 0, 1)
    assert FAULTY in faulty[1]


@pytest.mark.parametrize("evaluation", ["deepeval"], indirect=True)
def test_a_deepeval_metric_passes_or_fails_or_reports_an_error_in_sync_and_async_runs(evaluation: Any) -> None:
    *alike, of_rows = evaluation
    assert [[score, success] for _, score, success, _, _ in of_rows] == [
        [1, True],
        [0, False],
        [None, False],
        [1, True],
    ]
    assert FAULTY in of_rows[2][3]
    for run in alike:
        assert [[name, score, success] for name, score, success, _, _ in run] == [
            ["parcel", 1, True],
            ["parcel", 0, False],
            ["parcel", None, False],
            ["parcel", 1, True],
        ]
        assert [DOWN in (error or "") for _, _, _, error, _ in run] == [False, False, True, False]
        assert run[0][4] == "1.00, pass: place 1 (scripted); promise 1 (scripted)"


@pytest.mark.parametrize("evaluation", ["mlflow"], indirect=True)
def test_an_evaluation_with_mlflow_has_a_feedback_for_each_criterion_and_an_error_for_ungraded_responses(
    evaluation: Any,
) -> None:
    means = {"parcel/mean": pytest.approx(2 / 3), "place/mean": pytest.approx(2 / 3), "promise/mean": 0.5}
    assert evaluation["metrics"] == means
    assert evaluation["rows"] == [
        {"parcel": [1, None], "place": [1, None], "promise": [1, None]},
        {"parcel": [0, None], "place": [0, None], "promise": [0, None]},
        {"parcel": [None, "the judge is down"]},
        {"parcel": [1, None], "place": [1, None]},
    ]
    by_tag = {"rows/mean": pytest.approx(2 / 3), "tag/fact/mean": pytest.approx(2 / 3), "tag/tone/mean": 1}
    assert evaluation["of_rows"] == by_tag
    by_row = evaluation["own"]
    assert by_row[2] is None
    assert [[(verdict["requirement"], verdict["level"]) for verdict in by_row[row]] for row in (0, 1)] == [
        [("Says Leeds", "MET"), ("Says tomorrow", "UNMET")],
        [("Says York", "UNMET")],
    ]


@pytest.mark.parametrize("evaluation", ["trl"], indirect=True)
def test_two_training_steps_of_trl_s_grpo_use_the_rewards_and_ignore_completions_without_a_reward(
    evaluation: Any,
) -> None:
    assert len(evaluation["steps"]) == 2
    for (reward, mean, loss), rewards in zip(evaluation["steps"], evaluation["rewards"], strict=True):
        graded = [one for one in rewards if one is not None]
        assert (len(rewards), len(graded)) == (8, 6)
        assert mean == reward == pytest.approx(sum(graded) / 6)
        assert loss == loss  # a number: no NaN got into it
    assert all(evaluation["asked"])
    assert (evaluation["messages"], evaluation["name"]) == ([2, -1, None, 2], "parcel")
    assert len(evaluation["logged"]) == len(evaluation["by_row"]) == 2
    for logged, (rubrics, texts, rewards) in zip(evaluation["logged"], evaluation["by_row"], strict=True):
        assert rewards == [_by_hand(rubric, text) for rubric, text in zip(rubrics, texts, strict=True)]
        assert logged["rows/ungraded"] == rewards.count(None) / 8
        for tag in ("fact", "tone"):
            merits = [_of_tag(tag, *one) for one in zip(rubrics, texts, strict=True) if _by_hand(*one) is not None]
            assert logged[f"rows/tag/{tag}"] == pytest.approx(fmean(m for m in merits if m is not None), abs=1e-6)
    assert [[verdicts == "null" for verdicts in step] for step in evaluation["extra"]] == [
        [reward is None for reward in rewards] for _, _, rewards in evaluation["by_row"]
    ]


def _by_hand(rubric: list[dict[str, Any]], text: str) -> float | None:
    if any(criterion["weight"] == 0 for criterion in rubric):
        return None
    return float(sum(criterion["weight"] for criterion in rubric if criterion["requirement"].split()[1] in text))


def _of_tag(tag: str, rubric: list[dict[str, Any]], text: str) -> float | None:
    """Compute the share of a tag's weight that a text earns by words it contains, or for a fault lacks; or None."""
    chosen = [criterion for criterion in rubric if tag in criterion["tags"]]
    earned = [
        abs(criterion["weight"])
        for criterion in chosen
        if (criterion["requirement"].split()[1] in text) == (criterion["weight"] > 0)
    ]
    return sum(earned) / sum(abs(criterion["weight"]) for criterion in chosen) if chosen else None


@pytest.mark.parametrize("evaluation", ["verifiers"], indirect=True)
def test_the_verifiers_package_gets_a_reward_or_an_error_for_each_task_in_both_rounds_of_the_environment(
    evaluation: Any,
) -> None:
    good, bad, down, other = evaluation["scored"]
    assert good == other == [{"parcel": [2, 0.5]}, 1, None, {}]
    assert bad == [{"parcel": [-1, 0.5]}, -0.5, None, {}]
    assert (down[0], down[1]) == ({"parcel": None}, 0)
    assert DOWN in down[2]
    both = {"rows/tag/fact": 1, "rows/tag/tone": 1}
    assert len(evaluation["steps"]) == 2
    for of_rows in evaluation["steps"]:
        assert of_rows[0] == of_rows[3] == [{"rows": [2, 1]}, 2, None, both]
        assert of_rows[1] == [{"rows": [0, 1]}, 0, None, {"rows/tag/fact": 0}]
        assert (of_rows[2][0], of_rows[2][3], FAULTY in of_rows[2][2]) == ({"rows": None}, {}, True)


@pytest.mark.parametrize("evaluation", ["daft"], indirect=True)
def test_rows_of_a_daft_data_frame_get_a_score_and_a_level_per_criterion_or_an_error(evaluation: Any) -> None:
    by_row = evaluation["own"]
    assert [(row["score"], [verdict["position"] for verdict in row["verdicts"] or ()]) for row in by_row] == [
        (1, [1, 0]), (0, [0]), (None, []), (1, [1, 1]),
    ]  # fmt: skip
    assert FAULTY in by_row[2]["error"]
    columns = ["part", "set_no", "gold", "judge", "p1", "p2", "n"]
    rows = [[row[column] for column in columns] for row in evaluation["counts"]]
    assert {"place", "score", "decision", "people", "given", "groups", "rate:keeps"} <= {row[0] for row in rows}
    assert sorted(row[1:] for row in rows if row[0] == "place" and row[2] is not None) == [
        [0, 1, 1, 1, 1, 1], [1, 0, 1, 0, 0, 1],
    ]  # fmt: skip
    assert [row[1:] for row in rows if row[0] == "place" and row[2] is None] == [[0, None, 1, 1, 0, 1]]
    assert [row[-1] for row in rows if row[0] == "examples"] == [3]
    paid = [row["error"] is None for row in evaluation["paid"]]
    assert (len(paid), sum(paid)) == (20, evaluation["calls"])
    assert 1 <= sum(paid) <= 3
    assert all("budget" in row["error"] for row in evaluation["paid"] if row["error"])
    evaluation = evaluation["grades"]
    graded = [(1, True), (0, False), (None, None), (1, True), (None, None)]
    assert [(row["score"], row["pass"]) for row in evaluation] == graded
    assert [row["criteria"] and row["criteria"]["promise"] for row in evaluation] == [0, 1, None, None, None]
    assert "the judge is down" in evaluation[2]["error"]
    assert evaluation[4]["error"] == "the row has no response"


@pytest.mark.parametrize("evaluation", ["ray"], indirect=True)
def test_a_program_with_ray_data_runs_on_two_cpus_and_scores_every_row(evaluation: Any) -> None:
    assert evaluation == sorted([f"r{number}", number % 2] for number in range(200))


@pytest.mark.parametrize("evaluation", ["otel"], indirect=True)
def test_a_grade_emits_opentelemetry_events(evaluation: Any) -> None:
    key = "gen_ai.evaluation."
    assert {name for name, _ in evaluation} == {"gen_ai.evaluation.result"}
    events = [event for _, event in evaluation]
    assert [(event["gen_ai.response.id"], event[f"{key}name"], event.get(f"{key}score.value")) for event in events] == [
        ("r0", "parcel", 1),
        ("r0", "parcel.place", 1),
        ("r0", "parcel.promise", 1),
        ("r1", "parcel", 0),
        ("r1", "parcel.place", 0),
        ("r1", "parcel.promise", 0),
        ("r2", "parcel", None),
        ("r3", "parcel", 1),
        ("r3", "parcel.place", 1),
    ]
    assert [event.get(f"{key}score.label") for event in events if event[f"{key}name"] == "parcel"] == [
        "pass", "fail", None, "pass",
    ]  # fmt: skip
    assert [event["error.type"] for event in events if "error.type" in event] == ["not_graded"]
    assert events[6][f"{key}explanation"] == DOWN
