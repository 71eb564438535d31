"""Weights fitted to annotators' overall scores, for labels without enough pass/fail decisions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from markscheme.calibration.whole_labels import WholeLabels
from markscheme.features.improve.weights import WEIGHTS_P, TunedWeights, fit_weights
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import PEOPLE
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import overall_of, positions
from markscheme.rubrics.edit import Changes
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.intervals import Flags, Floats

COMPUTED = 0.005
"""Largest difference of an overall score from that of the same rater's levels with which it counts as computed."""
MOSTLY = 0.9
"""Share of the scores that must be computed from levels before all are assumed to be; a judgement."""
FOLDS_SEED = 1
"""Random seed of the split into folds, fixed so that equal labels give equal weights."""


@dataclass(frozen=True)
class OwnScores:
    """Annotators' overall scores of responses, with their levels on the criteria, to fit weights to.

    Attributes:
        rubric: The rubric.
        labels: The labels.
        marks: Mean of the overall scores that weren't computed from levels, shape (n,); nan where there is none.
        computed: Number of overall scores that equal the score of the same rater's levels.
        mostly_computed: True if `computed` is over nine in ten of the overall scores given with levels.
        levels: Positions of the levels on their scales, 0 to 1, shape (n, k); nan where there is none.
        complete: Flags of the responses on which every criterion has a level or doesn't apply, shape (n,).
    """

    rubric: Rubric
    labels: WholeLabels
    marks: Floats
    computed: int
    mostly_computed: bool
    levels: Floats
    complete: Flags

    @classmethod
    def of(cls, rubric: Rubric, examples: ExampleSet) -> "OwnScores":
        """Collect annotators' overall scores on a set of examples.

        Raises:
            ComparisonError: No example is labelled.
        """
        labels = WholeLabels.of(examples, rubric, None)
        truth = labels.truth
        levels = np.column_stack([positions(c.scale, truth.levels[c.name]) for c in rubric.criteria])
        skipped = np.column_stack([truth.skipped[c.name] for c in rubric.criteria])
        earned = _earned_scores(labels.ratings, rubric)
        judged = [label for label, score in earned if score is None or not _is_computed(label, score)]
        with_levels = sum(score is not None for _, score in earned)
        computed = len(earned) - len(judged)
        return cls(
            rubric,
            labels,
            marks=np.where(labels.clear, labels.means(judged, rubric, decisions=False), np.nan),
            computed=computed,
            mostly_computed=computed > MOSTLY * with_levels > 0,
            levels=levels,
            complete=np.asarray((~np.isnan(levels) | skipped).all(axis=1)),
        )

    @property
    def counts(self) -> Flags:
        """Mask of the responses that have an overall score and all levels from annotators, shape (n,)."""
        return np.asarray(self.complete & ~np.isnan(self.marks) & self.labels.truth.has_people)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the responses that have an overall score and all levels from annotators."""
        return tuple(np.array(self.labels.truth.ids, dtype=object)[self.counts].tolist())

    @property
    def raters(self) -> tuple[str, ...]:
        """Names of the people who gave scores, in order."""
        return tuple(
            sorted(
                {
                    label.rater
                    for example in self.labels.truth.examples
                    for label in example.labels
                    if label.kind in PEOPLE and label.overall is not None
                }
            )
        )

    @cached_property
    def lack(self) -> str | None:
        """Sentence on the labels that are missing to fit weights; None if no labels are missing."""
        without_a_look = self.fitted()
        if without_a_look.p is not None:
            return None
        computed = "these marks were computed with your weights; " if self.mostly_computed else ""
        return f"{computed}{without_a_look.reason}"

    def fitted(self, *, opening: int = 1) -> TunedWeights:
        """Fit weights to annotators' overall scores.

        Args:
            opening: Ordinal of this fit, from 1, among the fits to these labels; each earlier fit halves the
                significance level.
        """
        return fit_weights(
            np.where(self.counts[:, None], self.levels, np.nan),
            self.marks,
            [criterion.weight for criterion in self.rubric.criteria],
            generator=np.random.default_rng(FOLDS_SEED),
            fixed=[criterion.required for criterion in self.rubric.criteria],
            groups=self.labels.truth.groups,
            significance=WEIGHTS_P / 2 ** (opening - 1),
        )

    def changes(self, fitted: TunedWeights) -> Changes:
        """Return the fitted weights that differ from the author's, to be written into the rubric's file."""
        return Changes(
            weights={
                criterion.name: after
                for criterion, after in zip(self.rubric.criteria, fitted.after, strict=True)
                if after != criterion.weight
            }
        )


def _earned_scores(labels: Sequence[Rating], rubric: Rubric) -> list[tuple[Rating, float | None]]:
    """Return each label with an overall score, and the score of its rater's levels; None if a level is missing."""
    by_rater: dict[tuple[str, str, str], dict[str, Rated]] = {}
    for label in labels:
        by_rater.setdefault((label.id, label.rater, label.kind), {}).update(label.criteria)
    return [
        (label, overall_of(replace(label, overall=None, criteria=by_rater[label.id, label.rater, label.kind]), rubric))
        for label in labels
        if label.overall is not None
    ]


def _is_computed(label: Rating, earned: float) -> bool:
    return abs(earned - (label.overall or 0.0)) <= COMPUTED + 1e-9
