"""The work of `markscheme demo`, apart from its parser so that `--help` loads none of it."""

import argparse
import contextlib
import secrets
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markscheme.demo.naming import diagnosed, write_project
from markscheme.demo.planting import Round, made_round
from markscheme.demo.raters import five_raters
from markscheme.errors import UsageError
from markscheme.report.demo_report import DemoPage, raters_json, round_json
from markscheme.report.json_report import dumps

SEED_BITS = 64


def run(arguments: argparse.Namespace) -> int:
    """Show what was asked for; both parts where nothing was."""
    only_a_round = arguments.sealed or arguments.plant is not None
    page = None if arguments.json else DemoPage(sys.stdout)
    shown: dict[str, Any] = {"schema": 1}
    if not only_a_round:
        held = five_raters()
        shown["raters"] = raters_json(held)
        if page is not None:
            page.raters(held)
            page.gap()
    seed = arguments.seed or 1 + secrets.randbits(SEED_BITS)
    made = made_round(n=arguments.n, seed=seed, fault=arguments.plant)
    shown["round"] = _round(made, arguments.keep, page, sealed=arguments.plant is None)
    if arguments.json:
        print(dumps(shown))
    return 0


def _round(made: Round, keep: Path | None, page: DemoPage | None, *, sealed: bool) -> dict[str, Any]:
    """Plant, have it named, and tell; the seal goes out before the files are looked at."""
    if page is not None:
        page.rules(len(made.examples))
        if sealed:
            page.seal(made.seal)
        else:
            page.planted(made)
    elif sealed:
        print(f"seal: {made.seal}", file=sys.stderr, flush=True)
    with _folder(keep) as folder:
        written = write_project(made, folder)
        if page is not None:
            page.files(written)
        found = diagnosed(folder)
    right = found.named == made.planted
    if page is not None:
        page.diagnosis(found)
        tell = page.opened if sealed else page.told
        tell(made, right=right)
    return round_json(made, found, sealed=sealed)


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """The folder to be kept, which is made; else one that is removed afterwards.

    Raises:
        UsageError: There is something in the place already, or it cannot be made.
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
