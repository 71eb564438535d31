"""Recognition of what a table's columns hold: ratings of judges and people by criterion, ids, responses and so on."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import permutations
from typing import Any, Final, Literal, TypeAlias

from markscheme.numerals import number_in
from markscheme.ratings.column_options import SCALE_SIDES, ColumnOptions, sides_of
from markscheme.readers.tabular.cells import begun_with, number_in_any_form
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.scales import FEWEST_FOR_REPEATS, MOST_WORDS
from markscheme.readers.tabular.words import (
    ABOUT_A_RATING,
    AGGREGATES,
    BEFORE_A_RATER,
    DERIVED,
    EXAMPLE_FIELDS,
    ID_NAMES,
    JUDGE_WORDS,
    MEASURES,
    OF_A_RATER,
    OF_PREDICTIONS,
    PEOPLE_WORDS,
    QUERY_ENDS,
    RATER_COLUMNS,
    REASON_WORDS,
    RESPONSE_ENDS,
    SUM_WORDS,
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


@dataclass(frozen=True)
class Roles:
    """What each column of a table holds: ratings of a criterion, ids, responses, reasons and so on.

    Attributes:
        criteria: Columns of judges and people, by criterion, which is "" if only one thing is rated.
        single: Names of the columns of id, response, query, group, system, split, blind, drawn and at, by these words.
        aside: Names of columns that are or may be ratings, but count in no figure.
        reasons: Name of the column of reasons, by rated column.
        others: Names of all other columns.
        may_rate: Names of other columns with values like annotators', if there is no judge: they may be a judge's.
    """

    criteria: Mapping[str, tuple[SideColumn, ...]]
    single: Mapping[str, str] = field(default_factory=dict)
    aside: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    may_rate: tuple[str, ...] = ()


def roles_of(columns: Sequence[TableColumn], options: ColumnOptions, *, one_side: bool = False) -> Roles:
    """Determine the role of each column in a table: stated by the user's options, else inferred from names and cells.

    Args:
        columns: The columns.
        options: The user's options.
        one_side: True if one column of ratings suffices, a judge's or a person's.

    Raises:
        UsageError: It isn't evident which columns are judges' and people's, or whether they are raters or criteria.
    """
    refuse_unknown(columns, options)
    stated = _stated(columns, options)
    roles = {column.name: stated.get(column.name) or role_of(column, columns) for column in columns}
    for column in columns:
        if column.name not in stated and roles[column.name] in ("judge", "human") and column.is_empty:
            roles[column.name] = "aside"
    if options.judge or options.human:  # a side that is stated is stated whole
        for name, role in roles.items():
            is_of_stated_side = (role == "judge" and options.judge) or (role == "human" and options.human)
            roles[name] = "aside" if is_of_stated_side and name not in stated else role
    sides = [side_column(column, roles[column.name] == "judge", options) for column in columns
             if roles[column.name] in ("judge", "human")]  # fmt: skip
    sides, of_aggregates = _without_aggregates(sides, stated)
    judges = [side for side in sides if side.is_judge]
    people = [side for side in sides if not side.is_judge]
    if not judges or not people:
        _refuse_one_side(columns, roles, judges, people, suffices=one_side)
    criteria = {name: _with_own_names(listed) for name, listed in _by_criterion(judges, people, options).items()}
    used = {side.column.name for listed in criteria.values() for side in listed}
    aside = [name for name, role in roles.items() if role in ("aside", "derived")]
    aside += [side.column.name for side in sides if side.column.name not in used] + of_aggregates
    in_order = [column.name for column in columns if column.name in aside]
    return Roles(
        criteria,
        singles(columns, roles, options),
        tuple(in_order),
        _reasons(columns, roles, criteria),
        tuple(name for name, role in roles.items() if role in ("other", "note", "reference")),
        () if judges or options.human else tuple(meeting(columns, roles, people)),
    )


def output_roles(columns: Sequence[TableColumn], options: ColumnOptions) -> dict[str, ColumnRole]:
    """Determine the role of each column for a command that reads responses and inputs but no ratings.

    Raises:
        UsageError: An option names a column that the table lacks.
    """
    refuse_unknown(columns, options)
    stated = _stated(columns, options)
    roles = {column.name: stated.get(column.name) or role_of(column, columns) for column in columns}
    unit = id_column(columns, options)
    return {name: "id" if name == unit else role for name, role in roles.items()}


# --- one column by itself --------------------------------------------------------------------------------------------


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


def _stated(columns: Sequence[TableColumn], options: ColumnOptions) -> dict[str, ColumnRole]:
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
    if named & REASON_WORDS:
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


# --- both sides ------------------------------------------------------------------------------------------------------


def side_column(column: TableColumn, is_judge: bool, options: ColumnOptions) -> SideColumn:
    """Make the SideColumn of a judge's or annotator's column; its criterion is read from the column's name."""
    pattern = next((p for p in (*options.judge, *options.human) if "*" in p and is_named_by(column, p)), None)
    if pattern is not None:
        before, _, after = pattern.partition("*")
        return SideColumn(column, is_judge, name_words(column.name.removeprefix(before).removesuffix(after)))
    rest: list[str] = []
    rater = column.file or ""
    previous = ""
    words = name_words(column.name.removeprefix(f"{column.file}:"))
    for word, following in zip(words, (*words, "")[1:], strict=True):
        is_number = len(word) == 1 or word.isdecimal()
        if word in BEFORE_A_RATER and following in JUDGE_WORDS | PEOPLE_WORDS:
            continue
        if is_number and previous in JUDGE_WORDS | PEOPLE_WORDS | VALUE_WORDS:
            rater = word
        elif word not in JUDGE_WORDS | PEOPLE_WORDS and (word, column.name.casefold()) not in _OF_PREDICTIONS:
            rest.append(word)
        previous = word
    return SideColumn(column, is_judge, tuple(rest), rater)


_OF_PREDICTIONS: Final = {("y", "y_true"), ("true", "y_true"), ("y", "y_pred")}


def _without_aggregates(
    sides: Sequence[SideColumn], stated: Mapping[str, ColumnRole]
) -> tuple[list[SideColumn], list[str]]:
    """Remove columns that hold the mean or majority of annotators; return the remaining ones and names removed.

    Args:
        sides: The columns of ratings.
        stated: Roles of columns as the user states them, by name; columns with a stated role are kept.

    Raises:
        UsageError: A column isn't the aggregate that its name says.
    """
    annotators_alone = list(sides)
    aggregates: list[str] = []
    for side in sides:
        named = set(name_words(side.column.name)) & AGGREGATES
        if side.is_judge or not named or side.column.name in stated:
            continue
        key = " ".join(word for word in side.key.split() if word not in AGGREGATES)
        of_one = [s for s in sides if not s.is_judge and s is not side and s.key == key]
        annotators = [s for s in of_one if not set(name_words(s.column.name)) & AGGREGATES]
        if not annotators:
            continue
        if not _is_aggregate(side.column, [s.column for s in annotators], named):
            all_raters = tuple(word for s in annotators for word in ("--human", s.column.name))
            choices = [("--human", side.column.name), all_raters]
            raise refusal(
                "aggregate", columns=[side.column.name, *(s.column.name for s in annotators)], choices=choices
            )
        annotators_alone.remove(side)
        aggregates.append(side.column.name)
    return annotators_alone, aggregates


def _is_aggregate(column: TableColumn, annotators: Sequence[TableColumn], named: Iterable[str]) -> bool:
    for cell, *cells in zip(column.cells, *(a.cells for a in annotators), strict=True):
        values = [value for value in map(folded, cells) if value]
        if not values:
            continue
        numbers = [number for value in values if (number := number_in(value)) is not None]
        if {"mean", "median"} & set(named) and len(numbers) == len(values):
            ordered = sorted(numbers)
            middle = (ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2
            expected = sum(numbers) / len(numbers) if "mean" in named else middle
            number = number_in(folded(cell))
            if number is None or abs(number - expected) > ROUNDED_MEAN:
                return False
            continue
        counts = Counter(values)
        most = max(counts.values())
        if folded(cell) not in {value for value, count in counts.items() if count == most}:
            return False
    return True


ROUNDED_MEAN: Final = 0.005
"""Largest difference of a mean from its annotators' exact mean that rounding to two decimals can explain."""


def _by_criterion(
    judges: Sequence[SideColumn], people: Sequence[SideColumn], options: ColumnOptions
) -> dict[str, tuple[SideColumn, ...]]:
    """Group the columns with ratings by the criterion that they rate.

    Raises:
        UsageError: It isn't evident whether several columns are raters or criteria.
    """
    if options.judge and options.human and not any("*" in name for name in (*options.judge, *options.human)):
        of_both = _keyed(judges).keys() & _keyed(people).keys()
        if len(of_both) < 2:
            return {"": (*judges, *people)}
    if not judges:
        return _of_people_alone(people, options)
    if not people:
        return {"": tuple(judges)}
    with_values = any(len(listed) > len({side.rater for side in listed})
                      for side in (judges, people) for listed in _keyed(side).values())  # fmt: skip
    of_judges = _keyed(judges, full=with_values)
    of_people = _keyed(people, full=with_values)
    common = [key for key in of_judges if key in of_people]
    if common:
        return {key: (*of_judges[key], *of_people[key]) for key in common}
    are_models = all(is_model_name(side.full_key) or _is_version(side.full_key) for side in judges)
    if len(of_judges) > 1 and not options.judge and not are_models:
        _refuse_raters_or_criteria("judge", judges)
    if len(of_people) > 1 and not options.human:
        _refuse_raters_or_criteria("human", people)
    return {"": (*judges, *people)}


def _with_own_names(sides: Sequence[SideColumn]) -> tuple[SideColumn, ...]:
    """Give raters names of file and column, if names by file alone aren't unique."""
    if len({side.name for side in sides}) == len(sides):
        return tuple(sides)
    return tuple(replace(side, column=replace(side.column, file=None)) for side in sides)


def _is_version(key: str) -> bool:
    return key[:1] == "v" and key[1:].replace(" ", "").isdecimal()


def _keyed(sides: Sequence[SideColumn], *, full: bool = False) -> dict[str, list[SideColumn]]:
    keyed: dict[str, list[SideColumn]] = {}
    for side in sides:
        keyed.setdefault(side.full_key if full else side.key, []).append(side)
    return keyed


def _of_people_alone(people: Sequence[SideColumn], options: ColumnOptions) -> dict[str, tuple[SideColumn, ...]]:
    keyed = _keyed(people)
    if len(keyed) == 1 or (options.human and not any("*" in name for name in options.human)):
        return {"": tuple(people)}
    if all(len(listed) > 1 for listed in keyed.values()):
        return {key: tuple(listed) for key, listed in keyed.items()}
    if len(_keyed(people, full=True)) > 1:
        _refuse_raters_or_criteria("human", people)
    return {"": tuple(people)}


def _refuse_raters_or_criteria(side: str, listed: Sequence[SideColumn]) -> None:
    names = [placed.column.name for placed in listed]
    all_raters = tuple(word for name in names for word in (f"--{side}", name))
    choices = [all_raters, *((f"--{side}", name) for name in names)] if side == "judge" else [all_raters]
    raise refusal("rater-or-criterion", columns=names, choices=choices)


def _reasons(
    columns: Sequence[TableColumn], roles: Mapping[str, ColumnRole], criteria: Mapping[str, Sequence[SideColumn]]
) -> dict[str, str]:
    """Map columns of ratings to the columns with the reasons; a column of ratings without reasons is left out.

    Apart from words such as "reason" and "score", the two columns have equal names.

    Args:
        columns: All columns of the table.
        roles: The role of each column, by name.
        criteria: The columns of ratings, by criterion.
    """
    by_words = {
        tuple(word for word in name_words(column.name) if word not in REASON_WORDS | VALUE_WORDS): column.name
        for column in columns
        if roles[column.name] == "reason"
    }
    rated = [side.column.name for listed in criteria.values() for side in listed]
    keys = {name: tuple(word for word in name_words(name) if word not in VALUE_WORDS) for name in rated}
    return {name: by_words[key] for name, key in keys.items() if key in by_words}


# --- one side alone --------------------------------------------------------------------------------------------------


def _refuse_one_side(
    columns: Sequence[TableColumn],
    roles: Mapping[str, ColumnRole],
    judges: Sequence[SideColumn],
    people: Sequence[SideColumn],
    *,
    suffices: bool,
) -> None:
    """Raise an error if a table lacks a judge's column or a person's, unless several people have columns.

    The error names the columns that may hold the missing ratings.

    Args:
        columns: The columns of the table.
        roles: What each column holds, such as "response", by name; "other" if that isn't known.
        judges: The columns with a judge's ratings.
        people: The columns with people's ratings.
        suffices: True if ratings by a judge or a person alone are enough. Then a table is refused only if other columns
            may hold ratings too, if no column is known to, or if the only column of ratings has a name like "rater"
            and holds words, which may be names of raters.
    """
    if len(people) > 1:
        return
    names = _without_sums(meeting(columns, roles, (*judges, *people)))
    if names and (judges or people or len(names) > 1):
        raise refusal(
            "which-columns",
            columns=names,
            choices=_sides_of(names, judges, people, columns),
            judges=tuple(judge.column.name for judge in judges),
            people=tuple(person.column.name for person in people),
        )
    rated = [side.column.name for side in (*judges, *people)]
    others = [column.name for column in columns if column.name not in rated and not column.is_empty]
    says_who = bool(people) and people[0].column.is_text and name_words(rated[0])[0] in RATER_COLUMNS
    if suffices and rated and not says_who:
        return
    if people:
        code, option = ("rater-alone", "--id") if says_who else ("one-rater", "--judge")
        raise refusal(code, columns=rated, choices=[(option, "COLUMN")], others=others)
    has_responses = "response" in roles.values()
    if judges:
        facts: dict[str, Any] = {"others": others, "has_responses": has_responses}
        facts["empty"] = [column.name for column in columns if column.is_empty]
        in_other_file = [] if has_responses else [("LABELS",)]
        raise refusal("no-labels", columns=rated, choices=[("--human", "COLUMN"), *in_other_file], **facts)
    choices = [] if "rubric" in roles else [("--judge", "COLUMN", "--human", "COLUMN")]
    if has_responses:
        raise refusal("nothing-rated", columns=[column.name for column in columns], choices=choices)
    apart = [c.name for c in columns if roles[c.name] == "other" and (_may_rate(c) or _is_named_after_values(c))]
    if len(apart) == len(SCALE_SIDES):
        choices = [("--judge", judge, "--human", human) for judge, human in permutations(apart)]
    raise refusal("which-columns", columns=apart or [column.name for column in columns], choices=choices)


def meeting(columns: Sequence[TableColumn], roles: Mapping[str, ColumnRole], sides: Sequence[SideColumn]) -> list[str]:
    """Return the columns without a known role whose values suggest that they hold ratings.

    Such a column has few values, or numbers such as "4/5", and shares a value with a column of ratings or with another
    such column.

    Args:
        columns: All columns of the table.
        roles: The role of each column, by name; "other" if it isn't known.
        sides: The columns of ratings.
    """
    candidates = [column for column in columns if roles[column.name] == "other" and _may_rate(column)]
    rated = [side.column for side in sides]
    return [
        column.name
        for column in candidates
        if any(_meet(column, rival) for rival in [*rated, *candidates] if rival is not column)
    ]


def _without_sums(names: Sequence[str]) -> list[str]:
    """Remove names such as "mean", "sum" or "majority" from columns' names, if at least two others remain."""
    plain = [name for name in names if not set(name_words(name)) & (AGGREGATES | SUM_WORDS)]
    return plain if len(plain) > 1 else list(names)


def _may_rate(column: TableColumn) -> bool:
    """Return True if a column may hold ratings: few values that recur, or numbers such as "80%" or "4/5"."""
    values = [value for value in map(folded, column.different) if value]
    different = set(map(_meaning, values))
    filled = sum(bool(cell) for cell in column.cells)
    has_few = 1 < len(different) <= min(MOST_WORDS, max(2, filled / 2))
    signed = sum(number_in_any_form(v) is not None and number_in(v.replace(",", ".", 1)) is None for v in values)
    return has_few or (len(different) > 1 and signed >= MOST_SIGNED * len(values))


MOST_SIGNED: Final = 0.8
"""Smallest share of values with a sign such as `%` in a column that may hold ratings; its other values may mean that
nothing was rated."""


def _is_named_after_values(column: TableColumn) -> bool:
    return bool(set(name_words(column.name)) & VALUE_WORDS) and not looks_like_text(column)


def _meet(first: TableColumn, second: TableColumn) -> bool:
    ours, theirs = ({_meaning(folded(cell)) for cell in column.different} for column in (first, second))
    return not ours.isdisjoint(theirs)


def _meaning(value: str) -> str | bool | float:
    """Convert a value to a form that compares across columns: a bool for pass or fail, a float, else a text."""
    decision = decision_of(value)
    if decision is not None:
        return decision
    read = number_in_any_form(value)
    read = begun_with(value) if read is None else read
    return value if read is None else read


def _sides_of(
    names: Sequence[str],
    judges: Sequence[SideColumn],
    people: Sequence[SideColumn],
    columns: Sequence[TableColumn],
) -> list[tuple[str, ...]]:
    """List the sets of options among which the user can choose to state whose ratings the columns hold.

    Args:
        names: Names of the columns that may hold ratings.
        judges: The columns known to be a judge's.
        people: The columns known to be people's.
        columns: All columns of the table.
    """
    grid = _grid(names, [column.name for column in columns])
    if grid and not people:
        return [_of_raters(patterns, has_judge=bool(judges)) for patterns in grid]
    if len(names) > MOST_SPELLED_OUT and not judges and not people:
        return [("--judge", "COLUMN", "--human", "COLUMN")]
    names = names if len(names) <= MOST_SPELLED_OUT else ["COLUMN"]
    if judges:
        together = [tuple(word for name in names for word in ("--human", name))] if len(names) > 1 else []
        return [*together, *(("--human", name) for name in names)]
    models = [name for name in names if is_model_name(name)]
    if people:
        human = people[0].column.name
        together = [tuple(word for name in models for word in ("--judge", name))] if len(models) > 1 else []
        sides = (("--judge",), ("--human", human, "--human"))  # several models are no people
        return together + [(*side, name) for name in names for side in sides[: 1 if together and name in models else 2]]
    of_models = models[:1]
    may_judge = of_models or (names if len(names) <= FEW_RATERS else ["COLUMN"])
    both = [
        ("--judge", judge, *(word for name in names if name not in (judge, *of_models) for word in ("--human", name)))
        for judge in may_judge
    ]
    return [*both, tuple(word for name in names for word in ("--human", name))]


MOST_SPELLED_OUT: Final = 12
"""Largest number of columns that a refusal's commands name."""
FEW_RATERS: Final = 3
"""Largest number of columns for which a refusal proposes each as the judge's, if no name tells."""


def _of_raters(names: Sequence[str], *, has_judge: bool) -> tuple[str, ...]:
    """Return options that make each column an annotator's, except one that is named like a model: the judge's.

    Args:
        names: Names of the columns, or patterns for them such as `tone_*`.
        has_judge: True if a judge's column is known already, so that all of these are annotators'.
    """
    model = None if has_judge else next((name for name in names if is_model_name(name)), None)
    return tuple(word for name in names for word in ("--judge" if name == model else "--human", name))


def _grid(names: Sequence[str], every: Sequence[str]) -> list[list[str]]:
    """Return patterns that match columns named by criterion and rater: by ending, as `*_ann`, then by beginning.

    The list is empty if no columns are named so.

    Args:
        names: Names of columns that may hold ratings.
        every: Names of all columns. A list of patterns is left out if one of its patterns also matches a column
            that isn't made of criterion and rater.

    >>> _grid(["tone_ann", "tone_ben", "facts_ann", "facts_ben"], [])
    [['*_ann', '*_ben'], ['tone_*', 'facts_*']]
    """
    cuts = [(name[: mark.start()], name[mark.start() :]) for name in names for mark in _BETWEEN_WORDS.finditer(name)]
    by_end: dict[str, set[str]] = {}
    for start, end in cuts:
        by_end.setdefault(end, set()).add(start)
    grids = []
    for starts in by_end.values():
        ends = [end for end, others in by_end.items() if starts <= others]
        if min(len(starts), len(ends)) > 1:
            ordered = [start for start in dict.fromkeys(start for start, _ in cuts) if start in starts]
            grids.append((ordered, ends))
    if not grids:
        return []
    ordered, ends = max(grids, key=lambda grid: len(grid[0]) * len(grid[1]))
    cells = {start + end for start in ordered for end in ends}
    separators = {end[0] for end in ends}
    by_start = [f"{start}{separator}*" for start in ordered for separator in separators]
    patterns = [[f"*{end}" for end in ends], by_start]
    return [of for of in patterns if all(name in cells for name in every for p in of if fnmatchcase(name, p))]


_BETWEEN_WORDS: Final = re.compile(r"(?<=[^\W_])[\s_.:|/-]+(?=[^\W_])")
