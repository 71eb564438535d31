"""Drift: a run compared with the accepted ones on the same examples, what moved and what may have caused it."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from markscheme.calibration.changes import (
    MOST_RUNS,
    Accepted,
    Change,
    Setting,
    can_explain,
    changes_between,
    labels_digest,
    same_scale,
    submission_digest,
)
from markscheme.calibration.comparison import Comparison, compare, headline
from markscheme.calibration.decision import Finding, Severity
from markscheme.calibration.findings.evidence import worst_places
from markscheme.errors import ComparisonError
from markscheme.phrases import counted, listed, number, signed
from markscheme.ratings.examples import Example
from markscheme.ratings.gold import GOLD
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import Column, Floats, RatingTable, column_of, positions, stacked
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.stats import Estimate
from markscheme.stats.change import Changed, Moved, alarm_level, any_change, holm, moved, sign_flip
from markscheme.stats.change import Verdict as RunVerdict
from markscheme.stats.pairs import Moments
from markscheme.stats.runs import RUN_SD, RunDrift, RunShift, run_agreement_change, run_drift

LEVEL = 0.05
"""Chance that an unmoved judge counts as moved: in one run for "watch", over all runs since acceptance for an alarm."""
MARGIN = 1 / 16
"""Share of a scale's range by which the mean may move and still count as unmoved."""
REPLAYED_ENOUGH = 0.9
"""Share of the examples that a replay must cover to separate causes."""
MOST_MOVERS = 5
COARSEST_STEP = 0.05
"""Upper limit of the score's step, from which its minimum noise is computed."""
UNSTEADY = "unsteady-judge"
"""Code of the finding that accepted runs differ among themselves; it isn't an alarm."""
NOW, REPLAYED = "now", "replayed"
"""Names of columns: this run, and today's judge asked with the accepted rubric."""

Verdict = RunVerdict | Literal["moved"]
"""Verdict on one criterion; "moved" where the author's own edit moved it, which isn't drift of the judge."""
GoldMeasure = Literal["weighted_kappa", "cohen_kappa", "exact_agreement", "mae"]


@dataclass(frozen=True)
class Since:
    """The accepted runs and the settings of the comparison with them.

    Attributes:
        accepted: The runs.
        run: Number of this comparison with them, from 1; later ones need a smaller p for an alarm.
        planned: How many comparisons there will be, where that is fixed beforehand; the level is split over them.
        margin: Share of a scale's range by which the mean may move and still count as unmoved.
        replayed: Ratings of today's judge asked with the accepted rubric, which separates the judge's effect from the
            rubric's.
        accepting: Whether this run is about to be accepted, and so raises no alarm.
        start_over: Whether it then replaces the accepted runs instead of joining them.
    """

    accepted: Accepted
    run: int = 1
    planned: int | None = None
    margin: float = MARGIN
    replayed: tuple[Rating, ...] = ()
    accepting: bool = False
    start_over: bool = False

    @property
    def level(self) -> float:
        """The p up to which this run raises an alarm."""
        return alarm_level(self.run, planned=self.planned, level=LEVEL)


@dataclass(frozen=True)
class Part:
    """The part of a shift that some of the changes caused, from a replay.

    Attributes:
        changes: Which.
        drift: The shift they caused.
        p: p-value of the shift, adjusted for the other part.
    """

    changes: tuple[Change, ...]
    drift: RunDrift
    p: float


@dataclass(frozen=True)
class Explanation:
    """Which changes can explain a shift.

    Attributes:
        changes: Those that can; empty where no recorded change could.
        separable: Whether their effects are known separately: there is at most one, or a replay shows each.
        parts: The parts a replay shows; empty without one.
    """

    changes: tuple[Change, ...]
    separable: bool
    parts: tuple[Part, ...] = ()

    @property
    def is_own_edit(self) -> bool:
        """Whether the rubric's author made all of them, so that the judge didn't change."""
        return bool(self.changes) and all(change.side == "rubric" for change in self.changes)


@dataclass(frozen=True)
class GoldChange:
    """How agreement with gold changed on a criterion.

    Attributes:
        measure: The statistic.
        moved: Now minus the mean of the accepted runs, on the same examples and today's labels.
        margin: How far it may change and still count as the same; in levels for `mae`.
        p: Adjusted for the other criteria; None where the change is undefined.
    """

    measure: GoldMeasure
    moved: RunShift
    margin: float
    p: float | None

    @property
    def change(self) -> Estimate:
        """The change with its 90 % interval."""
        return self.moved.shift

    @property
    def is_worse(self) -> bool:
        """Whether the point estimate is worse: a smaller coefficient, or a larger error."""
        value = self.change.value or 0.0
        return value > 0 if self.measure == "mae" else value < 0

    @property
    def affirmed(self) -> bool:
        """Whether the whole interval of the change lies inside the margin."""
        return all(limit is not None and abs(limit) < self.margin for limit in (self.change.low, self.change.high))

    def fell(self, level: float) -> bool:
        """Whether agreement is shown to be worse, with p at or under the level of the run."""
        return self.is_worse and not self.affirmed and self.p is not None and self.p <= level


@dataclass(frozen=True)
class CriterionDrift:
    """One criterion in the accepted runs and now.

    Attributes:
        criterion: Which.
        drift: Its shift of level, and the evidence.
        p: p-value of the shift, adjusted for the other criteria.
        exact_p: p-value of the exact test by example, which ignores that runs differ; never an alarm.
        verdict: The verdict at the level of this run.
        changed: Whether answers differ more from the accepted runs than these do among themselves; never an alarm.
        changed_p: Its p adjusted for the other criteria; None with one accepted run.
        gold: How its agreement with gold changed; None without any gold level, or any level of a judge.
        explanation: Which changes can have moved it.
        movers: Ids of the examples whose level moved most.
    """

    criterion: Criterion
    drift: RunDrift
    p: float
    exact_p: float
    verdict: Verdict
    changed: Changed
    changed_p: float | None
    gold: GoldChange | None
    explanation: Explanation
    movers: tuple[str, ...]

    @property
    def shift(self) -> Estimate:
        """New run minus the mean of the accepted ones in levels, with its 90 % interval."""
        return self.drift.moved.shift

    @property
    def needed(self) -> int | None:
        """Examples that would show that the judge didn't move; None if that isn't open, or more runs come first."""
        return self.drift.needed if self.verdict == "can't tell" else None

    @property
    def has_moved(self) -> bool:
        """Whether its level is shown to have moved by more than the margin, for whatever cause."""
        return self.verdict in ("drifted", "moved")

    @property
    def watch(self) -> bool:
        """Whether its p would be small enough if this were the only comparison with the accepted runs."""
        return self.p <= LEVEL


@dataclass(frozen=True)
class ScoreDrift:
    """The overall score in the accepted runs and now.

    Attributes:
        drift: Its shift due to the judge's levels alone, with today's weights.
        by_weights: Mean shift due to the new weights alone; 0 where no weight changed, None where the accepted
            levels can't be scored by today's rubric.
        passes: Exact test of the decisions: how many more pass. Never an alarm.
        flipped: Ids of the examples whose decision differs from the first accepted run's.
    """

    drift: RunDrift
    by_weights: float | None
    passes: Moved
    flipped: tuple[str, ...]


@dataclass(frozen=True)
class Baseline:
    """This run compared with the accepted ones.

    Attributes:
        since: The accepted runs, and how this one is compared with them.
        now: The setting of this run.
        samples: How many samples of this run were combined by their median.
        why_not_joined: Why this run can't be added to the accepted ones; None where it can.
        shared: Examples that all runs rated with the same response and inputs.
        other_response: Examples whose response or inputs changed; they are excluded.
        gone: Examples rated then and not now.
        new: Examples rated now and not then.
        changes: All that differs from the accepted runs.
        criteria: By name.
        not_compared: Criteria that cannot be compared, with the reason.
        score: The overall score; None where a run has none.
        agreement_then: Share of the shared examples on which the first accepted run agrees with today's labels.
        agreement_now: The same for this run.
        findings: The findings about the judge.
    """

    since: Since
    now: Setting
    samples: int
    why_not_joined: str | None
    shared: int
    other_response: int
    gone: int
    new: int
    changes: tuple[Change, ...]
    criteria: Mapping[str, CriterionDrift]
    not_compared: Mapping[str, str]
    score: ScoreDrift | None
    agreement_then: Estimate
    agreement_now: Estimate
    findings: tuple[Finding, ...] = ()

    @property
    def alarm(self) -> bool:
        """Whether a shift counts against the judge: not where only the author's own edit moved levels and agreement is
        no worse."""
        return any(finding.severity == "high" for finding in self.findings)

    @property
    def _moved(self) -> list[CriterionDrift]:
        level = self.since.level
        return [one for one in self.criteria.values() if one.has_moved or (one.gold and one.gold.fell(level))]

    @property
    def foremost(self) -> CriterionDrift | None:
        """The criterion that moved most, with those the author didn't edit first; None where nothing is shown to have
        moved, or this run is being accepted."""
        if self.since.accepting or not self._moved:
            return None
        to_blame = [one for one in self._moved if not one.explanation.is_own_edit] or self._moved
        return max(to_blame, key=lambda one: (one.has_moved, abs(one.shift.value or 0.0) / one.criterion.scale.span))

    @property
    def headline(self) -> str:
        """What moved most, the cause first; "" where there is no `foremost`."""
        foremost = self.foremost
        if foremost is None:
            return ""
        others = ", ".join(one.criterion.name for one in self._moved if one is not foremost)
        return _account(foremost, self) + (f" Moved as well: {others}." if others else "")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader needs to know about the runs compared, in sentences."""
        found = []
        if self.since.accepting and (self.since.start_over or self.why_not_joined):
            why = "" if self.since.start_over else f" ({self.why_not_joined})"
            found.append(f"This run replaces the accepted ones{why}.")
        elif self.since.accepting:
            moved = ", ".join(name for name, one in self.criteria.items() if one.has_moved)
            differs = f" It differs from them on {moved}: to drop them instead, add --replace." if moved else ""
            found.append(f"This run is added to the accepted ones.{differs}")
        elif len(self.since.accepted.runs) == 1:
            found.append(
                "One accepted run doesn't show how much runs differ, so even half a level on a five-level scale is "
                f"hardly ever found. Accept further runs with nothing changed (--accept), {MOST_RUNS} in all."
            )
        if self.samples > 1:
            found.append(f"This run enters by the median of its {self.samples} samples.")
        return tuple(found)


def why_incomparable(accepted: Accepted, rubric: Rubric, examples: Sequence[Example]) -> str | None:
    """Why nothing can be compared with an accepted run, whatever the judge answers; None where something can."""
    then = accepted.setting.rubric
    if then.name != rubric.name:
        return f"{accepted.path} is the accepted run of rubric {then.name!r}, not of {rubric.name!r}"
    known = [example for example in examples if example.id in accepted.submissions]
    if not any(accepted.submissions[example.id] == submission_digest(example) for example in known):
        why = "their responses or inputs changed" if known else "no example has an id it knows"
        return f"nothing in common with the accepted run {accepted.path}: {why}"
    scales = {criterion.name: criterion.scale for criterion in then.criteria}
    if not any(c.name in scales and same_scale(scales[c.name], c.scale) for c in rubric.criteria):
        return f"nothing in common with the accepted run {accepted.path}: no criterion is rated on the same scale"
    return None


def drift_since(since: Since, now: Setting, comparison: Comparison, ratings: Sequence[Rating]) -> Baseline:
    """Compare a judge with its accepted runs.

    Args:
        since: The accepted runs.
        now: The setting of this run.
        comparison: This run compared with gold.
        ratings: The judge's ratings of this run; several samples of an example count as their median.

    Raises:
        ComparisonError: Nothing in common: another rubric, no example with the same response, no criterion on the
            same scale.
    """
    accepted, examples = since.accepted, comparison.gold.examples
    why = why_incomparable(accepted, now.rubric, examples)
    if why is not None:
        raise ComparisonError(why)
    runs = _Runs.of(since, comparison, ratings)
    changes = _all_changes(since, now, runs)
    compared, not_compared = _comparable(runs, accepted.setting.rubric, now.rubric)
    weighed, by_weights = _by_todays_weights(runs, accepted, now.rubric)
    runs = replace(runs, table=runs.table.with_columns(*weighed))
    by_run = [compare(runs.table, judge=run, tolerance=comparison.tolerance) for run in (runs.accepted[0].name, NOW)]
    baseline = Baseline(
        since=since,
        now=now,
        samples=len({rating.sample for rating in ratings}),
        why_not_joined=accepted.why_not_joined(now, examples),
        shared=len(runs.table.ids),
        other_response=runs.other_response,
        gone=len(accepted.submissions.keys() - {example.id for example in examples}),
        new=sum(example.id not in accepted.submissions for example in examples),
        changes=changes,
        criteria=_criteria(since, runs, compared, changes),
        not_compared=not_compared,
        score=_score(since, runs, by_weights),
        agreement_then=by_run[0].agreement,
        agreement_now=by_run[1].agreement,
    )
    return replace(baseline, findings=tuple(_findings(baseline)))


# --- what is common -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Runs:
    """Examples that all runs rated with the same response: gold, accepted runs, replay and this run as columns.

    Attributes:
        table: Levels and scores of these examples in the accepted runs, this run and a replay with the accepted rubric.
        examples: In the order of the table.
        other_response: How many examples have another response or input now.
    """

    table: RatingTable
    examples: tuple[Example, ...]
    other_response: int

    @classmethod
    def of(cls, since: Since, comparison: Comparison, ratings: Sequence[Rating]) -> "_Runs":
        accepted, examples = since.accepted, comparison.gold.examples
        known = [place for place, example in enumerate(examples) if example.id in accepted.submissions]
        alike = [p for p in known if accepted.submissions[examples[p].id] == submission_digest(examples[p])]
        kept = comparison.table.rows(np.array(alike, dtype=np.int64))
        then = accepted.setting.rubric
        columns = [kept[comparison.gold_name], column_of(NOW, ratings, comparison.rubric, kept.ids)]
        columns += [
            column_of(f"accepted run {number}", run.values(), then, kept.ids)
            for number, run in enumerate(accepted.runs, start=1)
        ]
        columns.append(column_of(REPLAYED, since.replayed, then, kept.ids))
        table = RatingTable(comparison.rubric, kept.ids, tuple(columns), kept.groups)
        return cls(table, tuple(examples[place] for place in alike), len(known) - len(alike))

    @property
    def accepted(self) -> tuple[Column, ...]:
        return tuple(column for column in self.table.columns if column.name not in (GOLD, NOW, REPLAYED))

    def levels(self, name: str) -> tuple[Floats, Floats]:
        """Levels on a criterion now, shape (n,), and in the accepted runs, shape (n, runs)."""
        return self.table[NOW].levels[name], stacked(self.accepted, name)


def _all_changes(since: Since, now: Setting, runs: _Runs) -> tuple[Change, ...]:
    changes = changes_between(since.accepted.setting, now)
    if any(since.accepted.labels[example.id] != labels_digest(example) for example in runs.examples):
        changes += (Change("labels", "the labels", "labels"),)
    if runs.other_response:
        what = f"the response or an input of {counted(runs.other_response, 'example')} (the system under test)"
        changes += (Change("responses", what, "examples"),)
    return changes


def _comparable(runs: _Runs, then: Rubric, now: Rubric) -> tuple[list[Criterion], dict[str, str]]:
    before = {criterion.name: criterion for criterion in then.criteria}
    compared: list[Criterion] = []
    refused: dict[str, str] = {}
    for criterion in now.criteria:
        if criterion.name not in before:
            refused[criterion.name] = "it is new"
        elif not same_scale(before[criterion.name].scale, criterion.scale):
            refused[criterion.name] = "its scale changed"
        elif np.isnan(np.column_stack(runs.levels(criterion.name))).any(axis=1).all():
            refused[criterion.name] = "no example has a level in all runs"
        else:
            compared.append(criterion)
    return compared, refused


# --- criteria -------------------------------------------------------------------------------------------------------


def _criteria(
    since: Since, runs: _Runs, compared: Sequence[Criterion], changes: tuple[Change, ...]
) -> dict[str, CriterionDrift]:
    """Levels, any change, and agreement with gold are three families, each adjusted by Holm's method."""
    levels = [runs.levels(criterion.name) for criterion in compared]
    drifts = [_drift(*both, c.scale, since.margin) for both, c in zip(levels, compared, strict=True)]
    adjusted = holm([drift.moved.p for drift in drifts]).tolist()
    changed = [any_change(*both) for both in levels]
    changed_p = _adjusted([one.mid_p for one in changed])
    golds = [_gold_change(runs, criterion, since.margin) for criterion in compared]
    gold_p = _adjusted([None if one is None else one.p for one in golds])
    found = {}
    for place, criterion in enumerate(compared):
        drift, gold = drifts[place], golds[place]
        explanation = _explanation(since, runs, criterion, can_explain(changes, criterion.name))
        verdict: Verdict = drift.verdict(adjusted[place], level=since.level)
        found[criterion.name] = CriterionDrift(
            criterion=criterion,
            drift=drift,
            p=adjusted[place],
            exact_p=moved(*levels[place]).exact_p,
            verdict="moved" if verdict == "drifted" and explanation.is_own_edit else verdict,
            changed=changed[place],
            changed_p=changed_p[place],
            gold=None if gold is None else replace(gold, p=gold_p[place]),
            explanation=explanation,
            movers=_movers(runs, criterion.name),
        )
    return found


def _drift(now: Floats, then: Floats, scale: Scale, margin: float, base: Floats | None = None) -> RunDrift:
    step = float(np.diff(sorted(set(scale.values))).min())
    return run_drift(now, then, span=scale.span, step=step, margin=margin * scale.span, base=base)


def _adjusted(p: Sequence[float | None]) -> list[float | None]:
    """Holm's adjustment over those that have a p."""
    adjusted = iter(holm([value for value in p if value is not None]).tolist())
    return [None if value is None else next(adjusted) for value in p]


def _movers(runs: _Runs, name: str) -> tuple[str, ...]:
    now, then = runs.levels(name)
    return tuple(runs.table.ids[place] for place in worst_places(np.abs(now - then.mean(axis=1)), MOST_MOVERS))


def _gold_change(runs: _Runs, criterion: Criterion, margin: float) -> GoldChange | None:
    """With the chance-corrected coefficient where it is defined with every example left out, else exact agreement.

    More than two levels without an order have exact agreement only; a level other than gold's is at distance 1.
    """
    scale, gold = criterion.scale, runs.table[GOLD].levels[criterion.name]
    now, then = runs.levels(criterion.name)
    if np.isnan(np.column_stack([gold, now, then])).any(axis=1).all():
        return None

    def change(measure: GoldMeasure, formula: Callable[[Moments], Floats], unit: float = 1.0) -> GoldChange:
        moved = run_agreement_change(
            gold, now, then, formula, groups=runs.table.groups, prior_sd=RUN_SD * unit, method=f"change in {measure}"
        )
        return GoldChange(measure, moved, margin * unit, None if moved.shift.value is None else moved.p)

    if scale.ordered or len(set(scale.values)) == 2:
        found = change(headline(scale), _kappa)
        if found.p is not None:
            return found
    if scale.ordered:
        return change("mae", lambda m: m.absolute, scale.span)
    now, then = (np.where(np.isnan(one), np.nan, one != same) for one, same in ((now, gold), (then, gold[:, None])))
    gold = np.where(np.isnan(gold), np.nan, 0.0)
    return change("exact_agreement", lambda m: 1 - m.absolute)


def _kappa(m: Moments) -> Floats:
    """Quadratic weighted kappa, which for two levels is Cohen's; nan where either rater never varies."""
    both_vary = (m.gold_variance > 0) & (m.judge_variance > 0)
    return np.where(both_vary, 1 - m.square / (m.gold_variance + m.judge_variance + m.signed**2), np.nan)


def _explanation(since: Since, runs: _Runs, criterion: Criterion, changes: tuple[Change, ...]) -> Explanation:
    by_rubric = tuple(change for change in changes if change.side == "rubric")
    by_others = tuple(change for change in changes if change.side != "rubric")
    now, then = runs.levels(criterion.name)
    between = runs.table[REPLAYED].levels[criterion.name]
    if not by_rubric or not by_others or float((~np.isnan(between)).mean()) < REPLAYED_ENOUGH:
        return Explanation(changes, separable=len(changes) <= 1)
    drifts = (
        _drift(between, then, criterion.scale, since.margin),
        _drift(now, then, criterion.scale, since.margin, base=between),
    )
    adjusted = holm([one.moved.p for one in drifts]).tolist()
    parts = tuple(Part(*part) for part in zip((by_others, by_rubric), drifts, adjusted, strict=True))
    shown = [part for part in parts if part.p <= LEVEL]
    named = tuple(change for part in shown for change in part.changes)
    return Explanation(named or changes, bool(shown) and all(len(part.changes) == 1 for part in shown), parts)


# --- the score ------------------------------------------------------------------------------------------------------


def _score(since: Since, runs: _Runs, by_weights: float | None) -> ScoreDrift | None:
    now, then = runs.table[NOW], stacked(runs.accepted)
    if np.isnan(np.column_stack([now.scores, then])).any(axis=1).all():
        return None
    flips = now.decisions - runs.accepted[0].decisions
    return ScoreDrift(
        drift=run_drift(now.scores, then, span=1.0, step=_score_step(runs.table.rubric), margin=since.margin),
        by_weights=by_weights,
        passes=sign_flip(flips),
        flipped=tuple(runs.table.ids[place] for place in np.flatnonzero(np.nan_to_num(flips)).tolist()),
    )


def _score_step(rubric: Rubric) -> float:
    """The smallest difference that two scores of a rubric can have, at most 0.05."""
    if rubric.strategy == "holistic":
        return 0.01
    whole = rubric.positive_weight or sum(-c.weight for c in rubric.criteria)
    steps = {
        Fraction(abs(c.weight) * float(gap) / whole).limit_denominator(10_000)
        for c in rubric.criteria
        for gap in np.diff(np.unique(positions(c.scale, np.array(c.scale.values))))
    }
    smallest = math.gcd(*(step.numerator for step in steps)) / math.lcm(*(step.denominator for step in steps))
    return min(COARSEST_STEP, smallest or COARSEST_STEP)


def _by_todays_weights(runs: _Runs, accepted: Accepted, now: Rubric) -> tuple[tuple[Column, ...], float | None]:
    """The accepted runs with scores by today's weights, and the mean shift that these weights cause.

    The runs stay as they are, and the shift is None, where today's rubric can't score the accepted levels.
    """
    then = accepted.setting.rubric
    if [(c.name, c.weight) for c in then.criteria] == [(c.name, c.weight) for c in now.criteria]:
        return runs.accepted, 0.0
    scales = {criterion.name: criterion.scale for criterion in then.criteria}
    known = all(c.name in scales and same_scale(scales[c.name], c.scale) for c in now.criteria)
    if not known or "holistic" in (then.strategy, now.strategy):
        return runs.accepted, None
    names = {criterion.name for criterion in now.criteria}
    weighed = []
    for column, run in zip(runs.accepted, accepted.runs, strict=True):
        levels = [
            replace(r, overall=None, criteria={k: v for k, v in r.criteria.items() if k in names}) for r in run.values()
        ]
        weighed.append(replace(column, scores=column_of(column.name, levels, now, runs.table.ids).scores))
    moved = stacked(weighed) - stacked(runs.accepted)
    moved = moved[~np.isnan(moved)]
    return tuple(weighed), float(moved.mean()) if len(moved) else None


# --- what follows for the judge -------------------------------------------------------------------------------------


def _findings(baseline: Baseline) -> Iterator[Finding]:
    """What moved and whether it counts against the judge; runs that differ among themselves come last."""
    level, whole = baseline.since.level, sum(abs(criterion.weight) for criterion in baseline.now.rubric.criteria)
    for found in baseline.criteria.values() if not baseline.since.accepting else ():
        name, why, gold = found.criterion.name, found.explanation, found.gold
        share = abs(found.criterion.weight) / whole / found.criterion.scale.span
        causes: dict[str, Any] = {
            "level": level,
            "causes": [change.key for change in why.changes],
            "separable": why.separable,
            "own_edit": why.is_own_edit,
        }
        if found.has_moved:
            flips = {
                "flips_now": found.changed.flips_now.to_json(),
                "flips_stored": found.changed.flips_stored.to_json(),
            }
            evidence = {"shift": found.shift.to_json(), "p": found.p, **flips, **causes}
            severity: Severity = "low" if why.is_own_edit else "high"
            cost, said = abs(found.shift.value or 0.0) * share, _account(found, baseline)
            yield Finding("drift", name, severity, said, evidence, found.movers, _way_out(found), cost)
        if gold is not None and gold.fell(level):
            evidence = {"measure": gold.measure, "change": gold.change.to_json(), "p": gold.p, **causes}
            cost = abs(gold.change.value or 0.0) * share if gold.measure == "mae" else 0.0
            said = _account(found, baseline, agreement_first=True)
            yield Finding("drift-gold", name, "high", said, evidence, found.movers, _way_out(found), cost)
    yield from _unsteady(list(baseline.criteria.values()))


def _unsteady(criteria: Sequence[CriterionDrift]) -> Iterator[Finding]:
    """Criteria on which the accepted runs differ among themselves, adjusted by Holm's method over all of them."""
    adjusted = _adjusted([found.drift.moved.p_alike for found in criteria])
    for found, p in zip(criteria, adjusted, strict=True):
        if not found.drift.unsteady or p is None or p > LEVEL:
            continue
        moved, name, means = found.drift.moved, found.criterion.name, found.drift.means
        *first, last = [f"{mean:.2f}" for mean in means]
        message = (
            f"{name}: {moved.runs} accepted runs of the same judge averaged {', '.join(first)} and {last}. Runs differ "
            f"more than noise in single answers explains, so a shift under {moved.detectable:.1f} levels can't be "
            "detected."
        )
        evidence = {"means": list(means), "run_sd": moved.run_sd, "p": p, "detectable": moved.detectable}
        advice = "Use several samples (--samples 3), or fix what varies between runs: model version, temperature, seed."
        yield Finding(UNSTEADY, name, "medium", message, evidence, suggestion=advice)


# --- in sentences ---------------------------------------------------------------------------------------------------


def _account(found: CriterionDrift, baseline: Baseline, *, agreement_first: bool = False) -> str:
    """What moved a criterion, how far, and how its agreement with gold changed; the cause comes first."""
    explanation = found.explanation
    effect, gold = _effect(found), _agreement(found, baseline.since.level)
    seen = [part for part in ((gold, effect) if agreement_first else (effect, gold)) if part]
    if not explanation.changes and baseline.now.identity is not None:
        yet = f"Nothing on record changed, yet {seen[0][:1].lower()}{seen[0][1:]}"
        return " ".join([yet, *seen[1:], "The provider may serve another model under the same name."])
    if explanation.parts:
        seen.append(f"By replay: {'; '.join(map(_part, explanation.parts))}.")
    return " ".join([_cause(explanation), *seen])


def _cause(explanation: Explanation) -> str:
    changes = explanation.changes
    if not changes:
        return "What asked the judge is not on record, so the cause is unknown."
    if explanation.separable or explanation.is_own_edit:
        return " ".join(f"{change.cause}." for change in changes)
    return f"Changed at once, not separable: {'; '.join(change.sentence for change in changes)}."


def _effect(found: CriterionDrift) -> str:
    shift, moved = found.shift, found.drift.moved
    name, value = found.criterion.name, shift.value or 0.0
    if not found.has_moved:
        return ""
    low, high = sorted((abs(shift.low or 0.0), abs(shift.high or 0.0)))
    direction = "higher" if value > 0 else "lower"
    return (
        f"On the same {moved.n} examples {name} now scores {abs(value):.2f} levels {direction} "
        f"(90% CI {low:.2f} to {high:.2f})."
    )


def _agreement(found: CriterionDrift, level: float) -> str:
    gold = found.gold
    if gold is None or gold.moved.now is None or gold.moved.then is None:
        return ""
    measure = "MAE" if gold.measure == "mae" else gold.measure.replace("_", " ").replace("cohen", "Cohen's")
    ci = ""
    if gold.change.low is not None:
        low, high = (signed(limit) for limit in (gold.change.low, gold.change.high))
        ci = f" (90% CI of the change {low} to {high})"
    of_gold, then, now = f"{measure} with gold", number(gold.moved.then), number(gold.moved.now)
    if gold.fell(level):
        return f"Agreement on {found.criterion.name} fell: {of_gold} was {then} and is now {now}{ci}."
    if gold.is_worse and not gold.affirmed:
        p = "" if gold.p is None else f" (p {gold.p:.2g}, alarm at {level:.2g})"
        return f"On {found.criterion.name}, {of_gold} was {then} and is now {now}{ci}, short of an alarm{p}."
    return f"Agreement on {found.criterion.name} is no worse: {of_gold} was {then} and is now {now}{ci}."


def _part(part: Part) -> str:
    names, shift = " and ".join(change.what for change in part.changes), part.drift.moved.shift.value or 0.0
    return f"{names} {signed(shift)} (p {part.p:.2g})"


def _way_out(found: CriterionDrift) -> str:
    explanation, moved = found.explanation, listed(found.movers, MOST_MOVERS)
    if explanation.is_own_edit:
        return (
            f"Read {moved}. If the judge's new levels are right, label the examples again under the new wording, then "
            "accept this run. Otherwise undo the edit."
        )
    if not explanation.changes:
        return (
            f"Read {moved}, and ask again with --no-cache. If it stays, accept this run in place of the old ones "
            "(--accept --replace) or use another judge."
        )
    if not explanation.separable:
        if any(change.side == "rubric" for change in explanation.changes) and not explanation.parts:
            return "Add --replay, which asks today's judge by the accepted rubric, or change one thing at a time."
        return "Change one thing at a time and calibrate after each."
    return (
        f"Undo the change, then calibrate again. To keep it, read {moved}: if the judge's new levels are right, "
        "correct the labels, then accept this run (--accept)."
    )
