"""Rules on what a judge may decide: two rulings and a verdict from figures, and the labels an open verdict needs.

All policy is here. Two questions are asked of a judge: may it pass or fail responses without review (`gate`), and may
its scores be averaged and compared (`trend`)? Each has a ruling of its own, and the table of verdicts reads both. The
module `decision` applies the policy to a comparison, and the module `reasons` says why in sentences.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from markscheme.calibration.comparison.limits import GateSide
from markscheme.grading.receipt import Use
from markscheme.stats.agreement_figures import AgreementFigures
from markscheme.stats.decision_figures import DecisionFigures
from markscheme.stats.decision_labels import labels_for_sides
from markscheme.stats.decisive_labels import (
    chance_to_place_mean,
    chance_to_place_share,
    labels_for_decision,
    most_demanding,
)
from markscheme.stats.labels_needed import DecisiveLabels
from markscheme.stats.shares import GroupedMean, GroupedShare

VerdictName: TypeAlias = Literal["ok", "adjust", "labels-disagree", "not-enough-labels"]
UseQuestion: TypeAlias = Literal["gate", "trend"]
RulingState: TypeAlias = Literal["shown", "refused", "open"]
BecauseCode: TypeAlias = Literal[
    "target",
    "drift",
    "people-split",
    "one-annotator",
    "not-blind",
    "picked",
    "old-words",
    "weak-part",
    "side",
    "side-open",
    "groups",
    "no-skill",
    "stuck",
    "below-target",
    "below-constant",
    "below-person",
    "as-person",
    "no-signal",
    "target-open",
    "constant-open",
    "person-open",
    "few-groups",
    "no-labels",
]
AGAINST: Final = frozenset({"side", "below-target", "below-constant", "no-skill"})
"""Codes of reasons that refuse a judge's use as a gate or for trends: one of them is enough."""
_SHOWN: Final[BecauseCode] = "target"
"""Code of the reason that the judge is shown to reach the target."""
IN_FAVOUR: Final = frozenset({_SHOWN})
"""Codes of reasons that allow a judge's use, if there are no other reasons."""

LEVEL = 0.95
"""Confidence level of the interval that decides a verdict, and that reports draw and print. With a look every 10 or 20
labels up to 300, a judge exactly at the target comes out above it in about 1 of 10 sequences; with a one-sided 90 %
limit it would in 3 of 10."""
PERSON_MARGIN = 0.10
"""Largest difference by which a judge may agree less often than an annotator and still count as equally good."""
ENOUGH_SHARED = 30
"""Fewest examples that two annotators and the judge must share for annotators' figures to count."""


PEOPLE_GAVE: Final = ("adjudicated", "people", "one-person")
"""Kinds of reference, the labels that a judge is compared with, that people gave."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The answer to one question about a judge (may it gate, may it show trends), which follows from reasons.

    The answer is `state`: shown, refused or open.

    Attributes:
        question: "gate" (may the judge pass or fail responses without review) or "trend" (may its scores be averaged).
        codes: Codes of the reasons, each once, the most important first; at least one.

    Raises:
        ValueError: There is no code, which is the caller's mistake.

    Example:
        >>> Ruling("gate", ("side", "target-open")).state
        'refused'
    """

    question: UseQuestion
    codes: tuple[BecauseCode, ...]

    def __post_init__(self) -> None:
        if not self.codes:
            raise ValueError("a ruling has a reason")

    @property
    def state(self) -> RulingState:
        """State: "refused" if any reason's code is against the judge, "shown" if all are in its favour, else "open"."""
        if AGAINST.intersection(self.codes):
            return "refused"
        return "shown" if IN_FAVOUR.issuperset(self.codes) else "open"

    @property
    def because(self) -> tuple[BecauseCode, ...]:
        """The codes that explain the state: only those against the judge if there are any, else all."""
        against = tuple(code for code in self.codes if code in AGAINST)
        return against or self.codes

    def to_json(self) -> dict[str, str]:
        """Return a dict with the state and the codes that explain it, for JSON."""
        return {"state": self.state, "because": ", ".join(self.because)}


class VerdictStates(NamedTuple):
    """Flags of how agreement compares, by its interval, with the target, the best constant answer and annotators.

    Attributes:
        above: Agreement is above the target.
        below: Agreement is below the target.
        beats: Agreement is above the best constant's.
        loses: Agreement is below the best constant's.
        low: Annotators agree with each other on less than the target.
        asgood: The judge agrees with annotators at most 10 points less often than an annotator does.
        worse: The judge agrees less often than an annotator does, and isn't shown to be at most 10 points below.
        nosignal: Annotators agree with each other less than with one constant score.
        few_groups: There are too few groups of examples for any bound.
        labelled: At least one example was compared.
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


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Facts that a verdict depends on besides the rulings on gate and trend, such as who labelled the examples.

    Attributes:
        states: How the agreement of scores compares with the target, the best constant answer and annotators.
        ok: The use that the verdict "ok" allows a judge of a rubric without pass/fail decisions: the best that the
            labels allow. It isn't read for other rubrics, whose verdict follows from the answer on the gate.
        by_people: True if people gave the labels.
        against_gate: Codes of reasons that forbid a gate whatever the figures: one annotator, labels that aren't blind,
            examples picked by hand, …
        drifted: True if a drift alarm counts against the judge; it doesn't if its cause is the author's own edit and
            agreement is no worse.
        no_skill: True if a finding says that the judge has no skill.
        is_stuck: True if a finding says that the judge gives one level nearly always.
        people_split: True if annotators are shown to decide differently from each other too often, and the judge isn't
            shown to decide worse than an annotator.
    """

    states: VerdictStates
    ok: Use = "gate"
    by_people: bool = True
    against_gate: tuple[BecauseCode, ...] = ()
    drifted: bool = False
    no_skill: bool = False
    is_stuck: bool = False
    people_split: bool = False

    @property
    def has_no_merit(self) -> bool:
        """True if agreement is worth nothing, since the judge has no skill or is stuck on one level."""
        return self.no_skill or self.is_stuck

    @property
    def as_person(self) -> bool:
        """True if the judge's scores are as good as an annotator's, but annotators agree with each other too rarely."""
        s = self.states
        return s.low and s.asgood and s.beats and not self.has_no_merit


VerdictRow: TypeAlias = tuple[VerdictName, Use, BecauseCode]
"""A row of the table of verdicts: the verdict on agreement with the labels, the use that it allows, and the code of the
rule that applies."""


def interval_level(settings: int = 1) -> float:
    """Return the confidence level of the intervals behind a verdict, raised if several settings were tried.

    At this level, the intervals of all settings contain the true values together in 95% of cases or more.

    Args:
        settings: Number of settings that were tried, this one included.

    Source:
        Dunn (1961), Journal of the American Statistical Association 56(293), 52-64.
        doi:10.1080/01621459.1961.10482090

    Example:
        >>> interval_level(), interval_level(5)
        (0.95, 0.99)
    """
    return 1 - (1 - LEVEL) / settings


def side_confidence(settings: int = 1) -> float:
    """Return the one-sided confidence of the limits behind a verdict, raised if several settings were tried.

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
    """Compare agreement, by its interval, with the target, the best constant answer and annotators.

    Args:
        agreement: Share of examples on which the judge agrees with gold.
        gain: Share of examples on which the judge agrees, minus that of the best constant.
        target: The target agreement, 0 to 1.
        settings: Number of settings tried on these labels, this one included; more settings widen every interval.
        people: Share of pairs of annotators who agree. Without it, or with fewer than 30 examples, the judge isn't
            compared with annotators.
        judge_minus_person: Agreement of the judge with annotators, minus that of an annotator with the other
            annotators.
        person_minus_constant: Agreement of annotators with each other, minus that of the best constant.

    Returns:
        The result of each comparison; a comparison whose figures have no bound counts as not shown.

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


def states_of(figures: AgreementFigures, target: float, *, settings: int = 1) -> VerdictStates:
    """Compare a judge's agreement figures with the target, the best constant answer and annotators, by intervals.

    Args:
        figures: The figures.
        target: The target agreement, 0 to 1.
        settings: Number of settings tried on these labels, this one included; intervals widen with it.
    """
    return verdict_states(
        figures.agreement,
        figures.gain,
        target,
        settings=settings,
        people=figures.people,
        judge_minus_person=figures.judge_minus_person,
        person_minus_constant=figures.person_minus_constant,
    )


def use_of_ok(reference: str, *, blind: bool = True, by_hand: float = 0.0) -> Use:
    """Return the use that the labels allow a judge with verdict "ok", such as "gate".

    It depends on who labelled the examples and how these were chosen.

    Args:
        reference: The kind of gold labels: "adjudicated", "people" (two or more), "one-person", "constructed" or
            "model".
        blind: True if annotators labelled without seeing the judge's verdict.
        by_hand: Share of the examples that were picked by hand, 0 to 1; these say nothing about other outputs.

    Example:
        >>> use_of_ok("people"), use_of_ok("people", blind=False), use_of_ok("one-person"), use_of_ok("constructed")
        ('gate', 'trend', 'trend', 'explore')
        >>> use_of_ok("people", by_hand=0.1), use_of_ok("people", by_hand=1.0)
        ('trend', 'explore')
    """
    if reference not in PEOPLE_GAVE or by_hand == 1:
        return "explore"
    return "trend" if against_gate(reference, blind=blind, by_hand=by_hand) else "gate"


def against_gate(reference: str, *, blind: bool = True, by_hand: float = 0.0) -> tuple[BecauseCode, ...]:
    """Return codes of the reasons why labels can't show that a judge may decide without review.

    Args:
        reference: The kind of gold labels: "adjudicated", "people" (two or more), "one-person", "constructed" or
            "model".
        blind: True if annotators labelled without seeing the judge's verdict.
        by_hand: Share of the examples that were picked by hand, 0 to 1.

    Example:
        >>> against_gate("people"), against_gate("one-person", blind=False)
        ((), ('one-annotator', 'not-blind'))
    """
    rules: list[tuple[bool, BecauseCode]] = [
        (reference == "one-person", "one-annotator"),
        (not blind, "not-blind"),
        (by_hand > 0, "picked"),
    ]
    return tuple(code for holds, code in rules if holds)


def trend_at_most(use: Use) -> Use:
    """Return a use unchanged, except that "trend" replaces "gate"."""
    return "trend" if use == "gate" else use


def gate_ruling(figures: DecisionFigures, sides: tuple[GateSide, GateSide], target: float, confidence: float) -> Ruling:
    """Decide whether a judge is shown to pass what people pass and to fail what people fail.

    Args:
        figures: The judge's decisions compared with people's.
        sides: The two sides: the shares of people's fails that the judge stops and of their passes that it keeps, each
            with the smallest share that is enough.
        target: The smallest share of the same decisions that is enough, 0 to 1.
        confidence: One-sided confidence of each bound, 0 to 1.
    """
    if not figures.same.n:
        return Ruling("gate", ("no-labels",))
    is_above = _above(figures.same.lower(confidence), target)
    is_below = _below(figures.same.upper(confidence), target)
    open_sides = [side for side in sides if side.state == "open"]
    same_has_groups = figures.same.support != "withheld"
    rules: list[tuple[bool, BecauseCode]] = [
        (any(side.state == "broken" for side in sides), "side"),
        (is_below, "below-target"),
        (any(not side.share.has_few_groups for side in open_sides), "side-open"),
        (any(side.share.has_few_groups for side in open_sides) or not same_has_groups, "groups"),
        (same_has_groups and not is_above and not is_below, "target-open"),
    ]
    return Ruling("gate", tuple(code for holds, code in rules if holds) or (_SHOWN,))


def trend_ruling(
    states: VerdictStates, *, no_skill: bool = False, is_stuck: bool = False, further: Sequence[BecauseCode] = ()
) -> Ruling:
    """Decide whether a judge's scores are shown to be good enough to be averaged.

    Args:
        states: How the agreement of these scores compares with the target, the best constant and annotators.
        no_skill: True if a finding says that the judge has no skill; then its scores may not be averaged.
        is_stuck: True if a finding says that the judge gives one level nearly always, which leaves the question open.
        further: Codes of further reasons why the scores may not be averaged, or why the question is open.

    Example:
        >>> trend_ruling(VerdictStates(above=True, below=False, beats=False, loses=False)).because
        ('constant-open',)
    """
    s = states
    if not s.labelled:
        return Ruling("trend", ("no-labels",))
    rules: list[tuple[bool, BecauseCode]] = [
        (no_skill, "no-skill"),
        (s.below, "below-target"),
        (s.loses, "below-constant"),
        (s.few_groups, "few-groups"),
        (not s.above and not s.below and not s.few_groups, "target-open"),
        (s.above and not s.beats and not s.loses, "constant-open"),
        (is_stuck, "stuck"),
    ]
    codes = tuple(dict.fromkeys((*further, *(code for holds, code in rules if holds))))
    return Ruling("trend", codes or (_SHOWN,))


def verdict_row(gate: Ruling | None, trend: Ruling, circumstances: Circumstances) -> VerdictRow:
    """Return verdict, use and reason: the first row of the table of verdicts that fits both rulings and circumstances.

    If the labels aren't people's, the use "explore" is returned in place of "gate" and "trend".

    Args:
        gate: The ruling on decisions; None if the rubric decides no pass or fail.
        trend: The ruling on scores.
        circumstances: Further facts that the verdict depends on, such as whether agreement is above the target.

    Example:
        >>> alone = Circumstances(VerdictStates(above=True, below=False, beats=True, loses=False))
        >>> verdict_row(Ruling("gate", ("target",)), Ruling("trend", ("target",)), alone)
        ('ok', 'gate', 'target')
    """
    verdict, use, because = next(_rows_that_fit(gate, trend, circumstances))
    is_look = not circumstances.by_people and use in ("gate", "trend")
    return verdict, "explore" if is_look else use, because


def _rows_that_fit(gate: Ruling | None, trend: Ruling, circumstances: Circumstances) -> Iterator[VerdictRow]:
    c = circumstances
    if c.drifted:
        yield "adjust", "none", "drift"
    if gate is None:
        yield from _rows_without_gate(trend, c)
        return
    has_trend = trend.state == "shown" or c.as_person
    averages: Use = "trend" if has_trend else "explore"
    if c.people_split:
        yield "labels-disagree", averages, "people-split"
    if gate.state == "shown" and not c.against_gate:
        yield "ok", "gate", "target"
    if gate.state == "shown":
        verdict: VerdictName = "ok" if trend.state == "shown" else "not-enough-labels"
        yield verdict, averages, c.against_gate[0]
    if gate.state == "refused" or c.has_no_merit:
        because: BecauseCode = gate.because[0] if gate.state == "refused" else "no-skill"
        otherwise: Use = "trend" if has_trend else "explore" if trend.state == "open" else "none"
        yield "adjust", otherwise, because
    yield "not-enough-labels", averages, gate.because[0]


def _rows_without_gate(trend: Ruling, circumstances: Circumstances) -> Iterator[VerdictRow]:
    """Yield the rows of the table of verdicts that fit a judge without pass/fail decisions; the first one counts.

    Args:
        trend: The ruling on scores.
        circumstances: Further facts that the verdict depends on.
    """
    s = circumstances.states
    if circumstances.has_no_merit:
        yield "adjust", "none", "no-skill"
    if trend.state == "shown":
        yield "ok", circumstances.ok, "target"
    rules: list[tuple[bool, VerdictName, Use, BecauseCode]] = [
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
        (True, "not-enough-labels", "explore", "target-open"),
    ]
    yield from ((verdict, use, because) for holds, verdict, use, because in rules if holds)


def labels_to_decide_gate(
    figures: DecisionFigures, sides: tuple[GateSide, GateSide], target: float, confidence: float
) -> DecisiveLabels | None:
    """Estimate how many labels give an even chance to decide whether the judge may decide without review.

    Args:
        figures: The judge's decisions compared with people's.
        sides: Both sides, each with the smallest share that is enough.
        target: The smallest share of the same decisions that is enough, 0 to 1.
        confidence: One-sided confidence of each bound, 0 to 1.

    Returns:
        The labels needed; None if labels alone are unlikely to decide the question, or if there are too few groups to
        show how errors within a group are correlated.
    """
    if figures.same.support == "withheld" or any(side.share.has_few_groups for side in sides):
        return None
    stops, keeps = sides
    return labels_for_sides(figures, target, stops=stops.least, keeps=keeps.least, confidence=confidence)


def labels_to_decide(
    figures: AgreementFigures, target: float, because: BecauseCode, *, settings: int = 1
) -> DecisiveLabels | None:
    """Estimate how many further labels give an open verdict an even chance to be decided.

    Args:
        figures: The figures from the labels so far.
        target: The target agreement, 0 to 1.
        because: The code of the rule behind the verdict.
        settings: Number of settings tried on these labels, this one included.

    Returns:
        The labels needed; None if the verdict isn't open, or if labels alone are unlikely to decide it.
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


def labels_for_target(share: GroupedShare, target: float, *, settings: int = 1) -> DecisiveLabels | None:
    """Estimate how many further labels have an even chance to show agreement above or below the target.

    None if labels alone are unlikely to show it.

    Args:
        share: Share of examples on which the judge agrees, on the labels so far.
        target: The target agreement, 0 to 1.
        settings: Number of settings tried on these labels, this one included.
    """
    confidence = side_confidence(settings)
    return labels_for_decision(lambda more: chance_to_place_share(share, target, more, confidence=confidence))


def _above(bound: float | None, than: float) -> bool:
    return bound is not None and bound > than


def _below(bound: float | None, than: float) -> bool:
    return bound is not None and bound < than
