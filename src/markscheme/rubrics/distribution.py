"""Probabilities that a rater gives the levels of a criterion: reading, averaging, and the level they imply."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from markscheme.phrases import number, probability
from markscheme.plain_data import shown
from markscheme.rubrics.criterion import Criterion, Scale

Probabilities: TypeAlias = tuple[float, ...]
"""Probability of each level, in the scale's order (UNMET, MET), also for a fault; they sum to 1. Empty if unknown."""

SUM_WITHIN = 0.05
"""Largest difference from 1 at which a sum of probabilities is scaled to 1: providers promise about 1, and some
round to two decimals."""
TIED = 1e-9
"""Difference below which two probabilities are tied, since sums and means are rounded."""


def read_distribution(written: Any, options: Sequence[str]) -> Probabilities:
    """Read the probability of each option from an object; scale the probabilities so that they sum to 1.

    Args:
        written: A mapping from each option, and no other keys, to its probability.
        options: The options as spelled in `written`, in the order of the result.

    Raises:
        ValueError: The keys aren't the options, a value isn't a number from 0 to 1, or the sum isn't about 1.

    Example:
        >>> read_distribution({"MET": 0.93, "UNMET": 0.07}, ("UNMET", "MET"))
        (0.07, 0.93)
    """
    if not isinstance(written, Mapping):
        raise ValueError(f"probabilities are an object with a number for each level, found {shown(written)}")
    missing = [option for option in options if option not in written]
    if missing:
        raise ValueError(f"no probability for {', '.join(missing)}")
    extra = [shown(name) for name in written if name not in options]
    if extra:
        raise ValueError(f"a probability for {', '.join(extra)}; the levels are {', '.join(options)}")
    shares = [_probability(option, written[option]) for option in options]
    whole = math.fsum(shares)
    if abs(whole - 1) > SUM_WITHIN + TIED:
        raise ValueError(f"probabilities sum to {number(whole)}, expected about 1")
    return tuple(share / whole for share in shares)


def _probability(option: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"the probability of {option} is a number from 0 to 1, found {shown(value)}")
    return float(value)


def as_written(probabilities: Probabilities, scale: Scale) -> dict[str, float]:
    """Return each level's probability by the answer that chooses the level, such as "MET" or "3", as in files."""
    return dict(zip(scale.choices, probabilities, strict=True))


def most_probable(probabilities: Probabilities, criterion: Criterion) -> float:
    """Return the value of the most probable level; in a tie, of the level that scores worse.

    Example:
        >>> most_probable((0.5, 0.5), Criterion(1.0, "Polite")), most_probable((0.5, 0.5), Criterion(-1.0, "Rude"))
        (0.0, 1.0)
    """
    most = max(probabilities)
    tied = [value for value, p in zip(criterion.scale.values, probabilities, strict=True) if most - p <= TIED]
    return min(tied, key=lambda value: criterion.worth(criterion.scale.position(value)) or 0.0)


def mean_level(probabilities: Probabilities, scale: Scale) -> float:
    """Return the mean of the levels' values, weighted by their probabilities.

    Example:
        >>> mean_level((0.25, 0.5, 0.25), Scale.numbered(1, 3))
        2.0
    """
    low, high = scale.ends
    mean = math.fsum(value * p for value, p in zip(scale.values, probabilities, strict=True))
    return min(high, max(low, mean))


def mean_distribution(several: Sequence[Probabilities]) -> Probabilities:
    """Return the mean of several distributions over the same levels; () if any of the distributions is unknown."""
    if not several or not all(several):
        return ()
    return tuple(math.fsum(of_level) / len(several) for of_level in zip(*several, strict=True))


def shown_with_probability(level: float, probabilities: Probabilities, scale: Scale) -> str:
    """Write a level for a report with its probability, as in "MET .93", or alone if its probability isn't known.

    Example:
        >>> from markscheme.rubrics.criterion import YES_NO
        >>> shown_with_probability(1.0, (0.07, 0.93), YES_NO), shown_with_probability(1.0, (0.0, 1.0), YES_NO)
        ('MET .93', 'MET 1.00')
    """
    name = scale.level_name(level)
    index = scale.place_of(level)
    return name if index is None or not probabilities else f"{name} {probability(probabilities[index])}"
