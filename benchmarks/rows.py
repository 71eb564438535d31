"""Do intervals of a judge's verdicts on criteria of the tasks' own hold what they promise, on published judges?

    python -m benchmarks.rows --data ../shared/data [--draws 300] [--tasks 20] [--seed 1]
    python -m benchmarks.rows --worlds [--draws 150]
    python -m benchmarks.rows --looks --data ../shared/data [--draws 100]

Ten judges of REALSumm (Bhandari et al., 2020): 50 tasks with criteria of their own, 25 responses each. A draw takes
tasks at random and one response of each; an interval is right where it holds the judge's agreement over all tasks and
responses. Beside it stands the interval of verdicts that are taken for independent.

With `--worlds`, made-up judges in 30 tasks that share some criteria and have others of their own: tasks and criteria
are harder or easier by effects in log-odds. An interval is right where it holds the judge's share over all tasks and
criteria of the world; next to it are those that allow for tasks alone, and for criteria alone. In some worlds every
task is asked all shared criteria, in others eight of them at random.

With `--looks`, a judge of REALSumm is looked at after every 5 tasks up to 60, with its own true share as the target and
the trend asked of criteria. Tasks are drawn with replacement, one response of each. A trend that is shown at any look
is shown falsely.
"""

import argparse
import csv
import gzip
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.calibration.comparison.policy import states_of, trend_ruling
from markscheme.features.rows.trend import CriteriaTrend, CriterionVerdict
from markscheme.features.rows.two_ways import wider_share
from markscheme.features.rows.verdict_shares import verdict_shares
from markscheme.rubrics.criterion import Criterion
from markscheme.stats.shares import GroupedShare, grouped_share

SIDE = 0.975
TASKS = 30
ASKED = 8
"""Shared criteria of a task, in worlds where tasks are asked some of them."""
LOOKS = range(5, 61, 5)
"""Tasks after which a judge is looked at."""
BASE = 2.0
"""Log-odds that the judge is right, where neither task nor criterion matters."""


def verdicts_in(folder: Path) -> tuple[list[str], dict[str, dict[str, list[tuple[bool, dict[str, bool]]]]]]:
    """Return the judges, and by task and system each verdict: gold, and what each judge says."""
    rows: dict[str, dict[str, list[tuple[bool, dict[str, bool]]]]] = defaultdict(lambda: defaultdict(list))
    with gzip.open(folder / "realsumm_units" / "verdicts.csv.gz", "rt", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        judges = [name for name in reader.fieldnames or () if name not in ("task", "system", "criterion", "people")]
        for row in reader:
            marks = [int(mark) for mark in row["people"]]
            if 2 * sum(marks) != len(marks):
                said = {judge: row[judge] == "1" for judge in judges}
                rows[row["task"]][row["system"]].append((2 * sum(marks) > len(marks), said))
    return judges, rows


def ends(share: GroupedShare) -> tuple[float, float]:
    """Return both ends of a share's interval; 0 and 1 where it is withheld."""
    low, high = share.lower(SIDE), share.upper(SIDE)
    return (0.0, 1.0) if low is None or high is None else (low, high)


def draw_of_world(
    rng: np.random.Generator, shared: int, own: int, of_tasks: float, of_criteria: float, asked: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return hits of a judge who is right on about .88, with the task and the criterion of each."""
    tasks = np.repeat(np.arange(TASKS), asked + own)
    unseen = shared + np.arange(TASKS * own).reshape(TASKS, own)
    chosen = np.array([rng.permutation(shared)[:asked] for _ in range(TASKS)])
    criteria = np.concatenate([chosen, unseen], axis=1).ravel().astype(int)
    effects = rng.normal(0, of_tasks, TASKS)[tasks] + rng.normal(0, of_criteria, criteria.max() + 1)[criteria]
    return rng.random(len(tasks)) < 1 / (1 + np.exp(-BASE - effects)), tasks, criteria


def worlds(draws: int, seed: int) -> None:
    """Print how often intervals hold the truth of worlds in which tasks and criteria differ."""
    rng = np.random.default_rng(seed)
    print(
        "| shared criteria | of which a task is asked | own ones | effect of tasks | of criteria | wider of both "
        "| by task | by criterion |"
    )
    print("|---|---|---|---|---|---|---|---|")
    sizes = [(6, 6), (12, 12), (34, 34), (12, ASKED), (34, ASKED)]
    for (shared, asked), own, of_tasks, of_criteria in product(sizes, (0, 4), (0.0, 0.75, 1.5), (0.0, 0.75, 1.5)):
        spread = rng.normal(0, of_tasks, 200_000) + rng.normal(0, of_criteria, 200_000)
        truth = float(np.mean(1 / (1 + np.exp(-BASE - spread))))
        held = []
        for _ in range(draws):
            hits, tasks, criteria = draw_of_world(rng, shared, own, of_tasks, of_criteria, asked)
            both = [grouped_share(hits, tasks), grouped_share(hits, criteria)]
            widest = wider_share(hits, tasks, criteria)
            held.append([low <= truth <= high for low, high in map(ends, (widest, *both))])
        covered = " | ".join(f"{share:.3f}" for share in np.mean(held, axis=0))
        print(f"| {shared} | {asked} | {own} | {of_tasks} | {of_criteria} | {covered} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path)
    parser.add_argument("--worlds", action="store_true")
    parser.add_argument("--looks", action="store_true")
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.worlds:
        worlds(options.draws, options.seed)
    elif options.data is None:
        parser.error("--data FOLDER is where the published judges are")
    elif options.looks:
        looks(options)
    else:
        published(options)


def published(options: argparse.Namespace) -> None:
    """Print how often intervals hold what published judges are right on."""
    judges, rows = verdicts_in(options.data)
    rng = np.random.default_rng(options.seed)
    names = sorted(rows)
    draws = [
        [(task, rows[task][rng.choice(sorted(rows[task]))]) for task in rng.choice(names, options.tasks, replace=False)]
        for _ in range(options.draws)
    ]
    print("| judge | right in all | covered, by task | covered, as if independent | width, by task |")
    print("|---|---|---|---|---|")
    for judge in judges:
        every = [
            gold == said[judge] for systems in rows.values() for listed in systems.values() for gold, said in listed
        ]
        truth = float(np.mean(every))
        covered, alone, widths = [], [], []
        for draw in draws:
            task = [name for name, listed in draw for _ in listed]
            gold = [met for _, listed in draw for met, _ in listed]
            said = [answers[judge] for _, listed in draw for _, answers in listed]
            share = verdict_shares(gold, said, task, range(len(task))).agreement
            plain = grouped_share(np.equal(gold, said))
            low, high = ends(share)
            covered.append(low <= truth <= high)
            widths.append(high - low)
            low, high = ends(plain)
            alone.append(low <= truth <= high)
        print(
            f"| {judge} | {truth:.3f} | {np.mean(covered):.3f} | {np.mean(alone):.3f} | {np.mean(widths):.3f} |",
            flush=True,
        )


def looks(options: argparse.Namespace) -> None:
    """Print how often a trend of criteria is shown, or below the target, for judges exactly at it."""
    judges, rows = verdicts_in(options.data)
    rng = np.random.default_rng(options.seed)
    names = sorted(rows)
    print("| judge | right in all, and target | falsely shown | falsely below the target |")
    print("|---|---|---|---|")
    falsely = []
    for judge in judges:
        every = [
            gold == answers[judge] for of_task in rows.values() for asked in of_task.values() for gold, answers in asked
        ]
        target = float(np.mean(every))
        outcomes = []
        for _ in range(options.draws):
            drawn = rng.choice(names, LOOKS[-1], replace=True)
            tasks = [(name, rows[name][rng.choice(sorted(rows[name]))]) for name in drawn]
            outcomes.append(_looked_at(judge, tasks, target))
        shown, below = np.mean(outcomes, axis=0)
        falsely.append((shown, below))
        print(f"| {judge} | {target:.3f} | {shown:.3f} | {below:.3f} |", flush=True)
    print("| mean | | " + " | ".join(f"{mean:.3f}" for mean in np.mean(falsely, axis=0)) + " |")


def _looked_at(
    judge: str, tasks: list[tuple[str, list[tuple[bool, dict[str, bool]]]]], target: float
) -> tuple[bool, bool]:
    """Return whether a trend was shown at any look, and whether the judge was below the target at any."""
    verdicts: list[CriterionVerdict] = []
    shown = below = False
    for drawn, (name, asked) in enumerate(tasks, start=1):
        for index, (gold, answers) in enumerate(asked):
            criterion = Criterion(1.0, f"Criterion {index} of {name}, draw {drawn}")
            verdicts.append(CriterionVerdict(str(drawn), str(drawn), criterion, gold, answers[judge], 1.0, {}))
        if drawn in LOOKS:
            states = states_of(CriteriaTrend(verdicts).figures, target)
            shown |= trend_ruling(states).state == "shown"
            below |= states.below
    return shown, below


if __name__ == "__main__":
    main()
