"""How many labels an interval width, a verdict or a promise needs, and what the next run would cost."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from markscheme.calibration.comparison import Comparison
from markscheme.calibration.decision import ASSUMED_AGREEMENT, decide, labels_if_agreeing
from markscheme.judges.judge import Reply
from markscheme.judges.limited import BYTES_PER_TOKEN
from markscheme.judges.price import Price
from markscheme.prompt import Prompt
from markscheme.ratings.gold import Gold
from markscheme.rubrics.rubric import Criterion
from markscheme.stats.coefficients import corrected_of_shares
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import ATANH, Floats, t_quantile
from markscheme.stats.planning import (
    labels_for_half_width,
    labels_for_promise,
    labels_for_share,
    labels_to_vary,
    mixture_table,
    spread_at,
)
from markscheme.stats.prevalence import promise_for

Goal: TypeAlias = Literal["width", "verdict", "promise", "variety"]

ASSUMED_COEFFICIENT = 0.75
ASSUMED_AUTOMATIC = 0.60
LEAST_PILOT = 20
"""Examples rated by both from which a pilot is used instead of an assumption."""
WRITTEN_PER_CRITERION = 100
"""Tokens of a quote, a reason and a level, where there is no reply to measure."""


@dataclass(frozen=True, slots=True)
class Need:
    """The labels that one goal needs.

    Attributes:
        goal: What kind of goal.
        what: The goal in a few words.
        labels: Total labelled examples needed; None where no number would do.
        have: Labelled examples there are.
        basis: What the number is based on.
    """

    goal: Goal
    what: str
    labels: int | None
    have: int
    basis: str

    @property
    def more(self) -> int | None:
        """Labels needed on top of those there are."""
        return None if self.labels is None else max(0, self.labels - self.have)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run would ask, and its cost.

    Attributes:
        judge: Name of the judge; None without one.
        calls: Questions without a reply yet; re-asks of unreadable replies come on top.
        kept: Questions whose reply is cached or recorded.
        input_tokens: Tokens read, estimated by length.
        output_tokens: Tokens written, likewise.
        usd: US dollars; None where the price isn't known.
        basis: What the token numbers are based on.
    """

    judge: str | None
    calls: int
    kept: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    basis: str


def needs_of(
    truth: Gold,
    pilot: Comparison | None,
    criteria: Sequence[Criterion],
    *,
    target: float,
    half_width: float = 0.1,
) -> list[Need]:
    """The labels that each goal needs.

    Args:
        truth: The labels so far.
        pilot: The judge compared with them; None where its ratings aren't known.
        criteria: The rubric's.
        target: Share of examples on which the judge must agree.
        half_width: Half the interval width wanted.
    """
    have = len(truth.ids)
    unknown = "the judge's ratings would say" if truth.has_people else "no person labelled yet"
    share, basis = ASSUMED_AGREEMENT, f"assumed: agreement {ASSUMED_AGREEMENT:.0%}; {unknown}"
    seen = pilot.agreement if pilot is not None and truth.has_people else None
    if seen is not None and seen.value is not None and seen.n >= LEAST_PILOT:
        share = seen.value
        basis = f"agreement so far, {share:.0%}"
    found = [Need("width", f"agreement to within {half_width:g}", labels_for_share(share, half_width), have, basis)]
    found += [_width_of(criterion, truth, pilot, half_width) for criterion in criteria]
    settled = labels_for_verdict(truth, pilot, target)
    found.append(Need("verdict", f"a verdict at a target of {target:.0%}, in 4 runs of 5", settled, have, basis))
    found.append(_promise(pilot, have))
    found += [_variety(criterion, truth) for criterion in criteria]
    return found


def labels_for_verdict(truth: Gold, pilot: Comparison | None, target: float) -> int | None:
    """Total labels needed to reach the verdict, as the report of a calibration counts them.

    Without a pilot, agreement is assumed, and examples of one group are assumed to be slightly correlated. The same
    holds without human labels, because agreement with other labels says nothing about annotators.
    """
    if pilot is None or pilot.agreement.n < LEAST_PILOT or not truth.has_people:
        return labels_if_agreeing(truth, target)
    decision = decide(pilot, target=target)
    if decision.labels_needed is None:
        return None if decision.verdict == "not-enough-labels" else len(truth.ids)
    return decision.labels_needed + pilot.agreement.n


def _width_of(criterion: Criterion, truth: Gold, pilot: Comparison | None, half_width: float) -> Need:
    """From the coefficient's spread so far, else from the conservative table with the labels' own margins."""
    have = int((~np.isnan(truth.levels[criterion.name])).sum())
    name = "cohen_kappa" if criterion.scale.is_yes_no or not criterion.scale.ordered else "weighted_kappa"
    what = f"{criterion.name}: {name.replace('_', ' ')} to within {half_width:g}"
    value, basis = ASSUMED_COEFFICIENT, "assumed"
    found = None if pilot is None else pilot.criteria[criterion.name].statistics[name]
    if found is not None and found.value is not None and found.n >= LEAST_PILOT:
        spread = _spread(found)
        if spread is not None:
            labels = labels_for_half_width(found.value, spread, half_width)
            return Need("width", what, labels, have, f"{found.n} examples so far ({found.value:.2f})")
        if 0 < found.value < 1:
            value, basis = found.value, "seen"
    margins = _margins(criterion, truth)
    weights: Literal["identity", "quadratic"] = "quadratic" if name == "weighted_kappa" else "identity"
    if np.count_nonzero(margins) < 2:
        return Need("width", what, None, have, "people give one level only: label examples that vary")
    spread = spread_at(mixture_table(margins, value), lambda shares: corrected_of_shares(shares, name, weights=weights))
    labels = labels_for_half_width(value, spread, half_width)
    return Need("width", what, labels, have, f"careful table, coefficient {basis} {value:.2f}")


def _spread(estimate: Estimate) -> float | None:
    """Standard error times √n of a coefficient, from its interval."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None or not all(ATANH.reaches(x) for x in (value, low, high)):
        return None
    reach = (ATANH.forward(high) - ATANH.forward(low)) / 2
    spread = reach / t_quantile(estimate.n - 1, estimate.level) / ATANH.slope(value) * float(np.sqrt(estimate.n))
    return spread if spread > 0 else None


def _margins(criterion: Criterion, truth: Gold) -> Floats:
    """Share of each level among the labels; uniform where nothing is labelled."""
    values = np.array(sorted(set(criterion.scale.values)))
    levels = truth.levels[criterion.name]
    levels = levels[~np.isnan(levels)]
    if not len(levels):
        return np.full(len(values), 1 / len(values))
    nearest = np.abs(levels[:, None] - values[None, :]).argmin(axis=1)
    return np.asarray(np.bincount(nearest, minlength=len(values)) / len(levels))


def _promise(pilot: Comparison | None, have: int) -> Need:
    what = "at most 5% of automatic decisions wrong, 90% sure, one error survived"
    share, basis = ASSUMED_AUTOMATIC, f"assumed: {ASSUMED_AUTOMATIC:.0%} of decisions automatic"
    if pilot is not None:
        margins = np.abs(pilot.scores - pilot.rubric.pass_mark)
        margins = margins[~np.isnan(margins)]
        if len(margins) >= LEAST_PILOT:
            width = pilot.rubric.ask_within or pilot.tolerance
            share = max(0.05, float((margins > width).mean()))
            basis = f"{share:.0%} of scores lie further than {width:g} from the mark"
    basis += "" if promise_for(have) == "automatic" else "; fewer can promise it of all decisions instead"
    return Need("promise", what, labels_for_promise(share, errors=1), have, basis)


def _variety(criterion: Criterion, truth: Gold) -> Need:
    margins = _margins(criterion, truth)
    have = int((~np.isnan(truth.levels[criterion.name])).sum())
    commonest = float(margins.max())
    what = f"{criterion.name}: ten examples outside the modal level"
    return Need("variety", what, labels_to_vary(commonest), have, f"commonest level so far {commonest:.0%}")


# --- what a run costs -----------------------------------------------------------------------------------------------


def cost_of(
    prompts: Iterable[Prompt],
    *,
    judge: str | None = None,
    samples: int = 1,
    kept: Callable[[Prompt, int], Reply | None] | None = None,
    price: Price | None = None,
) -> Cost:
    """The cost of asking these prompts; nothing is asked.

    Args:
        prompts: The first questions of the run.
        judge: Name of the judge.
        samples: How often each is asked.
        kept: The reply to a prompt and sample that needs no asking; None where there is none.
        price: Of the judge's tokens.
    """
    open_prompts: list[Prompt] = []
    lengths: list[int] = []
    answered = 0
    for prompt in prompts:
        for sample in range(samples):
            reply = kept(prompt, sample) if kept is not None else None
            if reply is None:
                open_prompts.append(prompt)
            else:
                answered += 1
                lengths.append(_tokens(reply.text))
    read = sum(_tokens(prompt.system, prompt.user, str(prompt.schema)) for prompt in open_prompts)
    if lengths:
        written = round(len(open_prompts) * sum(lengths) / len(lengths))
        basis = f"by length, {BYTES_PER_TOKEN} bytes a token; answers as long as the {len(lengths)} at hand"
    else:
        written = sum(WRITTEN_PER_CRITERION * max(1, len(prompt.criteria)) for prompt in open_prompts)
        basis = f"by length, {BYTES_PER_TOKEN} bytes a token; {WRITTEN_PER_CRITERION} written for each criterion"
    usd = 0.0 if not open_prompts else price.cost(read, written) if price is not None else None
    return Cost(judge, len(open_prompts), answered, read, written, usd, basis)


def _tokens(*texts: str) -> int:
    return sum(len(text.encode()) for text in texts) // BYTES_PER_TOKEN
