"""Records of what people read: an `OutputReading` is one person's reading of one output, stored as a line."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from markscheme.numerals import finite
from markscheme.plain_data import id_of, shown
from markscheme.ratings.kinds import KINDS, Kind

ReadState = Literal["open", "noted", "in full", "unclear"]
READ_STATES: tuple[str, ...] = get_args(ReadState)
AgainAnswer = Literal["there", "not there", "can't tell"]
AGAIN_ANSWERS: tuple[str, ...] = get_args(AgainAnswer)


@dataclass(frozen=True, slots=True)
class Note:
    """A reader's words about an output, or about a passage in it.

    Attributes:
        n: Its number among the reader's notes on that output, from 1; it never changes.
        text: The words.
        quote: The passage that it is about; None if it is about the whole output.
        quote_in: Name of the text with the passage: `response` or an input; None if no text has it.
        line: Line of the file on which it first occurs, from 1; 0 if it isn't in a file.
    """

    n: int
    text: str
    quote: str | None = None
    quote_in: str | None = None
    line: int = 0

    @property
    def words(self) -> str:
        """The text of the note, together with the text of the passage that the note is about."""
        return f"{self.text} {self.quote or ''}"

    def to_json(self) -> dict[str, Any]:
        """Return the note as a dict with the keys of a notes file."""
        data: dict[str, Any] = {"n": self.n, "text": self.text}
        data |= {"quote": self.quote} if self.quote else {}
        return data | ({"quote_in": self.quote_in} if self.quote_in else {})


@dataclass(frozen=True)
class OutputReading:
    """One person's reading of one output: the notes, and whether the output passes or couldn't be judged.

    Attributes:
        id: Id of the output.
        rater: Name of the reader.
        kind: "human", or "model" for a model's notes, which are suggestions.
        read: "noted": read, with or without notes; "in full": the reader confirmed that no other listed failure mode
            applies; "unclear": the reader couldn't judge it, so it counts nowhere; "open": not finished, so it doesn't
            count yet.
        notes: The notes.
        listed: The failure modes that the page listed when the reading was finished, each with the fingerprint of its
            definition.
        again: By failure mode, whether it applies, answered when the reader returned to the output for this mode alone;
            with the fingerprint of the mode's definition then.
        passed: True if the reader found the output good as a whole, False if bad; None if the reader didn't say.
        at: Time of the reading, as written; None if no file says it.
        seconds: Duration of the reading; None if unknown.
        is_chosen: True if the output was shown out of turn, or comes from a file that isn't a random draw.
        line: Line of the file on which the reading was first finished, from 1; 0 if it isn't in a file.
    """

    id: str
    rater: str
    kind: Kind = "human"
    read: ReadState = "noted"
    notes: tuple[Note, ...] = ()
    listed: Mapping[str, str] = field(default_factory=dict)
    again: Mapping[str, tuple[AgainAnswer, str]] = field(default_factory=dict)
    passed: bool | None = None
    at: str | None = None
    seconds: float | None = None
    is_chosen: bool = False
    line: int = 0

    @property
    def counts(self) -> bool:
        """True if the reading counts: a person finished reading the output and could judge it."""
        return self.kind != "model" and self.read in ("noted", "in full")

    def is_before(self, moment: str) -> bool:
        """Return True if the output was read before a moment; a reading without a time counts as before."""
        return (self.at or "") < moment

    @property
    def is_finished(self) -> bool:
        """True if the reader is done with the output, whether or not they could judge it."""
        return self.kind != "model" and self.read != "open"

    def key_of(self, note: Note) -> str:
        """Return the key of a note, by which other files refer to it.

        >>> OutputReading("o-17", "ann").key_of(Note(1, "last year's price"))
        'ann/o-17/1'
        """
        return f"{self.rater}/{self.id}/{note.n}"

    def to_json(self) -> dict[str, Any]:
        """Return the reading as a dict with the keys of a line of a notes file."""
        line: dict[str, Any] = {"id": self.id, "rater": self.rater, "kind": self.kind, "at": self.at or ""}
        line |= {} if self.seconds is None else {"seconds": self.seconds}
        line |= {} if self.passed is None else {"pass": self.passed}
        line |= {"read": self.read, "for": dict(self.listed)}
        line |= {"chosen": True} if self.is_chosen else {}
        if self.again:
            line["again"] = {mode: {"answer": answer, "under": under} for mode, (answer, under) in self.again.items()}
        return line | {"notes": [note.to_json() for note in self.notes]}


def reading_of(line: Any, *, number: int = 0, rater: str | None = None) -> OutputReading:
    """Read a person's reading of an output from a line of a file of notes.

    Args:
        line: The line's data.
        number: The line's number, from 1.
        rater: Name of the reader, if the line doesn't say it.

    Raises:
        ValueError: The line isn't a reading; the message says what was found and what is allowed.
    """
    if not isinstance(line, Mapping):
        raise ValueError(f"a reading is an object, found {shown(line)}")
    id = id_of(line.get("id"))
    who = str(line.get("rater") or rater or "")
    if not id or not who:
        raise ValueError(f"a reading names its output and its reader: `{'rater' if id else 'id'}` is missing")
    notes = line.get("notes") or []
    if not isinstance(notes, list):
        raise ValueError(f"`notes` is a list, found {shown(notes)}")
    return OutputReading(
        id,
        who,
        _one_of(line.get("kind", "human"), KINDS, "kind"),
        _one_of(line.get("read", "noted"), READ_STATES, "read"),
        tuple(_note(note, ordinal, number) for ordinal, note in enumerate(notes, start=1)),
        _texts(line.get("for"), "for"),
        _again(line.get("again")),
        _decision(line.get("pass")),
        str(line.get("at") or "") or None,
        _duration(line.get("seconds")),
        line.get("chosen") is True,
        number,
    )


def merged_readings(earlier: OutputReading, later: OutputReading) -> OutputReading:
    """Return the later of two records of one reader's reading of an output, with line numbers of the earlier one.

    A record is a line of the reader's file of notes. A note that both records have keeps the line number that it has in
    the earlier record. The output keeps the earlier record's line number, too, if the reader had finished reading it.
    """
    lines = {note.n: note.line for note in earlier.notes}
    notes = tuple(replace(note, line=lines.get(note.n, note.line)) for note in later.notes)
    return replace(later, notes=notes, line=earlier.line if earlier.is_finished else later.line)


def _note(note: Any, index: int, line: int) -> Note:
    if not isinstance(note, Mapping):
        raise ValueError(f"a note is an object with `text`, found {shown(note)}")
    n = note.get("n", index)
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ValueError(f"`n` of a note is a whole number from 1, found {shown(n)}")
    text = note.get("text", "")
    if not isinstance(text, str):
        raise ValueError(f"`text` of a note is a text, found {shown(text)}")
    return Note(n, text, str(note.get("quote") or "") or None, str(note.get("quote_in") or "") or None, line)


def _again(value: Any) -> dict[str, tuple[AgainAnswer, str]]:
    entries = _mapping(value, "again")
    return {
        str(mode): (
            _one_of(_mapping(answer, "again").get("answer"), AGAIN_ANSWERS, "answer"),
            str(_mapping(answer, "again").get("under") or ""),
        )
        for mode, answer in entries.items()
    }


def _texts(value: Any, name: str) -> dict[str, str]:
    return {str(key): str(text) for key, text in _mapping(value, name).items()}


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"`{name}` is an object, found {shown(value)}")
    return value


def _duration(value: Any) -> float | None:
    seconds = finite(value)
    if seconds is not None and seconds < 0:
        raise ValueError(f"`seconds` is a time from 0, found {shown(value)}")
    return seconds


def _decision(value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise ValueError(f"`pass` is true or false, found {shown(value)}")


def _one_of(value: Any, allowed: tuple[str, ...], name: str) -> Any:
    if value not in allowed:
        raise ValueError(f"{name} is one of {', '.join(allowed)}; found {shown(value)}")
    return value
