"""`markscheme passrate`: the pass rate of a graded set, corrected for the judge's errors."""

import argparse
from pathlib import Path

from markscheme.commands.options import Parser

SUMMARY = """Say what share of a graded set people would pass, with its interval, beside the share that the judge
passes; the same by prompt and provider, and the difference between any two of them. FILE is Promptfoo's results, or
lines {"id", "pass": true|false|null}, which may name a "group", a "unit" and a "stratum", or the plan that `calibrate
--next --json` wrote, with the strata its labels were drawn by. The calibration is what
`calibrate --json` wrote, lines {"id", "gold": true|false, "judge": true|false, "stratum": …}, or Promptfoo's results
with manual ratings.

Exit status: 0 corrected, 2 a fault in what was asked, 4 labels that don't suffice to correct."""
TOO_FEW = 4


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser("passrate", SUMMARY, "markscheme passrate results.json --calibration calibration.json")
    found.add_argument("file", type=Path, metavar="FILE", help="what was graded")
    found.add_argument(
        "--calibration", type=Path, required=True, metavar="FILE", help="what people and the judge both decided on"
    )
    found.add_argument(
        "--drawn",
        choices=("random", "by-verdict", "by-stratum", "elsewhere"),
        help="how the labels were drawn (as they say; else by verdict if they are of FILE, else elsewhere)",
    )
    found.add_argument("--json", action="store_true", help="print JSON")
    return found


def run(arguments: argparse.Namespace) -> int:
    """Correct and print."""
    from markscheme.calibration.pass_fail import read_judged, read_labelled, reference_of
    from markscheme.calibration.pass_rates import pass_rates
    from markscheme.report.json_report import dumps
    from markscheme.report.pass_rate_report import pass_rate_json, pass_rate_text

    rates = pass_rates(read_judged(arguments.file), read_labelled(arguments.calibration), how=arguments.drawn)
    reference = reference_of(arguments.calibration)
    print(dumps(pass_rate_json(rates, reference)) if arguments.json else pass_rate_text(rates, reference))
    return 0 if rates.corrected.undefined is None else TOO_FEW
