"""A run beside the accepted one: what is known of each criterion and of the score, and whether it is an alarm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from markscheme.calibration.accepted import Accepted, submission_digest
from markscheme.calibration.changes import Change, same_scale
from markscheme.calibration.decision import Finding
from markscheme.ratings.examples import Example
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats import Estimate
from markscheme.stats.change import Changed, Drift, DriftVerdict, Moved, alarm_level

GoldMeasure = Literal["weighted_kappa", "exact_agreement", "mae"]

LEVEL = 0.05
"""Chance of calling an unmoved judge moved: in one run for "watch", over all runs since acceptance for an alarm."""
MARGIN = 1 / 16
"""Share of a scale's range by which the mean may move and still count as unmoved."""


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
