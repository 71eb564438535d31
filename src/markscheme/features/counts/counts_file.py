"""Reader of counts files, in which each row counts the examples with the same ratings by gold and raters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from markscheme.errors import UsageError
from markscheme.features.counts.columns_of_counts import PERSON_COLUMN, refuse_other_column
from markscheme.features.counts.count_query import COUNTS_FORMAT
from markscheme.features.counts.counts_columns import HOW_TO_COUNT, CountsColumns, counts_columns
from markscheme.features.counts.slice_values import SLICE_PREFIX, VALUE_COLUMN
from markscheme.phrases import listed
from markscheme.rubrics.criterion import LEVEL_ROUNDING
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.intervals import Floats, Groups, Integers

MOST_ROWS: Final = 3_000_000
"""Largest number of rows of a counts file."""
SCORE_PART: Final = "score"
DECISION_PART: Final = "decision"
ANNOTATORS_PART: Final = "people"
ANNOTATORS_DECIDE_PART: Final = "people:decision"
GIVEN_PART: Final = "given"
EXAMPLES_PART: Final = "examples"
GROUPS_PART: Final = "groups"
REPAIR_PREFIX: Final = "repair:"
"""Prefix of the names of parts on fixing a criterion, which the criterion's name follows."""
AGREEMENT_RATE: Final = "rate:agreement"
EARLIER_RATE: Final = "rate:earlier"
"""Name of the part that counts groups by the number of examples on which the earlier judge agrees, as `rate:agreement`
does for the judge."""
RATES: Final = (AGREEMENT_RATE, "rate:stops", "rate:keeps", EARLIER_RATE)
_SHARES: Final = (SCORE_PART, DECISION_PART, ANNOTATORS_PART, ANNOTATORS_DECIDE_PART, GIVEN_PART)
"""Names of the parts whose values are between 0 and 1."""
_OF_THE_JUDGE: Final = (ANNOTATORS_PART, ANNOTATORS_DECIDE_PART)
"""Names of the parts with annotators' agreement with the judge, which don't hold for an earlier judge."""
_NEEDED_COLUMNS: Final = ("part", "gold", "judge", "n")
"""Columns without which no figure can be computed."""
_KNOWN_PREFIXES: Final = (SLICE_PREFIX, REPAIR_PREFIX, "rubric:", "format:")
_LARGEST_DENOMINATOR: Final = 1000
"""Largest denominator of the fraction to which a rounded score is restored."""
_ROUNDED: Final = 6e-10
"""Largest distance of a rounded score from the fraction to which it is restored; scores have 9 decimals."""


@dataclass(frozen=True)
class CountedRows:
    """Rows of one part of a counts file, an array for each column.

    Attributes:
        sets: Number of each row's jackknife set, whose examples are left out together, shape (n_rows,); nan where each
            example is left out by itself.
        gold: Gold's values, shape (n_rows,), nan where missing.
        judge: The judge's values, shape (n_rows,), nan where missing.
        people: Single annotators' values, shape (n_rows, n_people), nan where missing.
        earlier: The earlier judge's values, shape (n_rows,), nan where missing, everywhere if no earlier judge is
            named.
        n: Number of examples that each row represents, shape (n_rows,).
        line: The row's number in the file, shape (n_rows,).
    """

    sets: Floats
    gold: Floats
    judge: Floats
    people: Floats
    earlier: Floats
    n: Floats
    line: Integers

    @cached_property
    def groups(self) -> Groups:
        """Groups for the jackknife, which leaves one out at a time: the counted sets of groups, or single examples."""
        return Groups.counted(self.n, None if np.isnan(self.sets).all() else self.sets.astype(np.int64))

    @cached_property
    def examples(self) -> int:
        """Number of examples that all rows of the part count together."""
        return round(float(self.n.sum()))

    @property
    def as_rates(self) -> tuple[Floats, Groups]:
        """Share of the examples on which the judge is right, for each row of groups; and the rows as Groups.

        Only for a part in which a row counts groups that are alike: they have equally many examples, and the judge is
        right on equally many of these.
        """
        groups = Groups(np.arange(len(self.n)), self.examples, times=self.judge, copies=self.n, named=True)
        return self.gold / self.judge, groups


@dataclass(frozen=True)
class CountsFile:
    """Content of a counts file, a table that counts examples by their ratings: its rows by part, and total numbers.

    Attributes:
        name: The file's name, for messages.
        digest: Digest of the file's content.
        parts: The rows of each part, by the part's name.
        examples: Number of examples that were counted.
        n_groups: Number of groups of examples; None if the file doesn't state it.
        unknown: Names of parts that aren't known and are ignored.
        slices: Rows that count the slices of a field, and the field's value in each row, by field.
        earlier: The column of an earlier judge; None if none is named.
    """

    name: str
    digest: str
    parts: Mapping[str, CountedRows]
    examples: int
    n_groups: int | None
    unknown: tuple[str, ...]
    slices: Mapping[str, tuple[CountedRows, tuple[str, ...]]]
    earlier: str | None = None

    @property
    def of_earlier(self) -> "CountsFile":
        """The counts with the earlier judge's values in place of the judge's.

        Parts of the file that are about today's judge alone are left out.
        """
        rated = {
            name: replace(rows, judge=rows.earlier)
            for name, rows in self.parts.items()
            if name not in (*RATES, *_OF_THE_JUDGE) and not name.startswith(REPAIR_PREFIX)
        }
        if EARLIER_RATE in self.parts:
            rated[AGREEMENT_RATE] = self.parts[EARLIER_RATE]
        return replace(self, parts=rated, slices={}, earlier=None)

    @property
    def facts(self) -> dict[str, Any]:
        """JSON entry that identifies a counts file: its name, its digest, and its numbers of examples and groups."""
        return {"file": self.name, "digest": self.digest, "examples": self.examples, "groups": self.n_groups}

    def rows_of(self, name: str) -> CountedRows:
        """Return the rows of a part of the counts; an empty `CountedRows` if the file lacks the part."""
        return self.parts.get(name, NO_ROWS)


_BLANK: Final = np.zeros(0)
NO_ROWS: Final = CountedRows(_BLANK, _BLANK, _BLANK, np.zeros((0, 0)), _BLANK, _BLANK, np.zeros(0, dtype=np.int64))


def read_counts(source: Any, rubric: Rubric, earlier: str | None = None) -> CountsFile:
    """Read a counts file that was made with a given rubric.

    Args:
        source: A file (CSV, JSON lines or Parquet), a data frame, rows, or columns by name.
        rubric: The rubric of the counts.
        earlier: The column with an earlier judge's ratings; None if none is compared.

    Raises:
        UsageError: The source has another format or rubric, a value off its scale, parts with different numbers of
            examples, or no column of that earlier judge.
    """
    if earlier is not None:
        refuse_other_column(earlier)
    table = counts_columns(source, earlier)
    rows = _rows_by_part(table, earlier)
    _refuse_another_format(table, rows)
    _refuse_another_rubric(table, rows, rubric)
    criteria = {criterion.name: criterion for criterion in rubric.criteria}
    repairs = [f"{REPAIR_PREFIX}{criterion.name}" for criterion in rubric.decisive]
    parts = {name: of_part for name, of_part in rows.items() if name in (*criteria, *_SHARES, *RATES, *repairs)}
    for name, of_part in parts.items():
        if name in criteria:
            _refuse_off_scale(table, name, of_part, criteria[name], earlier)
        elif name in _SHARES:
            _refuse_outside(table, name, of_part, earlier)
    for name in RATES:
        if name in parts:
            _refuse_no_rate(table, name, parts[name])
    for name in repairs:
        if name in parts:
            _refuse_no_change(table, name, parts[name])
    _refuse_lost_columns(table, rows)
    wanted = [*([SCORE_PART] if rubric.has_score else []), *([DECISION_PART] if rubric.decides else []), *criteria]
    examples = _examples(table, rows, wanted)
    if earlier is not None and all(np.isnan(parts[name].earlier).all() for name in wanted):
        raise UsageError(f"{table.name}, column {earlier} has no rating of an earlier judge")
    readable = {*parts, EXAMPLES_PART, GROUPS_PART}
    unknown = tuple(name for name in rows if name not in readable and not name.startswith(_KNOWN_PREFIXES))
    n_groups = rows[GROUPS_PART].examples if GROUPS_PART in rows else None
    return CountsFile(table.name, table.digest, parts, examples, n_groups, unknown, _slices(table, rows), earlier)


# --- rows -------------------------------------------------------------------------------------------------------------


def _rows_by_part(table: CountsColumns, earlier: str | None) -> dict[str, CountedRows]:
    """Return the counted rows by part of the counts file, without rows that count 0 examples.

    Raises:
        UsageError: A column that counts need, or that of the named earlier judge, is missing; there are no rows, or
            more than are read; or a number of examples isn't whole.
    """
    _refuse_missing_columns(table)
    if not table.parts:
        raise UsageError(f"{table.name} has no rows of counts; {HOW_TO_COUNT}")
    if earlier is not None and earlier not in table.numbers:
        columns = listed(list(table.cells()))
        raise UsageError(f"{table.name} has no column {earlier} with an earlier judge's ratings; it has {columns}")
    if len(table.part) > MOST_ROWS:
        raise UsageError(f"{table.name} has {len(table.part):,} rows; {MOST_ROWS:,} are the most")
    n = table.numbers["n"]
    strange = np.flatnonzero(~((n >= 0) & (n == np.rint(n))))
    if len(strange):
        raise table.fault(int(strange[0]) + table.first, "n", "must be a whole number from 0")
    people = sorted((name for name in table.numbers if PERSON_COLUMN.fullmatch(name)), key=lambda name: int(name[1:]))
    in_order = np.argsort(table.part, kind="stable")
    last = np.cumsum(np.bincount(table.part, minlength=len(table.parts)))
    of_parts = np.split(in_order, last[:-1])
    return {
        name: _rows(table, rows[n[rows] > 0], people, earlier) for name, rows in zip(table.parts, of_parts, strict=True)
    }


def _rows(table: CountsColumns, rows: Integers, people: Sequence[str], earlier: str | None) -> CountedRows:
    columns = [_column(table, name, rows) for name in people]
    return CountedRows(
        _column(table, "set_no", rows),
        _column(table, "gold", rows),
        _column(table, "judge", rows),
        np.column_stack(columns) if columns else np.zeros((len(rows), 0)),
        np.full(len(rows), np.nan) if earlier is None else _column(table, earlier, rows),
        _column(table, "n", rows),
        rows + table.first,
    )


def _column(table: CountsColumns, name: str, rows: Integers) -> Floats:
    """Return a table's column of numbers at the given rows; nan everywhere if the table has no such column."""
    if name not in table.numbers:
        return np.full(len(rows), np.nan)
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1:
        return table.numbers[name][rows[0] : rows[-1] + 1]  # a view of rows that follow each other
    return table.numbers[name][rows]


def _slices(table: CountsColumns, rows: Mapping[str, CountedRows]) -> dict[str, tuple[CountedRows, tuple[str, ...]]]:
    """Return, for each field that defines slices, the rows that count its slices, and the field's value in each row.

    Args:
        table: The cells of the counts file.
        rows: The rows of each part of the counts file, by the part's name.

    Raises:
        UsageError: The rows have no column with the field's values, or a score is outside 0 to 1.
    """
    of_fields = {name: of_part for name, of_part in rows.items() if name.startswith(SLICE_PREFIX)}
    if not of_fields:
        return {}
    cells = table.cells().get(VALUE_COLUMN)
    if cells is None:
        raise UsageError(f"{table.name} has parts {listed(list(of_fields))}, and no column {VALUE_COLUMN}")
    slices = {}
    for name, of_part in of_fields.items():
        _refuse_outside(table, name, of_part, None)
        values = tuple(str(cells[line]) for line in (of_part.line - table.first).tolist())
        slices[name.removeprefix(SLICE_PREFIX)] = (of_part, values)
    return slices


# --- checks -----------------------------------------------------------------------------------------------------------


def _refuse_missing_columns(table: CountsColumns) -> None:
    present = {*table.numbers, *([] if table.parts is None else ["part"])}
    missing = [name for name in _NEEDED_COLUMNS if name not in present]
    if missing:
        lacks = f"no column {missing[0]}" if len(missing) == 1 else f"no columns {', '.join(missing)}"
        columns = listed(list(table.cells())) or "none"
        problem = f"can't be read as counts: it has {lacks}; there: {columns}; {HOW_TO_COUNT}"
        raise UsageError(f"{table.name} {problem}", path=table.name)


def _refuse_lost_columns(table: CountsColumns, rows: Mapping[str, CountedRows]) -> None:
    """Raise an error if a counts file has rows on groups, or on two annotators, but lacks the columns for these.

    Args:
        table: The file's columns.
        rows: The rows of each part of the file, by the part's name.

    Raises:
        UsageError: Columns are missing; the message names them.
    """
    if GROUPS_PART in rows and rows[GROUPS_PART].examples and "set_no" not in table.numbers:
        groups = rows[GROUPS_PART].examples
        raise UsageError(f"{table.name} has no column set_no, by which part {GROUPS_PART} says {groups:,} are counted")
    for name in _OF_THE_JUDGE:
        if name in rows and rows[name].examples and rows[name].people.shape[1] < 2:
            raise UsageError(f"{table.name} has no columns p1 and p2, of the two annotators whom part {name} counts")


def _refuse_another_format(table: CountsColumns, rows: Mapping[str, CountedRows]) -> None:
    for name, of_part in rows.items():
        prefix, _, number = name.partition(":")
        if prefix == "format" and number and number != str(COUNTS_FORMAT):
            raise UsageError(
                f"{table.name}, row {of_part.line[0]}: part {name}, and only format {COUNTS_FORMAT} is known"
            )


def _refuse_another_rubric(table: CountsColumns, rows: Mapping[str, CountedRows], rubric: Rubric) -> None:
    """Raise an error if counts were made with another rubric; name a part whose levels this rubric doesn't have.

    Args:
        table: The columns of the counts file.
        rows: The rows of each part, by its name; a part named "rubric:DIGEST" says which rubric was used.
        rubric: The rubric of the calibration.
    """
    for name, of_part in rows.items():
        prefix, _, digest = name.partition(":")
        if prefix == "rubric" and digest and digest != rubric.fingerprint:
            off = (_off_scale_words(rows[c.name], c) for c in rubric.criteria if c.name in rows)
            where_off = next((f"; part {words}" for words in off if words), "")
            raise UsageError(
                f"{table.name}, row {of_part.line[0]}: part {name} says that another rubric was counted; "
                f"{rubric.name} is {rubric.fingerprint}{where_off}. If you edited {rubric.name} since, count again; "
                "else leave out its name: `calibrate` finds the rubric that was counted"
            )


def _off_scale(of_part: CountedRows, criterion: Criterion, earlier: str | None = None) -> tuple[int, str] | None:
    """Return the first row with a level off the criterion's scale, by index, and the column's name; else None.

    Args:
        of_part: Rows of the criterion's part of the counts file.
        criterion: The criterion.
        earlier: Name of the column of an earlier judge, which is then checked too; None without one.
    """
    values = np.array(criterion.scale.values)
    named = {"gold": of_part.gold, "judge": of_part.judge}
    named |= {f"p{number}": column for number, column in enumerate(of_part.people.T, start=1)}
    named |= {} if earlier is None else {earlier: of_part.earlier}
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


def _refuse_off_scale(
    table: CountsColumns, name: str, of_part: CountedRows, criterion: Criterion, earlier: str | None
) -> None:
    first_off = _off_scale(of_part, criterion, earlier)
    if first_off is not None:
        row, column = first_off
        why = f"of part {name} must be a level of its scale, {_scale_words(criterion)}"
        raise table.fault(int(of_part.line[row]), column, why)


def _refuse_outside(table: CountsColumns, name: str, of_part: CountedRows, earlier: str | None) -> None:
    columns = {"gold": of_part.gold, "judge": of_part.judge} if name != GIVEN_PART else {"gold": of_part.gold}
    if name in (ANNOTATORS_PART, ANNOTATORS_DECIDE_PART):
        columns["p1"] = of_part.people[:, 0] if of_part.people.shape[1] else np.full(len(of_part.n), -1.0)
    if earlier is not None:
        columns[earlier] = of_part.earlier
    for column, values in columns.items():
        outside = (values < 0) | (values > 1)
        if name == DECISION_PART:
            outside |= ~np.isnan(values) & (values != np.rint(values))
        if outside.any():
            allowed = "0 or 1" if name == DECISION_PART else "0 to 1"
            raise table.fault(int(of_part.line[outside.argmax()]), column, f"of part {name} must be {allowed}")


def _refuse_no_change(table: CountsColumns, name: str, of_part: CountedRows) -> None:
    """Raise an error if the part that says what fixing a criterion changes lacks columns, or has an invalid value.

    The columns `gold`, `judge` and `p1` hold decisions, 0 or 1: gold's, the judge's, and the judge's after fixing. `p2`
    is 1 if fixing brings the score within the tolerance, -1 if out of it, else 0.

    Args:
        table: The columns of the counts file.
        name: Name of the part.
        of_part: The rows of the part.
    """
    if of_part.people.shape[1] < 2:
        raise UsageError(f"{table.name}, row {of_part.line[0]}: part {name} has no columns p1 and p2")
    after, scores = of_part.people.T[:2]
    for column, values, least in (
        ("gold", of_part.gold, 0),
        ("judge", of_part.judge, 0),
        ("p1", after, 0),
        ("p2", scores, -1),
    ):
        strange = ~np.isnan(values) & ((values < least) | (values > 1) | (values != np.rint(values)))
        if strange.any():
            allowed = "0 or 1" if least == 0 else "-1, 0 or 1"
            raise table.fault(int(of_part.line[strange.argmax()]), column, f"of part {name} must be {allowed}")


def _refuse_no_rate(table: CountsColumns, name: str, of_part: CountedRows) -> None:
    for column, strange_rows, why in (
        ("judge", ~(of_part.judge >= 1), "must be the examples of a group"),
        ("gold", ~((of_part.gold >= 0) & (of_part.gold <= of_part.judge)), "must be the hits among a group's examples"),
    ):
        if strange_rows.any():
            raise table.fault(int(of_part.line[strange_rows.argmax()]), column, f"of part {name} {why}")


def _examples(table: CountsColumns, rows: Mapping[str, CountedRows], wanted: Sequence[str]) -> int:
    """Return the number of counted examples, which is equal in all parts.

    Args:
        table: The columns of the counts file.
        rows: The counted rows by part.
        wanted: Names of the parts that the file must have.

    Raises:
        UsageError: A part is missing, or parts count different numbers of examples.
    """
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
    """Replace scores rounded to 9 decimals by the fractions with small denominators that round to them, if any do.

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
