"""Statistics of arrays: agreement, reliability, error, change and prevalence, each as an Estimate with its uncertainty.

The functions that most callers need are exported here, one per family; the modules have the rest. Each name is imported
when it is first used, so that code that only needs an Estimate doesn't load numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markscheme.stats.annotators import alternative_annotator_test as alternative_annotator_test
    from markscheme.stats.annotators import ceiling as ceiling
    from markscheme.stats.annotators import gold as gold
    from markscheme.stats.coefficients import COEFFICIENTS as COEFFICIENTS
    from markscheme.stats.coefficients import agreement as agreement
    from markscheme.stats.coefficients import agreement_family as agreement_family
    from markscheme.stats.coefficients import two_raters as two_raters
    from markscheme.stats.estimate import Estimate as Estimate
    from markscheme.stats.intervals import clopper_pearson_lower as clopper_pearson_lower
    from markscheme.stats.intervals import jackknife as jackknife
    from markscheme.stats.prevalence import corrected_pass_rate as corrected_pass_rate
    from markscheme.stats.reliability import ICC_NAMES as ICC_NAMES
    from markscheme.stats.reliability import icc as icc
    from markscheme.stats.reliability import icc_family as icc_family
    from markscheme.stats.reliability import repeat_family as repeat_family
    from markscheme.stats.severity import PAIR_STATISTICS as PAIR_STATISTICS
    from markscheme.stats.severity import confusion as confusion
    from markscheme.stats.severity import error_family as error_family
    from markscheme.stats.severity import macro_family as macro_family
    from markscheme.stats.severity import pair_statistic as pair_statistic
    from markscheme.stats.severity import yes_no_family as yes_no_family
    from markscheme.stats.shares import share as share

_HOMES = {
    "COEFFICIENTS": "coefficients",
    "Estimate": "estimate",
    "ICC_NAMES": "reliability",
    "PAIR_STATISTICS": "severity",
    "agreement": "coefficients",
    "agreement_family": "coefficients",
    "alternative_annotator_test": "annotators",
    "ceiling": "annotators",
    "clopper_pearson_lower": "intervals",
    "confusion": "severity",
    "corrected_pass_rate": "prevalence",
    "error_family": "severity",
    "gold": "annotators",
    "icc": "reliability",
    "icc_family": "reliability",
    "jackknife": "intervals",
    "macro_family": "severity",
    "pair_statistic": "severity",
    "repeat_family": "reliability",
    "share": "shares",
    "two_raters": "coefficients",
    "yes_no_family": "severity",
}
"""Module of each exported name."""

if not TYPE_CHECKING:  # a type checker knows the names from the imports above
    __all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"markscheme.stats.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
