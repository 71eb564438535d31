"""Sentence on the decisions that a promise was tested on: given by annotators, or computed from their labels."""

from markscheme.features.certify.decided_labels import DecidedLabels
from markscheme.grading.score import must_pass
from markscheme.phrases import counted, in_words, rounded
from markscheme.rubrics.rubric import Rubric


def origins_in_words(labels: DecidedLabels, rubric: Rubric) -> str:
    """Say if annotators decided on responses themselves, or if their decisions are derived from their labels.

    Return "" if there are no decisions, or if a table's values are themselves passes and fails.

    Args:
        labels: The decisions.
        rubric: The rubric whose pass mark and required criteria turn labels into decisions.
    """
    n = len(labels.ids)
    by_levels = n - labels.explicit
    if not n or rubric.table_of == "pass-fail":  # a table's own words pass or fail
        return ""
    if not by_levels:
        return f"Annotators passed or failed {'it' if n == 1 else f'all {n}'} themselves."
    required = " with every required criterion passed" if any(map(must_pass, rubric.criteria)) else ""
    rule = f"a score of {rounded(rubric.pass_mark)} or more{required} passes"
    if not labels.explicit:
        return f"Annotators' decisions follow from their labels: {rule}."
    explicit = counted(labels.explicit, "decision was given", "decisions were given")
    return f"{explicit} by annotators; {by_levels} more follow from their labels: {rule}."


def left_out_in_words(labels: DecidedLabels) -> str:
    """Say how many decided examples can't be used to test judges' decisions, and why; "" if all can.

    Args:
        labels: The decisions that can be used, with the numbers of those left out.
    """
    reasons = (
        (labels.used, "chose weights or pass mark"),
        (labels.not_random, "weren't drawn at random" if labels.not_random > 1 else "wasn't drawn at random"),
    )
    of_reasons = [f"{count} {reason}" for count, reason in reasons if count]
    return f"Other decided examples don't count: {in_words(of_reasons)}." if of_reasons else ""
