"""What a judge may decide: the rules that lead from figures to a verdict, and how many labels an open one needs.

All policy is here: which comparisons count, in which order the rules apply, and what follows from each. `decision`
applies it to a comparison and says why in a sentence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from markscheme.calibration.comparison.limits import Limit
from markscheme.receipt import Use
from markscheme.stats.agreement_figures import AgreementFigures
from markscheme.stats.decisive_labels import (
    chance_to_place_mean,
    chance_to_place_share,
    labels_for_decision,
    most_demanding,
)
from markscheme.stats.labels_needed import DecisiveLabels
from markscheme.stats.shares import GroupedMean, GroupedShare

VerdictName: TypeAlias = Literal["ok", "adjust", "labels-disagree", "not-enough-labels"]
BecauseCode: TypeAlias = Literal[
    "target",
    "drift",
    "no-skill",
    "below-target",
    "below-constant",
    "below-person",
    "as-person",
    "no-signal",
    "target-open",
    "constant-open",
    "person-open",
    "limit",
    "limit-open",
    "few-groups",
    "no-labels",
]

LEVEL = 0.95
"""Level of the one interval that decides, is drawn and is printed. Looked at every 10 or 20 labels up to 300, a judge
exactly at the target comes out above it in about 1 of 10 sequences; a one-sided 90 % limit has 3 of 10."""
PERSON_MARGIN = 0.10
"""How much less often than an annotator a judge may agree and still count as as good as one."""
ENOUGH_SHARED = 30
"""Examples that two annotators and the judge must share before annotators' figures count."""


@dataclass(frozen=True, slots=True)
class VerdictStates:
    """What is shown about a judge, each by the two-sided interval that is drawn.

    Attributes:
        above: Agreement is above the target.
        below: Agreement is below the target.
        beats: Agreement is above the best constant's.
        loses: Agreement is below the best constant's.
        low: Annotators agree with each other on less than the target.
        asgood: The judge is at most 10 points below an annotator.
        worse: The judge is below an annotator, and not as good.
        nosignal: Annotators agree with each other less than with one constant score.
        few_groups: There are too few groups of examples for any bound.
        labelled: Any example was compared.
        breaks: A limit on wrong decisions is broken.
        limit_open: Whether a limit is kept isn't shown.
    """

    above: bool
    below: bool
    beats: bool
    loses: bool
    low: bool = False
    asgood: bool = False
    worse: bool = False
    nosignal: bool = False
    few_groups: bool = False
    labelled: bool = True
    breaks: bool = False
    limit_open: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict on a judge, what it may be used for, and the rule behind it.

    Attributes:
        verdict: Whether the judge agrees well enough with the labels.
        use: What it may decide.
        because: The rule, by its code.
    """

    verdict: VerdictName
    use: Use
    because: BecauseCode


def interval_level(settings: int = 1) -> float:
    """Level of the interval that decides when several settings were tried on the same labels: all hold together.

    Args:
        settings: How many, this one included.

    Source:
        Dunn (1961), Journal of the American Statistical Association 56(293), 52-64.
        doi:10.1080/01621459.1961.10482090

    Example:
        >>> interval_level(), interval_level(5)
        (0.95, 0.99)
    """
    return 1 - (1 - LEVEL) / settings


def side_confidence(settings: int = 1) -> float:
    """One-sided confidence of each limit of that interval.

    Example:
        >>> side_confidence(), side_confidence(5)
        (0.975, 0.995)
    """
    return (1 + interval_level(settings)) / 2


def verdict_states(
    agreement: GroupedShare,
    gain: GroupedMean,
    target: float,
    *,
    settings: int = 1,
    people: GroupedShare | None = None,
    judge_minus_person: GroupedMean | None = None,
    person_minus_constant: GroupedMean | None = None,
) -> VerdictStates:
    """Which comparisons with target, constant and annotators are shown.

    Args:
        agreement: Share of examples on which the judge agrees with gold.
        gain: Agreement minus that of the best constant.
        target: The target agreement, 0 to 1.
        settings: How many settings were tried on these labels; more widen every interval.
        people: Share of pairs of annotators who agree; with fewer than 30 examples it isn't used.
        judge_minus_person: The judge minus an annotator.
        person_minus_constant: An annotator minus the best constant.

    Returns:
        A comparison without a bound is not shown.

    Example:
        >>> from markscheme.stats.shares import grouped_mean, grouped_share
        >>> states = verdict_states(grouped_share([1] * 90 + [0] * 10), grouped_mean([1] * 50 + [0] * 50), target=0.8)
        >>> states.above, states.beats, states.below
        (True, True, False)
    """
    enough = people is not None and people.n >= ENOUGH_SHARED
    person = judge_minus_person if enough else None
    signal = person_minus_constant if enough else None
    confidence = side_confidence(settings)
    asgood = person is not None and _above(person.lower(confidence), -PERSON_MARGIN)
    return VerdictStates(
        above=_above(agreement.lower(confidence), target),
        below=_below(agreement.upper(confidence), target),
        beats=_above(gain.lower(confidence), 0.0),
        loses=_below(gain.upper(confidence), 0.0),
        low=people is not None and enough and _below(people.upper(confidence), target),
        asgood=asgood,
        worse=person is not None and not asgood and _below(person.upper(confidence), 0.0),
        nosignal=signal is not None and _below(signal.upper(confidence), 0.0),
        few_groups=agreement.support == "withheld",
        labelled=agreement.n > 0,
    )


def states_of(
    figures: AgreementFigures, target: float, *, settings: int = 1, limits: Sequence[Limit] = ()
) -> VerdictStates:
    """Which comparisons of a judge's figures are shown at `target`, after so many settings on the same labels."""
    shown = {limit.state for limit in limits}
    states = verdict_states(
        figures.agreement,
        figures.gain,
        target,
        settings=settings,
        people=figures.people,
        judge_minus_person=figures.judge_minus_person,
        person_minus_constant=figures.person_minus_constant,
    )
    return replace(states, breaks="broken" in shown, limit_open="open" in shown)


def use_of_ok(reference: str, *, blind: bool = True, by_hand: float = 0.0) -> Use:
    """What a judge with verdict ok may be used for.

    Args:
        reference: What the gold labels are: adjudicated, people (two or more), one-person, constructed or model.
        blind: Whether annotators labelled without seeing the judge's verdict.
        by_hand: Share of the examples that were picked by hand, 0 to 1: these say nothing about other outputs.

    Example:
        >>> use_of_ok("people"), use_of_ok("people", blind=False), use_of_ok("one-person"), use_of_ok("constructed")
        ('gate', 'trend', 'trend', 'explore')
        >>> use_of_ok("people", by_hand=0.1), use_of_ok("people", by_hand=1.0)
        ('trend', 'explore')
    """
    if reference not in ("adjudicated", "people", "one-person") or by_hand == 1:
        return "explore"
    return "gate" if reference != "one-person" and blind and not by_hand else "trend"


def trend_at_most(use: Use) -> Use:
    """The use of a judge that could gate but for something that isn't shown."""
    return "trend" if use == "gate" else use


def ruling(states: VerdictStates, *, ok: Use, drifted: bool = False, no_skill: bool = False) -> Ruling:
    """The verdict that follows from what is shown: the first rule that applies.

    Args:
        states: What is shown of the judge.
        ok: What a judge with verdict ok may be used for on these labels.
        drifted: Whether a drift alarm counts against the judge: not where its cause is the author's own edit and
            agreement is no worse.
        no_skill: Whether a finding says that the judge has no skill or always gives one answer.

    Example:
        >>> ruling(VerdictStates(above=True, below=False, beats=True, loses=False), ok="gate")
        Ruling(verdict='ok', use='gate', because='target')
        >>> ruling(VerdictStates(above=False, below=True, beats=False, loses=False), ok="gate").because
        'below-target'
    """
    s = states
    rules: list[tuple[bool, VerdictName, Use, BecauseCode]] = [
        (drifted, "adjust", "none", "drift"),
        (s.above and no_skill, "adjust", "none", "no-skill"),
        (s.above and s.beats and s.breaks, "adjust", "none", "limit"),
        (s.above and s.beats and s.limit_open, "not-enough-labels", trend_at_most(ok), "limit-open"),
        (s.above and s.beats, "ok", ok, "target"),
        (s.above and s.loses, "adjust", "none", "below-constant"),
        (s.above, "not-enough-labels", "explore", "constant-open"),
        (s.low and s.asgood and s.beats, "labels-disagree", "trend", "as-person"),
        (s.below and s.worse, "adjust", "none", "below-person"),
        (s.nosignal and not s.beats, "labels-disagree", "explore", "no-signal"),
        (s.loses, "adjust", "none", "below-constant"),
        (s.below and s.low, "not-enough-labels", "explore", "person-open"),
        (s.below, "adjust", "none", "below-target"),
        (not s.labelled, "not-enough-labels", "explore", "no-labels"),
        (s.few_groups, "not-enough-labels", "explore", "few-groups"),
    ]
    for holds, verdict, use, because in rules:
        if holds:
            return Ruling(verdict, use, because)
    return Ruling("not-enough-labels", "explore", "target-open")


def labels_to_decide(
    figures: AgreementFigures, target: float, because: BecauseCode, *, settings: int = 1
) -> DecisiveLabels | None:
    """The labels with which an open verdict has an even chance to be decided.

    Args:
        figures: The figures from the labels so far.
        target: The target agreement, 0 to 1.
        because: The code of the rule behind the verdict.
        settings: How many settings were tried on these labels.

    Returns:
        None where the verdict isn't open, or labels alone are unlikely to decide it.
    """
    share = figures.agreement
    gain = figures.gain
    confidence = side_confidence(settings)
    states = states_of(figures, target, settings=settings)

    def for_mean(mean: GroupedMean, bound: float) -> DecisiveLabels | None:
        return labels_for_decision(lambda more: chance_to_place_mean(mean, bound, more, confidence=confidence))

    wanted: list[DecisiveLabels | None] = []
    if because == "target-open":
        wanted.append(labels_for_target(share, target, settings=settings))
        if share.value > target and not states.beats:
            wanted.append(for_mean(gain, 0.0))
    elif because == "constant-open":
        wanted.append(for_mean(gain, 0.0) if gain.value > 0 else None)
    elif because == "person-open":
        person = figures.judge_minus_person
        if not states.asgood:
            wanted.append(for_mean(person, -PERSON_MARGIN if person.value > -PERSON_MARGIN else 0.0))
        if not states.beats:
            wanted.append(for_mean(gain, 0.0))
    return most_demanding(wanted)


def labels_for_limits(limits: Iterable[Limit]) -> DecisiveLabels | None:
    """The labels with which each open limit has an even chance to be shown kept or broken.

    Args:
        limits: Those that are set; one that is decided needs none.

    Returns:
        None where labels like these are unlikely to decide one: too few of them fail, or the rate is at the limit.
    """

    def for_limit(limit: Limit) -> DecisiveLabels | None:
        decisions = limit.decisions
        if not decisions.of:
            return None
        counted = decisions.of / decisions.examples
        return labels_for_decision(
            lambda more: chance_to_place_share(
                decisions.among, limit.limit, more, confidence=limit.confidence, counted=counted
            )
        )

    return most_demanding(for_limit(limit) for limit in limits if limit.state == "open")


def labels_for_target(share: GroupedShare, target: float, *, settings: int = 1) -> DecisiveLabels | None:
    """The labels with which agreement has an even chance to be shown above or below the target.

    Args:
        share: Agreement on the labels so far.
        target: The target agreement, 0 to 1.
        settings: How many settings were tried on these labels.
    """
    confidence = side_confidence(settings)
    return labels_for_decision(lambda more: chance_to_place_share(share, target, more, confidence=confidence))


def _above(bound: float | None, than: float) -> bool:
    return bound is not None and bound > than


def _below(bound: float | None, than: float) -> bool:
    return bound is not None and bound < than
