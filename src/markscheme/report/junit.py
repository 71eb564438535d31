"""Calibrations as JUnit XML for CI systems: a suite per judge, with a case for the whole and one per criterion."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.findings.finding import Finding
from markscheme.phrases import counted
from markscheme.report.document import Line
from markscheme.report.repairs import message_with_repair
from markscheme.report.sections.criteria import criterion_headings, criterion_rows, overall_line
from markscheme.report.sections.decisions import scores_line
from markscheme.report.sections.first_screen import callout, figures, tiles
from markscheme.report.terminal import inline
from markscheme.report.views.calibration import view

WHOLE_CASE = "verdict"
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def calibrations_junit(calibrations: Sequence[Calibration]) -> str:
    """Render one or more calibrations as JUnit XML.

    A criterion is a failed test if a finding of high severity is about it. The test of the whole calibration fails on
    the verdict "adjust", is an error if too few examples could be graded, and is skipped if there are not enough labels
    to decide.
    """
    root = Xml.Element("testsuites", name="markscheme calibrate")
    for calibration in calibrations:
        root.append(_suite(calibration))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _suite(calibration: Calibration) -> Xml.Element:
    name = f"{calibration.rubric.name} by {calibration.rater.name}"
    rows = zip(calibration.comparison.criteria, criterion_rows(calibration.comparison), strict=True)
    cases = [_whole(calibration), *(_criterion(calibration, criterion, row) for criterion, row in rows)]
    suite = Xml.Element("testsuite", name=_text(name), tests=str(len(cases)))
    for kind, key in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(key, str(sum(case.find(kind) is not None for case in cases)))
    properties = Xml.SubElement(suite, "properties")
    for key, value in (("use", calibration.decision.use), ("verdict", calibration.decision.verdict)):
        Xml.SubElement(properties, "property", name=key, value=value)
    suite.extend(cases)
    return suite


def _whole(calibration: Calibration) -> Xml.Element:
    case = _case(calibration, WHOLE_CASE)
    line = _answer(calibration)
    counts = calibration.counts
    verdict = calibration.decision.verdict
    if counts.too_few_graded:
        _outcome(case, "error", f"{counts.not_graded} of {counted(counts.examples, 'example')} not graded")
    elif verdict == "adjust":
        of_all = [finding for finding in calibration.findings if finding.criterion is None]
        _outcome(case, "failure", line, _messages(of_all))
    elif verdict != "ok":
        _outcome(case, "skipped", line)
    Xml.SubElement(case, "system-out").text = _text(_whole_lines(calibration))
    return case


def _answer(calibration: Calibration) -> str:
    answer = callout(calibration)
    parts = (f"{calibration.decision.verdict}: {answer.head}", answer.text, answer.command)
    return " ".join(text for text in parts if text)


def _whole_lines(calibration: Calibration) -> str:
    document = view(calibration)
    comparison = calibration.comparison
    shares = ", ".join(f"{name} {mark.text}" for name, mark in figures(calibration).rows)
    is_of_decisions = calibration.decision.gate_answer is not None
    counts = tiles(comparison, has_shares=not is_of_decisions).tiles
    wrong = [f"{label}: {words} {inline(ids)}".rstrip() for label, words, ids, _ in counts]
    of_scores = [inline(line) for line in scores_line(comparison, calibration.decision).lines]
    compared = f"{'Decisions' if is_of_decisions else 'Agreement'}: {shares}"
    lines = [_answer(calibration), *wrong, compared, *of_scores, overall_line(comparison), document.title]
    return "\n".join([*lines, document.source])


def _criterion(calibration: Calibration, name: str, row: Sequence[Line]) -> Xml.Element:
    case = _case(calibration, name)
    findings = [finding for finding in calibration.findings if finding.criterion == name]
    grave = [finding for finding in findings if finding.severity == "high"]
    if grave:
        _outcome(case, "failure", message_with_repair(grave[0]), _messages(grave))
    headings = criterion_headings(calibration.comparison)
    figures = "; ".join(f"{heading} {inline(cell)}" for heading, cell in zip(headings, row[1:-1], strict=True))
    milder = [finding for finding in findings if finding.severity != "high"]
    Xml.SubElement(case, "system-out").text = _text("\n".join([figures, _messages(milder)]).strip())
    return case


def _case(calibration: Calibration, name: str) -> Xml.Element:
    return Xml.Element("testcase", classname=_text(f"markscheme.{calibration.rubric.name}"), name=_text(name))


def _outcome(case: Xml.Element, kind: str, message: str, text: str | None = None) -> None:
    outcome = Xml.SubElement(case, kind, message=_text(" ".join(message.split())))
    outcome.text = (_text(text) or None) if text else None


def _messages(findings: Sequence[Finding]) -> str:
    parts = []
    for finding in findings:
        parts.append(message_with_repair(finding))
        if finding.suggestion:
            parts.append(f"Try: {finding.suggestion}")
        if finding.examples:
            parts.append(f"Examples: {', '.join(finding.examples)}")
    return "\n".join(parts)


def _text(text: str) -> str:
    """Return a text with the characters replaced that XML can't contain."""
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
