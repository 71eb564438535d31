"""Audits, the responses that people are to label: which are drawn, when a week is closed, and how much labels count."""

import hashlib
import math
from collections.abc import Sequence
from statistics import median

import numpy as np
import numpy.typing as npt

from markscheme.stats.intervals import Floats
from markscheme.stats.verdict_rates import ONE_LOOK

LOOKS = 26
"""Number of looks over which an interval's error is divided: a year of looks every second week."""
ALL_LOOKS = 1 - (1 - ONE_LOOK) / LOOKS
"""Coverage that a single interval must have so that the intervals at all looks hold at once."""
CLOSED = 0.90
"""Share of a week's responses that must be graded, and of its audits that must be labelled, to close the week."""
HASH_DIGITS = 13
"""Number of hexadecimal digits of the hash that are used: as many as a float can store exactly."""


def hash_share(seed: str, identifier: str) -> float:
    """Return a pseudo-random number from 0 to 1, always the same for a response, by which audits are drawn.

    An audit is a response drawn for people to label.

    Example:
        >>> round(hash_share("reply", "trace-3"), 2) < 0.5
        True
    """
    digest = hashlib.sha256(f"{seed}\n{identifier}".encode()).hexdigest()
    return int(digest[:HASH_DIGITS], 16) / float(16**HASH_DIGITS)


def is_audited(seed: str, identifier: str, chance: float) -> bool:
    """Return True if a response is drawn for labelling by people, when each is drawn with probability `chance`.

    Args:
        seed: Random seed of the stream.
        identifier: Id of the response.
        chance: The probability, 0 to 1.
    """
    return hash_share(seed, identifier) < chance


def audit_chance(audits_per_week: int, week_sizes: Sequence[int]) -> float:
    """Return the probability with which to draw each response as an audit, rounded up to two significant digits.

    Args:
        audits_per_week: Number of audits to expect in a median week.
        week_sizes: Number of responses in each complete week of the first file, at least one week with responses.

    Example:
        >>> audit_chance(30, [2150, 2200, 2100])
        0.014
    """
    wanted = audits_per_week / median(week_sizes)
    if wanted >= 1:
        return 1.0
    scale = float(10 ** (1 - math.floor(math.log10(wanted))))
    return min(1.0, math.ceil(round(wanted * scale, 9)) / scale)


def is_closed(*, responses: int, graded: int, audits: int, labelled: int) -> bool:
    """Return True if a past week is closed: nearly all its responses are graded, and nearly all its audits labelled."""
    return nearly_all(graded, responses) and nearly_all(labelled, audits)


def effective_labels(passed: npt.ArrayLike, labels: npt.ArrayLike, chances: npt.ArrayLike) -> tuple[float, float]:
    """Convert counts of labels drawn with unequal chances to equally informative counts drawn with equal ones.

    Args:
        passed: Number of labels that pass, among the responses drawn with each of k probabilities, shape (k,).
        labels: Number of all labels, among the responses drawn with each of k probabilities, shape (k,).
        chances: The k probabilities with which responses were drawn as audits, shape (k,).

    Returns:
        The effective number of labels that pass, and that of all labels.

    Source:
        Kish (1965), Survey Sampling, section 11.7.

    Example:
        >>> [round(count, 3) for count in effective_labels([1, 9], [4, 20], [0.02, 0.06])]
        [6.857, 18.286]
    """
    sizes = np.asarray(labels, dtype=np.float64)
    weights: Floats = 1 / np.asarray(chances, dtype=np.float64)
    total = float(weights @ sizes)
    if not total:
        return 0.0, 0.0
    n = total**2 / float(weights**2 @ sizes)
    return n * float(weights @ np.asarray(passed, dtype=np.float64)) / total, n


def nearly_all(counted: int, whole: int) -> bool:
    """Return True if `counted` of a week's `whole` number of responses, or of audits, are enough to close the week."""
    return counted >= round(CLOSED * whole, 9)
