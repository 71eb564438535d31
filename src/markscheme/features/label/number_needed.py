"""The number of labels that a verdict still needs, for commands that can't do without one."""

from markscheme.calibration.next_labels import NextLabels
from markscheme.errors import UsageError


def number_needed(next_labels: NextLabels) -> int:
    """Return the number of labels that the verdict still needs.

    Raises:
        UsageError: The verdict needs no more labels, or it isn't known how many.
    """
    if next_labels.labels is None or not next_labels.labels.more:
        refusal = "the verdict asks for no number of labels: say how many, --next N."
        raise UsageError(refusal if next_labels.in_words is None else f"{refusal} {next_labels.in_words}")
    return next_labels.labels.more
