"""`markscheme demo`: show what raw agreement hides, and find a planted fault, without key or network."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from markscheme.commands.families import only
from markscheme.commands.options import Details, JsonFlag
from markscheme.errors import UsageError, suggestion
from markscheme.features.demo.faults import FAULTS, RARE_FAILS
from markscheme.pages.options import PageOptions

LEAST, MOST = 30, 5000
DEFAULT_EXAMPLES = 100
"""Default number of labelled examples in a round: few enough to be quick, enough for a fault to show."""
PLANTED = (*FAULTS, RARE_FAILS)
PLANT = f"plant this fault and show only that: {', '.join(FAULTS)}, or {RARE_FAILS}: judges that agreement misreads"


def _known_fault(_: type, value: str | None) -> None:
    if value is not None and value not in PLANTED:
        raise ValueError(f"must be one of {', '.join(PLANTED)}{suggestion(value, PLANTED)}")


def _number_of_examples(_: type, value: int | None) -> None:
    if value is not None and not LEAST <= value <= MOST:
        raise ValueError(f"must be from {LEAST} to {MOST}")


def demo(
    *,
    plant: Annotated[str | None, Parameter(metavar="FAULT", help=PLANT, validator=_known_fault)] = None,
    sealed: bool = False,
    page: Annotated[PageOptions, only(PageOptions, "seed")] = PageOptions(),
    n: Annotated[int | None, Parameter(name=["-n", "--examples"], metavar="N", validator=_number_of_examples)] = None,
    keep: Annotated[Path | None, Parameter(metavar="FOLDER")] = None,
    details: Details = False,
    json: JsonFlag = False,
) -> int:
    """Show what raw agreement hides, and whether a judge's fault is found. Needs no key, no network and no files.

    First five raters of one labelled set, two of which read the responses: their raw agreement, then what each can
    decide. Then ratings are simulated with one fault in the judge or none, and a new process that sees only the
    ratings names it. With --sealed the fault is drawn at random and its sha256 is printed first.

    Args:
        sealed: draw the fault at random, print its hash first, and show only that
        n: labelled examples in the round, 30 to 5000 (100)
        keep: keep the files of the round in a new folder

    Example:
        markscheme demo --sealed

    Exit status:
        0 shown, 2 invalid arguments.
    """
    from markscheme.features.demo.run import show_judges_misread, show_round

    if plant is not None and sealed:
        raise UsageError("give --plant or --sealed, not both")
    if plant == RARE_FAILS:
        if page.seed is not None or n is not None:
            raise UsageError(f"--plant {RARE_FAILS} has the same examples in every run; leave out -o seed and -n")
        return show_judges_misread(keep, json)
    return show_round(plant, n or DEFAULT_EXAMPLES, page.seed, keep, json, sealed=sealed, details=details)
