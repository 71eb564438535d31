"""The verdict on a judge and what it can decide, from a comparison with labels."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.limits import ErrorLimits, GateSide
from markscheme.calibration.comparison.measure import OF_DECISION
from markscheme.calibration.comparison.policy import (
    ENOUGH_SHARED,
    BecauseCode,
    Circumstances,
    Ruling,
    VerdictName,
    VerdictStates,
    against_gate,
    gate_ruling,
    labels_to_decide,
    labels_to_decide_gate,
    side_confidence,
    states_of,
    trend_at_most,
    trend_ruling,
    use_of_ok,
    verdict_row,
)
from markscheme.calibration.comparison.verdict import Decision, GateAnswer
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import STUCK_JUDGE
from markscheme.calibration.findings.slices import Slice, known_of
from markscheme.calibration.reasons import exceptions, next_step_in_words, reason
from markscheme.errors import ComparisonError
from markscheme.grading.receipt import ExceptedPart
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import Gold, gold_of, no_gold
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.decisive_labels import first_labels
from markscheme.stats.intervals import Flags
from markscheme.stats.labels_needed import DecisiveLabels

PILOT = 20
"""Fewest labelled examples with the judge's ratings from which the number of further labels is estimated."""
MOST_EXCEPTED = 1 / 2
"""Largest share of the examples in excepted slices: beyond it, the rest isn't what the judge is used on."""
JUST_ABOVE = 2e-9
"""Amount added to a tolerance so that differences equal to it, after rounding to 9 decimals, count as agreement."""


def decide(
    comparison: Comparison,
    *,
    target: float | None = None,
    findings: Sequence[Finding] = (),
    drifted: str | None = None,
    most_wrong: ErrorLimits | None = None,
    slices: Sequence[Slice] = (),
) -> Decision:
    """Decide what a judge may be used for, by the confidence intervals of its agreement with labels.

    A judge may be worse on slices. Some are known before grading, such as one system's responses, so that people can
    decide these. If such slices have at most half of the examples, and the verdict on all other examples is ok, that
    verdict counts and the slices are excepted. Otherwise its scores may be averaged at most.

    Args:
        comparison: The judge compared with gold.
        target: Share of examples on which the judge must agree, 0 to 1; None means the rubric's.
        findings: The findings on the judge. A judge without skill, or one that always gives one level, isn't ok,
            however often it agrees.
        drifted: A sentence on what moved since the accepted runs, if the move counts against the judge; "" or None if
            no move does. A move doesn't count if the author's own edit is its cause and agreement is no worse.
        most_wrong: Limits on wrong decisions; None means the rubric's.
        slices: The judge's figures on slices of the examples; each slice says if the judge is worse on it.
    """
    whole = _decided(comparison, target, findings, drifted, most_wrong)
    broken = [weaker for weaker in slices if weaker.stands_out and weaker.part.is_known_before]
    if not broken or whole.because_code == "drift" or not whole.circumstances.by_people:
        return whole
    inside = np.logical_or.reduce([weaker.part.inside for weaker in broken])
    without_excepted = _decided(_without(comparison, inside), target, findings, drifted, most_wrong)
    if inside.sum() > MOST_EXCEPTED * len(inside) or without_excepted.verdict != "ok":
        return _forbidding_gate(whole, "weak-part")
    return replace(
        without_excepted,
        excepted={_excepted(comparison, weaker): weaker.agreement for weaker in broken},
        because=f"{exceptions(broken)} {without_excepted.because[:1].lower()}{without_excepted.because[1:]}",
        needs_adjustment=whole.needs_adjustment,
    )


def by_old_words(decision: Decision, sentence: str) -> Decision:
    """Return a decision that doesn't allow a gate, because too many labels were given before criteria were reworded.

    Args:
        decision: The outcome of the calibration by all labels.
        sentence: A sentence on the labels given before criteria were reworded.
    """
    return replace(_forbidding_gate(decision, "old-words"), because=f"{decision.because} {sentence}")


def _forbidding_gate(decision: Decision, code: BecauseCode) -> Decision:
    before = decision.circumstances
    after = replace(before, against_gate=(*before.against_gate, code), ok=trend_at_most(before.ok))
    return replace(decision, circumstances=after)


def _without(comparison: Comparison, inside: Flags) -> Comparison:
    return comparison.on(~inside) if inside.any() else comparison


def _excepted(comparison: Comparison, weaker: Slice) -> ExceptedPart:
    by = weaker.part.by
    names = {known_of(example, by) for example in comparison.gold.examples} - {"", weaker.part.name}
    return ExceptedPart(by, weaker.part.name, frozenset(names))


def _decided(
    comparison: Comparison,
    target: float | None,
    findings: Sequence[Finding],
    drifted: str | None,
    most_wrong: ErrorLimits | None,
) -> Decision:
    """Decide what a judge may be used for by all examples, including those of slices on which it is worse.

    Args:
        comparison: The comparison of judge and gold.
        target: Share of examples that must agree, 0 to 1; None for the rubric's.
        findings: The findings on the judge, one of which may show that its agreement is worth nothing.
        drifted: Sentence on how the judge drifted since the accepted run, if that speaks against it; else None.
        most_wrong: The user's limits on wrong decisions; None for the rubric's.
    """
    rubric = comparison.rubric
    wanted = rubric.target if target is None else target
    most = most_wrong or ErrorLimits(rubric.max_false_pass, rubric.max_false_fail)
    of_no_merit = {finding.code: finding.message for finding in findings if _has_no_merit(finding, rubric)}
    no_merit = next(iter(of_no_merit.values()), None)
    is_stuck = STUCK_JUDGE.code in of_no_merit
    gives_one_answer = len(np.unique(comparison.judge_values[np.isfinite(comparison.judge_values)])) == 1
    no_skill = bool(of_no_merit.keys() - {STUCK_JUDGE.code}) or (is_stuck and gives_one_answer)
    states = states_of(comparison.trend_figures, wanted, settings=comparison.settings)
    trend = _trend(comparison, states, no_skill=no_skill, is_stuck=is_stuck)
    asks_for_gate = rubric.has_gate_question and not isinstance(comparison.measure.of, Criterion)
    answer = _gate_answer(comparison, wanted, most) if asks_for_gate else None
    circumstances = replace(
        _circumstances(comparison, states, answer, drifted=bool(drifted), no_skill=no_skill), is_stuck=is_stuck
    )
    share = comparison.agreement.value
    has_ties = comparison.trend is None and comparison.ties.count > 0
    decision = Decision(
        gate_answer=answer,
        trend=trend,
        circumstances=circumstances,
        target=wanted,
        needs_adjustment=share is None or share < wanted,
        settings=comparison.settings,
        most_wrong=most,
        because="",  # the sentence is about the verdict, which the decision itself knows
    )
    decision = replace(
        decision,
        labels=_labels(comparison, decision) if _is_open(decision) else None,
        because={"drift": drifted, "no-skill": no_merit}.get(decision.because_code) or reason(comparison, decision),
        verdict_with_ties=_verdict_with_ties(comparison, decision) if has_ties else None,
    )
    return replace(decision, next_step=next_step_in_words(comparison, decision) if _is_open(decision) else None)


def _trend(comparison: Comparison, states: VerdictStates, *, no_skill: bool, is_stuck: bool) -> Ruling:
    """Decide if averages over time may be shown of the judge's scores, or of what the rubric's `trend_on` names.

    Args:
        comparison: The comparison of judge and gold.
        states: How agreement compares with target, baseline and annotators.
        no_skill: True if a finding says that the judge has no skill; its scores may then not be averaged.
        is_stuck: True if a finding says that the judge is stuck on one level; it then stays open whether its scores may
            be averaged.
    """
    if comparison.trend is None:
        return trend_ruling(states, no_skill=no_skill, is_stuck=is_stuck)
    return trend_ruling(states, further=comparison.trend.reason_codes(side_confidence(comparison.settings)))


def _has_no_merit(finding: Finding, rubric: Rubric) -> bool:
    """Return True if a finding shows that a judge's agreement is worth nothing, such as that the judge has no skill.

    That the judge is below the baseline counts only if the rubric doesn't say what passes: if fails are rare, always
    passing can agree more often than a judge that stops all fails.
    """
    return finding.kind.voids_agreement and not (rubric.has_gate_question and finding.kind.compares_baseline)


def _gate_answer(comparison: Comparison, target: float, most: ErrorLimits) -> GateAnswer:
    confidence = side_confidence(comparison.settings)
    figures = comparison.decision_figures
    stops = GateSide("stops", figures.stops, most.least("stops", target), confidence)
    keeps = GateSide("keeps", figures.keeps, most.least("keeps", target), confidence)
    ruled = gate_ruling(figures, (stops, keeps), target, confidence)
    return GateAnswer(
        ruling=ruled,
        figures=figures,
        stops=stops,
        keeps=keeps,
        target=target,
        people=comparison.by(OF_DECISION).figures,
        people_unsettled=_not_adjudicated(comparison).by(OF_DECISION).figures,
        even_splits=_split_decisions(comparison.gold),
    )


def _split_decisions(gold: Gold) -> int:
    """Count the examples that as many annotators pass as fail."""
    undecided = {gold.ids[index] for index in np.flatnonzero(np.isnan(gold.decisions)).tolist()}
    return len({unit for unit, _ in gold.even_splits} & undecided)


def _not_adjudicated(comparison: Comparison) -> Comparison:
    """Return the comparison on the examples that have no adjudicated label."""
    return _without(comparison, comparison.gold.labelled_by("adjudicated"))


def _circumstances(
    comparison: Comparison, states: VerdictStates, answer: GateAnswer | None, *, drifted: bool, no_skill: bool
) -> Circumstances:
    gold = comparison.gold
    n = max(1, gold.n)
    ok = use_of_ok(gold.reference, blind=not gold.not_blind, by_hand=gold.n_picked / n)
    picked = gold.n_picked if answer is None else _picked_against_gate(gold)
    return Circumstances(
        states=states,
        ok=trend_at_most(ok) if comparison.shows_trends_at_most else ok,
        by_people=gold.has_people,
        against_gate=against_gate(gold.reference, blind=not gold.not_blind, by_hand=picked / n),
        drifted=drifted,
        no_skill=no_skill,
        people_split=answer is not None and not no_skill and _people_split(answer, comparison.settings),
    )


def _picked_against_gate(gold: Gold) -> int:
    """Count the examples that were picked and not drawn, so that the judge can't be allowed to decide without review.

    If other examples were drawn, fails that were picked by hand aren't counted: they only show what the judge stops.
    """
    if not gold.stands_for_outputs:
        return gold.n_picked
    return int((gold.picked & ~(gold.picked_by_hand & (gold.decisions == 0))).sum())


def _people_split(answer: GateAnswer, settings: int) -> bool:
    """Return True if annotators are shown to disagree too often on decisions, but the judge isn't shown to do worse.

    Args:
        answer: The judge's decisions compared with people's.
        settings: Number of settings tried on these labels; with more settings, less is shown.
    """
    if answer.people_unsettled.people.n < ENOUGH_SHARED:
        return False
    shown = states_of(answer.people_unsettled, answer.target, settings=settings)
    return shown.low and not shown.worse


def _verdict_with_ties(comparison: Comparison, decision: Decision) -> VerdictName:
    """Return the verdict that would result if scores that differ from gold by exactly the tolerance agreed with it."""
    at_tolerance = replace(comparison.measure, tolerance=comparison.tolerance + JUST_ABOVE)
    figures = replace(comparison, measure=at_tolerance).figures
    states = states_of(figures, decision.target, settings=comparison.settings)
    before = decision.circumstances
    trend = trend_ruling(states, no_skill=before.no_skill, is_stuck=before.is_stuck)
    verdict, _, _ = verdict_row(decision.gate, trend, replace(before, states=states))
    return verdict


def labels_to_begin(gold: Gold, target: float, *, settings: int = 1) -> DecisiveLabels | None:
    """Estimate how many labels to add for a first verdict, before a judge has rated anything; None if no number does.

    It is assumed that the judge's agreement is halfway between the target and 100 %, and that results on examples of
    one group are slightly correlated.

    Args:
        gold: The labels so far; examples picked by hand or without a label on some criterion don't count.
        target: Share of examples on which the judge must agree, 0 to 1.
        settings: Number of settings tried on these labels, this one included.

    Returns:
        The additional labels needed, 0 if there are enough; None for a target so high that no number would do.
    """
    sizes = np.array(gold.group_sizes, dtype=np.float64)
    mean_size = float((sizes**2).sum() / sizes.sum()) if len(sizes) else 1.0
    first = first_labels(target, confidence=side_confidence(settings), mean_size=mean_size)
    have = gold.n_answered if gold.has_people else 0
    return None if first is None else first._replace(more=max(0, first.more - have))


def first_labels_of(examples: ExampleSet, rubric: Rubric) -> tuple[DecisiveLabels | None, bool]:
    """Return how many labels to add for a first verdict, and True if people have labelled examples already.

    Args:
        examples: The rubric's examples with all labels so far.
        rubric: The rubric.

    Returns:
        The number of labels to add, None if no number is likely to be enough; and True if people labelled any example.
    """
    try:
        gold = gold_of(examples, rubric)
    except ComparisonError:
        gold = no_gold(rubric)
    return labels_to_begin(gold, rubric.target), gold.has_people


def _is_open(decision: Decision) -> bool:
    """Return True if more labels could change what the judge can decide."""
    if decision.verdict == "ok":
        return decision.use == "explore"
    return decision.verdict == "not-enough-labels"


def _labels(comparison: Comparison, decision: Decision) -> DecisiveLabels | None:
    """Return how many further labels an open verdict needs; None if none are needed, or if no number would be enough.

    Labels so far that are too few, not people's, or all of picked examples can't show this number; then the number of
    labels for a first verdict is returned.
    """
    answer = decision.gate_answer
    is_gate_open = answer is not None and answer.ruling.state == "open"
    if answer is not None and not is_gate_open and decision.circumstances.by_people:
        return None
    if answer is None and comparison.is_capped(decision.target):
        return None
    figures = comparison.figures
    none_vary = answer is None and decision.because_code == "constant-open" and figures.gain.value <= 0
    is_hopeless = decision.because_code in ("few-groups", "groups") or none_vary
    n = figures.agreement.n if answer is None else answer.figures.same.n
    if not (comparison.gold.stands_for_outputs and (n >= PILOT or is_hopeless)):
        return labels_to_begin(comparison.gold, decision.target, settings=comparison.settings)
    if answer is not None:
        confidence = side_confidence(comparison.settings)
        return labels_to_decide_gate(answer.figures, answer.sides, decision.target, confidence)
    return labels_to_decide(figures, decision.target, decision.because_code, settings=comparison.settings)
