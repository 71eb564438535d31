"""`markscheme demo`: what agreement is worth, and a planted fault found, for somebody who doubts both."""

import argparse
from pathlib import Path

from markscheme.commands.options import Parser, whole_number
from markscheme.demo.faults import FAULTS

SUMMARY = """Show, without a key, a network or a file of yours, what raw agreement hides and whether a fault of a judge
is found.

First five raters of one labelled set, two of which have read it: their raw agreement, then what each may decide. Then
ratings are made up with one fault in the judge or none, and a new process that is given nothing but the ratings names
it. With --sealed the fault is drawn by lot and its sha256 is printed before anybody looks.

Exit status: 0 shown, 2 a fault in what was asked."""
LEAST, MOST = 30, 5000


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser("demo", SUMMARY, "markscheme demo --sealed")
    what = found.add_mutually_exclusive_group()
    what.add_argument("--plant", choices=tuple(FAULTS), help="plant this fault, only show that")
    what.add_argument(
        "--sealed", action="store_true", help="draw the fault by lot and print its hash first, only show that"
    )
    found.add_argument("--seed", type=whole_number, metavar="N", help="draw the round again that seed N draws")
    found.add_argument(
        "-n", type=_examples, default=100, metavar="N", help=f"labelled examples of the round, {LEAST} to {MOST} (100)"
    )
    found.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="leave the files of the round in a new folder, to look at"
    )
    found.add_argument("--json", action="store_true", help="print JSON")
    return found


def run(arguments: argparse.Namespace) -> int:
    """Show what was asked for; both parts where nothing was."""
    from markscheme.commands.demonstrating import run as demonstrate

    return demonstrate(arguments)


def _examples(text: str) -> int:
    n = whole_number(text)
    if not LEAST <= n <= MOST:
        raise argparse.ArgumentTypeError(f"{text} examples; a round has {LEAST} to {MOST}")
    return n
