"""Do intervals of a judge's verdicts on criteria of the tasks' own hold what they promise, on published judges?

    python -m benchmarks.rows --data ../shared/data [--draws 300] [--tasks 20] [--seed 1]

Ten judges of REALSumm (Bhandari et al., 2020): 50 tasks with criteria of their own, 25 responses each. A draw takes
tasks at random and one response of each; an interval is right where it holds the judge's agreement over all tasks and
responses. Beside it stands the interval of verdicts that are taken for independent.
"""

import argparse
import csv
import gzip
from collections import defaultdict
from pathlib import Path

import numpy as np

from markscheme.features.rows.verdict_shares import verdict_shares
from markscheme.stats.shares import GroupedShare, grouped_share

SIDE = 0.975


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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
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


if __name__ == "__main__":
    main()
