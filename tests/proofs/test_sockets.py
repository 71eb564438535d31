"""A rubric inside each framework, run for real, each in an environment of its own.

`sockets/FRAMEWORK.txt` is the program: four responses, of which one can't be graded. Sizes of the environments, of
which 330 MB are markscheme's own: OpenTelemetry 340 MB, DeepEval 460, Inspect 530, Daft 670, verifiers 730, MLflow 930,
Ray 880, TRL 1,650 (torch for CPUs).
"""

from pathlib import Path
from typing import Any

import pytest

from tests.proofs.environments import ran

pytestmark = pytest.mark.release

PROGRAMS = Path(__file__).parent / "sockets"
DOWN = "not graded: the judge is down"


@pytest.fixture
def evaluation(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return ran(PROGRAMS / f"{request.param}.txt", tmp_path)


@pytest.mark.parametrize("evaluation", ["inspect"], indirect=True)
def test_an_eval_of_inspect_has_a_metric_for_each_criterion_and_leaves_the_ungraded_out(evaluation: Any) -> None:
    assert evaluation["means"] == {"parcel": pytest.approx(2 / 3), "place": pytest.approx(2 / 3), "promise": 0.5}
    assert evaluation["values"] == [
        {"parcel": 1, "place": 1, "promise": 1},
        {"parcel": 0, "place": 0, "promise": 0},
        None,
        {"parcel": 1, "place": 1, "promise": None},
    ]
    assert (evaluation["reasons"], evaluation["unscored"]) == ([None, None, "grader_failed", None], [1, 1, 2])
    assert evaluation["explanations"][2] == DOWN


@pytest.mark.parametrize("evaluation", ["deepeval"], indirect=True)
def test_a_metric_of_deepeval_passes_fails_or_errs_in_both_kinds_of_run(evaluation: Any) -> None:
    for run in evaluation:
        assert [[name, score, success] for name, score, success, _, _ in run] == [
            ["parcel", 1, True],
            ["parcel", 0, False],
            ["parcel", None, False],
            ["parcel", 1, True],
        ]
        assert [DOWN in (error or "") for _, _, _, error, _ in run] == [False, False, True, False]
        assert run[0][4] == "1.00, pass: place 1 (scripted); promise 1 (scripted)"


@pytest.mark.parametrize("evaluation", ["mlflow"], indirect=True)
def test_an_evaluation_of_mlflow_has_a_feedback_for_each_criterion_and_an_error_for_the_ungraded(
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


@pytest.mark.parametrize("evaluation", ["trl"], indirect=True)
def test_two_steps_of_grpo_are_rewarded_and_leave_out_what_has_no_reward(evaluation: Any) -> None:
    assert len(evaluation["steps"]) == 2
    for (reward, mean, loss), rewards in zip(evaluation["steps"], evaluation["rewards"], strict=True):
        graded = [one for one in rewards if one is not None]
        assert (len(rewards), len(graded)) == (8, 6)
        assert mean == reward == pytest.approx(sum(graded) / 6)
        assert loss == loss  # a number: no NaN got into it
    assert all(evaluation["asked"])
    assert (evaluation["messages"], evaluation["name"]) == ([2, -1, None, 2], "parcel")


@pytest.mark.parametrize("evaluation", ["verifiers"], indirect=True)
def test_a_task_of_verifiers_has_a_reward_or_an_error(evaluation: Any) -> None:
    good, bad, down, other = evaluation
    assert good == other == [{"parcel": [2, 0.5]}, 1, None]
    assert bad == [{"parcel": [-1, 0.5]}, -0.5, None]
    assert (down[0], down[1]) == ({"parcel": None}, 0)
    assert DOWN in down[2]


@pytest.mark.parametrize("evaluation", ["daft"], indirect=True)
def test_rows_of_daft_have_a_score_and_a_level_for_each_criterion_or_an_error(evaluation: Any) -> None:
    graded = [(1, True), (0, False), (None, None), (1, True), (None, None)]
    assert [(row["score"], row["pass"]) for row in evaluation] == graded
    assert [row["criteria"] and row["criteria"]["promise"] for row in evaluation] == [0, 1, None, None, None]
    assert "the judge is down" in evaluation[2]["error"]
    assert evaluation[4]["error"] == "the row has no response"


@pytest.mark.parametrize("evaluation", ["ray"], indirect=True)
def test_the_program_for_ray_data_starts_on_two_cpus_and_scores_every_row(evaluation: Any) -> None:
    assert evaluation == [[f"r{number}", number % 2] for number in range(8)]


@pytest.mark.parametrize("evaluation", ["otel"], indirect=True)
def test_a_grade_is_events_of_opentelemetry_and_an_ungraded_one_an_error(evaluation: Any) -> None:
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
