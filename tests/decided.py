"""Tables of pass/fail decisions for tests."""

from collections.abc import Sequence

import numpy as np

from markscheme import Rubric
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.example_rows import Example
from markscheme.ratings.table import Column, RatingTable


def decision_table(rubric: Rubric, examples: Sequence[Example], **decisions: Sequence[bool | None]) -> RatingTable:
    """Make a table with a row for each example and a column of decisions for each rater; None is no decision."""
    nothing, none = np.full(len(examples), np.nan), np.full(len(examples), -1)
    columns = [
        Column(name, "model", {}, {}, nothing, np.array(column, dtype=np.float64), RatingCodes(), none)
        for name, column in decisions.items()
    ]
    return RatingTable(rubric, tuple(example.id for example in examples), tuple(columns), examples=tuple(examples))
