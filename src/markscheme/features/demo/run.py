"""A run of the demonstration, which prints each part as soon as it is computed."""

import contextlib
import secrets
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markscheme.commands.output import put_on_screen
from markscheme.errors import UsageError
from markscheme.features.demo import view
from markscheme.features.demo.naming import diagnosed, named_in, write_project
from markscheme.features.demo.planting import Round, made_round
from markscheme.features.demo.rare_fails import THREE_JUDGES, write_judges
from markscheme.features.demo.raters import five_raters
from markscheme.report.document import Document
from markscheme.report.json import dumps

SEED_BITS = 64
"""Number of random bits in a demonstration's seed: too many to try all seeds."""


def show_round(
    plant: str | None, n: int, seed: int | None, keep: Path | None, json: bool, *, sealed: bool, details: bool
) -> int:
    """Show five raters, diagnose a judge with a planted fault, and return the exit status.

    The raters are left out if `plant` names a fault, or if `sealed` is true.

    Args:
        plant: The fault to plant; None to draw it.
        n: Number of labelled examples.
        seed: Random seed of the round; None to draw it too.
        keep: Folder in which the files of the round are kept; None to keep none.
        json: True to print JSON.
        sealed: True to print the hash of the fault before anything else.
        details: True to print the figures behind the raters too.

    Raises:
        UsageError: The folder exists, or cannot be made.
    """
    shown: dict[str, Any] = {"schema": 1}
    if not sealed and plant is None:
        raters = five_raters()
        shown["raters"] = view.raters_json(raters)
        _print(view.raters(raters), json, details=details)
    made = made_round(n=n, seed=seed or 1 + secrets.randbits(SEED_BITS), fault=plant)
    shown["round"] = _round(made, keep, json, sealed=plant is None)
    if json:
        print(dumps(shown))
    else:
        print("Next: markscheme init")
    return 0


def _round(made: Round, keep: Path | None, json: bool, *, sealed: bool) -> dict[str, Any]:
    """Run a round of the demo, in which a new process must name the fault of a simulated judge; return it as JSON.

    Args:
        made: The round's simulated data and its fault.
        keep: The folder to keep the files in; None to delete them.
        json: True to print JSON.
        sealed: True to print a hash of the fault before the diagnosis, False to print the fault itself.
    """
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


def show_judges_misread(keep: Path | None, json: bool) -> int:
    """Show three judges by agreement, and by the fails they stop and passes they keep; return the exit status.

    Their files are saved in `keep`.
    """
    if keep is not None:
        with _folder(keep) as folder:
            write_judges(folder)
    _print(view.sides(THREE_JUDGES, folder=keep), json)
    if json:
        print(dumps({"schema": 1, "judges": view.sides_json(THREE_JUDGES)}))
    return 0


def _print(document: Document, json: bool, *, details: bool = False) -> None:
    """Print one part of the demonstration right away; print nothing if JSON is asked for.

    Args:
        document: The part.
        json: True if JSON is asked for.
        details: True to print the part's details, too.
    """
    if json:
        return
    put_on_screen(document, details=details)
    print(flush=True)


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """Yield a new folder at `keep`, or if that is None a temporary one that is removed afterwards.

    Raises:
        UsageError: The folder exists, or cannot be made.
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
