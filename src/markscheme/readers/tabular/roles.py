"""The roles of a table's columns: which criterion a judge and people rate in each, the id, responses and so on."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from markscheme.numerals import number_in
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.columns import (
    ColumnRole,
    SideColumn,
    TableColumn,
    is_named_by,
    refuse_unknown,
    role_of,
    singles,
    stated_roles,
)
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.unknown_columns import meeting, refuse_models_beside, refuse_one_side, says_who_rated
from markscheme.readers.tabular.words import (
    AGGREGATES,
    BEFORE_A_RATER,
    JUDGE_WORDS,
    PEOPLE_WORDS,
    REASON_WORDS,
    VALUE_WORDS,
    folded,
    is_model_name,
    name_words,
)


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
    stated = stated_roles(columns, options)
    roles = {column.name: stated.get(column.name) or role_of(column, columns) for column in columns}
    for column in columns:
        if column.name not in stated and roles[column.name] in ("judge", "human") and column.is_empty:
            roles[column.name] = "aside"
    for column in columns:
        if column.name not in stated and says_who_rated(column, columns, roles):
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
    if not judges and not options.human:
        refuse_models_beside(people, columns, roles)
    if not judges or not people:
        refuse_one_side(columns, roles, judges, people, suffices=one_side)
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
