"""Import notes, assignments of notes to modes, and a model's suggestions into a discovery's files."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from markscheme.errors import Fault, RatingError, UsageError, refuse_lines, writing
from markscheme.features.discover.figures import ReadOutputs
from markscheme.features.discover.modes import Codebook, Mode
from markscheme.features.discover.note_sheet import refuse_other_outputs
from markscheme.features.discover.open_discovery import OUTPUTS_FILE, OpenedDiscovery, open_discovery
from markscheme.features.discover.pool import read_outputs
from markscheme.features.discover.read_notes import NotesIn, read_notes, taken_in
from markscheme.features.discover.reading import Note
from markscheme.features.discover.store import assignment_of
from markscheme.features.discover.suggestions import Suggestion, suggest
from markscheme.files import append_lines
from markscheme.judges.judge import Judge, Reply
from markscheme.phrases import counted, few_of
from markscheme.plain_data import json_lines
from markscheme.prompts.prompt import Prompt
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.ratings.kinds import PEOPLE, Kind
from markscheme.rubrics.search import calibration_folder
from markscheme.text import path_component


def now() -> str:
    """Return the current time as the text that readings and assignments store."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def take_notes(
    name: str,
    here: Path,
    paths: Sequence[Path],
    *,
    rater: str | None,
    kind: Kind | None,
    pool: Path | None,
    columns: ColumnOptions = ColumnOptions(),
    seed: int | None,
    is_random: bool,
) -> NotesIn:
    """Import notes from files into a discovery; notes that it has already aren't added again.

    Args:
        name: Name of the rubric to be.
        here: The working directory.
        paths: The files.
        rater: Name of the notes' author, for files that don't say it.
        kind: Kind of the notes' author, such as "human" or "model", for files that don't say it.
        pool: File of outputs; None for the file that was named before.
        columns: What the columns and values of tables mean.
        seed: Random seed of the reading order.
        is_random: True if the outputs in the files are a random draw.

    Raises:
        RatingError: A file can't be read, or doesn't say who wrote the notes; or it is a reading sheet that was
            changed, or that has other outputs.
        UsageError: The notes are on none of the outputs.
    """
    folder = calibration_folder(path_component(name, "the rubric's name"), here)
    content = read_notes(paths, rater, kind, folder, columns)
    drawn = content.ids if is_random else ()
    opened = open_discovery(name, here, pool=pool, columns=columns, seed=seed, drawn=drawn, more=content.examples)
    if pool is not None and not set(content.ids) & set(opened.pool.examples):
        raise UsageError(f"none of the notes is on an output in {pool}: no id in common")
    for path, head in content.sheets.items():
        refuse_other_outputs(head, opened.pool.examples, path)
    strangers = sorted(set(content.ids) - set(opened.pool.examples)) if opened.pool_name else []
    if strangers:
        outputs = counted(len(strangers), "output")
        content.remarks.append(
            f"{opened.pool_name} lacks {outputs} with notes, counted as read all the same: check {few_of(strangers)}"
        )
    unread = set(opened.unread) & set(content.ids) if opened.folder.readings() else set()
    if unread:
        content.remarks.append(f"{counted(len(unread), 'output')} that stayed unread so far count as read now")
    with opened.folder.locked():
        before = opened.codebook()
        readings = opened.folder.readings()
        added, codebook = taken_in(content, readings, before, is_random=is_random, materials=opened.pool.materials)
        _keep_outputs(opened, content.examples)
        opened.folder.add_readings(added)
        opened.folder.save(before, codebook)
    return content


def _keep_outputs(opened: OpenedDiscovery, examples: Mapping[str, Example]) -> None:
    """Store the outputs that came with imported notes, unless they are stored or in the file of outputs to read."""
    path = opened.folder.path / OUTPUTS_FILE
    kept_ids = {str(line.get("id")) for _, line in json_lines(path, RatingError)} if path.is_file() else set()
    if opened.pool_path is not None:
        columns = opened.folder.pool_record().column_options
        kept_ids |= set(read_outputs(opened.pool_path, columns).examples)
    new = [example.to_json(path.parent) for id, example in examples.items() if id not in kept_ids]
    if new:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            append_lines(path, new, follow=False)


def take_assignments(opened: OpenedDiscovery, path: Path, rater: str, kind: Kind | None) -> None:
    """Import assignments of notes to failure modes from a file; a model's assignments wait for a person to accept them.

    Modes that don't exist yet are added, as proposals if a model assigned the notes. A line may define a mode: {"mode":
    NAME, "definition": …, "severity": …}.

    Args:
        opened: The discovery.
        path: The file.
        rater: Name of the person or model that assigned the notes, for lines that don't state it.
        kind: Kind of that person or model, for lines that don't state it; None means a model.

    Raises:
        RatingError: Lines aren't assignments, or name notes that don't exist.
    """
    with opened.folder.locked():
        outputs = opened.outputs()
        opened.folder.save(outputs.codebook, _with_lines(outputs, path, rater, kind or "model"))


def _with_lines(outputs: ReadOutputs, path: Path, rater: str, who: Kind) -> Codebook:
    """Return the codebook after adding the failure modes and the assignments of notes that are in a file's lines.

    Args:
        outputs: What people read, with the codebook.
        path: The file.
        rater: Name of the person or model that wrote the lines.
        who: The kind of this rater.
    """
    moment = now()
    book = outputs.codebook
    faults: list[Fault] = []
    for line_number, line in json_lines(path, RatingError):
        try:
            if isinstance(line, Mapping) and isinstance(line.get("mode"), str):
                book = _with_mode(book, line, rater, who, moment)
                continue
            assignment = assignment_of(
                {"at": moment, **(line if isinstance(line, Mapping) else {})}, by=rater, kind=who
            )
            if assignment.note not in outputs.notes:
                raise ValueError(f"there is no note {assignment.note!r}; notes are named reader/output/number")
            for mode in assignment.modes:
                if not any(mode in known_mode.names for known_mode in book.modes):
                    book = book.name_mode(Mode(mode, by=rater, kind=who, named=moment))
            book = book.assign(assignment)
        except (ValueError, UsageError) as error:
            faults.append(Fault(str(error), line_number))
    if faults:
        refuse_lines(RatingError(faults, path=path))
    return book


def _with_mode(book: Codebook, line: Mapping[str, object], rater: str, kind: Kind, moment: str) -> Codebook:
    """Return the codebook with the failure mode that a line defines.

    If the codebook has the mode already, a person's line replaces the definition, a model's line doesn't. A severity in
    the line is set in either case.

    Args:
        book: The codebook.
        line: The line of a file of notes, with the mode's name and definition.
        rater: Name of the line's author.
        kind: Kind of the line's author, such as "human" or "model".
        moment: The time that is recorded for the change.
    """
    name = str(line["mode"])
    definition = " ".join(str(line.get("definition") or "").split())
    if not any(name in mode.names for mode in book.modes):
        book = book.name_mode(Mode(name, definition, by=rater, kind=kind, named=moment))
    elif kind in PEOPLE and definition and definition != book.mode(name).definition:
        book = book.define(name, definition, moment, same_meaning=line.get("same_meaning") is True)
    severity = line.get("severity")
    return book.with_severity(name, severity) if isinstance(severity, int) else book


async def suggested(
    opened: OpenedDiscovery, notes: Mapping[str, Note], modes: Mapping[str, str], judge: Judge
) -> Suggestion:
    """Ask a model to group notes, and store the groups as suggestions, which count only after a person accepts them.

    Afterwards the judge is closed, in the event loop in which it was asked.

    Args:
        opened: The discovery.
        notes: The unsorted notes, by key.
        modes: Definitions of the failure modes so far, by name.
        judge: The model, as a judge.
    """

    async def ask(prompt: Prompt) -> Reply:
        return await judge.reply(prompt)

    try:
        suggestion = await suggest(notes, modes, ask, str(judge.identity))
    finally:
        await judge.aclose()
    with opened.folder.locked():
        before = opened.codebook()
        opened.folder.save(before, suggestion.added_to(before, now()))
        opened.folder.keep_pool(None, agreement=suggestion.agreement)
    return suggestion
