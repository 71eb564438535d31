"""Are weights and pass mark left alone where people's own levels and decisions in published sets leave nothing to gain?

    python -m benchmarks.authors_replay [--data ../shared/data] [--draws 200] [--write FILE.md]

HANNA: five criteria of a story, and whether it is engaging (Engagement from 3). LLM-Rubric: eight questions about a
dialogue, and whether it satisfies (Q0 from 3). Each draw takes one annotator's levels and decision of each of 40, 80 or
160 examples. The author's numbers are those that fit the whole set best, so nothing better can be found, or equal
weights with the mark that suits them. Gains are measured on the whole set.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import gzip
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.authors import WORSE, Floats, adopted_numbers, coefficients_of, publish
from markscheme.features.improve.fitting.decided import AuthorNumbers, DecidedRows

SIZES = (40, 80, 160)
PASSES_FROM = 3
"""Level of the overall question from which people pass a response."""
LEAST_SHARE = 0.05
"""Share of the largest weight that every criterion of the best numbers has at least: a rubric has no weight of 0."""
SETS = {
    "HANNA": ("hanna/items.jsonl.gz", "Engagement", ("Relevance", "Coherence", "Empathy", "Surprise", "Complexity"), 5),
    "LLM-Rubric": ("llm_rubric/items.jsonl.gz", "Q0", tuple(f"Q{number}" for number in range(1, 9)), 4),
}
"""By set: its file, the overall question, its criteria, and the highest level."""


@dataclass(frozen=True)
class Labelled:
    """All complete labels of a set: positions, shape (n, k), decisions, shape (n,), and the example of each."""

    levels: Floats
    passed: Floats
    example: npt.NDArray[np.int64]

    @classmethod
    def of(cls, path: Path, overall: str, criteria: Sequence[str], highest: int) -> "Labelled":
        """Read the labels that have every level."""
        found: list[tuple[int, list[float], bool]] = []
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for example, line in enumerate(lines):
                for given in json.loads(line)["labels"].values():
                    levels = [given.get(name) for name in criteria]
                    if None not in levels and given.get(overall) is not None:
                        positions = [(level - 1) / (highest - 1) for level in levels]
                        found.append((example, positions, given[overall] >= PASSES_FROM))
        examples, positions_of, passed = zip(*found, strict=True)
        return cls(np.array(positions_of), np.array(passed, dtype=np.float64), np.array(examples))

    def right(self, numbers: AuthorNumbers) -> float:
        """Compute the share of decisions that numbers get right."""
        scores = np.clip(self.levels @ numbers.shares, 0, 1)
        return float(((scores >= (numbers.mark or 0.0) - 1e-9) == self.passed).mean())

    def with_best_mark(self, weights: Floats) -> AuthorNumbers:
        """Add the mark, in hundredths, under which these weights get most decisions right."""
        numbers = AuthorNumbers(weights, float(weights.sum()), 0.5)
        marks = [replace(numbers, mark=hundredth / 100) for hundredth in range(5, 100)]
        return max(marks, key=self.right)

    def best(self) -> AuthorNumbers:
        """Fit numbers to the whole set."""
        weights = coefficients_of(self.levels, self.passed, ridge=0.0)[1:]
        return self.with_best_mark(np.maximum(weights, LEAST_SHARE * weights.max()))

    def drawn(self, size: int, generator: np.random.Generator) -> DecidedRows:
        """Draw examples, each with one of its annotators."""
        order = generator.permutation(len(self.passed))
        _, firsts = np.unique(self.example[order], return_index=True)
        rows = generator.permutation(order[firsts])[:size]
        n = len(rows)
        names = tuple(f"r{index}" for index in range(n))
        return DecidedRows(self.levels[rows], self.passed[rows], np.zeros(n), np.arange(n), names, np.ones(n))


def replayed(labelled: Labelled, author: AuthorNumbers, draws: int, seed: int) -> Iterator[str]:
    """Yield for each size how often numbers are adopted, and are worse then, with the gain shown and true."""
    for size in SIZES:
        generator = np.random.default_rng(seed)
        adopted, worse = 0, 0
        shown, true = 0.0, 0.0
        for _ in range(draws):
            result = adopted_numbers(labelled.drawn(size, generator), author)
            if result is not None:
                theirs = AuthorNumbers(result.weights, float(result.weights.sum()), result.mark)
                gained = labelled.right(theirs) - labelled.right(author)
                adopted, worse = adopted + 1, worse + (gained < WORSE)
                shown, true = shown + result.gain.expected[0], true + gained
        means = f"{shown / adopted:.3f} / {true / adopted:.3f}" if adopted else "–"
        yield f"{adopted / draws:.3f} | {worse / draws:.3f} | {means}"


def main() -> None:
    """Run the replays."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    started = time.process_time()
    lines = ["# Weights and pass mark from the decisions of published sets\n"]
    lines += ["| set | author's numbers | decisions | adopted | worse by half a point | gain shown / true |"]
    lines += ["|---|---|---|---|---|---|"]
    for name, (file, overall, criteria, highest) in SETS.items():
        labelled = Labelled.of(arguments.data / file, overall, criteria, highest)
        best, equal = labelled.best(), labelled.with_best_mark(np.ones(len(criteria)))
        short = 100 * (labelled.right(best) - labelled.right(equal))
        for what, author in (("the best for the set", best), (f"equal weights, {short:.1f} points below", equal)):
            rows = replayed(labelled, author, arguments.draws, arguments.seed)
            lines += [f"| {name} | {what} | {size} | {row} |" for size, row in zip(SIZES, rows, strict=True)]
    publish([*lines, ""], f"{arguments.draws} draws a row", started=started, write=arguments.write)


if __name__ == "__main__":
    main()
