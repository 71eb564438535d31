"""Read a table that has columns of judges and columns of people, without a rubric."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, UsageError
from markscheme.phrases import few_of, in_words
from markscheme.plain_data import TABLES, table_rows
from markscheme.ratings.examples import Example
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.readers.imported import Reading, plain
from markscheme.readers.peek import Peek
from markscheme.readers.table_meaning import TableMeaning
from markscheme.readers.tables import ID, INPUTS, RESPONSE_NAMES
from markscheme.readers.value_kinds import ReadValues, folded, read_values
from markscheme.rubrics.rubric import Criterion, Rubric, TableOf
from markscheme.submission import Submission

JUDGE_COLUMNS = ("judge", "verdict", "prediction")
PEOPLE_COLUMNS = ("human", "label", "gold", "expected")
GROUP_COLUMN = "group"
BLIND_COLUMN = "blind"
ROWS_LISTED = 3
"""Rows listed where a judge gave no value, at most."""


def read_sides(peek: Peek, meaning: TableMeaning) -> Reading:
    """The ratings in a table by one criterion, which is what its values say: a level, a score, a decision, a category.

    A judge's cell without a value is a rating that failed, so that it is counted and listed. The first note says in a
    line how the table was read.

    Raises:
        RatingError: The table has no row, or two rows have one id.
        UsageError: The columns aren't known, or their values may mean several things.
    """
    rows = [{name: str(cell) for name, cell in row.items() if cell is not None} for _, row in peek.parts()]
    header = list(dict.fromkeys(name for row in rows for name in row))
    if not rows:
        raise RatingError("holds no rows", path=peek.path)
    judges, people = _columns_of(header, meaning, peek.path)
    values = read_values(
        {name: [row.get(name) for row in rows] for name in (*judges, *people)}, judges, meaning.value_options
    )
    reading = Reading(peek.path, _rubric(values, people, peek.path))
    ids = _ids(rows, _column(header, meaning.unit, ID, "--id", peek.path), peek.path)
    response = _column(header, meaning.response, RESPONSE_NAMES, "--response", peek.path)
    group = _column(header, meaning.group, (GROUP_COLUMN,), "--group", peek.path)
    query = _column([name for name in header if name not in (*judges, *people)], "", INPUTS["query"], "", peek.path)
    for unit, row in zip(ids, rows, strict=True):
        inputs = {"query": row[query]} if query in row else {}
        reading.add_example(Example(Submission(row.get(response, ""), inputs, unit), group=row.get(group, "")))
        reading.ratings += [_judged(unit, name, row, values, reading.rubric) for name in judges]
        labels = [_labelled(unit, name, row, values, reading.rubric, meaning.kind) for name in people]
        reading.ratings += [label for label in labels if label is not None]
    reading.note(_in_words(rows, judges, people, values))
    for name in judges:
        missing = [unit for unit, row in zip(ids, rows, strict=True) if values.level(name, row.get(name, "")) is None]
        if missing:
            reading.note(f"{name}: no value in {len(missing)} of {len(rows)} rows ({few_of(missing, ROWS_LISTED)})")
    for sentence in values.notes:
        reading.note(sentence)
    return reading


# --- columns ----------------------------------------------------------------------------------------------------------


def _first_line(path: Path) -> list[str]:
    """The names in the first line of a table of text; of a column without any value, nothing else tells."""
    if path.suffix not in TABLES:
        return []
    return next((list(row) for _, row in table_rows(path, RatingError) if row is not None), [])


def _columns_of(header: Sequence[str], meaning: TableMeaning, path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    for name in (*meaning.judges, *meaning.people):
        if name not in header:
            raise UsageError(f"{path} has no column {name!r} with values; it has {', '.join(header)}")
    judges = meaning.judges or _named_like(header, JUDGE_COLUMNS, ("judge",), taken=meaning.people)
    people = meaning.people or _named_like(header, PEOPLE_COLUMNS, ("human", "annotator"), taken=meaning.judges)
    has_judge = bool(judges) or not meaning.needs_judge
    if not has_judge or not people:
        missing = " and ".join(
            side
            for side, is_there in (("a judge's (--judge COLUMN)", has_judge), ("a person's (--human COLUMN)", people))
            if not is_there
        )
        empty = [name for name in _first_line(path) if name not in header]
        without = f", and without a value {', '.join(empty)}" if empty else ""
        raise UsageError(f"which column of {path} is {missing}? It has {', '.join(header)}{without}")
    if set(judges) & set(people):
        raise UsageError(f"column {next(iter(set(judges) & set(people)))!r} can't be a judge's and a person's")
    return judges, people


def _named_like(
    header: Sequence[str], names: Sequence[str], stems: Sequence[str], *, taken: Sequence[str]
) -> tuple[str, ...]:
    """The one column with such a name, or all that begin with a stem; empty where both, or neither, are there."""
    free = [column for column in header if column not in taken]
    exact = tuple(column for column in free if plain(column) in names)
    begin = tuple(
        column
        for column in free
        if column not in exact and any(plain(column).startswith(stem) and plain(column) != stem for stem in stems)
    )
    return exact if len(exact) == 1 and not begin else () if exact else begin


def _column(header: Sequence[str], wanted: str, names: Sequence[str], option: str, path: Path) -> str:
    """The column that an option names, else the first with one of these names; "" without one."""
    if wanted and wanted not in header:
        raise UsageError(f"{option}: {path} has no column {wanted!r}; it has {', '.join(header)}")
    return wanted or next((column for column in header if plain(column) in names), "")


def _ids(rows: Sequence[Mapping[str, Any]], column: str, path: Path) -> list[str]:
    """Each row's id; its number where there is no column of ids."""
    ids = [row.get(column, "").strip() or str(place) for place, row in enumerate(rows, start=1)]
    repeated = [unit for unit, times in Counter(ids).items() if times > 1]
    if repeated:
        raise RatingError(f"has several rows of {few_of(repeated, ROWS_LISTED)}; ids name one row each", path=path)
    return ids


# --- values -----------------------------------------------------------------------------------------------------------


def _rubric(values: ReadValues, people: Sequence[str], path: Path) -> Rubric:
    name = people[0] if len(people) == 1 else "label"
    say = "says" if len(people) == 1 else "say"
    criterion = Criterion(1.0, f"What {in_words(people)} {say} of a response.", name, values.scale)
    of: TableOf = "pass-fail" if values.kind == "decision" else "values"
    return Rubric((criterion,), name=path.stem, tolerance=values.tolerance, table_of=of)


def _judged(unit: str, column: str, row: Mapping[str, str], values: ReadValues, rubric: Rubric) -> Rating:
    level = values.level(column, row.get(column, ""))
    if level is None:
        written = row.get(column, "").strip() or "an empty cell"
        return Rating(unit, column, "model", error=f"{written} in column {column!r}")
    return Rating(unit, column, "model", _rated(level, rubric))


def _labelled(
    unit: str, column: str, row: Mapping[str, str], values: ReadValues, rubric: Rubric, kind: Kind
) -> Rating | None:
    level = values.level(column, row.get(column, ""))
    blind = next((cell for name, cell in row.items() if plain(name) == BLIND_COLUMN), "")
    label = Rating(unit, column, kind, blind=folded(blind) not in ("no", "false", "n", "0"))
    return None if level is None else replace(label, criteria=_rated(level, rubric))


def _rated(level: float, rubric: Rubric) -> dict[str, Rated]:
    """A level of the one criterion."""
    (criterion,) = rubric.criteria
    return {criterion.name: Rated(level, label=criterion.scale.label_of(level))}


def _in_words(
    rows: Sequence[Mapping[str, str]], judges: Sequence[str], people: Sequence[str], values: ReadValues
) -> str:
    def has_value(row: Mapping[str, str], names: Sequence[str]) -> bool:
        return any(values.level(name, row.get(name, "")) is not None for name in names)

    both = sum(has_value(row, judges) and has_value(row, people) for row in rows)
    columns = [f"{name}: {values.words[name]}" for name in (*judges, *people)]
    return " · ".join([*columns, f"{len(rows)} rows, {both} with both"])
