"""Blocks on a judge's decisions: their agreement with people as bars, the use of its scores, and its false passes."""

import math
from collections.abc import Iterator

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.limits import GateSide
from markscheme.calibration.comparison.measure import OF_SCORE
from markscheme.calibration.comparison.verdict import Decision, GateAnswer
from markscheme.calibration.labellers import labeller_of
from markscheme.calibration.reasons import between_levels_in_words, digits_of
from markscheme.phrases import percent
from markscheme.ratings.kinds import PEOPLE
from markscheme.ratings.rating import Rated, Rating
from markscheme.report import document as doc
from markscheme.report.document import share_mark
from markscheme.report.figures import cut_short
from markscheme.rubrics.rubric import DEFAULT_PASS_MARK, Criterion

FIRST_SHOWN = 2
"""Largest number of responses whose texts are shown; more would push what to fix off the screen."""
BEGINNING = 90
"""Number of characters that are shown of a response, enough to see what was passed."""
LONGEST_WHY = 90
"""Largest number of characters of a reason or a note."""


# --- the picture ------------------------------------------------------------------------------------------------------


def decision_bars(calibration: Calibration, answer: GateAnswer, about: str) -> doc.Bars:
    """Draw bars of how often a judge's decisions agree with people's, overall and on fails and passes, with the target.

    Args:
        calibration: The calibration of the judge.
        answer: The ruling on the judge's decisions.
        about: Sentences that explain annotators' figures and the shares; "" for none.
    """
    rows = [
        ("decisions", share_mark(answer.same, digits=digits_of(answer.same, answer.target), least=answer.target)),
        *((side.name, _side_mark(side)) for side in answer.sides),
    ]
    people = answer.people.people
    if people.n:
        rows.append(("annotators", share_mark(people.estimate(level=2 * answer.stops.confidence - 1), "annotators")))
    rows.append(("least", _least(answer)))
    comparison = calibration.comparison
    about += " The target is the default." if calibration.target_is_default else ""
    interval = "95% CI" if comparison.settings == 1 else "CI"
    return doc.Bars(tuple(rows), _what_is_drawn(comparison, answer, about), interval)


def _side_mark(side: GateSide) -> doc.Mark:
    estimate = side.estimate
    if estimate.value is None:
        return doc.Mark("none labelled", least=side.least)
    return share_mark(estimate, digits=digits_of(estimate, side.least), least=side.least)


def _least(answer: GateAnswer) -> doc.Mark:
    """Mark on the bars which share a gate has to reach: over all responses, on people's fails, and on their passes."""
    stops, keeps = (percent(side.least, digits_of(side.estimate, side.least)) for side in answer.sides)
    in_all = f"{percent(answer.target, digits_of(answer.same, answer.target))} in all"
    sides = f"{stops} a side" if answer.stops.least == answer.keeps.least else f"stops {stops}, keeps {keeps}"
    leasts = sorted({answer.stops.least, answer.keeps.least, answer.target})
    return doc.Mark(f"{sides}, {in_all}", leasts[0], role="target", also=tuple(leasts[1:]))


def _what_is_drawn(comparison: Comparison, answer: GateAnswer, about: str) -> str:
    """Explain what each bar of the judge's decisions is a share of.

    Args:
        comparison: The comparison.
        answer: The answer on the gate.
        about: Sentences to add at the end; "" for none.
    """
    who = labeller_of(comparison)
    all_hold = (
        ""
        if comparison.settings == 1
        else f" CI: 95% for the {comparison.settings} settings tried on these labels together."
    )
    between = " Annotators: two with each other, averaged over examples." if comparison.has_uneven_annotators else ""
    sides = f"Stops: of what {who.fail()}, what it fails; keeps: of what {who.again.passing()}, what it passes."
    mark = comparison.rubric.pass_mark
    is_default = " (default)" if mark == DEFAULT_PASS_MARK else ""
    of_mark = f" Pass mark {mark:g}{is_default}." if comparison.rubric.table_of is None else ""
    if comparison.measure.of == OF_SCORE:
        of_mark += f" Scores agree where they are less than {comparison.tolerance:g} from gold."
    return f"{sides}{of_mark}{all_hold}{between if answer.people.people.n else ''}{about}"


# --- its scores -------------------------------------------------------------------------------------------------------


def scores_line(comparison: Comparison, decision: Decision) -> doc.Paragraph:
    """State whether a judge's scores may be used for trends, and how often they agree with gold.

    If a feature judges trends by another measure than scores, the paragraph has that feature's sentences instead.
    Otherwise the paragraph is empty if it isn't known which responses pass, or if agreement has no value.
    """
    agreement = comparison.agreement
    baseline = comparison.agreement_constant.value
    if comparison.trend is not None:
        return doc.Paragraph(tuple(comparison.trend.sentences(decision, _good_for_trends(decision))))
    if decision.gate_answer is None or agreement.value is None or baseline is None:
        return doc.Paragraph(())
    is_score = comparison.measure.of == OF_SCORE
    words = "Scores agree on" if is_score else "Its answers agree on"
    if decision.excepted:
        words = f"On all examples {words[:1].lower()}{words[1:]}"
    digits = digits_of(agreement, decision.target)
    figures = f"{words} {agreement.as_share(digits)}, baseline {percent(baseline)}"
    good_for = _good_for_trends(decision)
    between = "" if decision.may_trend else between_levels_in_words(comparison, decision.target)
    return doc.Paragraph((f"{figures}{f': {good_for}' if good_for else ''}. {between}".rstrip(),))


def _good_for_trends(decision: Decision) -> str:
    """Return words on whether the judge's scores may show trends; "" without people's labels, or after drift."""
    if decision.may_trend:
        return "good for trends elsewhere" if decision.excepted else "good for trends"
    if not decision.circumstances.by_people or decision.circumstances.drifted:
        return ""
    match decision.trend.because[0]:
        case "below-target":
            return "not good enough for trends"
        case "below-constant":
            return "worse than the baseline, so not for trends"
        case "no-skill":
            return "no use for trends"
        case "side":
            return "wrong too often in one way for trends"
        case "stuck":
            return "stuck on one level, so not for trends yet"
        case "constant-open":
            return "not shown to beat the baseline, so not for trends yet"
    return "not shown to be good for trends"


# --- what it wrongly passes -------------------------------------------------------------------------------------------


def first_false_passes(comparison: Comparison) -> doc.Items:
    """List a few false passes: for each, the response's beginning, why people fail it, and why the judge passes it."""
    if not comparison.rubric.decides or comparison.rubric.is_of_pairs:
        return doc.Items((), are_examples=True)
    unread = comparison.gold.held_out_ids
    false_passes = comparison.false_passes if comparison.rubric.has_gate_question else ()
    wrong = [unit for unit in false_passes if unit not in unread]
    shown = (_with_text(comparison, unit) for unit in wrong[:FIRST_SHOWN])
    return doc.Items(tuple(lines for lines in shown if len(lines) > 1 or len(lines[0]) > 2), are_examples=True)


def _with_text(comparison: Comparison, unit: str) -> tuple[tuple[doc.Piece, ...], ...]:
    index = comparison.ids.index(unit)
    example = comparison.gold.examples[index]
    text = cut_short(example.submission.response, BEGINNING)
    words = ("False pass ", doc.Ids((unit,)))
    head: tuple[doc.Piece, ...] = (*words, ": ", doc.Name(f"“{text}”")) if text.strip() else words
    why = tuple(_levels_and_reasons(comparison, index))
    return (head, why) if why else (head,)


def _levels_and_reasons(comparison: Comparison, index: int) -> Iterator[doc.Piece]:
    """Yield people's level and reason, then the judge's, on the criterion that causes a false pass.

    Args:
        comparison: The comparison.
        index: Index of the response among the examples.
    """
    if comparison.rubric.table_of is not None:
        return
    criterion = _criterion_that_passes(comparison, index)
    if criterion is None:
        return
    compared = comparison.criteria[criterion.name]
    level = criterion.scale.level_name
    who = "People" if comparison.gold.has_people else "Labels"
    yield from (f"{who} on ", doc.Name(criterion.name), ": ", doc.Name(level(float(compared.gold[index]))))
    yield from _quoted(_remark(comparison, index, criterion))
    yield from (". Judge: ", doc.Name(level(float(compared.judge[index]))))
    yield from _quoted(_rated(comparison.judge.rating(index), criterion).reason)


def _quoted(text: str) -> Iterator[doc.Piece]:
    if text.strip():
        yield from (", ", doc.Name(f"“{cut_short(text, LONGEST_WHY)}”"))


def _rated(rating: Rating | None, criterion: Criterion) -> Rated:
    return (rating.criteria.get(criterion.name) if rating is not None else None) or Rated(None)


def _remark(comparison: Comparison, index: int, criterion: Criterion) -> str:
    """Return the first reason or note in a response's labels; those of people come first.

    Args:
        comparison: The comparison of judge and gold.
        index: Index of the example.
        criterion: The criterion.
    """
    gold = comparison.gold
    labels = (label for label in gold.examples[index].labels if label.kind in PEOPLE or not gold.has_people)
    remarks = (_rated(label, criterion).reason or label.note for label in labels)
    return next(filter(None, remarks), "")


def _criterion_that_passes(comparison: Comparison, index: int) -> Criterion | None:
    """Return the criterion that causes a false pass; None if judge and gold differ on no criterion.

    It is a criterion on which gold's level instead of the judge's makes the example fail. If there is none, it is the
    criterion on which gold's level changes the score most.
    """
    repairs = comparison.repairs
    unit = comparison.ids[index]
    above: dict[str, tuple[bool, float]] = {}
    for name, compared in comparison.criteria.items():
        gold = float(compared.gold[index])
        judge = float(compared.judge[index])
        if math.isnan(gold) or math.isnan(judge) or gold == judge:
            continue
        repair = None if repairs is None else repairs.by_criterion.get(name)
        moves = abs(compared.criterion.weight) * abs(judge - gold) / compared.criterion.scale.span
        above[name] = (repair is not None and unit in repair.false_passes, moves)
    return comparison.criteria[max(above, key=above.__getitem__)].criterion if above else None
