"""How often a judge decides wrongly on what gold fails, and on what it passes, and whether that keeps a limit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from markscheme.ratings.examples import Example, draws_of
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Flags, Floats
from markscheme.stats.shares import GroupedShare, grouped_share

if TYPE_CHECKING:
    from markscheme.stats.wrong_decisions import RateByVerdict, Stratum

WrongName: TypeAlias = Literal["false_pass", "false_fail"]
LimitState: TypeAlias = Literal["kept", "broken", "open"]
WrongRate: TypeAlias = "GroupedShare | RateByVerdict"

OF: Final[Mapping[WrongName, str]] = {"false_pass": "gold fails", "false_fail": "gold passes"}
"""What a rate is a share of, in words."""


@dataclass(frozen=True, slots=True)
class WrongDecisions:
    """How often a judge decides wrongly where gold decides in one way.

    Attributes:
        what: Of gold's fails that the judge passes, or of its passes that the judge fails.
        wrong: Labelled examples on which it does.
        of: Labelled examples on which gold decides so.
        among: The share among these labels alone, however they were drawn.
        examples: Labelled examples with both decisions.
        rate: The share, with bounds that respect groups and how the labels were drawn.
    """

    what: WrongName
    wrong: int
    of: int
    among: GroupedShare
    examples: int
    rate: WrongRate

    @property
    def is_weighted(self) -> bool:
        """Whether the share is weighted by how the labels were drawn, so that it isn't `wrong` of `of`."""
        return not isinstance(self.rate, GroupedShare)

    def estimate(self, level: float = 0.95) -> Estimate:
        """The share with its interval."""
        return estimate_of(self.rate, self.what, level)


@dataclass(frozen=True, slots=True)
class MostWrong:
    """The largest shares of wrong decisions that are accepted; None where there is no limit.

    Attributes:
        false_pass: Of what gold fails, the share that the judge may pass.
        false_fail: Of what gold passes, the share that it may fail.
    """

    false_pass: float | None = None
    false_fail: float | None = None


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit on wrong decisions, and what the labels show of it.

    Attributes:
        decisions: How often the judge decides wrongly.
        limit: The largest share that is accepted, 0 to 1.
        confidence: One-sided confidence of each bound.
    """

    decisions: WrongDecisions
    limit: float
    confidence: float

    @property
    def state(self) -> LimitState:
        """Kept where the whole interval is below the limit, broken where it is above, else open."""
        low = self.decisions.rate.lower(self.confidence)
        high = self.decisions.rate.upper(self.confidence)
        if high is not None and high < self.limit:
            return "kept"
        return "broken" if low is not None and low > self.limit else "open"

    @property
    def estimate(self) -> Estimate:
        """The share with the interval that decides."""
        return self.decisions.estimate(2 * self.confidence - 1)


def estimate_of(rate: WrongRate, what: WrongName, level: float = 0.95) -> Estimate:
    """A rate of wrong decisions with its interval; without a value where gold never decides so."""
    of = OF[what]
    if not rate.n:
        return Estimate.without_value(f"no {of}", n=0, method=f"share of {of}", level=level)
    return rate.estimate(level=level, method=f"share of {of}")


def wrong_decisions(
    what: WrongName,
    judge: Floats,
    gold: Floats,
    *,
    groups: Sequence[str] | None = None,
    examples: Sequence[Example] | None = None,
) -> WrongDecisions:
    """How often a judge decides wrongly where gold decides in one way.

    Args:
        what: Which way: of gold's fails that the judge passes, or of its passes that the judge fails.
        judge: The judge's decisions, shape (n_examples,): 1 for pass, 0 for fail, nan where there is none.
        gold: Gold's, likewise.
        groups: A name for each example, where several share a task.
        examples: How each was drawn for labelling; None means at random.
    """
    of_gold = 0.0 if what == "false_pass" else 1.0
    both = ~np.isnan(judge) & ~np.isnan(gold)
    counted = both & (gold == of_gold)
    hits = np.where(counted, judge != of_gold, np.nan)
    among = grouped_share(hits, groups)
    rate: WrongRate = among
    cells = None if examples is None else _cells(judge, examples)
    if cells is not None:
        from markscheme.stats.wrong_decisions import RateByVerdict

        in_question = np.where(both, gold == of_gold, np.nan)
        is_wrong = judge != of_gold
        strata = list(_strata(cells, in_question, _even_weights(examples or ()), is_wrong, groups))
        rate = RateByVerdict(
            tuple(stratum for stratum, wrong in strata if wrong),
            tuple(stratum for stratum, wrong in strata if not wrong),
        )
    return WrongDecisions(what, int(np.nansum(hits)), int(counted.sum()), among, int(both.sum()), rate)


def limits_of(
    passes: WrongDecisions, fails: WrongDecisions, most: MostWrong, *, confidence: float
) -> tuple[Limit, ...]:
    """The limits that are set, with what is shown of each.

    Args:
        passes: False passes.
        fails: False fails.
        most: The limits on both.
        confidence: One-sided confidence of each bound.
    """
    limits = ((passes, most.false_pass), (fails, most.false_fail))
    return tuple(Limit(decisions, limit, confidence) for decisions, limit in limits if limit is not None)


def _cells(judge: Floats, examples: Sequence[Example]) -> list[str] | None:
    """The judge's decision and the stratum of each example; None where all labels were drawn at random."""
    if all(example.drawn != "by-verdict" and not example.stratum and example.weight == 1 for example in examples):
        return None
    return [f"{decision:g} {example.stratum}" for decision, example in zip(judge, examples, strict=True)]


def _even_weights(examples: Sequence[Example]) -> Floats:
    """How much of all that was graded each label speaks for: draws of different size are scaled to a mean of 1."""
    weights = np.array([example.weight for example in examples], dtype=np.float64)
    draws = np.array(draws_of(examples))
    for draw in set(draws.tolist()):
        weights[draws == draw] /= weights[draws == draw].mean()
    return weights


def _strata(
    cells: Sequence[str], in_question: Floats, weights: Floats, is_wrong: Flags, groups: Sequence[str] | None
) -> Iterator[tuple["Stratum", bool]]:
    """Each cell with both decisions, and whether the judge decides wrongly there."""
    from markscheme.stats.wrong_decisions import Stratum

    is_decided = ~np.isnan(in_question)
    names = np.array(cells)
    for name in dict.fromkeys(names[is_decided].tolist()):
        inside = is_decided & (names == name)
        share = grouped_share(np.where(inside, in_question, np.nan), groups)
        yield Stratum(float(weights[inside].sum() / weights[is_decided].sum()), share), bool(is_wrong[inside][0])
