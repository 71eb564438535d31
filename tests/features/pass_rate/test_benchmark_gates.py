"""`pass-rate` of several runs gives the figures of `threshold_risk` on the cases of the benchmark of gates."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.gate_risk import RUNS, World, worlds
from markscheme.stats.threshold_risk import threshold_risk
from tests.commands.console import run

FIGURES = ["runs", "cases", "center", "p_fail_wide", "run_shift", "safe_threshold", "smallest_drop"]


@pytest.mark.proof
@pytest.mark.parametrize("n_runs", RUNS)
def test_the_risk_that_ci_fails_by_chance_in_the_json_of_pass_rate_equals_that_of_the_statistical_function(
    n_runs: int, tmp_path: Path
) -> None:
    for number, world in enumerate(worlds()[n_runs :: len(RUNS)]):
        generator = np.random.default_rng([number, n_runs])
        seen = world.runs(n_runs, world.truth(generator), generator)
        threshold = float(round(seen.mean() - 0.02, 3))
        risk = threshold_risk(seen, threshold, of=world.of, groups=world.groups)
        answer = json.loads(_answer(tmp_path, world, seen.tolist(), threshold))
        assert [answer[name] for name in FIGURES] == pytest.approx([getattr(risk, name) for name in FIGURES])
        assert answer["p_fail"]["value"] == pytest.approx(risk.p_fail.value)
        assert answer["advice"]["runs"] == risk.repeats


def _answer(folder: Path, world: World, seen: list[list[float]], threshold: float) -> str:
    key = "score" if world.of == "score" else "pass"
    files = []
    for number, values in enumerate(seen):
        lines = [
            {"id": f"c{case}", key: value if world.of == "score" else bool(value)} for case, value in enumerate(values)
        ]
        files.append(f"r{number}.jsonl")
        (folder / files[-1]).write_text("".join(json.dumps(line) + "\n" for line in lines))
    more: list[str] = []
    if world.groups is not None:
        (folder / "rubrics").mkdir(exist_ok=True)
        (folder / "rubrics/r.yaml").write_text(
            "name: r\ncriteria:\n  - {name: a, requirement: It is good., weight: 1}\n"
        )
        examples = [
            {"id": f"c{case}", "response": "so", "group": f"g{group}"} for case, group in enumerate(world.groups)
        ]
        (folder / "examples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in examples))
        more = ["--rubric", "r", "--examples", "examples.jsonl"]
    command = ("markscheme", "pass-rate", *files, "--at-least", str(threshold), "--of", world.of, *more, "--json")
    done = run(*command, cwd=folder)
    assert done.stdout, done.stderr
    return done.stdout
