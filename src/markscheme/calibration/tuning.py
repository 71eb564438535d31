"""Labels to a Proposal: which numbers of a rubric they support changing, and what that gains on labels held out."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import JUDGE, Gold, gold_of
from markscheme.ratings.rating import Kind, Rating
from markscheme.ratings.table import column_of, merits, positions, rating_table, stacked
from markscheme.rubrics.edit import Changes
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.score import ROUNDING
from markscheme.stats.pass_mark import TunedMark, fit_pass_mark
from markscheme.stats.people import gold
from markscheme.stats.prevalence import Band, Promise, automatic_band, least_labels, promise_for
from markscheme.stats.weights import HeldOut, TunedWeights, fit_weights, weighted_scores

Floats: TypeAlias = npt.NDArray[np.float64]
Booleans: TypeAlias = npt.NDArray[np.bool_]
Source: TypeAlias = Literal["human", "judge"]

SEED = 1
"""Of the split into folds: the same labels give the same proposal."""
WIDTHS = (0.01, *(round(0.025 * step, 3) for step in range(1, 15)))
"""Half-widths of the doubtful middle that are tried; the narrowest asks about scores at the mark alone."""
MOST_SCORES = 50_000
"""Attainable scores that are listed; with more of them those that occurred stand for all."""


@dataclass(frozen=True)
class Tuned:
    """What the labels say of a rubric's numbers, seen through one rater's levels.

    Attributes:
        source: Whose levels: people's (is it the weights?) or the judge's (is it the judge?).
        n: Examples with a score by these levels.
        marks: Those among them to which people gave an overall mark.
        passes: Those that people passed.
        fails: Those that people failed.
        weights: The criteria's weights.
        mark: The pass mark, for the score that the proposed weights give.
        thresholds: Each criterion's own, by name; empty through people's levels, which define them.
    """

    source: Source
    n: int
    marks: int
    passes: int
    fails: int
    weights: TunedWeights
    mark: TunedMark
    thresholds: Mapping[str, TunedMark] = field(default_factory=dict)


@dataclass(frozen=True)
class TunedBand:
    """What the labels say of the doubtful middle, in which a person decides.

    Attributes:
        before: The author's half-width.
        after: The proposed one; the author's where none can be promised.
        supported: Whether one can.
        reason: Why, or why not, in a sentence.
        band: The promise with its figures; None where there was nothing to try it on.
        split: Which labels it rests on.
    """

    before: float
    after: float
    supported: bool
    reason: str
    band: Band | None
    split: str

    def __post_init__(self) -> None:
        if not self.supported and self.after != self.before:
            raise ValueError("a band that isn't supported is not proposed")


@dataclass(frozen=True)
class Promised:
    """What is to be promised of automatic decisions.

    Attributes:
        of: "automatic" for the errors among automatic decisions, "all" for those among all examples; None for what
            the labels can carry.
        error: The share of errors.
        confidence: How sure the promise is.
    """

    of: Promise | None = None
    error: float = 0.05
    confidence: float = 0.90


@dataclass(frozen=True)
class Proposal:
    """What labels support changing in a rubric.

    Attributes:
        rubric: As it is.
        truth: The labels, of the part of the set that may be looked at.
        source: Which rater's levels the proposal goes by.
        tuned: What the labels say, by source; both where both are known.
        contradictory: Ids of examples that one rater both passed and failed; they count nowhere.
        torn: Ids of examples that as many raters passed as failed; they count for no pass mark.
        band: The doubtful middle; None without a judge.
        final: On the test split, with the numbers as they are and as proposed: `mae`, `agreement`,
            `pass_agreement`; None unless it was opened.
    """

    rubric: Rubric
    truth: Gold
    source: Source
    tuned: Mapping[Source, Tuned]
    contradictory: tuple[str, ...] = ()
    torn: tuple[str, ...] = ()
    band: TunedBand | None = None
    final: Mapping[str, HeldOut] | None = None

    @property
    def chosen(self) -> Tuned:
        """What the proposal goes by."""
        return self.tuned[self.source]

    def changes(self, *, with_band: bool = False) -> Changes:
        """The numbers to write: those that are supported and differ from what stands."""
        weights, mark, thresholds = self.chosen.weights, self.chosen.mark, self.chosen.thresholds
        moved = {
            criterion.name: after
            for criterion, after in zip(self.rubric.criteria, weights.after, strict=True)
            if after != criterion.weight
        }
        band = self.band if with_band else None
        return Changes(
            weights=moved,
            thresholds={name: found.after for name, found in thresholds.items() if found.supported},
            pass_mark=mark.after if mark.supported else None,
            ask_within=band.after if band is not None and band.after != band.before else None,
        )

    @property
    def too_few(self) -> bool:
        """Whether labels lack: for the weights, of one class altogether, in an order the score doesn't see, for all."""
        found = self.chosen
        short = found.weights.needed is not None and found.marks > 0
        one_class = not (found.passes and found.fails)
        unordered = found.mark.p is not None and found.mark.crossing.value is None
        return short or one_class or unordered or (found.weights.p is None and found.mark.p is None)


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
    """The numbers of a rubric that labels support changing; all that are not, with the reason.

    Args:
        rubric: As it is.
        examples: With their labels; a test split is not to be among them.
        ratings: The judge's; none where no judge is known.
        source: Whose levels to go by; None for the judge's where they are known, else people's.
        kind: Only labels of this kind count; None for the strongest there are.
        cost: What a false pass costs, a false fail costing 1.
        promised: What the doubtful middle is to keep.
        test: The test split, once it is opened: the proposal made without it is tried on it.
        used: Ids of examples that earlier moved numbers of this rubric; no promise may rest on them.

    Raises:
        ComparisonError: Nothing is labelled.
    """
    truth = gold_of(examples, rubric, kind=kind)
    contradictory = _contradictory(truth, rubric)
    people = _Seen.of_people(truth, rubric, contradictory)
    judge = _Seen.of_judge(truth, rubric, contradictory, ratings) if ratings else None
    tuned: dict[Source, Tuned] = {"human": _tuned("human", people, rubric, cost)}
    if judge is not None:
        tuned["judge"] = _tuned("judge", judge, rubric, cost, people)
    chosen: Source = source or ("human" if judge is None else "judge")
    after = _after(tuned[chosen], rubric)
    on_test = None
    if test is not None:
        kept_back = gold_of(test, rubric, kind=kind)
        clashes = _contradictory(kept_back, rubric)
        on_test = (
            _Seen.of_judge(kept_back, rubric, clashes, ratings)
            if chosen == "judge"
            else _Seen.of_people(kept_back, rubric, clashes)
        )
    band = None
    if judge is not None:
        tested = on_test if chosen == "judge" else None
        band = _band(judge, tested, tuned["judge"], rubric, promised or Promised(), used)
    return Proposal(
        rubric=rubric,
        truth=truth,
        source=chosen,
        tuned=tuned,
        contradictory=contradictory,
        torn=_torn(truth, contradictory),
        band=band,
        final=None if on_test is None else _final(on_test, rubric, after),
    )


# --- what tuning looks at -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Seen:
    """Labels of the whole beside one rater's levels.

    Attributes:
        ids: Of the examples.
        marks: Overall marks that people gave, shape (n,); nan where they gave none.
        passed: What people decided, shape (n,), 1 for pass; nan where they didn't.
        positions: Of the rater's levels, shape (n, k); nan where there is none.
        given: Scores the rater gave outright, shape (n,); nan where none.
        whole: Whether every criterion has a level or doesn't apply, shape (n,).
        groups: As `Gold.groups`.
        random: Whether the example may be a random part of what will be decided, shape (n,).
    """

    ids: tuple[str, ...]
    marks: Floats
    passed: Floats
    positions: Floats
    given: Floats
    whole: Booleans
    groups: tuple[str, ...] | None
    random: Booleans

    @classmethod
    def of_people(cls, truth: Gold, rubric: Rubric, contradictory: Collection[str]) -> "_Seen":
        """People's own levels; a decision that follows from them through the rubric says nothing about its mark."""
        levels = [truth.levels[criterion.name] for criterion in rubric.criteria]
        told = ~np.isnan(_marks(truth, rubric)) | np.isin(
            truth.ids, [label.id for label in _labels(truth) if label.passed is not None]
        )
        nothing = np.full(len(truth.ids), np.nan)
        return cls._made(truth, rubric, contradictory, levels, _labels(truth), nothing, told)

    @classmethod
    def of_judge(
        cls, truth: Gold, rubric: Rubric, contradictory: Collection[str], ratings: Sequence[Rating]
    ) -> "_Seen":
        """The judge's levels beside all that people decided."""
        column = column_of(JUDGE, ratings, rubric, truth.ids)
        levels = [column.levels[criterion.name] for criterion in rubric.criteria]
        outright = [replace(rating, criteria={}) for rating in ratings if rating.overall is not None]
        given = column_of(JUDGE, outright, rubric, truth.ids).scores
        return cls._made(truth, rubric, contradictory, levels, ratings, given, np.ones(len(truth.ids), dtype=bool))

    @classmethod
    def _made(
        cls,
        truth: Gold,
        rubric: Rubric,
        contradictory: Collection[str],
        levels: Sequence[Floats],
        ratings: Sequence[Rating],
        given: Floats,
        told: Booleans,
    ) -> "_Seen":
        clear = ~np.isin(truth.ids, list(contradictory))
        stand = np.column_stack([positions(c.scale, column) for c, column in zip(rubric.criteria, levels, strict=True)])
        skipped = _skipped(ratings)
        skips = np.array([[(i, c.name) in skipped for c in rubric.criteria] for i in truth.ids], dtype=bool)
        return cls(
            ids=truth.ids,
            marks=np.where(clear, _marks(truth, rubric), np.nan),
            passed=np.where(clear & told, truth.passed, np.nan),
            positions=stand,
            given=given,
            whole=np.asarray((~np.isnan(stand) | skips).all(axis=1)),
            groups=truth.groups,
            random=np.array([example.drawn in (None, "random") for example in truth.examples], dtype=bool),
        )

    def scores(self, weights: Sequence[float]) -> Floats:
        """Scores under these weights, shape (n,): of the levels where all are there, else as given."""
        earned = weighted_scores(self.positions, weights)
        return np.where(self.whole, earned, self.given)

    def decisions(self, scores: Floats, mark: float, rubric: Rubric) -> Floats:
        """Whether scores and required criteria pass, shape (n,), 1 for pass; nan without a score."""
        passes = scores >= mark - ROUNDING
        for place, criterion in enumerate(rubric.criteria):
            if criterion.required:
                merit = _merits(criterion, self.positions[:, place])
                passes &= np.isnan(merit) | (merit >= criterion.threshold - ROUNDING)
        return np.where(np.isnan(scores), np.nan, passes.astype(np.float64))


def _labels(truth: Gold) -> list[Rating]:
    return [label for example in truth.examples for label in example.labels if label.kind in truth.kinds]


def _skipped(ratings: Sequence[Rating]) -> set[tuple[str, str]]:
    """Example and criterion of each verdict that says it doesn't apply."""
    return {(r.id, name) for r in ratings for name, said in r.criteria.items() if said.declined == "not applicable"}


def _marks(truth: Gold, rubric: Rubric) -> Floats:
    """The mean of the overall marks given, by the strongest kind that gave one; never one that levels earn."""
    found = np.full(len(truth.ids), np.nan)
    for kind in truth.kinds:
        given = [label for label in _labels(truth) if label.kind == kind and label.overall is not None]
        if given:
            theirs = gold(stacked(rating_table(rubric, truth.ids, given).columns), by="mean")
            found = np.where(np.isnan(found), theirs, found)
    return found


def _contradictory(truth: Gold, rubric: Rubric) -> tuple[str, ...]:
    """Examples that one rater both passed and failed."""
    said: dict[tuple[str, str], set[bool]] = {}
    for label in _labels(truth):
        decision = label.passed
        if decision is None and label.overall is not None:
            decision = label.overall >= rubric.pass_mark - ROUNDING
        if decision is not None:
            said.setdefault((label.id, label.rater), set()).add(decision)
    both = {id for (id, _), decisions in said.items() if len(decisions) == 2}
    return tuple(id for id in truth.ids if id in both)


def _torn(truth: Gold, contradictory: Collection[str]) -> tuple[str, ...]:
    """Examples that as many raters passed as failed."""
    decided = {label.id for label in _labels(truth) if label.passed is not None} - set(contradictory)
    nobody = np.isnan(truth.passed).tolist()
    return tuple(id for id, undecided in zip(truth.ids, nobody, strict=True) if undecided and id in decided)


def _merits(criterion: Criterion, stand: Floats) -> Floats:
    return stand if criterion.weight > 0 else np.asarray(1 - stand)


# --- tuning ---------------------------------------------------------------------------------------------------------


def _tuned(source: Source, seen: _Seen, rubric: Rubric, cost: float, people: _Seen | None = None) -> Tuned:
    weights = fit_weights(
        np.where(seen.whole[:, None], seen.positions, np.nan),
        seen.marks,
        [criterion.weight for criterion in rubric.criteria],
        generator=np.random.default_rng(SEED),
        fixed=[criterion.required for criterion in rubric.criteria],
        groups=seen.groups,
        pass_mark=rubric.pass_mark,
        tolerance=rubric.tolerance,
    )
    scores = seen.scores(weights.after)
    mark = fit_pass_mark(
        scores,
        seen.passed,
        rubric.pass_mark,
        cost=cost,
        attainable=_attainable(rubric, weights.after, scores),
        groups=seen.groups,
    )
    thresholds = {}
    if people is not None:
        for place, criterion in enumerate(rubric.criteria):
            thresholds[criterion.name] = _threshold(criterion, place, seen, people, cost)
    known = ~np.isnan(scores)
    return Tuned(
        source,
        n=int(known.sum()),
        marks=int((known & ~np.isnan(seen.marks)).sum()),
        passes=int((known & (seen.passed == 1)).sum()),
        fails=int((known & (seen.passed == 0)).sum()),
        weights=weights,
        mark=mark,
        thresholds=thresholds,
    )


def _threshold(criterion: Criterion, place: int, seen: _Seen, people: _Seen, cost: float) -> TunedMark:
    """Where on the judge's scale people's own levels pass the criterion."""
    theirs = _merits(criterion, people.positions[:, place])
    passed = np.where(np.isnan(theirs), np.nan, theirs >= criterion.threshold - ROUNDING)
    values = np.array(sorted(set(criterion.scale.values)))
    return fit_pass_mark(
        _merits(criterion, seen.positions[:, place]),
        passed,
        criterion.threshold,
        cost=cost,
        attainable=merits(criterion, values),
        groups=seen.groups,
    )


def _attainable(rubric: Rubric, weights: Sequence[float], scores: Floats) -> Floats:
    """Scores that whole levels can give; where they are too many to list, those that occurred."""
    steps = [positions(c.scale, np.array(sorted(set(c.scale.values)))) for c in rubric.criteria]
    if math.prod(len(step) for step in steps) > MOST_SCORES:
        return np.asarray(np.unique(scores[~np.isnan(scores)]))
    return np.asarray(np.unique(np.round(weighted_scores(np.array(list(product(*steps))), weights), 9)))


@dataclass(frozen=True)
class _Numbers:
    weights: tuple[float, ...]
    mark: float


def _after(tuned: Tuned, rubric: Rubric) -> tuple[_Numbers, _Numbers]:
    """Weights and pass mark as they are, and as proposed."""
    author = tuple(criterion.weight for criterion in rubric.criteria)
    return _Numbers(author, rubric.pass_mark), _Numbers(tuned.weights.after, tuned.mark.after)


def _final(test: _Seen, rubric: Rubric, numbers: tuple[_Numbers, _Numbers]) -> dict[str, HeldOut]:
    """Numbers as they are and as proposed, on labels that had no part in proposing them."""
    sides = [test.scores(side.weights) for side in numbers]
    far = [np.round(np.abs(scores - test.marks), 9) for scores in sides]
    near = [np.where(np.isnan(miss), np.nan, (miss < rubric.tolerance).astype(np.float64)) for miss in far]
    decided = [
        test.decisions(scores, side.mark, rubric) == test.passed for scores, side in zip(sides, numbers, strict=True)
    ]
    known = [~np.isnan(scores) & ~np.isnan(test.passed) for scores in sides]
    right = [np.where(there, agree, np.nan).astype(np.float64) for there, agree in zip(known, decided, strict=True)]
    measured = {"mae": far, "agreement": near, "pass_agreement": right}
    return {
        name: HeldOut.of(name, before, after, groups=test.groups, method=f"test split, {name}")
        for name, (before, after) in measured.items()
    }


# --- the doubtful middle --------------------------------------------------------------------------------------------


def _band(
    dev: _Seen, test: _Seen | None, tuned: Tuned, rubric: Rubric, promised: Promised, used: Collection[str]
) -> TunedBand:
    """The narrowest band whose promise fresh labels bear out."""
    before = rubric.ask_within
    moved = tuned.weights.supported or tuned.mark.supported
    if moved and test is None:
        reason = (
            "the same labels can't both move weights or pass mark and promise anything of the outcome: write the "
            "change, then give fresh labels, or keep a test split back for --final"
        )
        return TunedBand(before, before, False, reason, None, "dev")
    seen, split = (dev, "dev") if test is None else (test, "test")
    numbers = _after(tuned, rubric)[1]
    scores = seen.scores(numbers.weights)
    there = ~np.isnan(scores) & ~np.isnan(seen.passed)
    fresh = there & seen.random & ~np.isin(seen.ids, list(used))
    wrong = seen.decisions(scores, numbers.mark, rubric) != seen.passed
    n = int(fresh.sum())
    aside = int(there.sum()) - n
    left_out = f"; {aside} labels left out that were chosen by hand or moved these numbers before" if aside else ""
    if not n:
        least = least_labels(0, alpha=promised.error, confidence=promised.confidence)
        reason = f"no labels are left for it to rest on, and it takes {least} or more, drawn at random{left_out}"
        return TunedBand(before, before, False, reason, None, split)
    kept_to = promised.of or promise_for(n, alpha=promised.error, confidence=promised.confidence)
    band = automatic_band(
        scores[fresh] - numbers.mark,
        wrong[fresh],
        WIDTHS,
        promise=kept_to,
        alpha=promised.error,
        confidence=promised.confidence,
    )
    if band.half_width is None:
        return TunedBand(before, before, False, f"{band.automatic.undefined}{left_out}", band, split)
    of = "the automatic decisions" if kept_to == "automatic" else "all responses"
    reason = (
        f"with {promised.confidence:.0%} confidence at most {promised.error:.0%} of {of} are decided wrongly without a "
        f"person, if what is graded is like these {n} labelled examples{left_out}"
    )
    return TunedBand(before, band.half_width, True, reason, band, split)
