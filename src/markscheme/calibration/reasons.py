"""The sentences that explain a verdict: the judge's right decisions, its agreement, and the labels needed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from markscheme.calibration.comparison.between_levels import MOST_OF_MISSES
from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.limits import GateSide, SideName
from markscheme.calibration.comparison.policy import BecauseCode, labels_for_target
from markscheme.calibration.comparison.verdict import LIMIT_OF_SIDE, Decision, GateAnswer
from markscheme.calibration.findings.slices import LOWER_AGREEMENT, Slice
from markscheme.calibration.labellers import Labeller, labeller_of
from markscheme.calibration.labels_in_words import ASKED_OF_TRENDS, ScarceDecision, labels_to_add
from markscheme.phrases import counted, digits_to_tell, in_words, number, percent
from markscheme.ratings.gold import Gold
from markscheme.stats import Estimate
from markscheme.stats.decisive_labels import LABEL_COUNTS
from markscheme.stats.group_sets import SETS
from markscheme.stats.shares import GroupedShare

NEARLY_ALONE = 1.05
"""Largest design effect (by how much groups raise the variance) that is ignored in the number of labels needed."""
SCARCE = 0.3
"""Largest share of labels with which a side, fails or passes, is called scarce: most further labels won't be of it."""
_DOES: Final[Mapping[SideName, str]] = {"stops": "stops", "keeps": "keeps"}
_WRONGLY: Final[Mapping[SideName, str]] = {"stops": "passes", "keeps": "fails"}
_THINGS: Final[Mapping[SideName, str]] = {"stops": "fails", "keeps": "passes"}
_WHY_NOT: Final[Mapping[BecauseCode, str]] = {
    "one-annotator": "one person's labels can't let it decide: have a second person label.",
    "not-blind": "labels that aren't blind can't let it decide: have somebody label without the judge's verdict.",
    "picked": "examples that were picked can't let it decide: label some that are drawn at random.",
}
"""Sentences on why labels don't let a judge decide, and on what to do about it."""
_WHY_NOT_AT_ALL = "these labels can't let it decide."


def reason(comparison: Comparison, decision: Decision) -> str:
    """Explain a verdict in a sentence or two; "" if a finding or drift is the reason, as their own texts explain it.

    Args:
        comparison: The judge compared with gold.
        decision: The outcome of the calibration, with the rulings from which the verdict follows.
    """
    answer = decision.gate_answer
    because = decision.because_code
    if because in ("drift", "no-skill"):
        return ""
    if because == "no-labels":
        return "No example has both a label and a judge's score."
    if answer is None:
        between = between_levels_in_words(comparison, decision.target) if decision.verdict != "ok" else ""
        return " ".join(filter(None, (_of_agreement(comparison, decision), between)))
    sentences = list(_of_gate(answer, comparison, decision))
    of_scores = comparison.trend is None
    if of_scores and decision.circumstances.as_person and decision.trend.state != "shown" and decision.use == "trend":
        sentences.append(_as_person(comparison))
    return " ".join(sentences) + _grouped(answer.figures.same, comparison.gold)


def _of_gate(answer: GateAnswer, comparison: Comparison, decision: Decision) -> Iterator[str]:
    """Say how often the judge fails what people fail and passes what they pass, first the one it does less well."""
    who = labeller_of(comparison)
    if decision.because_code == "people-split":
        yield _people_split(answer)
        return
    codes = answer.ruling.because
    if answer.ruling.state == "shown":
        if decision.verdict == "not-enough-labels":
            yield f"Right on both sides, but {_WHY_NOT.get(decision.because_code, _WHY_NOT_AT_ALL)}"
        yield f"It {_success_clause(answer.stops, who)} and {_success_clause(answer.keeps, who.again)}."
        return
    if "below-target" in codes or (answer.ruling.state == "open" and "target-open" in codes):
        yield f"{_capital(same_decision_and_target(answer, who.name))}."
    short = "broken" if answer.ruling.state == "refused" else "open"
    for side in sorted(answer.sides, key=lambda of: of.state != short):
        if not side.share.of:
            yield f"No response that {_decide(side, who)} is labelled."
        elif side.state == short and not side.share.has_few_groups:
            yield f"It {_short_of(side, who)}, {_least(side)}."
        else:
            yield f"It {_success_clause(side, who)}."
    if "groups" in codes:
        yield "Examples of a side come from fewer than 5 groups; an interval needs at least 5."


def _decide(side: GateSide, who: Labeller) -> str:
    """Return a clause such as "people fail": the decision by people that the given share of right decisions is about.

    Args:
        side: The judge's share of right decisions on what people fail ("stops") or pass ("keeps").
        who: Name of those who gave the labels, which the clause begins with.
    """
    return who.fail() if side.name == "stops" else who.passing()


def _success_clause(side: GateSide, who: Labeller) -> str:
    """Return a clause on how often the judge is right, such as "stops 95% of what people fail".

    Args:
        side: The judge's share of right decisions on what people fail ("stops") or pass ("keeps").
        who: The name for those who gave the labels, such as "people".
    """
    estimate = side.estimate
    if estimate.is_count:
        return f"{_DOES[side.name]} {_of_responses(side.share.hits, side, who)}"
    share, _, interval = estimate.as_share(_digits(side)).partition(" ")
    return f"{_DOES[side.name]} {share} of what {_decide(side, who)} {interval}".rstrip()


def _short_of(side: GateSide, who: Labeller) -> str:
    """Return a clause on how often the judge is right, or wrong, where it isn't shown to be right often enough.

    If all labels have equal weight, the clause counts labels: those on which the judge is wrong if it is shown to be
    right too rarely, else those on which it is right.

    Args:
        side: The judge's share of right decisions on what people fail ("stops") or pass ("keeps").
        who: The name for those who gave the labels.
    """
    share = side.share
    estimate = side.estimate
    if share.is_weighted or estimate.is_count:
        return _success_clause(side, who)
    as_share = estimate.as_share(_digits(side))
    if side.state == "broken":
        wrong = _of_responses(share.of - share.hits, side, who)
        return f"{_WRONGLY[side.name]} {wrong}: it {_DOES[side.name]} {as_share}"
    interval = as_share.partition(" ")[2].replace(")", "%)")
    return f"{_DOES[side.name]} {_of_responses(share.hits, side, who)} {interval}".rstrip()


def _of_responses(n: int, side: GateSide, who: Labeller) -> str:
    """Write a count of responses that people fail, or pass, such as "20 of the 32 responses that people fail".

    Args:
        n: Number of the responses.
        side: The judge's share of right decisions on what people fail ("stops") or pass ("keeps").
        who: The name for those who gave the labels, such as "people".
    """
    of = side.share.of
    if of == 1:
        some = "the one response" if n else "no response"
    elif n == of:
        some = f"all {of} responses"
    else:
        some = f"{n or 'none'} of the {of} responses"
    return f"{some} that {_decide(side, who)}"


def same_decision_and_target(answer: GateAnswer, who: str = "people") -> str:
    """Say how often the judge decides as people do, and the target, with enough digits to tell the two apart.

    Args:
        answer: The ruling on the judge's decisions.
        who: Noun for those who labelled.
    """
    same = answer.same
    digits = digits_of(same, answer.target)
    return f"its decision is that of {who} on {same.as_share(digits)}, target {percent(answer.target, digits)}"


def _least(side: GateSide) -> str:
    return f"{percent(side.least, _digits(side))} is the least"


def _digits(side: GateSide) -> int:
    estimate = side.estimate
    return digits_to_tell(side.least, (estimate.value, estimate.low, estimate.high))


def _people_split(answer: GateAnswer) -> str:
    """Say on which share of examples two annotators decide the same, and on which the judge and an annotator do."""
    level = 2 * answer.stops.confidence - 1
    people = answer.people_unsettled.people.estimate(level=level).as_share()
    judge = answer.people_unsettled.judge_people.estimate(level=level).as_share()
    split = f" They split evenly on {counted(answer.even_splits, 'example')}." if answer.even_splits else ""
    return (
        f"Two annotators make the same decision on only {people}, the judge and an annotator on {judge}; "
        f"target {percent(answer.target)}.{split}"
    )


def _as_person(comparison: Comparison) -> str:
    """Say how often annotators' scores agree, and that the judge's are nearly as good and better than the baseline."""
    between = _spelt(comparison.agreement_person)
    return (
        f"Two annotators' scores agree on {between}: the judge's are less than 10 points below, and better than one "
        "constant score."
    )


def _of_agreement(comparison: Comparison, decision: Decision) -> str:
    """Explain the verdict on a judge by its agreement, if it isn't known which values pass, so that nothing decides."""
    head = agreement_and_target(comparison.agreement, decision.target)
    match decision.because_code:
        case "few-groups":
            groups = comparison.figures.agreement.n_groups
            return f"The examples come from only {counted(groups, 'group')}; an interval needs at least 5."
        case "target":
            baseline = f"{_always(comparison)} reaches {_constant(comparison)}"
            return f"{head}; {baseline}.{_grouped(comparison.figures.agreement, comparison.gold)}"
        case "below-target" | "target-open":
            return f"{head}.{_grouped(comparison.figures.agreement, comparison.gold)}"
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


def between_levels_in_words(comparison: Comparison, target: float) -> str:
    """Say on how many examples gold lies between two levels, so that no judge's level agrees, and what to do.

    "" if such examples are only a small part of those on which the judge disagrees, and the target can be reached.
    """
    between = comparison.between_levels
    missed = comparison.scored - np.nansum(comparison.hits)
    if not (comparison.is_capped(target) or 0 < between >= MOST_OF_MISSES * missed):
        return ""
    at_most = "" if comparison.weighted_to else f": at most {percent(1 - between / comparison.scored)} can be reached"
    return (
        f"On {between} of {counted(comparison.scored, 'example')} annotators split and gold lies between two levels, "
        f"where no judge agrees with it{at_most}. Have a third annotator label them, or adjudicate them."
    )


def next_step_in_words(comparison: Comparison, decision: Decision) -> str | None:
    """Say which labels an open verdict needs, or why no number of labels would decide it; None if none are needed.

    Args:
        comparison: The judge compared with gold.
        decision: The verdict, with the labels it needs.
    """
    answer = decision.gate_answer
    labels = decision.labels
    by_people = comparison.gold.has_people
    if answer is not None and answer.ruling.state != "open" and by_people:
        return None
    rare = "" if answer is None or "groups" in answer.ruling.codes else _on_rare_decisions(answer, comparison)
    if labels is not None:
        share = comparison.figures.agreement if answer is None else answer.figures.same
        new_groups = by_people and share.mean_size > 1 and share.design_effect > NEARLY_ALONE
        scarce = None if answer is None else scarce_decision(answer)
        words: dict[str, Any] = {"to_say": ASKED_OF_TRENDS} if comparison.shows_trends_at_most else {}
        words |= {"new_groups": new_groups, "scarce": scarce, "has_fails": answer is not None}
        to_add = labels_to_add(labels, by_people=by_people, **words)
        return f"{to_add} {rare}".strip() if labels.more == LABEL_COUNTS[-1] and labels.assumed is None else to_add
    if answer is not None:
        return rare or _hopeless_gate(answer, comparison)
    if comparison.is_capped(decision.target):
        return None
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
    return None


def scarce_decision(answer: GateAnswer) -> ScarceDecision | None:
    """Return the decision, pass or fail, that too few labels have to decide if the judge can gate, with its share.

    It is "fail" if it is only open whether the judge stops enough of what people fail, "pass" if it is only open
    whether it keeps enough of what they pass. Return None in all other cases, and if that decision isn't rare.
    """
    short = [side for side in answer.sides if side.state == "open"]
    if len(short) != 1 or "target-open" in answer.ruling.codes:
        return None
    share = _share_of(short[0], answer)
    return None if share > SCARCE else ("fail" if short[0].name == "stops" else "pass", share)


def _share_of(side: GateSide, answer: GateAnswer) -> float:
    fails = answer.figures.share_of_fails
    return fails if side.name == "stops" else 1 - fails


def _hopeless_gate(answer: GateAnswer, comparison: Comparison) -> str:
    """Say why no number of labels is likely to decide whether the judge can gate, and what to do instead."""
    who = labeller_of(comparison)
    if "groups" in answer.ruling.codes:
        return "Label examples of 5 groups or more."
    short = [side for side in answer.sides if side.state == "open"]
    why = same_decision_and_target(answer, who.name)
    if len(short) == 1:
        why = f"it {_success_clause(short[0], who)}, {_least(short[0])}"
    return f"More labels won't decide: {why}. Improve the judge."


def _on_rare_decisions(answer: GateAnswer, comparison: Comparison) -> str:
    """Say that fails, or passes, are too rare for labels drawn at random, and what to label instead; else return ""."""
    side = next(iter(_rare_sides(answer)), None)
    if side is None:
        return ""
    n = answer.figures.same.n
    of_side = answer.figures.fails_drawn if side.name == "stops" else n - answer.figures.fails_drawn
    share = percent(of_side / n) if of_side else f"none of {n}"
    too_rare = f"{_capital(_THINGS[side.name])} are rare here ({share}): labels drawn at random won't decide soon."
    by_certificate = "" if comparison.rubric.table_of else ", or let a certificate decide a part"
    instead = f" Label outputs that users complained about as well{by_certificate}." if side.name == "stops" else ""
    return too_rare + instead


def _rare_sides(answer: GateAnswer) -> list[GateSide]:
    """Return, of `stops` and `keeps`, those still open for which even the most labels ever planned would be too few."""
    return [
        side
        for side in answer.sides
        if side.state == "open" and side.least_examples > LABEL_COUNTS[-1] * _share_of(side, answer)
    ]


def is_undecidable(decision: Decision) -> bool:
    """Return True if no number of further labels is likely to decide whether the judge can gate."""
    answer = decision.gate_answer
    if answer is None or answer.ruling.state != "open" or decision.labels is not None or not decision.next_step:
        return False
    return "groups" not in answer.ruling.codes and not _rare_sides(answer)


def offer_in_words(comparison: Comparison, decision: Decision) -> str:
    """Propose a looser limit on wrong decisions that the judge, by the labels, stays within; "" if there is none.

    For a table without a rubric, an option is proposed; for a rubric, a key of its file.
    """
    answer = decision.gate_answer
    side = None if answer is None else answer.side_with_offer
    low = None if side is None else side.share.lower(side.confidence)
    if side is None or low is None or decision.circumstances.drifted:
        return ""
    key = LIMIT_OF_SIDE[side.name]
    limit = f"{key}: {side.limit_that_holds:g}"
    if comparison.rubric.table_of is not None:
        limit = f"--{key.replace('_', '-')} {side.limit_that_holds:g}"
    return (
        f"These labels show that it {_WRONGLY[side.name]} at most {percent(1 - low)} of what "
        f"{_decide(side, labeller_of(comparison))}. If you accept that: `{limit}`."
    )


def exceptions(broken: Sequence[Slice]) -> str:
    """Say how often the judge agrees on each slice that people should decide instead of the judge."""
    kinds = in_words(list(dict.fromkeys(weaker.part.by for weaker in broken)), "or")
    agreements = _capital(in_words(list(map(_agreement_on, broken))))
    return f"{agreements}: let people decide there and on any {kinds} not labelled. Elsewhere:"


def _agreement_on(weaker: Slice) -> str:
    """Say how often the judge agrees on a slice.

    If that isn't clearly less often than elsewhere, say also by which figure the judge is worse on the slice.
    """
    inside = weaker.agreement.value or 0.0
    agrees = f"on {weaker.part.called} it agrees on {percent(inside)} of {weaker.n}"
    if weaker.figure is None or (weaker.rest or 0.0) - inside >= LOWER_AGREEMENT:
        return agrees
    return f"{agrees}, but is worse than elsewhere ({weaker.figure.in_words})"


def agreement_and_target(agreement: Estimate, target: float) -> str:
    """Write agreement with its interval, and the target, with enough digits to tell them apart.

    Example:
        >>> agreement_and_target(Estimate(0.9, 0.8238, 0.951, n=100), 0.8)
        'Agreement 90% (82–95), target 80%'
        >>> agreement_and_target(Estimate(0.796, 0.7798, 0.8122, n=2400), 0.8)
        'Agreement 79.6% (78.0–81.2), target 80.0%'
    """
    digits = digits_of(agreement, target)
    return f"Agreement {agreement.as_share(digits)}, target {percent(target, digits)}"


def digits_of(agreement: Estimate, target: float) -> int:
    """Return how many decimals agreement and its limits, in per cent, need to look different from the target."""
    return 0 if agreement.is_count else digits_to_tell(target, (agreement.value, agreement.low, agreement.high))


def _hopeless(comparison: Comparison, decision: Decision) -> Iterator[str]:
    """Say why more labels are unlikely to settle whether scores agree enough, and what to do instead."""
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
    position = f"{near or 'agreement is right at'} the target of {percent(target, digits)}"
    yield f"More labels won't decide: {position}."
    yield "Improve the judge or choose another target and say why."


def _always(comparison: Comparison) -> str:
    return comparison.measure.always(comparison.figures.constant_value)


def _constant(comparison: Comparison) -> str:
    return percent(comparison.figures.constant.value)


def _without_interval(estimate: Estimate | None) -> str:
    return number(None) if estimate is None or estimate.value is None else percent(estimate.value)


def _spelt(estimate: Estimate | None) -> str:
    return number(None) if estimate is None else estimate.as_share()


def _grouped(share: GroupedShare, gold: Gold) -> str:
    """Say how many independent examples would carry the same information as the examples, which are in groups.

    Return "" if each group has one example.

    If there are over 1,000 groups, `share` counts the jackknife sets as groups, so the number of groups is taken from
    `gold`.
    """
    if share.n_groups == share.n:
        return ""
    in_sets = share.n_groups <= SETS < (gold.n_groups or 0)
    n_groups = gold.n_groups if in_sets else share.n_groups
    return (
        f" The {share.n} examples in {counted(n_groups or 0, 'group')} carry as much information as about "
        f"{counted(round(share.effective), 'independent one')}."
    )


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
