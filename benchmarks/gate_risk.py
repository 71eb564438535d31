"""Does `gate-risk` say how often a gate fails though nothing changed?

    python -m benchmarks.gate_risk [--draws 400] [--write benchmarks/results/gate_risk.md]

A world is a set of cases with a score or a chance to pass each, noise in every single grade, and a shift that a whole
run shares (0, 1, 2 or 4 times as much variance as the cases' noise leaves in a mean). From 2, 3 or 5 runs `gate_risk`
says how often a gate at some distance below the mean fails; the world says how often it does, by its own normal
approximation to 4,000 further runs. Next to it, the usual answer: resample the cases of one run and count.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from markscheme.stats.threshold_risk import FALSE_FAILS, RunFigure, threshold_risk

Floats = npt.NDArray[np.float64]
CASES, RUNS, SHIFTS = (20, 60), (2, 3, 5), (0.0, 1.0, 2.0, 4.0)
DISTANCES = (0.0, 0.5, 1.0, 1.645, 2.5, 3.5)
"""Of the gate below the true mean, in standard deviations of a run."""
BINS = (0.0, 0.01, 0.03, 0.07, 0.15, 0.30, 0.50)
FURTHER, RESAMPLES = 4000, 400
NOISE = 0.08


@dataclass(frozen=True)
class World:
    """Cases and noise; shifts of whole runs have `shift` times the variance that noise leaves in a mean."""

    of: RunFigure
    cases: int
    shift: float

    def runs(self, count: int, truth: Floats, generator: np.random.Generator) -> Floats:
        """Runs, shape (count, n_cases)."""
        spread = NOISE if self.of == "score" else math.sqrt(float((truth * (1 - truth)).mean()))
        shifts = generator.normal(0, spread * math.sqrt(self.shift / self.cases), (count, 1))
        if self.of == "score":
            return np.asarray(np.clip(truth + shifts + generator.normal(0, NOISE, (count, self.cases)), 0, 1))
        return (generator.random((count, self.cases)) < np.clip(truth + shifts, 0, 1)).astype(float)

    def truth(self, generator: np.random.Generator) -> Floats:
        """The mean score of each case, or its chance to pass."""
        return generator.uniform(0.4, 0.9, self.cases) if self.of == "score" else generator.beta(2, 0.8, self.cases)


@dataclass(frozen=True)
class Look:
    """One gate looked at: what was said and what happens."""

    world: World
    runs: int
    said: float
    happens: float
    resampled: float
    advised: float | None
    safe: float


def looks(world: World, runs: int, draws: int) -> Iterator[Look]:
    """Many gates over one kind of world."""
    for seed in range(draws):
        generator = np.random.default_rng([seed, world.cases, runs, int(world.shift), world.of == "pass"])
        truth = world.truth(generator)
        further = world.runs(FURTHER, truth, generator).mean(axis=1)
        center = float(further.mean())
        sd = float(further.std())
        seen = world.runs(runs, truth, generator)
        threshold = min(1.0, max(0.01, center - DISTANCES[seed % len(DISTANCES)] * sd))
        risk = threshold_risk(seen, threshold, of=world.of)
        if risk.p_fail.value is None or risk.safe_threshold is None:
            continue
        draws_of_cases = generator.integers(0, world.cases, (RESAMPLES, world.cases))

        def fails(mark: float, averaged: int = 1, center: float = center, sd: float = sd) -> float:
            cut = mark if world.of == "score" else (math.ceil(round(mark * world.cases, 9)) - 0.5) / world.cases
            return float(ndtr((cut - center) / (sd / math.sqrt(averaged))))

        yield Look(
            world,
            runs,
            risk.p_fail.value,
            fails(threshold),
            float((seen[0][draws_of_cases].mean(axis=1) < threshold).mean()),
            None if risk.repeats is None else fails(threshold, risk.repeats),
            fails(risk.safe_threshold),
        )


def report(found: list[Look]) -> str:
    """The tables."""
    lines = ["# gate-risk: said and happened", "", f"{len(found):,} gates.", ""]
    lines += ["| said | gates | said, mean | happens, mean | resampling cases says |", "|---|---|---|---|---|"]
    for low, high in pairwise(BINS):
        inside = [look for look in found if low <= look.said < high]
        means = (np.mean([getattr(look, name) for look in inside]) for name in ("said", "happens", "resampled"))
        lines.append(f"| {low:.2f}–{high:.2f} | {len(inside)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    lines += [
        "",
        f"Kept: a false alarm at most {FALSE_FAILS:.2f} of the time. "
        "Off: mean distance of what was said from what happens.",
        "",
        "| figure | cases | runs | run shift | off | resampling off | advised runs kept | safe threshold kept |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for world, runs in product(worlds(), RUNS):
        own = [look for look in found if look.world == world and look.runs == runs]
        off = np.mean([abs(look.said - look.happens) for look in own])
        resampled = np.mean([abs(look.resampled - look.happens) for look in own])
        advised = [look.advised <= FALSE_FAILS + 1e-9 for look in own if look.advised is not None]
        safe = np.mean([look.safe <= FALSE_FAILS + 1e-9 for look in own])
        kept = f"{np.mean(advised):.2f} of {len(advised)}" if advised else "–"
        setting = f"{world.of} | {world.cases} | {runs} | {world.shift:g}"
        lines.append(f"| {setting} | {off:.3f} | {resampled:.3f} | {kept} | {safe:.2f} |")
    return "\n".join(lines) + "\n"


def worlds() -> list[World]:
    """All worlds."""
    figures: tuple[RunFigure, ...] = ("score", "pass")
    return [World(of, cases, shift) for of, cases, shift in product(figures, CASES, SHIFTS)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    started = time.perf_counter()
    found = [look for world, runs in product(worlds(), RUNS) for look in looks(world, runs, asked.draws)]
    text = report(found) + f"\n{asked.draws} draws a setting, {time.perf_counter() - started:.0f} s.\n"
    print(text)
    if asked.write:
        asked.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
