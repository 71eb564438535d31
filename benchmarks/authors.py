"""Are weights and pass mark adopted from pass/fail decisions only where they are better?

    python -m benchmarks.authors [--worlds 200] [--still 400] [--write benchmarks/results/authors.md]

A world is a rubric of three to eight criteria on scales of two to five levels, some of them negative, people who decide
by weights and a mark of their own with noise, and an author whose numbers are theirs, or off. What there is to gain is
measured on 4,000 further responses and their raters' levels: the share of people's decisions that the best of the
author's weights, people's, and two logistic fits to all of these get right, each with the mark that suits it best,
minus the share of the author's numbers. Each world is looked at with 40, 80, 160 and 320 decisions; the row "four
looks" counts a world once if any of its openings adopts numbers that are no better. Variants give each response two
annotators, or levels by a judge with noise of its own. Few worlds of a judge have nothing to gain, since even people's
own numbers don't suit its levels: --still draws further ones, which are looked at only where that is so.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from markscheme.features.improve.fitting.decided import AuthorNumbers, DecidedRows
from markscheme.features.improve.fitting.logistic import fit_logistic
from markscheme.features.improve.fitting.mark_fit import mark_test
from markscheme.features.improve.fitting.numbers_fit import ALPHA_WEIGHTS
from markscheme.features.improve.fitting.proposal import ALPHA_MARK, JUDGED, NumbersProposal, propose_numbers
from markscheme.features.improve.fitting.score_test import score_test

Floats = npt.NDArray[np.float64]
LOOKS = (40, 80, 160, 320)
FURTHER = 4000
NOTHING, SOME, MUCH = 0.005, 0.05, 0.10
"""Gains that divide worlds: up to half a point there is nothing to gain."""
WORSE = -0.005
SHARPNESS = 40.0
"""Slope of the odds of passing by the score, which leaves people unsure within a few points of their mark."""
NOISE = {"one annotator": 0.0, "two annotators": 0.1, "judge's levels": 0.2}
"""Standard deviation of raters' positions around those by which people decide."""


@dataclass(frozen=True)
class World:
    """A rubric with an author's and with people's numbers, and responses to draw from."""

    author: AuthorNumbers
    people: AuthorNumbers
    steps: npt.NDArray[np.int64]

    def responses(self, n: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw positions, shape (n, k), and people's chance to pass each response, shape (n,)."""
        quality = generator.normal(0.0, 0.8, (n, 1))
        wanted = 1 / (1 + np.exp(-quality - generator.normal(0.2, 1.0, (n, len(self.steps)))))
        levels = np.round(wanted * self.steps) / self.steps
        score = self.score(levels, self.people)
        return levels, np.asarray(expit(SHARPNESS * (score - (self.people.mark or 0.0))))

    def score(self, levels: Floats, numbers: AuthorNumbers) -> Floats:
        """Compute scores of levels in people's direction: 1 is good on negative criteria too."""
        signed = np.where(numbers.weights < 0, levels - 1, levels)
        return np.asarray(np.clip(signed @ numbers.shares, 0, 1))

    def rated(self, n: int, generator: np.random.Generator, variant: str, annotators: int = 1) -> tuple[Floats, Floats]:
        """Draw responses as their raters see them, some rows each."""
        levels, chance = self.responses(n, generator)
        levels, chance = np.repeat(levels, annotators, axis=0), np.repeat(chance, annotators)
        noise = NOISE[variant]
        if noise:
            levels = (
                np.round(np.clip(levels + generator.normal(0, noise, levels.shape), 0, 1) * self.steps) / self.steps
            )
        return levels, chance

    def rows(self, n: int, generator: np.random.Generator, variant: str) -> DecidedRows:
        """Draw decisions with their raters' levels."""
        annotators = 2 if variant == "two annotators" else 1
        levels, chance = self.rated(n, generator, variant, annotators)
        passed = (generator.random(len(chance)) < chance).astype(np.float64)
        signed = np.where(self.author.weights < 0, levels - 1, levels)
        units = np.repeat(np.arange(n), annotators)
        names = tuple(f"r{index}" for index in range(n))
        return DecidedRows(signed, passed, np.zeros(len(passed)), units, names, np.full(len(passed), 1 / annotators))


def worlds(count: int, generator: np.random.Generator) -> Iterator[World]:
    """Draw worlds; in half of them the author's numbers are people's."""
    for index in range(count):
        k = int(generator.choice((3, 4, 6, 8)))
        sizes = generator.choice((1.0, 2.0, 3.0), k)
        signs = np.where((generator.random(k) < 0.2) & (np.arange(k) > 1), -1.0, 1.0)
        mark = float(generator.choice((0.5, 0.6)))
        author = numbers_of(sizes * signs, mark)
        off = 0.0 if index % 2 else float(generator.choice((0.5, 1.0, 1.6)))
        theirs = sizes * np.exp(off * generator.standard_normal(k)) * signs
        steps = generator.choice((1, 2, 4), k)
        yield World(author, numbers_of(theirs, mark), steps)


def numbers_of(weights: Floats, mark: float) -> AuthorNumbers:
    """Make a rubric's numbers where all criteria are tuned."""
    return AuthorNumbers(weights, float(weights[weights > 0].sum()), mark)


@dataclass
class Tally:
    """Counts of one row of the table."""

    worlds: int = 0
    adopted: int = 0
    worse: int = 0
    covered: int = 0
    above: int = 0
    shown: float = 0.0
    true: float = 0.0

    def add(self, result: NumbersProposal | None, gained: float) -> None:
        """Count a look: `gained` is the true gain of what was adopted."""
        self.worlds += 1
        if result is not None:
            expected, low, high = result.gain.expected
            self.adopted += 1
            self.worse += gained < WORSE
            self.covered += low <= gained <= high
            self.above += gained > high
            self.shown += expected
            self.true += gained


@dataclass(frozen=True)
class Further:
    """Responses on which numbers are compared: their raters' levels, and people's chance to pass each."""

    world: World
    levels: Floats
    chance: Floats

    def right(self, numbers: AuthorNumbers) -> float:
        """Compute the share of people's decisions that numbers get right."""
        passes = self.world.score(self.levels, numbers) >= (numbers.mark or 0.0) - 1e-9
        return float(np.where(passes, self.chance, 1 - self.chance).mean())

    def to_gain(self) -> float:
        """Compute what the best numbers would gain over the author's."""
        likely = (self.chance >= 1 / 2).astype(np.float64)
        fits = [coefficients_of(self.levels, outcome, ridge=1.0)[1:] for outcome in (likely, self.chance)]
        scores = [self.levels @ fit for fit in fits]
        scores += [self.world.score(self.levels, numbers) for numbers in (self.world.author, self.world.people)]
        return max(map(self.right_with_best_mark, scores)) - self.right(self.world.author)

    def right_with_best_mark(self, scores: Floats) -> float:
        """Compute the share of people's decisions that scores get right at the mark that suits them best."""
        order = np.argsort(-scores, kind="stable")
        won = np.cumsum(2 * self.chance[order] - 1)
        is_last_of_equal = np.append(np.diff(scores[order]) < -1e-9, True)
        return float(max(0.0, won[is_last_of_equal].max()) + (1 - self.chance).sum()) / len(scores)


def coefficients_of(levels: Floats, passed: Floats, *, ridge: float) -> Floats:
    """Fit intercept and coefficients to all responses, shape (1 + k,)."""
    design = np.column_stack([np.ones(len(levels)), levels])
    penalty = np.diag([0.0, *[ridge] * levels.shape[1]])
    return np.asarray(fit_logistic(design, passed, np.ones(len(passed)), penalty).coefficients)


def adopted_numbers(
    rows: DecidedRows, author: AuthorNumbers, *, opening: int = 1, errors: float = 1.0
) -> NumbersProposal | None:
    """Look at decisions, and return what is adopted; gains are computed only where a test speaks against the author."""
    weights_p = score_test(rows, author).p
    mark_p = mark_test(rows.graded(author), rows.passed, rows.weights, author.mark or 0.0)[0]
    if weights_p > ALPHA_WEIGHTS and mark_p > ALPHA_MARK:
        return None
    result = propose_numbers(rows, author, opening=opening, errors=errors)
    return result if result.adopted else None


def measured(count: int, still: int, variant: str, seed: int) -> tuple[dict[tuple[str, int], Tally], Tally]:
    """Look at worlds four times each; return the tallies by gain and size, and one of all looks.

    Args:
        count: Number of worlds.
        still: Number of further ones that are looked at only where there is nothing to gain.
        variant: Of the raters.
        seed: Random seed.
    """
    generator = np.random.default_rng(seed)
    tallies: dict[tuple[str, int], Tally] = defaultdict(Tally)
    all_looks = Tally()
    errors = JUDGED if variant == "judge's levels" else 1.0
    for index, world in enumerate(worlds(count + still, generator)):
        further = Further(world, *world.rated(FURTHER, generator, variant))
        kind = kind_of(further.to_gain(), len(world.author.weights))
        rows = world.rows(LOOKS[-1], generator, variant)
        if index >= count and kind != "nothing better":
            continue
        ever = False
        for opening, size in enumerate(LOOKS, 1):
            part = rows.selected(rows.units < size)
            result = adopted_numbers(part, world.author, errors=errors)
            after = world.author if result is None else numbers_of(result.weights, result.mark or 0.0)
            gained = further.right(after) - further.right(world.author)
            tallies[kind, size].add(result, gained)
            all_looks.add(result, gained)
            if result is not None:  # a later opening asks for more, so it adopts nothing that a first one doesn't
                ever = ever or adopted_numbers(part, world.author, opening=opening, errors=errors) is not None
        if kind == "nothing better":
            tallies["four looks", 0].worlds += 1
            tallies["four looks", 0].adopted += ever
    return tallies, all_looks


def kind_of(to_gain: float, k: int) -> str:
    """Name the row of the table that a world counts in."""
    if to_gain <= NOTHING:
        return "nothing better"
    if to_gain <= SOME:
        return "up to 5 points to gain"
    criteria = "3-4 criteria" if k <= 4 else "6-8 criteria"
    return f"{'5-10' if to_gain <= MUCH else 'over 10'} points, {criteria}"


def table(tallies: dict[tuple[str, int], Tally], all_looks: Tally, variant: str) -> Iterator[str]:
    """Write a variant's table in Markdown."""
    yield f"## {variant.capitalize()}\n"
    yield "| adopted, decisions: | " + " | ".join(str(size) for size in LOOKS) + " |"
    yield "|---" * (len(LOOKS) + 1) + "|"
    for kind in sorted({kind for kind, size in tallies if size}):
        cells = [tallies[kind, size] for size in LOOKS]
        shares = [f"{cell.adopted / cell.worlds:.2f}" if cell.worlds else "–" for cell in cells]
        yield f"| {kind} ({cells[0].worlds} worlds) | " + " | ".join(shares) + " |"
    looks = tallies["four looks", 0]
    adopted = max(all_looks.adopted, 1)
    yield ""
    yield f"- Nothing better, ever adopted in four looks: {looks.adopted / max(looks.worlds, 1):.3f}"
    yield f"- Worse by half a point after a change, of all looks: {all_looks.worse / all_looks.worlds:.3f}"
    missed = all_looks.adopted - all_looks.covered
    yield (
        f"- The shown interval covers the true gain: {all_looks.covered / adopted:.2f} of {adopted} adoptions; it lies "
        f"below it in {all_looks.above} of {missed} misses, so {(adopted - missed + all_looks.above) / adopted:.2f} "
        "gain as much as its lower end says"
    )
    yield f"- Mean gain shown and true: {all_looks.shown / adopted:.3f} and {all_looks.true / adopted:.3f}\n"


def publish(lines: list[str], what: str, *, started: float, write: Path | None) -> None:
    """Print a report that ends with what was run and how long it took, and write it where that is asked for."""
    text = "\n".join([*lines, f"{what}, {time.process_time() - started:.0f} s of CPU."]) + "\n"
    print(text)
    if write:
        write.write_text(text, encoding="utf-8")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=tuple(NOISE), help="one variant alone")
    parser.add_argument("--worlds", type=int, default=200, help="worlds in each variant")
    parser.add_argument("--still", type=int, default=400, help="further worlds of a judge")
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    started = time.process_time()
    lines = ["# Weights and pass mark from decisions\n"]
    for variant in [arguments.variant] if arguments.variant else NOISE:
        still = arguments.still if variant == "judge's levels" else 0
        tallies, all_looks = measured(arguments.worlds, still, variant, arguments.seed)
        lines += table(tallies, all_looks, variant)
    what = f"{arguments.worlds} worlds a variant, and {arguments.still} further ones of a judge"
    publish(lines, what, started=started, write=arguments.write)


if __name__ == "__main__":
    main()
