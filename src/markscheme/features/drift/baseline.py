"""Comparison of a run with earlier runs on the same examples: what moved, and what may have caused that."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison, compare
from markscheme.calibration.comparison.measure import OF_SCORE, Measure, headline
from markscheme.calibration.earlier_runs.accepted_basis import FALSE_ALARM, AcceptedBasis, why_incomparable
from markscheme.calibration.earlier_runs.run_identity import (
    MOST_RUNS,
    Accepted,
    RunIdentity,
    SettingChange,
    changes_between,
    labels_digest,
    same_scale,
    submission_digest,
)
from markscheme.calibration.findings.commands import ANNOTATOR
from markscheme.calibration.findings.evidence import worst_places
from markscheme.calibration.findings.finding import Finding
from markscheme.errors import ComparisonError
from markscheme.features.drift.account import (
    account,
    drift_findings,
    looks_finding,
    moved_over_looks,
    over_looks,
    unsteady_findings,
)
from markscheme.features.drift.json import json_of
from markscheme.features.drift.shift import (
    CriterionDrift,
    DriftVerdict,
    Explanation,
    GoldChange,
    GoldMeasure,
    ScoreDrift,
    ShiftPart,
    adjusted_p,
    run_verdict,
)
from markscheme.features.drift.statistics import RUN_SD, RunComparison, compare_runs, run_agreement_change
from markscheme.phrases import counted
from markscheme.ratings.example_rows import Example
from markscheme.ratings.gold import GOLD
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import Column, RatingTable, column_of, positions, stacked
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.stats import Estimate
from markscheme.stats.change import any_change, holm, moved, sign_flip
from markscheme.stats.intervals import Floats, Groups
from markscheme.stats.pairs import Moments

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration

_MOVE_LEVELS = ("rubric", "template", "judge")
"""Sides of a change that can move levels; a change of score, labels or examples moves none."""
REPLAYED_ENOUGH = 0.9
"""Share of the examples that a replay by the accepted rubric must cover to separate causes."""
_MOST_MOVERS = 5
"""Largest number of examples that are named because their level moved most."""
COARSEST_STEP = 0.05
"""Largest step between two scores that is assumed when the least noise of the score is computed."""
NOW, REPLAYED = "now", "replayed"
"""Names of the columns for this run, and for today's judge asked with the accepted rubric."""


@dataclass(frozen=True)
class Baseline:
    """Comparison of this run with the accepted runs (those stored for such comparisons), or with an earlier judge.

    Attributes:
        since: The accepted runs, and how this run is compared with them.
        then: The setting of the earlier runs.
        now: The setting of this run.
        samples: Number of samples of this run that were combined by their median.
        why_not_joined: Reason why this run can't be added to the accepted ones; None if it can.
        shared: Number of examples that all runs rated with equal response and inputs; if only counts are known, the
            number of all examples counted.
        other_response: Number of examples whose response or inputs changed; they are excluded.
        gone: Number of examples that were rated in the accepted runs and not in this run.
        new: Number of examples that were rated in this run and not in the accepted runs.
        changes: All differences between the settings of this run and of the earlier runs.
        criteria: The drift of each criterion, by the criterion's name.
        not_compared: Criteria that cannot be compared, each with the reason.
        score: The drift of the overall score; None if a run has no scores.
        agreement_then: Share of the shared examples on which the first accepted run agrees with today's labels.
        agreement_now: Share of the shared examples on which this run agrees with today's labels.
        findings: The findings about the judge.
    """

    since: AcceptedBasis
    then: RunIdentity
    now: RunIdentity
    samples: int
    why_not_joined: str | None
    shared: int
    other_response: int
    gone: int
    new: int
    changes: tuple[SettingChange, ...]
    criteria: Mapping[str, CriterionDrift]
    not_compared: Mapping[str, str]
    score: ScoreDrift | None
    agreement_then: Estimate
    agreement_now: Estimate
    findings: tuple[Finding, ...] = ()

    @property
    def alarm(self) -> bool:
        """True if drift is shown that counts against the judge.

        Drift doesn't count against the judge if only the author's own edit moved levels and agreement is no worse.
        """
        return any(finding.severity == "high" for finding in self.findings)

    @property
    def alarm_by_looks(self) -> bool:
        """True if all comparisons since the accepted run, taken together, raise an alarm.

        It is False if the user stated a number of comparisons beforehand, since each comparison then has its own share
        of the false-alarm rate. It is also False while this run is being accepted.
        """
        return moved_over_looks(self.since) and self.since.planned is None and not self.since.accepting

    @property
    def alarm_by(self) -> tuple[str, ...]:
        """What raises the alarm: "this look" (this comparison), "all looks" (all comparisons) or both; else empty."""
        by_this_look = any(f.severity == "high" and f.kind.cause == "change" and f.criterion for f in self.findings)
        return (*(("this look",) if by_this_look else ()), *(("all looks",) if self.alarm_by_looks else ()))

    @property
    def _moved(self) -> list[CriterionDrift]:
        level = self.since.level
        return [drift for drift in self.criteria.values() if drift.has_moved or (drift.gold and drift.gold.fell(level))]

    @property
    def foremost(self) -> CriterionDrift | None:
        """The criterion that moved most, of those that the author didn't edit or, if none of these moved, of all.

        None if no criterion is shown to have moved, or if this run is being accepted.
        """
        if self.since.accepting or not self._moved:
            return None
        to_blame = [drift for drift in self._moved if not drift.explanation.is_own_edit] or self._moved
        return max(
            to_blame, key=lambda drift: (drift.has_moved, abs(drift.shift.value or 0.0) / drift.criterion.scale.span)
        )

    @property
    def headline(self) -> str:
        """Sentence on the criterion that moved most, else on an alarm by all comparisons taken together, else ""."""
        foremost = self.foremost
        if foremost is None:
            return over_looks(self.since) if self.alarm_by_looks else ""
        return self._account(foremost) + self._moved_as_well

    @property
    def headline_without_cause(self) -> str:
        """The headline without the cause of the shift, for a reader who already knows the cause."""
        foremost = self.foremost
        return "" if foremost is None else self._account(foremost, cause_first=False) + self._moved_as_well

    def next_step(self, calibration: "Calibration") -> tuple[str, str] | None:
        """Return what to do next if the judge may be used, in words and as a command; None if there is nothing."""
        commands = calibration.commands
        sides = {change.side for change in self.changes}
        if sides & {"rubric", "labels"} and sides <= {"rubric", "labels", "examples"} and not self.since.accepting:
            carried = calibration.carried
            if carried is not None and carried.old and calibration.use != "gate" and commands.label(ANNOTATOR):
                return "Next, label again what you reworded", commands.label(ANNOTATOR)
            has = "another rubric" if "rubric" in sides else "other labels"
            return f"Next, accept this run, since the accepted one has {has}", commands.calibrate(accept="--accept")
        if self.foremost is None and commands.grade():
            return "Next, grade your outputs", commands.grade()
        return None

    def _account(self, foremost: CriterionDrift, *, cause_first: bool = True) -> str:
        is_asked = self.now.identity is not None
        return account(foremost, level=self.since.level, is_asked=is_asked, cause_first=cause_first)

    @property
    def _moved_as_well(self) -> str:
        others = ", ".join(drift.criterion.name for drift in self._moved if drift is not self.foremost)
        return f" Moved as well: {others}." if others else ""

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a dict with the keys of the file format."""
        return json_of(self)

    def states(self, finding: Finding) -> bool:
        """Return True if a finding says what the headline says: that the criterion which moved most has changed."""
        foremost = self.foremost
        is_foremost = foremost is not None and finding.criterion == foremost.criterion.name
        return is_foremost and finding.kind.cause == "change"

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the comparison, such as that one accepted run alone doesn't show how much runs differ."""
        sentences = []
        if self.since.accepted is None:
            sentences.append(
                "One run of each judge doesn't show how much runs differ, so even half a level on a five-level scale "
                "is hardly ever found."
            )
        elif self.since.accepting and (self.since.start_over or self.why_not_joined):
            why = "" if self.since.start_over else f" ({self.why_not_joined})"
            sentences.append(f"This run replaces the accepted ones{why}.")
        elif self.since.accepting:
            moved = ", ".join(name for name, drift in self.criteria.items() if drift.has_moved)
            differs = f" It differs from them on {moved}: to drop them instead, add --replace." if moved else ""
            sentences.append(f"This run is added to the accepted ones.{differs}")
        elif len(self.since.accepted.runs) == 1:
            sentences.append(
                "One accepted run doesn't show how much runs differ, so even half a level on a five-level scale is "
                f"hardly ever found. Accept further runs with nothing changed (--accept), {MOST_RUNS} in all."
            )
        if self.samples > 1:
            sentences.append(f"This run enters by the median of its {self.samples} samples.")
        return tuple(sentences)


def drift_since(
    since: AcceptedBasis, current: RunIdentity, comparison: Comparison, ratings: Sequence[Rating]
) -> Baseline:
    """Compare a judge's ratings with those of its accepted runs, which were stored for such comparisons.

    Args:
        since: The accepted runs.
        current: The setting of this run.
        comparison: This run compared with gold.
        ratings: The judge's ratings of this run; several samples of an example count as their median.

    Raises:
        ComparisonError: The runs have nothing in common: they are by different rubrics, or have no example with the
            same response, or no criterion with the same scale.
    """
    accepted = since.accepted
    if accepted is None:
        raise ComparisonError("no accepted run is named")
    examples = comparison.gold.examples
    why = why_incomparable(accepted, current.rubric, examples)
    if why is not None:
        raise ComparisonError(str(why))
    alike, other_response = _unchanged_examples(accepted, examples)
    table = _table_of_runs(since, accepted, comparison, ratings, alike)
    weighed, by_weights = _by_todays_weights(table, accepted, current.rubric)
    table = table.with_columns(*weighed)
    first, today = (
        compare(table, judge=name, of=comparison.measure.of, tolerance=comparison.tolerance)
        for name in (weighed[0].name, NOW)
    )
    runs = _Runs(today, tuple(replace(first, judge_name=run.name) for run in weighed), table.ids, table[REPLAYED])
    changes = _changes_since(accepted, current, [examples[row] for row in alike], other_response)
    compared, not_compared = _comparable(runs, accepted.setting.rubric)
    why_not_joined = accepted.why_not_joined(current, examples)
    baseline = Baseline(
        since=since,
        then=accepted.setting,
        now=current,
        samples=len({rating.sample for rating in ratings}),
        why_not_joined=None if why_not_joined is None else str(why_not_joined),
        shared=len(table.ids),
        other_response=other_response,
        gone=len(accepted.submissions.keys() - {example.id for example in examples}),
        new=sum(example.id not in accepted.submissions for example in examples),
        changes=changes,
        criteria=_criteria(since, runs, compared, changes),
        not_compared=not_compared,
        score=_score(since, runs, by_weights),
        agreement_then=first.agreement,
        agreement_now=today.agreement,
    )
    return replace(baseline, findings=tuple(_findings(baseline)))


def drift_since_judge(
    since: AcceptedBasis, current: RunIdentity, comparison: Comparison, earlier: RunIdentity, then: Comparison
) -> Baseline:
    """Compare a judge with an earlier judge whose ratings by the same rubric are in the same counts file.

    Args:
        since: The terms of the comparison, such as its significance level.
        current: The judge's setting.
        comparison: The judge compared with gold.
        earlier: The earlier judge's setting.
        then: The earlier judge compared with gold, in the same rows.
    """
    runs = _Runs(comparison, (then,))
    changes = changes_between(earlier, current)
    compared, not_compared = _comparable(runs, earlier.rubric)
    baseline = Baseline(
        since=since,
        then=earlier,
        now=current,
        samples=1,
        why_not_joined=None,
        shared=comparison.gold.n,
        other_response=0,
        gone=0,
        new=0,
        changes=changes,
        criteria=_criteria(since, runs, compared, changes),
        not_compared=not_compared,
        score=_score(since, runs, 0.0),
        agreement_then=then.agreement,
        agreement_now=comparison.agreement,
    )
    return replace(baseline, findings=tuple(_findings(baseline)))


def _findings(baseline: Baseline) -> Iterator[Finding]:
    """Yield findings on drift (none if this run is being accepted), then on differences among the accepted runs."""
    if not baseline.since.accepting:
        is_asked = baseline.now.identity is not None
        yield from drift_findings(baseline.criteria, baseline.now.rubric, level=baseline.since.level, is_asked=is_asked)
    if baseline.alarm_by_looks:
        yield looks_finding(baseline.since)
    yield from unsteady_findings(list(baseline.criteria.values()), baseline.samples)


# --- what is common -------------------------------------------------------------------------------------------------


def _unchanged_examples(accepted: Accepted, examples: Sequence[Example]) -> tuple[list[int], int]:
    """Return the indices of examples whose texts are those of the accepted run, and the number of changed examples."""
    rated_then = [index for index, example in enumerate(examples) if example.id in accepted.submissions]
    alike = [i for i in rated_then if accepted.submissions[examples[i].id] == submission_digest(examples[i])]
    return alike, len(rated_then) - len(alike)


def _table_of_runs(
    since: AcceptedBasis, accepted: Accepted, comparison: Comparison, ratings: Sequence[Rating], alike: Sequence[int]
) -> RatingTable:
    """Return a table of ratings: gold, this run, the accepted runs, and today's judge asked by the old rubric.

    Args:
        since: The basis of the comparison, for its ratings of today's judge by the rubric of the accepted runs.
        accepted: The accepted runs, for their ratings and their rubric.
        comparison: This run's judge compared with gold.
        ratings: The ratings of this run.
        alike: Indices of the examples whose response and inputs are as in the accepted runs; only these are in the
            table.
    """
    shared = comparison.table.rows(np.array(alike, dtype=np.int64))
    then = accepted.setting.rubric
    columns = [shared[comparison.gold_name], column_of(NOW, ratings, comparison.rubric, shared.ids)]
    columns += [
        column_of(f"accepted run {ordinal}", run, then, shared.ids)
        for ordinal, run in enumerate(accepted.runs, start=1)
    ]
    columns.append(column_of(REPLAYED, since.replayed, then, shared.ids))
    return RatingTable(comparison.rubric, shared.ids, tuple(columns), shared.groups)


@dataclass(frozen=True)
class _Runs:
    """This run and earlier runs, each compared with gold on the same rows of the table of ratings.

    Attributes:
        current: This run.
        then: The earlier runs.
        ids: The id of each row's example; None if only counts of examples are known.
        replayed: Today's judge asked with the accepted rubric; None if it wasn't.
    """

    current: Comparison
    then: tuple[Comparison, ...]
    ids: tuple[str, ...] | None = None
    replayed: Column | None = None

    def levels(self, criterion: Criterion) -> tuple[Floats, Floats]:
        """Return a criterion's levels in this run, shape (n,), and in the earlier runs, shape (n, runs)."""
        then = np.column_stack([run.compared_on(criterion).judge for run in self.then])
        return self.current.compared_on(criterion).judge, then

    def groups(self, criterion: Criterion) -> Groups:
        """Return the groups of examples that the jackknife leaves out in turn for a criterion's figures."""
        of_criterion = self.current.compared_on(criterion)
        return Groups.of(of_criterion.groups, len(of_criterion.judge))


def _changes_since(
    accepted: Accepted, current: RunIdentity, alike: Sequence[Example], other_response: int
) -> tuple[SettingChange, ...]:
    changes = changes_between(accepted.setting, current)
    if any(accepted.labels[example.id] != labels_digest(example) for example in alike):
        changes += (SettingChange("labels", "the labels", "labels"),)
    if other_response:
        subject = f"the response or an input of {counted(other_response, 'example')} (the system under test)"
        changes += (SettingChange("responses", subject, "examples"),)
    return changes


def _comparable(runs: _Runs, then: Rubric) -> tuple[list[Criterion], dict[str, str]]:
    before = {criterion.name: criterion for criterion in then.criteria}
    compared: list[Criterion] = []
    refused: dict[str, str] = {}
    for criterion in runs.current.rubric.criteria:
        if criterion.name not in before:
            refused[criterion.name] = "it is new"
        elif not same_scale(before[criterion.name].scale, criterion.scale):
            refused[criterion.name] = "its scale changed"
        elif criterion.scale.coded:
            refused[criterion.name] = "its categories have no order"
        elif np.isnan(np.column_stack(runs.levels(criterion))).any(axis=1).all():
            refused[criterion.name] = "no example has a level in all runs"
        else:
            compared.append(criterion)
    return compared, refused


# --- criteria -------------------------------------------------------------------------------------------------------


def _criteria(
    since: AcceptedBasis, runs: _Runs, compared: Sequence[Criterion], changes: tuple[SettingChange, ...]
) -> dict[str, CriterionDrift]:
    """Compute the drift of each criterion, by name.

    There are three families of tests: of shifts of the mean level, of any changes of answers, and of agreement with
    gold. Within each family, p-values are adjusted by Holm's method over the criteria.

    Args:
        since: The accepted run.
        runs: This run and the earlier ones on the same examples.
        compared: The criteria to compare.
        changes: What changed since the accepted run.
    """
    levels = [runs.levels(criterion) for criterion in compared]
    groups = [runs.groups(criterion) for criterion in compared]
    units = [of_criterion.units for of_criterion in groups]
    drifts = [_drift(*rated, n, c.scale, since.margin) for rated, n, c in zip(levels, units, compared, strict=True)]
    adjusted = holm([drift.moved.p for drift in drifts]).tolist()
    changed = [any_change(*rated, of_criterion) for rated, of_criterion in zip(levels, groups, strict=True)]
    changed_p = adjusted_p([change.mid_p for change in changed])
    golds = [_gold_change(runs, criterion, since.margin) for criterion in compared]
    gold_p = adjusted_p([None if change is None else change.p for change in golds])
    drift_of = {}
    for index, criterion in enumerate(compared):
        drift = drifts[index]
        gold = golds[index]
        explanation = _explanation(since, runs, criterion, can_explain(changes, criterion.name))
        verdict: DriftVerdict = run_verdict(drift, adjusted[index], level=since.level)
        drift_of[criterion.name] = CriterionDrift(
            criterion=criterion,
            drift=drift,
            p=adjusted[index],
            exact_p=moved(*levels[index], units[index]).exact_p,
            verdict="moved" if verdict == "drifted" and explanation.is_own_edit else verdict,
            changed=changed[index],
            changed_p=changed_p[index],
            gold=None if gold is None else replace(gold, p=gold_p[index]),
            explanation=explanation,
            movers=_movers(runs, criterion),
        )
    return drift_of


def _drift(
    current: Floats, then: Floats, units: Floats, scale: Scale, margin: float, base: Floats | None = None
) -> RunComparison:
    step = float(np.diff(sorted(set(scale.values))).min())
    return compare_runs(current, then, units, span=scale.span, step=step, margin=margin * scale.span, base=base)


def _movers(runs: _Runs, criterion: Criterion) -> tuple[str, ...] | None:
    if runs.ids is None:
        return None
    current, then = runs.levels(criterion)
    return tuple(runs.ids[index] for index in worst_places(np.abs(current - then.mean(axis=1)), _MOST_MOVERS))


def _gold_change(runs: _Runs, criterion: Criterion, margin: float) -> GoldChange | None:
    """Compute how much agreement with gold changed on a criterion; None if no example has levels by gold and all runs.

    The measure is the chance-corrected coefficient if it stays defined when any one example is left out, else the mean
    absolute error. For more than two levels without an order, the measure is exact agreement: any level other than
    gold's is at distance 1.

    Args:
        runs: This run and the earlier ones on the same examples.
        criterion: The criterion.
        margin: Largest change that counts as none; for the mean absolute error, as a share of the scale's range.
    """
    scale = criterion.scale
    gold = runs.current.compared_on(criterion).gold
    current, then = runs.levels(criterion)
    if np.isnan(np.column_stack([gold, current, then])).any(axis=1).all():
        return None

    def change(measure: GoldMeasure, formula: Callable[[Moments], Floats], unit: float = 1.0) -> GoldChange:
        moved = run_agreement_change(
            gold,
            current,
            then,
            formula,
            groups=runs.groups(criterion),
            prior_sd=RUN_SD * unit,
            method=f"change in {measure}",
        )
        return GoldChange(measure, moved, margin * unit, None if moved.shift.value is None else moved.p)

    if scale.ordered or len(set(scale.values)) == 2:
        of_kappa = change(headline(scale), _kappa)
        if of_kappa.p is not None:
            return of_kappa
    if scale.ordered:
        return change("mae", lambda m: m.absolute, scale.span)
    current, then = (
        np.where(np.isnan(levels), np.nan, levels != same) for levels, same in ((current, gold), (then, gold[:, None]))
    )
    gold = np.where(np.isnan(gold), np.nan, 0.0)
    return change("exact_agreement", lambda m: 1 - m.absolute)


def _kappa(m: Moments) -> Floats:
    """Compute quadratic weighted kappa, which for two levels is Cohen's; nan where either rater never varies."""
    both_vary = (m.gold_variance > 0) & (m.judge_variance > 0)
    return np.where(both_vary, 1 - m.square / (m.gold_variance + m.judge_variance + m.signed**2), np.nan)


def _explanation(
    since: AcceptedBasis, runs: _Runs, criterion: Criterion, changes: tuple[SettingChange, ...]
) -> Explanation:
    by_rubric = tuple(change for change in changes if change.side == "rubric")
    by_others = tuple(change for change in changes if change.side != "rubric")
    current, then = runs.levels(criterion)
    between = np.full(len(current), np.nan) if runs.replayed is None else runs.replayed.levels[criterion.name]
    if not by_rubric or not by_others or float((~np.isnan(between)).mean()) < REPLAYED_ENOUGH:
        return Explanation(changes, separable=len(changes) <= 1)
    units = runs.groups(criterion).units
    drifts = (
        _drift(between, then, units, criterion.scale, since.margin),
        _drift(current, then, units, criterion.scale, since.margin, base=between),
    )
    adjusted = holm([shift.moved.p for shift in drifts]).tolist()
    parts = tuple(ShiftPart(*shift) for shift in zip((by_others, by_rubric), drifts, adjusted, strict=True))
    shown = [shift for shift in parts if shift.p <= FALSE_ALARM]
    named = tuple(change for shift in shown for change in shift.changes)
    return Explanation(named or changes, bool(shown) and all(len(shift.changes) == 1 for shift in shown), parts)


# --- the score ------------------------------------------------------------------------------------------------------


def _score(since: AcceptedBasis, runs: _Runs, by_weights: float | None) -> ScoreDrift | None:
    measure = runs.current.measure
    of_scores = replace(measure, of=OF_SCORE) if isinstance(measure.of, Rubric) else measure
    _, current, n = replace(runs.current, measure=of_scores).values_counted
    then = np.column_stack([replace(run, measure=of_scores).values_counted[1] for run in runs.then])
    if np.isnan(np.column_stack([current, then])).any(axis=1).all():
        return None
    _, passes, n_decided = runs.current.decisions_counted
    flips = passes - runs.then[0].decisions_counted[1]
    flipped = np.nan_to_num(flips) != 0
    return ScoreDrift(
        drift=compare_runs(current, then, n, span=1.0, step=_step(of_scores, runs.current.rubric), margin=since.margin),
        by_weights=by_weights,
        passes=sign_flip(flips, n_decided),
        n_flipped=round(float(n_decided[flipped].sum())),
        flipped=None if runs.ids is None else tuple(runs.ids[index] for index in np.flatnonzero(flipped).tolist()),
    )


def _step(measure: Measure, rubric: Rubric) -> float:
    """Return the smallest difference that two values of the compared measure can have, at most 0.05."""
    if measure.of == OF_SCORE:
        return _score_step(rubric)
    if not isinstance(measure.of, Criterion):
        return COARSEST_STEP
    return min(COARSEST_STEP, float(_gaps(measure.of).min()))


def _gaps(criterion: Criterion) -> Floats:
    """Return the distances between neighbouring levels of a criterion's scale, as shares of the scale's range."""
    scale = criterion.scale
    return np.diff(np.unique(positions(scale, np.array(scale.values))))


def _score_step(rubric: Rubric) -> float:
    """Return the smallest difference that two scores of a rubric can have, or 0.05 if that is less.

    For the strategy "holistic", in which the judge gives the score itself, it is 0.01.
    """
    if rubric.strategy == "holistic":
        return 0.01
    scored = [criterion for criterion in rubric.criteria if criterion.has_worth]
    steps = {
        Fraction(abs(criterion.weight) * float(gap) / rubric.whole_weight).limit_denominator(10_000)
        for criterion in scored
        for gap in _gaps(criterion)
    }
    smallest = math.gcd(*(step.numerator for step in steps)) / math.lcm(*(step.denominator for step in steps))
    return min(COARSEST_STEP, smallest or COARSEST_STEP)


def _by_todays_weights(
    table: RatingTable, accepted: Accepted, current: Rubric
) -> tuple[tuple[Column, ...], float | None]:
    """Score the accepted runs by today's weights; return the rescored runs, and the mean change over all their scores.

    If today's rubric can't score the accepted levels, the runs are returned unchanged, and the mean change is None.

    Args:
        table: The ratings of the accepted runs and of today's run, in columns.
        accepted: The accepted runs, with the rubric that they were scored by.
        current: Today's rubric.
    """
    then = accepted.setting.rubric
    runs = tuple(column for column in table.columns if column.name not in (GOLD, NOW, REPLAYED))
    if [(c.name, c.weight) for c in then.criteria] == [(c.name, c.weight) for c in current.criteria]:
        return runs, 0.0
    scales = {criterion.name: criterion.scale for criterion in then.criteria}
    same_criteria = all(c.name in scales and same_scale(scales[c.name], c.scale) for c in current.criteria)
    if not same_criteria or "holistic" in (then.strategy, current.strategy):
        return runs, None
    names = {criterion.name for criterion in current.criteria}
    weighed = []
    for column, run in zip(runs, accepted.runs, strict=True):
        levels = [replace(r, overall=None, criteria={k: v for k, v in r.criteria.items() if k in names}) for r in run]
        weighed.append(replace(column, scores=column_of(column.name, levels, current, table.ids).scores))
    moved = stacked(weighed) - stacked(runs)
    moved = moved[~np.isnan(moved)]
    return tuple(weighed), float(moved.mean()) if len(moved) else None


def can_explain(changes: Iterable[SettingChange], criterion: str) -> tuple[SettingChange, ...]:
    """Return those changes of rubric, prompts or judge that can have moved the levels of a given criterion."""
    return tuple(change for change in changes if change.side in _MOVE_LEVELS and criterion in change.criteria)
