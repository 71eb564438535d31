"""Sentences on how many decisions or scores fixing a criterion would change."""

from collections.abc import Iterable, Iterator
from typing import Any

from markscheme.calibration.comparison.repairs import Repair, Repairs
from markscheme.calibration.findings.finding import Finding
from markscheme.phrases import counted, in_words

FIXED_ALONE = "Fixing it alone"
"""Subject of a sentence, which follows a finding about one criterion, on what fixing that criterion would change."""


def message_with_repair(finding: Finding) -> str:
    """Return a finding's message, with how many decisions or scores would change if only that finding were fixed."""
    changes = repair_of_finding(finding)
    return f"{finding.message} {changes}" if changes else finding.message


def findings_json(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return findings as dicts by the keys of the file format, each with the message that all reports show."""
    return [{**finding.to_json(), "message": message_with_repair(finding)} for finding in findings]


def repair_of_finding(finding: Finding, subject: str = FIXED_ALONE) -> str:
    """Return a sentence on how many decisions fixing a finding would change; "" if there is nothing to say.

    Args:
        finding: The finding.
        subject: Subject of the sentence, such as "Fixing it alone".
    """
    return "" if finding.repair is None else repair_in_words(finding.repair, subject)


def repair_in_words(repair: Repair, subject: str = FIXED_ALONE) -> str:
    """Return a sentence on how many decisions, or else scores, a fix would change; "" if there is nothing to say.

    Args:
        repair: The changes that the fix would cause.
        subject: Beginning of the sentence, which says what is fixed.
    """
    if repair.is_idle and not repair.broken:
        return f"{subject} changes no decision here."
    clauses = list(_of_decisions(repair) if repair.decided else _of_scores(repair))
    return f"{subject} would {in_words(clauses)}." if clauses else ""


def _of_decisions(repair: Repair) -> Iterator[str]:
    totals = repair.totals
    if repair.stopped:
        yield f"stop {_some_of(repair.stopped, totals.false_passes, 'fail that passes', 'fails that pass')}"
    if repair.kept:
        yield f"keep {_some_of(repair.kept, totals.false_fails, 'pass that fails', 'passes that fail')}"
    if repair.is_idle:
        yield "repair no decision"
    if repair.broken:
        verb = "break" if repair.held_up and repair.let_through else "hold up" if repair.held_up else "let through"
        yield f"{verb} {repair.broken} that {'is' if repair.broken == 1 else 'are'} right now"


def _of_scores(repair: Repair) -> Iterator[str]:
    if repair.scores_repaired:
        repaired = _some_of(repair.scores_repaired, repair.totals.off, "score that is off", "scores that are off")
        yield f"correct {repaired}"
        if repair.scores_broken:
            yield f"put {repair.scores_broken} off that {'is' if repair.scores_broken == 1 else 'are'} right now"


def _some_of(n: int, total: int, singular: str, plural: str) -> str:
    return f"the only {singular}" if total == 1 else f"{n} of the {total} {plural}"


def pair_in_words(repairs: Repairs) -> str:
    """Return a sentence on the two criteria whose fixes together correct most.

    The sentence is "" if no two fixes together correct more than one fix does. It is also "" if fixing one criterion
    alone corrects a fifth of the wrong decisions or, without decisions, of the scores that are off.
    """
    if repairs.pair is None:
        return ""
    wrong = "wrong decisions" if repairs.pair.decided else "scores that are off"
    together = f"fixing {in_words(repairs.pair.criteria)} together"
    return f"No single criterion repairs a fifth of the {wrong}: {repair_in_words(repairs.pair, together)}"


def stays_wrong_in_words(repairs: Repairs) -> str:
    """Return a sentence on the decisions that stay wrong even with gold's level on all criteria; "" if none do."""
    n = len(repairs.stays_wrong or ())
    if not n:
        return ""
    stay = "stays" if n == 1 else "stay"
    decisions = counted(n, "decision")
    return f"With gold's level on every criterion {decisions} {stay} wrong: look at the pass mark or the weights."
