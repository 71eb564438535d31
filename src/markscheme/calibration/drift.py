"""The accepted run and now, on the same examples: what moved, what may have moved it, and whether it is an alarm."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from markscheme.calibration.accepted import Accepted, labels_digest, submission_digest
from markscheme.calibration.changes import (
    Change,
    Setting,
    can_explain,
    changes_between,
    labels_changed,
    responses_changed,
    same_scale,
)
from markscheme.calibration.comparison import Comparison
from markscheme.calibration.diagnosis import Finding
from markscheme.calibration.examples import Example
from markscheme.calibration.ratings import Rated, Rating, overall_of
from markscheme.errors import ComparisonError
from markscheme.rubric import Criterion, Rubric
from markscheme.stats import Estimate
from markscheme.stats.change import (
    Changed,
    Drift,
    DriftVerdict,
    Moved,
    alarm_level,
    any_change,
    drift,
    drift_verdicts,
    holm,
    moments_change,
    sign_flip,
)
from markscheme.stats.intervals import t_quantile
from markscheme.stats.pairs import Moments
from markscheme.stats.severity import within_tolerance

Floats = npt.NDArray[np.float64]
GoldMeasure = Literal["weighted_kappa", "exact_agreement", "mae"]

LEVEL = 0.05
"""Chance of calling an unmoved judge moved: in one run for "watch", over all runs since acceptance for an alarm."""
MARGIN = 1 / 16
"""Share of a scale's range by which the mean may move and still count as unmoved."""
REPLAYED_ENOUGH = 0.9
"""Share of the examples that a replay must cover to tell causes apart."""
MOST_MOVERS = 5


@dataclass(frozen=True)
class Since:
    """An accepted run, and how this run is held against it.

    Attributes:
        accepted: The run.
        run: The how-manieth comparison with it this is, from 1; later ones need a smaller p for an alarm.
        planned: How many comparisons there will be, where that is fixed beforehand; each then counts alike.
        margin: Share of a scale's range by which the mean may move and still count as unmoved.
        replayed: Today's judge asked by the rubric of then, which tells the judge's doing from the rubric's.
        accepting: Whether this run takes the accepted one's place, and so raises no alarm against it.
    """

    accepted: Accepted
    run: int = 1
    planned: int | None = None
    margin: float = MARGIN
    replayed: tuple[Rating, ...] = ()
    accepting: bool = False

    @property
    def level(self) -> float:
        """The p at or under which this run raises an alarm."""
        return alarm_level(self.run, planned=self.planned, level=LEVEL)


@dataclass(frozen=True)
class Part:
    """The part of a shift that some of the changes made, as a replay tells it.

    Attributes:
        changes: Which.
        drift: The shift they made.
        p: That of the shift, adjusted for the other part.
    """

    changes: tuple[Change, ...]
    drift: Drift
    p: float


@dataclass(frozen=True)
class Explanation:
    """Which changes can explain a shift.

    Attributes:
        changes: Those that can; none where nothing on record changed that could.
        separable: Whether they can be told apart: there is one at most, or a replay shows the doing of each.
        parts: What a replay shows; empty without one.
    """

    changes: tuple[Change, ...]
    separable: bool
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class GoldChange:
    """How agreement with gold on a criterion changed.

    Attributes:
        measure: By which statistic.
        change: Now minus then, on the same examples and today's labels, with its 90 % interval.
        margin: How far it may change and still count as the same: for `mae` in levels.
        p: Adjusted for the other criteria; None where the change has no interval.
    """

    measure: GoldMeasure
    change: Estimate
    margin: float
    p: float | None

    @property
    def is_worse(self) -> bool:
        """Whether agreement fell, as a point: for `mae`, whether the misses grew."""
        value = self.change.value or 0.0
        return value > 0 if self.measure == "mae" else value < 0

    @property
    def affirmed(self) -> bool:
        """Whether the whole interval of the change lies inside the margin."""
        low, high = self.change.low, self.change.high
        return low is not None and high is not None and -self.margin < low and high < self.margin


@dataclass(frozen=True)
class CriterionDrift:
    """One criterion, then and now.

    Attributes:
        criterion: Which.
        called: The verdict on its mean level, at the level of this run.
        changed: Whether answers differ more from the stored runs than these do among themselves.
        changed_p: Its p adjusted for the other criteria; None with one stored run.
        gold: How its agreement with gold changed; None where gold or a judge's level is missing throughout.
        explanation: Which changes can have moved it.
        movers: Ids of the examples whose level moved most.
    """

    criterion: Criterion
    called: DriftVerdict
    changed: Changed
    changed_p: float | None
    gold: GoldChange | None
    explanation: Explanation
    movers: tuple[str, ...]

    @property
    def watch(self) -> bool:
        """Whether its p would be small enough, were this the only comparison with the accepted run."""
        return self.called.p <= LEVEL


@dataclass(frozen=True)
class ScoreDrift:
    """The overall score, then and now.

    Attributes:
        drift: Its shift by the judge's levels alone, under today's weights.
        by_weights: Mean shift that the new weights alone make; 0 where no weight changed, None where the levels of
            then can't be weighed by today's rubric.
        passes: Exact test of the decisions: how many more pass.
        flipped: Ids of the examples whose decision is another than then.
    """

    drift: Drift
    by_weights: float | None
    passes: Moved
    flipped: tuple[str, ...]


@dataclass(frozen=True)
class Baseline:
    """This run beside the accepted one.

    Attributes:
        since: The accepted run and how this one is held against it.
        shared: Examples that both runs rated with the same response and inputs.
        other_response: Examples whose response or inputs are others than then; they are set aside.
        gone: Examples rated then and not now.
        new: Examples rated now and not then.
        changes: All that differs between the two.
        criteria: By name.
        not_compared: Criteria that cannot be compared, with the reason.
        score: The overall score; None where either run has none.
        agreement_then: Share of the shared examples on which the judge of then agrees with today's labels.
        agreement_now: The same of today's judge.
        findings: What is to be said of it, as findings.
    """

    since: Since
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
        """Whether the judge has drifted: a criterion's level, or its agreement with gold for the worse."""
        return bool(self.findings)


def why_incomparable(accepted: Accepted, rubric: Rubric, examples: Sequence[Example]) -> str | None:
    """Why nothing can be held beside an accepted run, whatever the judge says; None where something can."""
    then = accepted.setting.rubric
    if then.name != rubric.name:
        return f"{accepted.path} is the accepted run of rubric {then.name!r}, not of {rubric.name!r}"
    known = [example for example in examples if example.id in accepted.submissions]
    if not any(accepted.submissions[example.id] == submission_digest(example) for example in known):
        why = "their responses or inputs are others now" if known else "no example has an id of then"
        return f"nothing is common with the accepted run {accepted.path}: {why}"
    scales = {criterion.name: criterion.scale for criterion in then.criteria}
    if not any(c.name in scales and same_scale(scales[c.name], c.scale) for c in rubric.criteria):
        return f"nothing is common with the accepted run {accepted.path}: no criterion is rated on the same scale"
    return None


def drift_since(since: Since, now: Setting, comparison: Comparison, ratings: Sequence[Rating]) -> Baseline:
    """What became of a judge since its accepted run.

    Args:
        since: The accepted run.
        now: By what this run was made.
        comparison: This run beside gold.
        ratings: The judge's ratings of this run; of several samples the first counts, as each stored run is one.

    Raises:
        ComparisonError: Nothing is common: another rubric, no example with the same response, no criterion on the
            same scale.
    """
    why = why_incomparable(since.accepted, now.rubric, comparison.gold.examples)
    if why is not None:
        raise ComparisonError(why)
    pair = _paired(since.accepted, comparison, ratings)
    changes = _all_changes(since.accepted, now, pair)
    compared, not_compared = _comparable(pair, since.accepted.setting.rubric, now.rubric)
    scores_then, by_weights = _scores_then(pair, since.accepted.setting.rubric, now.rubric)
    score = _score(since, pair, scores_then, by_weights, comparison)
    criteria = _criteria(since, pair, compared, changes)
    baseline = Baseline(
        since=since,
        shared=len(pair.ids),
        other_response=pair.other_response,
        gone=pair.gone,
        new=pair.new,
        changes=changes,
        criteria=criteria,
        not_compared=not_compared,
        score=score,
        agreement_then=within_tolerance(pair.gold_overall, scores_then[:, 0], comparison.tolerance),
        agreement_now=within_tolerance(pair.gold_overall, comparison.scores[pair.rows], comparison.tolerance),
    )
    return baseline if since.accepting else replace(baseline, findings=tuple(_findings(baseline, now)))


# --- what is common -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pair:
    """The examples that both runs rated alike, with the ratings of both; all vectors in the order of `ids`."""

    examples: tuple[Example, ...]
    rows: npt.NDArray[np.int64]
    now: Mapping[str, Rating]
    runs: tuple[Mapping[str, Rating], ...]
    gold: Mapping[str, Floats]
    gold_overall: Floats
    groups: list[str] | None
    other_response: int
    gone: int
    new: int

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(example.id for example in self.examples)

    def levels_now(self, name: str) -> Floats:
        return _levels(self.now, self.ids, name)

    def levels_then(self, name: str) -> Floats:
        return np.column_stack([_levels(run, self.ids, name) for run in self.runs])


def _paired(accepted: Accepted, comparison: Comparison, ratings: Sequence[Rating]) -> _Pair:
    first: dict[str, Rating] = {}
    for rating in sorted(ratings, key=lambda rating: rating.sample):
        first.setdefault(rating.id, rating)
    examples = comparison.gold.examples
    known = [place for place, example in enumerate(examples) if example.id in accepted.submissions]
    alike = [p for p in known if accepted.submissions[examples[p].id] == submission_digest(examples[p])]
    rows = np.array(alike, dtype=np.int64)
    shared = tuple(examples[place] for place in alike)
    groups = comparison.gold.groups
    return _Pair(
        examples=shared,
        rows=rows,
        now=first,
        runs=accepted.runs,
        gold={name: found.gold[rows] for name, found in comparison.criteria.items()},
        gold_overall=comparison.gold.overall[rows],
        groups=None if groups is None else [groups[place] for place in alike],
        other_response=len(known) - len(alike),
        gone=len(accepted.submissions.keys() - {example.id for example in examples}),
        new=sum(example.id not in accepted.submissions for example in examples),
    )


def _levels(run: Mapping[str, Rating], ids: Sequence[str], name: str) -> Floats:
    found = (run[unit].criteria.get(name) if unit in run else None for unit in ids)
    return np.array([np.nan if said is None or said.level is None else said.level for said in found], dtype=np.float64)


def _all_changes(accepted: Accepted, now: Setting, pair: _Pair) -> tuple[Change, ...]:
    changes = changes_between(accepted.setting, now)
    if any(accepted.labels[example.id] != labels_digest(example) for example in pair.examples):
        changes += (labels_changed(),)
    if pair.other_response:
        changes += (responses_changed(pair.other_response),)
    return changes


def _comparable(pair: _Pair, then: Rubric, now: Rubric) -> tuple[list[Criterion], dict[str, str]]:
    before = {criterion.name: criterion for criterion in then.criteria}
    compared: list[Criterion] = []
    refused: dict[str, str] = {}
    for criterion in now.criteria:
        if criterion.name not in before:
            refused[criterion.name] = "it is new"
        elif not same_scale(before[criterion.name].scale, criterion.scale):
            refused[criterion.name] = "its scale is another"
        elif not _rated_in_all(pair, criterion.name):
            refused[criterion.name] = "no example has a level in both runs"
        else:
            compared.append(criterion)
    return compared, refused


def _rated_in_all(pair: _Pair, name: str) -> bool:
    runs = np.column_stack([pair.levels_now(name), pair.levels_then(name)])
    return bool((~np.isnan(runs).any(axis=1)).any())


# --- criteria -------------------------------------------------------------------------------------------------------


def _criteria(
    since: Since, pair: _Pair, compared: Sequence[Criterion], changes: tuple[Change, ...]
) -> dict[str, CriterionDrift]:
    names = [criterion.name for criterion in compared]
    drifts = [_drift(pair.levels_now(c.name), pair.levels_then(c.name), c, since.margin) for c in compared]
    called = drift_verdicts(drifts, level=since.level)
    changed = [any_change(pair.levels_now(name), pair.levels_then(name)) for name in names]
    changed_p = _adjusted([one.mid_p for one in changed])
    gold = _gold_changes(pair, compared, since.margin)
    return {
        criterion.name: CriterionDrift(
            criterion=criterion,
            called=called[place],
            changed=changed[place],
            changed_p=changed_p[place],
            gold=gold[place],
            explanation=_explanation(since, pair, criterion, can_explain(changes, criterion.name)),
            movers=_movers(pair, criterion.name),
        )
        for place, criterion in enumerate(compared)
    }


def _drift(now: Floats, then: Floats, criterion: Criterion, margin: float) -> Drift:
    span = criterion.scale.span
    return drift(now, then, span=span, margin=margin * span)


def _adjusted(p: Sequence[float | None]) -> list[float | None]:
    """Holm's adjustment over those that have a p."""
    there = [value for value in p if value is not None]
    adjusted = iter(holm(there).tolist())
    return [None if value is None else next(adjusted) for value in p]


def _movers(pair: _Pair, name: str) -> tuple[str, ...]:
    moves = np.nan_to_num(np.abs(pair.levels_now(name) - pair.levels_then(name).mean(axis=1)))
    order = np.argsort(-moves, kind="stable")[:MOST_MOVERS]
    return tuple(pair.ids[place] for place in order.tolist() if moves[place] > 0)


# --- agreement with gold --------------------------------------------------------------------------------------------


def _gold_changes(pair: _Pair, compared: Sequence[Criterion], margin: float) -> list[GoldChange | None]:
    found = [_gold_change(pair, criterion, margin) for criterion in compared]
    adjusted = _adjusted([None if change is None else change.p for change in found])
    return [None if change is None else replace(change, p=p) for change, p in zip(found, adjusted, strict=True)]


def _gold_change(pair: _Pair, criterion: Criterion, margin: float) -> GoldChange | None:
    """By the chance-corrected coefficient where it is defined with every example left out, else by the mean miss."""
    gold, now, then = pair.gold[criterion.name], pair.levels_now(criterion.name), pair.levels_then(criterion.name)[:, 0]
    if not (~np.isnan(gold) & ~np.isnan(now) & ~np.isnan(then)).any():
        return None
    if not criterion.scale.ordered:
        then, now = (np.where(np.isnan(one), np.nan, one != gold) for one in (then, now))
        gold = np.where(np.isnan(gold), np.nan, 0.0)
    for name, formula in _MEASURES[criterion.scale.ordered]:
        change = moments_change(gold, then, now, formula, groups=pair.groups, level=0.90, method=f"change in {name}")
        p = _p_of(change)
        if p is not None:
            break
    return GoldChange(name, change, margin * (criterion.scale.span if name == "mae" else 1.0), p)


def _weighted_kappa(m: Moments) -> Floats:
    """Quadratic weighted kappa, on two levels Cohen's; where either never leaves one level it is 0 and says nothing."""
    both_vary = (m.gold_variance > 0) & (m.judge_variance > 0)
    return np.where(both_vary, 1 - m.square / (m.gold_variance + m.judge_variance + m.signed**2), np.nan)


_MEASURES: Mapping[bool, tuple[tuple[GoldMeasure, Callable[[Moments], Floats]], ...]] = {
    True: (("weighted_kappa", _weighted_kappa), ("mae", lambda m: m.absolute)),
    False: (("exact_agreement", lambda m: 1 - m.absolute),),
}
"""For ordered scales and for kinds: the measures of agreement, the one to be tried first. A kind that is another than
gold counts as 1 away from it."""


def _p_of(change: Estimate) -> float | None:
    """Two-sided p of a change that has a t interval; 1 where nothing moved at all."""
    if change.value is None or change.low is None or change.high is None:
        return 1.0 if change.value == 0 else None
    df = change.n - 1
    error = (change.high - change.low) / 2 / t_quantile(df, change.level)
    return min(1.0, 2 * float(stdtr(df, -abs(change.value) / error)))


# --- causes ---------------------------------------------------------------------------------------------------------


def _explanation(since: Since, pair: _Pair, criterion: Criterion, changes: tuple[Change, ...]) -> Explanation:
    by_rubric = tuple(change for change in changes if change.side == "rubric")
    by_others = tuple(change for change in changes if change.side != "rubric")
    replayed = {rating.id: rating for rating in since.replayed}
    between = _levels(replayed, pair.ids, criterion.name)
    covered = float((~np.isnan(between)).mean())
    if not by_rubric or not by_others or covered < REPLAYED_ENOUGH:
        return Explanation(changes, separable=len(changes) <= 1)
    drifts = (
        _drift(between, pair.levels_then(criterion.name), criterion, since.margin),
        _drift(pair.levels_now(criterion.name), between, criterion, since.margin),
    )
    adjusted = holm([one.moved.mid_p for one in drifts]).tolist()
    parts = tuple(
        Part(made_by, one, p) for made_by, one, p in zip((by_others, by_rubric), drifts, adjusted, strict=True)
    )
    shown = [part for part in parts if part.p <= LEVEL]
    named = tuple(change for part in shown for change in part.changes)
    separable = bool(shown) and all(len(part.changes) == 1 for part in shown)
    return Explanation(named or changes, separable, parts)


# --- the score ------------------------------------------------------------------------------------------------------


def _score(
    since: Since, pair: _Pair, then: Floats, by_weights: float | None, comparison: Comparison
) -> ScoreDrift | None:
    now = comparison.scores[pair.rows]
    if np.isnan(np.column_stack([now, then])).any(axis=1).all():
        return None
    passed = np.array([_decision(pair.runs[0].get(unit)) for unit in pair.ids])
    flips = comparison.passes[pair.rows] - passed
    return ScoreDrift(
        drift=drift(now, then, span=1.0, margin=since.margin),
        by_weights=by_weights,
        passes=sign_flip(flips),
        flipped=tuple(pair.ids[place] for place in np.flatnonzero(np.nan_to_num(flips)).tolist()),
    )


def _scores_then(pair: _Pair, then: Rubric, now: Rubric) -> tuple[Floats, float | None]:
    """The scores of the stored runs by today's weights, shape (n, runs), and the mean shift these weights make."""
    given = np.column_stack([_overall(run, pair.ids, then) for run in pair.runs])
    if _weighing(then) == _weighing(now):
        return given, 0.0
    scales = {criterion.name: criterion.scale for criterion in then.criteria}
    known = all(c.name in scales and same_scale(scales[c.name], c.scale) for c in now.criteria)
    if not known or "holistic" in (then.strategy, now.strategy):
        return given, None
    names = {criterion.name for criterion in now.criteria}
    by_levels = [
        {unit: replace(r, overall=None, criteria=_only(r, names)) for unit, r in run.items()} for run in pair.runs
    ]
    weighed = np.column_stack([_overall(run, pair.ids, now) for run in by_levels])
    moved = (weighed - given)[~np.isnan(weighed - given)]
    return weighed, float(moved.mean()) if len(moved) else None


def _weighing(rubric: Rubric) -> list[tuple[str, float]]:
    return [(criterion.name, criterion.weight) for criterion in rubric.criteria]


def _only(rating: Rating, names: set[str]) -> dict[str, Rated]:
    return {name: rated for name, rated in rating.criteria.items() if name in names}


def _overall(run: Mapping[str, Rating], ids: Sequence[str], rubric: Rubric) -> Floats:
    found = (overall_of(run[unit], rubric) if unit in run else None for unit in ids)
    return np.array([np.nan if score is None else score for score in found], dtype=np.float64)


def _decision(rating: Rating | None) -> float:
    return float("nan") if rating is None or rating.passed is None else float(rating.passed)


# --- what is to be said of it ---------------------------------------------------------------------------------------


def _findings(baseline: Baseline, now: Setting) -> Iterator[Finding]:
    whole = sum(abs(criterion.weight) for criterion in now.rubric.criteria)
    for found in baseline.criteria.values():
        share = abs(found.criterion.weight) / whole / found.criterion.scale.span
        if found.called.verdict == "drifted":
            yield _moved_finding(found, baseline, share, now)
        if found.gold is not None and _fell(found.gold, baseline.since.level):
            yield _gold_finding(found, found.gold, baseline, share, now)


def _fell(gold: GoldChange, level: float) -> bool:
    return gold.is_worse and not gold.affirmed and gold.p is not None and gold.p <= level


def _moved_finding(found: CriterionDrift, baseline: Baseline, share: float, now: Setting) -> Finding:
    name, drifted = found.criterion.name, found.called.drift
    shift = drifted.shift.value or 0.0
    message = (
        f"{name}: the judge's level moved by {_signed(shift)}{_interval(drifted.shift)} on {drifted.moved.n} examples "
        f"since the run accepted on {baseline.since.accepted.date}. {cause_sentence(found.explanation, now)}"
    )
    evidence: dict[str, Any] = {
        "shift": drifted.shift.to_json(),
        "p": found.called.p,
        "level": baseline.since.level,
        "flips_now": found.changed.flips_now.to_json(),
        "flips_stored": found.changed.flips_stored.to_json(),
        "causes": [change.key for change in found.explanation.changes],
        "separable": found.explanation.separable,
    }
    return Finding(
        "drift", name, "high", message, evidence, found.movers, _way_out(found.explanation), abs(shift) * share
    )


def _gold_finding(found: CriterionDrift, gold: GoldChange, baseline: Baseline, share: float, now: Setting) -> Finding:
    name, what = found.criterion.name, gold.measure.replace("_", " ")
    lost = abs(gold.change.value or 0.0)
    message = (
        f"{name}: agreement with gold fell since the run accepted on {baseline.since.accepted.date}: {what} changed by "
        f"{_signed(gold.change.value or 0.0)}{_interval(gold.change)} on the same examples and labels. "
        f"{cause_sentence(found.explanation, now)}"
    )
    evidence: dict[str, Any] = {
        "measure": gold.measure,
        "change": gold.change.to_json(),
        "p": gold.p,
        "level": baseline.since.level,
        "causes": [change.key for change in found.explanation.changes],
        "separable": found.explanation.separable,
    }
    cost = lost * share if gold.measure == "mae" else 0.0
    return Finding("drift-gold", name, "high", message, evidence, found.movers, _way_out(found.explanation), cost)


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" [{_signed(estimate.low)}, {_signed(estimate.high)}; {estimate.level:.0%}]"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def cause_sentence(explanation: Explanation, now: Setting) -> str:
    """Which changes can explain a shift, in a sentence or two."""
    if not explanation.changes:
        if now.identity is None:
            return "What asked the judge is not on record, so no cause can be named."
        return "Nothing on record changed that could move it: the same name may stand for another model now."
    told = "; ".join(change.sentence for change in explanation.changes)
    if explanation.parts:
        parts = "; ".join(_part(part) for part in explanation.parts)
        lead = "By replay" if explanation.separable else "By replay, not all of it separable"
        return f"{lead}: {parts}."
    return f"What changed: {told}." if explanation.separable else f"Changed at once, not separable: {told}."


def _part(part: Part) -> str:
    names = " and ".join(change.sentence for change in part.changes)
    shift = part.drift.shift
    return f"{names}: {_signed(shift.value or 0.0)}{_interval(shift)}"


def _way_out(explanation: Explanation) -> str:
    if not explanation.changes:
        return "Look at these examples; ask again with --no-cache; if it stays, accept the new run or change the judge."
    if not explanation.separable:
        sides = {change.side for change in explanation.changes}
        if "rubric" in sides and len(sides) > 1 and not explanation.parts:
            return "Add --replay, which asks today's judge by the accepted rubric, or change one thing at a time."
        return "Change one thing at a time and calibrate after each."
    if explanation.changes[0].side == "rubric":
        return "Read these examples: if the new wording is meant so, accept this run; else take it back."
    return "Go back to the judge that was accepted, or read these examples and accept this run."
