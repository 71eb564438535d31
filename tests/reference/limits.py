"""Worked figures of limits on wrong decisions, computed once, away from this package, with scipy's beta quantiles."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LimitCase:
    """Worked example of a limit on wrong decisions: counts among labels drawn at random, and the ruling at 95%."""

    wrong: int
    of: int
    limit: float
    low: float
    high: float
    state: str


@dataclass(frozen=True)
class ByVerdictCase:
    """Worked example of labels drawn by verdict: gold's fails among the judge's passes and fails, and limits."""

    share_of_passes: float
    among_passes: tuple[int, int]
    among_fails: tuple[int, int]
    value: float
    low: float
    high: float


LIMITS = [
    LimitCase(0, 35, 0.1, 0.0, 0.1, "open"),
    LimitCase(0, 36, 0.1, 0.0, 0.0974, "kept"),
    LimitCase(1, 53, 0.1, 0.0005, 0.1007, "open"),
    LimitCase(1, 54, 0.1, 0.0005, 0.0989, "kept"),
    LimitCase(2, 70, 0.1, 0.0035, 0.0994, "kept"),
    LimitCase(3, 12, 0.1, 0.0549, 0.5719, "open"),
    LimitCase(9, 30, 0.1, 0.1473, 0.494, "broken"),
    LimitCase(0, 72, 0.05, 0.0, 0.0499, "kept"),
    LimitCase(0, 17, 0.2, 0.0, 0.1951, "kept"),
]
BY_VERDICT = [
    ByVerdictCase(0.6, (1, 50), (45, 50), 0.0323, 0.0008, 0.1521),
    ByVerdictCase(0.6, (0, 60), (38, 40), 0.0, 0.0, 0.0867),
    ByVerdictCase(0.6, (0, 120), (78, 80), 0.0, 0.0, 0.0446),
    ByVerdictCase(0.85, (2, 50), (45, 50), 0.2012, 0.0298, 0.4664),
    ByVerdictCase(0.85, (2, 85), (14, 15), 0.125, 0.0171, 0.3455),
    ByVerdictCase(0.6, (0, 50), (0, 50), 0.0, 0.0, 1.0),
]
FAILS_NEEDED = {0.1: (36, 54, 70, 85), 0.05: (72, 110, 142), 0.2: (17, 26, 34)}
"""By limit, the fewest fails that show it kept with no error, with one, with two, …"""
