"""The two sides of a gate: whether a judge fails enough of what gold fails, and passes enough of what gold passes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from markscheme.calibration.options import LabelOptions
from markscheme.ratings.example_rows import Example, may_say, values_of
from markscheme.ratings.examples import draws_of
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.decision_figures import DecisionFigures, SideShare, decision_figures, side_share
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Flags, Floats, Grouping
from markscheme.stats.shares import drawn_weights

WrongName: TypeAlias = Literal["false_pass", "false_fail"]
SideName: TypeAlias = Literal["stops", "keeps"]
SideState: TypeAlias = Literal["kept", "broken", "open"]

SIDE = 0.10
"""Largest distance below the target that the agreement on each side may have: if both sides had to reach the target
itself, only three of 231 judges could gate."""
WIDEST_LIMIT = 0.40
"""The largest share of wrong decisions that is offered as a limit; with a larger one a judge would do more harm than an
author expects."""
LIMIT_STEP = 0.05
"""Step between offered limits: all are multiples of it, since nobody decides by single percentage points."""
LIMIT_DIGITS = 9
"""Decimals to which a limit is rounded: enough for any that somebody writes, and 0.8 - 0.1 becomes 0.7."""

OF: Final[Mapping[WrongName | SideName, str]] = {
    "false_pass": "gold fails", "stops": "gold fails", "false_fail": "gold passes", "keeps": "gold passes"
}  # fmt: skip
"""Words for the examples among which a kind of wrong decisions is counted, or on which a side of a gate is measured."""


@dataclass(frozen=True, slots=True)
class ErrorLimits:
    """The largest tolerated shares of false passes and of false fails; None where there is no limit.

    Attributes:
        false_pass: Of the examples that gold fails, the largest share that the judge may pass, 0 to 1.
        false_fail: Of the examples that gold passes, the largest share that the judge may fail, 0 to 1.
    """

    false_pass: float | None = None
    false_fail: float | None = None

    @classmethod
    def of(cls, options: LabelOptions, rubric: Rubric) -> "ErrorLimits":
        """Return the limits that options set, or those of the rubric if they don't."""
        return cls(
            rubric.max_false_pass if options.max_false_pass is None else options.max_false_pass,
            rubric.max_false_fail if options.max_false_fail is None else options.max_false_fail,
        )

    def least(self, side: SideName, target: float) -> float:
        """Return the smallest share of right decisions that is enough on gold's fails, or on gold's passes.

        That is 1 minus the limit on wrong decisions about these examples or, without a limit, `target` minus 0.1.

        Args:
            side: "stops" for the examples that gold fails, "keeps" for those that it passes.
            target: The smallest share of right decisions that is enough on both sides together, 0 to 1.

        Example:
            >>> ErrorLimits().least("stops", 0.8), ErrorLimits(false_pass=0.1).least("stops", 0.8)
            (0.7, 0.9)
        """
        most = self.false_pass if side == "stops" else self.false_fail
        least = max(0.0, target - SIDE) if most is None else 1 - most
        return round(least, LIMIT_DIGITS)


class GateSide(NamedTuple):
    """How often a judge is right on the examples that gold fails (or passes), and how often it must be right to gate.

    Attributes:
        name: "stops" for the examples that gold fails, "keeps" for the examples that gold passes.
        share: Share of these examples on which the judge decides as gold does.
        least: The smallest share that is enough, 0 to 1.
        confidence: One-sided confidence of each bound.
    """

    name: SideName
    share: SideShare
    least: float
    confidence: float

    @property
    def state(self) -> SideState:
        """State: "kept" if the share's whole interval is above `least`, "broken" if it is below, else "open"."""
        low = self.share.lower(self.confidence)
        high = self.share.upper(self.confidence)
        if low is not None and low > self.least:
            return "kept"
        return "broken" if high is not None and high < self.least else "open"

    @property
    def estimate(self) -> Estimate:
        """Estimate of how often the judge is right on these examples, with the interval from which `state` follows."""
        return side_rate(self.name, self.share, 2 * self.confidence - 1)

    @property
    def least_examples(self) -> int | float:
        """Fewest examples that, with the judge right on all, show that it is right often enough; ∞ if no number does.

        Example:
            >>> shares = decision_figures([0.0] * 3, [0.0] * 3)
            >>> [GateSide("stops", shares.stops, least, 0.975).least_examples for least in (0.7, 0.8, 0.9)]
            [11, 17, 36]
        """
        if not 0 < self.least < 1:
            return 1 if self.least <= 0 else math.inf
        return math.floor(math.log(1 - self.confidence) / math.log(self.least)) + 1

    @property
    def limit_that_holds(self) -> float | None:
        """The strictest limit on the share of wrong decisions that the judge is shown to keep; None if none is offered.

        No limit is offered if the judge is already shown to be right often enough, if the labels are too few for any
        limit, or if the limit would be above 40%.

        Example:
            >>> shares = decision_figures([0.0] * 32 + [1.0] * 168, [0.0] * 32 + [1.0] * 128 + [0.0] * 40)
            >>> GateSide("keeps", shares.keeps, 0.8, 0.975).limit_that_holds
            0.35
        """
        low = self.share.lower(self.confidence)
        if low is None or self.state == "kept":
            return None
        bound = round(1 - low, LIMIT_DIGITS)
        limit = round((math.floor(round(bound / LIMIT_STEP, LIMIT_DIGITS)) + 1) * LIMIT_STEP, LIMIT_DIGITS)
        return limit if bound <= WIDEST_LIMIT else None


def wrong_decisions(
    name: WrongName,
    judge: Floats,
    gold: Floats,
    *,
    groups: Sequence[str] | None = None,
    examples: Sequence[Example] | None = None,
) -> SideShare:
    """Compute the share of gold's fails that a judge passes, or of gold's passes that it fails.

    Args:
        name: "false_pass" for gold's fails that the judge passes, "false_fail" for gold's passes that the judge fails.
        judge: The judge's decisions, shape (n_examples,): 1 for pass, 0 for fail, nan where there is none.
        gold: Gold's decisions, shape (n_examples,): 1 for pass, 0 for fail, nan where there is none.
        groups: A name for each example's group, such as a task that several examples share.
        examples: The examples, which say how each was drawn for labelling; None means all at random.
    """
    of_gold = 0.0 if name == "false_pass" else 1.0
    strata = strata_of(examples)
    weights = side_weights(examples)
    drawn = of_drawn(gold, examples)
    counted = with_other_fails(drawn, gold, examples) if name == "false_pass" else drawn
    return side_share(counted, judge, of=of_gold, counts=1 - of_gold, groups=groups, weights=weights, strata=strata)


def side_rate(name: WrongName | SideName, share: SideShare, level: float = 0.95) -> Estimate:
    """Estimate a share of gold's fails, or of its passes, with an interval; undefined without such examples.

    Args:
        name: What the share is of: "false_pass" or "stops" for gold's fails that the judge passes, or that it fails;
            "false_fail" or "keeps" for gold's passes that it fails, or that it passes.
        share: The counts and the estimate of the share that `name` names.
        level: Level of the interval, 0 to 1.
    """
    if not share.of:
        return Estimate.without_value(f"no {OF[name]}", n=0, method=f"share of {OF[name]}", level=level)
    return share.rate.estimate(level=level, method=f"share of {OF[name]}")


def decisions_compared(
    judge: Floats,
    gold: Floats,
    *,
    groups: Grouping = None,
    sets: Grouping = None,
    examples: Sequence[Example] | None = None,
    weights: Floats | None = None,
) -> DecisionFigures:
    """Compare a judge's pass/fail decisions with gold's, over all examples, on gold's fails and on gold's passes.

    Args:
        judge: The judge's decisions, shape (n_examples,): 1 for pass, 0 for fail, nan where there is none.
        gold: Gold's decisions, shape (n_examples,): 1 for pass, 0 for fail, nan where there is none.
        groups: A name for each example's group, such as a task that several examples share.
        sets: Each example's jackknife set, from which the interval of the share of the same decisions is computed; None
            to leave out one group at a time.
        examples: The examples, which say how each was drawn for labelling; None means all at random.
        weights: Number of outputs that each example represents, shape (n_examples,), for figures of all outputs; None
            if all examples count equally.
    """
    drawn = of_drawn(gold, examples)
    fails = with_other_fails(drawn, gold, examples)
    strata = strata_of(examples)
    sides = side_weights(examples)
    return DecisionFigures(
        decision_figures(drawn, judge, groups=groups if sets is None else sets, weights=weights).same,
        side_share(fails, judge, of=0.0, counts=0.0, groups=groups, weights=sides, strata=strata),
        side_share(drawn, judge, of=1.0, counts=1.0, groups=groups, weights=sides, strata=strata),
    )


def of_drawn(gold: Floats, examples: Sequence[Example] | None) -> Floats:
    """Return gold's decisions, nan for examples picked by hand; if all were picked by hand, return all decisions.

    Args:
        gold: Gold's decisions, shape (n_examples,): 1 for pass, 0 for fail, nan where there is none.
        examples: The examples, which say how each was drawn for labelling; None means all at random.
    """
    picked = _picked(examples, len(gold))
    return gold if picked.all() else np.where(picked, np.nan, gold)


def with_other_fails(drawn: Floats, gold: Floats, examples: Sequence[Example] | None) -> Floats:
    """Return gold's decisions on drawn examples, and its fails among hand-picked ones; nan for all other examples.

    A fail picked by hand, such as one that a user complained about, shows whether a judge stops it, but not how often
    outputs fail. If drawn examples have weights or strata, hand-picked fails are left out: without a probability of
    being drawn they have no weight.

    Args:
        drawn: Gold's decisions on drawn examples, shape (n_examples,), nan on all other examples.
        gold: Gold's decisions on all examples, shape (n_examples,), nan where there is none.
        examples: The examples, which say how each was drawn for labelling; None means all at random.
    """
    if side_weights(examples) is not None or strata_of(examples) is not None:
        return drawn
    return np.where(_picked(examples, len(gold)) & (gold == 0), gold, drawn)


def _picked(examples: Sequence[Example] | None, n: int) -> Flags:
    if examples is None or not may_say(examples, "drawn"):
        return np.zeros(n, dtype=bool)
    return np.array(values_of(examples, "is_picked_by_hand"), dtype=bool)


def strata_of(examples: Sequence[Example] | None) -> list[str] | None:
    """Return the stratum that each example was drawn from; None if labels weren't drawn by stratum or by verdict.

    Labels drawn by verdict without a stratum have "", and those drawn in another way "otherwise".
    """
    if examples is None or not may_say(examples, "stratum", "drawn"):
        return None
    strata = values_of(examples, "stratum")
    drawn = values_of(examples, "drawn")
    if not any(strata) and "by-verdict" not in drawn:
        return None
    return [name or ("" if how == "by-verdict" else "otherwise") for name, how in zip(strata, drawn, strict=True)]


def sample_weights(examples: Sequence[Example] | None) -> Floats | None:
    """Return each example's weight in figures about all outputs; None if all examples of a draw were equally likely.

    Very large weights are lowered to a limit.
    """
    if examples is None or not may_say(examples, "weight"):
        return None
    weights = drawn_weights(values_of(examples, "weight"), draws_of(examples))
    return None if np.allclose(weights, 1) else weights


def side_weights(examples: Sequence[Example] | None) -> Floats | None:
    """Return each labelled example's sampling weight, relative to the other examples of its draw; None if all are 1.

    If labels were drawn by strata, a weight is divided by the mean weight of its draw. Such weights are never lowered,
    since they say how many of all graded outputs are in the stratum. Other weights are lowered to a limit if they are
    very large.
    """
    cut_weights = sample_weights(examples)
    if examples is None or cut_weights is None or strata_of(examples) is None:
        return cut_weights
    weights = np.array(values_of(examples, "weight"), dtype=np.float64)
    draws = np.array(draws_of(examples))
    for draw in set(draws.tolist()):
        weights[draws == draw] /= weights[draws == draw].mean()
    return weights
