"""A Calibration on a screen: the answer first, then the evidence."""

from collections.abc import Callable, Sequence
from typing import IO, TypeAlias

from rich.table import Table
from rich.text import Text

from markscheme.calibration.diagnosis import Finding
from markscheme.calibration.run import Calibration
from markscheme.report import words
from markscheme.report.baseline import baseline_lines
from markscheme.report.figures import printable
from markscheme.report.screen import Screen

_COLOURS = {"gate": "bold green", "trend": "bold green", "explore": "bold yellow", "none": "bold red"}
MOST_FINDINGS = 8
LONGEST_REASON = 220
PAGE_WIDTH = 110
"""Where the report goes to a file or a pipe."""
Say: TypeAlias = Callable[..., None]


def print_calibration(calibration: Calibration, file: IO[str], *, width: int | None = None) -> None:
    """Write the report to `file`; colours only where it is a screen."""
    if width is None and not file.isatty():
        width = PAGE_WIDTH
    console = Screen(file=file, width=width, highlight=False)
    comparison = calibration.comparison

    def say(line: str, style: str = "") -> None:
        console.print(Text(printable(line), style=style))

    for line in (words.judge_line(calibration), *words.source_lines(calibration), words.labels_line(calibration)):
        say(line)
    say("")
    say(words.use_line(calibration), _COLOURS[calibration.decision.use])
    say(words.parted_line(comparison.false_passes, "False passes"))
    say(words.parted_line(comparison.false_fails, "False fails"))
    say("")
    say(words.agreement_line(calibration))
    say(words.overall_line(calibration))
    for line in words.care_lines(calibration):
        say(line)
    for line in baseline_lines(calibration.baseline) if calibration.baseline else ():
        say(line)
    say("")
    rows, slices = words.criterion_rows(calibration), words.slice_rows(calibration)
    console.print(_table(words.CRITERION_HEADINGS, rows))
    if slices:
        say("")
        console.print(_table(words.SLICE_HEADINGS, slices))
    for line in words.rough_legend(calibration):
        say(line)
    _say_findings(calibration, say)
    _say_differences(calibration, say)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading)
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _say_findings(calibration: Calibration, say: Say) -> None:
    say("")
    if not calibration.findings:
        say(words.NOTHING_FOUND)
        return
    say("What to look at", "bold")
    kinds: dict[tuple[str, bool], list[Finding]] = {}
    for finding in calibration.findings:
        kinds.setdefault((finding.code, finding.criterion is None), []).append(finding)
    for worst, *alike in list(kinds.values())[:MOST_FINDINGS]:
        say(f"- {worst.message}" + (f" Try: {worst.suggestion}" if worst.suggestion else ""))
        for finding in alike:
            if finding.criterion is None:
                say(f"  Likewise: {finding.message}")
        named = [finding.criterion for finding in alike if finding.criterion is not None]
        if named:
            say(f"  Likewise: {', '.join(named)}.")
    left = [code for code, _ in list(kinds)[MOST_FINDINGS:]]
    if left:
        say(f"- And {', '.join(left)}: --markdown tells all.")


def _say_differences(calibration: Calibration, say: Say) -> None:
    found = words.differences(calibration)
    if not found:
        return
    say("")
    say("Where judge and gold differ most", "bold")
    for difference in found:
        say(f"- {difference.id}: {difference.line}")
        if difference.reason:
            say(f"  “{words.cut_short(difference.reason, LONGEST_REASON)}”")
