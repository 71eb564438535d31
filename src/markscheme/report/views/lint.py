"""What `lint` found in a rubric: how much, where, and what to do next."""

from collections.abc import Mapping
from typing import Any

from markscheme.phrases import counted
from markscheme.report.document import Block, Callout, Document, Items, Line, Name, Notes, Paragraph
from markscheme.rubrics.lint import UNKNOWN_CHECK


def view(report: Mapping[str, Any], next_step: str = "") -> Document:
    """The errors of a rubric that is refused, or the advice on one that can be used.

    Args:
        report: The rubric's file, its errors, advice and notes, by the keys of the JSON.
        next_step: The command to use the rubric with; "" for none.
    """
    notes = Notes(tuple(f"Note: {note}." for note in report["notes"]))
    if report["faults"]:
        errors = counted(len(report["faults"]), "error")
        callout = Callout("bad", f"{errors} to correct.", "Until then, no command can use the rubric.")
        return Document(report["rubric"], "", (callout, _faults(report), notes))
    things = counted(len(report["advice"]), "thing")
    is_usable = all(entry["code"] != UNKNOWN_CHECK for entry in report["advice"])
    use = "The rubric can be used as it is." if is_usable else "Nothing can be graded until the check is found."
    callout = Callout("note", f"{things} to improve.", use)
    items = Items(tuple((_advice(entry),) for entry in report["advice"]))
    onward = ("Next, with or without these edits", next_step) if next_step and is_usable else None
    return Document(report["rubric"], "", (callout, items, notes), onward=onward)


def _faults(report: Mapping[str, Any]) -> Block:
    """Each error after its file and line, as editors and other programs read them."""
    return Paragraph(
        tuple(f"{report['rubric']}:{fault['line'] or 1}: {fault['problem']}" for fault in report["faults"])
    )


def _advice(entry: Mapping[str, Any]) -> Line:
    """The criterion, what to do, and the code of the advice in the JSON."""
    criterion = entry["criterion"]
    sentence = f"{entry['message']} [{entry['code']}]"
    return (Name(criterion), f": {sentence}") if criterion else sentence
