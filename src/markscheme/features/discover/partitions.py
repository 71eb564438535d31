"""Agreement of two groupings of the same items."""

from collections import Counter
from collections.abc import Hashable, Sequence
from math import comb


def adjusted_rand(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Compute the adjusted Rand index of two groupings: agreement on which pairs are together, corrected for chance.

    Args:
        first, second: The group of each item, in the same order.

    Returns:
        1 for equal groupings, 0 for agreement as by chance, below 0 for less; 1 also if both groupings have all items
        in one group, or each in a group of its own.

    Raises:
        ValueError: The groupings are of different items, which is the caller's mistake.

    Source:
        Hubert and Arabie (1985), Journal of Classification 2, 193-218. doi:10.1007/BF01908075

    Example:
        >>> adjusted_rand("aabb", "xxyy"), round(adjusted_rand("aabb", "xyxy"), 2)
        (1.0, -0.5)
    """
    if len(first) != len(second):
        raise ValueError("two groupings of the same things have the same length")
    together = sum(comb(n, 2) for n in Counter(zip(first, second, strict=True)).values())
    in_first = sum(comb(n, 2) for n in Counter(first).values())
    in_second = sum(comb(n, 2) for n in Counter(second).values())
    pairs = comb(len(first), 2)
    expected = in_first * in_second / pairs if pairs else 0.0
    most = (in_first + in_second) / 2
    return 1.0 if most == expected else (together - expected) / (most - expected)
