"""Faults that can be planted in a simulated judge, and where."""

from collections.abc import Mapping
from dataclasses import dataclass

NOTHING = "nothing"
NOWHERE = "nowhere"
HALF_A_LEVEL = 0.5
PART_OFF = 1.5
PERSON, JUDGE, NOISY = 0.45, 0.55, 1.3
"""Standard deviations, in levels, of how a person, a judge and a noisy judge miss the true level."""

FAULTS: Mapping[str, str] = {
    "lenient": f"on one criterion the judge lies {HALF_A_LEVEL:g} levels above people, and always did",
    "slice": f"on one criterion, for one system of four, it lies {PART_OFF:g} levels too high, and always did",
    "noisy": f"on one criterion its errors have a standard deviation of {NOISY:g} levels, a person's {PERSON:g}, and "
    "always had",
    "text": f"the new wording of one of the two reworded criteria makes the judge {HALF_A_LEVEL:g} levels kinder",
    NOTHING: "the judge is sound",
}
"""Each fault by name, with its strength in a sentence."""


@dataclass(frozen=True)
class Charge:
    """A fault and the place where it is: what was planted, or what a diagnosis says.

    Attributes:
        fault: One of `FAULTS`; a diagnosis may say another code of a finding.
        place: A criterion, a criterion on a system, or `NOWHERE`.
    """

    fault: str
    place: str = NOWHERE

    def __str__(self) -> str:
        return self.fault if self.fault == NOTHING else f"{self.fault}, {self.place}"


def on_system(criterion: str, system: str) -> str:
    """The place of a fault that shows on one system's responses only.

    >>> on_system("tone", "delta")
    'tone on delta'
    """
    return f"{criterion} on {system}"
