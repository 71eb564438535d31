"""The accepted run and now, on the same examples: what moved, and what may have moved it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

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
from markscheme.calibration.comparison import Comparison, compare
from markscheme.calibration.drift import (
    LEVEL,
    Baseline,
    CriterionDrift,
    Explanation,
    GoldChange,
    GoldMeasure,
    Part,
    ScoreDrift,
    Since,
    why_incomparable,
)
from markscheme.calibration.drift_findings import drift_findings
from markscheme.errors import ComparisonError
from markscheme.ratings.examples import Example
from markscheme.ratings.gold import GOLD
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import Column, RatingTable, column_of, stacked
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats import Estimate
from markscheme.stats.change import Drift, any_change, drift, drift_verdicts, holm, moments_change, sign_flip
from markscheme.stats.intervals import t_quantile
from markscheme.stats.pairs import Moments

Floats = npt.NDArray[np.float64]

REPLAYED_ENOUGH = 0.9
"""Share of the examples that a replay must cover to tell causes apart."""
MOST_MOVERS = 5


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
    weighed, by_weights = _by_todays_weights(pair, since.accepted, now.rubric)
    pair = replace(pair, table=pair.table.with_columns(*weighed))
    score = _score(since, pair, by_weights)
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
        agreement_then=compare(pair.table, judge=pair.runs[0].name, tolerance=comparison.tolerance).agreement,
        agreement_now=compare(pair.table, judge=NOW, tolerance=comparison.tolerance).agreement,
    )
    return baseline if since.accepting else replace(baseline, findings=tuple(drift_findings(baseline, now)))


# --- what is common -------------------------------------------------------------------------------------------------


NOW = "now"


@dataclass(frozen=True)
class _Pair:
    """The examples that both runs rated with the same response: gold, each accepted run and this run as columns.

    Attributes:
        table: Of these examples; levels and scores of the accepted runs by the rubric of then.
        examples: In the order of the table.
        other_response: Examples whose response or inputs changed, counted.
        gone: Examples rated then and not now, counted.
        new: Examples rated now and not then, counted.
    """

    table: RatingTable
    examples: tuple[Example, ...]
    other_response: int
    gone: int
    new: int

    @property
    def ids(self) -> tuple[str, ...]:
        return self.table.ids

    @property
    def now(self) -> Column:
        return self.table[NOW]

    @property
    def runs(self) -> tuple[Column, ...]:
        return tuple(column for column in self.table.columns if column.name not in (NOW, GOLD))

    def levels_now(self, name: str) -> Floats:
        return self.now.levels[name]

    def levels_then(self, name: str) -> Floats:
        return stacked(self.runs, name)


def _paired(accepted: Accepted, comparison: Comparison, ratings: Sequence[Rating]) -> _Pair:
    examples = comparison.gold.examples
    known = [place for place, example in enumerate(examples) if example.id in accepted.submissions]
    alike = [p for p in known if accepted.submissions[examples[p].id] == submission_digest(examples[p])]
    shared = tuple(examples[place] for place in alike)
    ids = [example.id for example in shared]
    kept = comparison.table.rows(np.array(alike, dtype=np.int64))
    now = column_of(NOW, ratings, comparison.rubric, ids)
    then = [
        column_of(f"accepted run {number}", run.values(), accepted.setting.rubric, ids)
        for number, run in enumerate(accepted.runs, start=1)
    ]
    return _Pair(
        table=RatingTable(comparison.rubric, kept.ids, (kept[comparison.gold_name], *then, now), kept.groups),
        examples=shared,
        other_response=len(known) - len(alike),
        gone=len(accepted.submissions.keys() - {example.id for example in examples}),
        new=sum(example.id not in accepted.submissions for example in examples),
    )


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
    gold, now, then = (pair.table[name].levels[criterion.name] for name in (GOLD, NOW, pair.runs[0].name))
    if not (~np.isnan(gold) & ~np.isnan(now) & ~np.isnan(then)).any():
        return None
    if not criterion.scale.ordered:
        then, now = (np.where(np.isnan(one), np.nan, one != gold) for one in (then, now))
        gold = np.where(np.isnan(gold), np.nan, 0.0)
    for name, formula in _MEASURES[criterion.scale.ordered]:
        change = moments_change(
            gold, then, now, formula, groups=pair.table.groups, level=0.90, method=f"change in {name}"
        )
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
    then = since.accepted.setting.rubric
    between = column_of("replayed", since.replayed, then, pair.ids).levels[criterion.name]
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


def _score(since: Since, pair: _Pair, by_weights: float | None) -> ScoreDrift | None:
    now, then = pair.now.scores, stacked(pair.runs)
    if np.isnan(np.column_stack([now, then])).any(axis=1).all():
        return None
    flips = pair.now.decisions - pair.runs[0].decisions
    return ScoreDrift(
        drift=drift(now, then, span=1.0, margin=since.margin),
        by_weights=by_weights,
        passes=sign_flip(flips),
        flipped=tuple(pair.ids[place] for place in np.flatnonzero(np.nan_to_num(flips)).tolist()),
    )


def _by_todays_weights(pair: _Pair, accepted: Accepted, now: Rubric) -> tuple[tuple[Column, ...], float | None]:
    """The stored runs with the scores that today's weights give, and the mean shift these weights make.

    The runs stay as they are, and the shift is None, where the levels of then can't be weighed by today's rubric.
    """
    then = accepted.setting.rubric
    if _weights(then) == _weights(now):
        return pair.runs, 0.0
    scales = {criterion.name: criterion.scale for criterion in then.criteria}
    known = all(c.name in scales and same_scale(scales[c.name], c.scale) for c in now.criteria)
    if not known or "holistic" in (then.strategy, now.strategy):
        return pair.runs, None
    names = {criterion.name for criterion in now.criteria}
    weighed = tuple(
        replace(
            column, scores=column_of(column.name, (_levels_alone(r, names) for r in run.values()), now, pair.ids).scores
        )
        for column, run in zip(pair.runs, accepted.runs, strict=True)
    )
    moved = stacked(weighed) - stacked(pair.runs)
    moved = moved[~np.isnan(moved)]
    return tuple(weighed), float(moved.mean()) if len(moved) else None


def _weights(rubric: Rubric) -> list[tuple[str, float]]:
    return [(criterion.name, criterion.weight) for criterion in rubric.criteria]


def _levels_alone(rating: Rating, names: set[str]) -> Rating:
    return replace(
        rating, overall=None, criteria={name: rated for name, rated in rating.criteria.items() if name in names}
    )
