"""Whether what a certificate is used on passes as often as what it was certified on."""

from dataclasses import dataclass

from markscheme.calibration.promised import MARK_SIDES
from markscheme.judges.cascade_file import CascadeFile
from markscheme.stats.prevalence import random_draw_p

FEWEST_GRADED = 30
"""Responses from which shares are compared: fewer say little, and the test's normal approximation is poor."""
MOVED_AT = 0.01
"""The p up to which a share counts as moved, as for labels that aren't a random part of what they stand for."""


@dataclass(frozen=True)
class PassDrift:
    """A share that differs from the certificate's.

    Attributes:
        certified: The share on the labelled examples.
        graded: The share now.
        p: Of the difference, two-sided.
    """

    certified: float
    graded: float
    p: float


def pass_drift(file: CascadeFile, *, passes: int, fails: int, left_to_people: int) -> PassDrift | None:
    """Return how the share of passes among automatic decisions moved since a certificate; None where it didn't.

    Where only one side is automatic, it is the share of responses that are decided so.

    Args:
        file: The certificate.
        passes: Responses that it passed.
        fails: Responses that it failed.
        left_to_people: Responses that it decided neither way.
    """
    certified = file.pass_shares
    if certified is None or not certified.decided or not passes + fails:
        return None
    effective = certified.effective
    share = certified.share
    hits = passes
    graded = passes + fails
    if file.side in MARK_SIDES:
        effective *= certified.labels / certified.decided
        share = certified.decided / certified.labels
        hits = passes + fails
        graded = hits + left_to_people
    labels = round(effective)
    if graded < FEWEST_GRADED or not labels:
        return None
    before = round(share * labels)
    p = random_draw_p([labels - before, before], [graded - hits, hits])
    return PassDrift(share, hits / graded, p) if p <= MOVED_AT else None
