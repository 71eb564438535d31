"""What gold and the judge said of each example, as plain data: enough to compare calibrations with each other."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.calibration.comparison import Comparison
from markscheme.fingerprint import fingerprint

Floats = npt.NDArray[np.float64]


def rated_json(comparison: Comparison) -> dict[str, Any]:
    """Scores, decisions and levels of both, one an example in the order of `examples`; null where there is none."""
    gold = comparison.gold
    judge = {name: found.judge for name, found in comparison.criteria.items()}
    return {
        "responses": [fingerprint(example.submission.response) for example in gold.examples],
        "groups": [example.group or None for example in gold.examples],
        "gold": _said(gold.overall, gold.passed, {name: gold.levels[name] for name in judge}),
        "judge": _said(comparison.scores, comparison.passes, judge),
        "drawn": [example.drawn for example in gold.examples],
        "weight": [example.weight for example in gold.examples],
        "stratum": [example.stratum or None for example in gold.examples],
    }


def _said(scores: Floats, passes: Floats, levels: Mapping[str, Floats]) -> dict[str, Any]:
    return {
        "overall": _numbers(scores),
        "pass": [None if np.isnan(value) else bool(value) for value in passes.tolist()],
        "criteria": {name: _numbers(values) for name, values in levels.items()},
    }


def _numbers(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]
