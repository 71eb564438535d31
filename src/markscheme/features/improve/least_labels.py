"""Minimum numbers of labels for fitting a rubric's weights or pass mark."""

LEAST_FOR_WEIGHTS = 30
"""Labelled examples below which no weight is tuned; a judgement."""
LEAST_FOR_MARK = 50
"""Labelled examples below which no mark is fitted; at 50 a moved mark is rarely worse than the right one."""
LEAST_OF_EACH = 10
"""Passes, and fails, below which a logistic line has no slope to speak of; a judgement."""
