"""Runs from Python that are compared with the accepted one."""

from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from markscheme import calibrate
from tests.calibration import test_ways_of_asking as ways
from tests.calibration.test_api import RUBRIC, judge, rows


@pytest.fixture
def elsewhere(tmp_path: Path) -> Any:
    """A folder with nothing in it as the working directory."""
    with chdir(tmp_path):
        yield tmp_path


def test_a_run_accepted_from_python_joins_the_accepted_runs_and_later_calls_are_compared_with_it(
    elsewhere: Path,
) -> None:
    sentences: list[str] = []
    accepted = elsewhere / "accepted.json"
    calibrate(RUBRIC, rows(), judge(), accept=True, accepted=accepted, notify=sentences.append)
    again = calibrate(RUBRIC, rows(), judge(), accepted=accepted)
    (sentence,) = sentences
    assert "1 run accepted" in sentence
    assert again.baseline is not None
    assert not again.baseline.alarm


def test_a_run_whose_judge_was_asked_with_other_parameters_does_not_join_the_accepted_runs(tmp_path: Path) -> None:
    accepted = tmp_path / "calibration/rubric/accepted.json"
    takes_format = False
    with chdir(tmp_path), ways.server_that_refuses_the_format(lambda _: not takes_format) as server:
        with pytest.warns(RuntimeWarning, match="is asked without"):
            calibrate(ways.RUBRIC, ways.rows(), ways.at(server), accept=True, accepted=accepted, notify=lambda _: None)
        takes_format = True
        then = calibrate(ways.RUBRIC, ways.rows(), ways.at(server), accepted=accepted)
    assert then.baseline is not None
    assert "what the judge was asked without" in str(then.baseline.why_not_joined)
