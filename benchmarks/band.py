"""Does the doubtful middle keep its promise, and what share of decisions does it leave to the judge?

    python -m benchmarks.band [--runs 1000] [--write benchmarks/results/band.md]

Every run makes n labelled examples of four criteria of five levels and a judge's ratings of them, and asks
`certificate_for`, which is what `markscheme certify` calls, for a certificate with the default promise: at most 5 % of
the automatic decisions wrong, 90 % sure. It is read as the rubric's gray zone, whose width is the roundest that leaves
the same labelled examples to people. The promise is then checked on the world itself, by 200,000 further examples.
People pass what their own mark puts at the pass mark or above; the judge's levels are people's with noise, so that it
decides wrongly what lies near. Judges are excellent, good and fair by how often they are right, which the table says.
Worlds: half or about four fifths of the examples pass.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.page import write_page
from markscheme.features.certify.candidates import StageCandidate
from markscheme.features.certify.certificate import certificate_for
from markscheme.features.certify.gray_zone import zone_of
from markscheme.features.certify.promise import Promise
from markscheme.grading.score import ROUNDING
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from tests.stats.weighted_scores import weighted_scores

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

WEIGHTS = (0.4, 0.3, 0.2, 0.1)
JUDGES = {"excellent": 0.02, "good": 0.35, "fair": 0.85}
"""Noise of the judge in levels."""
SHIFTS = {"half pass": 0.0, "four fifths pass": 0.75}
SIZES = (50, 100, 200, 300)
LEVELS, TOP, CLEAR, CHECKED, ERROR, CONFIDENCE = 5, 4, 0.015, 200_000, 0.05, 0.90
SCALE = Scale.numbered(1, LEVELS)


@dataclass(frozen=True)
class Drawn:
    """Examples of a world: people's decisions and the judge's levels and scores."""

    passed: Booleans
    levels: Floats
    scores: Floats

    def is_automatic(self, width: float, mark: float) -> Booleans:
        """Return which decisions need no person, shape (n,): all those at the mark too where the width is 0."""
        return np.asarray(np.abs(self.scores - mark) > width + ROUNDING) if width else np.ones(len(self.scores), bool)

    def errors(self, width: float, mark: float) -> float:
        """Return the share of automatic decisions that is wrong."""
        automatic = self.is_automatic(width, mark)
        wrong = automatic & ((self.scores - mark >= -ROUNDING) != self.passed)
        return float(wrong.sum() / max(1, automatic.sum()))


def draw(n: int, noise: float, shift: float, mark: float, generator: np.random.Generator) -> Drawn:
    """Quality that all criteria share, and what people and the judge make of it."""
    shared = generator.normal(shift, 1.0, (n, 1))
    latent = 2 + 1.1 * (0.8 * shared + 0.6 * generator.normal(size=(n, 4)))
    people = np.clip(np.rint(latent), 0, TOP)
    judge = np.clip(np.rint(latent + generator.normal(0, noise, (n, 4))), 0, TOP)
    own = weighted_scores(people / TOP, WEIGHTS) + generator.normal(0, CLEAR, n)
    return Drawn(own >= mark, judge, weighted_scores(judge / TOP, WEIGHTS))


def one_run(drawn: Drawn, rubric: Rubric) -> float | None:
    """Return the half-width of the gray zone that these labels certify; None where they certify nothing."""
    names = [criterion.name for criterion in rubric.criteria]
    examples, ratings = [], []
    for i, (passed, row) in enumerate(zip(drawn.passed.tolist(), drawn.levels.tolist(), strict=True)):
        label = Rating(f"e{i}", "person", "human", passed=passed)
        examples.append(Example(Submission("", {}, f"e{i}"), (label,), drawn="random"))
        rated = {name: Rated(level + 1) for name, level in zip(names, row, strict=True)}
        ratings.append(Rating(f"e{i}", "judge", "model", rated))
    promise = Promise(error=ERROR, confidence=CONFIDENCE)
    zone = zone_of(certificate_for(rubric, ExampleSet(tuple(examples)), [StageCandidate("judge", ratings)], promise))
    return zone if isinstance(zone, float) else None


def table(runs: int) -> Iterator[str]:
    """A row for each judge and n, over both worlds."""
    yield "| judge | right on | n | broken, most | given | automatic, mean |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    mark = 0.5
    rubric = Rubric(tuple(Criterion(w, f"c{i}?", f"c{i}", SCALE) for i, w in enumerate(WEIGHTS)), pass_mark=mark)
    for j, (judge, noise) in enumerate(JUDGES.items()):
        for n in SIZES:
            broken, given, automatic, right = [], [], [], []
            for s, shift in enumerate(SHIFTS.values()):
                generator = np.random.default_rng([0, j, n, s])
                world = draw(CHECKED, noise, shift, mark, generator)
                right.append(float(((world.scores >= mark - ROUNDING) == world.passed).mean()))
                widths = [one_run(draw(n, noise, shift, mark, generator), rubric) for _ in range(runs)]
                found = [width for width in widths if width is not None]
                broken.append(sum(world.errors(width, mark) > ERROR for width in found) / runs)
                given.append(len(found) / runs)
                automatic.append(sum(float(world.is_automatic(width, mark).mean()) for width in found) / runs)
            yield (
                f"| {judge} | {np.mean(right):.2f} | {n} | {max(broken):.3f} | {np.mean(given):.2f} | "
                f"{np.mean(automatic):.2f} |"
            )


def lines(runs: int) -> list[str]:
    """The page, line by line."""
    each = math.ceil(runs / len(SHIFTS))
    return [
        f"{each * len(SHIFTS):,} simulated data sets a row, half of them in each world; a share of .10 in one world is "
        f"known to ±{2 * (0.1 * 0.9 / each) ** 0.5:.3f}.",
        "",
        "Broken: the share of data sets after which the promise does not hold, in the worse of the two worlds; it may",
        "be .10. Given: the share in which labels sufficed. Automatic: the share of decisions that need no person, a",
        "refusal counting as none.",
        "",
        *table(each),
    ]


if __name__ == "__main__":
    write_page(__doc__, lines, runs=1_000)
