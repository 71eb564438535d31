"""The experiment of the documentation with a real model behind both ends: it answers, and it grades."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from markscheme.features.experiment.definition import Experiment, Model
from markscheme.features.experiment.outputs import OutputsFile
from markscheme.features.experiment.run import ExperimentRun, make_outputs, open_model, run_experiment
from markscheme.features.experiment.table import figures, variant_table
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.registry import open_judge
from tests.commands.console import ROOT
from tests.judges.asking import Briefly

FILE = ROOT / "docs" / "examples" / "support.experiment.yaml"


@pytest.mark.parametrize(
    ("n_cases", "n_criteria"),
    [
        pytest.param(1, 1, id="a part", marks=pytest.mark.proof),
        pytest.param(3, 4, id="all", marks=pytest.mark.release),
    ],
)
def test_the_documented_experiment_runs_on_a_real_model_and_a_second_run_reuses_all_outputs(
    local_model: Path, tmp_path: Path, n_cases: int, n_criteria: int
) -> None:
    documented = Experiment.from_file(FILE)
    assert documented.model is not None
    assert (len(documented.cases), len(documented.rubric.criteria)) == (3, 4)
    experiment = replace(
        documented,
        cases=documented.cases[:n_cases],
        rubric=replace(documented.rubric, criteria=documented.rubric.criteria[:n_criteria]),
        model=Model(f"local:{local_model}", {**documented.model.parameters, "max_tokens": 40}),
    )
    n_outputs = 2 * n_cases

    def run() -> ExperimentRun:
        judge = open_judge(f"local:{local_model}", context=JudgeContext(memory=None, parameters={"max_tokens": 180}))
        if n_criteria == 1:
            judge = Briefly(judge)
        outputs_file = OutputsFile(tmp_path / "outputs.jsonl")
        return asyncio.run(
            run_experiment(experiment, judge, model=open_model(experiment), outputs_file=outputs_file, concurrency=1)
        )

    first = run()
    assert len(first.grades) == n_outputs
    assert first.outputs.made == n_outputs
    texts = [output.text for output in first.outputs.by_cell.values()]
    assert all(texts)
    assert len(set(texts)) == n_outputs
    table = variant_table(first)
    rows = {name: figures(table, name) for name in experiment.by_name}
    for row in rows.values():
        for found in row.criteria.values():
            assert found.n + found.not_graded == n_cases
            assert found.mean is None or 1 <= (found.least or 0) <= found.mean <= (found.most or 0) <= 5
    assert sum(found.n for row in rows.values() for found in row.criteria.values()) > 0
    assert len((tmp_path / "outputs.jsonl").read_text().splitlines()) == n_outputs

    again = asyncio.run(
        make_outputs(experiment, open_model(experiment), outputs_file=OutputsFile(tmp_path / "outputs.jsonl"))
    )
    assert again.made == 0
    assert [output.text for output in again.by_cell.values()] == texts
