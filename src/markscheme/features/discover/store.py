"""The files of a discovery in `calibration/<name>/`: notes, modes, assignments, and which outputs they are about."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from markscheme.errors import Fault, RatingError, UsageError, refuse_lines, writing
from markscheme.features.discover.mode_comments import ModeComments, comments_in
from markscheme.features.discover.modes import DEFAULT_SEVERITY, HOW_BAD, Assignment, Codebook, Mode
from markscheme.features.discover.reading import OutputReading, merged_readings, reading_of
from markscheme.files import append_lines, exclusive, write_whole
from markscheme.json_text import safe_json
from markscheme.numerals import finite
from markscheme.options.table import options_of
from markscheme.plain_data import (
    append_readable,
    json_lines,
    plain_data,
    read_json,
    read_text,
    refuse_unreadable,
    shown,
)
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.kinds import KINDS, PEOPLE
from markscheme.rubrics.search import project_of
from markscheme.text import path_component

NOTES_FOLDER = "notes"
MODES_FILE = "modes.yaml"
ASSIGNED_FILE = "assigned.jsonl"
SETTINGS_FILE = "discover.json"
_DIGEST_DIGITS = 16
"""Number of hexadecimal digits of a file's SHA-256 that are stored, as many as in other fingerprints."""


@dataclass(frozen=True)
class PoolRecord:
    """Record of which outputs a discovery is about, and of its settings.

    Attributes:
        path: The pool's file, as a path from the calibration folder if possible; None if only notes are known.
        fingerprint: Digest of the content of that file when the user last named it, by which a file that is named now
            is recognized as the same. A file with another digest may be read too, since a pool may grow. None if no
            digest is on record.
        seed: Random seed of the reading order.
        drawn: Ids of the outputs in files that users declared to be a random draw, in the order of the files.
        agreement: Adjusted Rand index between the two groupings that the last model proposed when it was asked twice;
            None if no model has proposed groups.
        reads_all: True if the user chose that no output stays unread.
        columns: Options that the user gave on the columns of a pool that is a table, by name.
    """

    path: str | None = None
    fingerprint: str | None = None
    seed: int = 1
    drawn: tuple[str, ...] = ()
    agreement: float | None = None
    reads_all: bool = False
    columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def column_options(self) -> ColumnOptions:
        """The user's options on the pool's columns, as recorded; recorded names that aren't options are ignored."""
        keywords: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in self.columns.items()
            if key in options_of(ColumnOptions)
        }
        return ColumnOptions(**keywords)

    def to_json(self) -> dict[str, Any]:
        """Return the record of the outputs as a dict with the keys of `discover.json`."""
        of_table = {"columns": dict(self.columns)} if self.columns else {}
        pool = None if self.path is None else {"path": self.path, "fingerprint": self.fingerprint or "", **of_table}
        proposal = {} if self.agreement is None else {"proposal": {"agreement": self.agreement}}
        reading = {"read_all": True} if self.reads_all else {}
        return {"schema": 1, "pool": pool, "seed": self.seed, "drawn": list(self.drawn), **proposal, **reading}


def digest_of(path: Path) -> str:
    """Compute the digest of a file's content.

    Raises:
        UsageError: The file can't be read.
    """
    try:
        return sha256(path.read_bytes()).hexdigest()[:_DIGEST_DIGITS]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error


@dataclass(frozen=True)
class DiscoveryFolder:
    """The folder with the files of one discovery.

    Attributes:
        path: The folder `calibration/<name>`.
    """

    path: Path

    @property
    def name(self) -> str:
        """Name of the discovery, which is the name of the rubric that it leads to."""
        return self.path.name

    # --- reading ------------------------------------------------------------------------------------------------------

    def notes_file(self, rater: str) -> Path:
        """Return the path of the file with one reader's notes.

        Raises:
            UsageError: The reader's name can't be that of a file.
        """
        return self.path / NOTES_FOLDER / f"{path_component(rater, '--rater')}.jsonl"

    def readings(self) -> tuple[OutputReading, ...]:
        """Read the readings of all readers, each reader's in the order in which they were first finished.

        Raises:
            RatingError: Some lines aren't readings.
        """
        files = sorted((self.path / NOTES_FOLDER).glob("*.jsonl"))
        return tuple(reading for file in files for reading in readings_in(file))

    def codebook(self) -> Codebook:
        """Read the failure modes, and the assignments of notes to modes by people and models.

        Raises:
            RatingError: A file has faults, each with its line.
        """
        path = self.path / ASSIGNED_FILE
        faults: list[Fault] = []
        last_line: dict[str, int] = {}
        assigned: dict[str, Assignment] = {}
        suggested: dict[str, Assignment] = {}
        recoded: list[Assignment] = []
        for line_number, line in json_lines(path, RatingError) if path.is_file() else ():
            try:
                assignment = assignment_of(line)
            except ValueError as error:
                faults.append(Fault(str(error), line_number))
                continue
            last_line[assignment.note] = line_number
            table = assigned if assignment.kind in PEOPLE else suggested
            if line.get("withdrawn") is True:
                table.pop(assignment.note, None)
            elif assignment.is_recode:
                recoded.append(assignment)
            else:
                table[assignment.note] = assignment
        book = Codebook(tuple(self._modes()), assigned, suggested, tuple(recoded))
        for note, assignment in assigned.items():  # earlier lines may name modes that were undone since
            for name in assignment.modes:
                try:
                    book.mode(name)
                except UsageError as error:
                    faults.append(Fault(f"{error} in {MODES_FILE}", last_line[note]))
        if faults:
            refuse_lines(RatingError(faults, path=path))
        return book

    def _modes(self) -> Iterator[Mode]:
        path = self.path / MODES_FILE
        if path.is_file():
            yield from modes_in(read_text(path, RatingError), path)

    def pool_record(self) -> PoolRecord:
        """Read which outputs the discovery is about.

        Raises:
            RatingError: The file of the record is invalid.
        """
        path = self.path / SETTINGS_FILE
        if not path.is_file():
            return PoolRecord()
        data = read_json(path, RatingError)
        pool = data.get("pool") if isinstance(data, Mapping) else None
        drawn = data.get("drawn") if isinstance(data, Mapping) else None
        seed = data.get("seed", 1) if isinstance(data, Mapping) else None
        is_pool = pool is None or (isinstance(pool, Mapping) and isinstance(pool.get("path"), str))
        if not is_pool or isinstance(seed, bool) or not isinstance(seed, int) or not isinstance(drawn or [], list):
            raise RatingError("expected {schema, pool: {path, fingerprint} or null, seed, drawn}", path=path)
        return PoolRecord(
            None if pool is None else pool["path"],
            None if pool is None else str(pool.get("fingerprint") or "") or None,
            seed,
            tuple(str(id) for id in drawn or ()),
            finite(data["proposal"].get("agreement")) if isinstance(data.get("proposal"), Mapping) else None,
            data.get("read_all") is True,
            pool["columns"] if pool is not None and isinstance(pool.get("columns"), Mapping) else {},
        )

    def pool_file(self) -> Path | None:
        """Return the file with the outputs to read; None if the discovery has only notes.

        Raises:
            RatingError: The file is outside the project, where no file is read for a discovery.
            UsageError: The file has moved.
        """
        record = self.pool_record()
        if record.path is None:
            return None
        settings = self.path / SETTINGS_FILE
        try:
            path = (self.path / record.path).resolve()
            is_file = path.is_file()
        except (OSError, ValueError) as error:
            raise RatingError(f"names {shown(record.path)}, which is no file here: {error}", path=settings) from error
        if not path.is_relative_to(project_of(self.path)):
            problem = f"names {shown(record.path)}, which is outside the project; to read it, say so: --pool FILE"
            raise RatingError(problem, path=settings)
        if not is_file:
            raise UsageError(
                f"the outputs of {self.name} are no longer at {path} ({SETTINGS_FILE}): say where, --pool FILE"
            )
        return path

    # --- writing ------------------------------------------------------------------------------------------------------

    def keep_pool(
        self,
        pool: Path | None,
        *,
        seed: int | None = None,
        drawn: Sequence[str] = (),
        agreement: float | None = None,
        reads_all: bool = False,
        columns: ColumnOptions = ColumnOptions(),
    ) -> PoolRecord:
        """Update the record of which outputs to read, with seed and settings; arguments left out change nothing.

        Args:
            pool: The file of outputs that the user named; None for the file on record.
            seed: Random seed of the reading order; ignored once a file is on record.
            drawn: Ids of outputs declared to be a random draw, which are added to those on record.
            agreement: Agreement of the two groupings that a model proposed, as `PoolRecord` has it.
            reads_all: True to record that no output stays unread.
            columns: What the columns of the file mean.
        """
        record = self.pool_record()
        if seed is not None and record.path is None:  # later, another order would hide what is a random draw
            record = replace(record, seed=seed)
        if pool is not None:
            relative = _relative(pool, self.path)
            record = replace(record, path=relative, fingerprint=digest_of(pool), columns=columns.stated)
        if agreement is not None:
            record = replace(record, agreement=agreement)
        record = replace(record, reads_all=record.reads_all or reads_all)
        record = replace(record, drawn=tuple(dict.fromkeys((*record.drawn, *drawn))))
        path = self.path / SETTINGS_FILE
        text = json.dumps(record.to_json(), ensure_ascii=False, indent=2) + "\n"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            with writing(path):
                self.path.mkdir(parents=True, exist_ok=True)
                write_whole(path, text, follow=False)
        return record

    def add_readings(self, readings: Iterable[OutputReading]) -> None:
        """Append readings to their readers' files; the readings are on disk when this returns."""
        by_file: dict[Path, list[dict[str, Any]]] = {}
        for reading in readings:
            by_file.setdefault(self.notes_file(reading.rater), []).append(reading.to_json())
        for path, lines in by_file.items():
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                append_readable(path, lines, reading_of)

    def save(self, before: Codebook, after: Codebook) -> None:
        """Write what changed from one codebook to another to the files; it is on disk when this returns.

        Args:
            before: The codebook as the files have it.
            after: The codebook that the files are to have.

        Raises:
            UsageError: The changes couldn't be read back, so that nothing is written; or a file can't be written.
        """
        lines = [*_changed(before.assigned, after.assigned), *_changed(before.suggested, after.suggested)]
        lines += [assignment.to_json() for assignment in after.recoded[len(before.recoded) :]]
        refuse_unreadable(lines, assignment_of)
        names = {mode.name for mode in after.modes}
        removed = [mode for mode in before.modes if mode.name not in names]
        with writing(self.path / ASSIGNED_FILE):
            self.path.mkdir(parents=True, exist_ok=True)
            if after.modes != before.modes:  # every name that a line has is there at each moment
                self._write_modes((*after.modes, *removed))
            if lines:
                append_lines(self.path / ASSIGNED_FILE, lines, follow=False)
            if removed:
                self._write_modes(after.modes)

    def _write_modes(self, modes: Sequence[Mode]) -> None:
        path = self.path / MODES_FILE
        text = modes_text(modes, comments_in(path))
        try:
            list(modes_in(text, path))
        except RatingError as problem:
            raise UsageError(f"nothing is kept, since it couldn't be read again: {problem}") from problem
        write_whole(path, text, follow=False)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the files of failure modes and assignments while the context lasts; other processes wait."""
        self.path.mkdir(parents=True, exist_ok=True)
        with exclusive(self.path, is_folder=True, busy=lambda: None):
            yield


def readings_in(path: Path) -> list[OutputReading]:
    """Read the readings in one reader's file, in the order in which they were first finished.

    Raises:
        RatingError: Some lines aren't readings.
    """
    by_id: dict[str, OutputReading] = {}
    faults: list[Fault] = []
    for line_number, line in json_lines(path, RatingError):
        try:
            reading = reading_of(line, number=line_number, rater=path.stem)
        except ValueError as error:
            faults.append(Fault(str(error), line_number))
            continue
        earlier = by_id.pop(reading.id, None)
        if line.get("withdrawn") is not True:
            by_id[reading.id] = reading if earlier is None else merged_readings(earlier, reading)
    if faults:
        refuse_lines(RatingError(faults, path=path))
    return sorted(by_id.values(), key=lambda reading: reading.line)


def modes_in(text: str, path: Path) -> Iterator[Mode]:
    """Read the failure modes in the text of a `modes.yaml`.

    Raises:
        RatingError: Some entries aren't modes; the message has the line of each.
    """
    data, lines = plain_data(text, "yaml", RatingError, path=path)
    entries = data.get("modes") if isinstance(data, Mapping) else data
    if entries is None:
        return
    if not isinstance(entries, list):
        raise RatingError(f"expected a list of modes under `modes:`, found {shown(entries)}", path=path)
    faults: list[Fault] = []
    names = set[str]()
    for index, raw in enumerate(entries):
        try:
            mode = mode_of(raw)
            if mode.name in names:
                raise ValueError(f"two modes are named {mode.name!r}; names are unique")
            names.add(mode.name)
            yield mode
        except ValueError as error:
            faults.append(Fault(str(error), lines.get(("modes", index))))
    if faults:
        raise RatingError(faults, path=path)


def mode_of(raw: Any) -> Mode:
    """Read the failure mode in one entry of `modes.yaml`.

    Raises:
        ValueError: The data aren't a valid entry; the message says what was found and what is allowed.
    """
    if not isinstance(raw, Mapping):
        raise ValueError(f"a mode is an object with a `name`, found {shown(raw)}")
    name = raw.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"a mode has a `name`, a text; found {shown(name)}")
    severity = raw.get("severity", DEFAULT_SEVERITY)
    if isinstance(severity, bool) or not isinstance(severity, int) or severity not in HOW_BAD:
        words = ", ".join(f"{level} {word}" for level, word in HOW_BAD.items())
        raise ValueError(f"`severity` of {name!r} is {words}; found {shown(severity)}")
    kind = raw.get("kind", "human")
    if kind not in KINDS:
        raise ValueError(f"`kind` of {name!r} is one of {', '.join(KINDS)}; found {shown(kind)}")
    return Mode(
        name,
        " ".join(str(raw.get("definition") or "").split()),
        severity,
        _texts(raw, "quotes"),
        _texts(raw, "fine"),
        str(raw.get("by") or "") or None,
        kind,
        str(raw.get("named") or "") or None,
        _texts(raw, "was"),
        _texts(raw, "same"),
        str(raw.get("reworded") or "") or None,
        str(raw.get("into") or "") or None,
        _texts(raw, "parts"),
        _texts(raw, "halves"),
        str(raw.get("half_of") or "") or None,
        raw.get("turned") is True,
        str(raw.get("changed") or "") or None,
    )


def modes_text(modes: Iterable[Mode], comments: ModeComments) -> str:
    """Return the text of a `modes.yaml`, in which every value is quoted as in JSON, which YAML reads too.

    Args:
        modes: The failure modes.
        comments: The comments of the earlier file, which are written above the modes that they were above.
    """
    lines = ["modes:"]
    for mode in modes:
        lines += comments.above_mode(mode)
        first = True
        for key, value in mode.to_json().items():
            start = "- " if first else "  "
            lines.append(f"{start}{key}: {safe_json(value)}")
            first = False
    entries = lines if len(lines) > 1 else ["modes: []"]
    return "\n".join([*comments.head, *entries, *comments.end]) + "\n"


def assignment_of(line: Any, *, by: str | None = None, kind: str | None = None) -> Assignment:
    """Read the assignment of a note to failure modes from a line of a file.

    Args:
        line: The line's data.
        by: Name of the person or model that assigned the note, if the line doesn't say it.
        kind: Kind of that person or model, if the line doesn't say it; None means a model.

    Raises:
        ValueError: The data aren't a valid entry; the message says what was found and what is allowed.
    """
    if not isinstance(line, Mapping) or not isinstance(line.get("note"), str) or not line["note"]:
        raise ValueError('an assignment names its note: {"note": "ann/o-17/1", "modes": ["wrong-price"]}')
    modes = line.get("modes")
    if not isinstance(modes, list) or not all(isinstance(name, str) for name in modes):
        raise ValueError(f"`modes` of a note is a list of names, found {shown(modes)}")
    who = kind or line.get("kind") or "model"
    if who not in KINDS:
        raise ValueError(f"kind is one of {', '.join(KINDS)}; found {shown(who)}")
    return Assignment(
        line["note"],
        tuple(modes),
        by or str(line.get("by") or ""),
        who,  # type: ignore[arg-type]  # one of KINDS
        str(line.get("at") or "") or None,
        line.get("recode") is True,
        line.get("firm") is True,
    )


def _changed(before: Mapping[str, Assignment], after: Mapping[str, Assignment]) -> Iterator[dict[str, Any]]:
    for note, assignment in after.items():
        if before.get(note) != assignment:
            yield assignment.to_json()
    for note, assignment in before.items():
        if note not in after:
            yield {**assignment.to_json(), "withdrawn": True}


def _texts(raw: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = raw.get(key) or []
    if not isinstance(values, list):
        raise ValueError(f"`{key}` is a list of texts, found {shown(values)}")
    return tuple(str(value) for value in values)


def _relative(path: Path, folder: Path) -> str:
    """Return a path relative to a folder, so that a project can be moved; a path outside the project stays absolute."""
    whole = path.resolve()
    if not whole.is_relative_to(project_of(folder)):
        return str(whole)
    return Path(os.path.relpath(whole, folder.resolve())).as_posix()
