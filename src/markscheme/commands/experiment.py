"""`markscheme experiment`: prompt variants x cases, graded, and compared case by case."""

import argparse
from pathlib import Path

from markscheme.commands.options import JUDGE_NAMES, Parser, add_judge, add_scorers

SUMMARY = """Run prompt variants on cases, grade every output by a rubric, and say how the variants differ: mean, least
and most of each criterion, the overall score, pass rates, and paired differences with intervals, case by case. FILE
names rubric, variants and cases, and where outputs come from: a model, a function, a file, or Promptfoo's results. A
stopped run goes on where it was: outputs are kept in the folder FILE's name ends in .experiment, replies in the cache.

Exit status: 0 done, 1 a --fail-if hit, 2 a fault in what was asked, 3 no model or judge to ask, 5 over a tenth of the
outputs could not be graded."""


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser(
        "experiment",
        SUMMARY,
        'markscheme experiment support.experiment.yaml --judge anthropic --fail-if "overall < 0.8" --fail-if worse',
    )
    found.add_argument("file", type=Path, metavar="FILE", help="the experiment, in YAML or JSON")
    found.add_argument("--model", metavar="NAME", help=f"who makes the outputs, instead of the file's: {JUDGE_NAMES}")
    found.add_argument(
        "--outputs", type=Path, metavar="FILE", help="take all outputs from a file: .jsonl, .csv, results"
    )
    add_scorers(found)
    held = found.add_argument_group("what the run is held to")
    held.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="RULE",
        help='"overall < 0.8", "tone < 4", "formal.pass_rate < 0.9", or worse (than the accepted run); may be repeated',
    )
    held.add_argument("--accept", action="store_true", help="keep this run; later ones say what moved since")
    held.add_argument(
        "--calibration", type=Path, metavar="FILE", help="correct pass rates by what calibrate --json wrote"
    )
    output = found.add_argument_group("output")
    output.add_argument("--csv", metavar="FILE", help="write the table as CSV; - for standard output")
    output.add_argument(
        "--json", nargs="?", const="-", metavar="FILE", help="write JSON; to standard output without FILE"
    )
    output.add_argument("--markdown", metavar="FILE", help="write Markdown; - for standard output")
    add_judge(found)
    return found


def run(arguments: argparse.Namespace) -> int:
    """Run, grade, compare and print."""
    from markscheme.commands.experimenting import run as experiment

    return experiment(arguments)
