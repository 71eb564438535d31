"""`markscheme pass-rate`: the pass rate of a graded set, corrected for the judge's errors."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag
from markscheme.commands.output import show

TOO_FEW = 4


def pass_rate(
    file: Annotated[Path, Parameter(metavar="FILE", help="what was graded")],
    /,
    *,
    calibration: Annotated[Path, Parameter(metavar="FILE")],
    drawn: Annotated[
        Literal["random", "by-verdict", "by-stratum", "elsewhere"] | None, Parameter(metavar="HOW")
    ] = None,
    json: JsonFlag = False,
) -> int:
    """Estimate what share of a graded set annotators would pass, with its interval, next to the share the judge
    passes; the same by prompt and provider, and the difference between any two.

    FILE is Promptfoo's results, or lines {"id", "pass": true|false|null} with an optional "group", "unit" and
    "stratum", or the plan that `plan --next --json` wrote, with the strata its labels were drawn by.

    Args:
        calibration: what annotators and the judge both decided on: the JSON of `calibrate --json`, lines {"id",
            "gold": true|false, "judge": true|false, "stratum": …}, or Promptfoo's results with manual ratings
        drawn: how the labels were drawn: random, by-verdict, by-stratum or elsewhere (default: as they say; else by
            verdict if they are of FILE, else elsewhere)

    Example:
        markscheme pass-rate results.json --calibration calibration.json

    Exit status:
        0 corrected, 2 invalid arguments, 4 too few labels to correct.
    """
    from markscheme.calibration.pass_fail import read_judged, read_labelled, reference_of
    from markscheme.calibration.pass_rates import pass_rates
    from markscheme.report.views.pass_rate import json_of, view

    rates = pass_rates(read_judged(file), read_labelled(calibration), how=drawn)
    reference = reference_of(calibration)
    show(view(rates, reference), json_of(rates, reference), json=json)
    return 0 if rates.corrected.undefined is None else TOO_FEW
