"""Does `pass-rate` say how often a gate fails though nothing changed?

    python -m benchmarks.gate_risk [--draws 240] [--write benchmarks/results/gate_risk.md]

A world is a set of cases with a score or a chance to pass each, noise in every single grade, and a shift that a whole
run shares (0, 1, 2 or 4 times as much variance as the cases' noise leaves in a mean); in some, cases come in groups of
five that share half of their noise. From 2, 3, 5 or 8 runs `gate-risk` says how often a gate at some distance below the
mean fails; the world says how often it does, by its own normal approximation to 2,000 further runs. Next to it stand
two usual answers: taking the observed mean for exact, and resampling the cases of one run.
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

from markscheme.calibration.rates.repeats import RAREST
from markscheme.features.pass_rate.view_gate_risk import FALSE_FAILS
from markscheme.stats.threshold_risk import RunFigure, threshold_risk

Floats = npt.NDArray[np.float64]
CASES, RUNS, SHIFTS = (10, 20, 60), (2, 3, 5, 8), (0.0, 1.0, 2.0, 4.0)
GROUP = 5
"""Cases in a group, in the worlds with groups."""
SHARED = 0.5
"""Share of the noise's variance that the cases of a group have in common."""
DISTANCES = (0.0, 0.5, 1.0, 1.645, 2.5, 3.5)
"""Of the gate below the true mean, in standard deviations of a run."""
BINS = (0.0, 1 / RAREST, 0.03, 0.07, 0.15, 0.30, 0.50)
FURTHER, RESAMPLES = 2000, 400
NOISE = 0.08


@dataclass(frozen=True)
class World:
    """Cases and noise; shifts of whole runs have `shift` times the variance that noise leaves in a mean."""

    of: RunFigure
    cases: int
    shift: float
    grouped: bool = False

    def runs(self, count: int, truth: Floats, generator: np.random.Generator) -> Floats:
        """Runs, shape (count, n_cases)."""
        spread = NOISE if self.of == "score" else math.sqrt(float((truth * (1 - truth)).mean()))
        shifts = generator.normal(0, spread * math.sqrt(self.shift / self.cases), (count, 1))
        if self.of == "score":
            return np.asarray(np.clip(truth + shifts + self._noise(count, generator), 0, 1))
        return (generator.random((count, self.cases)) < np.clip(truth + shifts, 0, 1)).astype(float)

    def _noise(self, count: int, generator: np.random.Generator) -> Floats:
        noise = generator.normal(0, NOISE, (count, self.cases))
        if not self.grouped:
            return noise
        of_groups = generator.normal(0, NOISE, (count, self.cases // GROUP)).repeat(GROUP, axis=1)
        return np.asarray(math.sqrt(1 - SHARED) * noise + math.sqrt(SHARED) * of_groups)

    @property
    def groups(self) -> list[int] | None:
        """The group of each case; None without groups."""
        return [case // GROUP for case in range(self.cases)] if self.grouped else None

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
    exact: float
    ungrouped: float
    resampled: float
    advised: float | None
    safe: float


def looks(world: World, runs: int, draws: int) -> Iterator[Look]:
    """Many gates over one kind of world."""
    for seed in range(draws):
        generator = np.random.default_rng(
            [seed, world.cases, runs, int(world.shift), world.of == "pass", world.grouped]
        )
        truth = world.truth(generator)
        further = world.runs(FURTHER, truth, generator).mean(axis=1)
        center = float(further.mean())
        sd = float(further.std())
        seen = world.runs(runs, truth, generator)
        threshold = min(1.0, max(0.01, center - DISTANCES[seed % len(DISTANCES)] * sd))
        risk = threshold_risk(seen, threshold, of=world.of, groups=world.groups)
        if risk.p_fail.value is None or risk.p_fail_wide is None or risk.safe_threshold is None:
            continue
        ungrouped = threshold_risk(seen, threshold, of=world.of).p_fail_wide
        draws_of_cases = generator.integers(0, world.cases, (RESAMPLES, world.cases))

        def fails(mark: float, averaged: int = 1, center: float = center, sd: float = sd) -> float:
            cut = mark if world.of == "score" else (math.ceil(round(mark * world.cases, 9)) - 0.5) / world.cases
            return float(ndtr((cut - center) / (sd / math.sqrt(averaged))))

        yield Look(
            world,
            runs,
            risk.p_fail_wide,
            fails(threshold),
            risk.p_fail.value,
            risk.p_fail_wide if ungrouped is None else ungrouped,
            float((seen[0][draws_of_cases].mean(axis=1) < threshold).mean()),
            None if risk.repeats is None else fails(threshold, risk.repeats),
            fails(risk.safe_threshold),
        )


def report(looked: list[Look]) -> str:
    """The tables."""
    alone = [look for look in looked if not look.world.grouped]
    grouped = [look for look in looked if look.world.grouped]
    return "\n".join(
        [
            "# gate-risk: said and happened",
            "",
            f"{len(alone):,} gates. The first line is what a report calls “less than 1 run in {RAREST}”.",
            "",
            *_by_figure(alone, ("said", "exact", "resampled")),
            "",
            f"{len(grouped):,} gates on cases in groups of {GROUP}, which share half of their noise.",
            "",
            *_by_figure(grouped, ("said", "ungrouped")),
            "",
            f"Kept: a false alarm at most {FALSE_FAILS:.2f} of the time. Off: mean distance of what was said from what "
            "happens. A number of runs is advised to keep its promise with 80% probability.",
            "",
            "| figure | cases | runs | run shift | off | resampling off | advised runs kept | safe threshold kept |",
            "|---|---|---|---|---|---|---|---|",
            *(_setting([look for look in looked if (look.world, look.runs) == key]) for key in product(worlds(), RUNS)),
            "",
        ]
    )


HEADS = {"said": "as reported", "exact": "the mean taken for exact", "ungrouped": "without the groups"}


def _by_figure(looked: list[Look], figures: tuple[str, ...]) -> Iterator[str]:
    """What happens to gates by what each figure says of them."""
    heads = [HEADS.get(figure, "resampling cases") for figure in figures]
    yield "| said | " + " | ".join(f"{head}: gates | said, mean | happens, mean" for head in heads) + " |"
    yield "|---" * (1 + 3 * len(figures)) + "|"
    for low, high in pairwise(BINS):
        cells = []
        for figure in figures:
            inside = [look for look in looked if low <= getattr(look, figure) < high]
            said = np.mean([getattr(look, figure) for look in inside])
            cells.append(f"{len(inside)} | {said:.3f} | {np.mean([look.happens for look in inside]):.3f}")
        yield f"| {low:.2f}–{high:.2f} | " + " | ".join(cells) + " |"


def _setting(looked: list[Look]) -> str:
    """One line: how gates of one world and number of runs fare."""
    world = looked[0].world
    off = np.mean([abs(look.said - look.happens) for look in looked])
    resampled = np.mean([abs(look.resampled - look.happens) for look in looked])
    advised = [look.advised <= FALSE_FAILS + 1e-9 for look in looked if look.advised is not None]
    safe = np.mean([look.safe <= FALSE_FAILS + 1e-9 for look in looked])
    kept = f"{np.mean(advised):.2f} of {len(advised)}" if advised else "–"
    cases = f"{world.cases} in groups" if world.grouped else str(world.cases)
    setting = f"{world.of} | {cases} | {looked[0].runs} | {world.shift:g}"
    return f"| {setting} | {off:.3f} | {resampled:.3f} | {kept} | {safe:.2f} |"


def worlds() -> list[World]:
    """All worlds."""
    figures: tuple[RunFigure, ...] = ("score", "pass")
    alone = [World(of, cases, shift) for of, cases, shift in product(figures, CASES, SHIFTS)]
    return [*alone, *(World("score", 60, shift, grouped=True) for shift in SHIFTS)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=240)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    started = time.perf_counter()
    looked = [look for world, runs in product(worlds(), RUNS) for look in looks(world, runs, asked.draws)]
    text = report(looked) + f"\n{asked.draws} draws a setting, {time.perf_counter() - started:.0f} s.\n"
    print(text)
    if asked.write:
        asked.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
