"""Tables of pass/fail decisions alone, without levels or scores."""

from collections.abc import Sequence

import numpy as np

from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.example_rows import Example
from markscheme.ratings.table import Column, RatingTable
from markscheme.rubrics.rubric import Rubric


def decision_table(rubric: Rubric, examples: Sequence[Example], **decisions: Sequence[bool | None]) -> RatingTable:
    """Make a table of decisions alone: a row for each example, and a column for each rater.

    Args:
        rubric: The rubric of the decisions.
        examples: The example of each row.
        decisions: Decisions by the name of each rater: True for the examples that it passes, False for those that it
            fails, None without a decision.
    """
    n = len(examples)
    nan = np.full(n, np.nan)
    none = np.full(n, -1)
    columns = tuple(
        Column(name, "model", {}, {}, nan, np.array(column, dtype=np.float64), RatingCodes(), none)
        for name, column in decisions.items()
    )
    return RatingTable(rubric, tuple(example.id for example in examples), columns, examples=tuple(examples))
