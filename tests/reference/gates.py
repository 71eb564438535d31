"""Worked figures of gates, computed once, away from this package, with plain numpy and scipy."""

from dataclasses import dataclass
from typing import Literal

FIRST = (0.82, 0.61, 0.9, 0.74, 0.55, 0.88, 0.7, 0.93)
STEADY = (FIRST, (0.8, 0.66, 0.9, 0.71, 0.58, 0.9, 0.64, 0.93), (0.85, 0.59, 0.92, 0.75, 0.52, 0.86, 0.71, 0.95))
SHIFTING = (FIRST, (0.83, 0.69, 0.93, 0.74, 0.61, 0.93, 0.67, 0.96), (0.82, 0.56, 0.89, 0.72, 0.49, 0.83, 0.68, 0.92))
PASSES = ((1,) * 14 + (0,) * 6, (1,) * 16 + (0,) * 4, (1,) * 14 + (0, 1, 0, 1, 0, 0))
ALIKE = ((1,) * 18 + (0,) * 2,) * 3


@dataclass(frozen=True)
class GateCase:
    """Worked example of a gate on a mean: scores of repeated runs, and the risk that the gate fails by chance.

    `safe` and `p_averaged` are by the number of runs averaged.
    """

    name: str
    runs: tuple[tuple[float, ...], ...]
    of: Literal["score", "pass"]
    threshold: float
    center: float
    p_fail: tuple[float, float, float]
    p_fail_wide: float
    unshifted: float
    safe: dict[int, float]
    p_averaged: dict[int, float]


SAFE = {1: 0.7306425775, 3: 0.7428161218, 5: 0.746076002}
GATES = [
    GateCase(
        "mean score of eight cases",
        STEADY,
        "score",
        0.74,
        0.7666666667,
        (0.0162111253, 0.0001448144, 0.1253945773),
        0.0259287535,
        0.775764918,
        SAFE,
        {3: 0.0027911},
    ),
    GateCase(
        "threshold further off",
        STEADY,
        "score",
        0.7,
        0.7666666667,
        (0.0006075011, 0.0, 0.0006930167),
        0.0011771593,
        0.775764918,
        SAFE,
        {3: 1.18898e-05},
    ),
    GateCase(
        "runs that differ more than their cases",
        SHIFTING,
        "score",
        0.7,
        0.7666666667,
        (0.0131193655, 1.2152e-06, 0.1179930266),
        0.0237578057,
        0.0087641557,
        {1: 0.6844950579, 3: 0.7089198898, 5: 0.7162219103},
        {3: 0.0002987977},
    ),
    GateCase(
        "pass rate of twenty cases",
        PASSES,
        "pass",
        0.7,
        0.7666666667,
        (0.0859063979, 0.0056544281, 0.3816452764),
        0.1132406199,
        0.634997824,
        {1: 0.5065733503, 3: 0.5981578969, 5: 0.6243470423},
        {3: 0.0231636661},
    ),
    GateCase(
        "no repeat differs",
        ALIKE,
        "pass",
        0.85,
        0.9,
        (0.0039266847, 1.406e-07, 0.0248148901),
        0.0062032824,
        0.7794744717,
        {1: 0.8354132085, 3: 0.8571168328, 5: 0.862938703},
        {3: 0.0004035034},
    ),
]
SMALLEST_DROP = (0.8, 0.77, 0.0001, 1.6, 0.0406457601)
"""Mean, threshold, variance by cases, mean ratio of the variance of run means to it, smallest drop."""
