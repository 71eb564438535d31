"""Worked figures of `discover`: shares of listed modes, the bound on new ones, how much to read, agreement on sets.

They were computed away from this package, to six decimals. Sets of modes are letters: "ab" is an output with modes a
and b, "" one with none. Rarefied numbers of modes are to four decimals.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

LISTED_SHARES = [
    (1, 40, 0.0, 0.131586),
    (1, 100, 0.0, 0.054459),
    (2, 100, 0.000509, 0.070384),
    (5, 100, 0.015431, 0.112835),
    (12, 60, 0.107825, 0.3233),
    (40, 100, 0.303295, 0.502791),
    (60, 60, 0.940371, 1.0),
    (3, 8, 0.060435, 0.755137),
    (0, 40, 0.0, 0.088097),
]
"""Outputs with the mode, outputs read for it, and both limits."""
LISTED_SHARES_IN_GROUPS = [(0.12, 100, 41.3, 0.037527, 0.25898), (0.01, 100, 60.0, 0.0, 0.078173)]
"""Share, outputs, their effective number, and both limits."""
NEW_MODE_BOUNDS: list[tuple[int, tuple[int, ...], float]] = [
    (0, (), 1.0),
    (10, (2, 4, 7), 0.712786),
    (50, (), 0.06521),
    (50, (1, 2, 3), 0.10793),
    (40, (1, 3, 6, 20), 0.210196),
    (72, (2, 5, 9, 17, 28, 41), 0.16136),
    (120, (2, 5, 9, 17, 28, 41), 0.079034),
    (20, tuple(range(1, 21)), 1.0),
]
"""Outputs read, those that named a mode first, and the bound."""
READ_ENOUGH = [
    (0.05, 0.9, None, 45, 0.09944),
    (0.05, 0.95, None, 59, 0.048495),
    (0.1, 0.9, None, 22, 0.098477),
    (0.02, 0.9, None, 114, 0.099948),
    (0.01, 0.9, None, 230, 0.099105),
    (0.2, 0.95, None, 14, 0.04398),
    (0.05, 0.9, 200, 37, 0.098746),
    (0.05, 0.9, 100, 32, 0.091819),
    (0.05, 0.9, 60, 26, 0.095104),
    (0.05, 0.9, 1000, 44, 0.094832),
    (0.05, 0.9, 40, 21, 0.098077),
    (0.1, 0.95, 200, 26, 0.045322),
    (0.02, 0.9, 500, 94, 0.098601),
]
"""Share, how sure, pool, outputs to read, and the chance that the mode is missed."""
READ_ENOUGH_FOR_ALL = [(0.05, 0.9, 103, 0.097904), (0.1, 0.9, 44, 0.094546), (0.2, 0.95, 21, 0.045898)]
"""Share, how sure, outputs to read, and the chance that any mode of that share is missed."""


@dataclass(frozen=True)
class Counts:
    """Outputs by their set of modes, and what is counted of them."""

    name: str
    outputs: dict[str, int]
    good_turing: float
    chao2: float
    rarefied: dict[int, float]

    @property
    def n(self) -> int:
        return sum(self.outputs.values())

    def table(self) -> npt.NDArray[np.float64]:
        """Modes by output."""
        names = sorted({name for modes in self.outputs for name in modes})
        rows = [[float(name in modes) for name in names] for modes, times in self.outputs.items() for _ in range(times)]
        return np.array(rows).reshape(self.n, len(names))


COUNTS = [
    Counts("ten outputs", {"": 4, "a": 3, "b": 1, "c": 1, "ab": 1}, 0.1, 3.0, {1: 0.7, 2: 1.2444, 5: 2.254, 10: 3.0}),
    Counts("all alike", {"a": 20}, 0.0, 1.0, {1: 1.0, 2: 1.0, 5: 1.0, 10: 1.0, 20: 1.0}),
    Counts("no notes", {"": 30}, 0.0, 0.0, {1: 0.0, 2: 0.0, 5: 0.0, 15: 0.0, 30: 0.0}),
    Counts("every output its own mode", dict.fromkeys("abcdefghij", 1), 1.0, 50.5, {1: 1.0, 2: 2.0, 5: 5.0, 10: 10.0}),
    Counts(
        "two alone in one output count once",
        {"ab": 1, "c": 2, "": 7},
        0.1,
        3.45,
        {1: 0.4, 2: 0.7778, 5: 1.7778, 10: 3.0},
    ),
    Counts(
        "fifty outputs",
        {"a": 14, "b": 6, "c": 3, "d": 2, "e": 1, "f": 1, "g": 1, "": 22},
        0.06,
        8.47,
        {1: 0.56, 2: 1.0302, 5: 2.0774, 25: 5.1266, 50: 7.0},
    ),
]


@dataclass(frozen=True)
class SetAgreement:
    """The sets of two people for each output, and how far they agree."""

    name: str
    pairs: list[tuple[str, str]]
    alpha: float | None
    kappa: dict[str, float | None] = field(default_factory=dict)


AGREEMENT = [
    SetAgreement("same twice", [("a", "a"), ("b", "b"), ("ab", "ab"), ("", "")], 1.0, {"a": 1.0, "b": 1.0}),
    SetAgreement("one superset", [("a", "a"), ("ab", "a"), ("b", "b"), ("", "")], 0.78125, {"a": 1.0, "b": 0.5}),
    SetAgreement("disjoint", [("a", "b"), ("b", "a"), ("a", "a"), ("b", "b")], 0.125, {"a": 0.0, "b": 0.0}),
    SetAgreement(
        "ten outputs, two people",
        [
            ("a", "a"),
            ("a", "ab"),
            ("b", "b"),
            ("b", ""),
            ("", ""),
            ("", ""),
            ("c", "c"),
            ("c", "b"),
            ("abc", "ab"),
            ("a", "a"),
        ],
        0.593058,
        {"a": 1.0, "b": 0.347826, "c": 0.411765},
    ),
    SetAgreement("one set only", [("a", "a"), ("a", "a")], None, {"a": None}),
]
MASI = [
    ("a", "a", 1.0),
    ("ab", "a", 1 / 3),
    ("ab", "bc", 1 / 9),
    ("a", "b", 0.0),
    ("", "", 1.0),
    ("", "a", 0.0),
    ("abc", "ab", 4 / 9),
]
"""Two sets and their similarity."""
