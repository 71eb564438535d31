"""Is a broken part of the examples found, and a part with another base rate left alone?

    python -m benchmarks.slices [--runs 200] [--write benchmarks/results/slices.md]

A judge rates 100 examples of four systems, 25 each, under one criterion of two or five levels. Worlds: `nothing` -
all systems alike; `base rates` - one system has far worse responses, and a judge that says the best level to 85 % of
everything; `broken` - the judge reads nothing of one system's responses (two levels) or rates them 1.4 levels too high
(five); `both` - broken, and far worse as well. Gold is the true level (clean), or wrong for one example in ten (noisy).
Each system is looked at by signed error and by size of error, with Holm's adjustment over all looks; a part is called
broken where a look is significant at .05 and matters (0.15 of the range). Next to it, the same rule without the
comparison at the same gold.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.page import write_page
from markscheme.stats.change import holm
from markscheme.stats.slice_contrast import SliceColumn, SliceLook

Floats = npt.NDArray[np.float64]

N, SYSTEMS, LEAST = 100, 4, 0.15
WORLDS = ("nothing", "base rates", "broken", "both")
FIGURES = {"nothing": "at most .02", "base rates": "at most .02", "broken": "1.00", "both": ".91 or more"}


@dataclass(frozen=True)
class Shares:
    """Of many runs: how often the planted system, or another, is called broken."""

    planted: float
    others: float
    planted_as_it_is: float
    others_as_it_is: float


def drawn(world: str, levels: int, noisy: bool, seed: int) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    """Gold, judge and system of each example; system 0 is the planted one."""
    generator = np.random.default_rng([WORLDS.index(world), levels, noisy, seed])
    system = np.arange(N) % SYSTEMS
    planted = system == 0
    top = levels - 1
    worse = planted & (world in ("base rates", "both"))
    if levels == 2:
        truth = (generator.random(N) < np.where(worse, 0.35, 0.85)).astype(float)
        errs = generator.random(N) < 0.07
        judge = np.where(errs, 1 - truth, truth)
        if world == "base rates":
            judge = np.where(generator.random(N) < 0.85, 1.0, truth)
        if world in ("broken", "both"):
            judge = np.where(planted, (generator.random(N) < 0.5).astype(float), judge)
    else:
        truth = np.clip(np.rint(generator.normal(np.where(worse, 1.2, 2.6), 1.0, N)), 0, top)
        judge = truth + generator.normal(0, 0.5, N)
        if world == "base rates":
            judge = 2.6 + 0.35 * (truth - 2.6) + generator.normal(0, 0.5, N)
        if world in ("broken", "both"):
            judge = judge + 1.4 * planted
        judge = np.clip(np.rint(judge), 0, top)
    wrong = (generator.random(N) < 0.1) & noisy
    step = np.where(truth == top, -1, 1)
    return np.where(wrong, truth + step, truth), judge, system


def looks(gold: Floats, judge: Floats, system: npt.NDArray[np.int64], span: int) -> list[list[SliceLook]]:
    """Signed error and size of error of every system."""
    error = (judge - gold) / span
    signed = SliceColumn.of(error, gold)
    absolute = SliceColumn.of(np.abs(error), gold)
    return [[signed.look(system == s, shift=True), absolute.look(system == s)] for s in range(SYSTEMS)]


def called(found: list[list[SliceLook]], *, same_gold: bool) -> list[bool]:
    """Which systems are called broken."""
    every = [look for of_system in found for look in of_system]
    adjusted = holm([look.p if same_gold else look.as_it_is.p for look in every])
    telling = [
        p <= 0.05 and (look.matters(LEAST) if same_gold else matters_as_it_is(look))
        for p, look in zip(adjusted, every, strict=True)
    ]
    return [telling[2 * s] or telling[2 * s + 1] for s in range(SYSTEMS)]


def matters_as_it_is(look: SliceLook) -> bool:
    """Whether the difference is large enough without regard to gold."""
    found = look.as_it_is
    if look.shift:
        return abs(found.difference) >= LEAST and abs(found.inside) > abs(found.outside)
    return found.difference >= LEAST


def shares(world: str, levels: int, noisy: bool, runs: int) -> Shares:
    """What comes of seeded runs."""
    new, old = [], []
    for seed in range(runs):
        gold, judge, system = drawn(world, levels, noisy, seed)
        found = looks(gold, judge, system, levels - 1)
        new.append(called(found, same_gold=True))
        old.append(called(found, same_gold=False))
    planted = float(np.mean([f[0] for f in new]))
    others = float(np.mean([any(f[1:]) for f in new]))
    return Shares(planted, others, float(np.mean([f[0] for f in old])), float(np.mean([any(f[1:]) for f in old])))


def table(runs: int) -> Iterator[str]:
    """Rows by world, levels and gold."""
    yield "| world | levels | gold | planted called | to reach | another called | as it is only: planted | another |"
    yield "|---|---:|---|---:|---|---:|---:|---:|"
    for world in WORLDS:
        for levels in (2, 5):
            for noisy in (False, True):
                found = shares(world, levels, noisy, runs)
                yield (
                    f"| {world} | {levels} | {'noisy' if noisy else 'clean'} | {found.planted:.3f} | {FIGURES[world]} "
                    f"| {found.others:.3f} | {found.planted_as_it_is:.3f} | {found.others_as_it_is:.3f} |"
                )


def lines(runs: int) -> list[str]:
    """The page, line by line."""
    known = 2 * math.sqrt(0.02 * 0.98 / runs)
    return [f"{runs} seeded runs a row; a share of .02 is known to ±{known:.3f}.", "", *table(runs)]


if __name__ == "__main__":
    write_page(__doc__, lines, runs=200)
