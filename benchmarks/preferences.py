"""Do the intervals of systems' strengths cover, and are flips and a lean to the first place found?

    python -m benchmarks.preferences [--runs 1000] [--write benchmarks/results/preferences.md]

Strengths: four systems, 10 or 20 prompts, on each of which every two systems are compared once or twice. Prompts are
alike, or differ: each adds its own normal deviation (standard deviation .8) to each system's log strength, so that all
comparisons of one prompt hang together. Intervals leave out prompts, or next to that single pairs, as if no pairs hung
together. The true strengths are those of the mean over many prompts.

Order: 100 pairs, judged in both orders by a judge that decides some pairs at random each time (flips) and takes what it
is shown first in some (lean).
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from benchmarks.page import write_page
from markscheme.features.pairs.davidson import davidson
from markscheme.features.pairs.mirrored import lean_to_first, order_flips
from markscheme.features.pairs.preferences import LEAN_SIGNIFICANT, LEAN_TO_NAME
from markscheme.stats.change import sign_flip

Floats = npt.NDArray[np.float64]
THETA = np.array([0.6, 0.2, -0.2, -0.6])
LOG_TIE = -1.0
SPREAD = 0.8
"""Standard deviation of a prompt's own deviation of a log strength, as in the published sets that were looked at."""
PROMPTS_OF_TRUTH = 200_000
N_PAIRS = 100
PAIRS = list(combinations(range(len(THETA)), 2))


def preferences(theta: Floats, generator: np.random.Generator) -> Floats:
    """A preference for each prompt and each two systems, from strengths of shape (n_prompts, n_systems)."""
    first, second = (theta[:, [pair[side] for pair in PAIRS]] for side in (0, 1))
    half = (first - second) / 2
    weights = np.stack([np.exp(half), np.full_like(half, np.exp(LOG_TIE)), np.exp(-half)], axis=-1)
    chances = (weights / weights.sum(axis=-1, keepdims=True)).cumsum(axis=-1)
    return np.asarray((generator.random(half.shape)[..., None] > chances).sum(axis=-1) - 1.0)


def true_strengths(spread: float) -> Floats:
    """What the model comes to over very many prompts."""
    if not spread:
        return np.asarray(THETA - THETA.mean())
    generator = np.random.default_rng(0)
    theta = THETA + generator.normal(0, spread, (PROMPTS_OF_TRUTH, len(THETA)))
    chosen = preferences(theta, generator)
    first, second = (np.tile([pair[side] for pair in PAIRS], len(theta)) for side in (0, 1))
    whole = davidson(first, second, chosen.reshape(-1), n_systems=len(THETA), groups=np.zeros(chosen.size))
    return np.array([estimate.value for estimate in whole.log_strengths], dtype=np.float64)


def coverage(n_prompts: int, spread: float, times: int, runs: int) -> tuple[float, float]:
    """How often the intervals hold the truth, by prompts and by single pairs."""
    truth = true_strengths(spread)
    covered = np.zeros(2)
    counted = np.zeros(2)
    for run in range(runs):
        generator = np.random.default_rng([n_prompts, int(10 * spread), times, run])
        theta = (
            THETA + generator.normal(0, spread, (n_prompts, len(THETA))) if spread else np.tile(THETA, (n_prompts, 1))
        )
        chosen = np.concatenate([preferences(theta, generator) for _ in range(times)], axis=1).reshape(-1)
        first, second = (np.tile([pair[side] for pair in PAIRS], n_prompts * times) for side in (0, 1))
        prompts = np.repeat(np.arange(n_prompts), len(PAIRS) * times)
        for way, groups in enumerate((prompts, None)):
            strengths = davidson(first, second, chosen, n_systems=len(THETA), groups=groups).log_strengths
            for estimate, value in zip(strengths, truth, strict=True):
                if estimate.low is not None and estimate.high is not None:
                    counted[way] += 1
                    covered[way] += estimate.low <= value <= estimate.high
    by_prompt, by_pair = covered / counted
    return float(by_prompt), float(by_pair)


def judged(generator: np.random.Generator, flips: float, lean: float) -> tuple[Floats, Floats]:
    """Levels in both orders."""
    truth = generator.choice([-1.0, 1.0], N_PAIRS)
    turned = np.where(generator.random(N_PAIRS) < flips, -truth, truth)
    swap = generator.random(N_PAIRS) < 0.5
    first = np.where(swap, turned, truth)
    second = np.where(swap, truth, turned)
    leans = generator.random(N_PAIRS) < lean
    return np.where(leans, -1.0, first), np.where(leans, 1.0, second)


def order_row(flips: float, lean: float, runs: int) -> str:
    found = covered = 0
    for run in range(runs):
        first, second = judged(np.random.default_rng([int(100 * flips), int(100 * lean), run]), flips, lean)
        estimate = order_flips(first, second)
        expected = flips + lean - flips * lean
        assert estimate.low is not None
        assert estimate.high is not None
        covered += estimate.low <= expected <= estimate.high
        value = lean_to_first(first, second).value
        p = sign_flip((second - first) / 2).mid_p
        found += value > LEAN_TO_NAME and p is not None and p <= LEAN_SIGNIFICANT
    return f"| {flips:.2f} | {lean:.2f} | {covered / runs:.3f} | {found / runs:.3f} |"


def lines(runs: int) -> Iterator[str]:
    """The page."""
    yield "# Preferences: strengths, flips and leans"
    yield ""
    yield f"`python -m benchmarks.preferences --runs {runs}`"
    yield ""
    yield "| prompts | they | each two systems | 95% intervals by prompts cover | by single pairs |"
    yield "|---|---|---|---|---|"
    for n_prompts, spread, times in ((10, 0.0, 1), (20, 0.0, 1), (10, SPREAD, 1), (20, SPREAD, 1), (20, SPREAD, 2)):
        by_prompt, by_pair = coverage(n_prompts, spread, times, runs)
        how = "differ" if spread else "are alike"
        yield f"| {n_prompts} | {how} | {'once' if times == 1 else 'twice'} | {by_prompt:.3f} | {by_pair:.3f} |"
    yield ""
    yield f"{N_PAIRS} pairs in both orders; a lean is named above 5 points with p <= .05 by the sign-flip test:"
    yield ""
    yield "| flips | lean | intervals of flips cover | lean named |"
    yield "|---|---|---|---|"
    for flips, lean in ((0.1, 0.0), (0.2, 0.0), (0.4, 0.0), (0.0, 0.1), (0.1, 0.1), (0.2, 0.2)):
        yield order_row(flips, lean, runs)


if __name__ == "__main__":
    write_page(__doc__, lines, runs=1000)
