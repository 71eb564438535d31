"""Sentences on how many labels to add; they need no statistics, so that `status` and the labelling page start fast."""

from typing import Literal, TypeAlias

from markscheme.phrases import percent
from markscheme.stats.labels_needed import EVEN, DecisiveLabels

ASKED_OF_TRENDS = "how good the judge is"
"""The question that more labels are to answer, in words, for a rubric without pass or fail."""

ScarceDecision: TypeAlias = tuple[Literal["fail", "pass"], float]
"""The rarer of people's decisions, if the verdict depends on it and few labels have it, with its share of all labels, 0
to 1."""


def _of_scarce_decision(scarce: ScarceDecision, more: int) -> str:
    """Say how many of the further labels will probably be of the rarer decision, on which the verdict depends.

    Args:
        scarce: The rarer decision, "pass" or "fail", and its share among the labels.
        more: Number of further labels.

    Example:
        >>> _of_scarce_decision(("fail", 0.1), 40)
        'about 4 of them will be fails, and those decide.'
    """
    decision, share = scarce
    of_them = max(1, round(more * share))
    if of_them == 1:
        return f"about one of them will be a {decision}, and that decides."
    plural = "fails" if decision == "fail" else "passes"
    return f"about {of_them} of them will be {plural}, and those decide."


def labels_to_add(
    labels: DecisiveLabels,
    *,
    by_people: bool = True,
    new_groups: bool = False,
    scarce: ScarceDecision | None = None,
    counted_as: str | None = None,
    to_say: str = "whether the judge can gate",
    has_fails: bool = False,
) -> str:
    """Say how many labels to add, and how likely they are to answer a question, such as whether the judge can gate.

    Args:
        labels: Number of labels to add, with the chance that they answer the question.
        by_people: True if people have labelled examples already.
        new_groups: True if examples share groups, so that labels on new groups would show more than labels on groups
            with labels.
        scarce: The decision that few labels have and that the verdict depends on; None if there is none, or if the
            labels are for a first verdict.
        counted_as: The number in other units than examples, such as "5 more tasks"; None to count examples.
        to_say: The question that the labels are to answer, as an indirect question.
        has_fails: True if single responses pass or fail, so that a first verdict also depends on how many fail.

    Example:
        >>> labels_to_add(DecisiveLabels(40, 0.56), scarce=("fail", 0.1))
        'Label about 40 more; about 4 of them will be fails, and those decide.'
        >>> labels_to_add(DecisiveLabels(40, 0.56)), labels_to_add(DecisiveLabels(480, 0.4166))
        ('Label about 40 more for an even chance to say whether the judge can gate.', 'Label about 480 more; the \
chance to say whether the judge can gate is then still only 42%.')
    """
    if not labels.more:
        return "Enough examples are labelled for a first verdict: have the judge grade them."
    number_of = counted_as or f"{labels.more:,} {'more' if by_people else 'by hand'}"
    few_decide = "" if scarce is None or labels.assumed is not None else _of_scarce_decision(scarce, labels.more)
    if few_decide and labels.chance >= EVEN and not new_groups:
        return f"Label about {number_of}; {few_decide}"
    after = f" {few_decide[:1].upper()}{few_decide[1:]}" if few_decide else ""
    fewer = ", or fewer from new groups," if new_groups else ""
    to_decide = f"to say {to_say}"
    if labels.chance < EVEN:
        return f"Label about {number_of}; the chance {to_decide} is then still only {percent(labels.chance)}.{after}"
    if labels.assumed is None:
        return f"Label about {number_of}{fewer} for an even chance {to_decide}.{after}"
    agrees = f"it agrees on {percent(labels.assumed)}"
    assumed = f"half of them are fails and {agrees}" if has_fails else f"{agrees} of them"
    return f"Label about {number_of} for an even chance {to_decide}, if {assumed}."
