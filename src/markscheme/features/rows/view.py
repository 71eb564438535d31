"""The report on rows that bring criteria of their own: agreement on responses, and on single criteria."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.findings.commands import ANNOTATOR
from markscheme.features.rows.calibration import RowsCalibration
from markscheme.features.rows.verdict_shares import VerdictShares
from markscheme.phrases import counted
from markscheme.report import document as doc
from markscheme.report.figures import share, share_with_interval
from markscheme.report.results import DocumentReporter
from markscheme.report.views import calibration as whole_views
from markscheme.stats.intervals import mark_rough
from markscheme.stats.shares import GroupedShare


def view(result: RowsCalibration) -> doc.Document:
    """Return the report on whole responses, and on how often the judge is right on single criteria."""
    page = whole_views.view(_with_usual_pass_mark(result))
    judge = result.whole.rater.name
    counts = f"{counted(result.verdicts.n, 'verdict')} in {counted(result.verdicts.tasks, 'task')}"
    answer, *rest = page.blocks
    return replace(
        page,
        title=f"{result.path.name} · {judge} · {counts}",
        blocks=(_with_labelling(answer, result), doc.Paragraph(tuple(_sentences(result))), *rest),
        brief=(),
        onward=None if result.is_kept else page.onward,
    )


def _with_labelling(answer: doc.Block, result: RowsCalibration) -> doc.Block:
    """Add to the box at the top the command that labels rows, if the verdict on the judge needs more labels.

    Args:
        answer: The callout, or another block that comes first.
        result: The calibration.
    """
    if not isinstance(answer, doc.Callout) or not result.whole.decision.labels_needed or answer.command:
        return answer
    n_left = result.n_unlabelled
    begin = (
        f"Begin with the {counted(n_left, 'row')} that people haven't labelled:"
        if n_left
        else f"All rows of {result.path.name} are labelled: add tasks to the file, then label them:"
    )
    command = replace(result.whole.commands, has_rubric=True).label_pool(ANNOTATOR)
    return replace(answer, text=" ".join(filter(None, (answer.text, begin))), command=command)


def _with_usual_pass_mark(result: RowsCalibration) -> Calibration:
    """Return the calibration on whole responses with the pass mark that most labelled responses have."""
    mark, _ = result.pass_marks.most_common(1)[0]
    comparison = result.whole.comparison
    if mark == comparison.rubric.pass_mark:
        return result.whole
    table = replace(comparison.table, rubric=replace(comparison.rubric, pass_mark=mark))
    return replace(result.whole, comparison=replace(comparison, table=table))


def _sentences(result: RowsCalibration) -> Iterator[str]:
    verdicts = result.verdicts
    if not verdicts.n:
        yield "No criterion has a verdict of people and of the judge."
        return
    level = result.whole.decision.level
    agreement = _estimate(verdicts.agreement, level, rough=verdicts.is_rough)
    right = share_with_interval(agreement)
    rated = f"{counted(verdicts.n, 'verdict')} on {counted(verdicts.criteria, 'criterion', 'criteria')} of "
    constant = max(("MET", verdicts.always_met), ("UNMET", verdicts.always_unmet), key=lambda answer: answer[1])
    always = f"always {constant[0]} {share(constant[1])}"
    if verdicts.unseen:
        right = f"{right} of" if agreement.low is not None else f"{right} verdicts on"
        yield f"Right on {right} criteria it has never seen: {rated}{counted(verdicts.tasks, 'task')}; {always}."
    else:
        rated = counted(verdicts.criteria, "criterion", "criteria")
        yield f"Right on {right} on these {rated}; nothing is said about others. {always.capitalize()}."
    false = share_with_interval(_estimate(verdicts.false_credit, level))
    missed = share_with_interval(_estimate(verdicts.missed_credit, level))
    yield f"Gives credit for {false} of what people don't, misses {missed} of what they do."
    if verdicts.heavy:
        of_tasks = _estimate(verdicts.agreement_of_tasks, level)
        alike = share(of_tasks.value) if of_tasks.low is None else share_with_interval(of_tasks)
        yield f"A tenth of the tasks hold over a third of the verdicts. Where all tasks weigh alike: right on {alike}."
    if len(result.by_tag) > 1:
        tag, weakest = min(result.by_tag.items(), key=lambda named: named[1].agreement.value)
        yield f"Weakest: {tag} {share_with_interval(_estimate(weakest.agreement, level, rough=weakest.is_rough))}."
    tolerance = result.whole.comparison.tolerance
    of = "of responses" if result.close_scores.low is not None else "responses"
    yield f"Scores within {tolerance:g}: {share_with_interval(result.close_scores)} {of}."
    if len(result.pass_marks) > 1:
        mark, n = result.pass_marks.most_common(1)[0]
        of_others = counted(result.pass_marks.total() - n, "response has", "responses have")
        yield f"Each row is decided by its own pass mark: {of_others} another than {mark:g}."
    yield from (f"Not compared: {counted(count, 'response')}: {why}." for why, count in result.lost.items())


def _estimate(share_of: GroupedShare, level: float, *, rough: bool = False) -> Any:
    """Return a share of verdicts as an Estimate, with its interval.

    Args:
        share_of: The share.
        level: Coverage of the interval, 0 to 1.
        rough: True to mark the interval as approximate, since there are few criteria, or a few large tasks.
    """
    estimate = share_of.estimate(level=level, method="share of verdicts")
    return mark_rough(estimate, "few criteria, or large tasks") if rough and estimate.low is not None else estimate


def json_of(result: RowsCalibration) -> dict[str, Any]:
    """Return the JSON of the calibration on whole responses, with the entry `verdicts` on single criteria added."""
    level = result.whole.decision.level
    by_tag = {tag: _block(verdicts, level) for tag, verdicts in result.by_tag.items()}
    return {
        **whole_views.json_of(result.whole),
        "verdicts": {
            **_block(result.verdicts, level),
            "responses": result.whole.counts.graded,
            "close_scores": result.close_scores,
            "by_tag": by_tag,
            "lost": dict(result.lost),
        },
    }


def _block(verdicts: VerdictShares, level: float) -> dict[str, Any]:
    estimates = {
        "agreement": _estimate(verdicts.agreement, level, rough=verdicts.is_rough),
        **{
            name: _estimate(getattr(verdicts, name), level)
            for name in ("agreement_of_tasks", "false_met", "false_unmet", "false_credit", "missed_credit")
        },
    }
    between = ("kappa_between", "mcc_between")
    plain = ("n", "tasks", "criteria", "unseen", "always_met", "always_unmet", "kappa", "mcc")
    ends = {name: getattr(verdicts, name) for name in between}
    return {name: _number(getattr(verdicts, name)) for name in plain} | ends | estimates


def _number(figure: Any) -> Any:
    return None if figure != figure else figure  # nan is nothing


REPORTER = DocumentReporter(json_of, view)
