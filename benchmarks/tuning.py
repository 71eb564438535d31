"""What weights fitted to overall scores do: simulated authors and judges, exact levels, and two public data sets.

    python -m benchmarks.tuning [--runs 60] [--write benchmarks/results/tuning.md]

Every run is one call of `fit_weights`, as `improve --numbers` fits overall scores. A world has four or six criteria of
five levels (10, 20, 40, 20 and 10 %), correlated by .4, and true weights between .5 and 4; people's overall mark is
their levels under these plus noise of .08, in tenths. Judges rate the same levels with noise of .05 to .15 (good), the
same and all criteria too high by .15 (lenient), or noise of .15 to .35 and in half the worlds a shift of its own, up to
.15, on each criterion (noisy). Authors hold the true weights (right), each times exp(.4 z) (mild), each times exp(z)
(bad), or equal ones. What is better is measured on 4,000 fresh examples: the change of root mean squared error from the
author's weights to the proposed ones, each with its best line, so that only weights count. "To be had" is that change
for the true weights. "Tabled" is what the recipe gained in the simulation by which it was chosen, whose judges were all
noisy; correlation and range of weights are those with which least squares, the bare recipe and equal weights do for a
right author what they were tabled to do there (its wrong authors were a little nearer the truth).
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import gzip
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from benchmarks.page import write_page
from markscheme.features.improve.fitting.own_scores import FOLDS_SEED, OwnScores
from markscheme.features.improve.weights import FOLDS, WEIGHTS_P, FTest, Sums, TunedWeights, fit_weights, ridge
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import positions, rating_table, stacked
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.stats.annotators import gold
from markscheme.stats.change import mean_estimate
from tests.stats.weighted_scores import weighted_scores

Floats = npt.NDArray[np.float64]
Made = tuple[Rubric, ExampleSet, list[Rating]]

DATA = Path(__file__).parents[2] / "shared" / "data"
LEVELS, FRESH, MARK_NOISE, ALIKE, WORSE = 5, 4_000, 0.08, 0.4, 0.02
CUTS = ndtri(np.cumsum([0.1, 0.2, 0.4, 0.2]))
SIZES = (40, 80, 160)
CRITERIA = (4, 6)
AUTHORS = ("right", "mild", "bad", "equal")
JUDGES = ("good", "lenient", "noisy")
TABLED = {
    ("right", 40): -0.2,
    ("right", 80): -0.3,
    ("right", 160): -0.8,
    ("mild", 40): -0.6,
    ("mild", 80): -1.9,
    ("bad", 40): -4.4,
    ("bad", 80): -6.5,
}
"""Mean change of RMSE, %, that this recipe with this gate gave in the simulation it was chosen by."""


@dataclass(frozen=True)
class Outcome:
    """One run: whether the weights changed, by how much the error on fresh examples did, and might have at best."""

    changed: bool
    change: float
    at_best: float


@dataclass(frozen=True)
class World:
    """How people and a judge rate, and what people weigh."""

    true: Floats
    noise: Floats
    shift: Floats
    alike: float = ALIKE

    def draw(self, n: int, generator: np.random.Generator) -> tuple[Floats, Floats, Floats]:
        """People's positions, the judge's, and people's marks: shapes (n, k), (n, k), (n,)."""
        k = len(self.true)
        shared = generator.normal(size=(n, 1))
        own = generator.normal(size=(n, k))
        latent = math.sqrt(self.alike) * shared + math.sqrt(1 - self.alike) * own
        people = np.searchsorted(CUTS, latent) / (LEVELS - 1)
        seen = people + self.shift + generator.normal(size=(n, k)) * self.noise
        judge = np.clip(np.rint(seen * (LEVELS - 1)), 0, LEVELS - 1) / (LEVELS - 1)
        marks = weighted_scores(people, self.true) + generator.normal(0, MARK_NOISE, n)
        return people, judge, np.clip(np.rint(10 * marks), 0, 10) / 10


def world(judge: str, k: int, generator: np.random.Generator, alike: float = ALIKE) -> World:
    """True weights between .5 and 4, and a judge of this kind."""
    true = generator.uniform(0.5, 4, k)
    if judge == "noisy":
        noise = generator.uniform(0.15, 0.35, k)
        shift = generator.uniform(-0.15, 0.15, k) * generator.integers(0, 2)
    else:
        noise = generator.uniform(0.05, 0.15, k)
        shift = np.full(k, 0.15 if judge == "lenient" else 0.0)
    return World(true / true.sum(), noise, shift, alike)


def weights_of(author: str, true: Floats, generator: np.random.Generator) -> Floats:
    """What the author wrote, in twentieths."""
    spread = {"right": 0.0, "mild": 0.4, "bad": 1.0, "equal": 0.0}[author]
    wrote = np.ones(len(true)) if author == "equal" else true * np.exp(spread * generator.normal(size=len(true)))
    return np.asarray(np.maximum(np.rint(20 * wrote / wrote.sum()), 1) / 20)


def rubric_of(weights: Floats) -> Rubric:
    """A rubric with these weights."""
    scale = Scale.numbered(1, LEVELS)
    return Rubric(tuple(Criterion(float(w), f"Is it good ({i})?", f"c{i}", scale) for i, w in enumerate(weights)))


def made(rubric: Rubric, people: Floats, marks: Floats) -> ExampleSet:
    """Examples with people's levels and marks."""
    names = [criterion.name for criterion in rubric.criteria]
    examples = []
    for i, mark in enumerate(marks.tolist()):
        positions_of = zip(names, people[i].tolist(), strict=True)
        levels = {name: Rated(1 + (LEVELS - 1) * position) for name, position in positions_of}
        examples.append(
            Example(Submission("", {}, f"e{i}"), (Rating(f"e{i}", "person", "human", levels, overall=mark),))
        )
    return ExampleSet(tuple(examples))


def fitted(rubric: Rubric, levels: Floats, marks: Floats, groups: Sequence[str] | None = None) -> TunedWeights:
    """Weights fitted to marks by one rater's levels."""
    weights = [criterion.weight for criterion in rubric.criteria]
    return fit_weights(levels, marks, weights, generator=np.random.default_rng(FOLDS_SEED), groups=groups)


def one_run(author: str, judge: str, k: int, n: int, generator: np.random.Generator, alike: float = ALIKE) -> Outcome:
    """Tune once through the judge's levels, and measure the proposal on fresh examples."""
    here = world(judge, k, generator, alike)
    rubric = rubric_of(weights_of(author, here.true, generator))
    _, seen, marks = here.draw(n, generator)
    tuned = fitted(rubric, seen, marks)
    _, fresh, theirs = here.draw(FRESH, generator)
    before, after, best = (_error(fresh, theirs, weights) for weights in (tuned.before, tuned.after, here.true))
    return Outcome(tuned.supported, after / before - 1, best / before - 1)


def _error(levels: Floats, marks: Floats, weights: npt.ArrayLike) -> float:
    """Root mean squared error of the best line in the weighted score."""
    line = np.column_stack([np.ones(len(marks)), levels @ np.asarray(weights, dtype=np.float64)])
    return float(np.sqrt(np.mean((marks - line @ np.linalg.lstsq(line, marks, rcond=None)[0]) ** 2)))


def simulated(
    runs: int, authors: Sequence[str] = AUTHORS, alike: float = ALIKE, *, tabled: bool = True
) -> Iterator[str]:
    """A row for each author, judge and size, over both numbers of criteria."""
    yield "| author | judge | n | changed | more than 2 % worse | change of RMSE, % | ± 2 SE | tabled | to be had |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for author in authors:
        for n in SIZES:
            for j, judge in enumerate(JUDGES):
                generator = np.random.default_rng([AUTHORS.index(author), j, n])
                found = [one_run(author, judge, k, n, generator, alike) for k in CRITERIA for _ in range(runs)]
                yield _row(author, judge, n, found, TABLED.get((author, n)) if tabled and judge == "noisy" else None)


def _row(author: str, judge: str, n: int, found: Sequence[Outcome], tabled: float | None) -> str:
    change = 100 * np.array([outcome.change for outcome in found])
    changed = np.mean([outcome.changed for outcome in found])
    worse = np.mean(change > 100 * WORSE)
    reach = 2 * float(change.std()) / math.sqrt(len(found))
    published = "" if tabled is None else f"{tabled:+.1f}"
    best = 100 * float(np.mean([outcome.at_best for outcome in found]))
    shares = f"{changed:.2f} | {worse:.3f} | {change.mean():+.2f} | {reach:.2f} | {published} | {best:+.1f}"
    return f"| {author} | {judge} | {n} | {shares} |"


def exact(runs: int) -> Iterator[str]:
    """How often right weights are changed where people's own levels are known exactly."""
    yield "| criteria | n | changed | ± 2 SE |"
    yield "| ---: | ---: | ---: | ---: |"
    for k in CRITERIA:
        for n in SIZES:
            generator = np.random.default_rng([9, k, n])
            changed = []
            for _ in range(runs):
                here = world("good", k, generator)
                weights = weights_of("right", here.true, generator)
                rubric = rubric_of(weights)
                here = World(weights / weights.sum(), here.noise, here.shift)
                people, _, marks = here.draw(n, generator)
                changed.append(OwnScores.of(rubric, made(rubric, people, marks)).fitted().supported)
            share = float(np.mean(changed))
            yield f"| {k} | {n} | {share:.3f} | {2 * math.sqrt(max(share * (1 - share), 1e-9) / runs):.3f} |"


# --- public data ----------------------------------------------------------------------------------------------------


def public() -> Iterator[str]:
    """Tuned weights against equal ones on public labels, each example's weights from folds without it."""
    yield "| data | levels of | n | RMSE, equal | fitted | gated | fitted minus equal, MSE [95 %] | gated | answer |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | --- | --- | --- |"
    for name, (rubric, examples, ratings) in (("llm_rubric", _llm_rubric()), ("hanna", _hanna())):
        groups = gold_of(examples, rubric).groups or tuple(example.id for example in examples.examples)
        for source in ("human", "judge"):
            levels, marks = _table(rubric, examples, ratings if source == "judge" else None)
            says = fitted(rubric, levels, marks, groups).reason
            yield _public_row(name, source, levels, marks, groups, says)


def _public_row(name: str, source: str, levels: Floats, marks: Floats, groups: Sequence[str], says: str) -> str:
    there = ~np.isnan(levels).any(axis=1) & ~np.isnan(marks)
    belongs = [group for group, kept in zip(groups, there, strict=True) if kept]
    squares = held_out_squares(levels[there], marks[there], belongs)
    equal, fitted, gated = (float(np.sqrt(column.mean())) for column in squares)
    differences = [mean_estimate(column - squares[0], groups=belongs, method="held out") for column in squares[1:]]
    spelled = [f"{d.value:+.5f}" + ("" if d.low is None else f" [{d.low:+.5f}, {d.high:+.5f}]") for d in differences]
    errors = f"{equal:.4f} | {fitted:.4f} | {gated:.4f}"
    return f"| {name} | {source} | {there.sum()} | {errors} | {spelled[0]} | {spelled[1]} | {says} |"


def held_out_squares(levels: Floats, marks: Floats, groups: Sequence[str], repeats: int = 20) -> Floats:
    """Squared errors under equal, fitted, and proposed weights, each with its line: shape (3, n).

    Proposed are the fitted ones as far as the labels carry and if they pass the gate. Weights, gate, step and line come
    from the folds that don't hold the example's group; means over the repeats.
    """
    generator = np.random.default_rng(1)
    names, belongs = np.unique(np.array(groups), return_inverse=True)
    equal = np.ones(levels.shape[1])
    squares = np.zeros((3, len(marks)))
    for _ in range(repeats):
        part = generator.permutation(len(names))[belongs] % FOLDS
        for fold in range(FOLDS):
            held, rest = part == fold, part != fold
            sums = Sums.of(levels[rest], marks[rest])
            solved = ridge(sums, equal)
            assert solved is not None
            fitted = solved * (equal.sum() / solved.sum())
            test = FTest.of(sums, equal)
            step = test.step() if test.p <= WEIGHTS_P else 0.0
            for side, weights in enumerate((equal, fitted, equal + step * (fitted - equal))):
                line = np.polyfit(levels[rest] @ weights, marks[rest], 1)
                squares[side, held] += (marks[held] - np.polyval(line, levels[held] @ weights)) ** 2
    return squares / repeats


def _table(rubric: Rubric, examples: ExampleSet, ratings: Sequence[Rating] | None) -> tuple[Floats, Floats]:
    """Positions by a judge, or people's medians, and the mean of people's marks; nan where there is none."""
    ids = examples.ids
    people = rating_table(rubric, ids, examples.labels).columns
    raters = people if ratings is None else rating_table(rubric, ids, ratings).columns
    levels = [positions(c.scale, gold(stacked(raters, c.name))) for c in rubric.criteria]
    return np.column_stack(levels), gold(stacked(people), by="mean")


def _llm_rubric() -> Made:
    """Nine questions on 223 dialogues: Q1 to Q8 are criteria, Q0 is the overall mark."""
    names = [f"Q{i}" for i in range(1, 9)]
    rubric = Rubric(tuple(Criterion(1.0, name, name, Scale.numbered(1, 4), not_applicable=True) for name in names))
    examples, ratings = [], []
    for item in _items("llm_rubric"):
        labels = tuple(
            Rating(item["id"], rater, "human", _rated(said, names), overall=(said["Q0"] - 1) / 3)
            for rater, said in item["labels"].items()
            if said["Q0"] is not None
        )
        examples.append(Example(Submission("", {}, item["id"]), labels))
        judged = item["judge"]["gpt-3.5-turbo-16k/expected"]
        ratings.append(Rating(item["id"], "gpt-3.5", "model", _rated(judged, names)))
    return rubric, ExampleSet(tuple(examples)), ratings


def _hanna() -> Made:
    """Six criteria on 1,056 stories; there is no overall mark, so Engagement is used as one, next to the other five."""
    names = ["Relevance", "Coherence", "Empathy", "Surprise", "Complexity"]
    rubric = Rubric(tuple(Criterion(1.0, name, name, Scale.numbered(1, 5)) for name in names))
    examples, ratings = [], []
    for item in _items("hanna"):
        labels = tuple(
            Rating(item["id"], rater, "human", _rated(said, names), overall=(said["Engagement"] - 1) / 4)
            for rater, said in item["labels"].items()
        )
        examples.append(Example(Submission("", {}, item["id"]), labels, group=item["input"]))
        judged = item["judge"]["Beluga-13B/prompt1"]
        ratings.append(Rating(item["id"], "Beluga-13B", "model", _rated(judged, names, lowest=1)))
    return rubric, ExampleSet(tuple(examples)), ratings


def _items(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / name / "items.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _rated(said: dict[str, float | None], names: Sequence[str], lowest: float = 0) -> dict[str, Rated]:
    """Levels by criterion; what doesn't apply, or can't have been meant, has none."""
    levels = {name: said.get(name) for name in names}
    return {
        name: Rated(None, declined="not applicable") if level is None else Rated(float(level))
        for name, level in levels.items()
        if level is None or level >= lowest
    }


def lines(runs: int) -> list[str]:
    """The page, line by line."""
    n_exact = 5 * runs
    n_right = 4 * runs
    return [
        f"{2 * runs} seeded runs a row, half of them with 4 criteria and half with 6; {2 * n_right} where the "
        "author is right.",
        "A share of .02 is known to ±0.013 from 480 runs and to ±0.026 from 120.",
        "",
        "Weights tuned through the judge's levels, measured on fresh examples; below 0 is better:",
        "",
        *simulated(n_right, ("right",)),
        *list(simulated(runs, AUTHORS[1:]))[2:],
        "",
        "The hardest case, an author who is right where criteria have nothing in common and each weight matters most:",
        "",
        *simulated(n_right, ("right",), 0.0, tabled=False),
        "",
        f"Right weights and people's exact levels, {n_exact} runs a row: how often a change is proposed.",
        "",
        *exact(n_exact),
        "",
        "Public labels: error of people's overall mark on examples held out, 20 times 5-fold by group; weights, gate",
        "and line from the other folds. Weights start out equal; below 0 others are better. Fitted: the ridge alone.",
        "Gated: as far as labels carry if they pass the gate. llm_rubric: Q1 to Q8 against Q0; hanna:",
        "five criteria against Engagement, used as the overall mark, which the data lacks.",
        "",
        *public(),
    ]


if __name__ == "__main__":
    write_page(__doc__, lines, runs=60)
