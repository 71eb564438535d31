"""The memory of a stream of responses: four append-only files of JSON lines."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

from markscheme.errors import RatingError, UsageError, writing
from markscheme.features.pass_rate.tracked.file_names import STREAM_FILE
from markscheme.files import append_lines, append_text
from markscheme.plain_data import json_lines
from markscheme.ratings.examples import RATES_FOLDER
from markscheme.text import is_path_component

GRADED_FILE = "graded.jsonl"
LOOKS_FILE = "looks.jsonl"
MERGED = "*.jsonl merge=union\n"
"""Line for .gitattributes, by which a git merge keeps the lines of both branches."""
_DIGEST = 16
"""Number of hexadecimal digits in the digest of a response's id or content."""


def digest(*parts: str) -> str:
    """Return a digest of texts, such as an id, from which the texts can't be recovered."""
    return hashlib.sha256("\n".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:_DIGEST]


def append_merged(file: Path, lines: Sequence[Mapping[str, Any]], folder: Path, merged: str) -> None:
    """Mark a file in .gitattributes so that git merges keep both branches' lines, then append lines to the file.

    Args:
        file: The file.
        lines: The lines.
        folder: The folder in which .gitattributes is written, unless it has that file already.
        merged: The line for .gitattributes.
    """
    attributes = folder / ".gitattributes"
    if not attributes.exists():
        append_text(attributes, merged, follow=False)
    append_lines(file, lines, follow=False)


class GradedLine(NamedTuple):
    """Line stored for a response: its verdict, its week, and whether it is an audit; not its text.

    Attributes:
        at: Time at which it was added.
        id: Digest of the response's id.
        content: Digest of the response's inputs and text.
        week: The response's ISO week.
        passes: The judge's verdict; None if the response is left to people, or isn't graded.
        is_graded: True if the judge graded it, or left it to people.
        group: Digest of the name of the conversation that the response belongs to; None if it belongs to none.
        setting: The judge that graded the response: its name as the file of verdicts states it, or a digest of the
            judge; None if the judge isn't known.
        chance: The response's chance of an audit.
        is_audited: True if people are to label it.
        mix: Values of columns that may explain a shift, and the length of the inputs.
    """

    at: str
    id: str
    content: str
    week: str
    passes: bool | None
    is_graded: bool
    group: str | None
    setting: str | None
    chance: float
    is_audited: bool
    mix: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the line as a dict with the keys of the file."""
        line: dict[str, Any] = {"at": self.at, "id": self.id, "content": self.content, "week": self.week}
        line |= {"passes": self.passes, "pi": self.chance, "audited": self.is_audited}
        line |= {key: value for key, value in (("group", self.group), ("setting", self.setting)) if value is not None}
        line |= {} if self.is_graded else {"graded": False}
        return {**line, "mix": dict(self.mix)} if self.mix else line


class StreamLine(NamedTuple):
    """A line in the file of a stream's decisions: its start, a new period, or a change of how it is audited or timed.

    Attributes:
        at: Time at which the line was stored.
        kind: What the line records: start of the stream, another probability of an audit, times with or without a zone,
            or a new period.
        chance: Probability with which a response is drawn as an audit from then on.
        seed: Random seed by which audits are drawn.
        rubric: Fingerprint of the rubric.
        begins: The day on which the period begins; None for a line that begins no period.
        because: The reason why a period begins.
        restarts: Which evidence of change begins again with the period: "all", or "judge" for only the evidence on the
            judge and on its share of passes.
        has_zone: True if rows state their times with a zone from then on, False if without; None if the line doesn't
            say.
    """

    at: str
    kind: str
    chance: float
    seed: str
    rubric: str | None
    begins: str | None = None
    because: str | None = None
    restarts: str = "all"
    has_zone: bool | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the line as a dict with the keys of the file."""
        line = {"at": self.at, "kind": self.kind, "because": self.because, "pi": self.chance, "seed": self.seed}
        line |= {"rubric": self.rubric} | ({} if self.has_zone is None else {"zone": self.has_zone})
        return {**line, "from": self.begins, "restarts": self.restarts} if self.kind == "period" else line


@dataclass(frozen=True)
class StreamMemory:
    """Everything stored about a stream (a system's responses over time): verdicts, audits, periods and looks.

    Attributes:
        decisions: The lines that record the stream's start, its chances of audits and its periods, the earliest first.
        graded: The line of each of the stream's responses, by digest of the response's id.
        looks: The lines that record earlier looks, the earliest first.
        changed: Digests of responses whose id came again with another content.
        read_to: Number of bytes of the file of responses that were read.
    """

    decisions: tuple[StreamLine, ...]
    graded: Mapping[str, GradedLine]
    looks: tuple[Mapping[str, Any], ...]
    changed: frozenset[str]
    read_to: int = 0

    @property
    def current(self) -> StreamLine | None:
        """The latest stored settings of the stream, which apply now; None before the stream's first run."""
        return self.decisions[-1] if self.decisions else None

    @property
    def has_zone(self) -> bool | None:
        """True if the latest rows stated their times with a zone, False if without; None if that isn't stored."""
        return next((line.has_zone for line in reversed(self.decisions) if line.has_zone is not None), None)

    @property
    def periods(self) -> tuple[StreamLine, ...]:
        """The stored lines that begin a period, ordered by the day on which it begins."""
        return tuple(sorted((line for line in self.decisions if line.kind == "period"), key=_by_day))


@dataclass(frozen=True)
class StreamFiles:
    """The files in which a stream (a system's responses over time) is stored.

    Attributes:
        folder: The folder calibration/RUBRIC/rates/STREAM.
    """

    folder: Path

    @classmethod
    def of(cls, calibration: Path, stream: str) -> "StreamFiles":
        """Return the files of a stream in a rubric's calibration folder.

        Raises:
            UsageError: The stream's name can't be that of a folder.
        """
        if not is_path_component(stream):
            raise UsageError(f"`--stream` must be a name that a folder can have, got {stream!r}")
        return cls(calibration / RATES_FOLDER / stream)

    @property
    def is_there(self) -> bool:
        """True if the stream has begun, so that its files exist."""
        return (self.folder / STREAM_FILE).is_file()

    def read(self, so_far: StreamMemory | None = None) -> StreamMemory:
        """Read the stream's memory; its lines may be in any order and be repeated, as after a git merge.

        Args:
            so_far: The memory that was read before; then only lines of responses that were added since are read.

        Raises:
            RatingError: A line can't be read.
        """
        decisions = sorted(set(map(_stream_line, self._lines(STREAM_FILE))), key=lambda line: (line.at, str(line)))
        path = self.folder / GRADED_FILE
        size = path.stat().st_size if path.is_file() else 0
        so_far = so_far if so_far is not None and so_far.read_to <= size else _NOTHING
        graded = dict(so_far.graded)
        changed = set(so_far.changed)
        for line in self._graded_lines(so_far.read_to) if size else ():
            before = graded.setdefault(line.id, line)
            if before is line:
                continue
            if line.content != before.content:
                changed.add(line.id)
            if _rank(line) < _rank(before):
                graded[line.id] = line
        looks = {json.dumps(look, sort_keys=True): look for look in self._lines(LOOKS_FILE)}
        by_time = sorted(looks.items(), key=lambda look: (str(look[1].get("at")), look[0]))
        looks_by_time = tuple(look for _, look in by_time)
        return StreamMemory(tuple(decisions), graded, looks_by_time, frozenset(changed), size)

    def last_look(self) -> Mapping[str, Any]:
        """Return the line of the latest look; an empty mapping before the first.

        Raises:
            RatingError: A line can't be read.
        """
        return max(self._lines(LOOKS_FILE), key=lambda look: str(look["at"]), default={})

    def append(self, file: str, lines: Sequence[Mapping[str, Any]]) -> None:
        """Append lines to one of the stream's files, all or none; other processes that write to that file wait.

        Raises:
            UsageError: The file can't be written.
        """
        if not lines:
            return
        with writing(self.folder / file):
            self.folder.mkdir(parents=True, exist_ok=True)
            append_merged(self.folder / file, lines, self.folder.parent, MERGED)

    def _graded_lines(self, start: int) -> Iterator[GradedLine]:
        shared: dict[str, str] = {}
        for line in self._lines(GRADED_FILE, start):
            try:
                yield _graded_line(line, shared)
            except (KeyError, TypeError, AttributeError) as error:
                raise RatingError(f"isn't a graded response: {error!r}", path=self.folder / GRADED_FILE) from error

    def _lines(self, file: str, start: int = 0) -> Iterator[dict[str, Any]]:
        path = self.folder / file
        for line_number, line in _objects(path, start) if path.is_file() else ():
            if line.__class__ is not dict or "at" not in line:
                raise RatingError("must be an object with `at`", path=path, line=line_number)
            yield line


def _objects(path: Path, start: int) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of each line of a JSON lines file.

    Args:
        path: The file.
        start: Number of bytes to skip; the line after them has the number 1.

    Raises:
        RatingError: A line can't be read.
    """
    read_value = json.JSONDecoder().raw_decode
    with path.open("rb") as file:
        file.seek(start)
        for ordinal, line in enumerate(file, start=1):
            try:
                text = line.decode()
                value, end = read_value(text)
                is_whole = text[end:].isspace() or end == len(text)
            except (ValueError, RecursionError):
                is_whole = False
            if not is_whole:
                yield from (numbered for numbered in json_lines(path, RatingError) if start or numbered[0] >= ordinal)
                return
            yield ordinal, value


def _graded_line(line: Mapping[str, Any], shared: dict[str, str]) -> GradedLine:
    """Make a GradedLine from its JSON; to save memory, equal weeks, times and settings are taken from `shared`."""
    week = shared.setdefault(line["week"], line["week"])
    at = shared.setdefault(line["at"], line["at"])
    setting = line.get("setting")
    return GradedLine(
        at,
        line["id"],
        line["content"],
        week,
        line["passes"],
        line.get("graded", True),
        line.get("group"),
        None if setting is None else shared.setdefault(setting, setting),
        line["pi"],
        line["audited"],
        line.get("mix") or _NO_MIX,
    )


_NO_MIX: Final[Mapping[str, Any]] = {}
_NOTHING: Final = StreamMemory((), {}, (), frozenset())


def _rank(line: GradedLine) -> tuple[bool, str, str, str]:
    """Return a sort key for the lines stored for one response: graded before ungraded, then earlier before later."""
    return not line.is_graded, line.at, line.content, str(line.passes)


def _stream_line(line: Mapping[str, Any]) -> StreamLine:
    begins = line.get("from")
    because = line.get("because")
    written = (str(line["at"]), str(line["kind"]), float(line["pi"]), str(line["seed"]), line.get("rubric"))
    return StreamLine(*written, begins, because, str(line.get("restarts", "all")), line.get("zone"))


def _by_day(line: StreamLine) -> tuple[date, str]:
    return date.fromisoformat(str(line.begins)), line.at


def rows_in_weeks(rows: Iterable[GradedLine]) -> dict[str, list[GradedLine]]:
    """Group responses by week, the earliest week first."""
    weeks: dict[str, list[GradedLine]] = {}
    for row in rows:
        weeks.setdefault(row.week, []).append(row)
    return dict(sorted(weeks.items()))
