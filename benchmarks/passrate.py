"""Do corrected pass rates cover, beside PyPI's judgy on the same data?

    python benchmarks/passrate.py [--runs 1000] [--judgy-runs 60] [--write benchmarks/results/passrate.md]

Every run makes responses that people pass with chance θ and a judge that passes so many of those and fails so many of
the others, labels n of them, leaves 1,000 unlabelled, and asks `pass_rates`, which is what `markscheme passrate` calls.
Labels are drawn at random; or half of them from the judge's passes and half from its fails; or come from an older set
whose θ is .5, where the set at hand has another. judgy takes the same labels and verdicts, with 500 of its bootstrap
samples (its default of 20,000 gives the same limits, slower), on the first runs of each cell.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import subprocess
import time
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from markscheme.calibration.pass_rates import How, Judged, Labelled, pass_rates

Booleans = npt.NDArray[np.bool_]

ROOT = Path(__file__).parents[1]
RIVAL = ROOT / ".cache" / "benchmarks" / "judgy-0.1.0"
RATES = (0.5, 0.7, 0.9)
JUDGES = ((0.95, 0.95), (0.9, 0.8), (0.8, 0.6))
SIZES = (50, 100, 200)
POOL, OLDER, ITERATIONS, GOAL = 1_000, 0.5, 500, 0.93
WAYS: tuple[How, ...] = ("random", "by-verdict", "elsewhere")


@dataclass(frozen=True)
class Data:
    """One data set: people's and the judge's decisions on labelled responses, the judge's on the others."""

    gold: Booleans
    judge: Booleans
    unlabelled: Booleans
    how: How

    def estimate(self) -> tuple[float | None, float | None, float | None]:
        """Value and limits as `passrate` gives them."""
        labels = [
            Labelled(f"l{i}", gold, judge, None if self.how == "elsewhere" else self.how)
            for i, (gold, judge) in enumerate(zip(self.gold.tolist(), self.judge.tolist(), strict=True))
        ]
        judged = [Judged(f"p{i}", passed) for i, passed in enumerate(self.unlabelled.tolist())]
        if self.how != "elsewhere":
            judged += [Judged(label.id, label.judge) for label in labels]
        found = pass_rates(judged, labels).corrected
        return found.value, found.low, found.high

    def to_json(self) -> str:
        """For judgy."""
        told = {"labels": self.gold, "predictions": self.judge, "unlabelled": self.unlabelled}
        return json.dumps({key: values.astype(int).tolist() for key, values in told.items()})


@dataclass
class Cell:
    """What came of one θ, one judge and one number of labels."""

    rate: float
    intervals: list[tuple[float, float] | None] = field(default_factory=list)
    judgy: list[tuple[float, float] | None] = field(default_factory=list)

    def coverage(self, of: Sequence[tuple[float, float] | None]) -> float:
        """Share of intervals that hold θ, among those given."""
        given = [limits for limits in of if limits is not None]
        return float(np.mean([low <= self.rate <= high for low, high in given])) if given else float("nan")

    def width(self, of: Sequence[tuple[float, float] | None]) -> float:
        """Mean width of those given."""
        given = [limits for limits in of if limits is not None]
        return float(np.mean([high - low for low, high in given])) if given else float("nan")


def drawn(rate: float, judge: tuple[float, float], n: int, how: How, generator: np.random.Generator) -> Data:
    """A data set whose labels were drawn in this way."""
    size = POOL if how == "elsewhere" else POOL + n
    gold, verdict = _decided(rate, judge, size, generator)
    if how == "elsewhere":
        older = _decided(OLDER, judge, n, generator)
        return Data(*older, verdict, how)
    if how == "random":
        return Data(gold[:n], verdict[:n], verdict[n:], how)
    passes, fails = np.flatnonzero(verdict), np.flatnonzero(~verdict)
    half = min(n // 2, len(passes), len(fails))
    taken = np.concatenate([passes[: n - half] if len(fails) == half else passes[:half], fails[:half]])
    rest = np.delete(np.arange(size), taken)
    return Data(gold[taken], verdict[taken], verdict[rest], how)


def _decided(
    rate: float, judge: tuple[float, float], n: int, generator: np.random.Generator
) -> tuple[Booleans, Booleans]:
    sensitivity, specificity = judge
    gold = generator.random(n) < rate
    return gold, generator.random(n) < np.where(gold, sensitivity, 1 - specificity)


def judgy(sets: Sequence[Data]) -> list[tuple[float, float] | None]:
    """judgy's intervals."""
    python = RIVAL / "bin" / "python"
    if not python.exists():
        venv.create(RIVAL, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "judgy==0.1.0"], check=True)
    script = ROOT / "benchmarks" / "rivals" / "judgy_package.py"
    asked = "".join(data.to_json() + "\n" for data in sets)
    done = subprocess.run(
        [str(python), str(script), str(ITERATIONS)], input=asked, capture_output=True, text=True, check=True
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [None if one is None else (one[1], one[2]) for one in found]


def table(runs: int, judgy_runs: int) -> Iterator[str]:
    """A row for each way to draw and each number of labels, over all θ and judges."""
    yield "| labels | n | cover least | mean | width | undefined | judgy covers least | mean | width |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for how in WAYS:
        for n in SIZES:
            cells, refused = [], 0
            for r, rate in enumerate(RATES):
                for j, judge in enumerate(JUDGES):
                    generator = np.random.default_rng([WAYS.index(how), n, r, j])
                    sets = [drawn(rate, judge, n, how, generator) for _ in range(runs)]
                    cell = Cell(rate)
                    for data in sets:
                        _, low, high = data.estimate()
                        cell.intervals.append(None if low is None or high is None else (low, high))
                    cell.judgy = judgy(sets[:judgy_runs]) if judgy_runs else []
                    refused += cell.intervals.count(None)
                    cells.append(cell)
            ours = [cell.coverage(cell.intervals) for cell in cells]
            theirs = [cell.coverage(cell.judgy) for cell in cells]
            yield (
                f"| {how} | {n} | {min(ours):.3f} | {np.mean(ours):.3f} | "
                f"{np.mean([cell.width(cell.intervals) for cell in cells]):.3f} | {refused / runs / len(cells):.3f} | "
                f"{np.nanmin(theirs):.2f} | {np.nanmean(theirs):.2f} | "
                f"{np.nanmean([cell.width(cell.judgy) for cell in cells]):.3f} |"
            )


def main() -> None:
    """Print the table, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--judgy-runs", type=int, default=60)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    started = time.process_time()
    judges = ", ".join(f"{a:g}/{b:g}" for a, b in JUDGES)
    known, theirs = (2 * (0.95 * 0.05 / max(1, runs)) ** 0.5 for runs in (options.runs, options.judgy_runs))
    lines = [
        f"θ {', '.join(map(str, RATES))}; judges of sensitivity/specificity {judges}; {POOL:,} unlabelled.",
        f"{options.runs:,} seeded runs a cell of θ, judge and n, {options.judgy_runs} of them with judgy 0.1.0; least",
        f"and mean over the nine cells of a row. A coverage of .95 is known to ±{known:.3f}, judgy's to ±{theirs:.2f}.",
        f"The aim is {GOAL} where labels are of these responses. Undefined: the share of runs in which random labels",
        "look unlike the pool (p < .01), or a verdict has no label.",
        "",
        *table(options.runs, options.judgy_runs),
    ]
    text = "\n".join([*lines, "", f"Took {time.process_time() - started:.0f} s of one core."])
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
