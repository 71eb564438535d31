"""Mutated files over every file argument of every command, and damaged archives and stores.

    python -m benchmarks.mutated_files [--runs 10000] [--archives 200] [--seed 1] [--show]

Each command runs in this process, in a project that is as it was before the one before it. A traceback, a command that
needs more than ten seconds of the processor, and a refusal that doesn't name the file are counted; `--show` prints the
first of each kind and place, with the seed that makes it again.
"""

import argparse
import os
import re
import resource
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from random import Random
from typing import Final

from tests.commands.mutated_project import MutatedProject, Slot

RUNS: Final = 10_000
ARCHIVES: Final = 200
MEMORY: Final = 4 << 30
"""Bytes of address space: a damaged archive must not fill the machine."""
PACKED: Final = (".db", ".eval", ".parquet")
"""Endings of archives and stores."""


def main() -> None:
    """Run it and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--archives", type=int, default=ARCHIVES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.environ["MARKSCHEME_SESSION"] = "off"
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MARKSCHEME_CACHE"] = str(Path(folder, "cache"))
        project = MutatedProject(Path(folder))
        slots = [slot for slot in project.slots if options.only in f"{slot.file} {slot.words}"]
        packed = [slot for slot in slots if slot.file.endswith(PACKED)]
        plain = [slot for slot in slots if not slot.file.endswith(PACKED)]
        print("| files | runs | accepted | refused | tracebacks | hangs | refusals without the file | longest, s |")
        print("|---|---|---|---|---|---|---|---|")
        for name, chosen, runs in (("text", plain, options.runs), ("archives, stores", packed, options.archives)):
            print(_row(name, project, chosen, runs, options.seed, options.show), flush=True)


def _row(name: str, project: MutatedProject, slots: list[Slot], runs: int, seed: int, show: bool) -> str:
    faults: Counter[str] = Counter()
    places: set[str] = set()
    accepted = 0
    longest = 0.0
    for run in range(runs if slots else 0):
        rng = Random(f"{seed} {run}")
        slot = slots[run % len(slots)]
        _, outcome = project.try_mutation(slot, rng)
        accepted += outcome.status in (0, 1, 4)
        longest = max(longest, outcome.seconds)
        fault = outcome.fault(slot)
        faults[fault] += 1
        place = fault and f"{fault}: {_place(outcome.printed)}"
        if show and place and place not in places:
            print(f"--- run {run} {slot.file} {slot.words}\n{place}\n{outcome.printed[-900:]}", flush=True)
        places.add(place)
    counts = (faults[kind] for kind in ("traceback", "hang", "refusal without the file's name"))
    cells = (f"{runs:,}", f"{accepted:,}", f"{runs - accepted:,}", *map(str, counts), f"{longest:.1f}")
    return f"| {name} | {' | '.join(cells)} |"


def _place(printed: str) -> str:
    """Where a traceback was raised, or the words of a refusal without its names."""
    raised = re.findall(r'File ".*/src/(markscheme/\S+)", line (\d+)', printed)
    if raised:
        return f"{raised[-1]} {printed.strip().splitlines()[-2][:100]}"
    errors = [line for line in printed.splitlines() if line.startswith("error")]
    return re.sub(r"'[^']*'|\d+", "…", errors[0])[:60] if errors else printed[-60:]


if __name__ == "__main__":
    main()
