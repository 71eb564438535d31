"""Worked cases of what fixing one criterion changes, counted by hand: `repairs` in shared/statistics/gate.yaml.

A case has the criteria as a rubric's file has them, the pass mark, and examples: how many there are, and one level a
criterion of gold and of the judge, where 1 is MET. Counts are false passes and false fails repaired, and right
decisions broken.
"""

from typing import Any, NamedTuple


class RepairCase(NamedTuple):
    """A worked example of repairs, with three counts by criterion (`single`) and for the best pair (`pair`)."""

    criteria: dict[str, dict[str, Any]]
    mark: float
    examples: list[tuple[int, list[float], list[float]]]
    wrong: int
    single: dict[str, tuple[int, int, int]]
    pair: tuple[tuple[str, str], tuple[int, int, int]] | None = None


EQUAL = {"a": {"weight": 1}, "b": {"weight": 1}}

REPAIRS = (
    RepairCase(
        {"safe": {"weight": 1, "required": True}, "steps": {"weight": 3}},
        0.6,
        [(3, [0, 1], [1, 1]), (1, [1, 1], [1, 0])],
        4,
        {"safe": (3, 0, 0), "steps": (0, 1, 0)},
    ),
    RepairCase(EQUAL, 0.5, [(1, [0, 0], [1, 0]), (1, [0, 1], [1, 0])], 1, {"a": (1, 0, 1), "b": (0, 0, 0)}),
    RepairCase(
        {**EQUAL, "c": {"weight": 1}},
        0.6,
        [(2, [0, 0, 1], [1, 1, 1])],
        2,
        {"a": (0, 0, 0), "b": (0, 0, 0), "c": (0, 0, 0)},
        (("a", "b"), (2, 0, 0)),
    ),
)
