"""Advice on faults in a table without a rubric: there are no criteria, no wording and no judge to ask again."""

from typing import Final

from markscheme.calibration.findings.kinds import (
    AMBIGUOUS,
    BROKEN_SLICE,
    DEAD,
    LEVEL_OF_NOBODY,
    NOISY_JUDGE_OR_LABELS,
    TOO_FEW_LABELS,
    UNREADABLE,
    FindingKind,
)

ON_LABELS: Final = {
    AMBIGUOUS.short: "First have annotators agree on the examples on which they differ: {ids}.",
    DEAD.short: "Label responses that differ more.",
    NOISY_JUDGE_OR_LABELS.short: "Have a second annotator label 30 of these examples, first {ids}.",
    UNREADABLE.short: "Look first at the cells of {ids}.",
    BROKEN_SLICE.short: "Read {ids} together. Until then let people decide there.",
}
"""Advice for findings on the labels or cells of a table, by the short name of the kind of finding."""


def advice_without_rubric(kind: FindingKind, suggestion: str, ids: str, both_levels: str) -> str:
    """Return the suggestion for a fault found in a table without a rubric, in place of an edit of the rubric.

    Args:
        kind: The kind of finding.
        suggestion: What the author of a rubric would do.
        ids: Ids of the examples that show the fault best, as text.
        both_levels: The levels by judge and people on these examples, as text; "" if the fault isn't about one column.
    """
    if kind is TOO_FEW_LABELS:
        return suggestion
    if kind is LEVEL_OF_NOBODY:
        return "Label responses of every quality."
    if kind.short in ON_LABELS:
        return ON_LABELS[kind.short].format(ids=ids)
    return f"Read these before you change the judge: {both_levels or ids}."
