"""How often a planted fault is found where it was planted, and anything else is called a fault.

    python -m benchmarks.diagnosis [--runs 120] [--write benchmarks/results/diagnosis.md]

Every run makes labelled examples and a judge's ratings of them, and calibrates the judge with the product's own code.
The world: six criteria of five levels, true levels normal (SD 1.1, correlation .35 between criteria, middle of the
scale), two people with noise .45 and a judge with noise .55, all rounded to levels; four systems and responses of
unequal length that have nothing to do with quality. "Aim" is what a simulation of the rules by themselves reached
with 120 runs in a world like this one; a rate is worse than its aim where it misses it by more than two standard errors
of the two together.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.calibration.findings.finding import Finding
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Criterion, Rubric, Scale

Floats = npt.NDArray[np.float64]

CRITERIA = ("planted", "second", "third", "fourth", "fifth", "sixth")
RUBRIC = Rubric(tuple(Criterion(1.0, f"Is {name} good?", name=name, scale=Scale.numbered(1, 5)) for name in CRITERIA))
SYSTEMS = ("a", "b", "c", "d")
SPREAD, CORRELATION, PERSON, JUDGE = 1.1, 0.35, 0.45, 0.55
MIDDLE = 3.0
SIZES = (50, 100)
AIM_RUNS = 120


@dataclass(frozen=True)
class World:
    """What is true of the examples and how people and judge see it; arrays of shape (n, ...) in levels."""

    truth: Floats
    people_noise: Floats
    judge_sees: Floats
    judge_noise: Floats
    systems: npt.NDArray[np.str_]
    stuck: Floats | None = None


Plant = Callable[[World, float, np.random.Generator], World]


@dataclass(frozen=True)
class Fault:
    """A fault, how it is planted, and the aims: hit rates at n = 50 and 100."""

    name: str
    code: str
    size: float
    plant: Plant
    aims: tuple[float | None, float | None]
    firm: bool | None = None


def world(n: int, generator: np.random.Generator) -> World:
    """Nothing planted."""
    shared = generator.normal(size=(n, 1))
    own = generator.normal(size=(n, len(CRITERIA)))
    truth = MIDDLE + SPREAD * (math.sqrt(CORRELATION) * shared + math.sqrt(1 - CORRELATION) * own)
    systems = np.array(SYSTEMS)[np.arange(n) % len(SYSTEMS)]
    return World(truth, np.full(len(CRITERIA), PERSON), truth, np.full(len(CRITERIA), JUDGE), systems)


def nothing(now: World, _size: float, _generator: np.random.Generator) -> World:
    return now


def lenient(now: World, size: float, _generator: np.random.Generator) -> World:
    return replace(now, judge_sees=now.judge_sees + size * _first(now))


def central(now: World, size: float, _generator: np.random.Generator) -> World:
    return replace(now, judge_sees=now.judge_sees + (size - 1) * (now.truth - MIDDLE) * _first(now))


def coloured(now: World, size: float, _generator: np.random.Generator) -> World:
    others = (now.truth.sum(axis=1, keepdims=True) - now.truth) / (len(CRITERIA) - 1)
    return replace(now, judge_sees=(1 - size) * now.truth + size * others)


def noisy(now: World, size: float, _generator: np.random.Generator) -> World:
    return replace(now, judge_noise=np.where(_first(now)[0] == 1, size, now.judge_noise))


def split(now: World, size: float, _generator: np.random.Generator) -> World:
    return replace(now, people_noise=np.where(_first(now)[0] == 1, size, now.people_noise))


def redundant(now: World, size: float, generator: np.random.Generator) -> World:
    truth = now.truth.copy()
    fresh = SPREAD * generator.normal(size=len(truth))
    truth[:, 0] = MIDDLE + size * (truth[:, 1] - MIDDLE) + math.sqrt(1 - size**2) * fresh
    return replace(now, truth=truth, judge_sees=truth)


def stuck(now: World, size: float, generator: np.random.Generator) -> World:
    often = generator.random(now.truth.shape) < size
    return replace(now, stuck=np.where(often & (_first(now) == 1), 4.0, np.nan))


def flat(now: World, size: float, _generator: np.random.Generator) -> World:
    truth = now.truth + (size / SPREAD - 1) * (now.truth - MIDDLE) * _first(now)
    return replace(now, truth=truth, judge_sees=truth)


def random_part(now: World, _size: float, generator: np.random.Generator) -> World:
    """The judge guesses on one of four systems."""
    guesses = generator.uniform(0.5, 5.5, size=now.truth.shape)
    return replace(now, judge_sees=np.where((now.systems == "d")[:, None], guesses, now.judge_sees))


def shifted_part(now: World, size: float, _generator: np.random.Generator) -> World:
    """The judge is too high on one criterion, for one of four systems."""
    return replace(now, judge_sees=now.judge_sees + size * _first(now) * (now.systems == "d")[:, None])


def _first(now: World) -> Floats:
    """1 for the planted criterion, 0 for the others; shape (n, criteria)."""
    return np.broadcast_to(np.arange(len(CRITERIA)) == 0, now.truth.shape).astype(np.float64)


FAULTS = (
    Fault("nothing", "", 0, nothing, (None, None)),
    Fault("lenient by .35 level", "lenient", 0.35, lenient, (0.72, 0.88)),
    Fault("lenient by .50", "lenient", 0.5, lenient, (0.96, 1.0)),
    Fault("lenient by .75", "lenient", 0.75, lenient, (1.0, 1.0)),
    Fault("severe by .50", "severe", -0.5, lenient, (0.96, 1.0)),
    Fault("slope .7", "central-tendency", 0.7, central, (0.42, 0.81)),
    Fault("slope .5", "central-tendency", 0.5, central, (0.86, 0.98)),
    Fault("halo 30 %", "halo", 0.3, coloured, (0.95, 0.99)),
    Fault("halo 50 %", "halo", 0.5, coloured, (1.0, 1.0)),
    Fault("noise twice a person's", "noisy", 0.9, noisy, (0.25, 0.48)),
    Fault("noise thrice", "noisy", 1.3, noisy, (0.75, 0.88)),
    Fault("people split, noise .9, firm", "ambiguous", 0.9, split, (0.10, 0.21), firm=True),
    Fault("people split, noise 1.3, firm", "ambiguous", 1.3, split, (0.64, 0.93), firm=True),
    Fault("people split, noise .9, with hints", "ambiguous", 0.9, split, (0.65, 0.70)),
    Fault("people split, noise 1.3, with hints", "ambiguous", 1.3, split, (0.98, 1.0)),
    Fault("redundant, r .97", "redundant", 0.97, redundant, (0.80, 1.0)),
    Fault("redundant, r .996", "redundant", 0.996, redundant, (0.96, 1.0)),
    Fault("judge gives one level to 97 %", "stuck-judge", 0.97, stuck, (1.0, 1.0)),
    Fault("criterion with true SD .35", "dead", 0.35, flat, (0.92, 1.0)),
    Fault("criterion with true SD .15", "dead", 0.15, flat, (0.98, 0.98)),
    Fault("guesses on one system of four", "broken-slice", 0, random_part, (None, None)),
    Fault("1.5 levels too high there, one criterion", "broken-slice", 1.5, shifted_part, (None, None)),
)
"""Aims for a broken slice there are none: it is measured only."""
ALARM_AIMS = (0.08, 0.03)
"""How often any one rule may be wrong elsewhere, at n = 50 and 100, and no oftener."""


def diagnosed(now: World, generator: np.random.Generator) -> tuple[Finding, ...]:
    """What the product finds in one made set."""
    n = len(now.truth)
    people = now.truth[:, None, :] + now.people_noise * generator.normal(size=(n, 2, len(CRITERIA)))
    judge = now.judge_sees + now.judge_noise * generator.normal(size=now.truth.shape)
    if now.stuck is not None:
        judge = np.where(np.isnan(now.stuck), judge, now.stuck)
    lengths = np.exp(generator.normal(6, 0.5, size=n)).astype(int)
    examples = tuple(
        Example(
            Submission("x" * int(lengths[i]), {}, f"e{i}"),
            tuple(_rating(f"e{i}", f"p{p}", "human", people[i, p]) for p in (0, 1)),
            system=str(now.systems[i]),
        )
        for i in range(n)
    )
    ratings = [_rating(f"e{i}", "judge", "model", judge[i]) for i in range(n)]
    return calibration_of(RUBRIC, ExampleSet(examples), ratings, Rater("judge", "", "ratings")).findings


def _rating(id: str, rater: str, kind: str, seen: Floats) -> Rating:
    levels = np.clip(np.rint(seen), 1, 5).tolist()
    return Rating(id, rater, kind, {name: Rated(level) for name, level in zip(CRITERIA, levels, strict=True)})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Outcome:
    """Of many runs of one fault at one size.

    Attributes:
        hits: Share of runs in which it was found where it was planted.
        alarms: Share of runs with a finding elsewhere, by code.
        any_alarm: Share of runs with any finding elsewhere.
        twice: Share of runs in which the planted criterion was given a second cause by the judge's rules.
    """

    hits: float
    alarms: dict[str, float]
    any_alarm: float
    twice: float


JUDGE_CODES = ("stuck-judge", "no-skill", "lenient", "severe", "central-tendency", "noisy")


def outcome(fault: Fault, n: int, runs: int) -> Outcome:
    """What comes of a fault in seeded runs."""
    hits = 0
    twice = 0
    disturbed = 0
    alarms = dict[str, int]()
    for run in range(runs):
        generator = np.random.default_rng([n, run])
        findings = diagnosed(fault.plant(world(n, generator), fault.size, generator), generator)
        there = [found for found in findings if _is_hit(fault, found)]
        hits += bool(there)
        causes = {found.code for found in findings if found.criterion == "planted" and found.code in JUDGE_CODES}
        twice += bool(there) and len(causes | ({fault.code} & {"halo"})) > 1
        elsewhere = {found.code for found in findings if not _belongs(fault, found)}
        disturbed += bool(elsewhere)
        for code in elsewhere:
            alarms[code] = alarms.get(code, 0) + 1
    by_code = {code: count / runs for code, count in sorted(alarms.items())}
    return Outcome(hits / runs, by_code, disturbed / runs, twice / runs)


def _is_hit(fault: Fault, found: Finding) -> bool:
    if found.code != fault.code or (fault.firm and not found.evidence["firm"]):
        return False
    if fault.code == "redundant":
        return set(found.evidence["criteria"]) == {"planted", "second"}
    if fault.code == "broken-slice":
        return bool(found.evidence["slice"]["name"] == "d")
    return found.criterion == ("planted" if fault.code != "halo" else None)


def _belongs(fault: Fault, found: Finding) -> bool:
    """Whether a finding is about the planted place: the criterion, or the whole where the fault is everywhere."""
    return _is_hit(replace(fault, firm=None), found) or (fault.code != "" and found.criterion == "planted")


# --- tables ---------------------------------------------------------------------------------------------------------


def worse(rate: float, aim: float, runs: int, *, low_is_bad: bool) -> bool:
    """Whether a rate misses its aim by more than two standard errors of both."""
    error = math.sqrt(_variance(rate, runs) + _variance(aim, AIM_RUNS))
    return (aim - rate if low_is_bad else rate - aim) > 2 * error


def _variance(rate: float, runs: int) -> float:
    kept = min(max(rate, 0.5 / runs), 1 - 0.5 / runs)
    return kept * (1 - kept) / runs


def table(runs: int) -> Iterator[str]:
    """Hits, alarms and double causes of every fault."""
    yield (
        "| planted | found as | "
        + " | ".join(f"n = {n}: found | aim | wrong elsewhere, worst rule | cause twice" for n in SIZES)
        + " | worse than its aim |"
    )
    yield "|---|---|" + "---:|---:|---|---:|" * len(SIZES) + "---|"
    for fault in FAULTS:
        cells, misses = [], []
        for n, aim, alarm_aim in zip(SIZES, fault.aims, ALARM_AIMS, strict=True):
            found = outcome(fault, n, runs)
            code, alarm = max(found.alarms.items(), key=lambda item: item[1], default=("–", 0.0))
            hits = "–" if not fault.code else f"{found.hits:.2f}"
            cells += [hits, "–" if aim is None else f"{aim:.2f}", f"{code} {alarm:.2f}", f"{found.twice:.2f}"]
            if aim is not None and worse(found.hits, aim, runs, low_is_bad=True):
                misses.append(f"found, n = {n}")
            if worse(alarm, alarm_aim, runs, low_is_bad=False):
                misses.append(f"wrong elsewhere, n = {n}")
        yield f"| {fault.name} | {fault.code or '–'} | {' | '.join(cells)} | {'; '.join(misses) or 'no'} |"


def of_nothing(runs: int) -> Iterator[str]:
    """Every rule's false alarms where nothing was planted."""
    aims = {"lenient": (0.01, 0.0), "central-tendency": (0.02, 0.0), "noisy": (0.02, 0.01), "halo": (0.03, 0.02)}
    outcomes = [outcome(FAULTS[0], n, runs) for n in SIZES]
    found = [one.alarms for one in outcomes]
    yield "| rule | " + " | ".join(f"n = {n}: wrong | aim" for n in SIZES) + " | worse than its aim |"
    yield "|---|" + "---:|---:|" * len(SIZES) + "---|"
    for code in sorted({*aims, *found[0], *found[1]}):
        cells, misses = [], []
        for n, alarms, aim in zip(SIZES, found, aims.get(code, (0.01, 0.0)), strict=True):
            cells += [f"{alarms.get(code, 0):.3f}", f"{aim:.2f}"]
            misses += [f"n = {n}"] if worse(alarms.get(code, 0), aim, runs, low_is_bad=False) else []
        yield f"| {code} | {' | '.join(cells)} | {'; '.join(misses) or 'no'} |"
    yield f"| any of them | {' | '.join(f'{one.any_alarm:.3f} | –' for one in outcomes)} | – |"


def report(runs: int, quiet_runs: int) -> str:
    """The whole page."""
    started = time.process_time()
    lines: list[str] = [f"## Planted faults, {runs} seeded runs each", "", *table(runs)]
    lines += ["", f"## Nothing planted, {quiet_runs} runs", "", *of_nothing(quiet_runs)]
    return "\n".join([*lines, "", f"Took {time.process_time() - started:.0f} s of one core."])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=120)
    parser.add_argument("--quiet-runs", type=int, default=300, help="runs with nothing planted")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args(arguments)
    text = report(options.runs, options.quiet_runs)
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
