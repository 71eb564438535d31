"""`markscheme verify`: judge cards and certificates, computed again from their files."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag


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
    from markscheme.features.cards.print_verified import print_verified

    return max(print_verified(card, json=json) for card in cards)
