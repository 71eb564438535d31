"""Values and defaults of the keys of a rubric that don't belong to a criterion."""

from typing import Literal, get_args

Strategy = Literal["one_shot", "per_criterion", "double_pass", "holistic"]
STRATEGY_NAMES: tuple[str, ...] = get_args(Strategy)
SubjectKind = Literal["responses", "pairs"]
SUBJECT_KINDS: tuple[SubjectKind, ...] = get_args(SubjectKind)
TrendSubject = Literal["score", "criteria"]
TREND_SUBJECTS: tuple[TrendSubject, ...] = get_args(TrendSubject)
RowRule = Literal["add", "instead", "ignore", "refuse"]
"""Ways to treat a row's own rubric next to that of the run."""
ROW_RULES: tuple[RowRule, ...] = get_args(RowRule)
MOST_SAMPLES = 1000
"""Largest number of times that a judge may be asked for one grade; more would be a costly typing error."""
MOST_PER_CALL = 10_000
"""Largest number of criteria that may be asked for in one question: more than any rubric has."""
BOTH_ORDERS = 2
"""Number of orders in which a pair is asked about by default: both, so that a judge's bias for a position shows and
doesn't decide."""
DEFAULT_PASS_MARK = 0.5
"""Default of `passingThreshold` in a file: half of what can be earned."""
DEFAULT_TOLERANCE = 0.1
"""Default of `tolerance` in a file: one step of a yes/no criterion with a tenth of the weight."""
DEFAULT_TARGET = 0.8
"""Default of `target` in a file: a judge has to agree on four examples in five."""
OF_KEY = "key"
"""Mark of a fault in one of the rubric's own keys, not in a criterion."""
