"""Descriptions of labels in words: how many examples are labelled, and by whom."""

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.phrases import counted

LABELS_IN_WORDS = {
    "adjudicated": "adjudicated labels",
    "people": "labels of two or more annotators",
    "one-person": "one annotator per example",
    "constructed": "synthetic labels",
    "model": "labels by a model",
}
"""Name of the labels that gold is based on, by kind of gold."""
_KINDS = {
    "human": ("annotator", "annotators"),
    "adjudicated": ("adjudicator", "adjudicators"),
    "constructed": ("source of synthetic labels", "sources of synthetic labels"),
    "model": ("labelling model", "labelling models"),
}


def labels_in_words(reference: str, by_two: int | None) -> str:
    """Describe whose labels gold is based on, such as "one annotator per example".

    Args:
        reference: The kind of gold.
        by_two: Number of examples that two annotators labelled, if these are too few for gold to count as that of two
            annotators; else 0. None if several annotators labelled, and it isn't known on how many examples two did.
    """
    if by_two is None:
        return "labels of several annotators"
    some = f"labels of one annotator, of several on {counted(by_two, 'example')}"
    return some if by_two else LABELS_IN_WORDS[reference]


def labels_in_short(comparison: Comparison, part: tuple[str, int] | None = None) -> str:
    """Describe how many examples are labelled, and how many raters of each kind there are.

    For a table that was read without a rubric, the number is that of the examples that are compared.

    Args:
        comparison: The comparison with the labels.
        part: Name of the split that is compared, and the number of labelled examples in the whole set; None for the
            whole set.
    """
    gold = comparison.gold
    kinds = ", ".join(
        counted(n, *_KINDS.get(kind, (f"{kind} rater", f"{kind} raters"))) for kind, n in gold.kinds.items()
    )
    n = gold.n if comparison.rubric.table_of is None else int(np.sum(~np.isnan(comparison.hits)))
    examples = counted(n, "example")
    if part is not None:
        split, whole = part
        examples = f"{gold.n:,} of {counted(whole, 'example')} ({split})"
    return f"{examples}, {kinds}"
