"""An accepted experiment keeps in which way its judge was asked."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from markscheme import ScriptedJudge
from markscheme.errors import ComparisonError
from markscheme.features.experiment.accepted import accept_experiment, load_accepted_experiment
from markscheme.features.experiment.definition import Experiment, ExperimentCase, Variant
from markscheme.features.experiment.run import run_experiment
from tests.calibration.test_ways_of_asking import NO_FORMAT, RUBRIC, at, for_every_row, server_that_refuses_the_format

pytestmark = pytest.mark.usefixtures("no_authorities")


@pytest.mark.filterwarnings("ignore:.*which its server:RuntimeWarning")
def test_an_accepted_experiment_records_the_parameters_with_which_its_judge_was_asked(tmp_path: Path) -> None:
    experiment = Experiment(
        RUBRIC, (Variant("plain"),), tuple(ExperimentCase(f"c{k}", {"query": "?"}) for k in range(100, 103))
    )
    prints = []
    for is_refused in (True, False):
        outputs = ScriptedJudge([f"reply {k}" for k in range(100, 103)])
        with server_that_refuses_the_format(for_every_row(is_refused=is_refused)) as server:
            judge = at(server)
            run = asyncio.run(run_experiment(experiment, judge, model=outputs))
        assert run.not_graded == 0
        accept_experiment(run, tmp_path / "accepted.json")
        prints.append(load_accepted_experiment(tmp_path / "accepted.json").fingerprints.judge)
        asked = replace(judge.identity, without=NO_FORMAT) if is_refused else judge.identity
        assert prints[-1] == asked.fingerprint
    assert prints[0] != prints[1]
    in_another_way = {cell: replace(grade, asked_without=(("seed",),)) for cell, grade in run.grades.items()}
    accept_experiment(replace(run, grades=in_another_way), tmp_path / "other.json")
    with pytest.raises(ComparisonError, match="graded by another judge"):
        load_accepted_experiment(tmp_path / "other.json").since(run)
