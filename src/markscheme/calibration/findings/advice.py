"""Wording of findings: names in a row, numbers in a sentence, the examples that show a fault best."""

from collections.abc import Sequence

import numpy as np

from markscheme.ratings.table import Floats
from markscheme.stats import Estimate

MOST_WORST = 5
MOST_NAMED = 3


def in_words(names: Sequence[str], link: str = "and") -> str:
    """Names in a sentence.

    >>> in_words(["1", "2", "5"]), in_words(["1", "2"], "or"), in_words(["MET"])
    ('1, 2 and 5', '1 or 2', 'MET')
    """
    *first, last = names
    return f"{', '.join(first)} {link} {last}" if first else last


def worst_places(badness: Floats, most: int = MOST_WORST) -> list[int]:
    """Indices of the examples with the largest values, worst first; none where it is 0, below 0 or missing."""
    size = np.nan_to_num(badness, nan=0.0)
    order = np.argsort(-size, kind="stable")
    return [place for place in order[:most].tolist() if size[place] > 0]


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Names in a row, the rest of a long list counted.

    >>> listed(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def number(value: float | None, digits: int = 2, *, sign: bool = False) -> str:
    """A number in a sentence.

    >>> number(-0.456), number(0.5, sign=True), number(-0.001, sign=True), number(None)
    ('−0.46', '+0.50', '0.00', '–')
    """
    if value is None:
        return "–"
    rounded = round(value, digits) or 0.0  # nor is it minus zero
    return f"{rounded:{'+' if sign and rounded else ''}.{digits}f}".replace("-", "−")


def with_ci(estimate: Estimate, unit: str = "", *, sign: bool = False) -> str:
    """A value and its interval, where it has one, in a sentence: "0.52 (95% CI 0.31 to 0.68)"."""
    value = number(estimate.value, sign=sign) + unit
    if estimate.low is None:
        return value
    return f"{value} (95% CI {number(estimate.low, sign=sign)} to {number(estimate.high, sign=sign)})"
