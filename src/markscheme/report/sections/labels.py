"""Labels in words: how many examples have them, and whose they are."""

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
"""What gold is based on."""
_KINDS = {
    "human": ("annotator", "annotators"),
    "adjudicated": ("adjudicator", "adjudicators"),
    "constructed": ("source of synthetic labels", "sources of synthetic labels"),
    "model": ("labelling model", "labelling models"),
}


def labels_in_short(comparison: Comparison, part: tuple[str, int] | None = None) -> str:
    """Describe how many examples are labelled, of a table how many are compared, and by how many raters of each kind.

    Args:
        comparison: With their labels.
        part: Which part of a set they are, and how many labelled examples the whole set has; None for the whole.
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
