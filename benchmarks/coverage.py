"""How often the default interval of each statistic holds the truth, compared with the percentile bootstrap.

    python -m benchmarks.coverage [--write benchmarks/results/coverage.md] [--scale 1.0]

Worlds: each example has a normal impression; gold, people and the judge see it with noise of their own (a fair judge
is lenient besides) and cut it into levels. Two scales (yes/no, five levels), the commonest gold level on 50 or 90 % of
examples, an excellent, a good and a fair judge; samples of 20, 50, 100 and 300. The truth is the same public function
of a table that has every cell in its exact proportion. An interval counts where it is given and not marked rough; a
zero-width one that misses is a miss. Everything is drawn from one seed; `--scale` multiplies the number of samples.

Real data: 50 labels drawn at random from the 1,056 rated stories of HANNA, truth = all of them. That part is left out
where the data set does not lie next to the repository.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import gzip
import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from markscheme import stats
from markscheme.stats import Estimate, change
from markscheme.stats.agreement_figures import agreement_figures

Table = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Columns = list[Table]
Family = Callable[[Columns, int], dict[str, Estimate]]

SEED = 20261103
SIZES = (20, 50, 100, 300)
SHARES = {
    (2, 0.5): (0.5, 0.5),
    (2, 0.9): (0.1, 0.9),
    (5, 0.5): (0.03, 0.05, 0.12, 0.30, 0.50),
    (5, 0.9): (0.01, 0.02, 0.03, 0.04, 0.90),
}
PERSON = {"excellent": 0.15, "good": 0.35, "fair": 0.5}
JUDGE = {"excellent": (0.15, 0.0), "good": (0.4, 0.0), "fair": (0.9, 0.4)}
"""Noise of a person and of the judge, in standard deviations of the impression, and the judge's leniency."""

IN_ALL = 200_000
MISSING = 0.25
BOOTSTRAPS = 500
ASKED_FOR = 0.02
"""Coverage may fall this far below what an interval promises."""
ENOUGH_PLAIN = 0.05
"""A cell in which fewer of the intervals are plain is not judged: they come from samples that are not typical."""
MOST_NOT_PLAIN = 0.15

HANNA = Path(__file__).parents[2] / "shared" / "data" / "hanna" / "items.jsonl.gz"


# -- worlds ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """One scale, one base rate, one judge."""

    levels: int
    base: float
    judge: str

    def seen(self, *raters: str) -> Table:
        """Joint shares of the levels that these raters give one example, one axis a rater."""
        person = PERSON[self.judge]
        cuts = ndtri(np.cumsum(SHARES[self.levels, self.base])[:-1]) * math.sqrt(1 + person**2)
        impression, weight = np.polynomial.hermite_e.hermegauss(200)
        joint = (weight / weight.sum())[:, None]
        for rater in raters:
            noise, leniency = (person, 0.0) if rater == "person" else JUDGE[self.judge]
            below = ndtr((cuts - impression[:, None] - leniency) / noise)
            given = np.diff(below, axis=1, prepend=0.0, append=1.0)
            joint = (joint[:, :, None] * given[:, None, :]).reshape(len(impression), -1)
        return np.asarray(joint.sum(axis=0).reshape([self.levels] * len(raters)))


WORLDS = [World(levels, base, judge) for levels, base in SHARES for judge in JUDGE]


def with_gaps(joint: Table) -> Table:
    """The joint shares when each rating is missing by itself in a quarter of cases: one more, last level."""
    for axis in range(joint.ndim):
        gone = joint.sum(axis=axis, keepdims=True) * MISSING
        joint = np.concatenate([joint * (1 - MISSING), gone], axis=axis)
    return joint


def columns(counts: Counts, levels: int) -> Columns:
    """Each rater's ratings, from how many examples lie in each cell; the level after the last is nan."""
    places = np.indices(counts.shape).reshape(counts.ndim, -1)
    ratings = np.repeat(places, counts.ravel(), axis=1).astype(np.float64)
    return list(np.where(ratings == levels, np.nan, ratings))


# -- families of statistics, all by public functions -------------------------------------------------------------------


def two_raters(pair: Columns, levels: int) -> dict[str, Estimate]:
    gold, judge = pair
    scale = range(levels)
    ratings = np.stack(pair, axis=1)
    found = stats.two_raters(gold, judge, levels=scale, ordered=True)
    found |= {
        "scott_pi": stats.agreement(ratings, "scott_pi", levels=scale),
        "scott_pi, quadratic": stats.agreement(ratings, "scott_pi", levels=scale, weights="quadratic"),
        "brennan_prediger": stats.agreement(ratings, "brennan_prediger", levels=scale),
        "brennan_prediger, quadratic": stats.agreement(ratings, "brennan_prediger", levels=scale, weights="quadratic"),
        "weighted_kappa, linear": stats.agreement(ratings, "weighted_kappa", levels=scale, weights="linear"),
        "gwet_ac2, linear": stats.agreement(ratings, "gwet_ac2", levels=scale, weights="linear"),
        "krippendorff_alpha, nominal": stats.agreement(ratings, "krippendorff_alpha", levels=scale),
        "krippendorff_alpha, interval": stats.agreement(
            ratings, "krippendorff_alpha", levels=scale, weights="interval"
        ),
    }
    found |= stats.error_family(gold, judge, levels=scale)
    found["sd_ratio"] = stats.pair_statistic(gold, judge, "sd_ratio")
    best = levels - 1
    found |= stats.yes_no_family((gold == best).astype(float), (judge == best).astype(float))
    macro = stats.macro_family(gold, judge, levels=scale)
    found |= {name: e for name, e in macro.items() if name != "accuracy"}
    figures = agreement_figures(gold, judge, tolerance=0.5)
    found["within_tolerance"] = figures.agreement.estimate()
    found["agreement_constant"] = figures.constant.estimate()
    return found


def three_raters(ratings: Columns, levels: int) -> dict[str, Estimate]:
    table = np.stack(ratings, axis=1)
    scale = range(levels)
    ordinal = stats.agreement_family(table, levels=scale, scale="ordinal")
    nominal = stats.agreement_family(table, levels=scale, scale="nominal")
    return ordinal | {
        f"{name}, nominal": nominal[name] for name in ("fleiss_kappa", "conger_kappa", "krippendorff_alpha")
    }


def complete_raters(ratings: Columns, _levels: int) -> dict[str, Estimate]:
    table = np.stack(ratings, axis=1)
    return stats.icc_family(table)


def beside_the_ceiling(ratings: Columns, levels: int) -> dict[str, Estimate]:
    table = np.stack(ratings, axis=1)
    metric: Literal["nominal", "ordinal"] = "nominal" if levels == 2 else "ordinal"
    ceiling = stats.ceiling(table[:, :2], table[:, 2], levels=range(levels), metric=metric)
    return {f"ceiling.{name}": getattr(ceiling, name) for name in ("people", "judge", "gap")}


def asked_again(ratings: Columns, levels: int) -> dict[str, Estimate]:
    _, *runs = ratings
    found = stats.repeat_family(np.stack(runs, axis=1), levels=range(levels))
    found["shift_interval"] = change.shift_interval(runs[0] - runs[1], span=levels - 1)
    return found


@dataclass(frozen=True)
class Experiment:
    """A family of statistics, what it is shown, and how many samples of each world and size are drawn."""

    title: str
    family: Family
    raters: tuple[str, ...]
    samples: int
    gaps: bool = False

    def shares(self, world: World) -> Table:
        joint = world.seen(*self.raters)
        return with_gaps(joint) if self.gaps else joint

    def truth(self, world: World) -> dict[str, float]:
        """Every statistic of a table that has each cell in its exact proportion."""
        whole = np.rint(self.shares(world) * IN_ALL).astype(np.int64)
        found = self.family(columns(whole, world.levels), world.levels)
        if self.title == ASKED_AGAIN:
            found = {name: e for name, e in found.items() if name != "shift_floor"}
        return {name: e.value for name, e in found.items() if e.value is not None}

    def draw(self, world: World, n: int, scale: float) -> Iterator[tuple[Counts, dict[str, Estimate]]]:
        """Samples with what is said of each; a table that comes again is not worked out again."""
        rng = np.random.default_rng([SEED, WORLDS.index(world), n, len(self.raters), self.gaps])
        shares = self.shares(world)
        known: dict[bytes, dict[str, Estimate]] = {}
        samples = max(20, round(scale * self.samples))
        for drawn in rng.multinomial(n, shares.ravel() / shares.sum(), size=samples):
            counts = drawn.reshape(shares.shape)
            if counts.tobytes() not in known:
                known[counts.tobytes()] = self.family(columns(counts, world.levels), world.levels)
            yield counts, known[counts.tobytes()]


ASKED_AGAIN = "One judge asked three times, and held to gold before and after"
EXPERIMENTS = (
    Experiment("Gold and a judge", two_raters, ("person", "judge"), 1000),
    Experiment(
        "Two people and a judge, a quarter of the ratings missing",
        three_raters,
        ("person", "person", "judge"),
        600,
        gaps=True,
    ),
    Experiment("Two people and a judge, complete", complete_raters, ("person", "person", "judge"), 600),
    Experiment(ASKED_AGAIN, asked_again, ("person", "judge", "judge", "judge"), 500),
    Experiment("The judge compared with what people reach", beside_the_ceiling, ("person", "person", "judge"), 120),
)


# -- pass rates: labels and a pool -------------------------------------------------------------------------------------

POOL = 1000


def pass_rates(world: World, n: int, samples: int) -> Iterator[dict[str, Estimate]]:
    """A pass rate from labels that are a random part of the pool, chosen by verdict, or from elsewhere."""
    rng = np.random.default_rng([SEED, WORLDS.index(world), n, 9])
    joint = world.seen("person", "judge")
    judge = joint.sum(axis=0)
    for _ in range(samples):
        pool = rng.multinomial(POOL, judge)
        labelled = rng.multinomial(n, joint.ravel()).reshape(2, 2)
        halves = np.stack([rng.multinomial(n // 2, joint[:, v] / judge[v]) for v in (0, 1)], axis=1)
        yield {
            "corrected_pass_rate, random": stats.corrected_pass_rate(labelled, pool, drawn="random"),
            "corrected_pass_rate, by verdict": stats.corrected_pass_rate(halves, pool, drawn="by-verdict"),
            "corrected_pass_rate, elsewhere": stats.corrected_pass_rate(labelled, pool, drawn="elsewhere"),
        }


# -- the percentile bootstrap, from tables -----------------------------------------------------------------------------


def over(above: Table, below: Table) -> Table:
    quotients: Table = np.full(np.shape(above), np.nan)
    return np.divide(above, below, out=quotients, where=np.abs(below) > 1e-12)


@dataclass(frozen=True)
class Tables:
    """Many tables of proportions, shape (m, k, k), rows gold and columns the judge."""

    p: Table

    def kappa(self, loss: Table) -> Table:
        rows = self.p.sum(axis=2)
        cols = self.p.sum(axis=1)
        return 1 - over((self.p * loss).sum(axis=(1, 2)), np.einsum("ma,mb,ab->m", rows, cols, loss))

    def alpha(self, n: int, place: Table) -> Table:
        """With squared distances of `place`, shape (m, k)."""
        pooled = (self.p.sum(axis=1) + self.p.sum(axis=2)) / 2
        distance = (place[:, :, None] - place[:, None, :]) ** 2
        seen = (self.p * distance).sum(axis=(1, 2))
        return 1 - over(seen * (2 * n - 1) / (2 * n), np.einsum("ma,mb,mab->m", pooled, pooled, distance))

    def gwet(self, loss: Table) -> Table:
        k = len(loss)
        pooled = (self.p.sum(axis=1) + self.p.sum(axis=2)) / 2
        unsure = (pooled * (1 - pooled)).sum(axis=1) * (1 - loss).sum() / (k * (k - 1))
        return 1 - over((self.p * loss).sum(axis=(1, 2)), 1 - unsure)

    def moments(self, gold: Table, judge: Table) -> tuple[Table, Table, Table, Table]:
        """Mean difference, both variances and the covariance of values given to the levels, shape (m, k) each."""
        rows = self.p.sum(axis=2)
        cols = self.p.sum(axis=1)
        x = gold - (rows * gold).sum(axis=1)[:, None]
        y = judge - (cols * judge).sum(axis=1)[:, None]
        together = np.einsum("ma,mab,mb->m", x, self.p, y)
        shift = (cols * judge).sum(axis=1) - (rows * gold).sum(axis=1)
        return shift, (rows * x**2).sum(axis=1), (cols * y**2).sum(axis=1), together

    def correlation(self, gold: Table, judge: Table) -> Table:
        _, left, right, together = self.moments(gold, judge)
        return over(together, np.sqrt(left * right))

    def tau(self) -> Table:
        above = np.cumsum(np.cumsum(self.p[:, ::-1, ::-1], axis=1), axis=2)[:, ::-1, ::-1]
        aside = np.cumsum(np.cumsum(self.p[:, ::-1], axis=1), axis=2)[:, ::-1]
        k = self.p.shape[1]
        alike = (self.p[:, : k - 1, : k - 1] * above[:, 1:, 1:]).sum(axis=(1, 2))
        opposite = (self.p[:, : k - 1, 1:] * aside[:, 1:, : k - 1]).sum(axis=(1, 2))
        apart = [1 - (self.p.sum(axis=axis) ** 2).sum(axis=1) for axis in (1, 2)]
        return over(2 * (alike - opposite), np.sqrt(apart[0] * apart[1]))


def of_tables(p: Table, n: int) -> dict[str, Table]:
    """The statistics of many tables at once, as the names of `two_raters` call them."""
    k = p.shape[1]
    places = np.arange(k, dtype=np.float64)
    step = np.abs(places[:, None] - places)
    quadratic = (step / (k - 1)) ** 2
    many = np.broadcast_to(places, (len(p), k))
    tables = Tables(p)
    rows = p.sum(axis=2)
    cols = p.sum(axis=1)
    shift, left, right, together = tables.moments(many, many)
    unbiased = n / (n - 1)
    spread = (left + right) * unbiased
    pooled = (rows + cols) / 2
    hits = p[:, -1, -1]
    found = {
        "exact_agreement": np.trace(p, axis1=1, axis2=2),
        "cohen_kappa": tables.kappa((step > 0).astype(float)),
        "weighted_kappa": tables.kappa(quadratic),
        "weighted_kappa, linear": tables.kappa(step / (k - 1)),
        "krippendorff_alpha": tables.alpha(n, np.cumsum(pooled, axis=1) - pooled / 2),
        "krippendorff_alpha, interval": tables.alpha(n, many),
        "gwet_ac1": tables.gwet((step > 0).astype(float)),
        "gwet_ac2": tables.gwet(quadratic),
        "gwet_ac2, linear": tables.gwet(step / (k - 1)),
        "mae": (p * step).sum(axis=(1, 2)),
        "rmse": np.sqrt((p * step**2).sum(axis=(1, 2))),
        "signed_error": shift,
        "ccc": over(2 * together, left + right + shift**2),
        "icc": over(2 * together * unbiased, spread + shift**2 - (spread - 2 * together * unbiased) / n),
        "pearson": tables.correlation(many, many),
        "spearman": tables.correlation(np.cumsum(rows, axis=1) - rows / 2, np.cumsum(cols, axis=1) - cols / 2),
        "kendall": tables.tau(),
        "sd_ratio": over(np.sqrt(right), np.sqrt(left)),
        "recall": over(hits, rows[:, -1]),
        "precision": over(hits, cols[:, -1]),
        "specificity": over(1 - rows[:, -1] - cols[:, -1] + hits, 1 - rows[:, -1]),
        "f1": over(2 * hits, rows[:, -1] + cols[:, -1]),
        "accuracy": 1 - rows[:, -1] - cols[:, -1] + 2 * hits,
        "prevalence_gold": rows[:, -1],
        "prevalence_judge": cols[:, -1],
    }
    if k >= 4:
        found["within_one"] = (p * (step <= 1)).sum(axis=(1, 2))
    return found


def bootstrap_holds(
    counts: Counts, estimates: dict[str, Estimate], truth: dict[str, float], rng: np.random.Generator
) -> dict[str, bool]:
    """Whether the percentile interval of each statistic holds the truth; the formulas are checked against ours."""
    n = int(counts.sum())
    own = of_tables(counts[None] / n, n)
    for name, value in own.items():
        ours = estimates[name].value
        if ours is not None and math.isfinite(value[0]) and not math.isclose(ours, value[0], abs_tol=1e-9):
            raise AssertionError(f"{name}: {ours} by the public function, {value[0]} by the table")
    drawn = of_tables(rng.multinomial(n, counts.ravel() / n, size=BOOTSTRAPS).reshape(-1, *counts.shape) / n, n)
    holds = {}
    for name, values in drawn.items():
        finite = values[np.isfinite(values)]
        if estimates[name].value is None or not len(finite) or name not in truth:
            continue
        low, high = np.quantile(finite, [0.025, 0.975])
        holds[name] = bool(low - 1e-9 <= truth[name] <= high + 1e-9)
    return holds


# -- counting ----------------------------------------------------------------------------------------------------------


@dataclass
class Cell:
    """What became of one statistic in one world at one size."""

    promised: float = 0.95
    samples: int = 0
    plain: int = 0
    held: int = 0
    rough: int = 0
    withheld: int = 0
    undefined: int = 0
    bootstrapped: int = 0
    bootstrap_held: int = 0

    def count(self, estimate: Estimate, truth: float) -> None:
        self.samples += 1
        self.promised = estimate.level
        if estimate.value is None:
            self.undefined += 1
        elif estimate.low is None or estimate.high is None:
            self.withheld += 1
        elif estimate.note:
            self.rough += 1
        else:
            self.plain += 1
            self.held += estimate.low - 1e-9 <= truth <= estimate.high + 1e-9

    def add(self, other: "Cell") -> None:
        self.promised = other.promised
        for name in ("samples", "plain", "held", "rough", "withheld", "undefined", "bootstrapped", "bootstrap_held"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def judged(self) -> bool:
        return self.plain > 0 and self.plain >= ENOUGH_PLAIN * self.samples

    @property
    def coverage(self) -> float:
        return self.held / self.plain if self.plain else math.nan

    @property
    def short(self) -> bool:
        """Whether too few of the plain intervals hold the truth."""
        return self.judged and self.coverage < self.promised - ASKED_FOR

    @property
    def not_plain(self) -> float:
        """Share of samples with a value whose interval is withheld or marked rough."""
        defined = self.samples - self.undefined
        return (self.rough + self.withheld) / defined if defined else 0.0


Key = tuple[str, int, float, int]


@dataclass
class Report:
    """Cells by statistic, levels, base rate and size, the three judges together; and each judge's by itself."""

    together: dict[Key, Cell] = field(default_factory=lambda: defaultdict(Cell))
    each: dict[tuple[Key, str], Cell] = field(default_factory=lambda: defaultdict(Cell))

    def add(self, name: str, world: World, n: int, cell: Cell) -> None:
        key = (name, world.levels, world.base, n)
        self.together[key].add(cell)
        self.each[key, world.judge].add(cell)

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for name, *_ in self.together))


def simulated(experiment: Experiment, scale: float) -> Report:
    report = Report()
    for world in WORLDS:
        truth = experiment.truth(world)
        for n in SIZES:
            cells: dict[str, Cell] = defaultdict(Cell)
            rng = np.random.default_rng([SEED, WORLDS.index(world), n, 7])
            for number, (counts, estimates) in enumerate(experiment.draw(world, n, scale)):
                for name, estimate in estimates.items():
                    if name in truth:
                        cells[name].count(estimate, truth[name])
                if experiment.family is two_raters and number % 5 == 0:
                    for name, held in bootstrap_holds(counts, estimates, truth, rng).items():
                        cells[name].bootstrapped += 1
                        cells[name].bootstrap_held += held
            for name, cell in cells.items():
                report.add(name, world, n, cell)
    return report


def simulated_pass_rates(scale: float) -> Report:
    report = Report()
    for world in WORLDS:
        if world.levels > 2:
            continue
        truth = float(world.seen("person", "judge").sum(axis=1)[1])
        for n in SIZES:
            cells: dict[str, Cell] = defaultdict(Cell)
            for estimates in pass_rates(world, n, max(20, round(1000 * scale))):
                for name, estimate in estimates.items():
                    cells[name].count(estimate, truth)
            for name, cell in cells.items():
                report.add(name, world, n, cell)
    return report


# -- real data ---------------------------------------------------------------------------------------------------------


@cache
def stories() -> list[dict[str, dict[str, dict[str, float]]]]:
    with gzip.open(HANNA, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def drawn_from_stories(scale: float) -> dict[str, dict[str, Cell]]:
    """Intervals from 50 of HANNA's stories, by statistic and criterion: the median person and ChatGPT."""
    cells: dict[str, dict[str, Cell]] = defaultdict(lambda: defaultdict(Cell))
    rng = np.random.default_rng([SEED, 1])
    for criterion in stories()[0]["labels"]["rater1"]:
        gold = np.array([np.median([rater[criterion] for rater in row["labels"].values()]) for row in stories()])
        answers = [row["judge"]["ChatGPT/prompt1"][criterion] for row in stories()]
        judge = np.array([np.nan if a is None else np.clip(np.round(a), 1, 5) for a in answers])
        both = np.isfinite(judge)
        gold = gold[both] - 1
        judge = judge[both] - 1
        truth = {name: e.value for name, e in two_raters([gold, judge], 5).items()}
        for _ in range(max(20, round(1000 * scale))):
            chosen = rng.choice(len(gold), size=50, replace=False)
            for name, estimate in two_raters([gold[chosen], judge[chosen]], 5).items():
                known = truth[name]
                if known is not None:
                    cells[name][criterion].count(estimate, known)
    return cells


# -- the report --------------------------------------------------------------------------------------------------------


def percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.1f}"


def shown(cell: Cell, bootstrap: bool) -> str:
    """Coverage, in brackets the share of samples with a plain interval, and the bootstrap's coverage."""
    coverage = percent(cell.coverage) if cell.judged else "–"
    coverage = f"**{coverage}**" if cell.short else coverage
    plain = f"{coverage} ({100 * cell.plain / cell.samples:.0f})"
    if not bootstrap:
        return plain
    bootstrap_share = percent(cell.bootstrap_held / cell.bootstrapped) if cell.bootstrapped else ""
    return f"{plain} | {bootstrap_share}"


def tables(report: Report, *, bootstrap: bool) -> Iterator[str]:
    for levels, base in SHARES:
        if not any(key[1:3] == (levels, base) for key in report.together):
            continue
        scale = "yes/no" if levels == 2 else f"{levels} levels"
        yield f"\n**{scale}, commonest level on {100 * base:.0f} % of examples**\n"
        headings = [f"n = {n}" + (" | bootstrap" if bootstrap else "") for n in SIZES]
        yield f"| statistic | {' | '.join(headings)} | least judge |"
        yield f"| --- |{' ---: |' * (len(SIZES) * (1 + bootstrap) + 1)}"
        for name in report.names:
            found = [
                report.together[name, levels, base, n] for n in SIZES if (name, levels, base, n) in report.together
            ]
            if not found:
                continue
            alone = [
                cell.coverage
                for (key, _), cell in report.each.items()
                if key[:3] == (name, levels, base) and cell.judged
            ]
            least = percent(min(alone)) if alone else "–"
            yield f"| {name} | {' | '.join(shown(cell, bootstrap) for cell in found)} | {least} |"


def verdicts(reports: dict[str, Report]) -> Iterator[str]:
    """What was asked for, and every cell that misses it."""
    cells = [(key, cell) for report in reports.values() for key, cell in report.together.items()]
    judged = [cell for _, cell in cells if cell.judged]
    short = [(key, cell) for key, cell in cells if cell.short]
    on_average = float(np.mean([cell.coverage for cell in judged if cell.promised > 0.9]))
    yield (
        f"- In {len(judged) - len(short)} of {len(judged)} cells (a statistic, scale, base rate and n with at least "
        f"{ENOUGH_PLAIN:.0%} of intervals plain) plain intervals hold the truth in at least 93 % of samples, those of "
        f"90 % in at least 88 %; on average in {percent(on_average)} %."
    )
    for (name, levels, base, n), cell in short:
        yield f"  - short: {name}, {levels} levels, base {base:.0%}, n = {n}: {percent(cell.coverage)} %"
    boot = [cell for _, cell in cells if cell.bootstrapped]
    if boot:
        shares = [cell.bootstrap_held / cell.bootstrapped for cell in boot]
        enough = sum(share >= 0.95 - ASKED_FOR for share in shares)
        yield (
            f"- The percentile bootstrap does in {enough} of {len(shares)} cells; on average "
            f"{percent(float(np.mean(shares)))} %, at least {percent(min(shares))} %."
        )
    often = [(k, c) for k, c in cells if k[3] >= 50 and k[2] == 0.5 and c.not_plain > MOST_NOT_PLAIN]
    of = sum(1 for k, _ in cells if k[3] >= 50 and k[2] == 0.5)
    yield (
        f"- At n >= 50 with a base rate of 50 %, intervals are withheld or rough in at most {MOST_NOT_PLAIN:.0%} of "
        f"samples in {of - len(often)} of {of} cells."
    )
    for (name, levels, _, n), cell in often:
        yield f"  - oftener: {name}, {levels} levels, n = {n}: {percent(cell.not_plain)} %"
    if often:
        yield (
            "  - Each of these rests on fewer than n examples: those at one gold level, which has 3 % of them here; "
            "every level of the scale having been seen; those that two raters rated."
        )


def of_stories(found: dict[str, dict[str, Cell]], draws: int) -> Iterator[str]:
    yield f"\n## HANNA: 50 stories of 1,056, drawn {draws:,} times for each of six criteria\n"
    yield "Gold is the median of three people, the judge ChatGPT; the truth is that of all stories."
    yield "\n| statistic | coverage (plain) | least criterion |"
    yield "| --- | ---: | ---: |"
    for name, by_criterion in found.items():
        together = Cell()
        for cell in by_criterion.values():
            together.add(cell)
        alone = [cell.coverage for cell in by_criterion.values() if cell.judged]
        yield f"| {name} | {shown(together, False)} | {percent(min(alone)) if alone else '–'} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, help="file to write the report to")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of samples")
    given = parser.parse_args()
    start = time.process_time()
    reports = {}
    for experiment in EXPERIMENTS:
        reports[experiment.title] = simulated(experiment, given.scale)
        print(f"{experiment.title}: {time.process_time() - start:.0f} s", flush=True)
    reports["A pass rate from labels and a pool of 1,000 verdicts"] = simulated_pass_rates(given.scale)
    lines = [
        "Coverage in percent of the default 95 % intervals that are neither withheld nor marked rough (in brackets the",
        "share of samples, in percent, that got such an interval), three judges together; then the least coverage of",
        "one judge alone at any n. Bold: below what is asked for. –: fewer than 5 % of samples got one.",
        "`ceiling.gap` and `shift_interval` are 90 % intervals.",
        "",
        *verdicts(reports),
    ]
    for title, report in reports.items():
        samples = next((e.samples for e in EXPERIMENTS if e.title == title), 1000)
        lines += ["", f"## {title}", f"\n{round(samples * given.scale):,} samples of each world and size."]
        lines += tables(report, bootstrap=title == EXPERIMENTS[0].title)
    if HANNA.exists():
        lines += of_stories(drawn_from_stories(given.scale), round(1000 * given.scale))
    lines += ["", f"One core, {time.process_time() - start:.0f} s of CPU, seed {SEED}."]
    text = "\n".join(lines) + "\n"
    if given.write:
        given.write.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
