"""Smallest numbers of labels with which weights or a pass mark are fitted."""

LEAST_FOR_WEIGHTS = 30
"""Fewest labelled examples for which a weight is fitted; a judgement."""
LEAST_FOR_MARK = 50
"""Fewest labelled examples for which a pass mark is fitted; with 50, a changed mark is rarely worse than the right
one."""
LEAST_OF_EACH = 10
"""Fewest passes, and fewest fails, for which a logistic line has a slope worth testing; a judgement."""
