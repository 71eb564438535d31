"""The report on an import: how the file was interpreted, who rated, and what could not be imported."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markscheme.features.other_tools.lost_words import (
    COLUMN_OF_IDS,
    LEVELS_OF_WORDS,
    counted_loss,
    has_row_without_id,
    has_unread_column,
    has_word_off_scale,
)
from markscheme.features.other_tools.run_import import ImportRun
from markscheme.features.other_tools.target_files import TargetFiles
from markscheme.phrases import counted, in_words
from markscheme.ratings.additions import Additions
from markscheme.ratings.codes import RatingCodes
from markscheme.readers.rated import RatedFile
from markscheme.report.document import Callout, Document, Line, Paragraph
from markscheme.report.json import attributes

_FORMATS = {"lines": "lines of one rating each"}
"""Descriptions of formats whose names alone say too little."""
ADDITIONS_COUNTED = "known=n_known new=n_new changed=n_changed older=n_older"
"""The counts of additions under the keys of their JSON."""


def view(run: ImportRun) -> Document:
    """Render the report of an import."""
    file = run.file
    examples_to = run.targets.examples
    lines = tuple(_lines(file, run.targets))
    unit = "pair" if file.rubric.is_of_pairs else "response"
    responses = f"{counted(len(run.examples), unit)} written to {examples_to}" if examples_to else ""
    callout = Callout("note" if file.lost else "good", _written(file, run.targets.ratings, responses, run.additions))
    return Document(f"{file.path}, read as {_FORMATS.get(file.format, file.format)}", "", (callout, Paragraph(lines)))


def _written(file: RatedFile, to: Path | None, responses: str, additions: Additions | None) -> str:
    """Return a sentence on how many ratings and responses were read or written, and how much was lost.

    Args:
        file: The content of the files that were read.
        to: The file of ratings that was written; None if none was.
        responses: A phrase on the responses; "" if there are none.
        additions: What was added to `to`; None if that file is new.
    """
    ratings = f"{counted(len(file.ratings), 'rating')} read" if file.ratings or not responses else ""
    if to:
        ratings = f"{counted(len(file.ratings), 'rating')} written to {to}"
    if to and additions is not None:
        older = f", {additions.n_older} older than the answer there and left out" if additions.n_older else ""
        numbers = f"{additions.n_known} known, {additions.n_new} new, {additions.n_changed} changed"
        ratings = f"{to}: {numbers}{older}"
    lost = f"{counted(sum(Counter(file.lost).values()), 'thing')} lost" if file.lost else "nothing was lost"
    return f"{'; '.join(filter(None, [ratings, responses, lost]))}."


def _lines(file: RatedFile, targets: TargetFiles) -> Iterator[Line]:
    for name, counts in _raters(file).items():
        ungraded = f", {counts['ungraded']} of them ungraded" if counts["ungraded"] else ""
        yield f"  {name} ({counts['kind']}): {counted(counts['ratings'], 'rating')}{ungraded}"
    yield from (f"note: {note}" for note in file.notes)
    unwritten = not targets.examples and len(file.examples)
    if unwritten:
        yield f"not written: {counted(unwritten, 'response')}; --examples FILE.jsonl writes them"
    if file.lost:
        yield "lost (ratings cannot hold it):"
    yield from (f"  {counted_loss(things, count)}" for things, count in Counter(file.lost).most_common())
    if has_word_off_scale(file.lost):
        yield f"  {LEVELS_OF_WORDS}: add it to the command{', with --append' if targets.ratings else ''}"
    if has_row_without_id(file.lost):
        yield f"  {COLUMN_OF_IDS}"
    unanswered = _unanswered(file) if has_unread_column(file.lost) else []
    if unanswered:
        yield f"  no rating on {in_words(unanswered)}: `--map COLUMN={unanswered[0]}` names the column"


def _unanswered(file: RatedFile) -> list[str]:
    """Return the names of the criteria that no rating of the file answers, without those that code decides."""
    ratings = RatingCodes.of(file.ratings)
    answered = {name for name, answers in zip(ratings.names, ratings.answers, strict=True) if answers}
    return [c.name for c in file.rubric.criteria if c.check is None and c.name not in answered]


def _raters(file: RatedFile) -> dict[str, dict[str, Any]]:
    """Map each rater to its kind, the number of its ratings, and how many of these are ungraded."""
    raters: dict[str, dict[str, Any]] = {}
    for header, times in RatingCodes.of(file.ratings).header_counts():
        counts = raters.setdefault(header.rater, {"kind": header.kind, "ratings": 0, "ungraded": 0})
        counts["ratings"] += times
        counts["ungraded"] += times if header.error is not None else 0
    return raters


def json_of(run: ImportRun) -> dict[str, Any]:
    """Return the report on an import as a dict with the keys of the JSON output."""
    return {
        "schema": 1,
        **attributes(run.file, "file=path taken_for=format"),
        "examples": len(run.file.examples),
        "ratings": len(run.file.ratings),
        "raters": _raters(run.file),
        **attributes(run.file, "lost notes"),
        "to": run.targets.ratings,
        "examples_to": run.targets.examples,
        "added": None if run.additions is None else attributes(run.additions, ADDITIONS_COUNTED),
    }
