"""Recognition of what a table's columns hold: ratings of judges and people by criterion, ids, responses and so on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias

from markscheme.numerals import number_in
from markscheme.ratings.column_options import ColumnOptions, sides_of
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.scales import FEWEST_FOR_REPEATS, MOST_WORDS
from markscheme.readers.tabular.words import (
    ABOUT_A_RATING,
    DERIVED,
    EXAMPLE_FIELDS,
    ID_NAMES,
    JUDGE_WORDS,
    MEASURES,
    OF_A_RATER,
    OF_PREDICTIONS,
    PEOPLE_WORDS,
    QUERY_ENDS,
    REASON_WORDS,
    RESPONSE_ENDS,
    VALUE_WORDS,
    decision_of,
    folded,
    is_model_name,
    name_words,
)

ColumnRole: TypeAlias = Literal[
    "judge", "human", "reason", "note", "response", "reference", "query", "group", "system", "split", "blind", "drawn",
    "at", "id", "aside", "derived", "other",
]  # fmt: skip
MOST_SEEN: Final = 200
"""Largest number of different cells of a column that are looked at to tell texts from values."""


@dataclass(frozen=True)
class TableColumn:
    """One column of a table, with its name and its cells as text.

    Attributes:
        name: Name of the column in the table, which no other column has.
        cells: Cells as text, "" if empty.
        file: If several joined files have a column of the same name, the name of this column's file without ending,
            which is also part of `name`; else None.
    """

    name: str
    cells: Sequence[str]
    file: str | None = None

    @property
    def different(self) -> list[str]:
        """The first few distinct cells of the column, without empty ones."""
        seen: dict[str, None] = {}
        for cell in self.cells:
            if cell and cell not in seen:
                seen[cell] = None
                if len(seen) > MOST_SEEN:
                    break
        return list(seen)

    @property
    def is_empty(self) -> bool:
        """True if all cells of the column are empty."""
        return not any(folded(cell) for cell in self.different)

    @property
    def is_text(self) -> bool:
        """True if the cells are texts: neither numbers nor words such as "pass" and "no"."""
        values = list(map(folded, self.different))
        return any(number_in(v.replace(",", ".", 1)) is None and decision_of(v) is None for v in values if v)


@dataclass(frozen=True)
class SideColumn:
    """A table's column of ratings by one judge or annotator (its side) on one criterion.

    Attributes:
        column: The column.
        is_judge: True if the ratings are a judge's.
        words: Words of the column's name without those that say who rated.
        rater: What distinguishes this judge from other judges, or this annotator from other annotators. In a table with
            one row per rating, it is the name. Else it is the number in the column's name, else the name of the
            column's file, else "". None if an option's pattern, such as `*_ann`, says what the columns rate.
    """

    column: TableColumn
    is_judge: bool
    words: tuple[str, ...]
    rater: str | None = None

    @property
    def name(self) -> str:
        """Name of the column, used as its rater's name; the file's name if several files have a column of that name."""
        return self.column.file or self.column.name

    @property
    def cells(self) -> Sequence[str]:
        """Cells of the column as written, "" if empty."""
        return self.column.cells

    @property
    def key(self) -> str:
        """Name of the criterion: the column's name without words for the rater and words such as "score"."""
        return " ".join(word for word in self.words if word not in VALUE_WORDS)

    @property
    def full_key(self) -> str:
        """The column's name without words for the rater, but with words such as "score"."""
        return " ".join(self.words)


def output_roles(columns: Sequence[TableColumn], options: ColumnOptions) -> dict[str, ColumnRole]:
    """Determine the role of each column for a command that reads responses and inputs but no ratings.

    Raises:
        UsageError: An option names a column that the table lacks.
    """
    refuse_unknown(columns, options)
    stated = stated_roles(columns, options)
    roles = {column.name: stated.get(column.name) or role_of(column, columns) for column in columns}
    unit = id_column(columns, options)
    return {name: "id" if name == unit else role for name, role in roles.items()}


def refuse_unknown(columns: Sequence[TableColumn], options: ColumnOptions) -> None:
    """Raise UsageError if an option names a column that the table lacks."""
    names = [column.name for column in columns]
    mapped = tuple(sides_of("map", options.stated.get("map", ())))
    named = {"--judge": options.judge, "--human": options.human, "--map": mapped}
    named |= {"--id": (options.id or "",), "--group": (options.group or "",), "--response": (options.response or "",)}
    for option, wanted in named.items():
        for name in filter(None, wanted):
            if not any(is_named_by(column, name) for column in columns):
                raise refusal("option-unused", columns=names, option=f"{option} {name}")


def is_named_by(column: TableColumn, pattern: str) -> bool:
    """Return True if an option's value names a column: by its name, with or without its file's, or by a pattern.

    A pattern with `*` names no column of reasons, such as `eval_reason` for `eval*`, unless it says so.
    """
    names = (column.name, column.name.removeprefix(f"{column.file}:"))
    is_fit = "*" in pattern and REASON_WORDS.isdisjoint({*name_words(column.name)} - {*name_words(pattern)})
    return pattern in names or (is_fit and any(fnmatchcase(name, pattern) for name in names))


def stated_roles(columns: Sequence[TableColumn], options: ColumnOptions) -> dict[str, ColumnRole]:
    roles: dict[str, ColumnRole] = {}
    for column in columns:
        if any(is_named_by(column, name) for name in options.judge):
            roles[column.name] = "judge"
        if any(is_named_by(column, name) for name in options.human):
            if column.name in roles:
                raise refusal("which-columns", columns=[column.name], choices=[("--judge", "COLUMN")], twice=True)
            roles[column.name] = "human"
        meaning = options.fields.get(column.name)
        if meaning in ("note", "reason", "query", "response", "group", "id"):
            roles[column.name] = meaning  # type: ignore[assignment]
    for role, name in (("id", options.id), ("group", options.group), ("response", options.response)):
        if name is not None and name not in roles:
            roles[name] = role  # type: ignore[assignment]
    return roles


def _side(words: Iterable[str]) -> tuple[bool, bool]:
    """Return two flags for the words of a column's name: if they mean a judge, and if they mean people."""
    listed = tuple(words)
    if listed in (("y", "pred"), ("y", "true")):
        return listed == ("y", "pred"), listed == ("y", "true")
    of_people = any(word in PEOPLE_WORDS for word in listed)
    of_judge = any(word in JUDGE_WORDS for word in listed) or ("verdict" in listed and not of_people)
    return of_judge, of_people or (not of_judge and ("label" in listed or "labels" in listed))


def _words_of(column: TableColumn) -> tuple[str, ...]:
    """Return the words of a column's name, after those of its file's name if another file has the same column."""
    of_file = name_words(column.file) if column.file is not None else ()
    return of_file + name_words(column.name.removeprefix(f"{column.file}:"))


def role_of(column: TableColumn, columns: Sequence[TableColumn]) -> ColumnRole:
    """Return the role of a column by its name, from the first rule for names that applies to it."""
    words = name_words(column.name.removeprefix(f"{column.file}:"))
    named = set(words)
    of_judge, of_people = _side(_words_of(column) if column.file else words)
    if column.file and is_model_name(column.file) and not any(_side(_words_of(other))[0] for other in columns):
        of_people = not PEOPLE_WORDS.isdisjoint(_words_of(column))  # else its labels may be the model's
    if not words:
        return "id" if column is columns[0] else "other"
    is_thumb = named & REASON_WORDS == {"feedback"} and not column.is_text and not column.is_empty
    if named & REASON_WORDS and not is_thumb:
        rest = tuple(word for word in words if word not in REASON_WORDS)
        return "reason" if rest or any(_side(name_words(c.name)) != (False, False) for c in columns) else "note"
    if words[-1] in RESPONSE_ENDS and column.is_text:
        if named & {"judge", "grader"}:
            return "aside"
        return "reference" if named & PEOPLE_WORDS else "response"
    if words[-1] in QUERY_ENDS:
        return "query"
    if len(words) == 1 and words[0] in EXAMPLE_FIELDS:
        return words[0]  # type: ignore[return-value]
    if is_measure(words):
        return "aside"
    if named & OF_A_RATER and named & (JUDGE_WORDS | PEOPLE_WORDS):
        return "aside"
    if named & ABOUT_A_RATING and not _is_on_both_sides(words, columns):
        return "aside"
    if (of_judge and of_people) or named & DERIVED:
        return "derived"
    if of_judge:
        return "judge"
    if of_people:
        is_reference = named & {"gold", "truth", "expected"} and (looks_like_text(column) or has_sentences(column))
        return "reference" if is_reference else "human"
    return "other"


def is_judges(column: TableColumn) -> bool:
    """Return True if a column's name says that it holds a judge's ratings, and its cells don't contradict that."""
    return role_of(column, [column]) == "judge" and not column.is_empty and not looks_like_text(column)


def is_measure(words: Sequence[str]) -> bool:
    """Return True if a column's name is that of a cost, a duration, or the model that wrote a response.

    >>> is_measure(["judge", "latency"]), is_measure(["model"]), is_measure(["model", "prediction"])
    (True, True, False)
    """
    named = set(words)
    return bool(named & MEASURES) or ("model" in named and not named & (VALUE_WORDS | OF_PREDICTIONS | {"judge"}))


def looks_like_text(column: TableColumn) -> bool:
    """Return True if a column's values are too many, or too long, to be ratings."""
    return column.is_text and _is_prose(column)


def _is_prose(column: TableColumn) -> bool:
    different = column.different
    filled = sum(bool(cell) for cell in column.cells)
    has_many = len(different) > MOST_WORDS or (filled >= FEWEST_FOR_REPEATS and len(different) > filled / 2)
    return has_many or any(len(cell.split()) > MOST_WORDS for cell in different)


def has_sentences(column: TableColumn) -> bool:
    """Return True if a column's cells are too long for labels, as in a column of reference answers."""
    lengths = [len(cell.split()) for cell in column.different]
    return bool(lengths) and sum(lengths) >= WORDS_OF_SENTENCE * len(lengths)


WORDS_OF_SENTENCE: Final = 4
"""Smallest mean number of words of a column's cells that are sentences; labels such as `strongly disagree` are
shorter."""


def _is_on_both_sides(words: Sequence[str], columns: Sequence[TableColumn]) -> bool:
    """Return True if a table has a column once for a judge and once for people, as `judge_score` and `human_score`.

    Args:
        words: The words of the column's name.
        columns: All columns of the table.
    """
    rest = [word for word in words if word not in JUDGE_WORDS | PEOPLE_WORDS]
    sides = {_side(twin) for column in columns if (twin := name_words(column.name))
             and [word for word in twin if word not in JUDGE_WORDS | PEOPLE_WORDS] == rest}  # fmt: skip
    return {(True, False), (False, True)} <= sides


def singles(columns: Sequence[TableColumn], roles: Mapping[str, ColumnRole], options: ColumnOptions) -> dict[str, str]:
    """Return the name of the column chosen for each role that only one column can have, such as "response"."""
    single: dict[str, str] = {}
    for column in columns:
        role = roles[column.name]
        if role in ("response", "query", "reference", *EXAMPLE_FIELDS):
            is_plain = len(name_words(column.name)) == 1
            if role not in single or (is_plain and len(name_words(single[role])) > 1):
                single[role] = column.name
    named = {"response": options.response, "group": options.group}
    single |= {role: name for role, name in named.items() if name in {column.name for column in columns}}
    unit = id_column(columns, options)
    return single if unit is None else single | {"id": unit}


def id_column(columns: Sequence[TableColumn], options: ColumnOptions) -> str | None:
    """Return the name of the id column: the stated one, or `id` or the like if its cells are unique; else None."""
    mapped = (name for name, meaning in options.fields.items() if meaning == "id")
    stated = next(mapped, None) if options.id is None else options.id
    if stated is not None:
        return stated
    by_name = {" ".join(name_words(column.name)): column for column in columns}
    if "id" in by_name and by_name["id"].name != options.group:
        return by_name["id"].name
    for index, column in enumerate(columns):
        words = name_words(column.name)
        is_id = words[-1:] == ("id",) or (len(words) == 1 and words[0] in ID_NAMES)
        is_named = is_id or (not words and index == 0)
        is_of_rater = set(words) & (JUDGE_WORDS | PEOPLE_WORDS)
        if is_named and not is_of_rater and all(column.cells) and len(set(column.cells)) == len(column.cells):
            return column.name
    return None
