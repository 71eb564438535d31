"""Smallest numbers of labels with which weights are fitted."""

LEAST_FOR_WEIGHTS = 30
"""Fewest labelled examples for which a weight is fitted; a judgement."""
LEAST_OF_EACH = 10
"""Fewest passes, and fewest fails, for which a logistic line has a slope worth testing; a judgement."""
