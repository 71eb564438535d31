"""How often `markscheme demo` names the fault it has planted, and says nothing where nothing is planted.

    python -m benchmarks.demo [--rounds 100] [--write benchmarks/results/demo.md]

Each round is the one that `markscheme demo --sealed --seed N` (or `--plant FAULT --seed N`) shows: its files are
written, `calibrate` reads them, and the first finding of its report is the answer. An answer counts only if fault and
place are both right; where nothing is planted, only if there is no finding at all, of whatever kind. To save the start
of a process the command runs in this one; `tests/demo/test_naming.py` shows that another process says the same.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import contextlib
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markscheme.cli import main as command_line
from markscheme.features.demo.faults import FAULTS, NO_FAULT, Charge
from markscheme.features.demo.naming import COMMAND, diagnosed, named_in, write_project
from markscheme.features.demo.planting import made_round

SIZES = (50, 100)
NAMED_AIM, QUIET_AIM = 85, 95
"""Of 100 rounds at n = 100: those with a fault in which it is named, and those without in which nothing is said."""
AIMED_AT = 100


@dataclass(frozen=True)
class Played:
    """One round: what was planted and what was named."""

    planted: Charge
    named: Charge

    @property
    def right(self) -> bool:
        return self.named == self.planted


def in_this_process(folder: Path, command: Sequence[str]) -> int:
    with contextlib.chdir(folder):
        return command_line(command)


def played(n: int, seed: int, fault: str | None = None) -> Played:
    made = made_round(n=n, seed=seed, fault=fault)
    with tempfile.TemporaryDirectory() as folder:
        write_project(made, Path(folder))
        return Played(made.planted, named_in(diagnosed(Path(folder), in_this_process)))


# --- tables ---------------------------------------------------------------------------------------------------------


def sealed_table(rounds: int) -> Iterator[str]:
    """The first seeds of `--sealed`, by what the lot fell on."""
    found = [played(AIMED_AT, seed) for seed in range(1, rounds + 1)]
    yield "| drawn at random | rounds | named with its place |"
    yield "|---|---:|---:|"
    for fault in FAULTS:
        of_fault = [one for one in found if one.planted.fault == fault]
        yield f"| {fault} | {len(of_fault)} | {sum(one.right for one in of_fault)} |"
    faulty = [one for one in found if one.planted.fault != NO_FAULT]
    right = sum(one.right for one in faulty)
    share = 100 * right / len(faulty)
    yield f"| any fault | {len(faulty)} | {right} ({share:.0f} %, aim {NAMED_AIM}: {_met(share, NAMED_AIM)}) |"


def fault_table(rounds: int) -> Iterator[str]:
    """Every fault by itself, over the same seeds at each size."""
    yield "| planted | n | strength | named with its place | aim | said instead |"
    yield "|---|---:|---|---:|---|---|"
    for fault, strength in FAULTS.items():
        for n in SIZES:
            found = [played(n, seed, fault) for seed in range(1, rounds + 1)]
            share = 100 * sum(one.right for one in found) / rounds
            aim = QUIET_AIM if fault == NO_FAULT else NAMED_AIM
            met = f"{aim}: {_met(share, aim)}" if n == AIMED_AT else "–"
            yield f"| {fault} | {n} | {strength} | {share:.0f} % | {met} | {_wrong(found)} |"


def quiet_lines(rounds: int) -> Iterator[str]:
    """Nothing planted, over more seeds than the aim speaks of."""
    found = [played(AIMED_AT, seed, NO_FAULT) for seed in range(1, rounds + 1)]
    share = 100 * sum(one.right for one in found) / rounds
    yield f"Nothing planted, {rounds} seeds, n = {AIMED_AT}: quiet in {share:.1f} %; otherwise {_wrong(found)}."


def _met(share: float, aim: int) -> str:
    return "met" if share >= aim else f"missed by {aim - share:.0f} points"


def _wrong(found: Sequence[Played]) -> str:
    """What was said instead of the truth, the commonest first."""
    said = Counter(_instead(one) for one in found if not one.right)
    return ", ".join(f"{what} {times}" for what, times in said.most_common()) or "–"


def _instead(one: Played) -> str:
    if one.named.fault == NO_FAULT:
        return NO_FAULT
    there = one.planted.fault != NO_FAULT and one.named.subject == one.planted.subject
    return f"{one.named.fault} {'in its place' if there else 'elsewhere'}"


def report(rounds: int, quiet_rounds: int) -> str:
    """The whole page."""
    started = time.process_time()
    lines = [
        "# Demo",
        "",
        f"Made by `python -m benchmarks.demo`. The judge of each round is held to two simulated people by `markscheme "
        f"{' '.join(COMMAND)}`; its first finding is the answer. Fault strengths and world are those of "
        "[diagnosis](diagnosis.md) and, for a changed text, of [drift](drift.md). Two standard errors of a share of "
        f"95 % in {rounds} rounds are {200 * (0.95 * 0.05 / rounds) ** 0.5:.0f} points.",
        "",
        f"## `demo --sealed`, seeds 1 to {rounds}, n = {AIMED_AT}",
        "",
        *sealed_table(rounds),
        "",
        f"## `demo --plant`, seeds 1 to {rounds} of each",
        "",
        *fault_table(rounds),
        "",
        "Errors as large as a noisy judge's run into the ends of the scale, and what is cut off there looks like "
        "keeping to the middle; one cause is reported once, so such a judge is called `central-tendency` and not "
        "`noisy`.",
        "",
        *quiet_lines(quiet_rounds),
    ]
    return "\n".join([*lines, "", f"Took {time.process_time() - started:.0f} s of one core."])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100, help="seeds for each row")
    parser.add_argument("--quiet-rounds", type=int, default=400, help="seeds with nothing planted, for the last line")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args(arguments)
    text = report(options.rounds, options.quiet_rounds)
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
