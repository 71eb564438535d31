"""What the simulations have in common: `--runs`, `--write`, and the time they took."""

import argparse
import time
from collections.abc import Callable, Iterable
from pathlib import Path


def write_page(about: str | None, lines: Callable[[int], Iterable[str]], *, runs: int, option: str = "--runs") -> None:
    """Print the lines of a benchmark and the CPU time they took, and write them where `--write` says.

    Args:
        about: What `--help` says.
        lines: The page, by the number of runs.
        runs: How many, where the command line doesn't say.
        option: The name of the number of runs on the command line.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(option, type=int, default=runs, dest="runs")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    started = time.process_time()
    text = "\n".join([*lines(options.runs), "", f"Took {time.process_time() - started:.0f} s of one core."])
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")
