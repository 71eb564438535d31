"""Sentences on why no line is fitted between two raters' scores."""

from markscheme.phrases import counted


def few_to_link(examples: int, needed: int) -> str:
    """Say that too few examples were rated by both raters to fit a line between their scores.

    Args:
        examples: Number of examples that both rated.
        needed: Number of examples that a line needs.
    """
    return f"only {counted(examples, 'example')} rated by both; a line needs {needed}"


def few_scores_to_link(rater: str, needed: int) -> str:
    """Say that a rater gave too few different scores to fit a line between two raters' scores.

    Args:
        rater: The rater: "old" or "new".
        needed: Number of different scores that a line needs.
    """
    return f"the {rater} rater gives fewer than {needed} different scores"
