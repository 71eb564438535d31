"""Memory and CPU of `calibrate TABLE` on many rows, and its CPU on 60 rows for each second of an earlier version.

    python -m benchmarks.table_size [--rows 200000] [--before FOLDER] [--write benchmarks/results/table_size.md]

FOLDER is the `src` of an earlier checkout, such as one that `git worktree add --detach FOLDER COMMIT` makes; both
versions read the same table in turn, so that a busy machine slows both.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.judgekeeper import TABLES

ALLOWED_MB = 1000
"""Megabytes that so many rows may take."""
MOST_ROWS = 2_000_000
NOW = Path(__file__).parents[1] / "src"
PASSES = 0.6
"""Share of responses that people pass."""
WRONG = 0.1
"""Share on which the judge says the opposite."""
SMALL = 60


@dataclass(frozen=True)
class Run:
    """What one command took."""

    cpu: float
    megabytes: float


def write_table(path: Path, rows: int) -> None:
    """Write a table of ids, responses, a judge's words and people's 1 and 0."""
    draw = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write("id,response,verdict,human\n")
        for row in range(rows):
            human = draw.random() < PASSES
            judge = human != (draw.random() < WRONG)
            file.write(f"t{row},answer {row},{'pass' if judge else 'fail'},{int(human)}\n")


_MEASURED = """
import resource, sys
from markscheme.cli import main
try:
    main(["calibrate", "table.csv", "--quiet"])
except SystemExit:
    pass
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)
"""


def calibrated(source: Path, folder: Path) -> Run:
    """Run `calibrate table.csv` of a version in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    cpu, megabytes = map(float, done.stderr.split()[-2:])
    return Run(cpu, megabytes)


def ratio_to(before: Path, pairs: int) -> tuple[float, float, float]:
    """Median CPU seconds of 60 rows before and now, and the median of the paired ratios."""
    with tempfile.TemporaryDirectory() as name:
        TABLES[0].write(Path(name) / "table.csv")
        measured = [(calibrated(before, Path(name)).cpu, calibrated(NOW, Path(name)).cpu) for _ in range(pairs + 1)][1:]
    earlier, now = zip(*measured, strict=True)
    return statistics.median(earlier), statistics.median(now), statistics.median(b / a for a, b in measured)


def page(rows: int, large: Run, against: tuple[float, float, float] | None) -> Sequence[str]:
    """The results as Markdown."""
    lines = [
        "# A table of many rows",
        "",
        "Made by `python -m benchmarks.table_size`.",
        "",
        f"`calibrate table.csv` on {rows:,} rows of an id, a response, a verdict and a label: {large.cpu:.0f} CPU "
        f"seconds, at most {large.megabytes:.0f} MB. Two million rows may take {ALLOWED_MB:,} MB"
        + ("." if rows == MOST_ROWS else f": at this rate {large.megabytes / rows * MOST_ROWS:,.0f}."),
    ]
    if against is not None:
        earlier, now, ratio = against
        lines += [
            "",
            f"{SMALL} rows: {now:.2f} CPU seconds, {earlier:.2f} before; median of the paired ratios {ratio:.2f}.",
        ]
    return lines


def main() -> None:
    """Measure, and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--before", type=Path, help="the src of an earlier version")
    parser.add_argument("--pairs", type=int, default=11, help="times both versions are run")
    parser.add_argument("--write", type=Path, help="write the page there too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        write_table(Path(name) / "table.csv", arguments.rows)
        large = calibrated(NOW, Path(name))
    against = None if arguments.before is None else ratio_to(arguments.before.resolve(), arguments.pairs)
    text = "\n".join(page(arguments.rows, large, against))
    print(text)
    if arguments.write:
        arguments.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
