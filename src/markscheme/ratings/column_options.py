"""What the caller says of a table: which columns are what, and what their values mean."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from markscheme.numerals import number_in

Span: TypeAlias = tuple[float, float]
"""The ends of a scale, the worst first."""
SCALE_SIDES = ("judge", "human")
"""Who gave a value, as `--scale` names them."""


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """What the caller says of a table; whatever isn't said is read from its columns and cells.

    Attributes:
        judge: Columns of judges; `*` matches the name of any criterion.
        human: Columns of annotators, likewise.
        id: The column of ids.
        group: The column of groups.
        response: The column of responses.
        adjudicated: Whether several annotators agreed on the people's one column.
        map: What other columns are, by name: note, rater, criterion, level, reason, query, run or kind.
        pass_: Values that pass, of all columns that have them or as COLUMN=VALUE.
        pass_mark: The least number that passes.
        levels: LOW-HIGH, or the levels' words, worst first.
        scale: LOW-HIGH, or COLUMN=LOW-HIGH; "judge" or "human" as COLUMN means all columns of that side.
        same: A=B where two values are one, A= where a value is missing, none where no two are one.
        table: The sheet, table or key, of a file that has several.
        encoding: How the file's text is encoded.
    """

    judge: tuple[str, ...] = ()
    human: tuple[str, ...] = ()
    id: str | None = None
    group: str | None = None
    response: str | None = None
    adjudicated: bool = False
    map: Mapping[str, str] = field(default_factory=dict)
    pass_: tuple[str, ...] = ()
    pass_mark: float | None = None
    levels: tuple[str, ...] = ()
    scale: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    table: str | None = None
    encoding: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Return the same as words of a command line."""
        mark = () if self.pass_mark is None else (f"{self.pass_mark:g}",)
        several = {"judge": self.judge, "human": self.human, "pass": self.pass_, "pass-mark": mark}
        several |= {"levels": self.levels, "scale": self.scale, "same": self.same}
        several["map"] = tuple(f"{column}={meaning}" for column, meaning in self.map.items())
        single = {"id": self.id, "group": self.group, "response": self.response}
        single |= {"table": self.table, "encoding": self.encoding}
        words = [(option, value) for option, values in several.items() for value in values]
        words += [(option, value) for option, value in single.items() if value is not None]
        flat = tuple(word for option, value in words for word in (f"--{option}", value))
        return flat + (("--adjudicated",) if self.adjudicated else ())

    @property
    def as_shell(self) -> str:
        """Return the same as a shell has it, after a space; empty where nothing is said."""
        return f" {shlex.join(self.words)}" if self.words else ""

    @property
    def recoded(self) -> dict[str, str]:
        """Return what cells count as, by the cell as it is written: of `--same`, and of older `--levels CELL=LEVEL`."""
        return {old.strip(): new.strip() for old, sign, new in map(_parted, self._entries) if sign}

    @property
    def no_two_are_one(self) -> bool:
        """Return whether the caller says that no two values are one."""
        return "none" in self.same

    @property
    def level_words(self) -> tuple[str, ...]:
        """Return the levels that are listed, worst first; empty where none are, or their ends alone."""
        entries = [entry.strip() for listed in self.levels for entry in listed.split(",")]
        if len(entries) == 1 and span_in(entries[0]) is not None:
            return ()
        return tuple(entry for entry in entries if "=" not in entry)

    @property
    def level_ends(self) -> Span | None:
        """Return the ends that `--levels` gives, the worst first."""
        return span_in(self.levels[0]) if len(self.levels) == 1 else None

    @property
    def _entries(self) -> Iterator[str]:
        yield from self.same
        yield from (entry for listed in self.levels for entry in listed.split(",") if "=" in entry)

    def span_of(self, column: str, *, is_judge: bool) -> Span | None:
        """Return the ends that `--scale` gives for a column: its own, those of its side, or those of all."""
        spans = {name.strip(): span_in(ends) for name, ends in map(_named, self.scale)}
        side = SCALE_SIDES[0] if is_judge else SCALE_SIDES[1]
        return spans.get(column) or spans.get(side) or spans.get("")

    @property
    def scaled(self) -> list[str]:
        """Return the columns and sides that `--scale` names."""
        return [name.strip() for name, _ in map(_named, self.scale) if name]

    def unreadable_scales(self) -> list[str]:
        """Return the values of `--scale` that give no ends."""
        return [entry for entry in self.scale if span_in(_named(entry)[1]) is None]


def _parted(entry: str) -> tuple[str, str, str]:
    return entry.partition("=")


def _named(entry: str) -> tuple[str, str]:
    name, sign, ends = entry.rpartition("=")
    return (name, ends) if sign else ("", entry)


def span_in(text: str) -> Span | None:
    """Return the ends in `LOW..HIGH` or `LOW-HIGH`, the worst first; None for anything else.

    >>> span_in("1..5"), span_in("-1..1"), span_in("5-1"), span_in("good,bad")
    ((1.0, 5.0), (-1.0, 1.0), (5.0, 1.0), None)
    """
    left, dots, right = text.partition("..")
    if not dots:
        left, _, right = text.rpartition("-")
    low = number_in(left.strip())
    high = number_in(right.strip())
    return (low, high) if low is not None and high is not None and low != high else None


def column_list(entries: Iterable[str]) -> tuple[str, ...]:
    """Return the names in the values of an option that takes several, by repetition or separated by commas."""
    return tuple(name.strip() for entry in entries for name in entry.split(",") if name.strip())
