"""Checks of the notes file that a reading sheet (the page as a file without a server) saves for one reader."""

import hmac
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError
from markscheme.features.discover.reading import OutputReading
from markscheme.features.discover.store import NOTES_FOLDER
from markscheme.phrases import few_of
from markscheme.plain_data import read_text, shown
from markscheme.ratings.example_rows import Example
from markscheme.readers.sheet import KEY, VERSION, responses_of, saved_for, signed

NoteSheetHead = Mapping[str, Any]


def head_of(name: str, rater: str, examples: Iterable[Example], key: str) -> dict[str, Any]:
    """Make the first line of a reading sheet's notes file, with the reader and the outputs.

    Args:
        name: Name of the discovery.
        rater: Name of the reader.
        examples: The outputs to read.
        key: The project's key, with which the line is signed so that a changed file is noticed.
    """
    head = {"sheet": VERSION, "name": name, "rater": rater, "kind": "human", "responses": responses_of(examples)}
    return signed(head, key)


def is_head(record: Any) -> bool:
    """Return True if a line begins a file of notes that a reading sheet, a page without a server, saved."""
    return isinstance(record, Mapping) and "sheet" in record and "responses" in record


def refuse_changed_head(head: NoteSheetHead, folder: Path, path: Path) -> None:
    """Raise an error if the first line of a sheet's notes file was changed, or is of another discovery's sheet.

    Args:
        head: The file's first line.
        folder: The discovery's folder.
        path: The file.

    Raises:
        RatingError: The head was changed, or is of another discovery's sheet.
    """
    if head.get("sheet") != VERSION:
        raise RatingError("is a reading sheet of a later version of markscheme", path=path)
    key = folder / KEY
    if not key.is_file():
        problem = f"can't be checked: {key} isn't here; take it in where it was written, or copy that file here"
        raise RatingError(problem, path=path)
    digest = signed(head, read_text(key, RatingError).strip())["digest"]
    if not hmac.compare_digest(digest.encode(), str(head.get("digest")).encode()):
        problem = f"its head isn't the one that was written: the file was changed by hand, or {key} is of another copy"
        raise RatingError(problem, path=path)
    if head.get("name") != folder.name:
        raise RatingError(f"was read for {shown(head.get('name'))}; this is {folder.name!r}", path=path)


def refuse_headless(path: Path, folder: Path) -> None:
    """Raise an error for a file named like notes from this discovery's reading sheet that lacks the sheet's head.

    Raises:
        RatingError: The file is such a file.
    """
    before, dash, rater = path.stem.partition(f"{folder.name}-")
    is_named_so = not before and dash and path.suffix == ".jsonl" and (folder / KEY).is_file()
    if is_named_so and (folder / NOTES_FOLDER / f"{saved_for(rater)}.jsonl").is_file():
        raise RatingError(
            f"has the name of {saved_for(rater)}'s notes on a reading sheet, and not the sheet's head: the file was "
            "changed by hand",
            path=path,
        )


def refuse_unasked(reading: OutputReading, head: NoteSheetHead) -> None:
    """Raise an error if a reading's reader or output isn't among those in the first line of the sheet's notes file.

    Raises:
        ValueError: The reader or the output isn't in the head; the message says which.
    """
    for name in ("rater", "kind"):
        if getattr(reading, name) != head[name]:
            raise ValueError(f"{name} is {getattr(reading, name)!r}; the sheet is for {head[name]!r}")
    if reading.id not in head["responses"]:
        raise ValueError(f"the sheet doesn't show the output {shown(reading.id)}")


def refuse_other_outputs(head: NoteSheetHead, examples: Mapping[str, Example], path: Path) -> None:
    """Raise an error if a sheet has outputs that the discovery lacks, or whose texts differ from the discovery's.

    Args:
        head: The sheet's head, with a fingerprint of each output's texts by id.
        examples: The discovery's outputs, by id.
        path: The sheet, for the error.

    Raises:
        RatingError: Outputs are missing or differ; the message names them.
    """
    here = responses_of(examples.values())
    for problem, ids in (
        ("are not among the outputs here", [id for id in head["responses"] if id not in here]),
        ("differ from those here", [id for id, then in head["responses"].items() if here.get(id, then) != then]),
    ):
        if ids:
            of_all = f"{len(ids)} of {len(head['responses'])} outputs"
            raise RatingError(f"was read on another pool: {of_all} {problem}: {few_of(ids)}", path=path)
