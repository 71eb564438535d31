"""Mutated files through every reader, and over every file argument of every command; damaged archives and stores.

    python -m benchmarks.mutated_files [--reads 100000] [--runs 10000] [--archives 200] [--seed 1] [--show]

Readers are called in this process; so is each command, in a project that is as it was before the one before it. A
traceback, a command that needs more than ten seconds of the processor, and a refusal that names neither the file nor
one next to it are counted; `--show` prints the first of each kind and place, with the seed that makes it again. Over
the limits is what needs more than four seconds of the processor or 300 MB on top of what the imported package takes.
Standard error has how far it is; the first Ctrl-C or SIGTERM ends it with the table of what was run.
"""

import argparse
import os
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
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
PROGRESS_SECONDS: Final = 30.0
TRACEBACK, HANG, NAMELESS = "traceback", "hang", "refusal without the file's name"
"""What may go wrong, as `Outcome.fault` names it."""
PACKED: Final = (".db", ".eval", ".parquet")
"""Endings of archives and stores."""


@dataclass
class Tally:
    """What became of the mutated files of one kind."""

    name: str
    planned: int
    show: bool
    accepted: int = 0
    over: int = 0
    runs: int = 0
    longest: float = 0.0
    largest: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    places: set[str] = field(default_factory=set)
    said: float = field(default_factory=time.monotonic)

    def count(self, which: str, fault: str, printed: str, seconds: float, memory: int) -> None:
        """Add one file, and say how far it is every half minute.

        Args:
            which: The run, with what makes it again.
            fault: What went wrong; "" if nothing did.
            printed: What there is to show of it.
            seconds: Of the processor.
            memory: In bytes, on top of what the package takes.
        """
        self.runs += 1
        self.faults[fault] += bool(fault)
        is_over = seconds > MOST_SECONDS or memory > MOST_MEMORY
        self.over += is_over
        self.longest, self.largest = max(self.longest, seconds), max(self.largest, memory)
        if self.show and is_over:
            print(f"--- {which}: {seconds:.1f} s, {memory / 2**20:.0f} MB", flush=True)
        place = fault and f"{fault}: {_place(printed)}"
        if self.show and place and place not in self.places:
            print(f"--- {which}\n{place}\n{printed[-900:]}", flush=True)
        self.places.add(place)
        if time.monotonic() - self.said > PROGRESS_SECONDS:
            self.said = time.monotonic()
            faults = ", ".join(f"{count} x {kind}" for kind, count in self.faults.items() if count) or "no fault"
            print(f"{self.name}: {self.runs:,} of {self.planned:,}, {faults}", file=sys.stderr, flush=True)

    @property
    def row(self) -> str:
        """The row of the table."""
        faults = (self.faults[kind] for kind in (TRACEBACK, HANG, NAMELESS))
        counts = (self.runs, self.accepted, self.runs - self.accepted, *faults)
        cells = (*(f"{count:,}" for count in counts), f"{self.longest:.1f}", f"{self.largest / 2**20:.0f}")
        stopped = f" (stopped, of {self.planned:,})" if self.runs < self.planned else ""
        return f"| {self.name}{stopped} | {' | '.join(cells)} | {self.over} |"


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
    stop = Stop()
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
        print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
        reads = Tally("readers", options.reads, options.show)
        _read(project, reads, options.seed, stop)
        print(reads.row, flush=True)
        for name, chosen, runs in (("text", plain, options.runs), ("archives, stores", packed, options.archives)):
            tally = Tally(name, runs if chosen else 0, options.show)
            _run(project, chosen, tally, options.seed, stop)
            print(tally.row, flush=True)


class Stop:
    """Whether it was asked to stop: by the first Ctrl-C or SIGTERM, after which the table is printed."""

    def __init__(self) -> None:
        """Listen for the signals."""
        self.is_asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, number: int, frame: object) -> None:  # noqa: ARG002 - as signal handlers are called
        self.is_asked = True
        signal.signal(number, signal.SIG_DFL)


def _run(project: MutatedProject, slots: list[Slot], tally: Tally, seed: int, stop: Stop) -> None:
    """Every command over every file argument in turn."""
    for run in range(tally.planned):
        if stop.is_asked:
            return
        rng = Random(f"{seed} {run}")
        slot = slots[run % len(slots)]
        with peak_memory() as memory:
            _, outcome = project.try_mutation(slot, rng)
        tally.accepted += outcome.status in (0, 1, 4)
        which = f"run {run} {slot.file} {slot.words}"
        tally.count(which, outcome.fault(slot), outcome.printed, outcome.seconds, memory.used)


def _read(project: MutatedProject, tally: Tally, seed: int, stop: Stop) -> None:
    """Every reader over mutated files of its kind, and in one of ten draws of any other kind."""
    files = [path for path in sorted(project.folder.rglob("*")) if path.suffix in READERS and path.is_file()]
    for run in range(tally.planned):
        if stop.is_asked:
            return
        rng = Random(f"reads {seed} {run}")
        source = files[run % len(files)]
        suffix = source.suffix if rng.random() < 0.9 else rng.choice(sorted(READERS))
        path = source.with_name(f"mutated{suffix}")
        path.write_bytes(mutated(source, rng))
        readers = readers_of(suffix)
        name = rng.choice(sorted(readers))
        fault = printed = ""
        began = time.process_time()
        with peak_memory() as memory:
            try:
                readers[name](path)
                tally.accepted += 1
            except MarkschemeError as error:
                neighbours = (file.name for file in path.parent.iterdir())
                fault, printed = "" if any(name in str(error) for name in neighbours) else NAMELESS, f"error: {error}"
            except Exception:
                fault, printed = TRACEBACK, traceback.format_exc()
        seconds = time.process_time() - began
        is_slow = seconds > LONGEST
        tally.count(f"read {run} {source.name} {name}", HANG if is_slow else fault, printed, seconds, memory.used)
        path.unlink()


def _place(printed: str) -> str:
    """Where a traceback was raised, or the words of a refusal without its names."""
    raised = re.findall(r'File ".*/src/(markscheme/\S+)", line (\d+)', printed)
    if raised:
        return f"{raised[-1]} {printed.strip().splitlines()[-2][:100]}"
    errors = [line for line in printed.splitlines() if line.startswith("error")]
    return re.sub(r"'[^']*'|\d+", "…", errors[0])[:60] if errors else printed[-60:]


if __name__ == "__main__":
    main()
