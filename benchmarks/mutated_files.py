"""Mutated files through every reader, and over every file argument of every command; damaged archives and stores.

    python -m benchmarks.mutated_files [--reads 100000] [--runs 10000] [--archives 200] [--seed 1] [--show]

Readers are called in this process; so is each command, in a project that is as it was before the one before it. A
traceback, a command that needs more than ten seconds of the processor, and a refusal that doesn't name the file are
counted; `--show` prints the first of each kind and place, with the seed that makes it again. Over the limits is what
needs more than four seconds of the processor or 300 MB on top of what the imported package takes.
"""

import argparse
import os
import re
import resource
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from random import Random
from typing import Final

from markscheme.errors import MarkschemeError
from tests.commands.file_readers import READERS, readers_of
from tests.commands.mutated_project import LONGEST, MutatedProject, Slot
from tests.commands.mutations import mutated
from tests.memory import peak_memory

READS: Final = 100_000
RUNS: Final = 10_000
ARCHIVES: Final = 200
MEMORY: Final = 4 << 30
"""Bytes of address space: a damaged archive must not fill the machine."""
MOST_SECONDS, MOST_MEMORY = 4.0, 300 << 20
"""What a file of a few kilobytes may take."""
PACKED: Final = (".db", ".eval", ".parquet")
"""Endings of archives and stores."""


def main() -> None:
    """Run it and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--reads", type=int, default=READS)
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
        print(
            "| files | runs | accepted | refused | tracebacks | hangs | refusals without the file | longest, s "
            "| most memory, MB | over the limits |"
        )
        print("|---|---|---|---|---|---|---|---|---|---|")
        print(_reads(project, options.reads, options.seed, options.show), flush=True)
        for name, chosen, runs in (("text", plain, options.runs), ("archives, stores", packed, options.archives)):
            print(_row(name, project, chosen, runs, options.seed, options.show), flush=True)


def _row(name: str, project: MutatedProject, slots: list[Slot], runs: int, seed: int, show: bool) -> str:
    faults: Counter[str] = Counter()
    places: set[str] = set()
    accepted = 0
    longest = largest = 0.0
    over = 0
    for run in range(runs if slots else 0):
        rng = Random(f"{seed} {run}")
        slot = slots[run % len(slots)]
        with peak_memory() as memory:
            _, outcome = project.try_mutation(slot, rng)
        accepted += outcome.status in (0, 1, 4)
        over += _is_over(f"run {run} {slot.file} {slot.words}", outcome.seconds, memory.used, show)
        longest, largest = max(longest, outcome.seconds), max(largest, memory.used)
        fault = outcome.fault(slot)
        faults[fault] += 1
        place = fault and f"{fault}: {_place(outcome.printed)}"
        if show and place and place not in places:
            print(f"--- run {run} {slot.file} {slot.words}\n{place}\n{outcome.printed[-900:]}", flush=True)
        places.add(place)
    return _line(
        name,
        runs,
        accepted,
        faults["traceback"],
        faults["hang"],
        faults["refusal without the file's name"],
        longest,
        largest,
        over,
    )


def _line(
    name: str, runs: int, accepted: int, tracebacks: int, hangs: int, nameless: int, longest: float, largest: float,
    over: int,
) -> str:  # fmt: skip
    counts = (runs, accepted, runs - accepted, tracebacks, hangs, nameless)
    cells = (*(f"{count:,}" for count in counts), f"{longest:.1f}", f"{largest / 2**20:.0f}", str(over))
    return f"| {name} | {' | '.join(cells)} |"


def _reads(project: MutatedProject, reads: int, seed: int, show: bool) -> str:
    """Every reader over mutated files of its kind, and in one of ten draws of any other kind."""
    files = [path for path in sorted(project.folder.rglob("*")) if path.suffix in READERS and path.is_file()]
    accepted = tracebacks = hangs = nameless = over = 0
    longest = largest = 0.0
    places: set[str] = set()
    for run in range(reads if files else 0):
        rng = Random(f"reads {seed} {run}")
        source = files[run % len(files)]
        suffix = source.suffix if rng.random() < 0.9 else rng.choice(sorted(READERS))
        path = source.with_name(f"mutated{suffix}")
        path.write_bytes(mutated(source, rng))
        readers = readers_of(suffix)
        name = rng.choice(sorted(readers))
        began = time.process_time()
        with peak_memory() as memory:
            try:
                readers[name](path)
                accepted += 1
            except MarkschemeError as error:
                nameless += path.name not in str(error)
                if show and path.name not in str(error):
                    print(f"--- read {run} {source.name} {name}: {error}", flush=True)
            except Exception:
                tracebacks += 1
                place = _place(traceback.format_exc())
                if show and place not in places:
                    print(f"--- read {run} {source.name} {name}\n{traceback.format_exc()[-900:]}", flush=True)
                places.add(place)
        seconds = time.process_time() - began
        over += _is_over(f"read {run} {source.name} {name}", seconds, memory.used, show)
        hangs += seconds > LONGEST
        longest, largest = max(longest, seconds), max(largest, memory.used)
        path.unlink()
    return _line("readers", reads, accepted, tracebacks, hangs, nameless, longest, largest, over)


def _is_over(what: str, seconds: float, memory: int, show: bool) -> bool:
    is_over = seconds > MOST_SECONDS or memory > MOST_MEMORY
    if is_over and show:
        print(f"--- {what}: {seconds:.1f} s, {memory / 2**20:.0f} MB", flush=True)
    return is_over


def _place(printed: str) -> str:
    """Where a traceback was raised, or the words of a refusal without its names."""
    raised = re.findall(r'File ".*/src/(markscheme/\S+)", line (\d+)', printed)
    if raised:
        return f"{raised[-1]} {printed.strip().splitlines()[-2][:100]}"
    errors = [line for line in printed.splitlines() if line.startswith("error")]
    return re.sub(r"'[^']*'|\d+", "…", errors[0])[:60] if errors else printed[-60:]


if __name__ == "__main__":
    main()
