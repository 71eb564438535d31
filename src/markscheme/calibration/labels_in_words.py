"""How many labels to add, in a sentence; it needs no statistics, so that `status` and the labelling page start fast."""

from dataclasses import dataclass
from typing import Literal

from markscheme.phrases import percent
from markscheme.stats.labels_needed import EVEN, DecisiveLabels

_TO_DECIDE = "to say whether the judge can gate"


@dataclass(frozen=True, slots=True)
class ScarceDecision:
    """A decision of people that few labels have, where those few decide.

    Attributes:
        decision: Whether fails or passes are scarce.
        share: Their share of all labels, 0 to 1.
    """

    decision: Literal["fail", "pass"]
    share: float

    def among(self, more: int) -> str:
        """Say how many of so many further labels will be such.

        Example:
            >>> ScarceDecision("fail", 0.1).among(40)
            'About 4 of them will be fails, and those decide.'
        """
        of_them = max(1, round(more * self.share))
        if of_them == 1:
            return f"About one of them will be a {self.decision}, and that decides."
        plural = "fails" if self.decision == "fail" else "passes"
        return f"About {of_them} of them will be {plural}, and those decide."


def labels_to_add(labels: DecisiveLabels, *, by_people: bool = True, new_groups: bool = False) -> str:
    """How many labels to add, and how likely they are to decide.

    Args:
        labels: How many, with their chance.
        by_people: Whether people have labelled before.
        new_groups: Whether examples share groups, so that those of new groups say more.

    Example:
        >>> labels_to_add(DecisiveLabels(40, 0.56)), labels_to_add(DecisiveLabels(480, 0.4166))
        ('Label about 40 more for an even chance to say whether the judge can gate.', 'Label about 480 more; the \
chance to say whether the judge can gate is then still only 42%.')
    """
    if not labels.more:
        return "Enough examples are labelled for a first verdict: have the judge grade them."
    number_of = f"{labels.more:,} {'more' if by_people else 'by hand'}"
    fewer = ", or fewer from new groups," if new_groups else ""
    if labels.chance < EVEN:
        return f"Label about {number_of}; the chance {_TO_DECIDE} is then still only {percent(labels.chance)}."
    if labels.assumed is None:
        return f"Label about {number_of}{fewer} for an even chance {_TO_DECIDE}."
    return (
        f"Label about {number_of} for an even chance {_TO_DECIDE}, if it agrees on {percent(labels.assumed)} of them."
    )
