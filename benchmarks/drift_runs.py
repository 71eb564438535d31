"""How often an unchanged judge is called drifted where runs differ by themselves, and how often half a level is found.

    python -m benchmarks.drift_runs [--runs 300] [--write benchmarks/results/drift_runs.md]

A judge of known noise rates 60 examples on four criteria of five levels. Every run shifts each criterion by an effect
drawn for itself, whose standard deviation is a share of the range. One, two, three or five runs are accepted and
another is compared with them, Holm over the four criteria. Next to it stands the exact test that pairs by example and
doesn't know of runs. In the second half the new run's mean is half a level lower on one criterion.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from benchmarks.page import write_page
from markscheme.features.drift.statistics import RunComparison, compare_runs
from markscheme.stats.change import holm, moved

Floats = npt.NDArray[np.float64]

EXAMPLES, CRITERIA, LEVELS, NOISE, HALF = 60, 4, 5, 0.5, 0.5
SPAN = LEVELS - 1
EFFECTS = (0.0, 0.01, 0.02, 0.03, 0.05)
ACCEPTED = (1, 2, 3, 5)
FALSE = 0.05
POWER = {(3, 0.0): 0.89, (3, 0.02): 0.66, (5, 0.0): 0.99, (5, 0.02): 0.85}
"""To reach for half a level, by accepted runs and effect."""


@dataclass(frozen=True)
class Found:
    """One planned comparison: adjusted p of each criterion, with and without regard to runs."""

    adjusted: Floats
    by_example: Floats
    drifts: list[RunComparison]


@cache
def latent(shift: float) -> float:
    """How far impressions must fall for the mean level to fall by `shift`, as levels end at 0 and 4; by bisection."""
    low = 0.0
    high = 2 * shift
    generator = np.random.default_rng(1)
    seen = _truth(generator, 200_000) + NOISE * generator.normal(size=(200_000, 1))
    for _ in range(20):
        middle = (low + high) / 2
        fell = float((_levels(seen) - _levels(seen - middle)).mean())
        low, high = (middle, high) if fell < shift else (low, middle)
    return high


def _truth(generator: np.random.Generator, n: int) -> Floats:
    return np.clip(generator.normal(2, 1, (n, 1)), 0, SPAN)


def _levels(impressions: Floats) -> Floats:
    return np.clip(np.rint(impressions), 0, SPAN)


def compared(accepted: int, effect: float, shift: float, seed: int) -> Found:
    """A new run against accepted ones; the first criterion is shifted."""
    generator = np.random.default_rng([accepted, round(1000 * effect), round(10 * shift), seed])
    drifts, exact = [], []
    for criterion in range(CRITERIA):
        truth = _truth(generator, EXAMPLES)
        moves = effect * SPAN * generator.normal(size=accepted + 1)
        moves[0] -= latent(shift) if criterion == 0 else 0.0
        ratings = truth + moves + NOISE * generator.normal(size=(EXAMPLES, accepted + 1))
        levels = _levels(ratings)
        drifts.append(compare_runs(levels[:, 0], levels[:, 1:], span=SPAN))
        exact.append(moved(levels[:, 0], levels[:, 1:]).mid_p)
    return Found(holm([drift.moved.p for drift in drifts]), holm(exact), drifts)


def table(runs: int) -> Iterator[str]:
    """A row for each number of accepted runs and size of run effects."""
    yield (
        "| accepted | run effect | false alarm | by example alone | unsteady | no drift shown | "
        "half a level found at p ≤ .05 | to reach | after Holm | by example alone, after Holm |"
    )
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for accepted in ACCEPTED:
        for effect in EFFECTS:
            still = [compared(accepted, effect, 0.0, seed) for seed in range(runs)]
            lower = [compared(accepted, effect, HALF, seed) for seed in range(runs)]
            drifts = [drift for found in still for drift in found.drifts]
            aim = POWER.get((accepted, effect))
            yield (
                f"| {accepted} | {effect:g} | {_share([f.adjusted.min() <= FALSE for f in still])} | "
                f"{_share([f.by_example.min() <= FALSE for f in still])} | "
                f"{_share([drift.unsteady for drift in drifts])} | {_share([drift.steady for drift in drifts])} | "
                f"{_share([f.drifts[0].moved.p <= FALSE for f in lower])} | {'–' if aim is None else f'{aim:.2f}'} | "
                f"{_share([f.adjusted[0] <= FALSE for f in lower])} | "
                f"{_share([f.by_example[0] <= FALSE for f in lower])} |"
            )


def _share(seen: list[bool]) -> str:
    return f"{np.mean(seen):.3f}"


def lines(runs: int) -> list[str]:
    """The page, line by line."""
    known = 2 * math.sqrt(FALSE * (1 - FALSE) / runs)
    return [
        f"{runs} seeded comparisons a row; a share of {FALSE} is known to ±{known:.3f}. False alarms are of",
        f"whole comparisons, at most {FALSE} up to a run effect of .03; unsteady and no drift are shares of criteria.",
        "",
        *table(runs),
    ]


if __name__ == "__main__":
    write_page(__doc__, lines, runs=300)
