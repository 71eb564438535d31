"""Annotators' decisions that can support a guarantee."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from markscheme.calibration.whole_labels import WholeLabels
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import PEOPLE, Kind
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.intervals import Flags, Floats

WHOLE_POOL = "all"
"""Stratum of an output that `label --next` drew from a pool without strata."""


def drawn_at_random(examples: Sequence[Example]) -> Flags:
    """Return flags of the examples that were drawn at random, shape (n,).

    An example that was drawn with a recorded chance is flagged only if it was drawn from the whole pool, and every
    example of that draw had the same chance.

    Args:
        examples: The examples, with how they were drawn.
    """
    weights: dict[str, set[float]] = {}
    for example in examples:
        weights.setdefault(example.draw, set()).add(example.weight)
    return np.array(
        [
            example.drawn in (None, "random")
            or (example.draw != "" and example.stratum == WHOLE_POOL and len(weights[example.draw]) == 1)
            for example in examples
        ],
        dtype=bool,
    )


@dataclass(frozen=True)
class DecidedLabels:
    """Annotators' pass/fail decisions, by which judges' decisions are tested: stated, or derived from their levels.

    Attributes:
        ids: Ids of the examples.
        passed: Annotators' decision on each example, shape (n,), 1 for pass.
        groups: Name of each example's group; None if there are no groups.
        explicit: Number of decisions that annotators stated: pass or fail for the whole response. All other decisions
            are derived from annotators' levels, by the pass mark and required criteria.
        used: Number of decided examples left out because weights or the pass mark were fitted to them.
        not_random: Number of other decided examples left out because they weren't drawn at random.
    """

    ids: tuple[str, ...]
    passed: Floats
    groups: tuple[str, ...] | None
    explicit: int
    used: int = 0
    not_random: int = 0

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
    """Return annotators' decisions on examples drawn at random that no weight or pass mark was fitted to.

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
    is_decided = ~np.isnan(decided)
    is_used = np.isin(labels.truth.ids, list(used))
    at_random = drawn_at_random(labels.truth.examples)
    counts = is_decided & at_random & ~is_used
    stated = [label for label in labels.ratings if label.kind in PEOPLE and label.passed is not None]
    passed = labels.means(stated, rubric, decisions=True)[counts]
    explicit = int((~np.isnan(passed) & (passed != 0.5)).sum())
    truth = labels.truth.rows(counts)
    not_random = int((is_decided & ~is_used & ~at_random).sum())
    return DecidedLabels(
        truth.ids, decided[counts], truth.groups, explicit, int((is_decided & is_used).sum()), not_random
    )
