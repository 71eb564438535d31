"""Worked figures of the gate question, computed once, away from this package, with scipy's beta quantiles and draws.

Counts are of examples without groups; limits are exact, at 1 - 0.05/settings two-sided.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class GateCase:
    """Worked example of a gate: people's fails and passes, how many the judge decides alike, and the limits."""

    fails: int
    stopped: int
    passes: int
    kept: int
    gate: Literal["shown", "refused", "open"]
    stops: tuple[float, float]
    keeps: tuple[float, float]
    target: float = 0.8
    settings: int = 1
    max_false_pass: float | None = None
    max_false_fail: float | None = None


@dataclass(frozen=True)
class GateLabels:
    """Worked example of labels needed: labels so far, and the fewest more with an even chance to settle the gate."""

    fails: int
    stopped: int
    passes: int
    kept: int
    more: int | None
    chance: float | None


GATES = [
    GateCase(32, 12, 168, 166, "refused", (0.211, 0.563078), (0.957659, 0.998555)),
    GateCase(20, 18, 180, 174, "open", (0.683017, 0.987651), (0.928862, 0.987671)),
    GateCase(11, 11, 60, 58, "shown", (0.715086, 1.0), (0.884719, 0.995937)),
    GateCase(10, 10, 60, 58, "open", (0.691503, 1.0), (0.884719, 0.995937)),
    GateCase(17, 16, 83, 79, "shown", (0.713111, 0.998512), (0.881182, 0.986715)),
    GateCase(16, 16, 184, 150, "open", (0.794093, 1.0), (0.751476, 0.868508)),
    GateCase(100, 98, 100, 60, "refused", (0.929616, 0.997569), (0.497209, 0.696705)),
    GateCase(46, 44, 926, 890, "shown", (0.851613, 0.994691), (0.946582, 0.972625)),
    GateCase(760, 745, 240, 84, "refused", (0.967656, 0.988912), (0.289764, 0.413994)),
    GateCase(40, 36, 60, 55, "shown", (0.717389, 0.982683), (0.781601, 0.98158), settings=5),
    GateCase(40, 36, 60, 55, "open", (0.69939, 0.985755), (0.767968, 0.984365), settings=10),
    GateCase(40, 36, 160, 150, "open", (0.763363, 0.972075), (0.888065, 0.969625), max_false_pass=0.1),
    GateCase(100, 98, 100, 74, "shown", (0.929616, 0.997569), (0.642688, 0.822606), max_false_fail=0.4),
]
LABELS = [
    GateLabels(20, 18, 180, 174, 40, 0.599),
    GateLabels(10, 9, 30, 26, 160, 0.504),
    GateLabels(10, 10, 60, 58, 20, 0.85),
    GateLabels(40, 33, 60, 53, 120, 0.524),
    GateLabels(100, 97, 100, 74, 480, 0.398),
    GateLabels(6, 6, 114, 111, 120, 0.541),
    GateLabels(0, 0, 60, 60, None, None),
    GateLabels(100, 82, 300, 246, None, None),
]
LEAST_OF_A_SIDE = {0.7: (11, 17, 22, 27, 31, 36), 0.8: (17, 26, 34, 41, 48, 55), 0.9: (36, 54, 70, 85)}
"""By the least share, the fewest examples of a side that show it kept with no error, with one, with two, …"""
