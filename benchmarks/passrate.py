"""Do corrected pass rates cover, compared with PyPI's judgy on the same data?

    python -m benchmarks.passrate [--runs 1000] [--judgy-runs 60] [--write benchmarks/results/passrate.md]
    python -m benchmarks.passrate --groups 1000 [--write benchmarks/results/passrate_groups.md]
    python -m benchmarks.passrate --hanna ../shared/data/hanna/items.jsonl.gz [--draws 100] [--write …]

Every run makes responses that people pass with chance θ and a judge that passes so many of those and fails so many of
the others, labels n of them, leaves 1,000 unlabelled, and asks `corrected_pass_rate` of the counts, as `markscheme
pass-rate` does; on the first runs of each cell it compares that with `pass_rates` of the rows. Labels are drawn at
random; or half of them from the judge's passes and half from its fails; or come from an older set whose θ is .5, where
the set at hand has another. judgy takes the same labels and verdicts, with 500 of its bootstrap samples (its default of
20,000 gives the same limits, slower), on the first runs of each cell.

With `--groups`: 2, 5 or 10 groups are graded on the same 200 tests, each with a share of its own that people pass. The
judge errs alike in all groups, or differently in each. Labels are drawn at random over all responses, half from the
judge's passes and half from its fails, or equally from each group's verdicts. Each group's rate comes from its own
labels, and the first two groups are compared.

With `--hanna`: 96 stories each of eleven systems, which the median of three people or one of twenty judges passes from
.5 on the score of six criteria. 200 stories, drawn at random, count as labelled; the truth is the share that people
pass of a system's stories, labelled or not.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import gzip
import json
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.environment import python_with
from markscheme.calibration.rates.pass_rates import pass_rates
from markscheme.features.label.decision_table import decision_table
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import DrawnBy, Example
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.stats.estimate import Estimate
from markscheme.stats.group_rates import group_difference, group_rate
from markscheme.stats.prevalence import Drawn, corrected_pass_rate

Booleans = npt.NDArray[np.bool_]

ROOT = Path(__file__).parents[1]
RATES = (0.5, 0.7, 0.9)
JUDGES = ((0.95, 0.95), (0.9, 0.8), (0.8, 0.6))
SIZES = (50, 100, 200)
POOL, OLDER, ITERATIONS, GOAL = 1_000, 0.5, 500, 0.93
TESTS = 200
GROUPED = (2, 5, 10)
GROUP_WAYS = ("random", "by-verdict", "group x verdict")
LABELS, PASS_MARK = 200, 0.5
CRITERIA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
WAYS: tuple[Drawn, ...] = ("random", "by-verdict", "elsewhere")
WAYS_DRAWN: Mapping[Drawn, DrawnBy] = {"random": "random", "by-verdict": "by-verdict"}
RUBRIC = rubric_of_wholes()
CHECKED = 5
"""Runs of each cell whose estimate from counts is compared with that from rows."""
Limits: TypeAlias = tuple[float | None, float | None, float | None]


@dataclass(frozen=True)
class Data:
    """One data set: people's and the judge's decisions on labelled responses, the judge's on the others."""

    gold: Booleans
    judge: Booleans
    unlabelled: Booleans
    how: Drawn

    def estimate(self) -> Limits:
        """Value and limits as `pass-rate` computes them, from counts."""
        labelled = np.zeros((2, 2), dtype=np.int64)
        np.add.at(labelled, (self.gold.astype(int), self.judge.astype(int)), 1)
        pool = np.bincount(self.unlabelled, minlength=2)
        if self.how == "by-verdict":
            pool = pool + labelled.sum(axis=0)
        return _limits(corrected_pass_rate(labelled, pool, drawn=self.how))

    def estimate_of_rows(self) -> Limits:
        """Value and limits from rows, as `pass-rate` reads them."""
        examples = _examples("l", len(self.gold), WAYS_DRAWN.get(self.how))
        labelled = decision_table(RUBRIC, examples, gold=self.gold.tolist(), judge=self.judge.tolist())
        others = _examples("p", len(self.unlabelled), None)
        passed = self.unlabelled.tolist()
        if self.how != "elsewhere":
            others, passed = [*others, *examples], [*passed, *self.judge.tolist()]
        return _limits(pass_rates(decision_table(RUBRIC, others, judge=passed), labelled).corrected)

    def to_json(self) -> str:
        """For judgy."""
        told = {"labels": self.gold, "predictions": self.judge, "unlabelled": self.unlabelled}
        return json.dumps({key: values.astype(int).tolist() for key, values in told.items()})


def _limits(rate: Estimate) -> Limits:
    return rate.value, rate.low, rate.high


@cache
def _examples(letter: str, count: int, drawn: DrawnBy | None) -> list[Example]:
    """Examples without texts, the same ones for every data set."""
    return [Example(Submission("", {}, f"{letter}{index}"), drawn=drawn) for index in range(count)]


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


def drawn(rate: float, judge: tuple[float, float], n: int, how: Drawn, generator: np.random.Generator) -> Data:
    """A data set whose labels were drawn in this way."""
    size = POOL if how == "elsewhere" else POOL + n
    gold, verdict = _decided(rate, judge, size, generator)
    if how == "elsewhere":
        older = _decided(OLDER, judge, n, generator)
        return Data(*older, verdict, how)
    if how == "random":
        return Data(gold[:n], verdict[:n], verdict[n:], how)
    passes = np.flatnonzero(verdict)
    fails = np.flatnonzero(~verdict)
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
    python = python_with("judgy-0.1.0", "judgy==0.1.0")
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
                    assert all(data.estimate() == data.estimate_of_rows() for data in sets[:CHECKED])
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


@dataclass(frozen=True)
class Graded:
    """Groups graded on the same tests: what people and the judge decide, and which responses are labelled."""

    rates: npt.NDArray[np.float64]
    gold: Booleans
    judge: Booleans
    labelled: Booleans

    def counts(self, group: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Labels of a group, rows people's fail and pass, and the judge's fails and passes over all of it."""
        labels = self.labelled[group]
        judge = self.judge[group]
        table = np.zeros((2, 2), dtype=np.int64)
        np.add.at(table, (self.gold[group][labels].astype(int), judge[labels].astype(int)), 1)
        return table, np.bincount(judge.astype(int), minlength=2)


def graded(groups: int, *, same: bool, labels: int, how: str, generator: np.random.Generator) -> Graded:
    """Groups whose tests are partly hard for all of them, and a judge that errs as often in each, or not."""
    rates = generator.uniform(0.2, 0.95, groups)
    hard = generator.random(TESTS)
    own = generator.random((groups, TESTS))
    gold = np.where(generator.random((groups, TESTS)) < 0.3, hard, own) < rates[:, None]
    sensitivity, specificity = (np.full(groups, v) if same else generator.uniform(0.4, 1, groups) for v in (0.9, 0.8))
    passes = np.where(gold, sensitivity[:, None], 1 - specificity[:, None])
    judge = generator.random(gold.shape) < passes
    labelled = np.zeros(gold.size, dtype=bool)
    verdicts = judge.reshape(-1)
    strata = {
        "random": np.zeros(gold.size, dtype=int),
        "by-verdict": verdicts.astype(int),
        "group x verdict": np.repeat(np.arange(groups), TESTS) * 2 + verdicts,
    }[how]
    names = np.unique(strata)
    for name in names:
        places = np.flatnonzero(strata == name)
        labelled[generator.permutation(places)[: max(1, labels // len(names))]] = True
    return Graded(rates, gold, judge, labelled.reshape(gold.shape))


def group_table(runs: int) -> Iterator[str]:
    """A row for each number of groups, kind of judge, way to draw and number of labels."""
    yield "| groups | judge | labels | drawn | rates cover | worst group | shown | width | differences cover | shown |"
    yield "| ---: | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for groups in GROUPED:
        for same in (True, False):
            for labels in (100, 200):
                for w, how in enumerate(GROUP_WAYS):
                    generator = np.random.default_rng([groups, same, labels, w])
                    hits: list[list[bool]] = [[] for _ in range(groups)]
                    widths, differences = [], []
                    for _ in range(runs):
                        data = graded(groups, same=same, labels=labels, how=how, generator=generator)
                        counts = [data.counts(group) for group in range(groups)]
                        for group, (table, pool) in enumerate(counts):
                            rate = group_rate(table, pool).rate
                            if rate.low is not None and rate.high is not None:
                                hits[group].append(rate.low <= data.rates[group] <= rate.high)
                                widths.append(rate.high - rate.low)
                        common = np.zeros((2, 2), dtype=np.int64)
                        np.add.at(common, (data.judge[0].astype(int), data.judge[1].astype(int)), 1)
                        apart = group_difference(*counts[0], *counts[1], common=common).difference
                        if apart.low is not None and apart.high is not None:
                            differences.append(apart.low <= data.rates[0] - data.rates[1] <= apart.high)
                    every = [hit for of_group in hits for hit in of_group]
                    worst = min((float(np.mean(of_group)) for of_group in hits if len(of_group) >= 50), default=-1.0)
                    least = f"{worst:.3f}" if worst >= 0 else "–"
                    cover = f"{np.mean(every):.3f} | {least}" if every else "– | –"
                    width = f"{np.mean(widths):.2f}" if widths else "–"
                    apart_cover = f"{np.mean(differences):.3f}" if differences else "–"
                    yield (
                        f"| {groups} | {'alike' if same else 'not alike'} | {labels} | {how} | {cover} | "
                        f"{len(every) / runs / groups:.2f} | {width} | {apart_cover} | {len(differences) / runs:.2f} |"
                    )


def group_lines(runs: int) -> Iterator[str]:
    """The table of groups with what it shows."""
    known = 2 * (0.95 * 0.05 / runs) ** 0.5
    yield f"{runs:,} seeded runs a row, {TESTS} tests; a coverage of .95 in one group is known to ±{known:.3f}."
    yield f"The aim is {GOAL} for every shown rate and difference. The worst group counts where it is shown in 50 runs."
    yield ""
    yield from group_table(runs)


@dataclass
class Shown:
    """Of many intervals: how many are shown, how many of these hold the truth, and which are withheld."""

    covered: list[bool] = field(default_factory=list)
    withheld: int = 0

    def add(self, found: Estimate, truth: float) -> None:
        """Count one more."""
        if found.low is None or found.high is None:
            self.withheld += 1
        else:
            self.covered.append(found.low <= truth <= found.high)

    def __str__(self) -> str:
        covered = f"{np.mean(self.covered):.3f}" if self.covered else "–"
        return f"{covered} | {self.withheld / (self.withheld + len(self.covered)):.3f}"


def hanna_lines(path: Path, draws: int) -> Iterator[str]:
    """Coverage of systems' rates, and of differences between systems, a row for each judge."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    medians = [{c: float(np.median([said[c] for said in row["labels"].values()])) for c in CRITERIA} for row in rows]
    gold = np.array([_passes(median) for median in medians])
    systems = np.array([row["system"] for row in rows])
    truth = {name: float(gold[systems == name].mean()) for name in dict.fromkeys(systems.tolist())}
    judges = list(rows[0]["judge"])
    intervals = draws * len(truth)
    yield f"{draws} draws of {LABELS} labels for each of {len(judges)} judges; groups are {len(truth)} systems of 96"
    yield f"stories, differences those of each system with the first. A coverage of .95 of {intervals:,} intervals is"
    yield f"known to ±{2 * (0.95 * 0.05 / intervals) ** 0.5:.3f}, were they independent; of all judges to"
    yield f"±{2 * (0.95 * 0.05 / intervals / len(judges)) ** 0.5:.3f}. The aim is {GOAL} for every shown interval."
    yield ""
    yield "| judge | passes | rates cover | withheld | worst system | differences cover | withheld |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    every = Shown()
    apart = Shown()
    for number, name in enumerate(judges):
        judge = np.array([_passes(row["judge"][name]) for row in rows])
        stories = [Example(Submission("", {}, row["id"]), group=row["input"], system=row["system"]) for row in rows]
        judged = decision_table(RUBRIC, stories, gold=gold.tolist(), judge=judge.tolist())
        at_random = replace(judged, examples=tuple(replace(story, drawn="random") for story in stories))
        of_system = {system: Shown() for system in truth}
        differences = Shown()
        generator = np.random.default_rng([LABELS, number])
        for _ in range(draws):
            taken = generator.choice(len(rows), LABELS, replace=False)
            found = pass_rates(judged, at_random.rows(taken))
            for system, group in found.groups.items():
                of_system[system].add(group.corrected, truth[system])
            for (one, other), difference in found.differences.items():
                differences.add(difference.difference, truth[one] - truth[other])
        together = Shown(
            [c for s in of_system.values() for c in s.covered], sum(s.withheld for s in of_system.values())
        )
        worst = min(float(np.mean(s.covered)) for s in of_system.values() if len(s.covered) >= draws / 2)
        yield f"| {name} | {judge.mean():.2f} | {together} | {worst:.3f} | {differences} |"
        for total, more in ((every, together), (apart, differences)):
            total.covered += more.covered
            total.withheld += more.withheld
    yield f"| all | – | {every} | – | {apart} |"


def _passes(levels: Mapping[str, float]) -> bool:
    return float(np.mean([(levels[name] - 1) / 4 for name in CRITERIA])) >= PASS_MARK - 1e-9


def main() -> None:
    """Print the table, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--judgy-runs", type=int, default=60)
    parser.add_argument("--groups", type=int, default=0, help="seeded runs with groups, in place of the other table")
    parser.add_argument("--hanna", type=Path, help="hanna's items, in place of the other tables")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    started = time.process_time()
    if options.hanna:
        _print("\n".join(hanna_lines(options.hanna, options.draws)), started, options.write)
        return
    if options.groups:
        _print("\n".join(group_lines(options.groups)), started, options.write)
        return
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
    _print("\n".join(lines), started, options.write)


def _print(table: str, started: float, path: Path | None) -> None:
    text = f"{table}\n\nTook {time.process_time() - started:.0f} s of one core."
    print(text)
    if path:
        path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
