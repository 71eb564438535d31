"""Report of `lint` on a rubric: the faults or advice with their lines, and what to do next."""

from markscheme.features.lint.lint import UNKNOWN_CHECK, LintReport
from markscheme.phrases import counted
from markscheme.report.document import Block, Callout, Document, Items, Line, Name, Notes, Paragraph
from markscheme.rubrics.advice import Advice


def view(report: LintReport, next_step: str | None = None) -> Document:
    """Return the report on a rubric: the errors for which it is refused, or advice on a valid one.

    Args:
        report: The rubric's file, its errors, advice and notes.
        next_step: The command to use the rubric with next; None for no command.
    """
    title = str(report.rubric)
    notes = Notes(tuple(f"Note: {note}." for note in report.notes))
    if report.faults:
        errors = counted(len(report.faults), "error")
        callout = Callout("bad", f"{errors} to correct.", "Until then, no command can use the rubric.")
        return Document(title, "", (callout, _faults(report), notes))
    things = counted(len(report.advice), "thing")
    is_usable = all(advice.code != UNKNOWN_CHECK for advice in report.advice)
    use = "The rubric can be used as it is." if is_usable else "Nothing can be graded until the check is found."
    callout = Callout("note", f"{things} to improve.", use)
    items = Items(tuple((_advice(advice),) for advice in report.advice))
    onward = ("Next, with or without these edits", next_step) if next_step and is_usable else None
    return Document(title, "", (callout, items, notes), onward=onward)


def _faults(report: LintReport) -> Block:
    """Return a line for each error, which begins with file and line as editors expect it."""
    return Paragraph(tuple(f"{report.rubric}:{fault.line or 1}: {fault.problem}" for fault in report.faults))


def _advice(advice: Advice) -> Line:
    """Return a line with one piece of advice: its criterion, what to do, and its code."""
    sentence = f"{advice.message} [{advice.code}]"
    return (Name(advice.criterion), f": {sentence}") if advice.criterion else sentence
