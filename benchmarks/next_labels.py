"""Do labels picked by `label --next --to` say more than random ones, and does nothing estimated from them bend?

    python -m benchmarks.next_labels [--runs 1000] [--write benchmarks/results/next_labels.md]

A pool of outputs is judged; n of them get people's decisions, picked at random or by `choose_next`, which is what
`label --next --to` calls; then `pass_rates`, which is what `markscheme pass-rate` calls, says what share of the
pool people would pass. Pools: made ones of 1,000 outputs of four criteria of five levels with an excellent, a good
and a fair judge; and the 1,056 stories of HANNA with two recorded judges (the first one's verdict is
corrected), where people pass a story whose median levels earn half the score.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import gzip
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.page import write_page
from markscheme.calibration.rates.pass_rates import pass_rates
from markscheme.features.label.decision_table import decision_table
from markscheme.features.label.sampling import choose_next
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import overall_of
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.stats import Estimate
from tests.stats.weighted_scores import weighted_scores

Booleans = npt.NDArray[np.bool_]

DATA = Path(__file__).parents[2] / "shared" / "data"
SIZES = (30, 50, 75, 100, 150, 200, 300)
POOL, TOP = 1_000, 4
JUDGES = {"excellent": 0.15, "good": 0.4, "fair": 0.8}
BEYOND_TWO = 0.0455
"""Share of a normal distribution beyond two standard deviations on either side."""
HANNA_JUDGES = ("ChatGPT/prompt1", "Beluga-13B/prompt1")
HANNA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")


@dataclass(frozen=True)
class Pool:
    """Judged outputs, and what people would decide on each."""

    rubric: Rubric
    examples: tuple[Example, ...]
    ratings: tuple[Rating, ...]
    verdicts: tuple[bool, ...]
    gold: tuple[bool, ...]

    @property
    def truth(self) -> float:
        """Share that people would pass."""
        return float(np.mean(self.gold))

    def at_random(self, n: int, generator: np.random.Generator) -> Estimate:
        """The rate by n labels picked at random."""
        taken = generator.choice(len(self.examples), n, replace=False)
        everything = decision_table(self.rubric, self.examples, gold=self.gold, judge=self.verdicts)
        drawn = [replace(self.examples[place], drawn="random") for place in taken.tolist()]
        return pass_rates(everything, replace(everything.rows(taken), examples=tuple(drawn))).corrected

    def picked(self, n: int, seed: int) -> Estimate:
        """The rate by n labels picked by `--next`."""
        draw = choose_next(self.rubric, self.examples, self.ratings, n, seed=seed)
        known = {e.id: (g, v) for e, g, v in zip(self.examples, self.gold, self.verdicts, strict=True)}
        picked = [
            replace(pick.example, drawn="chosen", weight=1 / pick.chance, stratum=pick.stratum) for pick in draw.picks
        ]
        gold, judge = zip(*(known[example.id] for example in picked), strict=True)
        return pass_rates(draw.pool, decision_table(self.rubric, picked, gold=gold, judge=judge)).corrected


def made(noise: float, seed: int) -> Pool:
    """1,000 outputs of which about six in ten pass, and a judge whose levels are people's with noise."""
    generator = np.random.default_rng(seed)
    scale = Scale.numbered(1, TOP + 1)
    rubric = Rubric(tuple(Criterion(w, f"c{i}?", f"c{i}", scale) for i, w in enumerate((0.4, 0.3, 0.2, 0.1))))
    latent = 2.2 + 1.1 * (0.8 * generator.normal(size=(POOL, 1)) + 0.6 * generator.normal(size=(POOL, 4)))
    people = np.clip(np.rint(latent), 0, TOP)
    judge = np.clip(np.rint(latent + 0.2 + generator.normal(0, noise, latent.shape)), 0, TOP)
    weights = [criterion.weight for criterion in rubric.criteria]
    passed = weighted_scores(people / TOP, weights) + generator.normal(0, 0.02, POOL) >= rubric.pass_mark
    examples = tuple(Example(Submission("", {}, f"p{i}"), group=f"g{i % 8}") for i in range(POOL))
    ratings = tuple(_rating(example.id, "judge", row) for example, row in zip(examples, judge + 1, strict=True))
    return _pool(rubric, examples, ratings, passed)


def hanna() -> Pool:
    """The stories of HANNA."""
    scale = Scale.numbered(1, 5)
    rubric = Rubric(tuple(Criterion(1.0, name, name, scale) for name in HANNA))
    examples, ratings, passed = [], [], []
    with gzip.open(DATA / "hanna" / "items.jsonl.gz", "rt", encoding="utf-8") as lines:
        for item in map(json.loads, lines):
            people = np.median([[said[name] for name in HANNA] for said in item["labels"].values()], axis=0)
            passed.append(float(np.mean((people - 1) / 4)) >= rubric.pass_mark)
            examples.append(Example(Submission("", {}, item["id"]), system=item["system"]))
            for judge in HANNA_JUDGES:
                levels = {name: max(1.0, item["judge"][judge][name]) for name in HANNA}
                rated = {name: Rated(level) for name, level in levels.items()}
                ratings.append(Rating(item["id"], judge, "model", rated))
    return _pool(rubric, tuple(examples), tuple(ratings), np.array(passed))


def _rating(id: str, rater: str, levels: Sequence[float]) -> Rating:
    return Rating(id, rater, "model", {f"c{i}": Rated(float(level)) for i, level in enumerate(levels)})


def _pool(rubric: Rubric, examples: tuple[Example, ...], ratings: tuple[Rating, ...], passed: Booleans) -> Pool:
    """With the verdicts of the first judge."""
    verdict: dict[str, bool] = {}
    for rating in ratings:
        verdict.setdefault(rating.id, (overall_of(rating, rubric) or 0.0) >= rubric.pass_mark - 1e-9)
    verdicts = tuple(verdict[example.id] for example in examples)
    return Pool(rubric, examples, ratings, verdicts, tuple(passed.tolist()))


@dataclass(frozen=True)
class Summary:
    """Estimates of one kind at one n."""

    width: float
    bias: float
    bias_se: float
    coverage: float

    @classmethod
    def of(cls, estimates: Sequence[Estimate], truth: float) -> "Summary":
        """Of those that are defined."""
        told = [(e.value, e.low, e.high) for e in estimates if e.value is not None and e.low is not None]
        value, low, high = (np.array(column, dtype=float) for column in zip(*told, strict=True))
        se = float(value.std(ddof=1)) / math.sqrt(len(value))
        held = (low <= truth) & (truth <= high)
        return cls(float((high - low).mean()), float(value.mean()) - truth, se, float(held.mean()))


def table(runs: int) -> Iterator[str]:
    """A row for each pool and number of labels; then the labels that a width takes."""
    yield "| pool | pass | judge right | n | width, random | --next | bias, --next ± 2 SE | covers, random | --next |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    pools = {f"made, {name} judge": made(noise, 5) for name, noise in JUDGES.items()} | {"HANNA": hanna()}
    found: dict[str, tuple[list[float], list[float]]] = {}
    beyond = rows = 0
    for name, pool in pools.items():
        right = float(np.mean(np.array(pool.verdicts) == np.array(pool.gold)))
        widths: tuple[list[float], list[float]] = ([], [])
        for n in SIZES:
            generator = np.random.default_rng(n)
            random = Summary.of([pool.at_random(n, generator) for _ in range(runs)], pool.truth)
            seeds = range(1 + rows * runs, 1 + (rows + 1) * runs)
            picked = Summary.of([pool.picked(n, seed) for seed in seeds], pool.truth)
            beyond += abs(picked.bias) > 2 * picked.bias_se
            rows += 1
            widths[0].append(random.width)
            widths[1].append(picked.width)
            yield (
                f"| {name} | {pool.truth:.2f} | {right:.2f} | {n} | {random.width:.3f} | {picked.width:.3f} | "
                f"{picked.bias:+.4f} ± {2 * picked.bias_se:.4f} | {random.coverage:.3f} | {picked.coverage:.3f} |"
            )
        found[name] = widths
    yield ""
    yield f"Of {rows} biases {beyond} lie beyond 2 standard errors; by chance {rows * BEYOND_TWO:.1f} would."
    yield ""
    yield "Labels that a width of the 95 % interval takes, between the sizes above by a straight line in 1/√n:"
    yield ""
    yield "| pool | width | random | --next | saved |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name, (random_widths, picked_widths) in found.items():
        for wanted in (random_widths[2], random_widths[4]):
            random_n, picked_n = (_labels_for(wanted, widths) for widths in (random_widths, picked_widths))
            yield f"| {name} | {wanted:.3f} | {random_n:.0f} | {picked_n:.0f} | {1 - picked_n / random_n:.0%} |"


def _labels_for(width: float, widths: Sequence[float]) -> float:
    """Labels at which the mean width falls to `width`."""
    steps = 1 / np.sqrt(np.array(SIZES, dtype=float))
    return float(np.interp(width, widths[::-1], steps[::-1]) ** -2)


def lines(runs: int) -> list[str]:
    """The page, line by line."""
    known = 2 * (0.95 * 0.05 / runs) ** 0.5
    return [
        f"{runs:,} seeded draws a row; a coverage of .95 is known to ±{known:.3f}. Widths are of 95 % intervals"
        "\nof the pass rate, random labels by verdict strata, labels of `--next` by strata and weights they come with.",
        "Covered is this pool's own rate; intervals also allow for the chance that made the pool, and so cover more.",
        "",
        *table(runs),
    ]


if __name__ == "__main__":
    write_page(__doc__, lines, runs=1_000)
