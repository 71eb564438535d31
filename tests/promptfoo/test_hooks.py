"""What the afterAll hook tells, under the real Promptfoo, of runs whose worth can be worked out by hand."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.promptfoo.answering import HOOKS, assertion, evaluate, judging, rows
from tests.real.messages_front import MessagesFront
from tests.real.promptfoo import EvalRun

pytestmark = pytest.mark.usefixtures("promptfoo", "runtime")
PROMPTS = [{"raw": "{{answer}}", "label": "plain"}, {"raw": "Perhaps: {{answer}}", "label": "hedged"}]


@pytest.fixture
def front() -> Iterator[MessagesFront]:
    with MessagesFront(judging()) as running:
        yield running


def run_of(
    folder: Path, front: MessagesFront, outputs: list[str], env: dict[str, str], args: tuple[str, ...] = (), **more: Any
) -> EvalRun:
    return evaluate(folder, front.url, outputs, [assertion()], env=env, args=args, **{"extensions": HOOKS, **more})


def told(run: EvalRun) -> list[str]:
    """The lines of ours in what Promptfoo printed."""
    lines = (run.stdout + "\n" + run.stderr).splitlines()
    return [line.partition("markscheme: ")[2] for line in lines if "INFO markscheme: " in line]


def test_it_tells_rates_means_cost_trust_and_differences(front: MessagesFront, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    outputs = ["Paris."] * 9 + ["Rome."] * 3
    env = {"MARKSCHEME_REPORT": str(report), "MARKSCHEME_PRICE": "3:15", "MARKSCHEME_NO_CACHE": "1"}
    run = run_of(tmp_path, front, outputs, env, prompts=PROMPTS)
    lines = told(run)
    headings, row = (next(line for line in lines if line.startswith(start)) for start in ("Prompt", "plain / echo"))
    assert headings.split()[-4:] == ["python", "right", "rude", "cost"]
    assert row.split()[:5] == ["plain", "/", "echo", "75%", "(43–95)"]
    assert "  0.75    0.75   1.00  " in row
    assert any(
        line.startswith("- hedged / echo compared with plain / echo: 0 (") and "may be noise" in line for line in lines
    )
    assert "- The judge of capital: not calibrated." in lines
    assert "- Grading cost: 24 calls, 2,880 tokens, $0.0144." in lines
    data = json.loads(report.read_text())
    plain, hedged = data["systems"]
    assert plain["raw"]["value"] == hedged["raw"]["value"] == 0.75
    assert plain["corrected"] is None
    assert plain["criteria"] == {
        "python": {"mean": 0.75, "n": 12},
        "right": {"mean": 0.75, "n": 12},
        "rude": {"mean": 1.0, "n": 12},
    }
    assert data["differences"][0]["more_than_noise"] is False
    assert data["cost"]["calls"] == 24


def test_a_prompt_that_fails_where_another_passes_is_distinguished_from_noise(
    front: MessagesFront, tmp_path: Path
) -> None:
    worse = [PROMPTS[0], {"raw": "No idea", "label": "lost"}]
    report = tmp_path / "report.md"
    run = run_of(tmp_path, front, ["Paris."] * 12, {"MARKSCHEME_REPORT": str(report)}, prompts=worse)
    (line,) = [line for line in told(run) if line.startswith("- lost / echo compared with plain / echo: ")]
    assert line.startswith("- lost / echo compared with plain / echo: −100 (")
    assert line.endswith("points on 12 tests: more than noise.")
    text = report.read_text()
    assert "| plain / echo | 100% (" in text
    assert "more than noise" in text


def test_labels_of_the_tests_correct_the_rate(front: MessagesFront, tmp_path: Path) -> None:
    """The judge passes 8 of 16; of the labelled passes people pass 6 of 8, of the fails none."""
    report = tmp_path / "report.json"
    outputs = [f"Paris. {n}" for n in range(8)] + [f"Rome. {n}" for n in range(8)]
    labels = ["pass"] * 6 + ["fail"] * 10
    tests = [
        {
            "vars": {"answer": output, "question": "Capital?"},
            "assert": [assertion()],
            "metadata": {"expected_label": label},
        }
        for output, label in zip(outputs, labels, strict=True)
    ]
    run = run_of(tmp_path, front, outputs, {"MARKSCHEME_REPORT": str(report)}, tests=tests)
    (system,) = json.loads(report.read_text())["systems"]
    assert system["raw"]["value"] == 0.5
    assert system["corrected"]["value"] == pytest.approx(6 / 16)
    assert "as people would decide" in " ".join(told(run))


def test_a_calibration_of_other_outputs_corrects_it_too(front: MessagesFront, tmp_path: Path) -> None:
    lines = [{"id": str(n), "gold": n < 45, "judge": n < 50} for n in range(100)]
    calibration = tmp_path / "calibration.jsonl"
    calibration.write_text("\n".join(map(json.dumps, lines)))
    outputs = ["Paris."] * 10 + ["Rome."] * 10
    run = run_of(tmp_path, front, outputs, {"MARKSCHEME_CALIBRATION": str(calibration)})
    assert "as people would decide" in " ".join(told(run))
    assert "Corrected by 100 labels." in told(run)


def test_ungraded_outputs_count_in_no_rate(front: MessagesFront, tmp_path: Path) -> None:
    broken = [assertion(config={"rubric": "capitol"})]
    tests = [
        {"vars": {"answer": "Paris.", "question": "?"}, "assert": [assertion()]},
        {"vars": {"answer": "Paris.", "question": "?"}, "assert": broken},
    ]
    run = run_of(tmp_path, front, [], {}, tests=tests)
    row = told(run)[3]
    assert "  1 of 1  " in row
    assert " 1 of 2 " in row
    reason = "python: there is no rubric named 'capitol'; did you mean 'capital'?"
    assert any(line.startswith(f"- 1 output not graded, in no rate: 1 × {reason}") for line in told(run))


@pytest.mark.parametrize("env", [{"MARKSCHEME_CALIBRATION": "/nowhere"}, {"MARKSCHEME_REPORT": "/nowhere/report.json"}])
def test_whatever_goes_wrong_after_the_run_its_results_are_saved(
    front: MessagesFront, tmp_path: Path, env: dict[str, str]
) -> None:
    run = run_of(tmp_path, front, ["Paris."], env)
    assert [row["success"] for row in rows(run)] == [True]
    assert told(run)[-1].startswith("no summary of this run: ")


def test_repeats_tell_how_often_the_gate_fails(front: MessagesFront, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    env = {"MARKSCHEME_REPORT": str(report), "PROMPTFOO_PASS_RATE_THRESHOLD": "50"}
    run = run_of(tmp_path, front, ["Paris."] * 3 + ["Rome."], env, args=("--repeat", "2"))
    risk = json.loads(report.read_text())["gate_risk"]
    assert (risk["runs"], risk["cases"], risk["center"]) == (2, 4, 0.75)
    assert f"- At a pass rate of 50%: {risk['because']}" in told(run)
