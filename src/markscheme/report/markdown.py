"""A Calibration as Markdown, for a pull request."""

from collections.abc import Sequence

from markscheme.calibration.calibration import Calibration
from markscheme.report import words
from markscheme.report.baseline import baseline_lines


def calibration_markdown(calibration: Calibration) -> str:
    """The report as Markdown; text from outside is escaped."""
    comparison = calibration.comparison
    lines = [
        f"## Calibration of `{calibration.rubric.name}`: {calibration.decision.use}",
        "",
        f"**{escaped(words.use_line(calibration))}**",
        "",
        f"- {escaped(words.parted_line(comparison.false_passes, 'False passes'))}",
        f"- {escaped(words.parted_line(comparison.false_fails, 'False fails'))}",
        f"- {escaped(words.agreement_line(calibration))}",
        f"- {escaped(words.overall_line(calibration))}",
        *(f"- {escaped(line)}" for line in words.care_lines(calibration)),
        *(f"- {escaped(line)}" for line in (baseline_lines(calibration.baseline) if calibration.baseline else ())),
        f"- {escaped(words.judge_line(calibration))}",
        *(f"- {escaped(line)}" for line in words.source_lines(calibration)),
        f"- {escaped(words.labels_line(calibration))}",
        "",
        *table(words.CRITERION_HEADINGS, words.criterion_rows(calibration)),
    ]
    slices = words.slice_rows(calibration)
    rough = words.rough_legend(calibration)
    if slices:
        lines += ["", "### Parts that stand out", "", *table(words.SLICE_HEADINGS, slices)]
    lines += [f"\n{escaped(line)}" for line in rough]
    if not calibration.findings:
        lines += ["", words.NOTHING_FOUND]
    if calibration.findings:
        lines += ["", "### What to look at", ""]
        lines += [
            f"- {escaped(f'{f.message} Try: {f.suggestion}' if f.suggestion else f.message)}"
            for f in calibration.findings
        ]
    differing = words.differences(calibration)
    if differing:
        lines += ["", "### Where judge and gold differ most", ""]
        lines += [f"- {escaped(d.id)}: {escaped(d.line)} {escaped(d.reason)}".rstrip() for d in differing]
    return "\n".join(lines) + "\n"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    return [_row(headings), _row(["---"] * len(headings)), *(_row(row) for row in rows)]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escaped(cell) if cell != "---" else cell for cell in cells) + " |"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line: no tags, links, emphasis, mentions or table cells of its own."""
    line = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|~@!$" else letter for letter in line)
