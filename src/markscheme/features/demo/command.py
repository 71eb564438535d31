"""`markscheme demo`: what agreement is worth, and a planted fault found, without a key or a network."""

import contextlib
import secrets
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from markscheme.commands.families import only
from markscheme.commands.options import Details, JsonFlag, within
from markscheme.commands.output import put_on_screen
from markscheme.errors import UsageError, suggestion
from markscheme.features.demo.faults import FAULTS, RARE_FAILS
from markscheme.pages.options import PageOptions
from markscheme.report.json import dumps

if TYPE_CHECKING:
    from markscheme.features.demo.planting import Round
    from markscheme.report.document import Document

LEAST, MOST = 30, 5000
SEED_BITS = 64
"""Seeds of a demonstration: too many to have tried them all."""
DEFAULT_EXAMPLES = 100
"""Labelled examples in a round: few enough to be quick, enough for a fault to show."""
PLANTED = (*FAULTS, RARE_FAILS)
PLANT = f"plant this fault and show only that: {', '.join(FAULTS)}, or {RARE_FAILS}: judges that agreement misreads"


def _known_fault(_: type, value: str | None) -> None:
    if value is not None and value not in PLANTED:
        raise ValueError(f"must be one of {', '.join(PLANTED)}{suggestion(value, PLANTED)}")


def demo(
    *,
    plant: Annotated[str | None, Parameter(metavar="FAULT", help=PLANT, validator=_known_fault)] = None,
    sealed: bool = False,
    page: Annotated[PageOptions, only(PageOptions, "seed")] = PageOptions(),
    n: Annotated[int | None, Parameter(name=["-n", "--examples"], metavar="N", validator=within(LEAST, MOST))] = None,
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
    from markscheme.features.demo import view
    from markscheme.features.demo.planting import made_round
    from markscheme.features.demo.raters import five_raters

    if plant is not None and sealed:
        raise UsageError("give --plant or --sealed, not both")
    if plant == RARE_FAILS:
        if page.seed is not None or n is not None:
            raise UsageError(f"--plant {RARE_FAILS} has the same examples in every run; leave out -o seed and -n")
        return _rare_fails(keep, json)
    shown: dict[str, Any] = {"schema": 1}
    if not sealed and plant is None:
        raters = five_raters()
        shown["raters"] = view.raters_json(raters)
        _print(view.raters(raters), json, details=details)
    made = made_round(n=n or DEFAULT_EXAMPLES, seed=page.seed or 1 + secrets.randbits(SEED_BITS), fault=plant)
    shown["round"] = _round(made, keep, json, sealed=plant is None)
    if json:
        print(dumps(shown))
    else:
        print("Next: markscheme init")
    return 0


def _round(made: "Round", keep: Path | None, json: bool, *, sealed: bool) -> dict[str, Any]:
    """Run a round: plant a fault, have it named, and show both; print the seal before the files are read."""
    from markscheme.features.demo import view
    from markscheme.features.demo.naming import diagnosed, named_in, write_project

    _print(view.rules(len(made.examples)), json)
    _print(view.planted(made, sealed=sealed), json)
    if json and sealed:
        print(f"seal: {made.seal}", file=sys.stderr, flush=True)
    with _folder(keep) as folder:
        write_project(made, folder)
        findings = diagnosed(folder)
    _print(view.diagnosis(findings), json)
    _print(view.outcome(made, right=named_in(findings) == made.planted, sealed=sealed), json)
    return view.round_json(made, findings, sealed=sealed)


def _rare_fails(keep: Path | None, json: bool) -> int:
    """Show three judges by their agreement and by their sides, and keep their files if a folder is named."""
    from markscheme.features.demo import view
    from markscheme.features.demo.rare_fails import THREE_JUDGES, write_judges

    if keep is not None:
        with _folder(keep) as folder:
            write_judges(folder)
    _print(view.sides(THREE_JUDGES, folder=keep), json)
    if json:
        print(dumps({"schema": 1, "judges": view.sides_json(THREE_JUDGES)}))
    return 0


def _print(document: "Document", json: bool, *, details: bool = False) -> None:
    """Print a part of the demonstration as soon as it is there, unless JSON is asked for."""
    if json:
        return

    put_on_screen(document, details=details)
    print(flush=True)


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """Yield a new folder to keep; else one that is removed afterwards.

    Raises:
        UsageError: It exists, or cannot be made.
    """
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="markscheme-demo-") as made:
            yield Path(made)
        return
    try:
        keep.mkdir(parents=True)
    except OSError as error:
        raise UsageError(f"{keep} cannot be made: {error.strerror or error}") from error
    yield keep
