"""Statistics on arrays: agreement, reliability, error, change and prevalence, each as an Estimate with its uncertainty.

The functions most callers need are exported here, one per family; the modules hold the rest.
"""

from markscheme.stats.annotators import alternative_annotator_test, ceiling, gold
from markscheme.stats.coefficients import COEFFICIENTS, agreement, agreement_family, two_raters
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import clopper_pearson_lower, jackknife
from markscheme.stats.prevalence import corrected_pass_rate
from markscheme.stats.reliability import ICC_NAMES, icc, icc_family, repeat_family
from markscheme.stats.severity import (
    PAIR_STATISTICS,
    confusion,
    error_family,
    macro_family,
    pair_statistic,
    yes_no_family,
)
from markscheme.stats.shares import share

__all__ = [
    "COEFFICIENTS",
    "ICC_NAMES",
    "PAIR_STATISTICS",
    "Estimate",
    "agreement",
    "agreement_family",
    "alternative_annotator_test",
    "ceiling",
    "clopper_pearson_lower",
    "confusion",
    "corrected_pass_rate",
    "error_family",
    "gold",
    "icc",
    "icc_family",
    "jackknife",
    "macro_family",
    "pair_statistic",
    "repeat_family",
    "share",
    "two_raters",
    "yes_no_family",
]
