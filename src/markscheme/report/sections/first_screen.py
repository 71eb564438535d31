"""First screen of a calibration: what the judge can be used for, agreement, wrong decisions, and caveats."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

import numpy as np

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.categories import has_score_of_rest
from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.measure import OF_DECISION, OF_SCORE, Measure
from markscheme.calibration.findings.commands import ANNOTATOR
from markscheme.calibration.open_disputes import are_disputes_decided
from markscheme.calibration.reasons import digits_of, is_undecidable, offer_in_words
from markscheme.judges.family import kinship
from markscheme.phrases import brief, commonest, counted, few_of, in_words, number, percent
from markscheme.ratings.example_rows import values_of
from markscheme.ratings.gold import SPLIT_DECISION
from markscheme.report import document as doc
from markscheme.report.document import share_mark
from markscheme.report.figures import NONE, cut_short, share, share_with_ci, share_with_interval
from markscheme.report.sections.decisions import decision_bars
from markscheme.report.sections.examples import is_one_decision
from markscheme.report.sections.labels import LABELS_IN_WORDS
from markscheme.report.sections.run import how_picked
from markscheme.report.sections.table import CAVEATS, MOVED_CALLOUTS
from markscheme.rubrics.rubric import Rubric
from markscheme.stats import Estimate
from markscheme.stats.decision_figures import SideShare

_CANT_TELL = "Can't tell whether it can gate."
_NOT_BETTER = "Can't gate: not shown to beat the baseline."
_NOT_YOUR_OUTPUTS = "That is agreement on the labelled examples, not on your outputs."
_TRENDS = "Use for trends, not for single decisions."
_TRENDS_FOR_NOW = "Use for trends. Can't tell yet whether it can gate."
_NO_GATE = "Don't let it decide yet."
_BY_LABELS = "Can't gate by these labels."
_TREND = "A trend is an average over many examples."
_TRENDS_BY_SPLIT_LABELS = "Use for trends. These labels don't show whether it can gate."
_EXPLORE = "For now, explore only: read its scores, but don't base decisions on them."
_EXPLORE_ANSWERS = "For now, explore only: read its answers, but don't base decisions on them."
_UNUSABLE = "Don't use it for trends (averages) either."
_ADJUDICATE_FIRST = "First adjudicate the examples on which annotators differ, then sharpen the rubric's wording"
_REWORD_FIRST = "First sharpen the rubric's wording: annotators read it differently."
_AGREE_FIRST = "First have annotators agree on the examples on which they differ."
_OUT_OF_POOL = "Draw them from a file of your outputs:"
_REST_FIRST = "Begin with the examples that people haven't labelled:"
_UNREAD = (
    "The model answered, but not in the form it was asked for, so labels and API key aren't the cause. Don't use this "
    "judge: until its answers can be read, how good it is isn't known."
)
_HELD_OUT = "a reason that isn't shown, since the example is held out"
_FAILED = "The judge failed; labels and rubric are fine. Don't use it: how good it is isn't known."


# --- what it can be used for ----------------------------------------------------------------------------------------


def callout(calibration: Calibration) -> doc.Callout:
    """Build the box at the top of a calibration's report: what the judge can be used for, why, and what to run next."""
    decision = calibration.decision
    decides = "gates" if decision.use == "gate" else "is used for trends"
    moved = _change_callout(calibration, decides)
    if not calibration.counts.graded:
        return doc.Callout("bad", "Nothing could be graded.", _why_nothing(calibration))
    if decision.because_code == "drift" and moved is not None:
        return moved
    of_use = _by_use(calibration)
    counts = calibration.counts
    if counts.too_few_graded and decision.is_usable:
        graded = f"But only {counts.graded} of {counted(counts.examples, 'example')} are graded"
        of_use = replace(of_use, tone="note", text=f"{of_use.text} {graded}: for the others nothing is shown.")
    if moved is None or moved.tone != "note":
        return of_use
    if not decision.is_usable:
        return replace(of_use, text=f"{of_use.text} {moved.head} {moved.text}")
    overall = f"By the labels for the old wording, {decision.because[0].lower()}{decision.because[1:]}"
    command = calibration.commands.label(ANNOTATOR)
    then = f"Only new labels show whether that holds under the new wording{':' if command else '.'}"
    return replace(moved, text=f"{moved.text} {overall} {then}", command=command)


def _change_callout(calibration: Calibration, decides: str) -> doc.Callout | None:
    """Build the box on the largest change since the accepted runs; None without accepted runs or changes.

    Args:
        calibration: The calibration.
        decides: Verb for what the judge may do once this run is accepted, such as "gates".
    """
    if calibration.baseline is None:
        return None
    return next(filter(None, (say(calibration, decides) for say in MOVED_CALLOUTS)), None)


def offer(calibration: Calibration) -> doc.Paragraph:
    """Offer to certify a judge that could decide some responses by itself; empty if it couldn't."""
    might = calibration.measured("may_decide")
    command = calibration.commands.certify()
    if might is None or not command:
        return doc.Paragraph(())
    estimate = (
        f"It may still decide what it is sure of: about {percent(might)} of responses, people the rest. That is an "
        "estimate by these labels; this makes it a promise: "
    )
    return doc.Paragraph(((estimate, doc.Command(command)),))


def _by_use(calibration: Calibration) -> doc.Callout:
    decision = calibration.decision
    because = calibration.decision.because
    reference = calibration.comparison.gold.reference
    but = f", except {in_words([subset.called for subset in decision.excepted])}" if decision.excepted else ""
    limit = offer_in_words(calibration.comparison, decision)
    because = f"{because} {limit}" if limit and not decision.next_step else because
    of_decisions = decision.gate is not None
    has_scores = calibration.rubric.has_gate_question or not calibration.rubric.categories
    explore = _EXPLORE if has_scores and calibration.comparison.measure.of != OF_DECISION else _EXPLORE_ANSWERS
    match decision.verdict, decision.use:
        case "ok", "gate":
            return doc.Callout("good", f"Can gate{but}.", f"{because}{_how_drawn(calibration)}")
        case "ok", "trend":
            why = _why_no_gate(calibration)
            if of_decisions:
                head = f"Use for trends{but}: {why[:1].lower()}{why[1:]}"
                return doc.Callout("trend", head, f"{because}{_how_drawn(calibration)}")
            head = f"Use for trends{but}, not for single decisions." if but else _TRENDS
            text = " ".join(filter(None, (why, because, _TREND)))
            return doc.Callout("trend", head, f"{text}{_how_drawn(calibration)}")
        case "not-enough-labels", "trend":
            text = "" if is_undecidable(decision) else because
            return _with_plan(doc.Callout("trend", _TRENDS_FOR_NOW, text), calibration)
        case "adjust", "trend":
            subject = "its scores" if calibration.comparison.measure.of == OF_SCORE else "it"
            return doc.Callout("bad", f"{_NO_GATE} Use {subject} for trends.", because)
        case "adjust", "explore":
            return doc.Callout("bad", _NO_GATE, f"{because} {explore}")
        case "labels-disagree", "trend":
            if of_decisions:
                return doc.Callout("trend", _TRENDS_BY_SPLIT_LABELS, because)
            return doc.Callout("trend", _TRENDS, f"{because} {_TREND}")
        case "adjust", _:
            return doc.Callout("bad", "Don't use this judge yet.", f"{because} {_UNUSABLE}")
    if not calibration.comparison.gold.has_people:
        kind = "synthetic labels only" if reference == "constructed" else "labels by a model only"
        agreement = share(calibration.comparison.agreement.value)
        text = f"Agreement {agreement} shows that the pipeline works, not that people would agree. {explore}"
        return _with_plan(doc.Callout("open", f"Can't tell {_question(calibration)}: {kind}.", text), calibration)
    if not calibration.comparison.gold.stands_for_outputs:
        head = f"Can't tell {_question(calibration)}: all examples were {how_picked(calibration.comparison.gold)}."
        return _with_plan(doc.Callout("open", head, f"{because} {_NOT_YOUR_OUTPUTS} {explore}"), calibration)
    if decision.verdict == "labels-disagree":
        head = f"These labels don't show {_question(calibration)}."
        command = calibration.commands.adjudicate()
        if calibration.rubric.table_of is not None:
            return doc.Callout("open", head, f"{because} {explore} {_AGREE_FIRST}")
        if are_disputes_decided(calibration.comparison, calibration.comparison.criteria):
            return doc.Callout("open", head, f"{because} {explore} {_REWORD_FIRST}")
        return doc.Callout("open", head, f"{because} {explore} {_ADJUDICATE_FIRST}{':' if command else '.'}", command)
    if decision.because_code in decision.circumstances.against_gate:
        return doc.Callout("open", _BY_LABELS, f"{because} {explore}")
    if is_undecidable(decision):
        undecided = _with_plan(doc.Callout("open", _CANT_TELL), calibration)
        return replace(undecided, text=f"{undecided.text} {explore}")
    return _with_plan(doc.Callout("open", _of_too_few(calibration), f"{because} {explore}"), calibration)


def _question(calibration: Calibration) -> str:
    """Return what more labels would show: "whether it can gate", or "how good it is" if at best it can show trends."""
    return "how good it is" if calibration.comparison.shows_trends_at_most else "whether it can gate"


def _of_too_few(calibration: Calibration) -> str:
    """Return the heading of the box at the top if the labels don't show yet what the judge may be used for."""
    decision = calibration.decision
    if decision.gate is None and calibration.comparison.is_capped(decision.target):
        return f"These labels don't show {_question(calibration)}."
    if decision.because_code == "constant-open":
        return "Not shown to beat the baseline." if calibration.comparison.shows_trends_at_most else _NOT_BETTER
    return f"Not enough labels to tell {_question(calibration)}."


def _why_no_gate(calibration: Calibration) -> str:
    """Explain why a judge that agrees well enough with gold may show trends only, and not pass or fail responses.

    Returns:
        A sentence on what is wrong with the labels, or on a slice where the judge is worse; "" if neither is the
        reason.
    """
    gold = calibration.comparison.gold
    if gold.not_blind:
        return "The labels are not blind."
    if "picked" in calibration.decision.circumstances.against_gate:
        picked = f"{gold.n_picked} of {counted(len(gold.examples), 'example')} were {how_picked(gold)}."
        return picked if gold.stands_for_outputs else f"{picked} {_NOT_YOUR_OUTPUTS}"
    if gold.reference == "one-person":
        only = f"Only {gold.few_labelled_twice} of {counted(gold.n, 'example')} have two annotators."
        return only if gold.few_labelled_twice else "One annotator per example."
    if calibration.carried is not None and calibration.carried.old:
        return "Labels are from before a rewording."
    if "weak-part" in calibration.decision.circumstances.against_gate:
        worse = [weaker.part.called for weaker in calibration.slices if weaker.stands_out]
        return f"It is worse on {in_words(worse)} than on the rest."
    return ""


def _how_drawn(calibration: Calibration) -> str:
    """Write the warning about examples with no record of how they were drawn; "" if every example has a record."""
    if all(values_of(calibration.comparison.gold.examples, "drawn")):
        return ""
    return " That holds for outputs like these: compare some with yours."


def _with_plan(callout: doc.Callout, calibration: Calibration) -> doc.Callout:
    """Add to the box at the top how many more labels to collect, or what else to do if more wouldn't help."""
    decision = calibration.decision
    command = calibration.commands.label_next(decision.labels_needed) if decision.labels_needed else ""
    limit = offer_in_words(calibration.comparison, decision) if decision.next_step else ""
    out_of = _REST_FIRST if calibration.commands.has_unlabelled else _OUT_OF_POOL
    next_step = f"{decision.next_step} {out_of}" if command else decision.next_step or ""
    parts = (callout.text, limit, next_step) if command else (callout.text, next_step, limit)
    return replace(callout, text=" ".join(filter(None, parts)), command=command)


def _why_nothing(calibration: Calibration) -> str:
    """Say how many examples the judge couldn't grade, the most frequent reason, and what to do."""
    counts = calibration.counts
    unread = any(finding.kind.cause == "replies" for finding in calibration.findings)
    reasons = Counter(_reasons_not_graded(calibration)).most_common(1)
    why = f" (“{cut_short(reasons[0][0])}”)" if reasons else ""
    ungraded = f"{counts.not_graded} of {counted(counts.examples, 'example')} got no score{why}."
    return f"{ungraded} {_UNREAD if unread else _FAILED}"


def _reasons_not_graded(calibration: Calibration) -> list[str]:
    """Return why each example has no score; a reason that only held-out examples have is hidden."""
    shown = {*calibration.reasons_not_graded.values()}
    return [why if why in shown else _HELD_OUT for why in calibration.all_reasons_not_graded.values()]


# --- the figures ----------------------------------------------------------------------------------------------------


def figures(calibration: Calibration) -> doc.Bars:
    """Draw the verdict's figures as bars: agreement of decisions, or of scores if nothing says which responses pass."""
    comparison = calibration.comparison
    answer = calibration.decision.gate_answer
    if answer is None or not calibration.counts.graded:
        return agreement_bars(comparison, calibration.decision.target, is_default=calibration.target_is_default)
    without = [subset.called for subset in calibration.decision.excepted]
    about = f" Without {in_words(without)}." if without else ""
    return decision_bars(calibration, answer, f"{about}{_weighted(comparison)}")


def _weighted(comparison: Comparison) -> str:
    """Return a note on how shares are weighted if examples were drawn with unequal chances; else ""."""
    if comparison.weighted_to is None:
        return ""
    outputs = counted(comparison.weighted_to, "output")
    return f" Examples were drawn with unequal chances; shares are weighted to all {outputs}."


def agreement_bars(comparison: Comparison, target: float, *, is_default: bool = False) -> doc.Bars:
    """Draw bars of how often the judge, the baseline and annotators agree with gold, with the target.

    Args:
        comparison: The judge compared with gold.
        target: Share of examples on which the judge has to agree.
        is_default: True if the target is the default.
    """
    with_scores = comparison
    if np.isnan(comparison.judge_values).all():
        with_scores = replace(comparison, judge_name=comparison.gold_name)
    person = with_scores.agreement_person
    digits = digits_of(comparison.agreement, target)
    default = " (default)" if is_default else ""
    averaged = ", averaged over examples" if with_scores.has_uneven_annotators else ""
    between = "" if person is None else f"Annotators: two with each other{averaged}. "
    between += f"{_weighted(with_scores)[1:]} " if with_scores.weighted_to is not None else ""
    return doc.Bars(
        (
            ("judge", share_mark(comparison.agreement, digits=digits)),
            ("baseline", share_mark(with_scores.agreement_constant, "baseline")),
            *([("annotators", share_mark(person, "annotators"))] if person is not None else []),
            ("target", doc.Mark(f"{percent(target, digits)}{default}", target, role="target")),
        ),
        _about_agreement(comparison, between),
        "95% CI" if comparison.settings == 1 else "CI",
    )


def agreement_of(measure: Measure, who: str, settings: int = 1) -> str:
    """Return a definition, without its full stop, of when a judge agrees on a score, a decision or a level.

    Args:
        measure: Measure that is compared.
        who: Noun for the judge, with its article.
        settings: Number of settings that were tried on the labels; with several, the definition says that the intervals
            are wider.
    """
    share_of = f"Agreement{_of_settings(settings)}: {who}'s"
    if isinstance(measure.of, Rubric) and has_score_of_rest(measure.of):
        return (
            f"{share_of} categories are gold's, the labels', and its score is less than {measure.tolerance:g} from it"
        )
    if measure.of == OF_SCORE:
        return f"{share_of} score is less than {measure.tolerance:g} from gold, the labels' score"
    return f"{share_of} {measure.noun} is gold's, the labels'"


def _of_settings(settings: int) -> str:
    return "" if settings == 1 else f" (CI: 95% for the {settings} settings tried on these labels together)"


def _compares_levels(comparison: Comparison) -> bool:
    """Return True if judge and gold are compared by a table's levels on one criterion, instead of by scores."""
    has_levels = [c.scale.is_yes_no or len(c.scale.levels) > 2 for c in comparison.rubric.criteria]
    return comparison.rubric.table_of == "values" and comparison.measure.of == OF_SCORE and has_levels == [True]


def _about_agreement(comparison: Comparison, between: str) -> str:
    """Define agreement and the baseline, for what is compared: scores, decisions, levels or preferences.

    Args:
        comparison: The judge compared with gold.
        between: Sentences to put after the definition of the baseline, each with a space after it; "" for none.
    """
    measure = comparison.measure
    if _compares_levels(comparison):
        agreement = f"Agreement{_of_settings(comparison.settings)}: {_levels_agree(comparison)}"
        return f"{agreement}. Baseline: always the best single level. {between}".rstrip()
    agreement = agreement_of(measure, "the judge", comparison.settings)
    baseline = f"Baseline: always the best single {measure.noun}. {between}"
    if measure.of == OF_SCORE and comparison.rubric.table_of != "values":
        apart = ": scores that agree can lie on both sides of it" if _crosses_mark(comparison) else ""
        return f"{agreement}. {baseline}Pass mark {comparison.rubric.pass_mark:g}{apart}."
    return f"{agreement}. {baseline}".rstrip()


def _levels_agree(comparison: Comparison) -> str:
    """Say when levels of judge and gold agree: if equal or, with a large tolerance, less than a few levels apart."""
    steps = len(comparison.rubric.criteria[0].scale.levels) - 1
    if comparison.tolerance <= 1 / (2 * steps):
        return "the judge's level is gold's, the labels'"
    return f"the judge's level is less than {brief(comparison.tolerance * steps)} levels from gold, the labels' level"


def _crosses_mark(comparison: Comparison) -> bool:
    """Return True if the judge decides wrongly on some example although its score agrees with gold's."""
    wrong = {*comparison.false_passes, *comparison.false_fails}
    return any(unit in wrong and hit == 1 for unit, hit in zip(comparison.ids, comparison.hits, strict=True))


def tiles(comparison: Comparison, *, has_shares: bool = True) -> doc.Tiles:
    """Build tiles of the false passes and the false fails, each with count, share (95% CI) and ids of the examples.

    Args:
        comparison: The judge compared with gold.
        has_shares: True to state shares; False if bars show them already.
    """
    if not comparison.rubric.has_gate_question:
        return doc.Tiles(())
    passes = doc.Ids(tuple(comparison.false_passes))
    fails = doc.Ids(tuple(comparison.false_fails))
    passed = _wrong(passes, comparison.wrong_passes, comparison.false_pass_rate, "fail", has_shares=has_shares)
    failed = _wrong(fails, comparison.wrong_fails, comparison.false_fail_rate, "pass", has_shares=has_shares)
    return doc.Tiles((("False passes", passed, passes, "false-pass"), ("False fails", failed, fails, "false-fail")))


def _wrong(ids: doc.Ids, wrong: SideShare, rate: Estimate, decision: str, *, has_shares: bool) -> str:
    """Format how many of gold's fails the judge passes, or how many of gold's passes it fails, with the share.

    Args:
        ids: Ids of the wrong decisions; empty if only their number is known.
        wrong: Numbers of the wrong decisions, and of all labelled examples with this decision by gold.
        rate: Share of the wrong decisions.
        decision: Gold's decision, "fail" or "pass".
        has_shares: True to state the share.
    """
    if rate.value is None:
        return NONE
    all_such = "passes" if decision == "pass" else "fails"
    picked = len(ids.ids) - wrong.hits
    count = f"{wrong.hits} of {counted(wrong.of, decision, all_such)}"
    count += f", {picked} more picked by hand" if picked > 0 else ""
    if rate.is_count or not has_shares:
        return count
    weighted = f"of all {all_such} " if wrong.is_weighted else ""
    return f"{count}, {weighted}{share_with_interval(rate)}"


# --- caveats --------------------------------------------------------------------------------------------------------


def caveats(calibration: Calibration) -> Iterator[doc.Line]:
    """Yield a line for each reason why the page's figures may mean less than they seem to."""
    counts = calibration.counts
    gold = calibration.comparison.gold
    if not gold.has_people:
        yield f"Warning: {LABELS_IN_WORDS[gold.reference]}; agreement with them is no evidence about people."
    for say in CAVEATS:
        yield from say(calibration)
    yield from _unseen(calibration)
    yield from _other_measure(calibration.comparison)
    ties = calibration.comparison.ties
    if ties.count:
        yield _ties_line(calibration)
    if gold.not_blind:
        yield f"Warning: {counted(gold.not_blind, 'label')} not blind (given with the judge's verdict visible)."
    yield from _asked_in_several_ways(calibration)
    kin = kinship(calibration.rater.models, values_of(gold.examples, "system"))
    if kin:
        yield f"Warning: {kin}."
    if counts.not_graded and counts.graded:
        why = f": {reasons}" if (reasons := commonest(_reasons_not_graded(calibration))) else ""
        yield f"{counts.not_graded} of {counted(counts.examples, 'example')} not graded, in no score{why}."
    if counts.unread:
        again = "" if calibration.rater.source == "ratings" else ", even when asked again"
        yield f"{counted(counts.unread, 'verdict')} unreadable{again}; excluded."
    if counts.abstained:
        yield f"{counted(counts.abstained, 'abstention')}; excluded."
    if counts.quotes_not_found:
        yield f"{counts.quotes_not_found} of {counted(counts.quotes, 'quote')} not found in what the judge saw."
    if calibration.carried is not None:
        yield calibration.carried.sentence
    elif counts.stale_labels:
        were_given = "was given; it still counts" if counts.stale_labels == 1 else "were given; they still count"
        yield f"The rubric was reworded after {counted(counts.stale_labels, 'label')} {were_given}."
    yield from _even_splits(gold.even_splits, calibration.commands.adjudicate())
    yield from _no_gate_question(calibration)
    if gold.set_aside:
        yield f"{counted(gold.set_aside, 'example')} without human labels excluded."
    if calibration.settings_kept is False:
        yield "Settings not recorded: how many were tried on these labels before isn't known."
    uneven = sum(weight != 1 for weight in values_of(gold.examples, "weight"))
    if uneven and calibration.comparison.weights is not None:
        yield (
            f"{counted(uneven, 'example')} drawn with unequal chances: figures of single criteria and the lists of "
            "examples describe the labelled ones."
        )
    if gold.n_picked:
        yield f"{counted(gold.n_picked, 'example')} {how_picked(gold)}: figures are of the labelled examples."
    if calibration.openings is not None:
        yield calibration.openings.sentence
    yield from _held_out(calibration)


def _held_out(calibration: Calibration) -> Iterator[doc.Line]:
    """Yield a line on held-out examples: they count, and their texts stay hidden, to test rewordings on them."""
    comparison = calibration.comparison
    unread = comparison.gold.held_out_ids
    if not unread:
        return
    passes = sum(unit in unread for unit in comparison.false_passes)
    of_passes = f", {passes} of {counted(len(comparison.false_passes), 'false pass', 'false passes')} among them"
    yield (
        f"{counted(len(unread), 'example')} {'counts' if len(unread) == 1 else 'count'} here and "
        f"{'stays' if len(unread) == 1 else 'stay'} unread{of_passes if comparison.false_passes else ''}. To read "
        f"{'it' if len(unread) == 1 else 'them'}, and hold {'it' if len(unread) == 1 else 'them'} out no more: "
        f"{calibration.commands.calibrate(split='--all-texts')}"
    )


def _asked_in_several_ways(calibration: Calibration) -> Iterator[doc.Line]:
    """Warn if requests to the judge had different sets of parameters; count the examples with each set."""
    ways = calibration.rater.ways
    if len(ways) > 1:
        parts = (
            f"{counted(n, 'example')} {'without ' + ', '.join(without) if without else 'with all settings'}"
            for without, n in sorted(ways.items())
        )
        yield f"Warning: the judge was asked in {len(ways)} ways, which its fingerprint says: {'; '.join(parts)}."


def _even_splits(even_splits: Sequence[tuple[str, str]], adjudicate: str) -> Iterator[doc.Line]:
    """Yield lines on examples with an even split of annotators: which figures leave them out, and how to decide them.

    Args:
        even_splits: For each even split, the example's id, and the criterion or `SPLIT_DECISION`.
        adjudicate: The command by which a person decides such examples; "" to name none.
    """
    for over, splits in groupby(even_splits, itemgetter(1)):
        units = [unit for unit, _ in splits]
        figure = "decisions" if over == SPLIT_DECISION else f"{over}, nor of scores and decisions that this changes"
        yield (
            f"Annotators split evenly on {over} of {counted(len(units), 'example')} ({few_of(units)}), which therefore "
            f"{'counts' if len(units) == 1 else 'count'} in no figure of {figure}"
            f"{f'; {adjudicate} decides' if adjudicate else ''}."
        )


def _no_gate_question(calibration: Calibration) -> Iterator[str]:
    """Yield advice on how to say which responses pass, if nothing says so, and the judge can't be tested as a gate."""
    rubric = calibration.rubric
    if rubric.has_gate_question or rubric.is_of_pairs:
        return
    if rubric.categories:
        adds = "`--pass VALUE`" if rubric.table_of == "values" else "`passes: [label, …]` in the rubric"
        yield f"Nothing says which categories pass, so agreement alone decides: {adds} asks what it stops and keeps."
        return
    scale = rubric.criteria[0].scale
    adds = "`--pass VALUE`" if scale.is_yes_no or scale.by_label else "`--pass-mark M`"
    yield f"Nothing says what passes, so whether it can gate isn't asked: {adds} adds it."


def _unseen(calibration: Calibration) -> Iterator[doc.Line]:
    """Yield a line on criteria with frequent errors that are too small to show in the agreement of scores."""
    comparison = calibration.comparison
    target = calibration.decision.target
    hidden = dict(_hidden(comparison, target)) if (comparison.agreement.value or 0.0) >= target else {}
    if not hidden:
        return
    shares = [share(exact) for exact in sorted(exact for exact, _ in hidden.values())]
    steps = [number(step) for step in sorted(step for _, step in hidden.values())]
    names = few_of(list(hidden)) if len(hidden) < len(comparison.rubric.criteria) else "every criterion"
    name = next(iter(hidden)) if len(hidden) == 1 else names
    yield (
        f"Agreement hides errors on {name}: the same level as gold on only {_from_to(shares)} of examples. One level "
        f"moves the score by {_from_to(steps)}, less than the {comparison.tolerance:g} that agreement allows."
    )


def _hidden(comparison: Comparison, target: float) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield each criterion with many errors that are too small, one by one, to move the score by the tolerance.

    With its name come the share of examples on the same level, and how far one level moves the score.
    """
    whole = sum(criterion.weight for criterion in comparison.rubric.criteria if criterion.weight > 0)
    for name, compared in comparison.criteria.items():
        exact = compared.statistics["exact_agreement"].value
        scale = compared.criterion.scale
        if exact is None or exact >= target or compared.has_many_values or not scale.ordered or whole <= 0:
            continue
        step = abs(compared.criterion.weight) / whole / (len(scale.levels) - 1)
        if step < comparison.tolerance:
            yield name, (exact, step)


def _from_to(figures: Sequence[str]) -> str:
    """Format the first and the last of sorted figures as a range; equal ones as one figure."""
    return figures[0] if figures[0] == figures[-1] else f"{figures[0]} to {figures[-1]}"


def _other_measure(comparison: Comparison) -> Iterator[doc.Line]:
    """Yield a line with the agreement of scores, if the report is about the agreement of decisions."""
    if comparison.measure.of != OF_DECISION or is_one_decision(comparison):
        return
    by_score = comparison.by(OF_SCORE)
    if by_score.agreement.value is not None:
        yield f"Score within {by_score.tolerance:g} of gold: {share_with_ci(by_score.agreement)}."


def _ties_line(calibration: Calibration) -> str:
    """Say how many examples are off by exactly the tolerance, and how agreement changes if these count as agreeing."""
    ties = calibration.comparison.ties
    decision = calibration.decision
    count_as, them = ("counts as a miss", "it") if ties.count == 1 else ("count as misses", "them")
    line = (
        f"{counted(ties.count, 'example')} exactly at the tolerance {count_as}: agreement "
        f"{share(ties.agreement.value)} without {them}, {share(agreement_with_ties(calibration.comparison).value)} with"
    )
    if decision.verdict_with_ties not in (None, decision.verdict):
        line += f"; counting them would make the verdict {decision.verdict_with_ties}"
    return f"Warning: {line}; markscheme lint says which tolerance avoids them." if ties.flagged else f"{line}."


def agreement_with_ties(comparison: Comparison) -> Estimate:
    """Estimate agreement with examples counted as agreeing if they differ from gold by exactly the tolerance."""
    of_ties = comparison.ties.agreement_with_ties
    return of_ties.estimate(level=comparison.level, method="agreement within or at tolerance")
