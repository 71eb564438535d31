"""The report's section on a judge's probabilities: how often people agree with them, and how often it is sure and
wrong.
"""

from collections.abc import Iterator

from markscheme.features.decision_models.audits import DECISION_ROW, ProbabilityAudits
from markscheme.features.decision_models.statistics import ConfidentErrors, ProbabilityAudit
from markscheme.phrases import counted, number, percent
from markscheme.report import document as doc
from markscheme.report.figures import NONE, share, with_interval
from markscheme.report.plot import Axis, Plot, PlotLine, PlotPoint


def probabilities_section(audits: ProbabilityAudits) -> doc.Section:
    """Return the section with a table of audits and, on HTML pages, a reliability diagram for each audit."""
    named = audits.named
    confidence = percent(next(iter(named.values())).confident_errors.at)
    headings = ("", "says", "people", "slope", f"confident errors ({confidence} or more)", "")
    rows = tuple(_row(name, audit, is_overconfident=_is_flagged(name, audits)) for name, audit in named.items())
    diagrams = tuple(reliability_plot(name, audit) for name, audit in named.items() if audit.bins)
    return doc.Section(
        "Probabilities",
        (doc.Table(headings, rows), doc.Notes(tuple(_notes(audits))), doc.OnPages(diagrams)),
        "probabilities",
    )


def _is_flagged(name: str, audits: ProbabilityAudits) -> bool:
    """Return True if the judge's probabilities on a criterion, or for the decision, are overconfident.

    The only criterion of a rubric isn't tested, since the decision is about the same event: it is flagged if the
    decision is.

    Args:
        name: Name of the criterion or of the decision's row.
        audits: The tests of the judge's probabilities.
    """
    return (name if name in audits.events else DECISION_ROW) in audits.overconfident


def _row(name: str, audit: ProbabilityAudit, *, is_overconfident: bool) -> tuple[doc.Line, ...]:
    finding = "overconfident" if is_overconfident else ""
    return (
        doc.Name(name),
        share(audit.probability),
        share(audit.share),
        with_interval(audit.slope),
        _confident(audit.confident_errors),
        finding,
    )


def _confident(errors: ConfidentErrors) -> str:
    if not errors.n:
        return NONE
    return f"{errors.wrong} of {errors.n}, promised {number(errors.promised, 1)}"


def _notes(audits: ProbabilityAudits) -> Iterator[str]:
    yield "Says: the judge's mean probability of passing. Slope below 1: too confident; 95% intervals."
    if len(audits.events) > 1:
        yield f"Overconfident: shown for all {len(audits.events)} rows together (Holm)."
    for name, audit in audits.named.items():
        if audit.slope.undefined:
            yield f"– {name}, slope: {audit.slope.undefined}."
        if audit.left_out:
            yield f"{name}: {counted(audit.left_out, 'example')} without a probability or a label left out."
        if audit.map is not None:
            curve = f"{number(audit.map.intercept)} + {number(audit.map.slope)} × the judge's"
            yield f"{name}: log-odds of {curve} fit these labels better; this is shown, not applied."


def reliability_plot(name: str, audit: ProbabilityAudit) -> Plot:
    """Plot the share of passes by the labels against the judge's probability, with diagonal and isotonic curve.

    Args:
        name: What the probabilities are of: a criterion's name, or the decision.
        audit: The comparison of the probabilities with the labels.
    """
    points = tuple(
        PlotPoint(
            in_bin.probability,
            in_bin.share.value or 0.0,
            in_bin.share.low,
            in_bin.share.high,
            f"{counted(in_bin.n, 'example')}: says {share(in_bin.probability)}, {in_bin.share.as_share()} pass",
        )
        for in_bin in audit.bins
    )
    rows = tuple(
        (share(point.x), share(point.y), "–" if point.low is None else f"{share(point.low)} to {share(point.high)}")
        for point in points
    )
    return Plot(
        title="Reliability.",
        x=Axis.of_fractions("judge's probability"),
        y=Axis.of_fractions("share that passes by the labels"),
        marks=(PlotLine(((0.0, 0.0), (1.0, 1.0)), "plain"), PlotLine(audit.line, "target"), *points),
        table=doc.Table(("judge's probability", "share that passes", "95% CI"), rows),
        caption=(
            f"{name}: how often labels pass, by the judge's probability. On the diagonal it says what happens; below "
            "it is too sure. The line rises as far as the labels do."
        ),
        key=(("examples of similar probability", "judge"), ("best rising line", "target"), ("diagonal", "plain")),
    )
