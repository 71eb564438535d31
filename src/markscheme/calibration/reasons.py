"""The sentences of a verdict: what a judge stops and keeps, how its scores agree, and which labels decide it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.limits import GateSide, SideName
from markscheme.calibration.comparison.policy import labels_for_target
from markscheme.calibration.comparison.verdict import Decision, ExceptedPart, GateAnswer, LimitKey
from markscheme.calibration.labels_in_words import labels_to_add
from markscheme.phrases import counted, digits_to_tell, in_words, number, percent
from markscheme.stats import Estimate
from markscheme.stats.decisive_labels import BATCHES
from markscheme.stats.shares import GroupedShare

SURE_DECISIONS = 0.85
"""Share of pass/fail decisions that must be gold's for `tune`: below, no signal decided any part by itself."""
NEARLY_ALONE = 1.05
"""Design effect up to which groups don't change how many labels are needed."""
SCARCE = 0.3
"""Share of labels up to which a side is called scarce: most further labels say nothing about it."""
_DOES: Final[Mapping[SideName, str]] = {"stops": "stops", "keeps": "keeps"}
_WRONGLY: Final[Mapping[SideName, str]] = {"stops": "passes", "keeps": "fails"}
_OF_PEOPLE: Final[Mapping[SideName, str]] = {"stops": "fail", "keeps": "pass"}
_THINGS: Final[Mapping[SideName, str]] = {"stops": "fails", "keeps": "passes"}
_IN_WORDS: Final[Mapping[LimitKey, tuple[str, str]]] = {
    "max_false_pass": ("passes", "fail"),
    "max_false_fail": ("fails", "pass"),
}


def reason(comparison: Comparison, decision: Decision) -> str:
    """Say why a judge got its verdict, in a sentence or two; "" where a finding or drift is the reason.

    Args:
        comparison: The judge compared with gold.
        decision: The rulings, from which the verdict follows.
    """
    answer = decision.gate_answer
    because = decision.because_code
    if because in ("drift", "no-skill"):
        return ""
    if because == "no-labels":
        return "No example has both a label and a judge's score."
    if answer is None:
        return _of_agreement(comparison, decision)
    sentences = list(_of_gate(answer, comparison, decision))
    if decision.circumstances.as_person and decision.trend.state != "shown" and decision.use == "trend":
        sentences.append(_as_person(comparison))
    return " ".join(sentences) + _grouped(answer.figures.same)


def _of_gate(answer: GateAnswer, comparison: Comparison, decision: Decision) -> Iterator[str]:
    """Say what the judge stops and keeps, beginning with what counts against it."""
    who = _who(comparison)
    if decision.because_code == "people-split":
        yield _people_split(answer)
        return
    codes = answer.ruling.because
    if answer.ruling.state == "shown":
        yield f"It {_done(answer.stops, who)} and {_done(answer.keeps, who)}."
        if decision.verdict == "not-enough-labels":
            yield _not_allowed(decision)
        return
    if "below-target" in codes or (answer.ruling.state == "open" and "target-open" in codes):
        yield f"{_capital(same_decision_and_target(answer, who))}."
    short = "broken" if answer.ruling.state == "refused" else "open"
    for side in sorted(answer.sides, key=lambda of: of.state != short):
        if not side.share.of:
            yield f"No example that {who} {_OF_PEOPLE[side.name]} is labelled."
        elif side.state == short and not side.share.has_few_groups:
            yield f"It {_counted_wrong(side, who) or _done(side, who)}, {_least(side)}."
        else:
            yield f"It {_done(side, who)}."
    if "groups" in codes:
        yield "Examples of a side come from fewer than 5 groups; an interval needs at least 5."


def _done(side: GateSide, who: str) -> str:
    """Say how often the judge does what it should: "stops 95% of what people fail (83–99)"."""
    of = f"of what {who} {_OF_PEOPLE[side.name]}"
    estimate = side.estimate
    if estimate.is_count:
        return f"{_DOES[side.name]} {side.share.hits} of the {side.share.of} that {who} {_OF_PEOPLE[side.name]}"
    share, _, interval = estimate.as_share(_digits(side)).partition(" ")
    return f"{_DOES[side.name]} {share} {of} {interval}".rstrip()


def _counted_wrong(side: GateSide, who: str) -> str:
    """Say how many decisions of a side are wrong, where labels count one by one, and the share that is right."""
    share = side.share
    if share.is_weighted or share.hits == share.of or side.estimate.is_count:
        return ""
    wrong = f"{share.of - share.hits} of the {share.of} that {who} {_OF_PEOPLE[side.name]}"
    return f"{_WRONGLY[side.name]} {wrong}: it {_DOES[side.name]} {side.estimate.as_share(_digits(side))}"


def same_decision_and_target(answer: GateAnswer, who: str = "people") -> str:
    """Say how often the judge decides as people do, and the target, with as many digits as tell them apart."""
    same = answer.same
    digits = 0 if same.is_count else digits_to_tell(answer.target, (same.value, same.low, same.high))
    return f"its decision is that of {who} on {same.as_share(digits)}, target {percent(answer.target, digits)}"


def _least(side: GateSide) -> str:
    return f"{percent(side.least, _digits(side))} is the least"


def _digits(side: GateSide) -> int:
    estimate = side.estimate
    return digits_to_tell(side.least, (estimate.value, estimate.low, estimate.high))


def _who(comparison: Comparison) -> str:
    return "people" if comparison.gold.has_people else "the labels"


def _people_split(answer: GateAnswer) -> str:
    """Say how often two annotators make the same decision, and the judge and an annotator."""
    level = 2 * answer.stops.confidence - 1
    people = answer.people.people.estimate(level=level).as_share()
    judge = answer.people.judge_people.estimate(level=level).as_share()
    split = f" They split evenly on {counted(answer.even_splits, 'example')}." if answer.even_splits else ""
    return (
        f"Two annotators make the same decision on only {people}, the judge and an annotator on {judge}; "
        f"target {percent(answer.target)}.{split}"
    )


def _not_allowed(decision: Decision) -> str:
    """Say what to do with labels that don't allow a gate, where the figures would."""
    match decision.because_code:
        case "one-annotator":
            return "That is by one annotator: have a second one label the same examples."
        case "not-blind":
            return "Some labels were given with the judge's verdict visible: have the examples labelled blind."
        case "picked":
            return "Examples were picked by hand: label some that are drawn."
    return "These labels don't allow a gate."


def _as_person(comparison: Comparison) -> str:
    """Say that scores are as good as a person's, where people agree on less than the target."""
    between = _spelt(comparison.agreement_person)
    return (
        f"Two annotators' scores agree on {between}: the judge's are less than 10 points below, and better than one "
        "constant score."
    )


def _of_agreement(comparison: Comparison, decision: Decision) -> str:
    """Say how values agree that pass and fail nothing."""
    head = agreement_and_target(comparison.agreement, decision.target)
    match decision.because_code:
        case "few-groups":
            groups = comparison.figures.agreement.n_groups
            return f"The examples come from only {counted(groups, 'group')}; an interval needs at least 5."
        case "target":
            baseline = f"{_always(comparison)} reaches {_constant(comparison)}"
            return f"{head}; {baseline}.{_grouped(comparison.figures.agreement)}"
        case "below-target" | "target-open":
            return f"{head}.{_grouped(comparison.figures.agreement)}"
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
    return f"{head}."


def next_step_in_words(comparison: Comparison, decision: Decision) -> str:
    """Say which labels an open verdict needs, or why no number of them would decide it.

    Args:
        comparison: The judge compared with gold.
        decision: The verdict, with the labels it needs.
    """
    answer = decision.gate_answer
    labels = decision.labels
    by_people = comparison.gold.has_people
    if answer is not None and answer.ruling.state != "open" and by_people:
        return ""
    if labels is not None:
        share = comparison.figures.agreement if answer is None else answer.figures.same
        add = labels_to_add(labels, by_people=by_people, new_groups=by_people and share.design_effect > NEARLY_ALONE)
        scarce = "" if answer is None or labels.assumed is not None else _scarce(answer, labels.more)
        return f"{add}{scarce}"
    if answer is not None:
        return " ".join(_hopeless_gate(answer, comparison))
    match decision.because_code:
        case "few-groups":
            return "Label examples of 5 groups or more."
        case "constant-open" if comparison.figures.gain.value <= 0:
            return "Label examples that vary: on these, one constant answer does as well."
        case "person-open":
            return (
                "More labels are unlikely to show which: adjudicate the examples on which annotators differ, or "
                "improve the judge."
            )
        case "target-open" | "constant-open":
            return " ".join(_hopeless(comparison, decision))
    return ""


def _scarce(answer: GateAnswer, more: int) -> str:
    """Name how many of the labels are of the one open side, where it is scarce."""
    short = [side for side in answer.sides if side.state == "open"]
    if len(short) != 1 or "target-open" in answer.ruling.codes:
        return ""
    share = _share_of(short[0], answer)
    if share > SCARCE:
        return ""
    of_side = max(1, round(more * share))
    be = "be a fail" if short[0].name == "stops" else "be a pass"
    them = f"About {of_side} of them will be {_THINGS[short[0].name]}, and those decide."
    return f" {them}" if of_side > 1 else f" About one of them will {be}, and that decides."


def _share_of(side: GateSide, answer: GateAnswer) -> float:
    fails = answer.figures.share_of_fails
    return fails if side.name == "stops" else 1 - fails


def _hopeless_gate(answer: GateAnswer, comparison: Comparison) -> Iterator[str]:
    """Say why no number of labels is named for a gate, and what to do instead."""
    who = _who(comparison)
    if "groups" in answer.ruling.codes:
        yield "Label examples of 5 groups or more."
        return
    short = [side for side in answer.sides if side.state == "open"]
    rare = [side for side in short if side.least_examples > BATCHES[-1] * _share_of(side, answer)]
    if rare:
        things = _THINGS[rare[0].name]
        yield (
            f"{_capital(things)} are rare here ({percent(rare[0].share.of / answer.figures.same.n)}): labels drawn at "
            "random won't decide soon."
        )
        if rare[0].name == "stops":
            yield "Label outputs that users complained about as well."
        return
    if len(short) == 1:
        (side,) = short
        yield f"More labels won't decide: it {_done(side, who)}, {_least(side)}."
    else:
        yield f"More labels won't decide: {same_decision_and_target(answer, who)}."
    yield "Improve the judge."


def offer_in_words(decision: Decision, *, by_people: bool = True) -> str:
    """Name a limit on wrong decisions that these labels show to be kept; "" where there is none to offer."""
    answer = decision.gate_answer
    offer = None if answer is None else answer.offer
    if offer is None or decision.circumstances.drifted:
        return ""
    does, theirs = _IN_WORDS[offer.key]
    who = "people" if by_people else "the labels"
    return (
        f"These labels show that it {does} at most {percent(offer.at_most)} of what {who} {theirs}. "
        f"If you accept that: `{offer.key}: {offer.limit:g}`."
    )


def exceptions(excepted: Sequence[ExceptedPart]) -> str:
    """Say what a judge does on the parts that people should decide, in a sentence."""
    shares = [f"{percent(part.agreement.value or 0.0)} of {part.agreement.n}" for part in excepted]
    agreements = in_words(
        [f"on {part.called} it agrees on {share}" for part, share in zip(excepted, shares, strict=True)]
    )
    return f"{agreements[:1].upper()}{agreements[1:]}: let people decide there. Elsewhere:"


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


def _hopeless(comparison: Comparison, decision: Decision) -> Iterator[str]:
    """Say why no number of labels is named for scores, and what to do instead."""
    figures = comparison.figures
    target = decision.target
    share = figures.agreement.value
    settings = comparison.settings
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


def _always(comparison: Comparison) -> str:
    return comparison.measure.always(comparison.figures.constant_value)


def _constant(comparison: Comparison) -> str:
    return percent(comparison.figures.constant.value)


def _without_interval(estimate: Estimate | None) -> str:
    return number(None) if estimate is None or estimate.value is None else percent(estimate.value)


def _spelt(estimate: Estimate | None) -> str:
    return number(None) if estimate is None else estimate.as_share()


def _grouped(share: GroupedShare) -> str:
    """Say how much information grouped examples carry, where groups matter."""
    if share.n_groups == share.n:
        return ""
    return (
        f" The {share.n} examples in {share.n_groups} groups carry as much information as about "
        f"{number(share.effective, 0)} independent ones."
    )


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
