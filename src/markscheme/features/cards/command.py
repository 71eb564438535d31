"""`markscheme verify`: judge cards and certificates, computed again from their files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from markscheme.calibration.accepted.recomputed import Recomputed
from markscheme.calibration.accepted.verifiable import VERIFIABLE
from markscheme.calibration.results import reporter_of
from markscheme.commands.options import JsonFlag
from markscheme.commands.output import show


def verify(
    cards: Annotated[
        tuple[Path, ...], Parameter(metavar="CARD", help="a card.json or cascade.json, or the folder they are in")
    ],
    /,
    *,
    json: JsonFlag = False,
) -> int:
    """Check judge cards and certificates of who decides what: compute every figure and threshold again from the rubric,
    the labels, and the judge's accepted ratings or the decisions that the certificate keeps, and say what differs.
    `calibrate --accept` writes the cards, `certify --write` the certificates. Makes no calls, runs no code of
    the project, and writes nothing.

    Example:
        markscheme verify calibration/code-quality/card.json

    Exit status:
        0 everything follows from the files, 1 something differs or can't be computed again, 2 no card or certificate,
        or one that names files elsewhere.
    """
    return max(status for card in cards for status in _verified(card, json=json))


def _verified(path: Path, *, json: bool) -> Iterator[int]:
    """Show what follows from a card's files and from those of other formats; of a folder, from all that it has."""
    from markscheme.features.cards.verification import verify_card
    from markscheme.receipt import CARD

    has_card = path.is_dir() and (path / CARD).exists()
    if has_card:
        yield _shown(verify_card(path), json=json)
    others = [recomputed for recompute in VERIFIABLE if (recomputed := recompute(path)) is not None]
    for recomputed in others:
        yield _shown(recomputed, json=json)
    if not others and not has_card:
        yield _shown(verify_card(path), json=json)


def _shown(recomputed: Recomputed, *, json: bool) -> int:
    """Show what follows from one file, and return the exit status."""

    reporter = reporter_of(recomputed)
    show(reporter.view(recomputed), reporter.data(recomputed), json=json)
    return recomputed.exit_status
