"""A stress run from Python: what it would ask and cost, and its result."""

import json
from pathlib import Path

import pytest

from markscheme.features.stress.battery import LEAST_EXAMPLES, Battery
from markscheme.features.stress.options import StressOptions
from markscheme.features.stress.run import cost_of_run, open_battery, run_battery
from markscheme.judges.judge import Judge
from markscheme.judges.options import AskOptions
from markscheme.rubrics.file import load_rubric

JUDGE = """
prompts = []

def steady(system_prompt, user_prompt):
    prompts.append(user_prompt)
    return {"verdicts": {"brief": {"quote": "nothing to quote", "reason": "It says so.", "level": "MET"}}}
"""


ASKING = AskOptions(cache=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a judge that always gives the same level."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "cache"))
    (tmp_path / "steady_judge.py").write_text(JUDGE)
    (tmp_path / "brief.yaml").write_text("criteria: [{name: brief, requirement: The answer is brief.}]\n")
    lines = [json.dumps({"id": f"e{n}", "response": f"Thank you, {n} times."}) for n in range(LEAST_EXAMPLES)]
    (tmp_path / "examples.jsonl").write_text("\n".join(lines))
    return tmp_path


def opened(folder: Path, options: StressOptions) -> tuple[Battery, Judge]:
    """The questions for the judge of the project."""
    rubric = load_rubric(folder / "brief.yaml")
    judge = "function:steady_judge:steady"
    return open_battery(rubric, options, ASKING, examples=folder / "examples.jsonl", judge=judge)


def test_a_stress_run_makes_as_many_calls_as_planned(folder: Path) -> None:
    battery, judge = opened(folder, StressOptions(only_changes=("praise",), originals=2))
    cost = cost_of_run(battery, judge, ASKING)
    assert cost.calls == LEAST_EXAMPLES * (2 + 1 + 1), "two originals, the control, and the praise"
    import steady_judge  # type: ignore[import-not-found]

    assert steady_judge.prompts == []
    result = run_battery(battery, judge, ASKING)
    assert len(steady_judge.prompts) == cost.calls
    assert not result.is_moved
    assert not result.not_graded


def test_a_stress_run_with_too_few_examples_says_how_many_are_needed(folder: Path) -> None:
    battery, _ = opened(folder, StressOptions(n=LEAST_EXAMPLES))
    assert battery.lack is None
    battery, _ = opened(folder, StressOptions(n=4))
    assert battery.lack == f"4 examples; at least {LEAST_EXAMPLES} are needed"
