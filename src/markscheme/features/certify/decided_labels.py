"""Annotators' decisions that can support a guarantee."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from markscheme.calibration.whole_labels import WholeLabels
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import PEOPLE, Kind
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.intervals import Flags, Floats


def may_promise(labels: WholeLabels, used: Collection[str]) -> Flags:
    """Return flags of the examples that can support a promise, shape (n,).

    These examples were drawn at random, and haven't been used to tune a threshold.

    Args:
        labels: Annotators' decisions on the examples.
        used: Ids of the examples that have been used to tune a threshold.
    """
    at_random = np.array([example.drawn in (None, "random") for example in labels.truth.examples], dtype=bool)
    return np.asarray(at_random & ~np.isin(labels.truth.ids, list(used)))


@dataclass(frozen=True)
class DecidedLabels:
    """Annotators' pass/fail decisions by which a promise can be tested: stated by annotators, or derived from levels.

    Attributes:
        ids: Ids of the examples.
        passed: Annotators' decision on each example, shape (n,), 1 for pass.
        groups: Name of each example's group; None if there are no groups.
        explicit: Number of decisions that annotators stated: pass or fail for the whole response. All other decisions
            are derived from annotators' levels, by the pass mark and required criteria.
    """

    ids: tuple[str, ...]
    passed: Floats
    groups: tuple[str, ...] | None
    explicit: int

    @property
    def n_groups(self) -> int | None:
        """Number of groups of examples; None if examples have no groups."""
        return None if self.groups is None else len(set(self.groups))

    def wrong(self, passes: Flags) -> Flags:
        """Mark the examples on which a judge's decisions differ from annotators', shape (n,).

        Args:
            passes: Flags of the examples that the judge passes, shape (n,).
        """
        return np.asarray(passes != (self.passed == 1))


def decided_labels(
    rubric: Rubric, examples: ExampleSet, kind: Kind | None = None, used: Collection[str] = ()
) -> DecidedLabels:
    """Return annotators' decisions on examples drawn at random that haven't been used to tune a threshold.

    The decisions are explicit ones, or else follow from gold's score, the pass mark and required criteria. Even splits
    are left out.

    Args:
        rubric: The rubric, with its pass mark and required criteria.
        examples: The examples with their labels.
        kind: The kind of labels that count; None for the strongest kind that the examples have.
        used: Ids of the examples by which weights or the pass mark were fitted; they are left out.

    Raises:
        ComparisonError: No example is labelled.
    """
    labels = WholeLabels.of(examples, rubric, kind)
    decided = np.where(labels.clear & labels.truth.has_people, labels.truth.decisions, np.nan)
    counts = ~np.isnan(decided) & may_promise(labels, used)
    stated = [label for label in labels.ratings if label.kind in PEOPLE and label.passed is not None]
    passed = labels.means(stated, rubric, decisions=True)[counts]
    explicit = int((~np.isnan(passed) & (passed != 0.5)).sum())
    truth = labels.truth.rows(counts)
    return DecidedLabels(truth.ids, decided[counts], truth.groups, explicit)
