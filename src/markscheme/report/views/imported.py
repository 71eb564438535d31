"""The report on an import: how the file was interpreted, who rated, and what could not be imported."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markscheme.phrases import counted
from markscheme.readers.imported import Reading
from markscheme.report.document import Document, Line, Paragraph
from markscheme.report.json import attributes


def view(found: Reading, to: Path | None, examples_to: Path | None) -> Document:
    """The report of an import.

    Args:
        found: What was read.
        to: Where the ratings were written; None if they were printed.
        examples_to: Where the responses were written; None if they weren't.
    """
    held = f"{counted(len(found.examples), 'response')} and {counted(len(found.ratings), 'rating')}"
    lines = tuple(_lines(found, to, examples_to))
    return Document(f"{found.path}, read as {found.taken_for}: {held}", "", (Paragraph(lines),))


def _lines(found: Reading, to: Path | None, examples_to: Path | None) -> Iterator[Line]:
    for name, said in _raters(found).items():
        ungraded = f", {said['ungraded']} of them ungraded" if said["ungraded"] else ""
        yield f"  {name}: {said['ratings']} ({said['kind']}{ungraded})"
    if to:
        yield f"ratings written to {to}"
    if examples_to:
        yield f"responses written to {examples_to}"
    yield from (f"note: {note}" for note in found.notes)
    unwritten = not examples_to and len(found.examples)
    if unwritten:
        yield f"not written: {counted(unwritten, 'response')}; --examples FILE.jsonl writes them"
    nothing = "nothing else was lost" if unwritten else "nothing was lost"
    yield "lost (ratings cannot hold it):" if found.lost else nothing
    yield from (f"  {count} {what}" for what, count in found.lost.most_common())


def _raters(found: Reading) -> dict[str, dict[str, Any]]:
    """For each rater, the kind of its ratings and how many there are."""
    raters: dict[str, dict[str, Any]] = {}
    for rating in found.ratings:
        entry = raters.setdefault(rating.rater, {"kind": rating.kind, "ratings": 0, "ungraded": 0})
        entry["ratings"] += 1
        entry["ungraded"] += rating.error is not None
    return raters


def json_of(found: Reading, to: Path | None, examples_to: Path | None) -> dict[str, Any]:
    """The report by the keys of its JSON."""
    return {
        "schema": 1,
        **attributes(found, "file=path taken_for"),
        "examples": len(found.examples),
        "ratings": len(found.ratings),
        "raters": _raters(found),
        **attributes(found, "lost notes"),
        "to": to,
        "examples_to": examples_to,
    }
