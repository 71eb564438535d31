"""Shifts of a judge since its accepted runs: criteria, score, agreement with gold, and what explains them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markscheme.calibration.earlier_runs.accepted_basis import FALSE_ALARM
from markscheme.calibration.earlier_runs.run_identity import SettingChange
from markscheme.features.drift.statistics import RunComparison, RunShift
from markscheme.rubrics.rubric import Criterion
from markscheme.stats import Estimate
from markscheme.stats.change import ChangeTest, MeanShiftTest, holm

RunVerdict = Literal["drifted", "moved, within margin", "no drift", "can't tell"]
"""Verdict on one criterion from its comparison with the accepted runs."""
DriftVerdict = RunVerdict | Literal["moved"]
"""Verdict on a criterion, or "moved" if the author's own edit moved it, which isn't drift of the judge."""
BY_ROUNDING = 1e-12
"""Largest change of agreement that counts as none, since it may come from rounding."""
GoldMeasure = Literal["weighted_kappa", "cohen_kappa", "exact_agreement", "mae"]


@dataclass(frozen=True)
class ShiftPart:
    """A criterion's shift due to changes of the rubric, or of the judge.

    The two are separated by asking today's judge by the accepted rubric, too (a replay).

    Attributes:
        changes: The changes of the rubric, or of the judge.
        drift: The shift that these changes caused.
        p: p-value of this shift, adjusted for two tests: of the shift by the rubric's changes, and of that by the
            judge's.
    """

    changes: tuple[SettingChange, ...]
    drift: RunComparison
    p: float


@dataclass(frozen=True)
class Explanation:
    """Explanation of a shift: the changes of rubric or judge since the accepted run that can have caused it.

    Attributes:
        changes: The changes that can have caused it; empty if no recorded change can.
        separable: True if the effect of each change is known: there is at most one change, or today's judge was also
            asked by the accepted rubric, in a replay.
        parts: The shift by changes of the rubric and that by changes of the judge; empty without a replay.
    """

    changes: tuple[SettingChange, ...]
    separable: bool
    parts: tuple[ShiftPart, ...] = ()

    @property
    def is_own_edit(self) -> bool:
        """True if the rubric's author made all of the changes, so that the judge itself didn't change."""
        return bool(self.changes) and all(change.side == "rubric" for change in self.changes)


@dataclass(frozen=True)
class GoldChange:
    """Change of a judge's agreement with gold on one criterion since the accepted runs.

    Attributes:
        measure: Name of the statistic of agreement.
        moved: The statistic of this run minus the mean of the accepted runs', on the same examples and today's labels.
        margin: Largest change that counts as none, in the unit of the statistic, which is levels for `mae`.
        p: p-value of the change, adjusted for the other criteria; None if the change is undefined.
    """

    measure: GoldMeasure
    moved: RunShift
    margin: float
    p: float | None

    @property
    def change(self) -> Estimate:
        """Change of agreement (now minus the mean of the accepted runs), with its 90 % interval."""
        return self.moved.shift

    @property
    def is_worse(self) -> bool:
        """True if today's figure is worse than the accepted run's, even if chance could explain the difference.

        A coefficient of agreement is worse if it is smaller, a mean absolute error if it is larger.
        """
        value = self.change.value or 0.0
        return (value if self.measure == "mae" else -value) > BY_ROUNDING

    @property
    def affirmed(self) -> bool:
        """True if agreement is shown to be unchanged: the whole interval of the change lies inside the margin."""
        return all(limit is not None and abs(limit) < self.margin for limit in (self.change.low, self.change.high))

    def fell(self, level: float) -> bool:
        """Return True if agreement is shown to be worse: its p-value doesn't exceed the significance level `level`."""
        return self.is_worse and not self.affirmed and self.p is not None and self.p <= level


@dataclass(frozen=True)
class CriterionDrift:
    """Change of a judge's levels on one criterion, on the same examples, since the accepted runs.

    Attributes:
        criterion: The criterion.
        drift: The shift of the judge's mean level, and the evidence.
        p: p-value of the shift, adjusted for the other criteria.
        exact_p: p-value of the exact test by example, which ignores differences between runs; it raises no alarm.
        verdict: The verdict on the shift, at the significance level of this run.
        changed: Test of whether answers differ more from the accepted runs than these differ among themselves; it
            raises no alarm.
        changed_p: p-value of the test `changed`, adjusted for the other criteria; None if there is one accepted run.
        gold: Change of the judge's agreement with gold; None without any gold level, or without any level of a judge.
        explanation: The changes that can have moved the judge's levels.
        movers: Ids of the examples whose level moved most; None if only counts of examples are known.
    """

    criterion: Criterion
    drift: RunComparison
    p: float
    exact_p: float
    verdict: DriftVerdict
    changed: ChangeTest
    changed_p: float | None
    gold: GoldChange | None
    explanation: Explanation
    movers: tuple[str, ...] | None

    @property
    def shift(self) -> Estimate:
        """Mean level in the new run minus the mean over the accepted runs, with its 90 % interval."""
        return self.drift.moved.shift

    @property
    def needed(self) -> int | None:
        """Number of examples needed to show that the judge didn't move; None unless the verdict is "can't tell"."""
        return self.drift.needed if self.verdict == "can't tell" else None

    @property
    def has_moved(self) -> bool:
        """True if the criterion's level is shown to have moved by more than the margin, for whatever cause."""
        return self.verdict in ("drifted", "moved")

    @property
    def watch(self) -> bool:
        """True if the shift's p is below 5 %, so that it is worth watching.

        It need not raise an alarm, since the threshold of alarms is divided among all planned comparisons with the
        accepted runs.
        """
        return self.p <= FALSE_ALARM


@dataclass(frozen=True)
class ScoreDrift:
    """Drift of the overall score since the accepted runs.

    Attributes:
        drift: Shift of the score that is due to the judge's levels alone, computed with today's weights.
        by_weights: Mean shift of the score that is due to new weights alone; 0 if no weight changed, None if the
            accepted levels can't be scored by today's rubric.
        passes: Exact test of whether more or fewer examples pass; it raises no alarm.
        n_flipped: Number of examples whose decision isn't that of the first of the accepted runs.
        flipped: Ids of the examples counted in `n_flipped`; None if only counts of examples are known.
    """

    drift: RunComparison
    by_weights: float | None
    passes: MeanShiftTest
    n_flipped: int
    flipped: tuple[str, ...] | None


def run_verdict(runs: RunComparison, p: float, *, level: float = FALSE_ALARM) -> RunVerdict:
    """Return which verdict a criterion's comparison with the accepted runs gives, such as "drifted" or "no drift".

    Args:
        runs: The comparison.
        p: p-value of the criterion's shift, adjusted for the other criteria tested with it.
        level: Significance level; in a series of runs, that of this run.
    """
    if p <= level:
        return "moved, within margin" if runs.within_margin else "drifted"
    return "no drift" if runs.steady else "can't tell"


def adjusted_p(p: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted by Holm's method; a missing one (None) stays None and isn't counted."""
    adjusted = iter(holm([value for value in p if value is not None]).tolist())
    return [None if value is None else next(adjusted) for value in p]
