"""A table of 60 rows to its verdict: CPU of `calibrate TABLE` for each second of judgekeeper's `check`, and by import.

    python -m benchmarks.table [--write benchmarks/results/table.md] [--pairs 15]

Both read the same table of a judge and a person, one after the other, so that a busy machine slows both. judgekeeper
is installed into an environment of its own under .cache/. What loading costs is what `python -X importtime` says.
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.judgekeeper import SCRIPTS, TABLES, VERSION, judgekeeper, timed

ALLOWED = 2.0
"""Times judgekeeper's CPU that reading a table to its verdict may take."""
SHOWN = 8
"""Packages listed by what loading them costs."""
_IMPORT = re.compile(r"^import time:\s+(\d+) \|\s+\d+ \| +(\S+)$")


@dataclass(frozen=True)
class PairOfRuns:
    """CPU seconds of both on the same table, one after the other."""

    theirs: float
    ours: float

    @property
    def ratio(self) -> float:
        """Ours for each second of theirs."""
        return self.ours / self.theirs


def pairs_of_runs(folder: Path, n: int) -> list[PairOfRuns]:
    """Both commands in turn, n times, after one run each that isn't counted."""
    theirs = [str(judgekeeper()), "check", "table.csv", "--out", "report"]
    ours = [str(SCRIPTS / "calibrate"), "table.csv"]
    measured = [PairOfRuns(timed(theirs, folder, 1)[1], timed(ours, folder, 1)[1]) for _ in range(n + 1)]
    return measured[1:]


LADDER = {
    "Python": "pass",
    "and numpy": "import numpy",
    "and scipy.special": "import scipy.special",
    "and the command with its options (cyclopts)": "import scipy.special, markscheme.commands.calibrate",
    "and what reads and calibrates": (
        "import markscheme.commands.calibrate, markscheme.calibration.labelled_files, "
        "markscheme.calibration.requests.calibration"
    ),
}
"""Imports in a fresh Python, each with those before it."""


def ladder(folder: Path, n: int) -> dict[str, float]:
    """The least CPU seconds of a Python that only imports, of n runs, step by step."""
    return {
        step: min(timed([sys.executable, "-c", f"import gc; gc.disable(); {code}"], folder, 1)[1] for _ in range(n))
        for step, code in LADDER.items()
    }


DATACLASSES = """
import contextlib, dataclasses, io, time
made, plain = [], dataclasses.dataclass

def timed(cls=None, **options):
    if cls is None:
        return lambda decorated: timed(decorated, **options)
    began = time.process_time()
    result = plain(cls, **options)
    made.append(time.process_time() - began)
    return result

dataclasses.dataclass = timed
from markscheme.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    main(["calibrate", "table.csv"])
print(len(made), sum(made), time.process_time())
"""
"""Runs the command and prints how many dataclasses Python made for it, their CPU seconds, and those of all."""


def cost_of_dataclasses(folder: Path, n: int) -> tuple[int, float, float]:
    """How many dataclasses are made at the start, and their CPU seconds and the whole command's in the quickest run."""
    runs = [
        subprocess.run([sys.executable, "-c", DATACLASSES], cwd=folder, capture_output=True, text=True, check=True)
        for _ in range(n)
    ]
    made, seconds, whole = min((run.stdout.split() for run in runs), key=lambda figures: float(figures[2]))
    return int(made), float(seconds), float(whole)


def cost_of_imports(folder: Path, n: int) -> Counter[str]:
    """Seconds that loading takes in `calibrate TABLE`, by package: the least of n runs."""
    runs = [_imports_of_one_run(folder) for _ in range(n)]
    return Counter({package: min(run[package] for run in runs) for package in runs[0]})


def _imports_of_one_run(folder: Path) -> Counter[str]:
    """What each module takes without those it loads, by package."""
    command = [sys.executable, "-X", "importtime", "-m", "markscheme", "calibrate", "table.csv"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    seconds = Counter[str]()
    for line in done.stderr.splitlines():
        match = _IMPORT.match(line)
        if match:
            package = match[2].partition(".")[0]
            seconds[package if package not in sys.stdlib_module_names else "the standard library"] += int(match[1])
    return Counter({package: microseconds / 1e6 for package, microseconds in seconds.items()})


def page(
    pairs: Sequence[PairOfRuns],
    steps: Mapping[str, float],
    dataclasses: tuple[int, float, float],
    imports: Counter[str],
) -> list[str]:
    """The results as Markdown."""
    made, making, whole = dataclasses
    theirs = statistics.median(pair.theirs for pair in pairs)
    ours = statistics.median(pair.ours for pair in pairs)
    ratio = statistics.median(pair.ratio for pair in pairs)
    verdict = "kept" if ratio <= ALLOWED else "not kept"
    lines = [
        "# A table to its verdict",
        "",
        f"`calibrate table.csv` and judgekeeper {VERSION} `check table.csv` on the same 60 rows, in turn, {len(pairs)} "
        "times; made by `python -m benchmarks.table`.",
        "",
        f"Median CPU seconds: judgekeeper {theirs:.2f}, `calibrate` {ours:.2f}; the median of the paired ratios is "
        f"{ratio:.2f} (goal: at most {ALLOWED:g}, {verdict}).",
        "",
        "## What `calibrate` spends it on",
        "",
        "The least CPU seconds of a fresh Python that only imports:",
        "",
        "| loaded | CPU s |",
        "|---|---|",
        *(f"| {step} | {cost:.3f} |" for step, cost in steps.items()),
        f"| the whole command | {min(pair.ours for pair in pairs):.3f} |",
        "",
        f"Making its {made} dataclasses takes {making:.3f} of {whole:.3f} CPU seconds, {making / whole:.0%}.",
        "",
        "Wall seconds by package by `python -X importtime`, which is slower; each module without those it loads:",
        "",
        "| package | s | share of loading |",
        "|---|---|---|",
    ]
    total = imports.total()
    return lines + [f"| {name} | {cost:.3f} | {cost / total:.0%} |" for name, cost in imports.most_common(SHOWN)]


def main() -> None:
    """Measure, and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--write", type=Path, help="write the page there too")
    parser.add_argument("--pairs", type=int, default=15, help="times both commands are run")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        TABLES[0].write(folder / "table.csv")
        pairs = pairs_of_runs(folder, arguments.pairs)
        steps = ladder(folder, arguments.pairs)
        lines = page(
            pairs, steps, cost_of_dataclasses(folder, arguments.pairs), cost_of_imports(folder, arguments.pairs)
        )
    text = "\n".join(lines)
    print(text)
    if arguments.write:
        arguments.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
