"""The counts file: rows that say how many examples have the same gold, judge's and annotators' ratings."""

import contextlib
import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from markscheme.errors import UsageError
from markscheme.phrases import listed
from markscheme.rubrics.criterion import LEVEL_ROUNDING
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.intervals import Flags, Floats, Groups, Integers

COUNTS_FORMAT: Final = 1
"""The format's number, in the part `format:1`."""
MOST_ROWS: Final = 3_000_000
"""Rows of a file; more take longer to read than the query that makes them takes to count."""
EMPTY_CELLS: Final = frozenset({"", "null", "none", "nan", "\\n"})
"""Texts of a cell without a value, in small letters."""
SCORE_PART: Final = "score"
DECISION_PART: Final = "decision"
ANNOTATORS_PART: Final = "people"
ANNOTATORS_DECIDE_PART: Final = "people:decision"
GIVEN_PART: Final = "given"
EXAMPLES_PART: Final = "examples"
GROUPS_PART: Final = "groups"
RATES: Final = ("rate:agreement", "rate:stops", "rate:keeps")
_SHARES: Final = (SCORE_PART, DECISION_PART, ANNOTATORS_PART, ANNOTATORS_DECIDE_PART, GIVEN_PART)
"""Parts whose values are 0 to 1."""
_KNOWN_PREFIXES: Final = ("slice:", "repair:", "rubric:", "format:")
_PEOPLE_COLUMN: Final = re.compile(r"p[1-9]\d*")
_LARGEST_DENOMINATOR: Final = 1000
"""Scores of up to so many equal steps are read as the fraction that they are rounded from."""
_ROUNDED: Final = 6e-10
"""How far a score may be from its fraction: the format has 9 decimals."""


@dataclass(frozen=True)
class CountedRows:
    """The rows of one part.

    Attributes:
        sets: The set in which each row's examples are left out, shape (n_rows,), nan where each is left out by itself.
        gold: Shape (n_rows,), nan = missing.
        judge: The judge's, shape (n_rows,), nan = missing.
        people: Single annotators', shape (n_rows, n_people), nan = missing.
        n: Examples that each row stands for, shape (n_rows,).
        line: The row's number in the file, shape (n_rows,).
    """

    sets: Floats
    gold: Floats
    judge: Floats
    people: Floats
    n: Floats
    line: Integers

    @cached_property
    def groups(self) -> Groups:
        """Examples with what they are left out with."""
        return Groups.counted(self.n, None if np.isnan(self.sets).all() else self.sets.astype(np.int64))

    @cached_property
    def examples(self) -> int:
        """Examples in all rows."""
        return round(float(self.n.sum()))

    @property
    def as_rates(self) -> tuple[Floats, Groups]:
        """The share of hits of each kind of group, and the examples of these groups."""
        groups = Groups(np.arange(len(self.n)), self.examples, times=self.judge, copies=self.n, named=True)
        return self.gold / self.judge, groups


@dataclass(frozen=True)
class CountsFile:
    """Counts of all parts.

    Attributes:
        name: The file's name, for messages.
        digest: Of its content.
        parts: Rows by part.
        examples: Examples that were counted.
        n_groups: Groups of examples; None where the file doesn't say.
        unknown: Parts that nothing here reads.
    """

    name: str
    digest: str
    parts: Mapping[str, CountedRows]
    examples: int
    n_groups: int | None
    unknown: tuple[str, ...]

    def rows_of(self, name: str) -> CountedRows:
        """Return the rows of a part; none where the file lacks it."""
        return self.parts.get(name, _NO_ROWS)


_BLANK: Final = np.zeros(0)
_NO_ROWS: Final = CountedRows(_BLANK, _BLANK, _BLANK, np.zeros((0, 0)), _BLANK, np.zeros(0, dtype=np.int64))


def read_counts(source: Any, rubric: Rubric) -> CountsFile:
    """Read counts that were made with a rubric.

    Args:
        source: A file, CSV, JSON lines or Parquet; or a frame, rows, or columns by name.
        rubric: The rubric of the counts.

    Raises:
        UsageError: Another format or rubric, a value off its scale, or parts with different examples.
    """
    table = _Table(*_columns(source))
    rows = {name: table.rows(inside) for name, inside in table.parts().items()}
    _refuse_another_format(table, rows)
    _refuse_another_rubric(table, rows, rubric)
    criteria = {criterion.name: criterion for criterion in rubric.criteria}
    parts = {name: of_part for name, of_part in rows.items() if name in (*criteria, *_SHARES, *RATES)}
    for name, of_part in parts.items():
        if name in criteria:
            _refuse_off_scale(table, name, of_part, criteria[name])
        elif name in _SHARES:
            _refuse_outside(table, name, of_part)
    for name in RATES:
        if name in parts:
            _refuse_no_rate(table, name, parts[name])
    wanted = [*([SCORE_PART] if rubric.has_score else []), *([DECISION_PART] if rubric.decides else []), *criteria]
    examples = _examples(table, rows, wanted)
    readable = {*parts, EXAMPLES_PART, GROUPS_PART}
    unknown = tuple(name for name in rows if name not in readable and not name.startswith(_KNOWN_PREFIXES))
    n_groups = rows[GROUPS_PART].examples if GROUPS_PART in rows else None
    return CountsFile(table.name, table.digest, parts, examples, n_groups, unknown)


# --- columns ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Table:
    """Columns of a source.

    Attributes:
        columns: Cells by name.
        name: The source's name in messages.
        digest: Of its content.
        first: The number of its first row in messages.
    """

    columns: Mapping[str, Sequence[Any]]
    name: str
    digest: str
    first: int

    def parts(self) -> dict[str, Flags]:
        """Return the rows of each part; refuse a table without the columns `part` and `n`, and one that is too long."""
        missing = [name for name in ("part", "n") if name not in self.columns]
        if missing:
            raise UsageError(f"{self.name} is no table of counts: it has no column {' or '.join(missing)}")
        cells = self.columns["part"]
        if len(cells) > MOST_ROWS:
            raise UsageError(f"{self.name} has {len(cells):,} rows; {MOST_ROWS:,} are the most")
        place_of: dict[Any, int] = {}
        codes = np.fromiter((place_of.setdefault(cell, len(place_of)) for cell in cells), np.int64, len(cells))
        return {str(name): codes == index for name, index in place_of.items()}

    @cached_property
    def people(self) -> list[str]:
        """Columns of annotators, in order."""
        names = [name for name in self.columns if _PEOPLE_COLUMN.fullmatch(name)]
        return sorted(names, key=lambda name: int(name[1:]))

    def rows(self, inside: Flags) -> CountedRows:
        """Return the rows of a part, without those that stand for nothing."""
        n = self._numbers["n"][inside]
        counts = np.flatnonzero(inside)[n > 0]
        people = [self._numbers[name][counts] for name in self.people]
        return CountedRows(
            self._numbers["set_no"][counts],
            self._numbers["gold"][counts],
            self._numbers["judge"][counts],
            np.column_stack(people) if people else np.zeros((len(counts), 0)),
            self._numbers["n"][counts],
            counts + self.first,
        )

    @cached_property
    def _numbers(self) -> dict[str, Floats]:
        """The columns of numbers; one that lacks has no value anywhere."""
        names = ("set_no", "gold", "judge", *self.people, "n")
        numbers = {name: self._column(name) for name in names if name in self.columns}
        blank = np.full(len(self.columns["n"]), np.nan)
        n = numbers["n"]
        strange = np.flatnonzero(~((n >= 0) & (n == np.rint(n))))
        if len(strange):
            raise self.fault(int(strange[0]) + self.first, "n", "must be a whole number from 0")
        return {name: numbers.get(name, blank) for name in names}

    def _column(self, name: str) -> Floats:
        cells = self.columns[name]
        with contextlib.suppress(TypeError, ValueError):
            return np.array(["nan" if cell == "" else cell for cell in cells], dtype=np.float64)
        try:
            return np.array([_cell(cell) for cell in cells], dtype=np.float64)
        except (TypeError, ValueError):
            index = next(index for index, cell in enumerate(cells) if not _is_number(cell))
            raise self.fault(index + self.first, name, "must be a number, or empty") from None

    def fault(self, line: int, column: str, why: str) -> UsageError:
        """Make the error for a cell."""
        cell = self.columns[column][line - self.first] if column in self.columns else None
        return UsageError(f"{self.name}, row {line}, column {column} {why}, got {cell!r}")


def _cell(cell: Any) -> float:
    if cell is None or (isinstance(cell, str) and cell.strip().casefold() in EMPTY_CELLS):
        return np.nan
    return float(cell)


def _is_number(cell: Any) -> bool:
    try:
        _cell(cell)
    except (TypeError, ValueError):
        return False
    return True


def _columns(source: Any) -> tuple[Mapping[str, Sequence[Any]], str, str, int]:
    """Return the columns of a source, its name, a digest of its content, and the number of its first row."""
    if isinstance(source, Path):
        try:
            raw = source.read_bytes()
        except OSError as problem:
            raise UsageError(f"{source} cannot be read: {problem.strerror or problem}") from problem
        digest = hashlib.sha256(raw).hexdigest()[:16]
        if raw.startswith(b"PAR1"):
            return _of_parquet(raw, source), str(source), digest, 1
        text = raw.decode("utf-8-sig", errors="replace")
        if text.lstrip().startswith("{"):
            return _of_rows(_json_rows(text, source)), str(source), digest, 1
        return _of_csv(text), str(source), digest, 2
    columns = _in_memory(source)
    listed_columns = {name: list(cells) for name, cells in columns.items()}
    digest = hashlib.sha256(repr(sorted(listed_columns.items())).encode()).hexdigest()[:16]
    return listed_columns, "the table of counts", digest, 1


def _of_csv(text: str) -> dict[str, Sequence[Any]]:
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    commas = lines[0].count(",")
    if '"' in text or any(line.count(",") != commas for line in lines):
        return _of_quoted_csv(text)
    names = [name.strip() for name in lines[0].split(",")]
    cells = ",".join(lines[1:]).split(",") if len(lines) > 1 else []
    return {name: cells[column :: len(names)] for column, name in enumerate(names)}


def _of_quoted_csv(text: str) -> dict[str, Sequence[Any]]:
    rows = csv.reader(io.StringIO(text, newline=""))
    header = [name.strip() for name in next(rows, [])]
    width = len(header)
    cells = [row if len(row) == width else (row + [""] * width)[:width] for row in rows if row]
    columns = list(zip(*cells, strict=True)) or [()] * width
    return dict(zip(header, columns, strict=True))


def _json_rows(text: str, path: Path) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            raise UsageError(f"{path}, row {number} is no JSON") from None
        if not isinstance(row, dict):
            raise UsageError(f"{path}, row {number} must be an object with part and n")
        rows.append(row)
    return rows


def _of_parquet(raw: bytes, path: Path) -> dict[str, Sequence[Any]]:
    try:
        from pyarrow import parquet
    except ImportError:
        raise UsageError(f"{path} is Parquet: pip install 'markscheme[parquet]'") from None
    table = parquet.ParquetFile(io.BytesIO(raw)).read()
    return {str(name): column.to_pylist() for name, column in zip(table.column_names, table.columns, strict=True)}


def _of_rows(rows: Iterable[Mapping[str, Any]]) -> dict[str, Sequence[Any]]:
    every = list(rows)
    names = dict.fromkeys(str(name) for row in every for name in row)
    return {name: [row.get(name) for row in every] for name in names}


def _in_memory(source: Any) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return source
    if isinstance(source, Sequence) and all(isinstance(row, Mapping) for row in source):
        return _of_rows(source)
    import narwhals

    try:
        frame = narwhals.from_native(source, eager_only=True)
    except TypeError:
        raise UsageError(f"`counts` must be a file or a frame, got {type(source).__name__}") from None
    return {str(name): frame[name].to_list() for name in frame.columns}


# --- checks -----------------------------------------------------------------------------------------------------------


def _refuse_another_format(table: _Table, rows: Mapping[str, CountedRows]) -> None:
    for name, of_part in rows.items():
        prefix, _, number = name.partition(":")
        if prefix == "format" and number and number != str(COUNTS_FORMAT):
            raise UsageError(
                f"{table.name}, row {of_part.line[0]}: part {name}, and only format {COUNTS_FORMAT} is known"
            )


def _refuse_another_rubric(table: _Table, rows: Mapping[str, CountedRows], rubric: Rubric) -> None:
    """Refuse counts by another rubric, and name a part whose levels show it, if any does."""
    for name, of_part in rows.items():
        prefix, _, digest = name.partition(":")
        if prefix == "rubric" and digest and digest != rubric.fingerprint:
            off = (_off_scale_words(rows[c.name], c) for c in rubric.criteria if c.name in rows)
            where_off = next((f"; part {words}" for words in off if words), "")
            raise UsageError(
                f"{table.name}, row {of_part.line[0]}: part {name} says that another rubric was counted; "
                f"{rubric.name} is {rubric.fingerprint}{where_off}"
            )


def _off_scale(of_part: CountedRows, criterion: Criterion) -> tuple[int, str] | None:
    """Return the first row and column whose level isn't on the scale; None where all are."""
    values = np.array(criterion.scale.values)
    named = {"gold": of_part.gold, "judge": of_part.judge}
    named |= {f"p{number}": column for number, column in enumerate(of_part.people.T, start=1)}
    for name, levels in named.items():
        if criterion.scale.ordered:
            off = (levels < values.min() - LEVEL_ROUNDING) | (levels > values.max() + LEVEL_ROUNDING)
        else:
            near = np.abs(levels[:, None] - values).min(axis=1, initial=np.inf) <= LEVEL_ROUNDING
            off = ~near & ~np.isnan(levels)
        if off.any():
            return int(off.argmax()), name
    return None


def _off_scale_words(of_part: CountedRows, criterion: Criterion) -> str:
    first_off = _off_scale(of_part, criterion)
    if first_off is None:
        return ""
    row, column = first_off
    return f"{criterion.name}, row {of_part.line[row]}, column {column} isn't on its scale {_scale_words(criterion)}"


def _scale_words(criterion: Criterion) -> str:
    low, high = criterion.scale.ends
    return f"{low:g} to {high:g}"


def _refuse_off_scale(table: _Table, name: str, of_part: CountedRows, criterion: Criterion) -> None:
    first_off = _off_scale(of_part, criterion)
    if first_off is not None:
        row, column = first_off
        why = f"of part {name} must be a level of its scale, {_scale_words(criterion)}"
        raise table.fault(int(of_part.line[row]), column, why)


def _refuse_outside(table: _Table, name: str, of_part: CountedRows) -> None:
    columns = {"gold": of_part.gold, "judge": of_part.judge} if name != GIVEN_PART else {"gold": of_part.gold}
    if name in (ANNOTATORS_PART, ANNOTATORS_DECIDE_PART):
        columns["p1"] = of_part.people[:, 0] if of_part.people.shape[1] else np.full(len(of_part.n), -1.0)
    for column, values in columns.items():
        outside = (values < 0) | (values > 1)
        if name == DECISION_PART:
            outside |= ~np.isnan(values) & (values != np.rint(values))
        if outside.any():
            allowed = "0 or 1" if name == DECISION_PART else "0 to 1"
            raise table.fault(int(of_part.line[outside.argmax()]), column, f"of part {name} must be {allowed}")


def _refuse_no_rate(table: _Table, name: str, of_part: CountedRows) -> None:
    for column, strange_rows, why in (
        ("judge", ~(of_part.judge >= 1), "must be the examples of a group"),
        ("gold", ~((of_part.gold >= 0) & (of_part.gold <= of_part.judge)), "must be the hits among a group's examples"),
    ):
        if strange_rows.any():
            raise table.fault(int(of_part.line[strange_rows.argmax()]), column, f"of part {name} {why}")


def _examples(table: _Table, rows: Mapping[str, CountedRows], wanted: Sequence[str]) -> int:
    """Return how many examples were counted; refuse parts that lack, or that count others."""
    missing = [name for name in wanted if name not in rows]
    if missing:
        raise UsageError(f"{table.name} has no part {listed(missing)}; it has {listed(list(rows))}")
    counted_in = {
        name: rows[name].examples for name in ([EXAMPLES_PART] if EXAMPLES_PART in rows else []) + list(wanted)
    }
    (first, examples), *others = counted_in.items()
    for name, n in others:
        if n != examples:
            raise UsageError(
                f"{table.name}, row {rows[name].line[0]}: part {name} counts {n:,} examples, and part {first} "
                f"{examples:,}; all parts count the same examples"
            )
    return examples


# --- fractions --------------------------------------------------------------------------------------------------------


def exact(values: Floats) -> Floats:
    """Return scores that were rounded to 9 decimals as the fractions that they were rounded from, where there are any.

    Example:
        >>> exact(np.array([0.333333333, 0.5])).tolist() == [1 / 3, 0.5]
        True
    """
    distinct, index = np.unique(values, return_inverse=True)
    fractions = np.array([_fraction(value) for value in distinct.tolist()], dtype=np.float64)
    return np.asarray(fractions[index.reshape(-1)])


def _fraction(value: float) -> float:
    if not np.isfinite(value):
        return value
    nearest = float(Fraction(value).limit_denominator(_LARGEST_DENOMINATOR))
    return nearest if abs(nearest - value) <= _ROUNDED else value
