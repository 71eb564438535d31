"""The accepted experiment as a file."""

import asyncio
from pathlib import Path

import pytest

from markscheme import Rubric, ScriptedJudge
from markscheme.errors import UsageError
from markscheme.features.experiment.accepted import accept_experiment, load_accepted_experiment
from markscheme.features.experiment.definition import Experiment, ExperimentCase, Variant
from markscheme.features.experiment.run import ExperimentRun, run_experiment

RUBRIC = Rubric.from_dict([{"weight": 1, "requirement": "Names a city"}])
ONE = Experiment(RUBRIC, (Variant("plain"),), (ExperimentCase("fr", {"query": "France?"}),))


@pytest.fixture
def graded() -> ExperimentRun:
    return asyncio.run(run_experiment(ONE, ScriptedJudge([{"c1": "MET"}]), model=ScriptedJudge(["Paris."])))


def test_an_accepted_experiment_is_read_back_from_the_folder_that_accepting_creates(
    graded: ExperimentRun, tmp_path: Path
) -> None:
    path = tmp_path / "try.experiment" / "accepted.json"
    accept_experiment(graded, path)
    (mark,) = (mark for mark in load_accepted_experiment(path).marks if (mark.rater, mark.id) == ("plain", "fr"))
    assert mark.overall == 1.0


def test_a_folder_for_the_accepted_run_that_cannot_be_made_is_a_usage_error(
    graded: ExperimentRun, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(UsageError, match=r"taken/accepted\.json cannot be written"):
        accept_experiment(graded, tmp_path / "taken" / "accepted.json")
