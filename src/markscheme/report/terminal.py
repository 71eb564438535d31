"""A Calibration on a screen: the answer first, then the evidence."""

from typing import IO

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.decision import Finding
from markscheme.report import words
from markscheme.report.baseline import baseline_lines
from markscheme.report.screen import Screen

_COLOURS = {"gate": "bold green", "trend": "bold green", "explore": "bold yellow", "none": "bold red"}
MOST_FINDINGS = 8
LONGEST_REASON = 220


def print_calibration(calibration: Calibration, file: IO[str], *, width: int | None = None) -> None:
    """Write the report to `file`; colours only where it is a screen."""
    screen = Screen(file, width=width)
    comparison = calibration.comparison
    for line in (words.judge_line(calibration), *words.source_lines(calibration), words.labels_line(calibration)):
        screen.say(line)
    screen.say("")
    screen.say(words.use_line(calibration), _COLOURS[calibration.decision.use])
    screen.say(words.parted_line(comparison.false_passes, "False passes"))
    screen.say(words.parted_line(comparison.false_fails, "False fails"))
    screen.say("")
    screen.say(words.agreement_line(calibration))
    screen.say(words.overall_line(calibration))
    for line in words.care_lines(calibration):
        screen.say(line)
    for line in baseline_lines(calibration.baseline) if calibration.baseline else ():
        screen.say(line)
    screen.say("")
    rows, slices = words.criterion_rows(calibration), words.slice_rows(calibration)
    screen.tabulate(words.CRITERION_HEADINGS, rows)
    if slices:
        screen.say("")
        screen.tabulate(words.SLICE_HEADINGS, slices)
    for line in words.rough_legend(calibration):
        screen.say(line)
    _say_findings(calibration, screen)
    _say_differences(calibration, screen)


def _say_findings(calibration: Calibration, screen: Screen) -> None:
    screen.say("")
    if not calibration.findings:
        screen.say(words.NOTHING_FOUND)
        return
    screen.say("What to look at", "bold")
    kinds: dict[tuple[str, bool], list[Finding]] = {}
    for finding in calibration.findings:
        kinds.setdefault((finding.code, finding.criterion is None), []).append(finding)
    for worst, *alike in list(kinds.values())[:MOST_FINDINGS]:
        screen.say(f"- {worst.message}" + (f" Try: {worst.suggestion}" if worst.suggestion else ""))
        for finding in alike:
            if finding.criterion is None:
                screen.say(f"  Likewise: {finding.message}")
        named = [finding.criterion for finding in alike if finding.criterion is not None]
        if named:
            screen.say(f"  Likewise: {', '.join(named)}.")
    left = [code for code, _ in list(kinds)[MOST_FINDINGS:]]
    if left:
        screen.say(f"- And {', '.join(left)}: --markdown tells all.")


def _say_differences(calibration: Calibration, screen: Screen) -> None:
    found = words.differences(calibration)
    if not found:
        return
    screen.say("")
    screen.say("Where judge and gold differ most", "bold")
    for difference in found:
        screen.say(f"- {difference.id}: {difference.line}")
        if difference.reason:
            screen.say(f"  “{words.cut_short(difference.reason, LONGEST_REASON)}”")
