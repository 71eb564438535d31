"""The sentences of a verdict: one agreement with its interval, what it is compared with, and which labels decide it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.limits import Limit, WrongName
from markscheme.calibration.comparison.policy import BecauseCode, labels_for_target
from markscheme.calibration.labels_in_words import labels_to_add
from markscheme.phrases import counted, digits_to_tell, in_words, number, percent
from markscheme.rubrics.rubric import Criterion
from markscheme.stats import Estimate
from markscheme.stats.labels_needed import DecisiveLabels
from markscheme.stats.shares import GroupedShare

SURE_DECISIONS = 0.85
"""Share of pass/fail decisions that must be gold's for `tune`: below, no signal decided any part by itself."""
_DEEDS: Mapping[WrongName, tuple[str, str]] = {"false_pass": ("passes", "fails"), "false_fail": ("fails", "passes")}
NEARLY_ALONE = 1.05
"""Design effect up to which groups don't change how many labels are needed."""


def reason(comparison: Comparison, target: float, because: BecauseCode, limits: Sequence[Limit] = ()) -> str:
    """Why a judge got its verdict, in a sentence or two; "" where a finding or drift is the reason.

    Args:
        comparison: The judge compared with gold.
        target: Share of examples it must agree on.
        because: The rule behind the verdict.
        limits: The limits on wrong decisions.
    """
    agreement = comparison.agreement
    head = agreement_and_target(agreement, target)
    match because:
        case "drift" | "no-skill":
            return ""
        case "no-labels":
            return "No example has both a label and a judge's score."
        case "few-groups":
            groups = comparison.figures.agreement.n_groups
            return f"The examples come from only {counted(groups, 'group')}; an interval needs at least 5."
        case "target":
            baseline = f"{_always(comparison)} reaches {_constant(comparison)}"
            return f"{head}; {baseline}.{_passes(comparison)}{_grouped(comparison)}"
        case "limit":
            broken = in_words([_of_limit(limit) for limit in limits if limit.state == "broken"])
            return f"{head}, but {broken}: more than the limit.{_grouped(comparison)}"
        case "limit-open":
            still_open = in_words([_of_limit(limit) for limit in limits if limit.state == "open"])
            return f"{head}, but {still_open}: whether that keeps the limit isn't shown.{_grouped(comparison)}"
        case "below-target" | "target-open":
            return f"{head}.{_grouped(comparison)}"
        case "below-constant":
            return f"{head}. {_capital(_always(comparison))} would do better: {_constant(comparison)}."
        case "below-person":
            between = _capital(f"two annotators agree on {_without_interval(comparison.agreement_person)}")
            return f"{head}. {between}, so the labels aren't the cause."
        case "as-person":
            between = f"Two annotators agree on {_spelt(comparison.agreement_person)}"
            return f"{head}. {between}: the judge is less than 10 points below an annotator."
        case "no-signal":
            figures = comparison.figures
            return (
                f"Two annotators agree on only {_spelt(comparison.agreement_person)}; one constant answer "
                f"would agree with an annotator on {percent(figures.constant_people.value)}. Such labels can't show "
                "whether a judge is good."
            )
        case "constant-open":
            return f"{head}, but {_always(comparison)} would reach {_constant(comparison)}."
        case "person-open":
            return (
                f"{head}, but two annotators agree on only {_spelt(comparison.agreement_person)}. Whether the judge or "
                "the labels are the cause is open."
            )


def labels_in_words(
    labels: DecisiveLabels | None,
    comparison: Comparison,
    target: float,
    because: BecauseCode,
    limits: Sequence[Limit] = (),
) -> str:
    """The labels that an open verdict needs, or why no number of them would decide it.

    Args:
        labels: From `labels_to_decide` or `labels_to_begin`.
        comparison: The judge compared with gold.
        target: Share of examples it must agree on.
        because: The rule behind the verdict.
        limits: The limits on wrong decisions.
    """
    broken = [_of_limit(limit) for limit in limits if limit.state == "broken"]
    if broken:
        return f"More labels won't make it a gate: {in_words(broken)}, more than the limit."
    if labels is not None:
        alone = comparison.figures.agreement.design_effect <= NEARLY_ALONE
        by_people = comparison.gold.has_people
        return labels_to_add(labels, by_people=by_people, new_groups=by_people and not alone)
    match because:
        case "few-groups":
            return "Label examples of 5 groups or more."
        case "constant-open" if comparison.figures.gain.value <= 0:
            return "Label examples that vary: on these, one constant answer does as well."
        case "person-open":
            return (
                "More labels are unlikely to show which: adjudicate the examples on which annotators differ, or "
                "improve the judge."
            )
        case "limit-open":
            return _no_labels_for(limits)
        case "target-open" | "constant-open":
            return " ".join(_hopeless(comparison, target, comparison.settings))
    return ""


def agreement_and_target(agreement: Estimate, target: float) -> str:
    """Agreement with its interval, and the target, with as many digits as tell them apart.

    Example:
        >>> agreement_and_target(Estimate(0.9, 0.8238, 0.951, n=100), 0.8)
        'Agreement 90% (82–95), target 80%'
        >>> agreement_and_target(Estimate(0.796, 0.7798, 0.8122, n=2400), 0.8)
        'Agreement 79.6% (78.0–81.2), target 80.0%'
    """
    digits = digits_of(agreement, target)
    return f"Agreement {agreement.as_share(digits)}, target {percent(target, digits)}"


def digits_of(agreement: Estimate, target: float) -> int:
    """Decimals of per cent with which neither agreement nor its limits print like a target they differ from."""
    return 0 if agreement.is_count else digits_to_tell(target, (agreement.value, agreement.low, agreement.high))


def _hopeless(comparison: Comparison, target: float, settings: int) -> Iterator[str]:
    """Why no number of labels is named, and what to do instead."""
    figures = comparison.figures
    share = figures.agreement.value
    if comparison.agreement.above(target) or labels_for_target(figures.agreement, target, settings=settings):
        constant = _constant(comparison)
        yield f"More labels won't decide: {_always(comparison)} comes close with {constant}. Label examples that vary."
        return
    digits = digits_to_tell(target, (share,))
    near = "" if share == target else f"{percent(share, digits)} is too close to"
    at = f"{near or 'agreement is right at'} the target of {percent(target, digits)}"
    yield f"More labels won't decide: {at}."
    decisions = comparison.overall["accuracy"].value
    tune = decisions is not None and decisions >= SURE_DECISIONS
    ways = ", or let people decide what is doubtful: `markscheme tune`." if tune else "."
    yield f"Improve the judge{',' if tune else ' or'} choose another target and say why{ways}"


def _of_limit(limit: Limit) -> str:
    """What the judge does of what it shouldn't, and how much of it may be: "it passes 9 of 30 fails (15–49%; at most
    10%)"."""
    decisions = limit.decisions
    deed, things = _DEEDS[decisions.what]
    estimate = limit.estimate
    digits = digits_to_tell(limit.limit, (estimate.low, estimate.high))
    most = f"at most {percent(limit.limit, digits)} may be"
    if estimate.value is None:
        return f"no {things.removesuffix('es').removesuffix('s')} is labelled ({most})"
    done = f"{decisions.wrong} of {decisions.of} {things}"
    if decisions.is_weighted:
        done = f"{percent(estimate.value, digits)} of the {things}"
    if estimate.low is None or estimate.high is None:
        return f"it {deed} {done} ({most})"
    return f"it {deed} {done} ({number(100 * estimate.low, digits)}–{percent(estimate.high, digits)}; {most})"


def _no_labels_for(limits: Iterable[Limit]) -> str:
    """What to do about an open limit that labels like these are unlikely to decide."""
    things = in_words([_DEEDS[limit.decisions.what][1] for limit in limits if limit.state == "open"])
    return f"Labels drawn like these are unlikely to decide it: add outputs that annotators would count as {things}."


def _always(comparison: Comparison) -> str:
    return comparison.measure.always(comparison.figures.constant_value)


def _constant(comparison: Comparison) -> str:
    return percent(comparison.figures.constant.value)


def _passes(comparison: Comparison) -> str:
    """Which share of the fails the judge passes."""
    rate = comparison.false_pass_rate
    if rate.value is None or isinstance(comparison.measure.of, Criterion):
        return ""
    if rate.is_count:
        return f" It passes {rate.as_share()} fails."
    share, _, interval = rate.as_share().partition(" ")
    return f" It passes {share} of the fails {interval}."


def _without_interval(estimate: Estimate | None) -> str:
    return number(None) if estimate is None or estimate.value is None else percent(estimate.value)


def _spelt(estimate: Estimate | None) -> str:
    return number(None) if estimate is None else estimate.as_share()


def _grouped(comparison: Comparison) -> str:
    """How much information grouped examples carry, where groups matter."""
    share: GroupedShare = comparison.figures.agreement
    if share.n_groups == share.n:
        return ""
    return (
        f" The {share.n} examples in {share.n_groups} groups carry as much information as about "
        f"{number(share.effective, 0)} independent ones."
    )


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
