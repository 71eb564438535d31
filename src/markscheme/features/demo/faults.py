"""Faults that can be planted in a simulated judge, and the criteria that they affect."""

from collections.abc import Mapping
from dataclasses import dataclass

NO_FAULT = "nothing"
NOWHERE = "nowhere"
HALF_A_LEVEL = 0.5
"""Shift of a faulty judge, in levels: it is found in 97 % of sets of 50 examples
(`benchmarks/results/diagnosis.md`)."""
PART_OFF = 1.5
"""Shift of a faulty judge on one system's responses, in levels: it is found in 83 % of sets of 50 examples."""
PERSON_SD = 0.45
"""Standard deviation of a person's error, in levels, as in `benchmarks/diagnosis.py`."""
JUDGE_SD = 0.55
"""Standard deviation of a sound judge's error, in levels: a little more than a person's."""
NOISY_JUDGE_SD = 1.3
"""Standard deviation of a noisy judge's error, in levels: about three times a person's."""

FAULTS: Mapping[str, str] = {
    "lenient": f"{HALF_A_LEVEL:g} levels too kind on one criterion, before and since",
    "slice": f"{PART_OFF:g} levels too kind for one system on one criterion, before and since",
    "noisy": f"errors of {NOISY_JUDGE_SD:g} levels on one criterion, not {JUDGE_SD:g}",
    "text": f"{HALF_A_LEVEL:g} levels kinder on one reworded criterion, only since then",
    NO_FAULT: "no fault: the judge is sound",
}
"""Description of each fault with its strength, by the fault's name."""

RARE_FAILS = "rare-fails"
"""Option of `--plant` that plants no single fault but shows three judges whose agreement alone is misleading."""


@dataclass(frozen=True)
class Charge:
    """A fault and the criterion that it affects: planted in a simulated judge, or found by the diagnosis of it.

    Attributes:
        fault: A name in `FAULTS`; if named by a diagnosis, it may be another code of a finding.
        subject: Name of the criterion, perhaps with the one system on whose responses the fault shows; `NOWHERE` if no
            criterion is named.
    """

    fault: str
    subject: str = NOWHERE

    def __str__(self) -> str:
        return self.fault if self.fault == NO_FAULT else f"{self.fault}, {self.subject}"


def on_system(criterion: str, system: str) -> str:
    """Return the subject of a fault that affects one criterion on only one system's responses.

    >>> on_system("tone", "delta")
    'tone on delta'
    """
    return f"{criterion} on {system}"
