"""Output of `verify`, which says whether a card or a certificate agrees with the files that it names."""

from collections.abc import Iterator
from pathlib import Path

from markscheme.calibration.accepted.recomputed import Recomputed
from markscheme.calibration.accepted.verifiable import VERIFIABLE
from markscheme.calibration.results import reporter_of
from markscheme.commands.output import show
from markscheme.features.cards.verification import verify_card
from markscheme.grading.receipt import CARD


def print_verified(path: Path, *, json: bool) -> int:
    """Print whether each card or certificate agrees with its files, and return the worst exit status.

    Args:
        path: The file of a card or certificate, or a folder, whose card and certificates are all checked.
        json: True to print JSON.
    """
    return max(_print_check(recomputed, json=json) for recomputed in _recomputed(path))


def _recomputed(path: Path) -> Iterator[Recomputed]:
    """Yield the checks of the card and the certificates at a path.

    A file that isn't a certificate, or a folder without a card or certificate, is checked as a card.
    """
    has_card = path.is_dir() and (path / CARD).exists()
    if has_card:
        yield verify_card(path)
    others = [recomputed for recompute in VERIFIABLE if (recomputed := recompute(path)) is not None]
    yield from others
    if not others and not has_card:
        yield verify_card(path)


def _print_check(recomputed: Recomputed, *, json: bool) -> int:
    """Print the check of one card or certificate, and return its exit status."""
    reporter = reporter_of(recomputed)
    show(reporter.view(recomputed), reporter.data(recomputed), json=json)
    return recomputed.exit_status
