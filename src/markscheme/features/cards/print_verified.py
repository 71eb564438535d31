"""What `verify` prints: what follows from the files of a card, or of a certificate."""

from collections.abc import Iterator
from pathlib import Path

from markscheme.calibration.accepted.recomputed import Recomputed
from markscheme.calibration.accepted.verifiable import VERIFIABLE
from markscheme.calibration.results import reporter_of
from markscheme.commands.output import show
from markscheme.features.cards.verification import verify_card
from markscheme.receipt import CARD


def print_verified(path: Path, *, json: bool) -> int:
    """Print what follows from a card's files and from those of other formats; the worst exit status.

    Args:
        path: The file, or a folder, of which all that it has is shown.
        json: Whether JSON is printed.
    """
    return max(_shown(recomputed, json=json) for recomputed in _recomputed(path))


def _recomputed(path: Path) -> Iterator[Recomputed]:
    """Yield each file computed again, cards first; a file that no other format recognizes is read as a card."""
    has_card = path.is_dir() and (path / CARD).exists()
    if has_card:
        yield verify_card(path)
    others = [recomputed for recompute in VERIFIABLE if (recomputed := recompute(path)) is not None]
    yield from others
    if not others and not has_card:
        yield verify_card(path)


def _shown(recomputed: Recomputed, *, json: bool) -> int:
    """Show what follows from one file, and return the exit status."""
    reporter = reporter_of(recomputed)
    show(reporter.view(recomputed), reporter.data(recomputed), json=json)
    return recomputed.exit_status
