"""Gray zone of a rubric that leaves the same decisions to people as a certificate of one judge does."""

import math

import numpy as np

from markscheme.features.certify.certificate import Certificate
from markscheme.features.certify.promise import MARK_SIDES, MarkSide
from markscheme.features.certify.ranked_decisions import on_side
from markscheme.features.certify.statistics import CERTAINTY_DIGITS
from markscheme.rubrics.gray_zone import GrayZone


def zone_of(certificate: Certificate) -> float | GrayZone | None:
    """Return the gray zone that leaves the same labelled examples to people as a certificate; None if no zone does.

    Of several widths that do so, the one with the fewest decimals is returned. If a certificate leaves all passes (or
    all fails) to people, so does the zone.

    Returns:
        The half-width in score, or one for each side; None if no decisions are certified, or if they aren't ranked by
        the distance from the pass mark.
    """
    if certificate.signals != ("distance",) or not certificate.is_supported:
        return None
    if "both" in certificate.parts:
        return _width(certificate, "both")
    passes, fails = (_width(certificate, side) for side in MARK_SIDES)
    return GrayZone(passes, fails)


def _width(certificate: Certificate, side: MarkSide) -> float:
    """Return the distance in score from the pass mark within which people decide; infinite if they always decide.

    Args:
        certificate: The certificate of a single judge.
        side: The judge's decisions for which the distance holds: "passes", "fails" or "both".
    """
    of_side = certificate.parts.get(side)
    certain = None if of_side is None else of_side.certain[0]
    if certain is None:
        return math.inf
    (judge,) = certificate.seen.judges
    distances = np.round(judge.certainty[on_side(side, judge.passes)], CERTAINTY_DIGITS)
    nearer = distances[distances < certain]  # nan is no distance, and compares as False
    return _roundest(float(nearer.max()), certain) if len(nearer) else 0.0


def _roundest(least: float, below: float) -> float:
    """Return the positive number with the fewest decimals that is at least `least` and less than `below`, else `least`.

    >>> _roundest(0.1133, 0.125), _roundest(0.0, 0.083), _roundest(0.25, 0.2500000001)
    (0.12, 0.08, 0.25)
    """
    for digits in range(1, CERTAINTY_DIGITS):
        step = 10.0**digits
        width = (math.ceil(round(below * step, CERTAINTY_DIGITS)) - 1) / step
        if width >= least and width > 0:
            return round(width, digits)
    return least
