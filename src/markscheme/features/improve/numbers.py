"""Which numbers of a rubric the labels support changing, and the gain on held-out labels."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

from markscheme.calibration.comparison.measure import equal
from markscheme.calibration.decided_labels import RatedLabels, WholeLabels
from markscheme.features.improve.pass_mark import MarkProposal, TunedMark, fit_pass_mark, propose_pass_mark
from markscheme.features.improve.weights import HeldOut, TunedWeights, fit_weights
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import Gold
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import merits, positions
from markscheme.rubrics.edit import Changes
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.agreement_figures import DECIMALS, close
from markscheme.stats.annotators import NO_DECISION
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats, withhold
from markscheme.stats.weighted_scores import weighted_scores

Source: TypeAlias = Literal["human", "judge"]

FOLDS_SEED = 1
"""Random seed of the split into folds: the same labels give the same proposal."""
MOST_SCORES = 50_000
"""Attainable scores that are listed; where there are more, those that occurred are used."""


@dataclass(frozen=True)
class Tuned:
    """What the labels say about a rubric's numbers, using one rater's levels.

    Attributes:
        n: Examples with a score by these levels.
        marks: Those among them with an overall score that wasn't computed from the levels.
        passes: Those that annotators explicitly passed.
        fails: Those that annotators explicitly failed.
        weights: The criteria's weights.
        pass_mark: The pass mark for the score with the proposed weights, and whose scores it was fitted to.
        thresholds: Each criterion's own, by name; empty for annotators' levels, which define them.
    """

    n: int
    marks: int
    passes: int
    fails: int
    weights: TunedWeights
    pass_mark: MarkProposal
    thresholds: Mapping[str, TunedMark] = field(default_factory=dict)

    @property
    def mark(self) -> TunedMark:
        """The pass mark alone."""
        return self.pass_mark.mark


@dataclass(frozen=True)
class Proposal:
    """The changes to a rubric's numbers that the labels support.

    Attributes:
        rubric: As it is.
        truth: The labels, of the part of the set that may be looked at.
        source: Which rater's levels the proposal uses.
        tuned: What the labels say, by source; both where both are known.
        contradictory: Ids of examples that one rater both passed and failed; they count nowhere.
        torn: Ids of examples that as many raters passed as failed; they count for no pass mark.
        quoted: Ids of examples that the prompt quotes; they count nowhere.
        computed: Number of overall scores that equal the score of the same rater's levels; they count for no weight.
        final: On the test split, with the numbers as they are and as proposed: `mae`, `agreement`,
            `pass_agreement`; None unless it was opened.
    """

    rubric: Rubric
    truth: Gold
    source: Source
    tuned: Mapping[Source, Tuned]
    contradictory: tuple[str, ...] = ()
    torn: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    computed: int = 0
    final: Mapping[str, HeldOut] | None = None

    @property
    def chosen(self) -> Tuned:
        """What the labels say by the proposal's source."""
        return self.tuned[self.source]

    def changes(self) -> Changes:
        """The numbers to write: those that are supported and differ from the file's."""
        weights = self.chosen.weights
        mark = self.chosen.mark
        thresholds = self.chosen.thresholds
        moved = {
            criterion.name: after
            for criterion, after in zip(self.rubric.criteria, weights.after, strict=True)
            if after != criterion.weight
        }
        return Changes(
            weights=moved,
            thresholds={name: threshold.after for name, threshold in thresholds.items() if threshold.supported},
            pass_mark=mark.after if mark.supported else None,
        )

    @property
    def too_few(self) -> bool:
        """Whether labels are lacking: for weights, of passes or fails, in an order the score follows, or altogether."""
        tuned = self.chosen
        short = tuned.weights.needed is not None and tuned.marks > 0
        one_class = bool(tuned.passes) is not bool(tuned.fails)
        unordered = tuned.mark.p is not None and tuned.mark.crossing.value is None
        return short or one_class or unordered or (tuned.weights.p is None and tuned.mark.p is None)


def propose(
    rubric: Rubric,
    examples: ExampleSet,
    *,
    ratings: Sequence[Rating] = (),
    source: Source | None = None,
    kind: Kind | None = None,
    cost: float = 1.0,
    test: ExampleSet | None = None,
) -> Proposal:
    """The numbers of a rubric that labels support changing, and the reason for each that they don't.

    Examples that the prompt quotes are excluded: a judge that was shown the answer says nothing about new responses.

    Args:
        rubric: As it is.
        examples: With their labels, without a test split.
        ratings: The judge's; none where no judge is known.
        source: Whose levels to use; None for the judge's where they are known, else annotators'.
        kind: Only labels of this kind count; None for the strongest there are.
        cost: Cost of a false pass, where a false fail costs 1.
        test: The test split, once opened: the proposal made without it is tested on it.

    Raises:
        ComparisonError: Nothing is labelled.
    """
    labels = WholeLabels.of(examples, rubric, kind)
    people = RatedLabels.of(labels, rubric)
    judge = RatedLabels.of(labels, rubric, ratings) if ratings else None
    tuned: dict[Source, Tuned] = {"human": _tuned(people, rubric, cost)}
    if judge is not None:
        tuned["judge"] = _tuned(judge, rubric, cost, people)
    chosen: Source = source or ("human" if judge is None else "judge")
    on_test = None
    if test is not None:
        on_test = RatedLabels.of(WholeLabels.of(test, rubric, kind), rubric, ratings if chosen == "judge" else None)
    return Proposal(
        rubric=rubric,
        truth=labels.truth,
        source=chosen,
        tuned=tuned,
        contradictory=labels.contradictory,
        torn=labels.torn,
        quoted=labels.quoted,
        computed=labels.computed,
        final=None if on_test is None else _final(on_test, rubric, tuned[chosen]),
    )


# --- tuning ---------------------------------------------------------------------------------------------------------


def _tuned(data: RatedLabels, rubric: Rubric, cost: float, people: RatedLabels | None = None) -> Tuned:
    """What the labels say, using one rater's levels.

    Args:
        data: The rater's.
        rubric: As it is.
        cost: Cost of a false pass.
        people: Annotators' own levels, where the rater is a judge.
    """
    labels = data.labels
    weights = fit_weights(
        np.where(data.whole[:, None], data.positions, np.nan),
        labels.marks,
        [criterion.weight for criterion in rubric.criteria],
        generator=np.random.default_rng(FOLDS_SEED),
        fixed=[criterion.required for criterion in rubric.criteria],
        groups=data.groups,
        pass_mark=rubric.pass_mark,
        tolerance=rubric.tolerance,
    )
    if labels.mostly_computed:
        weights = replace(weights, reason=f"these marks were computed with your weights; {weights.reason}")
    scores = data.scores(weights.after)
    scored = ~np.isnan(scores)
    return Tuned(
        n=int(scored.sum()),
        marks=int((scored & ~np.isnan(labels.marks)).sum()),
        passes=int((scored & (labels.passed == 1)).sum()),
        fails=int((scored & (labels.passed == 0)).sum()),
        weights=weights,
        pass_mark=_pass_mark(data, people, weights.after, rubric, cost),
        thresholds={c.name: _threshold(c, data, people, cost) for c in rubric.criteria} if people is not None else {},
    )


def _pass_mark(
    data: RatedLabels, people: RatedLabels | None, weights: Sequence[float], rubric: Rubric, cost: float
) -> MarkProposal:
    """The pass mark that annotators' explicit decisions support, fitted to annotators' own scores first."""
    scores = data.scores(weights)
    passed = data.labels.passed
    attainable = _attainable(rubric, weights, scores)
    if people is None:
        mark = fit_pass_mark(scores, passed, rubric.pass_mark, cost=cost, attainable=attainable, groups=data.groups)
        return MarkProposal(mark, None if np.isnan(passed).all() else "people", None)
    own_scores = people.scores(weights)
    return propose_pass_mark(
        passed, scores, rubric.pass_mark, people=own_scores, cost=cost, attainable=attainable, groups=data.groups
    )


def _threshold(criterion: Criterion, data: RatedLabels, people: RatedLabels, cost: float) -> TunedMark:
    """A criterion's threshold on the judge's scale, from annotators' met / not-met decisions.

    A level on a longer scale isn't such a decision: cut at the author's threshold, it can't show where that should be.
    """
    judged = merits(criterion, data.column.levels[criterion.name])
    labels = people.column.levels[criterion.name]
    met = np.full(len(labels), np.nan)
    if criterion.scale.is_yes_no and data.labels.truth.has_people:
        met = np.where(np.isin(labels, (0.0, 1.0)), merits(criterion, labels), np.nan)
    return fit_pass_mark(judged, met, criterion.threshold, cost=cost, groups=data.groups)


def _attainable(rubric: Rubric, weights: Sequence[float], scores: Floats) -> Floats:
    """Scores that complete levels can give; where there are too many to list, those that occurred."""
    steps = [positions(c.scale, np.array(sorted(set(c.scale.values)))) for c in rubric.criteria]
    if math.prod(len(step) for step in steps) > MOST_SCORES:
        return np.asarray(np.unique(scores[~np.isnan(scores)]))
    return np.asarray(np.unique(np.round(weighted_scores(np.array(list(product(*steps))), weights), 9)))


def _final(test: RatedLabels, rubric: Rubric, tuned: Tuned) -> dict[str, HeldOut]:
    """The measures with the numbers as they are and as proposed, on labels that had no part in proposing them."""
    mark = tuned.mark
    marks = test.labels.marks
    passed = test.labels.passed
    sides = [test.scores(tuned.weights.before), test.scores(tuned.weights.after)]
    far = [np.round(np.abs(scores - marks), DECIMALS) for scores in sides]
    near = [close(scores, marks, rubric.tolerance) for scores in sides]
    decided = [test.decisions(scores, at, rubric) for scores, at in zip(sides, (mark.before, mark.after), strict=True)]
    right = [equal(decisions, passed) for decisions in decided]
    measured = {"mae": far, "agreement": near, "pass_agreement": right}
    held_out = {
        name: HeldOut.of(name, before, after, groups=test.groups, method=f"test split, {name}")
        for name, (before, after) in measured.items()
    }
    if np.isnan(passed).all():
        unknown = Estimate.without_value(NO_DECISION, n=0, method="test split, pass_agreement")
        withheld = withhold(unknown, NO_DECISION)
        held_out["pass_agreement"] = HeldOut(withheld, withheld, withheld)
    return held_out
