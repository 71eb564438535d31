"""What the afterAll hook tells of runs of the real Promptfoo, whose worth can be worked out by hand."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from markscheme.hooks import after_all
from markscheme.rubrics.search import POOL
from tests.commands.console import ROOT
from tests.commands.pasted import faults_of, printed_commands
from tests.promptfoo.answering import HOOKS, assertion, evaluate, rows
from tests.real.promptfoo import EvalRun, PromptfooInstall
from tests.session.processes import sockets

pytestmark = pytest.mark.proof

PROMPTS = [
    {"raw": "{{answer}}", "label": "plain"},
    {"raw": "Perhaps: {{answer}}", "label": "hedged"},
    {"raw": "No idea", "label": "lost"},
]
Summarizing = Callable[..., tuple[list[str], str]]
RECORDING = """
import json, pathlib

def afterAll(context, hook):
    pathlib.Path("context.json").write_text(json.dumps(context))
"""
SESSION_FILE = str(ROOT / "graders" / "session.py")


@dataclass(frozen=True)
class Recorded:
    """A run of the real Promptfoo with our hooks.

    Attributes:
        run: What it left behind.
        context: What Promptfoo passed to the hooks after it.
        report: The file that our hook was to write.
    """

    run: EvalRun
    context: dict[str, Any]
    report: Path

    def context_with(self, rows_wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The context of a run of these rows alone."""
        copied: dict[str, Any] = json.loads(json.dumps(self.context))
        copied["results"] = [row for row in copied["results"] if rows_wanted(row)]
        return copied


JUDGE = """
import json
from markscheme.judges.judge import Reply, Usage

def judge(system_prompt, user_prompt):
    verdict = {"quote": "nothing to quote", "reason": "The material says so."}
    right = "MET" if "Paris" in user_prompt else "UNMET"
    verdicts = {"right": {**verdict, "level": right}, "rude": {**verdict, "level": "UNMET"}}
    return Reply(json.dumps({"verdicts": verdicts}), usage=Usage(1, 100, 20))

judge.environment = ()
"""


def recorded(folder: Path, tests: list[dict[str, Any]], env: dict[str, str], report: Path, **more: Any) -> Recorded:
    (folder / "recording.py").write_text(RECORDING)
    (folder / "capital_judge.py").write_text(JUDGE)
    with sockets() as runtime:
        run = evaluate(
            folder,
            None,
            [],
            [],
            tests=tests,
            env={"MARKSCHEME_REPORT": str(report), "XDG_RUNTIME_DIR": str(runtime), **env},
            extensions=[*HOOKS, "file://recording.py:afterAll"],
            language="mjs",
            **more,
        )
    return Recorded(run, json.loads((folder / "context.json").read_text()), report)


def case_of(answer: str, **config: Any) -> dict[str, Any]:
    judged = {"judge": "function:capital_judge:judge", **config}
    return {"vars": {"answer": answer, "question": "Capital?"}, "assert": [assertion(config=judged)]}


@pytest.fixture(scope="module")
def three_prompts(promptfoo: PromptfooInstall, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Three prompts over twelve tests: two pass nine of them, the third none."""
    folder = tmp_path_factory.mktemp("prompts")
    tests = [case_of(answer) for answer in [*(f"Paris. {n}" for n in range(9)), *(f"Rome. {n}" for n in range(3))]]
    env = {"MARKSCHEME_PRICE": "3:15", "MARKSCHEME_NO_CACHE": "1"}
    return recorded(folder, tests, env, folder / "report.json", prompts=PROMPTS)


@pytest.fixture(scope="module")
def repeated(promptfoo: PromptfooInstall, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Five tests, each twice, of which one can't be graded; the report can't be written."""
    folder = tmp_path_factory.mktemp("repeats")
    tests = [case_of(answer) for answer in ("Paris.", "It is Paris.", "Paris!", "Rome.")]
    nowhere = folder / "nowhere" / "report.json"
    return recorded(folder, [*tests, case_of("Paris.", rubric="capitol")], {}, nowhere, args=("--repeat", "2"))


@pytest.fixture
def summary_of(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Summarizing:
    """The hook, called with a context: the lines that it prints, and the report that it writes."""

    def summarized(context: dict[str, Any], report: str = "report.json", **env: str) -> tuple[list[str], str]:
        monkeypatch.setenv("MARKSCHEME_REPORT", str(tmp_path / report))
        for variable, value in env.items():
            monkeypatch.setenv(variable, value)
        after_all(context, SESSION_FILE)
        written = tmp_path / report
        return lines_of(capfd.readouterr().err), written.read_text() if written.exists() else ""

    return summarized


def lines_of(printed: str) -> list[str]:
    """The lines of ours in what Promptfoo printed."""
    return [line.partition("markscheme: ")[2] for line in printed.splitlines() if "INFO markscheme: " in line]


def is_plain(row: dict[str, Any]) -> bool:
    return bool(row["prompt"]["label"] == "plain")


def is_graded(row: dict[str, Any]) -> bool:
    return "not graded" not in row["gradingResult"]["reason"]


def test_the_promptfoo_hook_prints_pass_rates_and_costs_and_whether_the_judge_is_calibrated(
    three_prompts: Recorded,
) -> None:
    lines = lines_of(three_prompts.run.stdout + "\n" + three_prompts.run.stderr)
    headings, row = (next(line for line in lines if line.startswith(start)) for start in ("Prompt", "plain / echo"))
    assert headings.split()[-4:] == ["python", "right", "rude", "cost"]
    assert row.split()[:5] == ["plain", "/", "echo", "75%", "(43–95)"]
    assert "  0.75    0.75   1.00  " in row
    assert any(
        line.startswith("- hedged / echo compared with plain / echo: 0 (") and "may be noise" in line for line in lines
    )
    assert "- The judge of capital: no accepted run." in lines
    assert "- Grading cost: 36 calls, 4,320 tokens, $0.0216." in lines
    data = json.loads(three_prompts.report.read_text())
    plain, hedged, lost = data["systems"]
    assert plain["raw"]["value"] == hedged["raw"]["value"] == 0.75
    assert lost["raw"]["value"] == 0
    assert plain["corrected"] is None
    assert plain["criteria"] == {
        "python": {"mean": 0.75, "n": 12},
        "right": {"mean": 0.75, "n": 12},
        "rude": {"mean": 1.0, "n": 12},
    }
    assert [difference["more_than_noise"] for difference in data["differences"]] == [False, True, True]
    assert data["cost"]["calls"] == 36


def test_the_command_that_the_promptfoo_hook_prints_works_in_the_folder_of_the_run(
    three_prompts: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, summary_of: Summarizing
) -> None:
    folder = three_prompts.report.parent
    lines = lines_of(three_prompts.run.stdout + "\n" + three_prompts.run.stderr)
    unlabelled = [*printed_commands("\n".join(lines))]
    assert unlabelled == [f"markscheme label capital --pool {POOL}"]
    texts = [{"id": f"o{n}", "query": "Capital?", "response": f"Paris. {n}"} for n in range(20)]
    (folder / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in texts))
    pasted_into = tmp_path / "unlabelled"
    assert faults_of(unlabelled, folder, pasted_into, {POOL: "outputs.jsonl"}, {}) == {}
    labelled = tmp_path / "labelled"
    shutil.copytree(folder, labelled, symlinks=True)
    (labelled / "calibration" / "capital").mkdir(parents=True)
    label = {"rater": "ann", "kind": "human", "criteria": {"right": True, "rude": False}}
    rows_ = [{**row, "inputs": {"query": row.pop("query")}, "labels": [label]} for row in texts]
    (labelled / "calibration" / "capital" / "examples.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows_))
    monkeypatch.chdir(labelled)
    monkeypatch.setenv("PYTHONPATH", str(labelled))
    lines, _ = summary_of(three_prompts.context)
    commands = [*printed_commands("\n".join(lines))]
    assert [command.split()[:3] for command in commands] == [["markscheme", "calibrate", "capital"]]
    placeholders = {"JUDGE": "function:capital_judge:judge"}
    assert faults_of(commands, labelled, tmp_path / "copies", placeholders, {}) == {}


def test_a_prompt_that_fails_all_tests_that_another_prompt_passes_is_said_to_differ_by_more_than_noise(
    three_prompts: Recorded, summary_of: Summarizing
) -> None:
    passed = three_prompts.context_with(
        lambda row: row["prompt"]["label"] != "hedged" and "Paris" in row["vars"]["answer"]
    )
    lines, report = summary_of(passed, "report.md")
    (line,) = [line for line in lines if line.startswith("- lost / echo compared with plain / echo: ")]
    assert line.startswith("- lost / echo compared with plain / echo: −100 (")
    assert line.endswith("points on 9 tests: more than noise.")
    assert "| plain / echo | 100% (" in report
    assert "more than noise" in report


def test_labels_of_a_promptfoo_run_s_own_tests_correct_its_pass_rate(
    three_prompts: Recorded, summary_of: Summarizing
) -> None:
    """The judge passes 9 of 12; of the labelled passes people pass 6 of 9, of the fails none."""
    context = three_prompts.context_with(is_plain)
    for row in context["results"]:
        label = "pass" if row["testIdx"] < 6 else "fail"
        row["testCase"]["metadata"] = row["metadata"] = {"expected_label": label}
    lines, report = summary_of(context)
    (system,) = json.loads(report)["systems"]
    assert system["raw"]["value"] == 0.75
    assert system["corrected"]["value"] == pytest.approx(6 / 12)
    assert "as people would decide" in " ".join(lines)


def test_a_calibration_on_other_outputs_corrects_a_promptfoo_run_s_pass_rate(
    three_prompts: Recorded, summary_of: Summarizing, tmp_path: Path
) -> None:
    ratings = [{"id": str(n), "gold": n < 45, "judge": n < 50} for n in range(100)]
    calibration = tmp_path / "calibration.jsonl"
    calibration.write_text("\n".join(map(json.dumps, ratings)))
    lines, _ = summary_of(three_prompts.context_with(is_plain), MARKSCHEME_CALIBRATION=str(calibration))
    assert "as people would decide" in " ".join(lines)
    assert "; corrected by 100 labels, " in " ".join(lines)


def test_ungraded_outputs_count_in_no_pass_rate_of_a_promptfoo_run(repeated: Recorded, summary_of: Summarizing) -> None:
    graded, ungraded = (
        next(row for row in repeated.context["results"] if is_graded(row) is kind) for kind in (True, False)
    )
    lines, _ = summary_of(repeated.context_with(lambda row: row in (graded, ungraded)))
    row = lines[3]
    assert "  1 of 1  " in row
    assert " 1 of 2 " in row
    reason = "python: there is no rubric named 'capitol'; did you mean 'capital'?"
    assert any(line.startswith(f"- 1 output not graded, in no rate: 1 × {reason}") for line in lines)


def test_if_the_promptfoo_hook_cannot_write_its_report_no_results_of_promptfoo_are_lost(repeated: Recorded) -> None:
    outcomes = sorted(row["success"] for row in rows(repeated.run))
    assert outcomes == [False] * 4 + [True] * 6
    printed = lines_of(repeated.run.stdout + "\n" + repeated.run.stderr)
    assert any(
        line.startswith("- Pass rate: 6 of 8 graded outputs pass. Not corrected: there are no") for line in printed
    )
    assert printed[-1].startswith("the report is not written: ")


def test_if_the_file_of_labels_is_missing_the_promptfoo_hook_prints_the_summary_without_a_correction(
    repeated: Recorded, summary_of: Summarizing
) -> None:
    lines, _ = summary_of(repeated.context, MARKSCHEME_CALIBRATION="/nowhere")
    assert any("Not corrected: MARKSCHEME_CALIBRATION: /nowhere" in line for line in lines)


def test_repeats_in_a_promptfoo_run_show_how_often_ci_would_fail_by_chance(
    repeated: Recorded, summary_of: Summarizing
) -> None:
    lines, report = summary_of(repeated.context_with(is_graded), PROMPTFOO_PASS_RATE_THRESHOLD="50")
    risk = json.loads(report)["gate_risk"]
    assert (risk["runs"], risk["cases"], risk["center"]) == (2, 4, 0.75)
    assert f"- At a pass rate of 50%: {risk['because']}" in lines
