"""Ratings of pairs as numbers: preferences, and levels that change sign when the responses are swapped."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from markscheme.calibration.comparison.measure import (
    EQUAL,
    OF_DECISION,
    OF_SCORE,
    CriterionComparison,
    Measure,
    Measured,
    criterion_meant,
)
from markscheme.features.pairs.mirrored import pair_agreement_family
from markscheme.ratings.table import Column
from markscheme.rubrics.preference import LEVEL_OF, TIE_ROUNDING, preferred
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats import Estimate
from markscheme.stats.intervals import Floats

OF_PREFERENCE: Literal["preference"] = "preference"


@dataclass(frozen=True)
class PairMeasure(Measure):
    """Measure on which two raters of pairs are compared: their preferences, or their levels on one criterion.

    Attributes:
        tie_within: Largest distance of a score from the middle that is a tie.
    """

    tie_within: float = 0.0
    mirrored = True

    def values(self, column: Column) -> Floats:
        """Return a rater's preferences, or the merits of its levels, shape (n_pairs,); nan where it gave no rating."""
        if self.of == OF_PREFERENCE:
            return preferences_of_scores(column.scores, self.tie_within)
        return super().values(column)

    def in_words(self, value: float) -> str:
        """Return in words which response a value prefers if preferences are compared, else the name of the level."""
        return preferred(value, self.tie_within) if self.of == OF_PREFERENCE else super().in_words(value)

    def level_figures(self, compared: CriterionComparison) -> Mapping[str, Estimate]:
        """Compute a criterion's agreement figures, which don't depend on which response of a pair is stored first."""
        levels = sorted(set(compared.criterion.scale.values))
        return pair_agreement_family(compared.gold, compared.judge, levels=levels, groups=compared.groups)


def measure_of_pairs(rubric: Rubric, of: Measured, _: float | None = None) -> PairMeasure:
    """Make the measure for comparing raters of pairs.

    Args:
        rubric: The rubric of pairs.
        of: What is compared: a criterion or its name, for the levels on it; anything else, for preferences.
        _: The tolerance, which doesn't matter for pairs.

    Raises:
        UsageError: No criterion has that name.
    """
    if of in (OF_SCORE, OF_DECISION, OF_PREFERENCE) or not isinstance(of, str | Criterion):
        ties = any(LEVEL_OF["tie"] in criterion.scale.values for criterion in rubric.criteria)
        constants = (0.0, 0.5, 1.0) if ties else (0.0, 1.0)
        return PairMeasure(OF_PREFERENCE, EQUAL, constants=constants, tie_within=rubric.tie_within)
    return PairMeasure(criterion_meant(rubric, of), EQUAL)


def preferences_of_scores(scores: Floats, tie_within: float) -> Floats:
    """Convert scores to preferences: 0 for the first response, ½ for a tie, 1 for the second; nan without a score.

    Args:
        scores: Scores of pairs, 0 to 1; above ½ if the second response is better.
        tie_within: Largest distance from ½, times 2, that still counts as a tie.
    """
    lean = 2 * scores - 1
    decided = np.where(np.abs(lean) <= tie_within + TIE_ROUNDING, 0.5, (lean > 0).astype(np.float64))
    return np.where(np.isnan(scores), np.nan, decided)
