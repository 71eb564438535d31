"""`markscheme verify`: judge cards and certificates, computed again from their files."""

from collections.abc import Iterator
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
    `calibrate --accept` writes the cards, `tune --cascade --write` the certificates. Makes no calls, runs no code of
    the project, and writes nothing.

    Example:
        markscheme verify calibration/code-quality/card.json

    Exit status:
        0 everything follows from the files, 1 something differs or can't be computed again, 2 no card or certificate,
        or one that names files elsewhere.
    """
    return max(status for card in cards for status in _verified(card, json=json))


def _verified(path: Path, *, json: bool) -> Iterator[int]:
    """Show what a card's and a certificate's files say; of a folder, of both that it has."""
    from markscheme.calibration.accepted.card import CARD
    from markscheme.calibration.accepted.certificate_check import check_certificate, is_certificate_file
    from markscheme.calibration.accepted.verification import verify_card
    from markscheme.commands.output import show
    from markscheme.judges.cascade_file import CASCADE_FILE
    from markscheme.report.views import card, cascade

    certificate = path / CASCADE_FILE if path.is_dir() else path
    is_certificate = is_certificate_file(certificate)
    if not is_certificate or (path.is_dir() and (path / CARD).exists()):
        verification = verify_card(path)
        show(card.verified(verification), card.verified_json(verification), json=json)
        yield verification.exit_status
    if is_certificate:
        check = check_certificate(certificate)
        show(cascade.checked(check), cascade.checked_json(check), json=json)
        yield check.exit_status
