"""`markscheme verify`: judge cards, computed again from their files."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag


def verify(
    cards: Annotated[tuple[Path, ...], Parameter(metavar="CARD", help="a card.json, or the folder it is in")],
    /,
    *,
    json: JsonFlag = False,
) -> int:
    """Check judge cards: compute every figure again from the rubric, the labels and the judge's accepted ratings, and
    say what differs. `calibrate --accept` writes the cards. Makes no calls, runs no code of the project, and writes
    nothing.

    Example:
        markscheme verify calibration/code-quality/card.json

    Exit status:
        0 everything follows from the files, 1 something differs, 2 no card, or one that names files elsewhere.
    """
    from markscheme.calibration.accepted.verification import verify_card
    from markscheme.commands.output import show
    from markscheme.report.views.card import verified, verified_json

    verifications = [verify_card(path) for path in cards]
    for verification in verifications:
        show(verified(verification), verified_json(verification), json=json)
    return max(verification.exit_status for verification in verifications)
