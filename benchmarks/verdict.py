"""How often a verdict of `ok` is wrong, and how often it comes where it should, through the product's own code.

    python benchmarks/verdict.py [--runs 400] [--write benchmarks/results/verdict.md]

Every run makes labelled examples and a judge's ratings, and calibrates the judge as the command does, with its
findings. The target is the default: a score within 0.1 of gold for 0.8 of the examples. "Truth" is the share of all
such examples on which the judge agrees, not of the sample.

Worlds: `scores` - two people give the same overall score, the judge misses it or not; `yes or no` - one criterion,
two people of one mind, gold is yes for 60 %; `levels` - four criteria of five levels with adjudicated gold, and a judge
of the noise that gives that truth; `tasks` - as `scores`, but five examples share a task and the judge's luck with it
(correlation .2), so that they tell less than their number, which the exact bounds don't know.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.rating import Kind, Rated, Rating
from markscheme.rubrics.rubric import YES_NO, Criterion, Rubric, Scale
from markscheme.submission import Submission

Floats = npt.NDArray[np.float64]
Made = tuple[Rubric, ExampleSet, list[Rating]]

TARGET, TOLERANCE = 0.8, 0.1
TRUTHS = (0.80, 0.85, 0.90)
SIZES = (30, 60, 100, 200)
TASK, LUCK = 5, 0.2
FALSE_OK, OK_AT = 0.10, {60: 0.70, 100: 0.90}
NAMES = ("clarity", "facts", "tone", "order")
SCORED = Rubric((Criterion(1.0, "Is it good?", name="good", scale=Scale.numbered(1, 5)),))
DECIDED = Rubric((Criterion(1.0, "Is it right?", name="right", scale=YES_NO),))
LEVELLED = Rubric(tuple(Criterion(1.0, f"{name}?", name=name, scale=Scale.numbered(1, 5)) for name in NAMES))


def scores(n: int, truth: float, generator: np.random.Generator) -> Made:
    """Overall scores; the judge is near gold, or far from it, each example by itself."""
    return _scored(n, generator.random(n) < truth, generator)


def tasks(n: int, truth: float, generator: np.random.Generator) -> Made:
    """The same, with luck that the examples of a task share."""
    shared = np.repeat(generator.normal(size=math.ceil(n / TASK)), TASK)[:n]
    luck = math.sqrt(LUCK) * shared + math.sqrt(1 - LUCK) * generator.normal(size=n)
    return _scored(n, luck < ndtri(truth), generator, grouped=True)


def _scored(n: int, near: npt.NDArray[np.bool_], generator: np.random.Generator, *, grouped: bool = False) -> Made:
    gold = generator.integers(0, 21, size=n) / 20
    near_by = np.clip(gold + generator.choice([-0.05, 0.0, 0.05], size=n), 0, 1)
    far_off = gold + generator.uniform(0.2, 0.5, size=n) * np.where(gold < 0.5, 1, -1)
    judge = np.where(near, near_by, far_off)
    labels = [[_overall(i, rater, "human", gold[i]) for rater in ("p1", "p2")] for i in range(n)]
    return SCORED, _examples(labels, grouped=grouped), [_overall(i, "judge", "model", judge[i]) for i in range(n)]


def yes_or_no(n: int, truth: float, generator: np.random.Generator) -> Made:
    """Verdicts of yes or no; the judge errs as often on each answer."""
    gold = generator.random(n) < 0.6
    judge = np.where(generator.random(n) < truth, gold, ~gold)
    labels = [[_levels(i, rater, "human", DECIDED, [gold[i]]) for rater in ("p1", "p2")] for i in range(n)]
    return DECIDED, _examples(labels), [_levels(i, "judge", "model", DECIDED, [judge[i]]) for i in range(n)]


def levels(n: int, truth: float, generator: np.random.Generator) -> Made:
    """Levels on four criteria."""
    gold, judge = _gold_and_judge(n, noise_for(truth), generator)
    labels = [[_levels(i, "panel", "adjudicated", LEVELLED, gold[i])] for i in range(n)]
    return LEVELLED, _examples(labels), [_levels(i, "judge", "model", LEVELLED, judge[i]) for i in range(n)]


@cache
def noise_for(truth: float) -> float:
    """The noise in levels at which the judge agrees on `truth` of all examples, by bisection on 200,000 of them."""
    low, high = 0.1, 2.0
    for _ in range(18):
        middle = (low + high) / 2
        gold, judge = _gold_and_judge(200_000, middle, np.random.default_rng(1))
        apart = np.round(np.abs((gold - judge).mean(axis=1) / 4), 9)
        low, high = (middle, high) if float((apart < TOLERANCE).mean()) > truth else (low, middle)
    return middle


def _gold_and_judge(n: int, noise: float, generator: np.random.Generator) -> tuple[Floats, Floats]:
    truth = 3 + 0.7 * generator.normal(size=(n, 1)) + 0.9 * generator.normal(size=(n, len(NAMES)))
    gold = np.clip(np.rint(truth), 1, 5)
    return gold, np.clip(np.rint(truth + noise * generator.normal(size=truth.shape)), 1, 5)


def _examples(labels: Sequence[Sequence[Rating]], *, grouped: bool = False) -> ExampleSet:
    return ExampleSet(
        tuple(
            Example(Submission(f"response {i}", {}, f"e{i}"), tuple(given), group=f"g{i // TASK}" if grouped else "")
            for i, given in enumerate(labels)
        )
    )


def _overall(i: int, rater: str, kind: Kind, score: float) -> Rating:
    return Rating(f"e{i}", rater, kind, overall=float(score))


def _levels(i: int, rater: str, kind: Kind, rubric: Rubric, given: Sequence[float]) -> Rating:
    rated = {c.name: Rated(float(level)) for c, level in zip(rubric.criteria, given, strict=True)}
    return Rating(f"e{i}", rater, kind, rated)


WORLDS: dict[str, Callable[[int, float, np.random.Generator], Made]] = {
    "scores": scores,
    "yes or no": yes_or_no,
    "levels": levels,
    "tasks": tasks,
}


@dataclass(frozen=True)
class Shares:
    """Of many runs: verdicts, uses, and runs in which a finding alone stood against `ok`."""

    ok: float
    adjust: float
    gate: float
    blocked: float


def shares(world: str, n: int, truth: float, runs: int) -> Shares:
    """What comes of seeded runs."""
    found = [run(world, n, truth, seed) for seed in range(runs)]
    decisions = [calibration.decision for calibration in found]
    return Shares(
        ok=sum(decision.verdict == "ok" for decision in decisions) / runs,
        adjust=sum(decision.verdict == "adjust" for decision in decisions) / runs,
        gate=sum(decision.use == "gate" for decision in decisions) / runs,
        blocked=sum(calibration.decision.verdict == "adjust" and _seems_fine(calibration) for calibration in found)
        / runs,
    )


def run(world: str, n: int, truth: float, seed: int) -> Calibration:
    """One calibration."""
    generator = np.random.default_rng([n, round(100 * truth), seed])
    rubric, examples, ratings = WORLDS[world](n, truth, generator)
    return calibration_of(rubric, examples, ratings, Rater("judge", "", "ratings"))


def _seems_fine(calibration: Calibration) -> bool:
    """Whether agreement as a point lies above the target."""
    return (calibration.comparison.agreement.value or 0.0) > TARGET


def table(runs: int) -> Iterator[str]:
    """Rows by world, truth and number of labels."""
    yield "| world | truth | labels | ok | adjust | may gate | blocked by a finding | aim for ok | met |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|---|"
    for world in WORLDS:
        for truth in TRUTHS:
            for n in SIZES:
                found = shares(world, n, truth, runs)
                aim, met = _aim(world, truth, n, found.ok, runs)
                yield (
                    f"| {world} | {truth:.2f} | {n} | {found.ok:.3f} | {found.adjust:.3f} | {found.gate:.3f} | "
                    f"{found.blocked:.3f} | {aim} | {met} |"
                )


def _aim(world: str, truth: float, n: int, ok: float, runs: int) -> tuple[str, str]:
    """What is asked for, and whether it is met within two Monte-Carlo standard errors."""
    slack = 2 * math.sqrt(ok * (1 - ok) / runs)
    if world == "tasks":
        return "–", "–"
    if truth == TARGET:
        return f"at most {FALSE_OK:.2f}", "yes" if ok - slack <= FALSE_OK else "NO"
    if truth == max(TRUTHS) and n in OK_AT:
        return f"at least {OK_AT[n]:.2f}", "yes" if ok + slack >= OK_AT[n] else "NO"
    return "–", "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    started = time.process_time()
    known = 2 * math.sqrt(FALSE_OK * (1 - FALSE_OK) / options.runs)
    lines = [f"{options.runs} seeded runs a row; a share of {FALSE_OK} is known to ±{known:.3f}.", ""]
    lines += table(options.runs)
    text = "\n".join([*lines, "", f"Took {time.process_time() - started:.0f} s of one core."])
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
