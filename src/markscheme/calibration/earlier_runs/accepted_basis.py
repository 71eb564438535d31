"""What a new run is compared with, the accepted runs or an earlier judge, and by which rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from markscheme.calibration.earlier_runs.run_identity import Accepted, same_scale, submission_digest
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.change import alarm_level
from markscheme.stats.estimate import Reason

if TYPE_CHECKING:
    from markscheme.calibration.findings.finding import Finding

FALSE_ALARM = 0.05
"""Chance that an unmoved judge counts as moved: in one run for the warning "watch", over all runs since acceptance for
an alarm."""

LOOKS_ALARM = 80.0
"""Evidence over all comparisons so far from which on the judge counts as moved; in two years of weekly comparisons, an
unmoved judge reaches it in at most one of so many cases."""
MOST_EVIDENCE = 1000
"""Largest evidence that is written as a number: far above an alarm, its size says nothing more."""
DRIFT_MARGIN = 1 / 16
"""Largest move of the mean that counts as unmoved, as a share of the scale's range."""


@dataclass(frozen=True)
class AcceptedBasis:
    """The accepted runs, and the settings by which a new run is compared with them or with an earlier judge.

    Attributes:
        accepted: The accepted runs; None if a run is compared with an earlier judge of which only counts are known.
        run: Number of this comparison with the accepted runs, from 1; later comparisons need a smaller p for an alarm.
        planned: Number of comparisons that will be made, over which the 5% chance of a false alarm is split; None if
            that number isn't fixed beforehand.
        margin: Largest move of the mean that counts as unmoved, as a share of the scale's range.
        replayed: Ratings of today's judge asked with the accepted rubric, which separates the judge's effect from the
            rubric's; () if there are none.
        accepting: True if this run is about to be accepted, and so raises no alarm.
        start_over: True if this run, when accepted, replaces the accepted runs instead of joining them.
        looks: Evidence that the judge moved, after each recorded comparison on the accepted examples in this setting; 1
            is no evidence either way. Empty if there is no record.
    """

    accepted: Accepted | None
    run: int = 1
    planned: int | None = None
    margin: float = DRIFT_MARGIN
    replayed: tuple[Rating, ...] = ()
    accepting: bool = False
    start_over: bool = False
    looks: tuple[float, ...] = ()

    @property
    def level(self) -> float:
        """Significance level of this comparison: the largest p that raises an alarm."""
        return alarm_level(self.run, planned=self.planned, level=FALSE_ALARM)


def why_incomparable(accepted: Accepted, rubric: Rubric, examples: Sequence[Example]) -> Reason | None:
    """Return why a run of a rubric on these examples can't be compared with an accepted run; None if it can."""
    path = str(accepted.path)
    then = accepted.setting.rubric
    if then.name != rubric.name:
        return Reason("other-rubric", {"path": path, "accepted": then.name, "rubric": rubric.name})
    if not accepted.ratings:
        return Reason("counts-alone", {"path": path})
    rated_then = [example for example in examples if example.id in accepted.submissions]
    if not any(accepted.submissions[example.id] == submission_digest(example) for example in rated_then):
        return Reason("changed-responses" if rated_then else "no-known-example", {"path": path})
    scales = {criterion.name: criterion.scale for criterion in then.criteria}
    if not any(c.name in scales and same_scale(scales[c.name], c.scale) for c in rubric.criteria):
        return Reason("other-scales", {"path": path})
    return None


class RunsCompared(Protocol):
    """The comparison of a run with accepted runs or with an earlier judge."""

    @property
    def since(self) -> AcceptedBasis:
        """The earlier runs, with what decides how the new run is compared with them, such as the margin."""

    @property
    def findings(self) -> "tuple[Finding, ...]":
        """Findings on shifts since the accepted runs, and on differences among these."""

    @property
    def alarm(self) -> bool:
        """True if a shift is shown, unless only the author's own edit moved levels and agreement is no worse."""

    @property
    def why_not_joined(self) -> str | None:
        """Reason why this run can't be added to the accepted ones; None if it can."""

    @property
    def headline(self) -> str:
        """Headline on the largest shift and its cause; "" if no shift is shown."""

    def next_step(self, calibration: Any) -> tuple[str, str] | None:
        """Return the next step, in words and as a command, after a calibration by which the judge can be used.

        Return None if there is nothing to do.
        """

    def states(self, finding: "Finding") -> bool:
        """Return True if this comparison's headline already says what a finding says."""

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a dict, by the keys of the report's JSON."""
