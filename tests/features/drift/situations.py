"""Calibrations of a judge or a rubric that changed since the accepted run."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.noisy_judge import CHANGED, NoisyJudge, calibrated
from benchmarks.noisy_judge import rubric as drift_rubric
from markscheme.calibration.accepted.acceptance import accept
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.rubrics.rubric import Rubric
from tests.report.situations import RATER, RUBRIC


def _since(folder: Path) -> AcceptedBasis:
    path = folder / "accepted.json"
    accept(calibrated(_still(), _drifting_rubric(), runs=3), path)
    return AcceptedBasis(load_accepted(path))


def _drifting_rubric(*changed: str) -> Rubric:
    return drift_rubric("per_criterion", changed=changed, name=RUBRIC.name)


def _still(**changes: object) -> NoisyJudge:
    return replace(NoisyJudge.made(seed=8), noise=0.0, name=RATER.name, **changes)  # type: ignore[arg-type]


def drift_by_judge(folder: Path) -> Calibration:
    """The provider serves the judge at another temperature, and it rates tone a level higher."""
    judge = _still(added={"tone": 1.0}, parameters={"temperature": 0.0})
    return calibrated(judge, _drifting_rubric(), since=_since(folder))


def drift_by_wording(folder: Path) -> Calibration:
    """The author reworded clarity, and the judge rates it lower."""
    return calibrated(_still(), _drifting_rubric(CHANGED), since=_since(folder))


DRIFTS: Mapping[str, Callable[[Path], Calibration]] = {
    "drift-by-judge": drift_by_judge,
    "drift-by-wording": drift_by_wording,
}
