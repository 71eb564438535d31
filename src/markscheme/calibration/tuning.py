"""Which numbers of a rubric the labels support changing, and the gain on held-out labels."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from markscheme.calibration.comparison.comparison import equal, passes
from markscheme.calibration.promised import DecisionOrigins, MarkSide, Promised, on_side
from markscheme.grading.score import ROUNDING
from markscheme.phrases import counted, percent
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.gold import JUDGE, Gold, gold_of
from markscheme.ratings.kinds import PEOPLE, Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import Column, column_of, earned_score, merits, positions, rating_table, stacked
from markscheme.rubrics.edit import Changes
from markscheme.rubrics.gray_zone import GrayZone
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.agreement_figures import DECIMALS, close
from markscheme.stats.annotators import gold
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Flags, Floats, withhold
from markscheme.stats.pass_mark import NO_DECISION, MarkProposal, TunedMark, fit_pass_mark, propose_pass_mark
from markscheme.stats.prevalence import Band, automatic_band, least_labels, promise_for
from markscheme.stats.weights import HeldOut, TunedWeights, fit_weights, weighted_scores

Source: TypeAlias = Literal["human", "judge"]

FOLDS_SEED = 1
"""Random seed of the split into folds: the same labels give the same proposal."""
WIDTHS = (0.01, *(round(0.025 * step, 3) for step in range(1, 15)))
"""Half-widths of the gray zone that are tried; with the narrowest only scores at the mark go to a person."""
MOST_SCORES = 50_000
"""Attainable scores that are listed; where there are more, those that occurred are used."""
COMPUTED = 0.005
"""An overall score this close to the score of the same rater's levels was computed, not judged."""
MOSTLY = 0.9
"""Share of the scores that must be computed from levels before all are taken to be; a judgement."""
QUOTED = 30
"""Length in characters from which a response found within the prompt's words, or the reverse, counts as quoted."""


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
class TunedBand:
    """What the labels say about the gray zone, in which a person decides.

    Attributes:
        before: The author's half-width, or one for each side of the pass mark.
        after: The proposed one; the author's where no promise can be made.
        supported: Whether one can be made.
        reason: Why, or why not, in a sentence.
        bands: The promise with its figures, by the decisions that it is about; empty where there were no labels to test
            it on.
        split: The labels it was tested on.
        lacks_decisions: Whether annotators' labels come to no decision, so that nothing could be tested.
        origins: Where the decisions come from that it was tested on.
    """

    before: float | GrayZone
    after: float | GrayZone
    supported: bool
    reason: str
    bands: Mapping[MarkSide, Band]
    split: str
    lacks_decisions: bool = False
    origins: DecisionOrigins = DecisionOrigins()

    def __post_init__(self) -> None:
        if not self.supported and self.after != self.before:
            raise ValueError("a band that isn't supported is not proposed")


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
        band: The gray zone; None without a judge.
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
    band: TunedBand | None = None
    final: Mapping[str, HeldOut] | None = None

    @property
    def chosen(self) -> Tuned:
        """What the labels say by the proposal's source."""
        return self.tuned[self.source]

    def changes(self, *, with_band: bool = False) -> Changes:
        """The numbers to write: those that are supported and differ from the file's."""
        weights = self.chosen.weights
        mark = self.chosen.mark
        thresholds = self.chosen.thresholds
        moved = {
            criterion.name: after
            for criterion, after in zip(self.rubric.criteria, weights.after, strict=True)
            if after != criterion.weight
        }
        band = self.band if with_band else None
        return Changes(
            weights=moved,
            thresholds={name: threshold.after for name, threshold in thresholds.items() if threshold.supported},
            pass_mark=mark.after if mark.supported else None,
            ask_within=band.after if band is not None and band.after != band.before else None,
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
    promised: Promised | None = None,
    test: ExampleSet | None = None,
    used: Collection[str] = (),
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
        promised: The promise that the gray zone must keep.
        test: The test split, once opened: the proposal made without it is tested on it.
        used: Ids of examples that moved numbers of this rubric earlier; no promise may be based on them.

    Raises:
        ComparisonError: Nothing is labelled.
    """
    labels = _Labels.of(examples, rubric, kind)
    people = _TuningData.of(labels, rubric)
    judge = _TuningData.of(labels, rubric, ratings) if ratings else None
    tuned: dict[Source, Tuned] = {"human": _tuned(people, rubric, cost)}
    if judge is not None:
        tuned["judge"] = _tuned(judge, rubric, cost, people)
    chosen: Source = source or ("human" if judge is None else "judge")
    on_test = None
    if test is not None:
        on_test = _TuningData.of(_Labels.of(test, rubric, kind), rubric, ratings if chosen == "judge" else None)
    band = None
    if judge is not None:
        tested = on_test if chosen == "judge" else None
        band = _band(judge, tested, tuned["judge"], rubric, promised or Promised(), used)
    return Proposal(
        rubric=rubric,
        truth=labels.truth,
        source=chosen,
        tuned=tuned,
        contradictory=labels.contradictory,
        torn=labels.torn,
        quoted=labels.quoted,
        computed=labels.computed,
        band=band,
        final=None if on_test is None else _final(on_test, rubric, tuned[chosen]),
    )


def _is_quoted(example: Example, rubric: Rubric) -> bool:
    """Whether the prompt shows the response as an example, or long parts of it in the rubric's words."""
    response = " ".join(example.submission.response.split())
    shown = [text for c in rubric.criteria for text in (c.good, c.bad, *(level.example for level in c.scale.levels))]
    requirements = [
        text for c in rubric.criteria for text in (c.requirement, *(level.description for level in c.scale.levels))
    ]
    for text in (" ".join(text.split()) for text in shown if text):
        if response == text or (len(text) >= QUOTED and text in response):
            return True
    words = " ".join(" ".join(text.split()) for text in (rubric.guidelines, *requirements, *shown) if text)
    return len(response) >= QUOTED and response in words


# --- labels and one rater's levels ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Labels:
    """The annotators' overall scores and decisions on each example that the prompt doesn't quote.

    Attributes:
        truth: The gold.
        quoted: Ids of labelled examples that the prompt quotes.
        marks: Mean of the overall scores that weren't computed from levels, shape (n,); nan where there is none.
        passed: Explicit decisions of annotators, shape (n,), 1 for pass; nan where there is none or an even split.
        decided: Annotators' decisions, shape (n,): the explicit ones, else those that follow from gold's score, the
            pass mark and required criteria; nan where there is none or an even split.
        contradictory: Ids of examples that one rater both passed and failed.
        torn: Ids of examples that as many annotators passed as failed.
        computed: Number of overall scores that equal the score of the same rater's levels.
        mostly_computed: Whether that is over nine in ten of the overall scores given with levels.
    """

    truth: Gold
    quoted: tuple[str, ...]
    marks: Floats
    passed: Floats
    decided: Floats
    contradictory: tuple[str, ...]
    torn: tuple[str, ...]
    computed: int
    mostly_computed: bool

    @classmethod
    def of(cls, examples: ExampleSet, rubric: Rubric, kind: Kind | None) -> "_Labels":
        """The labels of some examples; those of one kind, where that is given."""
        quoted = tuple(example.id for example in examples.labelled.examples if _is_quoted(example, rubric))
        unquoted = tuple(example for example in examples.examples if example.id not in quoted)
        truth = gold_of(replace(examples, examples=unquoted), rubric, kind=kind)
        labels = [label for example in truth.examples for label in example.labels if label.kind in truth.kinds]
        contradictory = _contradictory(labels, truth.ids, rubric)
        clear = ~np.isin(truth.ids, list(contradictory))
        by_rater: dict[tuple[str, str, str], dict[str, Rated]] = {}
        for label in labels:
            by_rater.setdefault((label.id, label.rater, label.kind), {}).update(label.criteria)
        marked = [label for label in labels if label.overall is not None]
        earned = [_earned(by_rater[label.id, label.rater, label.kind], rubric) for label in marked]
        judged_marks = [
            label
            for label, score in zip(marked, earned, strict=True)
            if score is None or abs(score - (label.overall or 0.0)) > COMPUTED + 1e-9
        ]
        with_levels = sum(score is not None for score in earned)
        passed = _by_kind(
            truth, [label for label in labels if label.kind in PEOPLE and label.passed is not None], rubric
        )
        torn = tuple(np.array(truth.ids, dtype=object)[clear & (passed == 0.5)].tolist())
        return cls(
            truth=truth,
            quoted=quoted,
            marks=np.where(clear, _by_kind(truth, judged_marks, rubric, decisions=False), np.nan),
            passed=np.where(clear & (passed != 0.5), np.round(passed), np.nan),
            decided=np.where(clear & truth.has_people, truth.decisions, np.nan),
            contradictory=contradictory,
            torn=torn,
            computed=len(marked) - len(judged_marks),
            mostly_computed=len(marked) - len(judged_marks) > MOSTLY * with_levels > 0,
        )


def _earned(rated: Mapping[str, Rated], rubric: Rubric) -> float | None:
    """The score of a rater's levels; None where one is missing."""
    levels = {name: entry.level for name, entry in rated.items() if entry.level is not None}
    return earned_score(levels, [n for n, entry in rated.items() if entry.declined == "not applicable"], rubric)


def _by_kind(truth: Gold, labels: Sequence[Rating], rubric: Rubric, *, decisions: bool = True) -> Floats:
    """Mean decision or overall score of the strongest kind that gave one, shape (n,); nan where none did."""
    means = np.full(len(truth.ids), np.nan)
    for kind in truth.kinds:
        of_kind = [label for label in labels if label.kind == kind]
        if of_kind:
            columns = rating_table(rubric, truth.ids, of_kind).columns
            table = np.column_stack([column.decisions for column in columns]) if decisions else stacked(columns)
            means = np.where(np.isnan(means), gold(table, by="mean"), means)
    return means


def _contradictory(labels: Sequence[Rating], ids: Sequence[str], rubric: Rubric) -> tuple[str, ...]:
    """Examples that one rater both passed and failed."""
    decisions_of: dict[tuple[str, str], set[bool]] = {}
    for label in labels:
        decision = label.passed
        if decision is None and label.overall is not None:
            decision = label.overall >= rubric.pass_mark - ROUNDING
        if decision is not None:
            decisions_of.setdefault((label.id, label.rater), set()).add(decision)
    both = {unit for (unit, _), decisions in decisions_of.items() if len(decisions) == 2}
    return tuple(unit for unit in ids if unit in both)


@dataclass(frozen=True)
class _TuningData:
    """The labels and one rater's levels; all arrays have one row per example.

    Attributes:
        labels: The annotators' overall scores and decisions.
        column: The rater's ratings; for annotators, gold.
        positions: Positions of the rater's levels, shape (n, k); nan where there is none.
        whole: Whether every criterion has a level or doesn't apply, shape (n,).
    """

    labels: _Labels
    column: Column
    positions: Floats
    whole: Flags

    @classmethod
    def of(cls, labels: _Labels, rubric: Rubric, ratings: Sequence[Rating] | None = None) -> "_TuningData":
        """The labels with a judge's ratings of the same examples; without ratings, with the gold levels."""
        truth = labels.truth
        column = truth if ratings is None else column_of(JUDGE, ratings, rubric, truth.ids)
        stand = np.column_stack([positions(c.scale, column.levels[c.name]) for c in rubric.criteria])
        skipped = np.column_stack([column.skipped[c.name] for c in rubric.criteria])
        return cls(labels, column, stand, np.asarray((~np.isnan(stand) | skipped).all(axis=1)))

    @property
    def groups(self) -> tuple[str, ...] | None:
        """As `Gold.groups`."""
        return self.labels.truth.groups

    def scores(self, weights: Sequence[float]) -> Floats:
        """Scores under these weights, shape (n,): from the levels where all are known, else as given."""
        return np.where(self.whole, weighted_scores(self.positions, weights), self.column.scores)

    def decisions(self, scores: Floats, mark: float, rubric: Rubric) -> Floats:
        """Whether scores and required criteria pass, shape (n,), 1 for pass; nan without a score."""
        passing = scores >= mark - ROUNDING
        for criterion in rubric.criteria:
            if criterion.required:
                passing &= np.nan_to_num(passes(criterion, self.column.levels[criterion.name]), nan=1.0) == 1
        return np.where(np.isnan(scores), np.nan, passing.astype(np.float64))


# --- tuning ---------------------------------------------------------------------------------------------------------


def _tuned(data: _TuningData, rubric: Rubric, cost: float, people: _TuningData | None = None) -> Tuned:
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
    data: _TuningData, people: _TuningData | None, weights: Sequence[float], rubric: Rubric, cost: float
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


def _threshold(criterion: Criterion, data: _TuningData, people: _TuningData, cost: float) -> TunedMark:
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


def _final(test: _TuningData, rubric: Rubric, tuned: Tuned) -> dict[str, HeldOut]:
    """The measures with the numbers as they are and as proposed, on labels that had no part in proposing them."""
    weights = tuned.weights
    mark = tuned.mark
    marks = test.labels.marks
    passed = test.labels.passed
    sides = [test.scores(weights.before), test.scores(weights.after)]
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


# --- the gray zone --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _FreshLabels:
    """Decisions of judge and annotators on labels that may carry a promise; arrays have one row per example.

    Attributes:
        margins: Score minus pass mark.
        passes: Whether the judge passes it.
        wrong: Whether annotators decided otherwise.
        groups: Names of groups; None without.
        origins: Where annotators' decisions come from.
        left_out: The labels left out, as the end of a sentence; "" where none were.
    """

    margins: Floats
    passes: Flags
    wrong: Flags
    groups: Sequence[str] | None
    origins: DecisionOrigins
    left_out: str

    @classmethod
    def of(cls, data: _TuningData, tuned: Tuned, rubric: Rubric, used: Collection[str]) -> "_FreshLabels":
        """Those drawn at random that moved no number before."""
        passed = _decisions_that_count(data.labels, tuned)
        mark = tuned.mark.after
        scores = data.scores(tuned.weights.after)
        measurable = ~np.isnan(scores) & ~np.isnan(passed)
        fresh = measurable & _may_promise(data.labels, used)
        decisions = data.decisions(scores, mark, rubric)
        aside = int(measurable.sum()) - int(fresh.sum())
        left_out = f"; {aside} labels left out that were chosen by hand or moved these numbers before" if aside else ""
        groups = None if data.groups is None else tuple(np.array(data.groups)[fresh].tolist())
        margins = scores[fresh] - mark
        origins = DecisionOrigins.of(~np.isnan(data.labels.passed[fresh]))
        return cls(margins, decisions[fresh] == 1, (decisions != passed)[fresh], groups, origins, left_out)

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.margins)

    def band(self, side: MarkSide, promised: Promised) -> Band:
        """The narrowest gray zone, among all decisions or those of one side."""
        confidence = 1 - promised.level
        for_all = promise_for(self.n, alpha=promised.error, confidence=confidence) if side == "both" else "automatic"
        return automatic_band(
            self.margins,
            self.wrong,
            WIDTHS,
            promise=promised.of or for_all,
            alpha=promised.error,
            confidence=confidence,
            groups=self.groups,
            considered=on_side(side, self.passes),
        )


def _band(
    dev: _TuningData, test: _TuningData | None, tuned: Tuned, rubric: Rubric, promised: Promised, used: Collection[str]
) -> TunedBand:
    """The narrowest gray zone whose promise fresh labels confirm."""
    before = rubric.ask_within
    split = "dev" if test is None else "test"

    def unchanged(reason: str, bands: Mapping[MarkSide, Band] = MappingProxyType({})) -> TunedBand:
        return TunedBand(before, before, False, reason, bands, split)

    if test is None and (tuned.weights.supported or tuned.mark.supported):
        return unchanged(
            "these labels already change the numbers, so they can't test the result too. Write the change first, "
            "then label fresh examples (or add --final, if some were kept as a test split)"
        )
    data = test or dev
    if np.isnan(_decisions_that_count(data.labels, tuned)).all():
        return replace(unchanged(f"withheld: {NO_DECISION}"), lacks_decisions=True)
    fresh = _FreshLabels.of(data, tuned, rubric, used)
    if not fresh.n:
        least = least_labels(0, alpha=promised.error, confidence=1 - promised.level)
        return unchanged(f"no labels are left to try it on; it needs {least} or more, drawn at random{fresh.left_out}")
    bands: dict[MarkSide, Band] = {side: fresh.band(side, promised) for side in promised.sides}
    halved = f" ({_asked_before(promised.further)})" if promised.further else ""
    refused = [_of_side(side, str(band.automatic.undefined)) for side, band in bands.items() if band.half_width is None]
    widths: dict[MarkSide, float] = {
        side: band.half_width for side, band in bands.items() if band.half_width is not None
    }
    if not widths:
        why = f"{'; '.join(refused)}{halved}{fresh.left_out}"
        return replace(unchanged(why, bands), origins=fresh.origins)
    promises = " and ".join(f"at most {percent(promised.error)} of {_whose(side, bands[side])}" for side in widths)
    reason = (
        f"with {percent(promised.confidence)} confidence {promises} are decided wrongly without a person, if what is "
        f"graded is like these {counted(fresh.n, 'labelled example')}{halved}{fresh.left_out}"
    )
    after = _zone(widths)
    return TunedBand(before, after, True, "; ".join([reason, *refused]), bands, split, origins=fresh.origins)


def _decisions_that_count(labels: _Labels, tuned: Tuned) -> Floats:
    """The decisions that a gray zone is tested on, shape (n,): explicit ones alone where pass mark or weights change.

    The others follow from the numbers as they were, not as they would be.
    """
    return labels.passed if tuned.weights.supported or tuned.mark.supported else labels.decided


def _may_promise(labels: _Labels, used: Collection[str]) -> Flags:
    """Which examples were drawn at random and moved no number before, shape (n,)."""
    at_random = np.array([example.drawn in (None, "random") for example in labels.truth.examples], dtype=bool)
    return np.asarray(at_random & ~np.isin(labels.truth.ids, list(used)))


@dataclass(frozen=True)
class DecidedLabels:
    """Annotators' decisions that may carry a promise: explicit ones, else those that follow from their labels.

    Attributes:
        ids: The examples.
        passed: Whether annotators pass each, shape (n,), 1 for pass.
        groups: Names of groups, one for each example; None without.
        origins: Where the decisions come from.
    """

    ids: tuple[str, ...]
    passed: Floats
    groups: tuple[str, ...] | None
    origins: DecisionOrigins

    @property
    def n_groups(self) -> int | None:
        """How many groups there are; None without."""
        return None if self.groups is None else len(set(self.groups))

    def wrong(self, passes: Flags) -> Flags:
        """On which examples a judge's decisions differ from annotators', shape (n,)."""
        return np.asarray(passes != (self.passed == 1))


def decided_labels(
    rubric: Rubric, examples: ExampleSet, kind: Kind | None = None, used: Collection[str] = ()
) -> DecidedLabels:
    """Annotators' decisions on examples drawn at random that moved no number before; arguments as for `propose`.

    They are those of the question whether a judge may pass or fail responses: explicit ones, else gold's score against
    the pass mark, and required criteria. Even splits count nowhere.

    Raises:
        ComparisonError: Nothing is labelled.
    """
    labels = _Labels.of(examples, rubric, kind)
    counts = ~np.isnan(labels.decided) & _may_promise(labels, used)
    truth = labels.truth.rows(counts)
    origins = DecisionOrigins.of(~np.isnan(labels.passed[counts]))
    return DecidedLabels(truth.ids, labels.decided[counts], truth.groups, origins)


def _asked_before(further: int) -> str:
    return f"{counted(further, 'other promise')} asked of these labels before: tested at 1/{2**further} of the level"


def _of_side(side: MarkSide, why: str) -> str:
    return why if side == "both" else f"{side} all go to a person: {why}"


def _whose(side: MarkSide, band: Band) -> str:
    if band.promise == "all":
        return "all responses"
    return "the automatic decisions" if side == "both" else f"the automatic {side}"


def _zone(widths: Mapping[MarkSide, float]) -> float | GrayZone:
    """The gray zone as a rubric has it; a side without a promise goes to people altogether."""
    if "both" in widths:
        return widths["both"]
    return GrayZone(widths.get("passes", math.inf), widths.get("fails", math.inf))
