"""Finding that a judge's probabilities are overconfident."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from markscheme.calibration.findings.commands import Commands, TypedOptions
from markscheme.calibration.findings.finding import Finding, Severity
from markscheme.calibration.findings.kinds import FindingKind
from markscheme.calibration.findings.table import ExaminedJudge, FindingRow
from markscheme.phrases import counted, number, percent

if TYPE_CHECKING:
    from markscheme.features.decision_models.audits import ProbabilityAudits
    from markscheme.features.decision_models.statistics import ProbabilityAudit


def _certify(commands: Commands, _options: TypedOptions) -> str:
    return commands.certify()


OVERCONFIDENT: Final = FindingKind(
    "overconfident",
    "surer than it is right",
    cause="judge",
    fixed_by="judge",
    stage="judge",
    command=_certify,
    names_criterion=True,
    needs_scores=False,
)


def overconfident(examined: ExaminedJudge) -> Iterator[Finding]:
    """Yield findings on the criteria, and on the decision, for which a judge's probabilities are too extreme.

    The finding on the decision is more severe if confident decisions are wrong oftener than the judge's probabilities
    imply. With a single criterion, which alone decides, there is only the finding on the decision.

    Args:
        examined: The judge, compared with gold.
    """
    audits: ProbabilityAudits | None = examined.evidence.comparison.audits["probabilities"]
    if audits is None:
        return
    for name, audit in audits.events.items():
        of_decision = audit is audits.decision
        if name in audits.overconfident:
            is_high = of_decision and name in audits.exceeding
            yield _finding(name, audit, "high" if is_high else "medium", of_decision=of_decision)


def _finding(name: str, audit: "ProbabilityAudit", severity: Severity, *, of_decision: bool) -> Finding:
    confident = audit.confident_errors
    where = "the decision" if of_decision else f"`{name}`"
    answers = counted(confident.n, "answer")
    is_wrong = "is" if confident.wrong == 1 else "are"
    figures = (
        f"of {answers} at {percent(confident.at)} or more, {confident.wrong} {is_wrong} wrong (it promises "
        f"{number(confident.promised, 1)})"
        if confident.n
        else f"its log-odds are {number(1 / (audit.slope.value or 1.0), 1)} times too large"
    )
    return Finding(
        OVERCONFIDENT,
        None if of_decision else name,
        severity,
        f"{where} is overconfident: {figures}.",
        evidence={
            "n": audit.n,
            "slope": audit.slope,
            "confident": confident.n,
            "wrong": confident.wrong,
            "promised": confident.promised,
            "p": confident.p,
        },
        suggestion="Don't set a threshold by hand; let labels find one.",
    )


PROBABILITY_FINDINGS: Final = (FindingRow((OVERCONFIDENT,), 70, overconfident, rated=("responses",)),)
