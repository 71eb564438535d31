"""Sentence on how often a test that requires a mean score fails by chance, although nothing changed."""

from markscheme.calibration.rates.repeats import RAREST
from markscheme.phrases import number, percent
from markscheme.stats.threshold_risk import ThresholdRisk

NEARLY_ALWAYS = 0.95
"""Probability above which a gate fails in nearly every run, which needs no figure."""


def gate_in_words(gate: ThresholdRisk) -> str:
    """Return the sentence on how often CI runs miss the threshold by chance alone, or on why that isn't known."""
    interval = gate.p_fail
    if gate.p_fail_wide is None:
        return f"{interval.undefined}."
    between = f"90% CI {number(100 * (interval.low or 0.0), 0)}–{percent(interval.high or 0.0)}"
    if gate.p_fail_wide > NEARLY_ALWAYS:
        return f"This gate would fail in nearly every run though nothing changed ({between})."
    often = f"This gate would fail in {_often(gate.p_fail_wide)} of runs though nothing changed"
    return f"{often}." if gate.p_fail_wide < 1 / RAREST else f"{often} ({between})."


def _often(chance: float) -> str:
    """Write how often something happens as a percentage; rare things as "less than 2%".

    >>> _often(0.04), _often(0.9), _often(0.001)
    ('4%', '90%', 'less than 2%')
    """
    return f"less than {percent(1 / RAREST)}" if chance < 1 / RAREST else percent(chance)
