"""Section on what to fix first: a card per cause, in working order, with what to edit and the command to run."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.verdict import Decision
from markscheme.calibration.findings.finding import Finding
from markscheme.report import document as doc
from markscheme.report.repairs import pair_in_words, repair_of_finding, stays_wrong_in_words

if TYPE_CHECKING:
    from markscheme.calibration.comparison.repairs import Repairs

WORTH_A_LIMIT = 0.10
"""Smallest share of gold's fails passed by the judge with which even a good judge isn't reported as without issues; the
documentation proposes it as a limit."""


WORTH_KNOWING = "Worth knowing"
"""Heading of faults that change no decision."""


def fix_first(calibration: Calibration) -> doc.Section:
    """Build the section on what to fix, with a card per cause; last come causes whose fix changes no decision."""
    blocks = tuple(_fixes(calibration))
    return doc.Section(_heading(calibration, blocks), blocks, "fix")


def _heading(calibration: Calibration, blocks: Sequence[doc.Block]) -> str:
    """Return the heading of the section on what to fix.

    It is "Fix first" or, if the judge can gate, "Worth fixing". If the section has no list of what to fix, it is "Not
    known yet" with findings, "To fix" without.

    Args:
        calibration: The calibration.
        blocks: The blocks below the heading; a card or a section among them is the list.
    """
    if not any(isinstance(block, doc.Cards | doc.Section) for block in blocks):
        return "Not known yet" if calibration.findings else "To fix"
    can_gate = calibration.decision.verdict == "ok" and calibration.decision.use == "gate"
    return "Worth fixing" if can_gate else "Fix first"


def _fixes(calibration: Calibration) -> Iterator[doc.Block]:
    shown = [finding for finding in calibration.findings if not _is_in_callout(finding, calibration.decision)]
    if not calibration.counts.graded:
        shown = [finding for finding in shown if not finding.kind.needs_scores] or shown
    idle = [finding for finding in shown if changes_no_decision(finding, shown)]
    urgent = [finding for finding in shown if finding not in idle]
    if urgent:
        yield _cards(urgent, calibration)
    elif not calibration.findings:
        yield doc.Paragraph((_first_step(calibration),))
    elif idle:
        yield doc.Paragraph(("Nothing that would correct a decision.",))
    yield from _of_several(calibration.comparison.repairs)
    needed = calibration.decision.labels_needed if calibration.comparison.gold.has_people else None
    every = "The pool should hold outputs of every quality, so that each level occurs."
    for finding in calibration.findings:
        if finding.kind.fixed_by == "more labels" and finding not in shown:
            yield doc.Paragraph((f"{finding.message} {finding.suggestion or '' if needed is None else every}",))
    commands = calibration.commands
    is_live = calibration.rater.source == "live"
    if is_live and urgent and not any(group[0].command(commands) for group in by_cause(urgent)):
        yield doc.Notes((("To calibrate again: ", doc.Command(commands.calibrate())),))
    is_file = calibration.rater.source == "ratings" and calibration.rater.has_rubric
    if is_file and any(finding.kind.is_fixed_by_edit for finding in urgent):
        yield doc.Notes((_after_an_edit(urgent, calibration),))
    if idle:
        yield doc.Section(WORTH_KNOWING, (_cards(idle, calibration),))


def changes_no_decision(finding: Finding, among: Sequence[Finding]) -> bool:
    """Return True if fixing a finding alone corrects no wrong decision, and no other finding is its cause.

    Args:
        finding: The finding.
        among: The findings among which its cause is looked for.
    """
    is_part = any(finding.kind.part_of == cause.code and finding.criterion == cause.criterion for cause in among)
    return finding.repair is not None and finding.repair.is_idle and not is_part


def _of_several(repairs: "Repairs | None") -> Iterator[doc.Block]:
    """Yield sentences on wrong decisions that only two criteria together correct, and on those that none corrects."""
    lines: list[doc.Line] = []
    if repairs is not None and repairs.pair is not None:
        lines.append((f"{pair_in_words(repairs)} ", doc.Ids(repairs.pair.examples)))
    if repairs is not None and repairs.stays_wrong:
        lines.append((f"{stays_wrong_in_words(repairs)} ", doc.Ids(repairs.stays_wrong)))
    if lines:
        yield doc.Paragraph(tuple(lines))


def _cards(findings: Sequence[Finding], calibration: Calibration) -> doc.Cards:
    targets = {name: f"c{index}" for index, name in enumerate(calibration.comparison.criteria)}
    cards: list[doc.Card] = []
    stated: set[str] = set()
    for group in by_cause(findings):
        cards.append(_card(group, calibration, targets, stated))
        stated |= {finding.criterion for finding in group if finding.criterion and finding.repair is not None}
    return doc.Cards(tuple(cards))


def _after_an_edit(shown: Sequence[Finding], calibration: Calibration) -> str:
    """Return advice on how to see what an edit of the rubric changed, for a report on a file of ratings.

    Args:
        shown: The findings that the report shows; if one suggests `improve`, the sentence mentions it.
        calibration: The calibration.
    """
    commands = calibration.commands
    by_improve = commands.can_improve and any(finding.command(commands) == commands.improve() for finding in shown)
    by = ", by hand or by `improve`," if by_improve else ","
    return f"After an edit{by} rerun this on new ratings by the judge."


def _is_in_callout(finding: Finding, decision: Decision) -> bool:
    """Return True if the box at the top already says what a finding says: few labels, or a better baseline."""
    if finding.kind.fixed_by == "more labels":
        return decision.labels_needed is not None
    return finding.kind.compares_baseline and decision.compares_baseline


def _first_step(calibration: Calibration) -> str:
    """Return what to do next if there is nothing to fix."""
    if not calibration.comparison.gold.has_people:
        return "No issues found, but only against labels that no annotator gave."
    decision = calibration.decision
    if decision.because_code in decision.circumstances.against_gate:
        return "Nothing: no issues found."
    is_capped = decision.verdict != "ok" and calibration.comparison.is_capped(decision.target)
    if is_capped or decision.verdict == "labels-disagree":
        return "No issues found with the judge: the labels are what to work on."
    match decision.verdict:
        case "ok":
            return _on_false_passes(calibration) or "Nothing: no issues found."
        case "adjust":
            return "No single cause found: read examples on which judge and labels differ."
        case _:
            return "No issues found, but too few labels to tell: label more examples."


def _on_false_passes(calibration: Calibration) -> str:
    """Return advice to set a limit on false passes, if there are many and no limit is set; else ""."""
    rate = calibration.comparison.false_pass_rate
    if (rate.low or 0.0) < WORTH_A_LIMIT or calibration.most_wrong.false_pass is not None:
        return ""
    if calibration.rubric.table_of is not None:
        return (
            f"Whether it may pass {rate.as_share()} of the fails is yours to say: `-o max_false_pass=P` sets a limit."
        )
    return (
        f"No criterion needs an edit. Whether it may pass {rate.as_share()} of the fails is yours to say: "
        "`max_false_pass` in the rubric sets a limit."
    )


# --- cards ----------------------------------------------------------------------------------------------------------


def by_cause(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Group findings by cause, in the order in which to fix them.

    Findings on criteria and findings on whole responses are never in one group. A finding that another finding on the
    same criterion explains is put into the group of that finding. If the explained finding is on a change since the
    accepted run, such as "agreement fell" next to "moved", it is left out.
    """
    present = {(finding.code, finding.criterion) for finding in findings}
    groups: dict[tuple[str, bool], list[Finding]] = defaultdict(list)
    for finding in findings:
        kind = finding.kind
        explained_by = kind.part_of if (kind.part_of, finding.criterion) in present else None
        if explained_by is not None and kind.cause == "change":
            continue
        groups[explained_by or kind.code, finding.criterion is None].append(finding)
    return sorted(groups.values(), key=lambda group: group[0].kind.step)


def _card(
    group: Sequence[Finding], calibration: Calibration, targets: Mapping[str, str], stated: Collection[str]
) -> doc.Card:
    """Build the card of findings with a common cause.

    Args:
        group: The findings of the cause, which share the card.
        calibration: The calibration.
        targets: For each criterion, the name of its place on the page, for links.
        stated: Criteria for which an earlier card states the effect of fixing them.
    """
    first = group[0]
    causes = [finding for finding in group if finding.code == first.code]
    parts = [finding for finding in group if finding.code != first.code]
    is_one = len(causes) == 1
    changes = [finding for finding in group if finding.criterion not in stated]
    rows = () if is_one else (*_rows(causes, targets), *_changes(changes, targets))
    text = _text(first, calibration) if is_one else ""
    return doc.Card(
        title=_title(causes, targets),
        text=_followed(text, repair_of_finding(first)) if is_one and first in changes else text,
        severity=first.severity,
        code=first.code,
        rows=rows + tuple(_part(part, is_one=is_one, says_change=is_one and part in changes) for part in parts),
        advice=tuple(dict.fromkeys(finding.suggestion for finding in causes if finding.suggestion)),
        command=first.command(calibration.commands),
        examples=doc.Ids(tuple(dict.fromkeys(unit for finding in group for unit in _examples(finding)))),
    )


def _part(part: Finding, *, is_one: bool, says_change: bool) -> str:
    """Format a further finding on a card as a probable part of the change that the card's first one reports.

    Args:
        part: The finding.
        is_one: True if all findings on the card have one cause, so that the sentence needn't name the criterion.
        says_change: True to add how many decisions fixing the criterion corrects.
    """
    words = part.text if is_one else part.message
    return f"Probably part of this change: {_followed(words, repair_of_finding(part) if says_change else '')}"


def _followed(words: str, sentence: str) -> str:
    return f"{words} {sentence}" if words and sentence else words or sentence


def _changes(findings: Sequence[Finding], targets: Mapping[str, str]) -> Iterator[doc.Line]:
    """Yield a line for each criterion on the decisions that fixing it alone would change; small effects are left out.

    If all effects are small, the first finding that would change any decision gets a line all the same. If fixing any
    one criterion changes no decision, a last line says so.

    Args:
        findings: The findings on criteria.
        targets: Target of the link to each criterion, by the criterion's name.
    """
    counted = [finding for finding in findings if finding.repair is not None and finding.repair.repaired]
    for finding in [finding for finding in counted if finding.severity != "low"] or counted[:1]:
        name = doc.Name(finding.criterion or "", targets.get(finding.criterion or "", ""))
        yield "Fixing ", name, repair_of_finding(finding, " alone")
    if findings and all(finding.repair is not None and finding.repair.is_idle for finding in findings):
        yield "Fixing one of them alone changes no decision here."


def _examples(finding: Finding) -> tuple[str, ...]:
    """Return the examples that fixing a finding would correct; if there are none, those that it names."""
    return finding.examples if finding.repair is None else finding.repair.examples or finding.examples


def _title(causes: Sequence[Finding], targets: Mapping[str, str]) -> doc.Line:
    """Return a card's title: the criterion of its only finding or, for several, their number and common cause.

    Args:
        causes: The findings that the card is about.
        targets: Target of the link on a criterion's name, by the name.
    """
    first = causes[0]
    if len(causes) > 1:
        where = f"{len(causes)} criteria" if first.criterion is not None else f"{len(causes)} findings"
        return f"{where} · {first.kind.short}"
    if first.criterion is not None:
        return doc.Name(first.criterion, targets.get(first.criterion, ""))
    return f"{first.kind.short[:1].upper()}{first.kind.short[1:]}"


def _text(finding: Finding, calibration: Calibration) -> str:
    """Return the text of a finding; only its cause if the box at the top of the report has the text already."""
    baseline = calibration.baseline
    return finding.kind.short if baseline is not None and baseline.states(finding) else finding.text


def _rows(causes: Sequence[Finding], targets: Mapping[str, str]) -> Iterator[doc.Line]:
    """Yield a row for each different text among the findings: the criteria with this text, then the text.

    Args:
        causes: The findings.
        targets: Addresses on the page to which the names of criteria link, by criterion.
    """
    by_text: dict[str, list[doc.Name]] = {}
    for finding in causes:
        names = by_text.setdefault(finding.text, [])
        if finding.criterion is not None:
            names.append(doc.Name(finding.criterion, targets.get(finding.criterion, "")))
    for text, names in by_text.items():
        listed = [word for name in names for word in (", ", name)][1:]
        yield (*listed, f" · {text}") if listed else text
