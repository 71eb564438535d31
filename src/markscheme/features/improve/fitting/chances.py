"""Probabilities that a number of annotators' decisions suffices to find better weights or a better pass mark."""

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np

from markscheme.features.improve.fitting.evidence import DecisionEvidence

SIMULATED_DECISIONS = (40, 60, 80, 120, 160, 240, 320)
"""Numbers of decisions for which the chances were simulated; `benchmarks/authors.py` repeats the simulation."""
FEW_CRITERIA = 4
"""Largest number of tuned criteria for which the chances with few criteria apply."""
LEAST_SHOWN = 0.05
"""Chance below which it is called "under 1 in 10"; at most "9 in 10" is shown, since no gain is certain to be found."""
Gain = Literal["over 10 points", "5 to 10 points"]
GAINS: tuple[Gain, ...] = get_args(Gain)
CHANCES: dict[tuple[Gain, bool], tuple[float, ...]] = {
    ("over 10 points", True): (0.52, 0.64, 0.83, 0.96, 1.0, 1.0, 1.0),
    ("over 10 points", False): (0.26, 0.47, 0.69, 0.89, 0.96, 1.0, 1.0),
    ("5 to 10 points", True): (0.21, 0.39, 0.51, 0.78, 0.83, 0.93, 0.96),
    ("5 to 10 points", False): (0.08, 0.17, 0.36, 0.60, 0.72, 0.89, 0.96),
}
"""Shares of simulated rubrics whose gain was found, for each number of decisions, by the gain and by True if at most
four criteria are tuned."""
OF_PAIRS = "over 5 points"
SIMULATED_PAIRS, CHANCES_OF_PAIRS = (80, 160), (0.81, 0.97)
"""Numbers of preferences, from 80 on, and the share of simulated rubrics whose gain was found with each number."""


def simulated_size(evidence: DecisionEvidence) -> int:
    """Return the number of tasks with decisions, by which to look up the chance that a fit finds a gain.

    For preferences it is at least `SIMULATED_PAIRS[0]`, the smallest number for which fits were simulated.
    """
    n = len(evidence.tasks)
    return max(n, SIMULATED_PAIRS[0]) if evidence.is_paired else n


def chances_of(evidence: DecisionEvidence, n: int) -> Mapping[str, float]:
    """Map each size of gain in right decisions to the probability that `n` decisions or preferences show it."""
    if evidence.is_paired:
        return {OF_PAIRS: float(np.interp(n, SIMULATED_PAIRS, CHANCES_OF_PAIRS))}
    return {gain: chance_of(gain, n, len(evidence.tuned)) for gain in GAINS}


def chance_of(gain: Gain, decisions: int, criteria: int) -> float:
    """Return the probability that a fit to people's decisions finds a gain.

    It is interpolated between the numbers of decisions for which fits were simulated.

    Args:
        gain: The gain in right decisions that better weights and pass mark would bring.
        decisions: Number of people's decisions.
        criteria: Number of criteria whose weights are fitted.

    Example:
        >>> chance_of("5 to 10 points", 100, 3)
        0.645
    """
    return round(float(np.interp(decisions, SIMULATED_DECISIONS, CHANCES[gain, criteria <= FEW_CRITERIA])), 6)


def in_tenths(chance: float) -> str:
    """Format a probability as "8 in 10", rounded to tenths, at most nine.

    Example:
        >>> in_tenths(0.83)
        '8 in 10'
    """
    return f"{min(9, round(10 * chance))} in 10" if chance >= LEAST_SHOWN else "under 1 in 10"
