"""How often a verdict on a judge is wrong, and how often it comes where it should, with groups and several annotators.

    python -m benchmarks.verdict [--runs 200] [--write benchmarks/results/verdict.md]

Examples have one of five true scores (shares .1, .2, .4, .2, .1). An annotator gives the true score, or with some
chance one drawn from these shares; gold is the median of annotators; the judge likewise. Within a group of examples
the judge's chance of being right is shared: it follows a beta distribution whose correlation is the ICC. The target is
a score within 0.1 of gold for 0.8 of the examples. What is true of a world comes from 200,000 of its examples.

Worlds: `edge` - annotators agree, the judge reaches .80 exactly, so ok and adjust are both wrong; `good` - it reaches
.90, so ok is right; `as a person` - annotators disagree, the judge is one of them, so adjust is wrong and
labels-disagree/trend right; `10 below` - it is 10 points below an annotator, so trend is wrong; `noise` - the judge
reads nothing, so trend is wrong. One annotator can't show disagreement; those cells of the last three worlds are left
out.
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
from markscheme.calibration.comparison.policy import (
    Circumstances,
    VerdictRow,
    VerdictStates,
    trend_ruling,
    verdict_row,
    verdict_states,
)
from markscheme.grading.receipt import Use
from markscheme.stats.agreement_figures import agreement_with_people, close, pair_agreement
from markscheme.stats.shares import grouped_mean, grouped_share

Floats = npt.NDArray[np.float64]

TARGET, TOLERANCE = 0.8, 0.1
SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
SHARES = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
CAREFUL, CARELESS = 0.97, 0.60
GROUPS = ((1, 0.0), (5, 0.0), (5, 0.1), (5, 0.3), (10, 0.0), (10, 0.1), (10, 0.3))
ANNOTATORS = (1, 2, 3, 5)
SIZES = (60, 100, 200)
MANY = 200_000
WORLDS = ("edge", "good", "as a person", "10 below", "noise")
POWER = {(1, 60): 0.437, (1, 100): 0.703, (1, 200): 0.973}
"""P(ok) to reach in the good world, by group size and number of examples: exact, by the binomial distribution."""
FALSE = 0.05
"""Share of wrong verdicts that one look may give: the interval's level leaves that much."""


@dataclass(frozen=True)
class Data:
    """One labelled set."""

    gold: Floats
    judge: Floats
    people: Floats
    groups: npt.NDArray[np.int64]


def draw(n: int, right: float, careful: float, annotators: int, group: tuple[int, float], seed: object) -> Data:
    """Examples, the judge right with chance `right`, each annotator with chance `careful`."""
    generator = np.random.default_rng(seed)  # type: ignore[arg-type]
    size, icc = group
    groups = np.arange(n) // size
    truth = generator.choice(SCORES, n, p=SHARES)

    def rated(chance: Floats | float, shape: tuple[int, ...]) -> Floats:
        true = np.broadcast_to(truth.reshape(n, *[1] * (len(shape) - 1)), shape)
        return np.where(generator.random(shape) < chance, true, generator.choice(SCORES, shape, p=SHARES))

    chance = np.full(n, right)
    if icc and 0 < right < 1:
        strength = (1 - icc) / icc
        chance = generator.beta(right * strength, (1 - right) * strength, groups.max() + 1)[groups]
    people = rated(careful, (n, annotators))
    return Data(np.median(people, axis=1), rated(chance, (n,)), people, groups)


@cache
def right_for(world: str, annotators: int) -> float:
    """The judge's chance of being right that makes a world what it is, by bisection."""
    if world == "as a person":
        return CARELESS
    if world == "noise":
        return 0.0
    careful = CARELESS if world == "10 below" else CAREFUL
    low, high = 0.0, 1.0
    for _ in range(16):
        middle = (low + high) / 2
        data = draw(MANY, middle, careful, annotators, (1, 0.0), 1)
        if world == "10 below":
            by_judge = agreement_with_people(data.judge, data.people, TOLERANCE).mean()
            reached = by_judge - pair_agreement(data.people, TOLERANCE).mean() > -0.10
        else:
            reached = close(data.gold, data.judge, TOLERANCE).mean() > (0.80 if world == "edge" else 0.90)
        low, high = (low, middle) if reached else (middle, high)
    return middle


def run(world: str, n: int, annotators: int, group: tuple[int, float], seed: int) -> VerdictRow:
    """The verdict on one drawn set."""
    careful = CAREFUL if world in ("edge", "good") else CARELESS
    seeds = [WORLDS.index(world), n, annotators, group[0], round(100 * group[1]), seed]
    data = draw(n, right_for(world, annotators), careful, annotators, group, seeds)
    groups = data.groups if group[0] > 1 else None
    agrees = close(data.gold, data.judge, TOLERANCE)
    candidates = np.unique(np.append(data.judge, data.people))
    constant = max((close(data.gold, np.full(n, c), TOLERANCE) for c in candidates), key=np.sum)
    agreement = grouped_share(agrees, groups)
    gain = grouped_mean(agrees - constant, groups)
    alone = verdict_states(agreement, gain, target=TARGET)
    if alone.above or annotators == 1:
        return _verdict(alone, "gate" if annotators > 1 else "trend")
    by_pairs = pair_agreement(data.people, TOLERANCE)
    by_judge = agreement_with_people(data.judge, data.people, TOLERANCE)
    by_constant = max((agreement_with_people(c, data.people, TOLERANCE) for c in candidates), key=np.sum)
    states = verdict_states(
        agreement,
        gain,
        target=TARGET,
        people=grouped_share(by_pairs, groups),
        judge_minus_person=grouped_mean(by_judge - by_pairs, groups),
        person_minus_constant=grouped_mean(by_pairs - by_constant, groups),
    )
    return _verdict(states, "gate")


def _verdict(states: VerdictStates, ok: Use) -> VerdictRow:
    """Return the verdict on scores of which nothing says what passes."""
    return verdict_row(None, trend_ruling(states), Circumstances(states, ok=ok))


@dataclass(frozen=True)
class Cell:
    """Of many runs of one world: shares of verdicts."""

    world: str
    n: int
    annotators: int
    group: tuple[int, float]
    ok: float
    adjust: float
    trend: float
    open: float

    @property
    def wrong(self) -> dict[str, float]:
        """Shares of runs whose verdict is wrong in this world."""
        match self.world:
            case "edge":
                return {"false ok": self.ok, "false adjust": self.adjust}
            case "good":
                return {"false adjust": self.adjust}
            case "as a person":
                return {"false ok": self.ok, "false adjust": self.adjust}
            case _:
                return {"false ok": self.ok, "false trend": self.trend}

    @property
    def called(self) -> str:
        size, icc = self.group
        return f"{self.world}, n = {self.n}, groups of {size}, ICC {icc:g}, annotators: {self.annotators}"


def cells(runs: int) -> Iterator[Cell]:
    """Every world with 100 examples, and `edge` and `good` with 60 and 200 labelled by two annotators."""
    for world in WORLDS:
        for n in SIZES:
            for annotators in ANNOTATORS:
                if (n != 100 and (annotators != 2 or world not in WORLDS[:2])) or (
                    annotators == 1 and world not in WORLDS[:2]
                ):
                    continue
                for group in GROUPS:
                    found = [run(world, n, annotators, group, seed) for seed in range(runs)]

                    def share(verdict: str, use: str | None = None, found: list[VerdictRow] = found) -> float:
                        return sum(row[0] == verdict and use in (None, row[1]) for row in found) / runs

                    shown = share("ok"), share("adjust"), share("labels-disagree", "trend"), share("not-enough-labels")
                    yield Cell(world, n, annotators, group, *shown)


def report(found: list[Cell], runs: int) -> Iterator[str]:
    """The worst cell of each kind of error, power next to what is to be reached, and every cell."""
    yield "| error | cells | mean | worst | where |"
    yield "|---|---:|---:|---:|---|"
    for error in ("false ok", "false adjust", "false trend"):
        of_kind = [(cell.wrong[error], cell) for cell in found if error in cell.wrong]
        worst, where = max(of_kind, key=lambda pair: pair[0])
        mean = sum(share for share, _ in of_kind) / len(of_kind)
        yield f"| {error} | {len(of_kind)} | {mean:.3f} | {worst:.3f} | {where.called} |"
    slack = 2 * math.sqrt(FALSE * (1 - FALSE) / runs)
    beyond = [cell.called for cell in found for share in cell.wrong.values() if share > FALSE + slack]
    named = "; ".join(dict.fromkeys(beyond)) or "none"
    yield ""
    yield f"Cells with a share of errors above {FALSE:.2f} by more than two standard errors ({slack:.3f}): {named}."
    yield ""
    yield "| P(ok) at a truth of .90, ICC 0 | labels | came out | to reach | within two standard errors |"
    yield "|---|---:|---:|---:|---|"
    for (size, n), aim in POWER.items():
        cell = next(c for c in found if (c.world, c.n, c.annotators, c.group) == ("good", n, 2, (size, 0.0)))
        reach = cell.ok + 2 * math.sqrt(aim * (1 - aim) / runs + 0.25 / runs**2)
        met = "yes" if reach >= aim else "NO"
        yield f"| groups of {size} | {n} | {cell.ok:.3f} | {aim:.2f} | {met} |"
    yield ""
    yield "| world | labels | annotators | group size | ICC | ok | adjust | labels-disagree/trend | not enough |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for cell in found:
        size, icc = cell.group
        shares = f"{cell.ok:.3f} | {cell.adjust:.3f} | {cell.trend:.3f} | {cell.open:.3f}"
        yield f"| {cell.world} | {cell.n} | {cell.annotators} | {size} | {icc:g} | {shares} |"


def lines(runs: int) -> list[str]:
    """The page, line by line."""
    known = 2 * math.sqrt(FALSE * (1 - FALSE) / runs)
    return [
        f"{runs} seeded runs a cell; a share of {FALSE} is known to ±{known:.3f}.",
        "",
        *report(list(cells(runs)), runs),
    ]


if __name__ == "__main__":
    write_page(__doc__, lines, runs=200)
