"""A stress run from Python: what it would ask and cost, and its result."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from markscheme.features.stress.battery import LEAST_EXAMPLES
from markscheme.features.stress.run import StressRequest
from markscheme.judges.options import AskOptions
from markscheme.rubrics.file import load_rubric

JUDGE = """
prompts = []

def steady(system_prompt, user_prompt):
    prompts.append(user_prompt)
    return {"verdicts": {"brief": {"quote": "nothing to quote", "reason": "It says so.", "level": "MET"}}}
"""


@pytest.fixture
def steady(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StressRequest:
    """A request for a judge that always gives the same level."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "cache"))
    (tmp_path / "steady_judge.py").write_text(JUDGE)
    (tmp_path / "brief.yaml").write_text("criteria: [{name: brief, requirement: The answer is brief.}]\n")
    lines = [json.dumps({"id": f"e{n}", "response": f"Thank you, {n} times."}) for n in range(LEAST_EXAMPLES)]
    (tmp_path / "examples.jsonl").write_text("\n".join(lines))
    return StressRequest(
        rubric=load_rubric(tmp_path / "brief.yaml"),
        examples=tmp_path / "examples.jsonl",
        judge="function:steady_judge:steady",
        only=["praise"],
        originals=2,
        ask=AskOptions(cache=False),
    )


def test_the_planned_calls_are_those_that_are_made(steady: StressRequest) -> None:
    cost = steady.cost()
    assert cost.calls == LEAST_EXAMPLES * (2 + 1 + 1), "two originals, the control, and the praise"
    import steady_judge  # type: ignore[import-not-found]

    assert steady_judge.prompts == []
    result = steady.run()
    assert len(steady_judge.prompts) == cost.calls
    assert not result.is_moved
    assert not result.not_graded


def test_a_request_with_too_few_examples_says_so(steady: StressRequest) -> None:
    assert steady.lacks == ""
    assert replace(steady, n=4).lacks == f"4 examples; at least {LEAST_EXAMPLES} are needed"
