"""Faults of a judge on categories: it seldom chooses some of them for examples that gold puts in them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from markscheme.calibration.findings import kinds
from markscheme.calibration.findings.evidence import (
    CriterionEvidence,
    Evidence,
    significant,
    with_ci,
)
from markscheme.calibration.findings.finding import Finding
from markscheme.phrases import percent
from markscheme.stats import Estimate
from markscheme.stats.intervals import Flags, Floats
from markscheme.stats.shares import FEWEST_SHOWN, share

LEAST_RECALL = 0.5
"""Share of the examples with a gold label on which the judge gives it too; below this share the judge rarely finds the
label, since it misses more than it finds."""


class _Label(NamedTuple):
    """One category of a criterion, with figures of how often the judge chooses it for examples that gold puts in it."""

    name: str
    value: float
    criterion: CriterionEvidence

    @property
    def examples(self) -> Flags:
        """Flags of the examples whose gold level is this category and that the judge rated, shape (n_examples,)."""
        return np.asarray(self.criterion.both & (self.criterion.gold == self.value))

    @property
    def hits(self) -> Floats:
        """Array with 1 where gold and judge choose the category, 0 where only gold does, nan where gold doesn't."""
        return np.where(self.examples, self.criterion.judge == self.value, np.nan).astype(np.float64)

    def recall(self, level: float) -> Estimate:
        """Estimate the share of the examples with this gold category for which the judge chooses it too.

        Args:
            level: Coverage of the interval, 0 to 1.
        """
        return share(self.hits, self.criterion.groups, level=level)


def rarely_found(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Yield findings on categories that the judge chooses for fewer than half of the examples that gold puts in them.

    The tests are corrected for the number of categories tested.
    """
    of_categories = [criterion for criterion in criteria.values() if not criterion.scale.ordered]
    labels = {
        f"{criterion.name} {value}": _Label(criterion.scale.level_name(float(value)), float(value), criterion)
        for criterion in of_categories
        for value in criterion.levels
    }
    looked = {key: label for key, label in labels.items() if label.criterion.count(label.examples) >= FEWEST_SHOWN}
    missed = significant(looked, _Label.recall, lambda _, estimate: estimate.below(LEAST_RECALL), sides=2)
    for criterion in of_categories:
        of_criterion = [(looked[key], recall) for key, recall in missed.items() if looked[key].criterion is criterion]
        if of_criterion:
            yield _finding(evidence, criterion, of_criterion)


def _finding(evidence: Evidence, criterion: CriterionEvidence, missed: list[tuple[_Label, Estimate]]) -> Finding:
    """Make the finding on a criterion: categories the judge misses, what it chooses instead, and examples.

    Args:
        evidence: The evidence on all examples.
        criterion: The evidence on the criterion.
        missed: The missed categories, each with the share of its examples on which the judge chooses it.
    """
    wrong = np.any([label.hits == 0 for label, _ in missed], axis=0)
    worst = evidence.worst(wrong.astype(np.float64))
    instead = criterion.scale.level_name(criterion.modal(np.where(wrong, criterion.judge, np.nan))[0])
    names = " and ".join(label.name for label, _ in missed)
    counts = "; ".join(
        f"the judge finds {criterion.count(label.hits == 1)} of {recall.n} examples of {label.name}, "
        f"{with_ci(recall, lambda value: percent(value or 0.0))}"
        for label, recall in missed
    )
    return evidence.finding(
        kinds.RARELY_FOUND,
        criterion,
        f"{counts}. Most often it says {instead}.",
        f"Say in {criterion.name} what makes a response {names} rather than {instead}: "
        f"{evidence.both_levels(criterion, worst)}.",
        shows={"recall": {label.name: recall.to_json() for label, recall in missed}, "instead": instead},
        worst=worst,
        gain=evidence.gain({criterion.name: np.where(wrong, criterion.gold, np.nan)}),
    )
