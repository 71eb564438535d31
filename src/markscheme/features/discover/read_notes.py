"""Reads notes that people wrote elsewhere: from tables, markscheme's own notes files, and exports of other tools."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from markscheme.errors import Fault, RatingError, refuse_lines
from markscheme.features.discover.modes import DEFAULT_SEVERITY, HOW_BAD, Assignment, Codebook, Mode
from markscheme.features.discover.note_sheet import (
    NoteSheetHead,
    is_head,
    refuse_changed_head,
    refuse_headless,
    refuse_unasked,
)
from markscheme.features.discover.noted_rows import noted_rows
from markscheme.features.discover.reading import READ_STATES, Note, OutputReading, ReadState, reading_of
from markscheme.phrases import counted
from markscheme.plain_data import shown
from markscheme.promptfoo.results import read_results
from markscheme.prompts.material import Material
from markscheme.prompts.submission import RESPONSE_KEYS, Submission, as_text
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.ratings.kinds import KINDS, PEOPLE, Kind
from markscheme.readers.file_format import FileFormat, ReadRemarks
from markscheme.readers.formats import LIST, PLAIN_LINES, PROMPTFOO_RESULTS, TABLE, format_of
from markscheme.readers.peek import Peek
from markscheme.readers.remarks import QUERY
from markscheme.readers.table_outputs import reads_as_table
from markscheme.readers.tabular.words import REASON_WORDS, decision_of, folded, name_words
from markscheme.text import is_path_component, on_one_line

NOTE_FIELDS = ("id", "note", "quote", "mode", "definition", "severity", "rater", "kind", "pass", "read", "at", "group")
"""Names of the columns that a table of notes may have."""


@dataclass(frozen=True)
class NotedPassage:
    """A note in a file: its text, the passage that it is about, and the failure modes that its writer put it into."""

    text: str
    quote: str | None = None
    modes: tuple[str, ...] = ()


@dataclass
class NotesIn:
    """Content of imported files of notes: notes, readings, failure modes and outputs.

    Attributes:
        rater: Name of the notes' author, for files that don't name the author; None if files must name the author.
        kind: Kind of the notes' author, for files that don't state it; None if files must state it. With "model", files
            may also have a model's notes, which are imported as suggestions.
        readings: The readings without their notes, by reader and output, in the order of the files.
        passages: The notes of each reading.
        modes: The modes that the files name.
        examples: The outputs that the files contain, by id.
        own_lines: Keys (reader and output) of the readings that are from markscheme's own files of notes. Only such
            files say if an output was read before its turn in the reading order.
        stated: Keys of readings for which a file says how the output was read; for other readings, "noted" is assumed.
        lost: Number of fields and values that the files have and that can't be stored in notes, by description.
        remarks: Sentences on how ambiguous files were read.
        sheets: The heads of reading sheets, by file.
    """

    rater: str | None = None
    kind: Kind | None = None
    readings: dict[tuple[str, str], OutputReading] = field(default_factory=dict)
    passages: dict[tuple[str, str], list[NotedPassage]] = field(default_factory=dict)
    modes: dict[str, Mode] = field(default_factory=dict)
    examples: dict[str, Example] = field(default_factory=dict)
    own_lines: set[tuple[str, str]] = field(default_factory=set)
    stated: set[tuple[str, str]] = field(default_factory=set)
    lost: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    sheets: dict[Path, NoteSheetHead] = field(default_factory=dict)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the outputs that the files say were read, in the order of the files."""
        return tuple(dict.fromkeys(id for _, id in self.readings))

    @property
    def n_notes(self) -> int:
        """Number of notes in the files."""
        return sum(map(len, self.passages.values()))

    def add(self, reading: OutputReading, passages: Iterable[NotedPassage] = (), *, says_state: bool = False) -> None:
        """Add a reading and its notes; if the reader has read the output before, merge the two readings.

        Args:
            reading: The reading, without notes.
            passages: Its notes.
            says_state: True if the row says whether the output was read in full.
        """
        key = (reading.rater, reading.id)
        earlier = self.readings.get(key)
        if earlier is None:
            self.readings[key] = reading
        else:
            read = reading.read if says_state else earlier.read
            passed = earlier.passed if reading.passed is None else reading.passed
            self.readings[key] = replace(earlier, read=read, passed=passed)
        if says_state:
            self.stated.add(key)
        self.passages.setdefault(key, []).extend(
            passage for passage in passages if passage not in self.passages.get(key, ())
        )

    def put(self, reading: OutputReading, passages: Iterable[NotedPassage]) -> None:
        """Add a reading from markscheme's own notes files; it replaces the reader's earlier reading of the output.

        Args:
            reading: The reading.
            passages: Its notes, with the passages that they are about.
        """
        key = (reading.rater, reading.id)
        self.readings[key] = reading
        self.passages[key] = list(passages)
        self.own_lines.add(key)
        self.stated.add(key)

    def withdraw(self, reading: OutputReading) -> None:
        """Remove a reader's reading of an output, because a later line of the file withdraws it."""
        key = (reading.rater, reading.id)
        for table in (self.readings, self.passages):
            table.pop(key, None)
        self.own_lines.discard(key)
        self.stated.discard(key)

    def add_mode(self, mode: Mode) -> None:
        """Add a failure mode that a file names; if it is known already, add only a missing definition or severity."""
        earlier = self.modes.get(mode.name)
        if earlier is None:
            self.modes[mode.name] = mode
            return
        is_person = earlier.kind in PEOPLE or mode.kind in PEOPLE
        self.modes[mode.name] = replace(
            earlier,
            definition=earlier.definition or mode.definition,
            severity=mode.severity if earlier.severity == DEFAULT_SEVERITY else earlier.severity,
            kind="human" if is_person else earlier.kind,
        )


def read_notes(
    paths: Sequence[Path],
    rater: str | None = None,
    kind: Kind | None = None,
    folder: Path | None = None,
    columns: ColumnOptions = ColumnOptions(),
) -> NotesIn:
    """Read the notes in files, whatever their formats.

    Args:
        paths: The files.
        rater: Name of the notes' author, for files that don't say it.
        kind: Kind of the notes' author, such as "human" or "model", for files that don't say it.
        folder: The discovery's folder, with which the signed first lines of its reading sheets are checked; None
            outside a discovery.
        columns: What the columns and values of tables mean.

    Raises:
        RatingError: A file has no known format, can't be read, or doesn't say who wrote the notes; or it is a reading
            sheet that was changed.
    """
    content = NotesIn(rater, kind)
    exports: dict[str, tuple[ReadRemarks, list[Peek]]] = {}
    for peek in (Peek(path, columns) for path in paths):
        file_format = format_of(peek, "anything")
        if reads_as_table(peek.path, columns) or (not _has_notes(peek) and _may_have_notes(peek, file_format)):
            _read_rows(peek.path, ((None, row) for row in noted_rows(peek.path, columns)), content)
        elif _has_notes(peek):
            if folder is not None:
                _read_head(peek, folder, content)
            _read_rows(peek.path, ((line, record) for line, (_, record) in peek.parts_on_lines()), content)
        elif file_format is PROMPTFOO_RESULTS:
            _read_results(peek, content)
        elif file_format is not None and file_format.read_remarks is not None:
            exports.setdefault(file_format.reads, (file_format.read_remarks, []))[1].append(peek)
        else:
            raise RatingError(
                "has no notes: expected rows with `id` and `note`, Promptfoo's results, or an export of Langfuse, "
                "Label Studio, MLflow, LangSmith or Phoenix",
                path=peek.path,
            )
    for read_remarks, peeks in exports.values():
        _read_tool_files(read_remarks, peeks, content)
    if not content.readings:
        raise RatingError(f"contains no notes{_instead(content.lost)}", path=paths[0])
    for named in dict.fromkeys(named for named, _ in content.readings):
        if not is_path_component(named):
            raise RatingError(
                f"names a reader {named!r}, whose notes can't be a file's; give a name of letters and digits",
                path=paths[0],
            )
    return content


def _read_head(peek: Peek, folder: Path, content: NotesIn) -> None:
    """Check the signed first line of a file of notes, and add it to the content as the file's head.

    Only a reading sheet writes such a line. A file without it is refused if it is named like a sheet's notes.

    Args:
        peek: The file.
        folder: The discovery's folder, which has the key of the signature.
        content: The content read so far.
    """
    head = peek.first[0][1]
    if not is_head(head):
        refuse_headless(peek.path, folder)
        return
    refuse_changed_head(head, folder, peek.path)
    content.sheets[peek.path] = head


def _instead(lost: Mapping[str, int]) -> str:
    most = sorted(lost.items(), key=lambda pair: -pair[1])[:3]
    return "; it contains " + "; ".join(f"{count} {name}" for name, count in most) if most else ""


def _has_notes(peek: Peek) -> bool:
    """Return True if a file is a table of notes, or a file of notes in the package's own format."""
    return any(
        isinstance(record, Mapping) and "id" in record and ("note" in record or isinstance(record.get("notes"), list))
        for _, record in peek.first
    )


def _may_have_notes(peek: Peek, file_format: FileFormat | None) -> bool:
    """Return True if a column of a file may hold notes.

    Any table or list may have such a column, since the user can name it. In a file of unknown format, a column's name
    has to mean notes or reasons. A file in any other format has none.
    """
    if file_format in (TABLE, LIST, PLAIN_LINES):
        return bool(peek.records)
    if file_format is not None:
        return False
    names = {name for record in peek.records for name in record}
    return any(set(name_words(name)) & REASON_WORDS for name in names)


# --- tables and lines -----------------------------------------------------------------------------------------------


def _read_rows(path: Path, records: Iterable[tuple[int | None, Any]], content: NotesIn) -> None:
    """Add the notes in records, each with its line in the file; None if the line isn't known.

    Raises:
        RatingError: A record isn't a note; the message names the line, or else the number of the row.
    """
    faults: list[Fault] = []
    here: dict[tuple[str, str], None] = {}
    head = content.sheets.get(path)
    for ordinal, (line, record) in enumerate(records, start=1):
        try:
            if not isinstance(record, Mapping):
                raise ValueError(f"a row is an object, found {shown(record)}")
            if ordinal == 1 and is_head(record):
                continue
            if head is not None:
                refuse_unasked(reading_of(record), head)
            add = _add_line_of_notes if "notes" in record or record.get("withdrawn") is True else _add_row
            reading = add(record, content)
            here[reading.rater, reading.id] = None
        except ValueError as error:
            faults.append(Fault(str(error), line, row=ordinal))
    if faults:
        refuse_lines(RatingError(faults, path=path))
    listed = {mode.name: mode.fingerprint for mode in content.modes.values() if mode.kind in PEOPLE}
    for key in here:
        after_all = content.readings.get(key)
        if after_all is not None and after_all.read == "in full":
            content.readings[key] = replace(after_all, listed={**listed, **after_all.listed})


def _add_line_of_notes(record: Mapping[str, Any], content: NotesIn) -> OutputReading:
    """Add the reading in a line of our own notes files; it replaces the reader's earlier reading of the output."""
    reading = reading_of(record, rater=content.rater)
    if record.get("kind") is None and content.kind is not None:
        reading = replace(reading, kind=content.kind)
    reading = replace(reading, rater=content.rater or reading.rater)
    if record.get("withdrawn") is True:
        content.withdraw(reading)
        return reading
    passages = [
        NotedPassage(note.text, note.quote, _names_in_note(raw.get("modes")))
        for raw, note in zip(record.get("notes") or (), reading.notes, strict=True)
    ]
    for passage in passages:
        for name in passage.modes:
            content.add_mode(Mode(name, by=reading.rater, kind=reading.kind, named=reading.at))
    content.put(replace(reading, notes=()), passages)
    return reading


def _add_row(record: Mapping[str, Any], content: NotesIn) -> OutputReading:
    """Add a table's row: a note on an output, or without a note just that the output was read."""
    id = _text(record, "id")
    if not id:
        raise ValueError("a row of notes names its output: `id` is missing")
    kind = _kind(record, content.kind)
    rater = _text(record, "rater") or content.rater
    if not rater:
        raise ValueError("doesn't say who wrote the note: name them in a column `rater`, or with `--rater NAME`")
    stated = _text(record, "read")
    read = stated or "noted"
    if read not in READ_STATES:
        raise ValueError(f"`read` is one of {', '.join(READ_STATES)}; found {shown(read)}")
    names = _names(record.get("mode"))
    for name in names:
        definition = on_one_line(_text(record, "definition")) if len(names) == 1 else ""
        content.add_mode(
            Mode(name, definition, _severity(record), by=rater, kind=kind, named=_text(record, "at") or None)
        )
    text = _text(record, "note")
    quote = _text(record, "quote")
    passages = [NotedPassage(text, quote or None, names)] if text or quote or names else []
    state: ReadState = read  # type: ignore[assignment]  # one of READ_STATES
    reading = OutputReading(
        id, rater, kind, state, passed=_decision(record.get("pass")), at=_text(record, "at") or None
    )
    content.add(reading, passages, says_state=bool(stated))
    _add_output(id, record, content)
    return reading


def _add_output(id: str, record: Mapping[str, Any], content: NotesIn) -> None:
    """Add the output that a row of notes contains; do nothing if the row lacks the output's text.

    Args:
        id: Id of the output.
        record: The row, by column.
        content: The content read so far, to which the output is added.
    """
    others = {key: value for key, value in record.items() if key not in NOTE_FIELDS and value not in (None, "")}
    key = next((key for key in RESPONSE_KEYS if key in others), None)
    if key is None:
        content.lost.update(f"column {name!r}" for name in others if name != "inputs")
        return
    if id in content.examples:
        return
    response = others.pop(key)
    named = others.pop("inputs", None)
    inputs = {("query" if name in QUERY else str(name)): value for name, value in others.items()}
    inputs |= named if isinstance(named, Mapping) else {}
    content.examples[id] = Example(Submission(as_text(response), inputs, id), group=_text(record, "group"))


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return "" if value is None else str(value).strip()


def _kind(record: Mapping[str, Any], stated: Kind | None) -> Kind:
    """Return who wrote a row, a person or a model: as the row says, else as the command states."""
    written = _text(record, "kind")
    if not written and stated is None:
        raise ValueError(
            "doesn't say whether a person or a model wrote the note: pass `--kind human` or `--kind model`"
        )
    kind = written or stated
    if kind not in KINDS:
        raise ValueError(f"kind is one of {', '.join(KINDS)}; found {shown(kind)}")
    return kind  # type: ignore[return-value]


def _names_in_note(value: Any) -> tuple[str, ...]:
    """Return the names of the failure modes of a note in our own notes files."""
    if value is not None and not isinstance(value, list | str):
        raise ValueError(f"`modes` of a note is a list of names, found {shown(value)}")
    return _names(value)


def _names(value: Any) -> tuple[str, ...]:
    """Return the names of failure modes in a cell: a single name, names separated by semicolons, or a list."""
    entries = value if isinstance(value, list) else str(value or "").split(";")
    return tuple(dict.fromkeys(name for cleaned in entries if (name := " ".join(str(cleaned).split()))))


def _severity(record: Mapping[str, Any]) -> int:
    written = _text(record, "severity")
    if not written:
        return DEFAULT_SEVERITY
    by_word = {word: level for level, word in HOW_BAD.items()} | {str(level): level for level in HOW_BAD}
    if written.removesuffix(".0") not in by_word:
        words = ", ".join(f"{level} {word}" for level, word in HOW_BAD.items())
        raise ValueError(f"`severity` is {words}; found {shown(written)}")
    return by_word[written.removesuffix(".0")]


def _decision(value: Any) -> bool | None:
    return decision_of(folded(str(value)))


# --- other tools ----------------------------------------------------------------------------------------------------


def _read_results(peek: Peek, content: NotesIn) -> None:
    """Read the comments written in Promptfoo's viewer as notes by a person."""
    if not content.rater:
        raise RatingError("doesn't say who commented in the viewer: name them with `--rater NAME`", path=peek.path)
    results = read_results(peek.path, unjudged=True)
    for row in results.rows:
        if row.response.strip():
            content.examples.setdefault(
                row.id, Example(Submission(row.response, row.inputs, row.id), group=row.task, system=row.system)
            )
        if row.manual is None and not row.comment:
            continue
        passed = None if row.manual is None else row.manual.passed
        reading = OutputReading(row.id, content.rater, content.kind or "human", passed=passed)
        content.add(reading, [NotedPassage(row.comment)] if row.comment else [])


def _read_tool_files(read_remarks: ReadRemarks, peeks: Sequence[Peek], content: NotesIn) -> None:
    """Read the comments in one export of another tool, and add them to `content` as notes.

    Args:
        read_remarks: The function that reads the tool's files.
        peeks: The files of the export.
        content: What was read so far, with the user's options on who wrote the comments.
    """
    remarks, responses, lost, notes = read_remarks(peeks)
    left_out = Counter[str]()
    for remark in sorted(remarks, key=lambda remark: remark.at or ""):
        kind = remark.kind or content.kind
        if kind is None:
            raise RatingError(
                "doesn't say whether a person or a model wrote some of its comments: pass `--kind human` or "
                "`--kind model`",
                path=peeks[0].path,
            )
        if kind not in PEOPLE and content.kind not in ("model", "code"):
            left_out["reasons of a judge (`--kind model` takes them in as suggestions)"] += bool(remark.text)
            continue
        rater = remark.rater or content.rater
        if not rater:
            raise RatingError("doesn't say who wrote some of its comments: `--rater NAME`", path=peeks[0].path)
        reading = OutputReading(remark.unit, rater, kind, at=remark.at or None)
        for name in remark.modes:
            content.add_mode(Mode(name, by=rater, kind=kind, named=reading.at))
        is_note = remark.text.strip() or remark.quote
        content.add(reading, [NotedPassage(remark.text.strip(), remark.quote or None, remark.modes)] if is_note else [])
    content.examples |= {id: example for id, example in responses.items() if id not in content.examples}
    content.lost.update(lost)
    content.lost.update({kind: times for kind, times in left_out.items() if times})
    content.remarks += notes


# --- into the files of a discovery ----------------------------------------------------------------------------------


def taken_in(
    content: NotesIn,
    before: Sequence[OutputReading],
    codebook: Codebook,
    *,
    is_random: bool,
    materials: Mapping[str, Material],
) -> tuple[tuple[OutputReading, ...], Codebook]:
    """Return the readings that an import adds or changes, and the codebook after adding the imported failure modes.

    A reading from a line in markscheme's own format replaces the stored one if it is later. A reading from the rows of
    a table adds its notes to the stored one; where the two contradict each other, the later one counts.

    Args:
        content: The content of the imported files.
        before: The readings so far.
        codebook: The modes and assignments so far.
        is_random: True if the outputs in the files are a random draw.
        materials: The texts of the outputs, by id, in which passages are looked up.

    Raises:
        UsageError: A name given as a note's mode can't be a mode's name.
    """
    earlier = {(reading.rater, reading.id): reading for reading in before}
    names = {name for mode in codebook.modes for name in mode.names}
    for mode in content.modes.values():
        if mode.name not in names:
            codebook = codebook.name_mode(mode)
        elif mode.definition and not codebook.mode(mode.name).definition:
            codebook = codebook.define(mode.name, mode.definition, mode.named or "", same_meaning=True)
    added = []
    for key, reading in content.readings.items():
        same = earlier.get(key)
        notes = list(same.notes) if same is not None else []
        named = set[int]()
        for passage in content.passages[key]:
            note = next((n for n in notes if (n.text, n.quote) == (passage.text, passage.quote)), None)
            if note is None:
                next_n = max((n.n for n in notes), default=0) + 1
                material = materials.get(reading.id)
                where = material.find(passage.quote) if material is not None and passage.quote else None
                note = Note(next_n, passage.text, passage.quote, where)
                notes.append(note)
            named.add(note.n)
            if passage.modes:
                codebook = _assigned(codebook, reading, note, passage.modes)
        is_own = key in content.own_lines
        whole = replace(reading, notes=tuple(notes), is_chosen=reading.is_chosen if is_own else not is_random)
        if same is not None:
            is_later = key in content.stated and not reading.is_before(same.at or "")
            if is_later and is_own:
                unchanged = tuple(note for note in notes if note.n in named or reading.at == same.at)
                whole = replace(reading, notes=unchanged, is_chosen=same.is_chosen, line=same.line)
            else:
                whole = _with_more(same, reading, tuple(notes), is_later=is_later)
        if whole != same:
            added.append(whole)
    return tuple(added), codebook


def _with_more(
    same: OutputReading, reading: OutputReading, notes: tuple[Note, ...], *, is_later: bool
) -> OutputReading:
    """Merge what a table's rows say of a reading (in full or not, pass or fail) and all notes into the stored reading.

    Args:
        same: The stored reading.
        reading: The reading as the table's rows describe it.
        notes: The notes of the stored reading and of the rows.
        is_later: True if the rows say how the output was read, and aren't older than the stored reading, so that they
            take precedence.
    """
    in_full = reading.read == "in full"
    read = reading.read if in_full or is_later else same.read
    listed = {**same.listed, **reading.listed} if in_full or not is_later else reading.listed
    passed = reading.passed if is_later and reading.passed is not None else same.passed
    return replace(same, notes=notes, read=read, listed=listed, passed=passed)


def _assigned(codebook: Codebook, reading: OutputReading, note: Note, modes: tuple[str, ...]) -> Codebook:
    key = reading.key_of(note)
    assignment = Assignment(key, modes, reading.rater, reading.kind, reading.at)
    table = codebook.assigned if reading.kind in PEOPLE else codebook.suggested
    earlier = table.get(key)
    if earlier is not None:
        return codebook  # a person may have moved it since
    return codebook.assign(assignment)


def lost_in_words(content: NotesIn) -> Iterator[str]:
    """Yield a phrase for each kind of content that an import left out, with its number, the most frequent first."""
    for name, times in content.lost.most_common():
        yield f"{times} {name}"


def in_words(content: NotesIn) -> str:
    """Return a line on how much an import took in."""
    raters = len({rater for rater, _ in content.readings})
    return f"{counted(content.n_notes, 'note')} on {counted(len(content.ids), 'output')} by {counted(raters, 'reader')}"
