"""Do judges that decide one after the other keep the promise about errors, and how much do they decide?

    python -m benchmarks.cascade [--runs 300] [--write benchmarks/results/cascade.md]

autorubric 1.6.1 is installed into an environment of its own under `.cache/`.

Every world has five yes/no criteria with weights 3, 2, 2, 1 and -2, the first one required, and a pass mark of .7. The
truth of each is drawn with a share of .75 (of the fault .2). A judge sees the truth through noise: its log-odds are
`strength` for or against the truth plus normal noise of the same size, and it says `sharpness` times what they are
worth; some also say the opposite with .97 to .99 on one criterion of 3 % of responses. Responses differ in how easy
they are, which multiplies the strength of every judge. A judge's certainty is its chance of what it decides, as
`chance_of_levels` computes it. Strengths are set so that decisions are right as often as the table says, measured on
100,000 responses. The promise is at most 5 % wrong automatic decisions, 90 % sure; whether it holds is checked on
20,000 further responses of the same world, so that a share is known to .2 points.

Compared: the better judge alone; the distance of its score from the mark, as the gray zone ranks decisions (sizes as
here); thresholds that decide most at 5 % errors on the labels at hand; and the package autorubric with its
`calibrate_escalation(…).best()` as it comes, which keeps a criterion of the first judge from the confidence that makes
most criteria right on the labels, gives the others to the last judge, and nothing to people. It promises nothing about
errors, and knows no groups and no pass mark: its verdicts are weighed here. In the worst case every decision errs at
5.01 %, so that any automatic decision breaks the promise. In groups, five responses share their truths, how easy they
are and the judges' noise.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import itertools
import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from benchmarks.environment import python_with
from benchmarks.page import write_page
from markscheme.features.certify.statistics import CertifiedCascade, ErrorLimit, StageDecisions, certified_cascade

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

WEIGHTS = np.array([3.0, 2.0, 2.0, 1.0, -2.0])
SHARES = np.array([0.75, 0.75, 0.75, 0.75, 0.2])
PASS_MARK = 0.7
ERROR, CONFIDENCE = 0.05, 0.90
CHECKED = 20_000
IN_GROUP = 5
IN_GROUPS = 7
"""The seed of the world whose labels come in groups."""
PACKAGE_RUNS = 10
"""Draws of a row that autorubric gets, the first ones; it takes about four seconds for one."""
PACKAGE = Path(__file__).with_name("rivals") / "autorubric_package.py"
WORST_RUNS = 1_000
"""Draws of the worst case, whose share lies near what is allowed."""
SPREAD_OF_EASE = 0.7
"""Of the logarithm of how easy a response is: some are clear to every judge, and some to none."""
COMBINATIONS = np.array(list(itertools.product((0.0, 1.0), repeat=5)))


@dataclass(frozen=True)
class JudgeOfWorld:
    """How well a judge sees, and how sure it says it is."""

    strength: float
    sharpness: float = 1.0
    bias: float = 0.0
    blunders: float = 0.0


@dataclass(frozen=True)
class Decided:
    """A judge's decisions on the responses of a world, shape (n,), with its probabilities and the truth, (n, 5)."""

    certainty: Floats
    distance: Floats
    passes: Flags
    wrong: Flags
    p: Floats
    truth: Floats


def passing(levels: Floats) -> Flags:
    """Whether levels pass, shape (n,): by the weighted score, and the first criterion, which is required."""
    return np.asarray((score(levels) >= PASS_MARK - 1e-9) & (levels[:, 0] == 1))


def score(levels: Floats) -> Floats:
    """The score of levels, shape (n,)."""
    return np.asarray(np.clip(levels @ WEIGHTS / WEIGHTS[WEIGHTS > 0].sum(), 0, 1))


PASSING = passing(COMBINATIONS)


def chance(p: Floats) -> Floats:
    """The chance of passing by the probabilities of five criteria, shape (n,): over all combinations of levels."""
    logs = np.log(np.clip(p, 1e-12, 1)) @ COMBINATIONS.T + np.log(np.clip(1 - p, 1e-12, 1)) @ (1 - COMBINATIONS.T)
    return np.asarray(np.exp(logs)[:, PASSING].sum(axis=1))


def draw(judges: Sequence[JudgeOfWorld], n: int, generator: np.random.Generator, *, in_group: int = 1) -> list[Decided]:
    """Each judge's decisions on n responses."""
    n_groups = -(-n // in_group)

    def grouped(values: Floats) -> Floats:
        return np.repeat(values, in_group, axis=0)[:n]

    truth = grouped((generator.random((n_groups, 5)) < SHARES).astype(np.float64))
    gold = passing(truth)
    ease = grouped(np.exp(generator.normal(0, SPREAD_OF_EASE, (n_groups, 1))))
    decided = []
    for judge in judges:
        noise = grouped(generator.normal(size=(n_groups, 5)))
        strength = judge.strength * ease
        seen = np.where(truth == 1, 1, -1) * strength**2 / 2 + strength * noise
        odds = judge.sharpness * (seen + np.log(SHARES / (1 - SHARES)) + judge.bias)
        if judge.blunders:
            blunder = (generator.random((n, 1)) < judge.blunders) & (generator.integers(5, size=(n, 1)) == np.arange(5))
            odds = np.where(blunder, -np.where(truth == 1, 1, -1) * generator.uniform(3.5, 4.6, (n, 5)), odds)
        p = np.asarray(expit(odds))
        levels = (p > 0.5).astype(np.float64)
        passes = passing(levels)
        likely = chance(p)
        decided.append(
            Decided(
                np.where(passes, likely, 1 - likely),
                np.abs(score(levels) - PASS_MARK),
                passes,
                passes != gold,
                p,
                truth,
            )
        )
    return decided


def accuracy(judge: JudgeOfWorld) -> float:
    """How often a judge decides as the labels do."""
    (decided,) = draw([judge], 100_000, np.random.default_rng(1))
    return float(1 - decided.wrong.mean())


@cache
def tuned(accuracy_wanted: float, **how: float) -> JudgeOfWorld:
    """The judge that decides rightly so often, found by halving."""
    low, high = 0.2, 8.0
    for _ in range(18):
        middle = (low + high) / 2
        if accuracy(JudgeOfWorld(middle, **how)) < accuracy_wanted:
            low = middle
        else:
            high = middle
    return JudgeOfWorld(high, **how)


# --- what is compared -----------------------------------------------------------------------------------------------


def _stages(decided: Sequence[Decided], *, by_distance: bool = False) -> list[StageDecisions]:
    return [StageDecisions.of(one.distance if by_distance else one.certainty, one.wrong, one.passes) for one in decided]


def applied(
    certain: Sequence[float | None], certainties: Sequence[Floats], decided: Sequence[Decided]
) -> tuple[Floats, Flags]:
    """Who decides each response of the world, -1 for people, and whether that is wrong."""
    stage = np.full(len(decided[0].wrong), -1.0)
    wrong = np.zeros(len(stage), dtype=bool)
    for place, (least, certainty, judged) in enumerate(zip(certain, certainties, decided, strict=True)):
        if least is not None:
            mine = (stage < 0) & (np.round(certainty, 9) >= least)
            stage[mine] = place
            wrong[mine] = judged.wrong[mine]
    return stage, wrong


def in_sample(decided: Sequence[Decided]) -> list[float | None]:
    """For each judge in turn, the threshold that decides most of the rest at 5 % errors on the same labels."""
    rest = np.ones(len(decided[0].wrong), dtype=bool)
    certain: list[float | None] = []
    for judged in decided:
        order = np.argsort(-judged.certainty[rest], kind="stable")
        errors = np.cumsum(judged.wrong[rest][order]) / np.arange(1, rest.sum() + 1)
        fine = np.flatnonzero(errors <= ERROR)
        certain.append(float(judged.certainty[rest][order][fine[-1]]) if len(fine) else None)
        if certain[-1] is not None:
            rest &= judged.certainty < certain[-1]
    return certain


def kept(threshold: float, first: Decided) -> Flags:
    """The criteria that autorubric keeps of the first judge, shape (n, 5): by 2p - 1, p its verdict's chance."""
    return np.asarray(2 * np.maximum(first.p, 1 - first.p) - 1 >= threshold)


def escalated(threshold: float, decided: Sequence[Decided]) -> Floats:
    """Levels of the first judge where it is sure enough of a criterion, and of the last judge elsewhere."""
    first, *_, last = decided
    return np.asarray(np.where(kept(threshold, first), first.p > 0.5, last.p > 0.5).astype(np.float64))


@dataclass
class Row:
    """Shares of draws: decided automatically, by the first judge, and with more than 5 % wrong."""

    automatic: float = 0.0
    first: float = 0.0
    broken: float = 0.0

    def add(self, stage: Floats, wrong: Flags, runs: int) -> None:
        """One more draw."""
        chosen = stage >= 0
        self.automatic += chosen.mean() / runs
        self.first += (stage == 0).mean() / runs
        self.broken += (wrong[chosen].mean() > ERROR if chosen.any() else 0.0) / runs

    def __str__(self) -> str:
        return f"{self.automatic:.2f} ({self.first:.2f}); {self.broken:.3f}"


def certified(decided: Sequence[Decided], groups: npt.ArrayLike | None = None, **more: ErrorLimit) -> CertifiedCascade:
    """The cascade of some labels."""
    return certified_cascade(_stages(decided), ErrorLimit(ERROR, (1 - CONFIDENCE) / len(decided)), groups, **more)


@dataclass(frozen=True)
class World:
    """Two judges, the responses on which a promise is checked, and the generator of labels."""

    judges: Sequence[JudgeOfWorld]
    responses: Sequence[Decided]
    generator: np.random.Generator

    @property
    def certainties(self) -> list[Floats]:
        """Each judge's certainties of the responses."""
        return [judged.certainty for judged in self.responses]

    def labels(self, n: int, *, in_group: int = 1) -> list[Decided]:
        """The judges' decisions on n further responses, which have labels."""
        return draw(self.judges, n, self.generator, in_group=in_group)

    def decides(self, cascade: CertifiedCascade) -> tuple[Floats, Flags]:
        """Who decides each response by a cascade of all judges, -1 for people, and whether that is wrong."""
        return applied(cascade.certain, self.certainties, self.responses)


def world_of(judges: Sequence[JudgeOfWorld], seed: int | Sequence[int]) -> World:
    """The world of these judges; the same seed gives the same labels in the same order."""
    generator = np.random.default_rng(seed)
    return World(judges, draw(judges, CHECKED, generator), generator)


def two_judges() -> tuple[JudgeOfWorld, JudgeOfWorld]:
    """The pair for groups and wrong passes."""
    return tuned(0.87, sharpness=1.5), tuned(0.91, sharpness=0.8)


def pairs_of_judges() -> dict[int, tuple[JudgeOfWorld, JudgeOfWorld]]:
    """The judges of each row, by its seed."""
    return {
        0: (tuned(0.91, sharpness=1.5), tuned(0.94, sharpness=0.8)),
        1: two_judges(),
        2: (tuned(0.85, sharpness=1.5, blunders=0.03), tuned(0.90, sharpness=0.8)),
        3: (tuned(0.80, sharpness=1.5, bias=0.5), tuned(0.91, sharpness=0.8)),
        9: (tuned(0.76, sharpness=1.5), tuned(0.83, sharpness=1.2)),
    }


def right_on(judges: Sequence[JudgeOfWorld]) -> str:
    """How often each judge decides as the labels do."""
    return ", ".join(f"{accuracy(judge):.2f}" for judge in judges)


def row(judges: Sequence[JudgeOfWorld], n: int, runs: int, seed: int) -> str:
    """One row of the table."""
    world = world_of(judges, [seed, n])
    better = world.responses[-1:]
    cascade, alone, distance, fitted = Row(), Row(), Row(), Row()
    for _ in range(runs):
        labels = world.labels(n)
        cascade.add(*world.decides(certified(labels)), runs)
        alone.add(*applied(certified(labels[-1:]).certain, world.certainties[-1:], better), runs)
        by_distance = certified_cascade(_stages(labels[-1:], by_distance=True), ErrorLimit(ERROR, 1 - CONFIDENCE))
        distance.add(*applied(by_distance.certain, [better[0].distance], better), runs)
        fitted.add(*applied(in_sample(labels), world.certainties, world.responses), runs)
    return (
        f"| {right_on(judges)} | {n} | {cascade} | {alone.automatic:.2f}; {alone.broken:.3f} | "
        f"{distance.automatic:.2f}; {distance.broken:.3f} | {fitted.automatic:.2f}; {fitted.broken:.3f} |"
    )


def rows(runs: int) -> Iterator[str]:
    """Worlds in which two judges decide one after the other."""
    yield (
        "| judges right on | labels | cascade: automatic (first judge); broken | better judge alone | by distance | "
        "fitted in-sample |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for seed, judges in pairs_of_judges().items():
        yield row(judges, 200, runs, seed)


# --- autorubric -----------------------------------------------------------------------------------------------------


def calibrated_by_package(sets: Sequence[Sequence[Decided]]) -> list[dict[str, Any]]:
    """What autorubric chooses for each set of labels.

    Raises:
        RuntimeError: Its verdicts on the labels aren't those of `escalated`, which applies its threshold to a world.
    """
    python = python_with("autorubric-1.6.1", "autorubric==1.6.1")
    asked = [
        {"first": labels[0].p.tolist(), "last": labels[-1].p.tolist(), "truth": labels[0].truth.astype(int).tolist()}
        for labels in sets
    ]
    done = subprocess.run(
        [str(python), str(PACKAGE)],
        input="".join(json.dumps(question) + "\n" for question in asked),
        env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answers: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    for answer, labels in zip(answers, sets, strict=True):
        if not np.array_equal(answer["met"], escalated(answer["threshold"], labels)):
            raise RuntimeError(f"autorubric's verdicts at {answer['threshold']} aren't those that are applied here")
    return answers


def row_of_package(world: World, n: int, runs: int, *, in_group: int = 1) -> str:
    """One row of autorubric's table: its cascade as it comes, and with people in place of the last judge."""
    answers = calibrated_by_package([world.labels(n, in_group=in_group) for _ in range(runs)])
    first = world.responses[0]
    gold = passing(first.truth)
    as_it_comes, with_people = Row(), Row()
    wrong_share = 0.0
    for answer in answers:
        wrong = passing(escalated(answer["threshold"], world.responses)) != gold
        wrong_share += float(wrong.mean()) / runs
        as_it_comes.add(np.ones(len(wrong)), wrong, runs)
        is_kept = kept(answer["threshold"], first).all(axis=1)
        with_people.add(np.where(is_kept, 0.0, -1.0), first.wrong, runs)
    share = np.mean([answer["escalated"] for answer in answers])
    return (
        f"| {right_on(world.judges)} | {n}{' in groups of five' if in_group > 1 else ''} | {share:.2f} | "
        f"{as_it_comes.automatic:.2f}; {as_it_comes.broken:.2f} | {wrong_share:.3f} | "
        f"{with_people.automatic:.2f}; {with_people.broken:.2f} |"
    )


def by_package(runs: int) -> Iterator[str]:
    """autorubric on the first labels of every row, and on those of the groups."""
    yield (
        "| judges right on | labels | criteria for the second judge | automatic; broken | wrong decisions | "
        "people in place of the second judge: automatic; broken |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for seed, judges in pairs_of_judges().items():
        yield row_of_package(world_of(judges, [seed, 200]), 200, runs)
    yield row_of_package(world_of(two_judges(), IN_GROUPS), 200, runs, in_group=IN_GROUP)


# --- the worst case, groups, wrong passes ---------------------------------------------------------------------------


def worst_case(k: int, n: int, runs: int, shared: float) -> float:
    """Share of draws in which anything is automatic, where every decision errs at 5.01 %; `shared` errors in common."""
    generator = np.random.default_rng([k, n, int(100 * shared)])
    broken = 0
    for _ in range(runs):
        common = generator.random(n) < ERROR + 0.0001
        stages = []
        for _ in range(k):
            alone = generator.random(n) < ERROR + 0.0001
            stages.append(StageDecisions.of(generator.random(n), np.where(generator.random(n) < shared, common, alone)))
        cascade = certified_cascade(stages, ErrorLimit(ERROR, (1 - CONFIDENCE) / k))
        broken += any(certain is not None for certain in cascade.certain)
    return broken / runs


def worst_cases(runs: int) -> Iterator[str]:
    """One to three judges."""
    yield "| judges | labels | broken: errors unrelated | half shared | all shared |"
    yield "| ---: | ---: | ---: | ---: | ---: |"
    for k in (1, 2, 3):
        for n in (100, 200):
            shares = [worst_case(k, n, runs, shared) for shared in (0.0, 0.5, 1.0)]
            yield f"| {k} | {n} | " + " | ".join(f"{share:.3f}" for share in shares) + " |"


def in_groups(runs: int) -> Iterator[str]:
    """Two judges on labels in groups of five, with and without saying so."""
    world = world_of(two_judges(), IN_GROUPS)
    yield "| labels in groups of five | groups named: automatic; broken | not named |"
    yield "| ---: | ---: | ---: |"
    for n in (200, 400):
        named, unnamed = Row(), Row()
        for _ in range(runs):
            labels = world.labels(n, in_group=IN_GROUP)
            named.add(*world.decides(certified(labels, np.arange(n) // IN_GROUP)), runs)
            unnamed.add(*world.decides(certified(labels)), runs)
        yield f"| {n} | {named.automatic:.2f}; {named.broken:.3f} | {unnamed.automatic:.2f}; {unnamed.broken:.3f} |"


def wrong_passes(runs: int) -> Iterator[str]:
    """The second promise, about automatic passes alone."""
    world = world_of(two_judges(), 8)
    yield "| labels | with `--wrong-passes .05`: automatic; broken for passes | without |"
    yield "| ---: | ---: | ---: |"
    for n in (200, 400):
        outcomes = {}
        promises: dict[str, Callable[[Sequence[Decided]], CertifiedCascade]] = {
            "with": lambda labels: certified(labels, of_passes=ErrorLimit(ERROR, (1 - CONFIDENCE) / 2)),
            "without": certified,
        }
        for name, cascade_of in promises.items():
            automatic, broken = 0.0, 0.0
            for _ in range(runs):
                stage, wrong = world.decides(cascade_of(world.labels(n)))
                decided_passes = [judged.passes for judged in world.responses]
                passes = np.select([stage == place for place in range(2)], decided_passes, False)
                automatic += float((stage >= 0).mean()) / runs
                broken += bool(passes.any() and wrong[passes.astype(bool)].mean() > ERROR) / runs
            outcomes[name] = f"{automatic:.2f}; {broken:.3f}"
        yield f"| {n} | {outcomes['with']} | {outcomes['without']} |"


def lines(runs: int) -> list[str]:
    """The page, line by line."""
    return [
        f"{runs:,} draws a cell; a share of .05 is known to ±{2 * (0.05 * 0.95 / runs) ** 0.5:.3f}. Promise: at most "
        "5 % of the automatic decisions are wrong, with 90 % confidence. Broken: draws after which more are; .10 is "
        "allowed.",
        "",
        *rows(runs),
        "",
        "autorubric 1.6.1 itself on the same labels, its `calibrate_escalation(…).best()` as it comes; the first "
        f"{PACKAGE_RUNS} draws of each row. It decides everything and promises nothing about errors. The last column "
        "gives people, and not the second judge, what it escalates:",
        "",
        *by_package(min(runs, PACKAGE_RUNS)),
        "",
        f"Where every decision errs at 5.01 %, {WORST_RUNS:,} draws a cell (±.014 at .05, ±.02 at .10):",
        "",
        *worst_cases(WORST_RUNS),
        "",
        *in_groups(runs),
        "",
        *wrong_passes(runs),
    ]


if __name__ == "__main__":
    write_page(__doc__, lines, runs=300)
