"""Comparison of judges on the same examples: differences, flipped decisions, costs, and which judge to choose."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison, measure_of, shift_between
from markscheme.calibration.comparison.measure import NO_ORDER, OF_DECISION, Measure, Measured
from markscheme.calibration.comparison.policy import RulingState
from markscheme.calibration.comparison.verdict import Decision
from markscheme.calibration.decision import decide
from markscheme.calibration.recorded_trials import after_those_on_record
from markscheme.errors import ComparisonError
from markscheme.features.compare.statistics import Link, link_scores, passes_after
from markscheme.features.compare.ungraded import why_too_few
from markscheme.grading.score import ROUNDING
from markscheme.judges.judge import Identity, Usage
from markscheme.phrases import counted, in_words, number, signed
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.gold import GOLD, Gold
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import Column, RatingTable, column_of
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.change import holm, least_n, mean_estimate, sign_flip
from markscheme.stats.estimate import Estimate, EstimatePair
from markscheme.stats.gains import gain_in_hits
from markscheme.stats.intervals import Flags, Floats, known_in_groups, t_quantile
from markscheme.stats.shares import share

MOVED = 0.05
"""Largest Holm-adjusted p at which a shift between two judges counts as shown."""
NO_WORSE_MARGIN = 0.05
"""Margin of non-inferiority: the largest difference in share of examples by which a judge may agree less often than the
best judge."""
ONE_SIDED = 0.90
"""Level of a two-sided interval whose lower limit is a one-sided 95 % limit."""
_MOST_LABELS = 100_000
"""Largest number of labels that is stated as needed to tell two judges apart."""


@dataclass(frozen=True)
class Contender:
    """A judge that `compare` chooses among, with its ratings and their cost.

    Attributes:
        name: The judge's name in reports.
        ratings: The judge's ratings.
        cost: The cost of replies that weren't cached.
        from_cache: Number of replies that came from the cache and so cost nothing this time.
        submissions: Number of submissions that the paid and cached replies were for.
        identity: What identifies the judge, or its name if only its ratings are known; None if its ratings are from a
            report of `calibrate`.
        per_call: The largest number of criteria in one question, if judges are compared by that; else None.
    """

    name: str
    ratings: Sequence[Rating]
    cost: Usage = Usage()
    from_cache: int = 0
    submissions: int = 0
    identity: Identity | str | None = None
    per_call: int | None = None

    @property
    def usd_per_1000(self) -> float | None:
        """US dollars per thousand submissions; None if no call was paid for or the price isn't known."""
        if self.cost.usd is None or not self.cost.calls or not self.submissions:
            return None
        return self.cost.usd / self.cost.calls * (self.cost.calls + self.from_cache) / self.submissions * 1000


@dataclass(frozen=True)
class CriterionPair:
    """Comparison of two judges on one criterion: how often each gives gold's level, and how their levels differ.

    Attributes:
        exact: Share of examples on which each judge gives gold's level, and their difference; None without gold.
        between: Share of examples on which the two judges give the same level.
        shift: Mean of the second judge's levels minus the first's.
        p: Exact probability of such a shift if neither judge rates higher, after Holm's adjustment over the criteria.
            The interval of the shift and `p` both allow for tasks with several examples.
    """

    exact: EstimatePair | None
    between: Estimate
    shift: Estimate
    p: float


@dataclass(frozen=True)
class Flip:
    """An example that one judge passes and the other fails.

    Attributes:
        id: Id of the example.
        passes: True if the second judge passes it.
        scores: Scores of the first and the second judge; nan for one that gave only a decision.
        gold: True if gold passes it; None if gold has no decision.
    """

    id: str
    passes: bool
    scores: tuple[float, float]
    gold: bool | None


@dataclass(frozen=True)
class Differences:
    """Comparison of two judges on the examples that both graded.

    Attributes:
        first: Name of the first judge.
        second: Name of the second judge.
        n: Number of examples that both graded.
        figures: Figures of both judges, by name: agreement, mae, signed_error and accuracy (share of examples with
            gold's decision); empty without gold.
        criteria: The comparison on each criterion, by the criterion's name.
        shift: Mean of the second judge's scores minus the first's.
        shift_p: Exact probability of such a shift if neither judge scores higher.
        flips: Examples whose decision flips, the largest score difference first.
        flips_p: Exact probability of such a balance of flips to pass and to fail if neither judge is more lenient
            (McNemar).
        became_right: Number of flips in which the second judge decides as gold does; None without gold.
        became_wrong: Number of flips in which the first judge decides as gold does; None without gold.
        became_p: Exact probability of such a balance of right and wrong if neither judge agrees more often with gold;
            None without gold.
        false_passes: Of the examples that both judges decided, ids of those that gold fails and the first judge passes,
            and of those that gold fails and the second passes.
        link: The line that converts scores of the first judge to scores of the second, if the second judge replaces the
            first.
        old_passes_that_pass: Share of the first judge's passes that the second passes.
        old_fails_that_pass: Share of the first judge's fails that the second passes.
    """

    first: str
    second: str
    n: int
    figures: Mapping[str, EstimatePair]
    criteria: Mapping[str, CriterionPair]
    shift: Estimate
    shift_p: float
    flips: tuple[Flip, ...]
    flips_p: float
    became_right: int | None
    became_wrong: int | None
    became_p: float | None
    false_passes: tuple[tuple[str, ...], tuple[str, ...]]
    link: Link
    old_passes_that_pass: Estimate
    old_fails_that_pass: Estimate

    @property
    def moved(self) -> str:
        """Sentence that names what differs significantly between the judges: levels on criteria, or scores."""
        shifts = [
            (f"{name} by {signed(pair.shift.value)} levels", pair.p)
            for name, pair in self.criteria.items()
            if pair.shift.value is not None
        ]
        if self.shift.value is not None:
            shifts.append((f"the score by {signed(self.shift.value)}", self.shift_p))
        moved = [figure for figure, p in shifts if p <= MOVED]
        if not moved:
            return f"No shift from {self.first} to {self.second} is shown."
        others = "; nothing else is shown to have moved" if len(moved) < len(shifts) else ""
        return f"From {self.first} to {self.second} moved: {', '.join(moved)}{others}."


@dataclass(frozen=True)
class ContenderFigures:
    """Figures of one of the compared judges, on the examples that all of them graded.

    Attributes:
        name: Name of the judge.
        gate: The state of the ruling on whether it may pass or fail responses; None without gold, or if the rubric
            decides no pass or fail.
        trend: The state of the ruling on whether its scores may be averaged; None without gold.
        agreement: Share of examples on which it agrees with gold; None without gold.
        behind_best: Its agreement minus the best judge's, with one-sided 95 % limits; None for the best judge, or
            without gold.
        not_worse: True for the best judge, and if the lower limit of `behind_best` is above -NO_WORSE_MARGIN; None
            without gold.
        labels_needed: Number of additional labels needed to decide whether it is worse, if the two judges keep
            differing as they do; None if it is decided, or if the number is unknown.
        false_passes: Of the examples that all judges graded, the number that gold fails and this judge passes; None if
            the rubric decides no pass or fail.
        fails: Of the examples that all judges graded, the number that gold fails and that this judge decides; None if
            the rubric decides no pass or fail.
        not_graded: Number of examples that it did not grade.
        usd_per_1000: Cost in US dollars per thousand submissions; None if it isn't known.
    """

    name: str
    gate: RulingState | None
    trend: RulingState | None
    agreement: Estimate | None
    behind_best: Estimate | None
    not_worse: bool | None
    labels_needed: int | None
    false_passes: int | None
    fails: int | None
    not_graded: int
    usd_per_1000: float | None

    @property
    def rank(self) -> int:
        """Rank of the judge: 0 if it may decide without review, 1 if only its scores may be averaged, else 2."""
        return 0 if self.gate == "shown" else 1 if self.trend == "shown" else 2

    @property
    def is_worse(self) -> bool:
        """True if the judge is shown to be worse than the best judge: its difference's whole interval is below 0."""
        return self.behind_best is not None and self.behind_best.below(0.0)


@dataclass(frozen=True)
class Choice:
    """Comparison of several judges, with the judge that it recommends.

    Attributes:
        rubric: The rubric of all judges.
        examples: Number of examples.
        reference: The kind of gold; None without gold.
        labelled_twice: Number of examples with two annotators, if these are too few for `reference` to say so; else 0.
            None if it isn't known.
        measure: The measure by which averages of the judges are compared, mostly the score.
        paired: The measure by which agreement is compared: the decision if there are decisions, else `measure`.
        standings: The figures of each judge, in the order in which judges were named.
        pairs: The differences of each pair of judges.
        best: The judge that agrees with gold most often, of those that may decide without review; if none may, of those
            whose scores may be averaged, or else of all. None without gold.
        recommended: The cheapest judge that isn't worse than `best` and is shown to be good enough for the same uses;
            None if there is no such judge.
        because: The reason for the recommendation, in a sentence.
        notes: Caveats of the comparison.
        baseline: Agreement of the best constant answer with gold; None without gold.
        baseline_score: The best constant answer, as a number.
        next_step: A sentence on the labels that the verdict on the recommended judge, or else on the best one, needs;
            None if that verdict isn't open.
        labels_needed: Number of these labels; None if none are needed, or if no number would be enough.
        why_refused: The reason why the judge to choose can't gate, in a sentence; None if the labels don't show that it
            can't.
        ungraded: For each judge that left over a tenth of its examples without a grade, a sentence that says why.
    """

    rubric: Rubric
    examples: int
    reference: str | None
    labelled_twice: int | None
    measure: Measure
    paired: Measure
    standings: tuple[ContenderFigures, ...]
    pairs: tuple[Differences, ...]
    best: str | None
    recommended: str | None
    because: str
    notes: tuple[str, ...] = ()
    baseline: Estimate | None = None
    baseline_score: float | None = None
    next_step: str | None = None
    labels_needed: int | None = None
    why_refused: str | None = None
    ungraded: tuple[str, ...] = ()

    @property
    def tolerance(self) -> float:
        """Tolerance of agreement: two scores that are closer than this agree."""
        return self.measure.tolerance

    @property
    def agrees_most(self) -> bool:
        """True if the best judge, which is chosen by its uses first, is also one that agrees with gold most often."""
        return not any(s.behind_best is not None and (s.behind_best.value or 0.0) > 0 for s in self.standings)

    def ruled_by(self, decision: Decision) -> "Choice":
        """Return the choice, with `next_step`, `labels_needed` and `why_refused` from the verdict on a judge.

        If a judge left too many examples without a grade, the choice is returned unchanged.

        Args:
            decision: The verdict on the recommended judge or, if none is recommended, on the best one.
        """
        if self.ungraded:  # more labels are of no use while replies can't be read
            return self
        is_refused = decision.gate is not None and decision.gate.state == "refused"
        together = f" These are 95% CIs for the {decision.settings} settings tried on these labels together."
        why_refused = f"{decision.because}{together if decision.settings > 1 else ''}"
        return replace(
            self,
            next_step=decision.next_step,
            labels_needed=decision.labels_needed,
            why_refused=why_refused if is_refused else None,
        )

    @property
    def baseline_in_words(self) -> str:
        """The best constant answer in the words or numbers that raters use; a dash without gold."""
        return number(None) if self.baseline_score is None else self.paired.in_words(self.baseline_score)

    @property
    def beats_baseline(self) -> bool:
        """True if there is no gold, or if some judge agrees with gold more often than the best constant answer does."""
        baseline = None if self.baseline is None else self.baseline.value
        shares = [standing.agreement.value for standing in self.standings if standing.agreement is not None]
        return baseline is None or any(share is not None and share > baseline for share in shares)


def choose(
    rubric: Rubric,
    contenders: Sequence[Contender],
    truth: Gold | None,
    *,
    of: str | Measured | None = None,
    tolerance: float | None = None,
    notes: Sequence[str] = (),
) -> Choice:
    """Compare judges on the same examples.

    Args:
        rubric: The rubric of all judges.
        contenders: Two judges or more, the one in use first.
        truth: Gold; without it only the differences between judges are reported.
        of: Measure that must agree: "score", "decision", or a criterion or its name; None for the decision if there are
            decisions, else the score.
        tolerance: Distance from gold below which a score agrees; None means the rubric's.
        notes: Caveats of the comparison.

    Raises:
        ComparisonError: No example was rated by all judges.
        ValueError: There are fewer than two contenders.
    """
    if len(contenders) < 2:
        raise ValueError(f"a choice is between two judges or more, not {len(contenders)}")
    table = _table(rubric, contenders, truth)
    measure = measure_of(rubric, of, tolerance)
    names = [contender.name for contender in contenders]
    paired = _paired_on_decisions(table, names) if of is None and truth is not None else None
    view = _View(table, truth is not None, measure, paired or measure)
    pairs = tuple(view.differences(first, second) for first, second in combinations(names, 2))
    decisions = {} if truth is None else {name: _decision(table, name, measure, len(names)) for name in names}
    standings = tuple(view.standings(contenders, decisions))
    judged = ((contender, ~np.isnan(view.graded_by(contender.name))) for contender in contenders)
    whys = (why_too_few(contender.name, contender.ratings, table.ids, graded) for contender, graded in judged)
    ungraded = tuple(filter(None, whys))
    best = next((standing.name for standing in standings if standing.agreement and not standing.behind_best), None)
    recommended, because = (None, " ".join(ungraded)) if ungraded else _recommended(standings, best)
    by_all = view.graded_by_all(names)
    constant = None if truth is None or paired is not None else view.compared(best or names[0], by_all)
    choice = Choice(
        rubric=rubric,
        examples=len(table.ids),
        reference=None if truth is None else truth.reference,
        labelled_twice=0 if truth is None else truth.few_labelled_twice,
        measure=measure,
        paired=view.paired,
        standings=standings,
        pairs=pairs,
        best=best,
        recommended=recommended,
        because=because,
        notes=(*notes, *_note_on_missing(by_all, truth, has_baseline=constant is not None)),
        baseline=None if constant is None else constant.agreement_constant,
        baseline_score=None if constant is None else constant.figures.constant_value,
        ungraded=ungraded,
    )
    chosen = recommended or best
    return choice if chosen is None else choice.ruled_by(decisions[chosen])


def _paired_on_decisions(table: RatingTable, names: Sequence[str]) -> Measure | None:
    """Return the Measure that compares decisions, if decisions can be compared.

    Args:
        table: The ratings, with gold's column.
        names: Names of the judges.

    Returns:
        The Measure; None if the rubric decides no pass or fail, or if no example has a decision by gold and by every
        judge.
    """
    if not table.rubric.has_gate_question:
        return None
    decided = np.column_stack([table[name].decisions for name in (GOLD, *names)])
    is_decided = ~np.isnan(decided).any(axis=1)
    return measure_of(table.rubric, OF_DECISION) if is_decided.any() else None


def _note_on_missing(by_all: Flags, truth: Gold | None, *, has_baseline: bool) -> Iterator[str]:
    """Yield a sentence on the number of examples behind the figures, if some judge didn't grade every example.

    Args:
        by_all: Flags of the examples that every judge graded.
        truth: Gold; None without labels, and then there is no sentence.
        has_baseline: True if a baseline is among the figures.
    """
    n = int(by_all.sum())
    if truth is not None and n < len(by_all):
        figures = "Agreement, baseline and false passes" if has_baseline else "Agreement and false passes"
        yield (
            f"{figures} are of the {counted(n, 'example')} that every judge graded; "
            "what only some graded may be harder."
        )


def _decision(table: RatingTable, judge: str, measure: Measure, n_judges: int) -> Decision:
    """Return the verdict on one judge, with wider intervals the more judges were tried on the labels.

    Args:
        table: The table of ratings.
        judge: Name of the judge.
        measure: The measure by which judge and gold are compared.
        n_judges: Number of judges that are compared in this run.
    """
    compared = after_those_on_record(Comparison(table, judge, GOLD, measure))
    return decide(replace(compared, settings=max(compared.settings, n_judges)))


def _table(rubric: Rubric, contenders: Sequence[Contender], truth: Gold | None) -> RatingTable:
    """Make a table of ratings: a row for each example, a column for each judge, and one for gold if there is any.

    Args:
        rubric: The rubric.
        contenders: The judges, with their ratings.
        truth: Gold; None without labels.
    """
    ids = truth.ids if truth is not None else shared_ids([contender.ratings for contender in contenders])
    columns = [column_of(contender.name, contender.ratings, rubric, ids) for contender in contenders]
    for contender, column in zip(contenders, columns, strict=True):
        why_too_few(contender.name, contender.ratings, ids, column.rated)
    if not np.logical_and.reduce([column.rated for column in columns]).any():
        names = " and ".join(contender.name for contender in contenders)
        raise ComparisonError(f"{names} rated no example in common: no shared id with the same response")
    return RatingTable(rubric, ids, tuple(columns)) if truth is None else truth.table(rubric, *columns)


def shared_ids(ratings: Sequence[Iterable[Rating]]) -> tuple[str, ...]:
    """Return the ids that occur in all of several sets of ratings, in the order of the first set."""
    rated = [dict.fromkeys(RatingCodes.of(ratings_of_one).ids) for ratings_of_one in ratings]
    return tuple(unit for unit in rated[0] if all(unit in ids for ids in rated[1:]))


# --- two of them ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _View:
    """Table of the judges' ratings, with gold if there is any, and the measures by which judges are compared.

    Attributes:
        table: A table with a column for each judge, and gold if there is any.
        has_gold: True if the table has gold.
        measure: The measure by which averages of the judges are compared, mostly the score.
        paired: The measure by which agreement is compared: the decision if there are decisions, else `measure`.
    """

    table: RatingTable
    has_gold: bool
    measure: Measure
    paired: Measure

    def compared(self, name: str, rows: Flags) -> Comparison:
        """Compare a judge with gold, by decisions if there are any, on the examples flagged in `rows`."""
        columns = [self.table[column].where(rows) for column in (GOLD, name)]
        return Comparison(self.table.with_columns(*columns), name, GOLD, self.paired)

    def differences(self, first: str, second: str) -> Differences:
        before = self.table[first]
        after = self.table[second]
        scores = after.scores - before.scores
        passes = after.decisions - before.decisions
        values = self._values(first) + self._values(second)
        is_decided = np.asarray(~np.isnan(passes))
        became = self._became(before, after) if self.has_gold else None
        passing = passes_after(before.decisions, after.decisions, groups=self.table.groups)
        return Differences(
            first=first,
            second=second,
            n=int((~np.isnan(scores) | ~np.isnan(passes) | ~np.isnan(values)).sum()),
            figures=self._figures(first, second) if self.has_gold else {},
            criteria=self._criteria(first, second),
            shift=shift_between(self.table, first, second),
            shift_p=self._p(scores),
            flips=self._flips(before, after),
            flips_p=self._p(passes),
            became_right=None if became is None else int((became > 0).sum()),
            became_wrong=None if became is None else int((became < 0).sum()),
            became_p=None if became is None else self._p(became),
            false_passes=(self._false_passes(first, is_decided), self._false_passes(second, is_decided)),
            link=self._link(before, after),
            old_passes_that_pass=passing["passed"],
            old_fails_that_pass=passing["failed"],
        )

    def _values(self, name: str) -> Floats:
        """Return a judge's value of each example by the compared measure, such as its score or decision."""
        return self.paired.values(self.table[name])

    def graded_by(self, name: str) -> Floats:
        """Return a judge's score of each example or, if the rubric has only categories, the value of the one it chose.

        The value is nan for an example that the judge didn't grade.
        """
        return Comparison(self.table, name, GOLD, self.paired).graded_by

    def graded_by_all(self, names: Iterable[str]) -> Flags:
        """Return flags of the examples that all of the named judges graded, shape (n_examples,)."""
        values = [self._values(name) for name in names]
        return np.asarray(~np.isnan(np.column_stack(values)).any(axis=1))

    def _false_passes(self, name: str, rows: Flags) -> tuple[str, ...]:
        """Return the ids of a judge's false passes, the largest error first; () without gold.

        Args:
            name: Name of the judge.
            rows: Flags of the examples to look at.
        """
        return tuple(self.compared(name, rows).false_passes) if self.has_gold else ()

    def _figures(self, first: str, second: str) -> dict[str, EstimatePair]:
        groups = self.table.groups
        scored = ~np.isnan(self.table[first].scores + self.table[second].scores)
        before = self.compared(first, scored)
        after = self.compared(second, scored)
        mean_gain = partial(mean_estimate, groups=groups, method="mean error, second minus first")
        farther = mean_gain(np.abs(after.score_errors) - np.abs(before.score_errors))
        higher = mean_gain(after.score_errors - before.score_errors)
        return {
            "agreement": self._pair_of_shares(first, second, self.measure),
            "mae": EstimatePair(before.overall["mae"], after.overall["mae"], farther),
            "signed_error": EstimatePair(before.overall["signed_error"], after.overall["signed_error"], higher),
            **self._accuracy(first, second),
        }

    def _accuracy(self, first: str, second: str) -> dict[str, EstimatePair]:
        """Return, under the key "accuracy", the shares of examples that two judges decide as gold does.

        The result is {} if the rubric has no pass or fail.

        Args:
            first: Name of the first judge.
            second: Name of the second judge.
        """
        if not self.table.rubric.decides:
            return {}
        return {"accuracy": self._pair_of_shares(first, second, measure_of(self.table.rubric, OF_DECISION))}

    def _pair_of_shares(self, first: str, second: str, measure: Measure) -> EstimatePair:
        """Compare the shares of examples on which two judges agree with gold, over the examples that both judged.

        Args:
            first: Name of the first judge.
            second: Name of the second judge.
            measure: What must agree: the score, the decision, or the level on a criterion.
        """
        is_compared = ~np.isnan(measure.values(self.table[first]) + measure.values(self.table[second]))
        before, after = (replace(self.compared(name, is_compared), measure=measure) for name in (first, second))
        gain = gain_in_hits(before.hits, after.hits, groups=self.table.groups)
        return EstimatePair(before.agreement, after.agreement, gain)

    def _criteria(self, first: str, second: str) -> dict[str, CriterionPair]:
        before = self.table[first].levels
        after = self.table[second].levels
        criteria = self.table.rubric.criteria
        groups = self.table.groups
        adjusted = holm([1.0 if c.scale.coded else self._p(after[c.name] - before[c.name]) for c in criteria]).tolist()
        return {
            c.name: CriterionPair(
                exact=self._pair_of_shares(first, second, measure_of(self.table.rubric, c)) if self.has_gold else None,
                between=share(_equal(before[c.name], after[c.name]), groups),
                shift=shift_between(self.table, first, second, c.name) if not c.scale.coded else _no_shift(c, before),
                p=math.nan if c.scale.coded else p,
            )
            for c, p in zip(criteria, adjusted, strict=True)
        }

    def _p(self, differences: Floats) -> float:
        """Return the mid-p of the sign-flip test of the hypothesis that differences average to 0.

        Args:
            differences: Difference of two judges on each example; those on examples of one task change sign together.
        """
        values, tasks = known_in_groups(differences, self.table.groups)
        return sign_flip(tasks.sums(values)).mid_p

    def _became(self, before: Column, after: Column) -> Floats:
        """Return, for each example, 1 if only the second judge decides as gold does, -1 if only the first, else 0.

        The value is nan if gold or a judge has no decision.

        Args:
            before: The first judge's column.
            after: The second judge's column.
        """
        gold = self.table[GOLD].decisions
        is_missing = np.isnan(gold + before.decisions + after.decisions)
        became = (after.decisions == gold).astype(np.float64) - (before.decisions == gold)
        return np.where(is_missing, np.nan, became)

    def _flips(self, before: Column, after: Column) -> tuple[Flip, ...]:
        indices = np.flatnonzero(np.abs(after.decisions - before.decisions) == 1)
        far = np.nan_to_num(np.abs(after.scores - before.scores)[indices], nan=-1.0)
        gold = self.table[GOLD].decisions if self.has_gold else np.full(len(self.table.ids), math.nan)
        return tuple(
            Flip(
                id=self.table.ids[index],
                passes=bool(after.decisions[index]),
                scores=(float(before.scores[index]), float(after.scores[index])),
                gold=None if np.isnan(gold[index]) else bool(gold[index]),
            )
            for index in indices[np.argsort(-far, kind="stable")].tolist()
        )

    def _link(self, before: Column, after: Column) -> Link:
        """Fit the line from one judge's scores to another's, with points at a few scores of the first judge."""
        mark = self.table.rubric.pass_mark
        seen = np.unique(before.scores[~np.isnan(before.scores)])
        marks = seen if len(seen) <= 5 else np.unique([0.0, 0.25, 0.5, 0.75, 1.0, mark])
        return link_scores(before.scores, after.scores, marks)

    # all of them

    def standings(self, contenders: Sequence[Contender], decisions: Mapping[str, Decision]) -> list[ContenderFigures]:
        """Return the figures of each judge, on the examples that all judges graded.

        Args:
            contenders: The judges.
            decisions: The verdict on each judge, by the judge's name; empty without gold.
        """
        everywhere = self.graded_by_all(contender.name for contender in contenders)
        compared = [self.compared(contender.name, everywhere) for contender in contenders] if self.has_gold else []
        shares = [comparison.agreement.value for comparison in compared]
        known_shares = [value for value in shares if value is not None]
        if not shares or len(known_shares) < len(shares):
            return [self._standing(contender, everywhere, decisions) for contender in contenders]
        alone = [self._standing(contender, everywhere, decisions) for contender in contenders]
        first = min(range(len(alone)), key=lambda index: (alone[index].rank, -known_shares[index]))
        pairs = zip(contenders, compared, strict=True)
        return [
            self._standing(contender, everywhere, decisions, own_figures, compared[first])
            for contender, own_figures in pairs
        ]

    def _fails(self, name: str, rows: Flags) -> int:
        """Count the examples flagged in `rows` that gold fails and on which the judge `name` made a decision."""
        return self.compared(name, rows).wrong_passes.of if self.has_gold else 0

    def _standing(
        self,
        contender: Contender,
        rows: Flags,
        decisions: Mapping[str, Decision],
        compared: Comparison | None = None,
        best: Comparison | None = None,
    ) -> ContenderFigures:
        """Compute a judge's figures; if there is gold, also its difference from the best judge.

        Args:
            contender: The judge.
            rows: Flags of the examples that count.
            decisions: The verdict on each judge, by its name.
            compared: The judge's comparison with gold; None without gold.
            best: The best judge's comparison with gold; None without gold.
        """
        behind = needed = None
        if compared is not None and best is not None and compared is not best:
            behind = gain_in_hits(best.hits, compared.hits, groups=self.table.groups, level=ONE_SIDED)
        not_worse = None if compared is None else behind is None or behind.above(-NO_WORSE_MARGIN + ROUNDING)
        if compared is not None and best is not None and not not_worse:
            labels = labels_to_tell(compared.hits - best.hits, groups=self.table.groups)
            needed = None if labels is None else labels - int(np.isfinite(compared.hits - best.hits).sum())
        decision = decisions.get(contender.name)
        return ContenderFigures(
            name=contender.name,
            gate=None if decision is None or decision.gate is None else decision.gate.state,
            trend=None if decision is None else decision.trend.state,
            agreement=None if compared is None else compared.agreement,
            behind_best=behind,
            not_worse=not_worse,
            labels_needed=needed,
            false_passes=len(self._false_passes(contender.name, rows)) if self.table.rubric.decides else None,
            fails=self._fails(contender.name, rows) if self.table.rubric.decides else None,
            not_graded=int(np.isnan(self.graded_by(contender.name)).sum()),
            usd_per_1000=contender.usd_per_1000,
        )


def _equal(first: Floats, second: Floats) -> Floats:
    """Return 1 for each row in which two columns are equal, 0 if they differ, nan if either is missing."""
    return np.where(np.isnan(first) | np.isnan(second), np.nan, first == second).astype(np.float64)


def _no_shift(criterion: Criterion, levels: Mapping[str, Floats]) -> Estimate:
    """Return an estimate without value, in place of a shift, for a criterion whose levels have no order."""
    n = int(np.isfinite(levels[criterion.name]).sum())
    return Estimate.without_value(NO_ORDER, n=n, method="mean level, second minus first")


def labels_to_tell(differences: Floats, *, groups: Sequence[str] | None = None) -> int | None:
    """Estimate how many labels would show a judge to be no worse than another one, if they keep differing as they do.

    Return None if the judge seems to be worse, if there are too few examples to tell, or if too many labels would be
    needed.

    Args:
        differences: For each example 1 if only the judge is right, -1 if only the other judge is right, else 0, shape
            (n,); nan if either judge gave no answer.
        groups: The task of each example, shape (n,), if several share one. If all tasks have the same mean difference,
            they don't show how much further tasks may vary, so None is returned.

    Example:
        >>> labels_to_tell(np.array([1.0, -1.0] + [0.0] * 18))
        125
    """
    present = ~np.isnan(differences)
    d = differences[present]
    size = 1.0
    if groups is not None:
        _, group_of = np.unique(np.asarray(groups)[present], return_inverse=True)
        d = np.bincount(group_of, weights=d) / np.bincount(group_of)
        size = len(group_of) / max(1, len(d))
    if len(d) < 2 or (groups is not None and np.ptp(d) == 0):
        return None
    apart = float(d.mean()) + NO_WORSE_MARGIN
    variance = float(d.var())

    def tells(n: int) -> bool:
        widened = (n * variance + 2) / (n + 1)
        reach = t_quantile(n + 1, ONE_SIDED) * math.sqrt(widened / (n + 2))
        return reach < abs(apart)

    if apart <= 0 or not tells(_MOST_LABELS):
        return None
    return math.ceil(size * max(least_n(tells), len(d) + 1))


def _recommended(standings: Sequence[ContenderFigures], best: str | None) -> tuple[str | None, str]:
    """Return the cheapest judge that is as good as the best (`not_worse`), and why; or None, and why there is none."""
    if best is None:
        return None, "without labels only the differences between judges are known"
    rank = min(standing.rank for standing in standings if standing.name == best)
    good = [standing for standing in standings if standing.not_worse and standing.rank == rank]
    caveat = _maybe_worse(standings)
    leads = _leads(standings, best)
    if len(good) == 1:
        return best, f"{leads}{_worse(standings)}{caveat}"
    unpriced = [standing.name for standing in good if standing.usd_per_1000 is None]
    names = in_words([standing.name for standing in good])
    if unpriced:
        costs = f"what {in_words(unpriced)} {'costs' if len(unpriced) == 1 else 'cost'} is not known"
        return None, f"{leads}; {names} are no worse than the best, but {costs}{caveat}"
    cheapest = min(good, key=lambda standing: standing.usd_per_1000 or 0.0)
    return (
        cheapest.name,
        f"{cheapest.name} is the cheapest of those that are no worse than the best, {names}{caveat}",
    )


def _leads(standings: Sequence[ContenderFigures], best: str) -> str:
    """Say why the best judge leads.

    It agrees most often, perhaps together with judges that agree equally often. Or it may decide without review (or its
    scores may be averaged), and judges that agree more often may not.

    Args:
        standings: The figures of each judge.
        best: Name of the best judge.
    """
    by_name = {standing.name: standing for standing in standings}
    ahead = [name for name, s in by_name.items() if s.behind_best is not None and (s.behind_best.value or 0.0) > 0]
    if not ahead:
        equal = [name for name, s in by_name.items() if s.agreement == by_name[best].agreement]
        several = f"{in_words(equal)} agree with the labels equally often"
        return several if len(equal) > 1 else f"{best} agrees most often"
    use = "stop and keep enough to gate" if by_name[best].rank == 0 else "be good for trends"
    return f"{best} is shown to {use}, and {in_words(ahead)} {'is' if len(ahead) == 1 else 'are'} not"


def _worse(standings: Sequence[ContenderFigures]) -> str:
    """Say which judges are shown to be worse than the best one; "" if none are."""
    worse = [standing.name for standing in standings if standing.is_worse]
    return f"; {in_words(worse)} {'is' if len(worse) == 1 else 'are'} worse" if worse else ""


def _maybe_worse(standings: Sequence[ContenderFigures]) -> str:
    """Say which judges may be worse than the best one, and how many more labels may decide it; "" if none may be."""
    undecided = [standing for standing in standings if not standing.not_worse and not standing.is_worse]
    if not undecided:
        return ""
    named = [
        f"{standing.name} (about {counted(standing.labels_needed, 'more label')} would tell them apart)"
        if standing.labels_needed
        else standing.name
        for standing in undecided
    ]
    return f"; {in_words(named)} may be worse by {NO_WORSE_MARGIN * 100:g} points or more"
